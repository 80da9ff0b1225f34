"""Going through a deck: read the cards that are shown, and say on page and terminal what to do next."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Protocol

import cv2
import numpy as np

from cardtable.board.guide import Guidance
from cardtable.deck_learning.lessons import Answer, Button, Exam, Lesson
from cardtable.errors import CardtableError
from engine.cards import Card
from engine.texts import Text, decimals, text
from vision.decks.capture import CaptureResult, FaceCapture
from vision.frames import Frame, FrameSource, Image
from vision.table.homography import Homography

_PAGE_PERIOD_S: Final = 0.15
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


class Course:
    """Going once through the cards of `lesson`, with what was read and answered last.

    `source`: where the pictures come from. `reporter`: the terminal. `store` is called after each card, before it is
    reported as learned.
    """

    def __init__(
        self,
        lesson: Lesson | Exam,
        capture: FaceCapture,
        source: FrameSource,
        reporter: Reporter,
        store: Callable[[], None],
    ) -> None:
        self._lesson = lesson
        self._capture = capture
        self._source = source
        self._reporter = reporter
        self._store = store
        self._result = CaptureResult("clear the table")
        self._answer = Answer("", True)
        self._alone = False
        """Whether the table was empty after the last card."""
        self._advice, self._choices = "", ""
        """What was said last: what to do, and what may be typed."""
        self._page_at = 0.0

    def look(self, frame: Frame, homography: Homography | None) -> None:
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
                self._check_doubtful(card, frame)
            self._alone = False
        elif result.missed:
            self._check_missed(card, frame)
            message = "{card} was taken away before it was recognised: lay it again, flat and alone."
            self._report(Answer(text(message, card=card.glyph), False), card)

    def press(self, button: str) -> None:
        """Handle a button other than `stop`."""
        answer = self._lesson.press(button)
        if answer is None:
            return
        self._answer = answer
        self._store()
        self._reporter.report(answer.text, {"pressed": button, "text": answer.text})
        if button == "back":
            self._capture.recapture()

    def say_what_to_do(self, lost: str, keys: Keys | None) -> None:
        """Say in the terminal what to do and what may be typed, if that has changed.

        `lost`: why pictures are missing; empty if none is.
        """
        what = self._what_to_do(lost)
        if what != self._advice and self._result.state != "moving":
            self._advice, self._page_at = what, 0.0
            self._reporter.say(self._with_progress(what, lost))
        if keys is not None and keys.choices(self._lesson.buttons) != self._choices:
            self._choices = keys.choices(self._lesson.buttons)
            self._reporter.say(self._choices)

    def show(self, page: Page, title: str, lost: str, frame: Frame | None) -> None:
        """Show on the page what to do, with the picture if it is due."""
        lesson, answer, what = self._lesson, self._answer, self._what_to_do(lost)
        if frame is None:
            page.show(Guidance(title, what, True, (), lesson.progress, lesson.buttons))
        elif time.monotonic() >= self._page_at:
            self._page_at = time.monotonic() + _PAGE_PERIOD_S
            alert = bool(lost) or not answer.good or self._result.state in ("several", "no outline")
            findings = [{"state": "good" if answer.good else "warning", "text": answer.text, "advice": ""}]
            page.show(
                Guidance(title, what, alert, findings if answer.text else (), lesson.progress, lesson.buttons),
                _drawn(frame.image, self._result),
            )

    def show_end(self, page: Page, title: str) -> None:
        """Show on the page that all cards have been shown, or that the recording has ended."""
        page.show(Guidance(title, self._answer.text, not self._answer.good, (), self._lesson.progress))

    def _report(self, answer: Answer, card: Card) -> None:
        self._answer = answer
        done, of = self._lesson.progress
        entry = {"card": str(card), "good": answer.good, "text": answer.text, "done": done, "of": of}
        self._reporter.report(answer.text, entry)

    def _check_missed(self, card: Card, frame: Frame) -> None:
        """Raise `CardtableError` if a recording shows a card that was removed before it could be read.

        The card cannot be shown again, and each later card would get the name of the one before it.
        """
        self._must_be_live(
            text(
                "{name}: {card}, taken away at {time} s, was not recognised; the cards "
                "before it are kept: show it and the cards after it again",
                name=self._source.name,
                card=card.glyph,
                time=decimals(frame.time),
            )
        )

    def _check_doubtful(self, card: Card, frame: Frame) -> None:
        """Raise `CardtableError` if a recording shows a card that looks like one learned before.

        It was laid on the empty table, so it may be another card; only a person could say so, and each later card would
        get the name of the one before it.
        """
        self._must_be_live(
            text(
                "{name}: {card}, laid at {time} s, looks like an earlier card; the cards "
                "before it are kept: show it and the cards after it to a camera, where you can "
                "say that it is another card",
                name=self._source.name,
                card=card.glyph,
                time=decimals(frame.time),
            )
        )

    def _must_be_live(self, message: Text) -> None:
        """Raise `CardtableError` with `message` if the source is a recording."""
        if not self._source.live:
            raise CardtableError(message)

    def _with_progress(self, what: str, lost: str) -> str:
        """Return what to do with the progress added, for the terminal; the page shows the progress separately."""
        if lost or self._result.state in ("clear the table", "several", "no outline"):
            return what
        done, of = self._lesson.progress
        return text("{done} of {of}: {what}", done=done, of=of, what=what)

    def _what_to_do(self, lost: str) -> str:
        card = self._lesson.next.glyph if self._lesson.next is not None else ""
        if lost:
            return lost
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
