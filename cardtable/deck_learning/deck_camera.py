"""The camera to which the cards of a deck are shown, one by one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from cardtable.config.model import TableConfig
from cardtable.deck_learning.course import Course, Keys, Page, Reporter
from cardtable.deck_learning.lessons import Exam, Lesson
from cardtable.errors import CardtableError, UsageError
from cardtable.play.camera_source import mat_for
from cardtable.simulation.deck_show import DeckShow, parse_show
from engine.texts import text
from vision.cameras.sources import BadSource, open_source
from vision.decks.capture import FaceCapture
from vision.frames import Frame, FrameSource, SourceLost
from vision.table.corner_finder import TableFinder
from vision.tracking.settings import DEFAULTS

_IDLE_S: Final = 0.05


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
        course = Course(lesson, FaceCapture(self._mat, lesson.size_mm), self._source, reporter, store)
        title = lesson.title(name)
        while lesson.next is not None and not self._ended:
            frame = self._frame()
            if frame is not None:
                course.look(frame, self._finder.update(frame.image))
            for button in [*(guide.pressed() if guide else ()), *(keys.pressed() if keys else ())]:
                if button == "stop":
                    return
                course.press(button)
            if lesson.next is None:
                break
            course.say_what_to_do(self._lost, keys)
            if guide is not None:
                course.show(guide, title, self._lost, frame)
        if guide is not None:
            course.show_end(guide, title)

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
