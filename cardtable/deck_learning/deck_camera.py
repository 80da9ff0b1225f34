"""Going through a deck under the camera: read the cards, and say on page and terminal what to do next."""

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
from vision.cameras.sources import BadSource, open_source
from vision.decks.capture import CaptureResult, FaceCapture
from vision.frames import Frame, FrameSource, Image, SourceLost
from vision.table.corner_finder import TableFinder
from vision.tracking.settings import DEFAULTS

_PAGE_PERIOD_S: Final = 0.15
_IDLE_S: Final = 0.05
_GREEN, _AMBER = (90, 210, 90), (60, 190, 250)


class Reporter(Protocol):
    """Prints in the terminal (`cardtable.terminal.progress.Reporter`)."""

    def report(self, text: str, entry: dict[str, Any]) -> None:
        """Print something that happened."""

    def say(self, text: str) -> None:
        """Print what to do now."""


class Page(Protocol):
    """The page that says what to do (`cardtable.board.guide.Guide`)."""

    def show(self, guidance: Guidance, image: Image | None = None) -> None:
        """Show what to do."""

    def pressed(self) -> Iterable[str]:
        """Return the buttons pressed since the last call."""


class Keys(Protocol):
    """Replaces the buttons of the page in a terminal (`cardtable.terminal.typed_lines.Typed`)."""

    def choices(self, buttons: Sequence[Button]) -> str:
        """Return a line that says what may be typed."""

    def pressed(self) -> Iterable[str]:
        """Return the buttons typed since the last call."""


