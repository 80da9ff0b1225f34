"""Going through a deck under the camera: what it sees, what is said to whoever lays the cards, and the page."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Protocol

import cv2
import numpy as np

from cardtable.board.guide import Guidance
from cardtable.config.model import TableConfig
from cardtable.deck_learning.lessons import Answer, Button, Exam, Lesson
from cardtable.errors import CardtableError, UsageError
from cardtable.play.camera_source import mat_for
from cardtable.simulation.deck_show import DeckShow, parse_show
from engine.cards import Card
from engine.texts import Text, text
from vision.camera_pipeline import TRY_AGAIN
from vision.cameras.sources import BadSource, open_source
from vision.decks.capture import CaptureResult, FaceCapture
from vision.frames import Frame, FrameSource, Image, SourceLost
from vision.table.corner_finder import TableFinder

_SHOW_EVERY: Final = 0.15
_WAIT: Final = 0.05
_GREEN, _AMBER = (90, 210, 90), (60, 190, 250)


class Reporter(Protocol):
    """Who tells it in the terminal."""

    def report(self, text: str, entry: dict[str, Any]) -> None:
        """Something that happened."""

    def say(self, text: str) -> None:
        """What to do now."""


class Page(Protocol):
    """The page that guides (`cardtable.board.guide.Guide`)."""

    def show(self, guidance: Guidance, image: Image | None = None) -> None:
        """Shows what to do."""

    def pressed(self) -> Iterable[str]:
        """What was pressed since this was asked last."""


class Keys(Protocol):
    """What stands for the page's buttons in a terminal (`cardtable.terminal.typed_lines.Typed`)."""

    def choices(self, buttons: Sequence[Button]) -> str:
        """What may be typed."""

    def pressed(self) -> Iterable[str]:
        """What was typed since this was asked last."""


