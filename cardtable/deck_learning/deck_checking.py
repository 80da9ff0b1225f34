"""`cardtable deck check`: lay any deck, in any order; what the camera reads of it is reported."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import closing, suppress
from typing import Final

from cardtable.board.guide import Guidance
from cardtable.config.model import TableConfig
from cardtable.deck_learning.course import Page, Reporter
from cardtable.deck_learning.deck_camera import open_show
from cardtable.deck_learning.deck_report import DeckReport
from cardtable.play.camera_source import open_camera
from engine.cards import Card
from engine.observations import Lost, Scene
from engine.texts import spaced, text
from vision.camera_pipeline import CameraPipeline

_WHAT_TO_DO: Final = text("Lay the cards on the mat, each once, six at a time side by side; take them away again.")
_PAGE_PERIOD_S: Final = 0.25
_IDLE_S: Final = 0.05


def check_deck(
    wanted: Iterable[Card],
    config: TableConfig,
    source: str | None,
    deck: str | None,
    page: Page | None,
    reporter: Reporter,
) -> DeckReport:
    """Watch cards being laid until all have been read, the recording ends, or it is stopped (page, Ctrl-C).

    `wanted`: the cards of the deck. `source`: the camera; None for the first one of the table. `deck`: the learned deck
    with which cards are read; None for that of the camera. Raises `CardtableError` if the source cannot be opened.
    """
    camera = config.cameras[0] if config.cameras else None
    pipeline = open_camera(
        source or (camera.source if camera else "usb:0"),
        config.header,
        config.marks,
        calibration=camera.calibration if camera and source is None else None,
        more={"synthetic": open_show},
        settings=camera.settings if camera and source is None else None,
        deck=deck or (camera.deck if camera else None),
        card_mm=camera.card_mm if camera else None,
    )
    report = DeckReport(list(wanted))
    reporter.say(_WHAT_TO_DO)
    with closing(pipeline):
        with suppress(KeyboardInterrupt):  # the report is what the user wants
            _watch(pipeline, report, page, reporter)
        report.drawback = pipeline.deck_drawback
    return report


def _watch(pipeline: CameraPipeline, report: DeckReport, page: Page | None, reporter: Reporter) -> None:
    due, lost = 0.0, ""
    while not pipeline.ended and not report.complete:
        if pipeline.retry_in > 0:
            time.sleep(_IDLE_S)
        for observation in pipeline.step():
            if isinstance(observation, Scene):
                if new := report.add(observation):
                    _progress(new, report, reporter)
                lost = ""
            elif isinstance(observation, Lost):
                lost = observation.reason
                reporter.say(lost)
        if page is None:
            continue
        if "stop" in page.pressed():
            return
        if time.monotonic() >= due:
            due = time.monotonic() + _PAGE_PERIOD_S
            page.show(_guidance(report, lost), pipeline.frame.image if pipeline.frame else None)
    if page is not None:
        page.show(_guidance(report, lost, over=True))


def _progress(new: tuple[Card, ...], report: DeckReport, reporter: Reporter) -> None:
    done = len(report.read)
    of = done + len(report.missing)
    cards = spaced([card.glyph for card in new])
    entry = {"cards": [str(card) for card in new], "done": done, "of": of}
    reporter.report(text("{done} of {of}: {what}", done=done, of=of, what=cards), entry)


def _guidance(report: DeckReport, lost: str, over: bool = False) -> Guidance:
    """Return what the page shows: what to do, and the cards that are missing."""
    done = len(report.read)
    of = done + len(report.missing)
    what = lost or _WHAT_TO_DO
    if over:
        what = report.lines()[0]
    lines = report.lines()[1:] if over or of - done <= 12 else []
    findings = [{"state": "good" if report.complete else "warning", "text": line, "advice": ""} for line in lines]
    buttons = () if over else (("stop", text("Stop")),)
    return Guidance(text("Checking a deck"), what, bool(lost), findings, (done, of), buttons)