class DeckCamera:
    """The camera to which cards are shown: `source`, or if None the first one of the table.

    Raises `UsageError` if the source does not exist.
    """

    def __init__(self, source: str | None, config: TableConfig) -> None:
        camera = config.cameras[0] if config.cameras else None
        spec = source or (camera.source if camera else "usb:0")
        try:
            self._source: FrameSource = open_source(
                spec, {"synthetic": open_show}, camera.settings if camera and source is None else None
            )
        except BadSource as error:
            raise UsageError(str(error)) from error
        self._mat = mat_for(config.header)
        self._finder = TableFinder(self._mat)
        self._lost = ""
        self._try_at = 0.0
        self._ended = False

    def close(self) -> None:
        """Close the camera."""
        self._source.close()

    def go_through(
        self,
        lesson: Lesson | Exam,
        guide: Page | None,
        name: str,
        reporter: Reporter,
        store: Callable[[], None],
        keys: Keys | None = None,
    ) -> None:
        """Go through the cards until all have been shown, the recording ends, or `stop` is pressed.

        `guide`: the page; None for none. `name`: of the deck. `store` is called after each card, before it is reported
        as learned. `keys`: buttons typed in the terminal. Raises `CardtableError` if a recording cannot be read on, or
        shows a card that cannot be learned.
        """
        capture = FaceCapture(self._mat, lesson.deck.size_mm if isinstance(lesson, Lesson) else None)
        result, answer, last_advice, due = CaptureResult("clear the table"), Answer("", True), "", 0.0
        choices, alone = "", False
        title = text("Testing the deck {name}", name=name)
        if isinstance(lesson, Lesson):
            title = text("Learning the deck {name}", name=name)
        while lesson.next is not None and not self._ended:
            frame = self._frame()
            if frame is not None:
                card = lesson.next
                result = capture.process(frame.image, self._finder.update(frame.image))
                alone = alone or result.state == "empty"
                if result.face is not None:
                    size = result.size_mm
                    answer = lesson.show(result.face, size) if isinstance(lesson, Lesson) else lesson.show(result.face)
                    store()
                    reporter.report(answer.text, _entry(card, answer, lesson))
                    if alone and not answer.good and isinstance(lesson, Lesson):
                        self._check_doubtful(card, frame)
                    alone = False
                elif result.missed:
                    answer = self._missed(card, frame)
                    reporter.report(answer.text, _entry(card, answer, lesson))
            for button in [*(guide.pressed() if guide else ()), *(keys.pressed() if keys else ())]:
                if button == "stop":
                    return
                if (pressed := lesson.press(button)) is not None:
                    answer = pressed
                    store()
                    reporter.report(answer.text, {"pressed": button, "text": answer.text})
                    if button == "back":
                        capture.recapture()
            if lesson.next is None:
                break
            what = self._what_to_do(lesson, result)
            if what != last_advice and result.state != "moving":
                last_advice, due = what, 0.0
                reporter.say(self._with_progress(what, lesson, result))
            if keys is not None and keys.choices(lesson.buttons) != choices:
                choices = keys.choices(lesson.buttons)
                reporter.say(choices)
            if guide is not None and frame is not None and time.monotonic() >= due:
                due = time.monotonic() + _PAGE_PERIOD_S
                alert = bool(self._lost) or not answer.good or result.state in ("several", "no outline")
                findings = [{"state": "good" if answer.good else "warning", "text": answer.text, "advice": ""}]
                guide.show(
                    Guidance(title, what, alert, findings if answer.text else (), lesson.progress, lesson.buttons),
                    _drawn(frame.image, result),
                )
            elif guide is not None and frame is None:
                guide.show(Guidance(title, what, True, (), lesson.progress, lesson.buttons))
        if guide is not None:
            guide.show(Guidance(title, answer.text, not answer.good, (), lesson.progress))

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

    def _missed(self, card: Card, frame: Frame) -> Answer:
        """Return the answer to a card that was removed before it could be read.

        Raises `CardtableError` for a recording: the card cannot be shown again, and each later card would get the name
        of the one before it.
        """
        self._must_be_live(
            text(
                "{name}: {card}, taken away at {time:.1f} s, was not recognised; the cards "
                "before it are kept: show it and the cards after it again",
                name=self._source.name,
                card=card.glyph,
                time=frame.time,
            )
        )
        message = text("{card} was taken away before it was recognised: lay it again, flat and alone.", card=card.glyph)
        return Answer(message, False)

    def _check_doubtful(self, card: Card, frame: Frame) -> None:
        """Raise `CardtableError` if a recording shows a card that looks like one learned before.

        It was laid on the empty table, so it may be another card; only a person could say so, and each later card would
        get the name of the one before it.
        """
        self._must_be_live(
            text(
                "{name}: {card}, laid at {time:.1f} s, looks like an earlier card; the cards "
                "before it are kept: show it and the cards after it to a camera, where you can "
                "say that it is another card",
                name=self._source.name,
                card=card.glyph,
                time=frame.time,
            )
        )

    def _must_be_live(self, message: Text) -> None:
        """Raise `CardtableError` with `message` if the source is a recording."""
        if not self._source.live:
            raise CardtableError(message)

    def _with_progress(self, what: str, lesson: Lesson | Exam, result: CaptureResult) -> str:
        """Return what to do with the progress added, for the terminal; the page shows the progress separately."""
        if self._lost or result.state in ("clear the table", "several", "no outline"):
            return what
        done, of = lesson.progress
        return text("{done} of {of}: {what}", done=done, of=of, what=what)

    def _what_to_do(self, lesson: Lesson | Exam, result: CaptureResult) -> str:
        card = lesson.next.glyph if lesson.next is not None else ""
        if self._lost:
            return self._lost
        if result.state == "clear the table":
            return text("Take all cards off the table, and your hands.")
        if result.state == "several":
            return text("Several cards lie there: leave only {card}.", card=card)
        if result.state == "no outline":
            message = "Something lies there, but no whole card is seen: lay {card} flat, alone, on plain cloth."
            return text(message, card=card)
        return text("Show {card}.", card=card) if isinstance(lesson, Lesson) else text("Lay {card}.", card=card)


def _entry(card: Card, answer: Answer, lesson: Lesson | Exam) -> dict[str, Any]:
    """Return the JSON object for a card that was shown."""
    done, of = lesson.progress
    return {"card": str(card), "good": answer.good, "text": answer.text, "done": done, "of": of}


def _drawn(image: Image, result: CaptureResult) -> Image:
    """Return the picture with the outline of the card drawn on it."""
    if result.outline is None:
        return image
    picture = image.copy()
    points = np.rint(result.outline * 16).astype(np.int32).reshape(-1, 1, 2)
    colour = _GREEN if result.state == "done" or result.face is not None else _AMBER
    cv2.polylines(picture, [points], True, colour, 4, cv2.LINE_AA, shift=4)
    return picture


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
