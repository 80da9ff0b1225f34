"""Watches the light on the table: overexposed cards, glare, shadows, blur and flicker, and where on the mat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from engine.texts import Text, text
from vision.frames import Frame, Image
from vision.light.measures import (
    PAPER_PX_PER_MM,
    BareMat,
    Corners,
    FlickerMeter,
    Place,
    Seen,
    card_shadow,
    centre,
    grey,
    is_paper,
    overexposed,
    rectified,
    seen_from_above,
    spread_mm,
    white_of,
)
from vision.light.settings import DEFAULTS, EXPOSURE_DEFAULTS, ExposureSettings, LightSettings
from vision.mat.homography import Homography
from vision.mat.layout import Mat
from vision.percentiles import percentiles
from vision.readings import CARD_MM

# An exposure that follows the cards: their white is kept bright, and nothing on them burns out.
#
# The automatic exposure of a camera looks at the whole picture: on a dark cloth it overexposes the cards, on a light
# one it makes them grey. This one looks at the white of the cards. It is slow; the caller uses it only while nothing
# moves, because every change of the exposure changes the whole picture.


class CardExposure:
    """Decides by which factor the exposure must change.

    >>> control = CardExposure()
    >>> control.factor(white=215, burnt=0.0, time=0.0), control.factor(white=255, burnt=0.4, time=1.0)
    (1.0, 0.7692307692307692)
    >>> control.factor(white=235, burnt=0.1, time=2.0)      # the last change was less than four seconds ago
    1.0
    """

    def __init__(self, settings: ExposureSettings = EXPOSURE_DEFAULTS) -> None:
        self._settings = settings
        self._next_at = float("-inf")

    def factor(self, white: float, burnt: float, time: float) -> float:
        """Return the factor for the exposure now; 1 if it stays.

        `white`: grey level of the white of the cards. `burnt`: share of the cards that is overexposed. `time`: seconds.
        """
        settings = self._settings
        if time < self._next_at:
            return 1.0
        least, most = 1 / settings.max_step, settings.max_step
        if burnt > settings.burnt_share:
            factor = least
        elif abs(white - settings.white) > settings.tolerance:
            factor = min(max((settings.white / max(white, 1.0)) ** settings.gamma, least), most)
        else:
            return 1.0
        self._next_at = time + settings.wait_s
        return factor

    def blind_factor(self, bright: float, burnt: float, time: float) -> float:
        """Return the factor for the exposure while the mat is not found, perhaps because it is burnt out or dark.

        `bright`: grey level of the brightest parts of the picture. `burnt`: share of it that is overexposed.
        """
        settings = self._settings
        if time < self._next_at:
            return 1.0
        if burnt > settings.blind_burnt_share:
            factor = 1 / settings.blind_step
        elif bright < settings.blind_dark:
            factor = settings.blind_step
        else:
            return 1.0
        self._next_at = time + settings.blind_wait_s
        return factor


Outline = npt.NDArray[np.float64]
"""The same as an array."""
_OVEREXPOSED: Final = text("The cards are overexposed: less light, or turn the lamp so that it does not shine on them.")
_FLICKERS: Final = text("The light flickers in the pictures: use another lamp, or tell the camera the mains frequency.")
_PLACES: Final = (
    (text("at the top left"), text("at the top"), text("at the top right")),
    (text("on the left"), text("in the middle"), text("on the right")),
    (text("at the bottom left"), text("at the bottom"), text("at the bottom right")),
)
"""Ninths of the mat, as seen from seat 0 at its bottom edge."""


@dataclass(frozen=True, slots=True)
class LightMeasurement:
    """What one picture shows of the light.

    `white`: the grey level of the white of the cards, or of the corner marks if these are brighter. `burnt`: the share
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
        self._found: Text | None = None
        """What enough measurements in a row have found, but flicker."""

    @property
    def trouble(self) -> Text | None:
        """What is wrong with the light and what to do; None if nothing is."""
        if self._flicker.flickers and self._found != _OVEREXPOSED:
            return _FLICKERS
        return self._found

    def update(
        self,
        frame: Frame,
        homography: Homography,
        cards: Sequence[Corners],
        still: bool,
        unread: Sequence[Corners] = (),
    ) -> float:
        """Look at the next frame; return the factor by which an exposure that follows the cards changes now, usually 1.

        `cards`, `unread`: the outlines of the cards that are read, and of those that are not. `still`: nothing moves in
        the picture. Flicker is looked for while something moves too, because strong flicker looks like movement.
        """
        self._flicker.update(frame)
        if not still or frame.time < self._next_at:
            return 1.0
        self._next_at = frame.time + self._settings.every_s
        light = self.measure(frame.image, homography, cards, unread)
        if light is None:
            return 1.0
        self._judge(light)
        return self._exposure.factor(light.white, light.burnt, frame.time)

    def update_unlocated(self, frame: Frame) -> float:
        """Look at a frame in which the mat is not found; return the factor for the exposure as `update` does.

        The picture may be burnt out or dark: a lamp was switched on or off.
        """
        if frame.time < self._next_at:
            return 1.0
        self._next_at = frame.time + self._settings.every_s
        picture = frame.image[::8, ::8]
        (bright,) = percentiles(grey(picture), self._settings.white_percentile)
        burnt = float(overexposed(picture, EXPOSURE_DEFAULTS.blind_burnt).mean())
        return self._exposure.blind_factor(bright, burnt, frame.time)

    def measure(
        self, image: Image, homography: Homography, cards: Sequence[Corners], unread: Sequence[Corners] = ()
    ) -> LightMeasurement | None:
        """Measure the light in one picture; None if it shows neither a card nor a corner mark.

        Blur is measured on one card or mark, on the next one in each call.
        """
        settings = self._settings
        marks, read, others = (
            seen_from_above(image, homography, each) for each in (self._mat.marks.values(), cards, unread)
        )
        if not marks and not read:
            return None
        paper = np.median([white_of(picture, settings) for _, picture in marks or read], axis=0)
        papers = [*read, *(each for each in others if is_paper(each[1], paper, settings))]
        lying = papers or marks
        whites, of_marks = (
            [percentiles(grey(picture), settings.white_percentile)[0] for _, picture in each]
            for each in (papers, marks)
        )
        burnt = [float(overexposed(picture, settings.burnt).mean()) for _, picture in lying]
        width, height = self._mat.size_mm
        whole = rectified(image, homography, [(0, 0), (width, 0), (width, height), (0, height)], PAPER_PX_PER_MM)
        outlines = [np.asarray(each, np.float64) for each in (*self._mat.marks.values(), *cards, *unread)]
        self._measured += 1
        # Edges are measured on a mark or a card: both are printed, black on white.
        printed = [corners for corners, _ in (*read, *marks)]
        sharp = rectified(image, homography, printed[self._measured % len(printed)])
        share, glare, burnt_card = float(np.mean(burnt)) if papers else 0.0, None, False
        worst = int(np.argmax(burnt))
        if float(np.median(burnt)) < settings.burnt_share:
            if burnt[worst] >= settings.burnt_share:
                glare = centre(lying[worst][0])
            elif whole is not None:
                glare, burnt_card = self._glare(whole, outlines)
        return LightMeasurement(
            max(float(np.median(each)) for each in (whites, of_marks) if each),
            1.0 if burnt_card else share,
            glare,
            self._shadow(whole, read, others, outlines, float(np.median([*whites, *of_marks])), paper),
            None if sharp is None else spread_mm(grey(sharp), settings.printed_percent),
        )

    def _glare(self, whole: Image, outlines: Sequence[Outline]) -> tuple[Place | None, bool]:
        """Return the centre of the largest overexposed patch of the bare mat, and whether it is shaped like a card.

        Cards that lay there at the start, and are too bright to be read, are not known as cards.
        """
        mask = overexposed(whole, self._settings.burnt)
        for corners in outlines:
            outline = cv2.convexHull(corners.astype(np.float32)).astype(np.int32)
            cv2.fillConvexPoly(mask, outline, 0)
            cv2.polylines(mask, [outline], True, 0, self._settings.outline_margin_mm)
        if cv2.countNonZero(mask) < max(self._settings.glare_mm2, 1):
            return None, False
        _, labels, found, centres = cv2.connectedComponentsWithStats(mask)
        largest = 1 + int(np.argmax(found[1:, cv2.CC_STAT_AREA]))
        area = int(found[largest, cv2.CC_STAT_AREA])
        if area < self._settings.glare_mm2:
            return None, False
        points = cv2.findNonZero((labels == largest).astype(np.uint8))
        sides = sorted(cv2.minAreaRect(points)[1])
        low, high = 1 - self._settings.card_like, 1 + self._settings.card_like
        is_card = all(low <= side / card <= high for side, card in zip(sides, CARD_MM, strict=True))
        x, y = centres[largest].tolist()
        return (x, y), is_card and area >= low * sides[0] * sides[1]

    def _shadow(
        self,
        whole: Image | None,
        read: Sequence[Seen],
        unread: Sequence[Seen],
        outlines: Sequence[Outline],
        white: float,
        paper: npt.NDArray[np.float64],
    ) -> Place | None:
        """Return the centre of a card in shadow, or of a shadow on the bare mat.

        `white`: the grey level that white has on the mat. `paper`: its colour.
        """
        where = card_shadow(read, white, self._settings)
        if where is not None or whole is None:
            return where
        bare = BareMat(whole, outlines, self._settings)
        return bare.shadow_on(unread, white, paper) or bare.shadow()

    def _judge(self, light: LightMeasurement) -> None:
        """Count what this picture shows; keep what several pictures in a row have shown."""
        found = self._text(light)
        self._times_found = self._times_found + 1 if found == self._now else 1
        self._now = found
        if self._times_found >= self._settings.in_a_row:
            self._found = found

    def _text(self, light: LightMeasurement) -> Text | None:
        """Return the most important trouble of this picture."""
        if light.burnt >= self._settings.burnt_share:
            return _OVEREXPOSED
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
