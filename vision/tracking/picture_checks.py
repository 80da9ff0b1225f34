"""What is wrong with the pictures of a camera: none is new, they are black or cut off, there are too few.

A camera may deliver pictures that show nothing: a lens cap, a lamp that went off, a driver that repeats its last
picture. A place that was not seen empty keeps its card, so such pictures are kept from the tracker and reported.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.texts import Text, text
from vision.frames import Frame, Image
from vision.percentiles import percentiles


@dataclass(frozen=True, slots=True)
class PictureSettings:
    """The thresholds of `PictureChecks`. Times are seconds of the frames."""

    blank_range: float = 24.0
    """Grey levels. A picture is blank if nearly all of its pixels are within this range: nothing can be read in it.
    Higher: a dark table is reported; lower: a camera in the dark is not."""
    blank_percentiles: tuple[float, float] = (1.0, 99.0)
    """The percentiles of the pixels that must differ by more. Wider: a few broken pixels are taken for a picture."""
    blank_steps: tuple[int, ...] = (128, 16)
    """Of so many rows one is compared: first a few, which decides nearly always, then more. Higher: faster, but a
    picture that shows little is taken for a blank one."""
    blank_s: float = 1.0
    """Time after which blank or cut pictures are reported. Longer: a lamp that flickers is not reported."""
    cut_share: float = 0.25
    """Share of the rows, from below, that have a single colour in a picture that was cut off on its way. Higher: less
    of a picture may be missing unnoticed; lower: the bars below the pictures of some cameras are taken for that."""
    frozen_s: float = 2.0
    """Time after which the same picture is reported. Two pictures of a camera always differ in their noise. Longer:
    noticed later."""
    slow_s: float = 2.5
    """Time over which pictures are counted. Longer: a computer that is busy for a moment is not reported."""
    least_fps: float = 4.0
    """Pictures a second below which that is reported: cards that lie for less than a second may be missed. Lower:
    slower cameras are accepted, and quick plays are missed."""


DEFAULTS: Final = PictureSettings()


class PictureChecks:
    """Checks the pictures of one source, one after another.

    `live`: it is a camera, not a recording. `may_repeat`: its pictures may be equal, so it is never taken for frozen.
    """

    def __init__(self, live: bool, settings: PictureSettings = DEFAULTS, may_repeat: bool = False) -> None:
        self._live = live
        self._may_repeat = may_repeat
        self._settings = settings
        self._last: Image | None = None
        self._was_whole = False
        """Whether a picture had no such rows, so that these do not belong to what the camera sees."""
        self._new_at = 0.0
        self._shown_at: float | None = None
        self._times: deque[float] = deque()
        self._began = 0.0

    def unusable(self, frame: Frame) -> tuple[bool, str]:
        """Return whether nothing can be seen in this picture, and the reason once it is to be reported."""
        settings, now = self._settings, frame.time
        self._count(now)
        if self._shown_at is None:
            self._shown_at = now
        is_blank, is_cut = _is_blank(frame.image, settings), self._live and _is_cut(frame.image, settings)
        self._was_whole = self._was_whole or not (is_blank or is_cut)
        if is_blank or (is_cut and self._was_whole):
            reported = now - self._shown_at >= settings.blank_s
            return True, (_blank() if is_blank else _cut()) if reported else ""
        self._shown_at = now
        same = self._live and not self._may_repeat and self._last is not None and _is_same(self._last, frame.image)
        self._last = frame.image
        if not same:
            self._new_at = now
        frozen = same and now - self._new_at >= settings.frozen_s
        return frozen, _frozen() if frozen else ""

    def _count(self, time: float) -> None:
        """Count a picture. After a gap, in which the camera was lost, counting begins again."""
        if not self._times or time - self._times[-1] > self._settings.slow_s / 2:
            self._times.clear()
            self._began = time
        self._times.append(time)
        while self._times[0] <= time - self._settings.slow_s:
            self._times.popleft()

    def hampered(self) -> str:
        """Return what makes the pictures hard to use; an empty text if nothing does."""
        settings = self._settings
        if not self._times:
            return ""
        fps = len(self._times) / settings.slow_s
        if not self._live or self._times[-1] - self._began < settings.slow_s or fps >= settings.least_fps:
            return ""
        return text("Few pictures a second: leave each card for two seconds; close other programs, or add light.")


def _is_same(one: Image, other: Image) -> bool:
    """Return whether two pictures are equal in every pixel."""
    # Pictures of a camera nearly always differ in the first few rows compared.
    return np.array_equal(one[::256], other[::256]) and np.array_equal(one, other)


def _is_blank(image: Image, settings: PictureSettings) -> bool:
    """Return whether the picture shows nothing."""
    for step in settings.blank_steps:
        sample = image[min(step, len(image)) // 2 :: step, :: step // 8, 1]
        if spread(sample, settings) > settings.blank_range:
            return False
    return True


def _is_cut(image: Image, settings: PictureSettings) -> bool:
    """Return whether the lower rows of the picture have a single colour."""
    row = image[-1]
    # The last row of a camera's picture nearly always has more.
    return bool((row == row[0]).all() and (image[-round(settings.cut_share * len(image)) :] == row[0]).all())


def spread(sample: npt.NDArray[np.uint8], settings: PictureSettings) -> float:
    """Return how far the two percentiles of the sample, (h, w), lie apart, grey levels."""
    low, high = percentiles(sample, *settings.blank_percentiles)
    return high - low


def _blank() -> Text:
    return text("The camera sees nothing: switch a lamp on, or take away what covers its lens.")


def _cut() -> Text:
    return text("The camera sends only parts of its pictures: take it off its cable, and put it back, without a hub.")


def _frozen() -> Text:
    return text("The camera repeats one picture: take it off its cable, and put it back.")
