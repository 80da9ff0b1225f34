"""Show the cards of a deck to a camera, with instructions on a page and in the terminal.

A `Course` leads through a `Lesson` (learning a deck) or an `Exam` (testing one), card by card.
`check_deck` watches any deck whose cards are laid in any order, and reports what was read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from typing import Final

import cv2
import numpy as np

from cardtable.config.devices import CameraConfig
from cardtable.config.model import TableConfig
from cardtable.errors import CardtableError, UsageError
from cardtable.setup.deck_lessons import Answer, Exam, Lesson
from cardtable.setup.deck_report import DeckReport
from cardtable.simulation.source import DeckShow, parse_show
from cardtable.table.cameras import open_camera, open_frames
from cardtable.terminal.input import Typed
from cardtable.terminal.progress import Reporter
from cardtable.web.guide import Guidance, Guide
from engine.cards import Card
from engine.observations import Lost, Scene
from engine.texts import Text, decimals, spaced, text
from vision.camera_pipeline import CameraPipeline
from vision.decks.capture import CaptureResult, FaceCapture
from vision.frames import Frame, FrameSource, Image, SourceLost
from vision.mat.corner_finder import TableFinder
from vision.mat.homography import Homography
from vision.mat.layout import Mat
from vision.tracking.settings import DEFAULTS

_PAGE_PERIOD_S: Final = 0.15
_CHECK_PAGE_PERIOD_S: Final = 0.25
_IDLE_S: Final = 0.05
_GREEN, _AMBER = (90, 210, 90), (60, 190, 250)


class Course:
    """One pass through the cards of `lesson`, which are shown to the camera `source`.

    `name` is that of the deck, `guide` the page, if there is one, and `keys` reads buttons typed in the terminal.
    `store` is called after each card, before it is reported as learned.
    """

    def __init__(
        self,
        lesson: Lesson | Exam,
        source: FrameSource,
        mat: Mat,
        name: str,
        reporter: Reporter,
        store: Callable[[], None],
        guide: Guide | None = None,
        keys: Typed | None = None,
    ) -> None:
        self._lesson = lesson
        self._source = source
        self._finder = TableFinder(mat)
        self._capture = FaceCapture(mat, lesson.size_mm)
        self._title = lesson.title(name)
        self._reporter = reporter
        self._store = store
        self._guide = guide
        self._keys = keys
        self._lost = ""
        """Why there are no pictures; empty if there are."""
        self._try_at = 0.0
        self._ended = False
        self._result = CaptureResult("clear the table")
        self._answer = Answer("", True)
        self._alone = False
        """Whether the table has been empty since the last card."""
        self._advice, self._choices = "", ""
        """The last instruction in the terminal, and the last list of what can be typed."""
        self._page_at = 0.0

    def run(self) -> None:
        """Go on until all cards have been shown, the recording ends, or `stop` is pressed.

        Raises `CardtableError` if a recording breaks off, or shows a card that cannot be learned.
        """
        guide, keys, lesson = self._guide, self._keys, self._lesson
        while lesson.next is not None and not self._ended:
            frame = self._frame()
            if frame is not None:
                self._look(frame, self._finder.update(frame.image))
            for button in [*(guide.pressed() if guide else ()), *(keys.pressed() if keys else ())]:
                if button == "stop":
                    return
                self._press(button)
            if lesson.next is None:
                break
            self._say_what_to_do()
            if guide is not None:
                self._show(guide, frame)
        if guide is not None:
            guide.show(Guidance(self._title, self._answer.text, not self._answer.good, (), lesson.progress))

    def _frame(self) -> Frame | None:
        if time.monotonic() < self._try_at:
            time.sleep(_IDLE_S)
            return None
        try:
            frame = self._source.read()
        except SourceLost as lost:
            if not self._source.live:
                raise CardtableError(str(lost)) from lost
            self._lost, self._try_at = str(lost), time.monotonic() + DEFAULTS.source.retry_s
            return None
        self._lost = ""
        self._ended = frame is None
        return frame

    def _look(self, frame: Frame, homography: Homography | None) -> None:
        """Process a picture. Raises `CardtableError` if a recording shows a card that cannot be learned."""
        lesson, card = self._lesson, self._lesson.next
        if card is None:
            return
        self._result = result = self._capture.process(frame.image, homography)
        self._alone = self._alone or result.state == "empty"
        if result.face is not None:
            answer = lesson.show(result.face, result.size_mm)
            self._store()
            self._report(answer, card)
            if self._alone and lesson.doubtful:
                message = (
                    "{name}: {card}, laid at {time} s, looks like an earlier card; the cards before it are kept: "
                    "show it and the cards after it to a camera, where you can say that it is another card"
                )
                self._must_be_live(text(message, name=self._source.name, card=card.glyph, time=decimals(frame.time)))
            self._alone = False
        elif result.missed:
            message = (
                "{name}: {card}, taken away at {time} s, was not recognised; the cards before it are kept: "
                "show it and the cards after it again"
            )
            self._must_be_live(text(message, name=self._source.name, card=card.glyph, time=decimals(frame.time)))
            message = "{card} was taken away before it was recognised: lay it again, flat and alone."
            self._report(Answer(text(message, card=card.glyph), False), card)

    def _press(self, button: str) -> None:
        """Handle a button other than `stop`."""
        answer = self._lesson.press(button)
        if answer is None:
            return
        self._answer = answer
        self._store()
        self._reporter.report(answer.text, {"pressed": button, "text": answer.text})
        if button == "back":
            self._capture.recapture()

    def _say_what_to_do(self) -> None:
        """Print the instruction and what can be typed, if they have changed."""
        what = self._what_to_do()
        if what != self._advice and self._result.state != "moving":
            self._advice, self._page_at = what, 0.0
            self._reporter.say(self._with_progress(what))
        if self._keys is not None and self._keys.choices(self._lesson.buttons) != self._choices:
            self._choices = self._keys.choices(self._lesson.buttons)
            self._reporter.say(self._choices)

    def _show(self, guide: Guide, frame: Frame | None) -> None:
        """Show the instruction on the page, with the picture if it is due."""
        lesson, answer, what = self._lesson, self._answer, self._what_to_do()
        if frame is None:
            guide.show(Guidance(self._title, what, True, (), lesson.progress, lesson.buttons))
        elif time.monotonic() >= self._page_at:
            self._page_at = time.monotonic() + _PAGE_PERIOD_S
            alert = bool(self._lost) or not answer.good or self._result.state in ("several", "no outline")
            findings = [{"state": "good" if answer.good else "warning", "text": answer.text, "advice": ""}]
            guide.show(
                Guidance(self._title, what, alert, findings if answer.text else (), lesson.progress, lesson.buttons),
                _drawn(frame.image, self._result),
            )

    def _report(self, answer: Answer, card: Card) -> None:
        self._answer = answer
        done, of = self._lesson.progress
        entry = {"card": str(card), "good": answer.good, "text": answer.text, "done": done, "of": of}
        self._reporter.report(answer.text, entry)

    def _must_be_live(self, message: Text) -> None:
        """Raise `CardtableError` with `message` if a recording shows a card that cannot be learned.

        The card was taken away before it could be read, or looks like one learned before although it was laid on the
        empty table. Only a person could show it again, or say that it is another card, and each later card would get
        the name of the one before it.
        """
        if not self._source.live:
            raise CardtableError(message)

    def _with_progress(self, what: str) -> str:
        """Add the progress to an instruction for the terminal. The page shows the progress separately."""
        if self._lost or self._result.state in ("clear the table", "several", "no outline"):
            return what
        done, of = self._lesson.progress
        return text("{done} of {of}: {what}", done=done, of=of, what=what)

    def _what_to_do(self) -> str:
        card = self._lesson.next.glyph if self._lesson.next is not None else ""
        if self._lost:
            return self._lost
        if self._result.state == "clear the table":
            return text("Take all cards off the table, and your hands.")
        if self._result.state == "several":
            return text("Several cards lie there: leave only {card}.", card=card)
        if self._result.state == "no outline":
            message = "Something lies there, but no whole card is seen: lay {card} flat, alone, on plain cloth."
            return text(message, card=card)
        return self._lesson.request(card)


def _drawn(image: Image, result: CaptureResult) -> Image:
    """Return the picture with the outline of the card drawn on it."""
    if result.outline is None:
        return image
    picture = image.copy()
    points = np.rint(result.outline * 16).astype(np.int32).reshape(-1, 1, 2)
    colour = _GREEN if result.state == "done" or result.face is not None else _AMBER
    cv2.polylines(picture, [points], True, colour, 4, cv2.LINE_AA, shift=4)
    return picture


def camera_of(source: str | None, config: TableConfig) -> CameraConfig:
    """Return the camera to which cards are shown: `source`, or else the table's first camera."""
    if source is None and config.cameras:
        return config.cameras[0]
    return CameraConfig(source=source or "usb:0", deck=config.cameras[0].deck if config.cameras else None)