class DeckCamera:
    """The table's camera, or `source`, with cards shown to it. Raises `UsageError` where there is no such source."""

    def __init__(self, source: str | None, config: TableConfig) -> None:
        camera = config.cameras[0] if config.cameras else None
        spec = source or (camera.source if camera else "usb:0")
        try:
            self._source: FrameSource = open_source(
                spec, {"synthetic": _open_show}, camera.settings if camera and source is None else None
            )
        except BadSource as error:
            raise UsageError(str(error)) from error
        self._mat = mat_for(config.header)
        self._finder = TableFinder(self._mat)
        self._lost = ""
        self._try_at = 0.0
        self._ended = False

    def close(self) -> None:
        """Lets the camera go."""
        self._source.close()

    def go_through(
        self,
        lesson: Lesson | Exam,
        guide: Page | None,
        name: str,
        reporter: Reporter,
        keep: Callable[[], None],
        keys: Keys | None = None,
    ) -> None:
        """Until every card has been shown, a recording ends, or it is stopped. `keep` is called after each card, before
        it is told that the card is learned.
        """
        showing = FaceCapture(self._mat, lesson.deck.size_mm if isinstance(lesson, Lesson) else None)
        shown, answer, said, due = CaptureResult("clear the table"), Answer("", True), "", 0.0
        choices, alone = "", False
        title = text("Testing the deck {name}", name=name)
        if isinstance(lesson, Lesson):
            title = text("Learning the deck {name}", name=name)
        while lesson.next is not None and not self._ended:
            frame = self._frame()
            if frame is not None:
                card = lesson.next
                shown = showing.process(frame.image, self._finder.update(frame.image))
                alone = alone or shown.state == "empty"
                if shown.face is not None:
                    size = shown.size_mm
                    answer = lesson.show(shown.face, size) if isinstance(lesson, Lesson) else lesson.show(shown.face)
                    keep()
                    reporter.report(answer.text, _entry(card, answer, lesson))
                    if alone and not answer.good and isinstance(lesson, Lesson):
                        self._doubted(card, frame)
                    alone = False
                elif shown.missed:
                    answer = self._missed(card, frame)
                    reporter.report(answer.text, _entry(card, answer, lesson))
            for button in [*(guide.pressed() if guide else ()), *(keys.pressed() if keys else ())]:
                if button == "stop":
                    return
                if (pressed := lesson.press(button)) is not None:
                    answer = pressed
                    keep()
                    reporter.report(answer.text, {"pressed": button, "text": answer.text})
                    if button == "back":
                        showing.recapture()
            if lesson.next is None:
                break
            what = self._what_to_do(lesson, shown)
            if what != said and shown.state != "moving":
                said, due = what, 0.0
                reporter.say(self._with_progress(what, lesson, shown))
            if keys is not None and keys.choices(lesson.buttons) != choices:
                choices = keys.choices(lesson.buttons)
                reporter.say(choices)
            if guide is not None and frame is not None and time.monotonic() >= due:
                due = time.monotonic() + _SHOW_EVERY
                alert = bool(self._lost) or not answer.good or shown.state in ("several", "no outline")
                findings = [{"state": "good" if answer.good else "warning", "text": answer.text, "advice": ""}]
                guide.show(
                    Guidance(title, what, alert, findings if answer.text else (), lesson.progress, lesson.buttons),
                    _drawn(frame.image, shown),
                )
            elif guide is not None and frame is None:
                guide.show(Guidance(title, what, True, (), lesson.progress, lesson.buttons))
        if guide is not None:
            guide.show(Guidance(title, answer.text, not answer.good, (), lesson.progress))

    def _frame(self) -> Frame | None:
        if time.monotonic() < self._try_at:
            time.sleep(_WAIT)
            return None
        try:
            frame = self._source.read()
        except SourceLost as lost:
            if not self._source.live:
                raise CardtableError(str(lost)) from lost
            self._lost, self._try_at = str(lost), time.monotonic() + TRY_AGAIN
            return None
        self._lost = ""
        self._ended = frame is None
        return frame

    def _missed(self, card: Card, frame: Frame) -> Answer:
        """A card came and went and was not made out. Raises `CardtableError` where nobody can be asked for it again:
        every card after it would get the name of the one before.
        """
        self._must_be_live(
            text(
                "{name}: {card}, taken away at {time:.1f} s, is not made out; what came "
                "before it is kept: show it, and those after it, once more",
                name=self._source.name,
                card=card.glyph,
                time=frame.time,
            )
        )
        told = text("{card} was taken away before it was made out: lay it once more, flat and alone.", card=card.glyph)
        return Answer(told, False)

    def _doubted(self, card: Card, frame: Frame) -> None:
        """A card was laid on the empty table, and looks like one that is learned. Raises `CardtableError` where nobody
        can say whether it is another: every card after it would get the name of the one before.
        """
        self._must_be_live(
            text(
                "{name}: {card}, laid at {time:.1f} s, looks like a card before it; what came before it is kept: "
                "show it, and those after it, to a camera, where you can say that it is another",
                name=self._source.name,
                card=card.glyph,
                time=frame.time,
            )
        )

    def _must_be_live(self, told: Text) -> None:
        """Raises `CardtableError` with what is told, where nobody can be asked: what was shown is a recording."""
        if not self._source.live:
            raise CardtableError(told)

    def _with_progress(self, what: str, lesson: Lesson | Exam, shown: CaptureResult) -> str:
        """What to do, as the terminal says it; the page shows beside it how many are done."""
        if self._lost or shown.state in ("clear the table", "several", "no outline"):
            return what
        done, of = lesson.progress
        return text("{done} of {of}: {what}", done=done, of=of, what=what)

    def _what_to_do(self, lesson: Lesson | Exam, shown: CaptureResult) -> str:
        card = lesson.next.glyph if lesson.next is not None else ""
        if self._lost:
            return self._lost
        if shown.state == "clear the table":
            return text("Take all cards off the table, and your hands.")
        if shown.state == "several":
            return text("Several cards lie there: leave only {card}.", card=card)
        if shown.state == "no outline":
            told = "Something lies there, but no whole card is seen: lay {card} flat, alone, on plain cloth."
            return text(told, card=card)
        return text("Show {card}.", card=card) if isinstance(lesson, Lesson) else text("Lay {card}.", card=card)


def _entry(card: Card, answer: Answer, lesson: Lesson | Exam) -> dict[str, Any]:
    """What came of a card that was shown, as JSON."""
    done, of = lesson.progress
    return {"card": str(card), "good": answer.good, "text": answer.text, "done": done, "of": of}


def _drawn(image: Image, shown: CaptureResult) -> Image:
    """The picture with the outline of the card."""
    if shown.outline is None:
        return image
    picture = image.copy()
    points = np.rint(shown.outline * 16).astype(np.int32).reshape(-1, 1, 2)
    colour = _GREEN if shown.state == "done" or shown.face is not None else _AMBER
    cv2.polylines(picture, [points], True, colour, 4, cv2.LINE_AA, shift=4)
    return picture


def _open_show(setting: str) -> FrameSource:
    scheme, _, query = setting.partition("?")
    if scheme != "deck":
        raise UsageError(
            text("synthetic:{scheme} shows no deck card by card: write synthetic:deck?game=its-15", scheme=scheme)
        )
    return DeckShow(parse_show(query))
