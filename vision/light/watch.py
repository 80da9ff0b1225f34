"""Watches the light on the table: overexposed cards, glare, shadows, blur and flicker, and where on the mat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from engine.texts import Text, text
from vision.frames import Frame, Image
from vision.light.exposure import CardExposure
from vision.light.flicker import FlickerMeter
from vision.light.measures import Grey, grey, overexposed, rectified, spread_mm
from vision.light.settings import DEFAULTS, LightSettings
from vision.percentiles import percentiles
from vision.table.homography import Homography
from vision.table.mat import Mat

_PX_PER_MM: Final = 1.0
"""Scale at which light is measured, so that pixels are mm²; blur needs `measures.PX_PER_MM`."""

Corners = npt.ArrayLike
"""(4, 2) mm on the mat, clockwise from the top left of a card or mark."""

_PLACES: Final = (
    (text("at the top left"), text("at the top"), text("at the top right")),
    (text("on the left"), text("in the middle"), text("on the right")),
    (text("at the bottom left"), text("at the bottom"), text("at the bottom right")),
)
"""Ninths of the mat, as seen from seat 0 at its bottom edge."""


@dataclass(frozen=True, slots=True)
class LightMeasurement:
    """What one picture shows of the light.

    `white`: the grey level of the white of the cards, or of the corner marks if no card lies there. `burnt`: the share
    of the cards that is overexposed. `glare`, `shadow`: where on the mat, mm; None if there is none. `blur_mm`: the
    blur of one card or mark; None if it could not be measured.
    """

    white: float
    burnt: float
    glare: tuple[float, float] | None
    shadow: tuple[float, float] | None
    blur_mm: float | None


class LightWatch:
    """Judges the light in the pictures of one camera, a little at a time. `mat`: what it looks at."""

    def __init__(self, mat: Mat, settings: LightSettings = DEFAULTS) -> None:
        self._mat = mat
        self._settings = settings
        self._flicker = FlickerMeter(settings)
        self._exposure = CardExposure()
        self._next_at = 0.0
        self._measured = 0
        self._now: Text | None = None
        self._times_found = 0
        self.trouble: Text | None = None
        """What is wrong with the light and what to do; None if nothing is."""

    def update(self, frame: Frame, homography: Homography, cards: Sequence[Corners], still: bool) -> float:
        """Look at the next frame; return the factor by which an exposure that follows the cards changes now, usually 1.

        `cards`: the outlines of the cards that are read. `still`: nothing moves in the picture.
        """
        self._flicker.update(frame)
        if not still or frame.time < self._next_at:
            return 1.0
        self._next_at = frame.time + self._settings.every_s
        light = self.measure(frame.image, homography, cards)
        if light is None:
            return 1.0
        self._judge(light)
        return self._exposure.factor(light.white, light.burnt, frame.time)

    def measure(self, image: Image, homography: Homography, cards: Sequence[Corners]) -> LightMeasurement | None:
        """Measure the light in one picture; None if it shows neither a card nor a corner mark.

        Blur is measured on one card or mark, on the next one in each call.
        """
        marks = [np.array(corners) for corners in self._mat.marks.values()]
        seen = [
            (np.asarray(each, np.float64), rectified(image, homography, each, _PX_PER_MM)) for each in cards or marks
        ]
        pictures = [(corners, picture) for corners, picture in seen if picture is not None]
        if not pictures:
            return None
        whites = [percentiles(grey(picture), self._settings.white_percentile)[0] for _, picture in pictures]
        white = float(np.median(whites))
        burnt = [float(overexposed(picture, self._settings.burnt).mean()) for _, picture in pictures]
        self._measured += 1
        # Edges are measured on a mark or a card: both are printed, black on white.
        corners = [*(corners for corners, _ in pictures), *(marks if cards else ())]
        sharp = rectified(image, homography, corners[self._measured % len(corners)])
        return LightMeasurement(
            white,
            float(np.mean(burnt)) if cards else 0.0,
            self._glare(image, homography, burnt, pictures)
            if float(np.median(burnt)) < self._settings.burnt_share
            else None,
            self._shadow(pictures, white) if cards else None,
            None if sharp is None else spread_mm(grey(sharp), self._settings.printed_percent),
        )

    def _glare(
        self,
        image: Image,
        homography: Homography,
        burnt: Sequence[float],
        pictures: Sequence[tuple[npt.NDArray[np.float64], Image]],
    ) -> tuple[float, float] | None:
        """Return the centre of the card that is mostly overexposed, or of the largest such patch of the bare mat."""
        worst = int(np.argmax(burnt))
        if burnt[worst] >= self._settings.burnt_share:
            x, y = pictures[worst][0].mean(axis=0)
            return float(x), float(y)
        width, height = self._mat.size_mm
        whole = rectified(image, homography, [(0, 0), (width, 0), (width, height), (0, height)], _PX_PER_MM)
        if whole is None:
            return None
        mask = overexposed(whole, self._settings.burnt)
        for corners in (*self._mat.marks.values(), *(corners for corners, _ in pictures)):
            outline = cv2.convexHull(np.asarray(corners, np.float32)).astype(np.int32)
            cv2.fillConvexPoly(mask, outline, 0)
            cv2.polylines(mask, [outline], True, 0, self._settings.outline_margin_mm)
        if cv2.countNonZero(mask) < max(self._settings.glare_mm2, 1):
            return None
        _, _, found, centres = cv2.connectedComponentsWithStats(mask)
        largest = 1 + int(np.argmax(found[1:, cv2.CC_STAT_AREA]))
        if found[largest, cv2.CC_STAT_AREA] < self._settings.glare_mm2:
            return None
        return float(centres[largest][0]), float(centres[largest][1])

    def _shadow(
        self, pictures: Iterable[tuple[npt.NDArray[np.float64], Image]], white: float
    ) -> tuple[float, float] | None:
        """Return the centre of the card of which the largest part is much darker than the white of the others."""
        largest, where = self._settings.shadow_mm2, None
        for corners, picture in pictures:
            dark_mm2 = self._dark_mm2(grey(picture), white)
            if dark_mm2 >= largest:
                largest = dark_mm2
                where = tuple(corners.mean(axis=0).tolist())
        return None if where is None else (where[0], where[1])

    def _dark_mm2(self, levels: Grey, white: float) -> int:
        """Return the area of the squares of a card that are much darker than `white`."""
        settings, side = self._settings, self._settings.patch_mm
        dark = 0
        for y in range(0, levels.shape[0] - side + 1, side):
            for x in range(0, levels.shape[1] - side + 1, side):
                patch = levels[y : y + side, x : x + side]
                dark += percentiles(patch, settings.patch_percentile)[0] < settings.shadow_level * white
        return dark * side**2

    def _judge(self, light: LightMeasurement) -> None:
        """Count what this picture shows; report what several pictures in a row have shown."""
        found = self._text(light)
        self._times_found = self._times_found + 1 if found == self._now else 1
        self._now = found
        if self._times_found >= self._settings.in_a_row:
            self.trouble = found

    def _text(self, light: LightMeasurement) -> Text | None:
        """Return the most important trouble of this picture."""
        if light.burnt >= self._settings.burnt_share:
            return text("The cards are overexposed: less light, or turn the lamp so that it does not shine on them.")
        if self._flicker.flickers:
            return text("The light flickers in the pictures: use another lamp, or tell the camera the mains frequency.")
        if light.glare is not None:
            message = "Something shines {place} of the mat: turn the lamp, or move what reflects it."
            return text(message, place=self.place(light.glare))
        if light.shadow is not None:
            message = "A shadow lies {place} of the mat: move what casts it, or add a second lamp."
            return text(message, place=self.place(light.shadow))
        if light.blur_mm is not None and light.blur_mm > self._settings.blurred_mm:
            return text("The camera is out of focus: turn its lens or set its focus until the cards are sharp.")
        return None

    def place(self, point: tuple[float, float]) -> Text:
        """Return the words for a place on the mat, mm."""
        width, height = self._mat.size_mm
        column, row = (min(max(int(3 * part), 0), 2) for part in (point[0] / width, point[1] / height))
        return _PLACES[row][column]