def open_deck_camera(source: str | None, config: TableConfig) -> FrameSource:
    """Open `source`, or else the table's first camera. Raises `UsageError` if it does not exist."""
    camera = camera_of(source, config)
    return open_frames(camera.source, None, {"synthetic": open_show}, camera.settings)


def open_show(setting: str) -> FrameSource:
    """Open `synthetic:deck`, with the setting after `synthetic:`. Raises `UsageError`."""
    scheme, _, query = setting.partition("?")
    if scheme != "deck":
        raise UsageError(
            text(
                "synthetic:{scheme} does not show a deck card by card: write synthetic:deck?game=its-15", scheme=scheme
            )
        )
    return DeckShow(parse_show(query))


_WHAT_TO_DO: Final = text("Lay the cards on the mat, each once, six at a time side by side; then take them away.")


def check_deck(
    wanted: Iterable[Card],
    config: TableConfig,
    source: str | None,
    deck: str | None,
    page: Guide | None,
    reporter: Reporter,
) -> DeckReport:
    """Watch until all `wanted` cards have been read, the recording ends, or the user stops it (page, Ctrl-C).

    `source` is the camera, by default the table's first one, and `deck` the learned deck with which cards are read, by
    default that of the camera. Raises `CardtableError` if the source cannot be opened.
    """
    camera = camera_of(source, config)
    pipeline = open_camera(
        camera.model_copy(update={"deck": deck or camera.deck}),
        config.header,
        config.marks,
        more={"synthetic": open_show},
    )
    report = DeckReport(list(wanted))
    reporter.say(_WHAT_TO_DO)
    with closing(pipeline):
        with suppress(KeyboardInterrupt):  # the report is what the user wants
            _watch(pipeline, report, page, reporter)
        report.drawback = pipeline.deck_drawback
    return report


def _watch(pipeline: CameraPipeline, report: DeckReport, page: Guide | None, reporter: Reporter) -> None:
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
            due = time.monotonic() + _CHECK_PAGE_PERIOD_S
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
    """Return the content of the page: the instruction, and the missing cards."""
    done = len(report.read)
    of = done + len(report.missing)
    what = lost or _WHAT_TO_DO
    if over:
        what = report.lines()[0]
    lines = report.lines()[1:] if over or of - done <= 12 else []
    findings = [{"state": "good" if report.complete else "warning", "text": line, "advice": ""} for line in lines]
    buttons = () if over else (("stop", text("Stop")),)
    return Guidance(text("Checking a deck"), what, bool(lost), findings, (done, of), buttons)
