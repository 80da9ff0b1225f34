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
    WHITE_PERCENTILE,
    BareMat,
    Corners,
    FlickerMeter,
    Place,
    Seen,
    bare_mat,
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
from vision.mat.homography import Homography
from vision.mat.layout import Mat
from vision.percentiles import percentiles
from vision.readings import CARD_MM

MEASURE_EVERY_S: Final = 1.0
"""Seconds from one measurement of the light to the next. Shorter: slower computers stutter."""
IN_A_ROW: Final = 3
"""Measurements in a row that must find the same trouble, or none, until that counts. Higher: reported later."""
BURNT_LEVEL: Final = 252.0
"""Grey level from which all three channels count as overexposed. Lower: white cards count in good light."""
CARD_BURNT_SHARE: Final = 0.3
"""Share of a card that must be overexposed. Lower: a card that is partly too bright is reported."""
GLARE_MM2: Final = 400.0
"""Area of the mat that must be overexposed to be reported as glare. Smaller: the gleam on a coin is reported."""
CARD_LIKE_SHARE: Final = 0.12
"""Share by which the sides and the area of an overexposed patch may differ from those of a card and it still counts as
an overexposed card. Higher: reflections of windows count as cards; lower: cards in soft light as reflections."""
BLURRED_MM: Final = 1.15
"""Blur of printed edges that is reported: standard deviation, mm on the mat. Higher: faces are no longer read
(tests/cardtable/doctor/test_doctor_camera.py measures it); lower: cameras that are sharp enough are reported."""
PRINTED_PERCENT: Final = 0.5
"""The least share of a card that is printed, in percent: an ace has little more than its two indices. Higher: an ace
seems blurred; lower: noise makes a blurred card seem sharp."""

EXPOSURE_WHITE: Final = 215.0
"""Grey level that the white of the cards should have, of 255. Higher: glare burns out sooner; lower: more noise."""
WHITE_TOLERANCE: Final = 20.0
"""Grey levels by which it may differ. Smaller: the exposure changes more often, and every change moves all grey levels
of the table."""
GAMMA: Final = 1.3
"""Light is taken to grow as grey level to this power. Cameras have 1 to 2.6. Higher: quicker, and it may overshoot with
a camera of 1."""
MAX_STEP: Final = 1.3
"""The largest factor of one change. Higher: quicker, and it may overshoot."""
MAX_BURNT_SHARE: Final = 0.02
"""Share of the cards that may be overexposed before the exposure is reduced. Higher: glare may hide an index; lower:
one gleam makes all the cards dark."""
BLIND_STEP: Final = 2.0
"""The factor of one change while the mat is not found. Higher: found sooner after a lamp is switched on, but it may
overshoot."""
BLIND_BURNT_LEVEL: Final = 235.0
"""Grey level from which all three channels count as overexposed then. Lower: white tables count."""
BLIND_BURNT_SHARE: Final = 0.3
"""Share of the whole picture that is overexposed then before the exposure is reduced. Higher: overexposed marks
stay so; lower: a bright window makes the table dark."""
BLIND_DARK_LEVEL: Final = 100.0
"""The exposure is increased then if the brightest parts are below this grey level. Higher: may alternate with
`BLIND_BURNT_SHARE`; lower: marks in the dark are not found."""
BLIND_WAIT_S: Final = 1.0
"""Seconds between two such changes. Longer: the mat is found later; shorter: cameras that take some pictures for a
change overshoot."""
EXPOSURE_WAIT_S: Final = 4.0
"""Seconds between two changes. Shorter: the tracker has less time to learn the new grey levels of the table."""


class CardExposure:
    """Decides by which factor the exposure must change, so that the white of the cards is bright and not overexposed.

    The automatic exposure of a camera looks at the whole picture: on a dark cloth it overexposes the cards, on a light
    one it makes them grey. This one is slow, and the caller uses it only while nothing moves, because every change of
    the exposure changes the whole picture.

    >>> control = CardExposure()
    >>> control.factor(white=215, burnt=0.0, time=0.0), control.factor(white=255, burnt=0.4, time=1.0)
    (1.0, 0.7692307692307692)
    >>> control.factor(white=235, burnt=0.1, time=2.0)      # the last change was less than four seconds ago
    1.0
    """

    def __init__(self) -> None:
        self._next_at = float("-inf")

    def factor(self, white: float, burnt: float, time: float) -> float:
        """Return the factor for the exposure now; 1 if it stays.

        `white`: grey level of the white of the cards. `burnt`: share of the cards that is overexposed. `time`: seconds.
        """
        if time < self._next_at:
            return 1.0
        least, most = 1 / MAX_STEP, MAX_STEP
        if burnt > MAX_BURNT_SHARE:
            factor = least
        elif abs(white - EXPOSURE_WHITE) > WHITE_TOLERANCE:
            factor = min(max((EXPOSURE_WHITE / max(white, 1.0)) ** GAMMA, least), most)
        else:
            return 1.0
        self._next_at = time + EXPOSURE_WAIT_S
        return factor

    def blind_factor(self, bright: float, burnt: float, time: float) -> float:
        """Return the factor for the exposure while the mat is not found, perhaps because it is overexposed or dark.

        `bright`: grey level of the brightest parts of the picture. `burnt`: share of it that is overexposed.
        """
        if time < self._next_at:
            return 1.0
        if burnt > BLIND_BURNT_SHARE:
            factor = 1 / BLIND_STEP
        elif bright < BLIND_DARK_LEVEL:
            factor = BLIND_STEP
        else:
            return 1.0
        self._next_at = time + BLIND_WAIT_S
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

    def __init__(self, mat: Mat) -> None:
        self._mat = mat
        self._flicker = FlickerMeter()
        self._exposure = CardExposure()
        self._next_at = 0.0
        self._measured = 0
        self._now: Text | None = None
        self._times_found = 0
        self._found: Text | None = None
        """What enough measurements in a row have found, apart from flicker."""

    @property
    def flickers(self) -> bool | None:
        """Whether the light flickers; None until that is certain."""
        return self._flicker.flickers

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
        self._next_at = frame.time + MEASURE_EVERY_S
        light = self.measure(frame.image, homography, cards, unread)
        if light is None:
            return 1.0
        self._judge(light)
        return self._exposure.factor(light.white, light.burnt, frame.time)

    def update_unlocated(self, frame: Frame) -> float:
        """Look at a frame in which the mat is not found; return the factor for the exposure as `update` does.

        The picture may be overexposed or dark: a lamp was switched on or off.
        """
        self._flicker.update(frame)
        if frame.time < self._next_at:
            return 1.0
        self._next_at = frame.time + MEASURE_EVERY_S
        picture = frame.image[::8, ::8]
        (bright,) = percentiles(grey(picture), WHITE_PERCENTILE)
        burnt = float(overexposed(picture, BLIND_BURNT_LEVEL).mean())
        return self._exposure.blind_factor(bright, burnt, frame.time)

    def measure(
        self, image: Image, homography: Homography, cards: Sequence[Corners], unread: Sequence[Corners] = ()
    ) -> LightMeasurement | None:
        """Measure the light in one picture; None if it shows neither a card nor a corner mark.

        Blur is measured on one card or mark, on the next one in each call.
        """
        marks, read, others = (
            seen_from_above(image, homography, each) for each in (self._mat.marks.values(), cards, unread)
        )
        if not marks and not read:
            return None
        paper = np.median([white_of(picture) for _, picture in marks or read], axis=0)
        papers = [*read, *(each for each in others if is_paper(each[1], paper))]
        lying = papers or marks
        whites, of_marks = (
            [percentiles(grey(picture), WHITE_PERCENTILE)[0] for _, picture in each] for each in (papers, marks)
        )
        burnt = [float(overexposed(picture, BURNT_LEVEL).mean()) for _, picture in lying]
        width, height = self._mat.size_mm
        whole = rectified(image, homography, [(0, 0), (width, 0), (width, height), (0, height)], PAPER_PX_PER_MM)
        outlines = [np.asarray(each, np.float64) for each in (*self._mat.marks.values(), *cards, *unread)]
        self._measured += 1
        # Edges are measured on a mark or a card: both are printed, black on white.
        printed = [corners for corners, _ in (*read, *marks)]
        sharp = rectified(image, homography, printed[self._measured % len(printed)])
        share, glare, burnt_card = float(np.mean(burnt)) if papers else 0.0, None, False
        worst = int(np.argmax(burnt))
        if float(np.median(burnt)) < CARD_BURNT_SHARE:
            if burnt[worst] >= CARD_BURNT_SHARE:
                glare = centre(lying[worst][0])
            elif whole is not None:
                glare, burnt_card = self._glare(whole, outlines)
        return LightMeasurement(
            max(float(np.median(each)) for each in (whites, of_marks) if each),
            1.0 if burnt_card else share,
            glare,
            self._shadow(whole, read, others, outlines, float(np.median([*whites, *of_marks])), paper),
            None if sharp is None else spread_mm(grey(sharp), PRINTED_PERCENT),
        )

    def _glare(self, whole: Image, outlines: Sequence[Outline]) -> tuple[Place | None, bool]:
        """Return the centre of the largest overexposed patch of the bare mat, and whether it is shaped like a card.

        Cards that lay there at the start, and are too bright to be read, are not known as cards.
        """
        mask = overexposed(whole, BURNT_LEVEL) & bare_mat(whole, outlines)
        if cv2.countNonZero(mask) < max(GLARE_MM2, 1):
            return None, False
        _, labels, found, centres = cv2.connectedComponentsWithStats(mask)
        largest = 1 + int(np.argmax(found[1:, cv2.CC_STAT_AREA]))
        area = int(found[largest, cv2.CC_STAT_AREA])
        if area < GLARE_MM2:
            return None, False
        points = cv2.findNonZero((labels == largest).astype(np.uint8))
        sides = sorted(cv2.minAreaRect(points)[1])
        low, high = 1 - CARD_LIKE_SHARE, 1 + CARD_LIKE_SHARE
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
        where = card_shadow(read, white)
        if where is not None or whole is None:
            return where
        bare = BareMat(whole, outlines)
        return bare.shadow_on(unread, white, paper) or bare.shadow()

    def _judge(self, light: LightMeasurement) -> None:
        """Count what this picture shows; keep what several pictures in a row have shown."""
        found = self._text(light)
        self._times_found = self._times_found + 1 if found == self._now else 1
        self._now = found
        if self._times_found >= IN_A_ROW:
            self._found = found

    def _text(self, light: LightMeasurement) -> Text | None:
        """Return the most important trouble of this picture."""
        if light.burnt >= CARD_BURNT_SHARE:
            return _OVEREXPOSED
        if light.glare is not None:
            message = "Something shines {place} of the mat: turn the lamp, or move what reflects it."
            return text(message, place=self.place(light.glare))
        if light.shadow is not None:
            message = "A shadow lies {place} of the mat: move what casts it, or add a second lamp."
            return text(message, place=self.place(light.shadow))
        if light.blur_mm is not None and light.blur_mm > BLURRED_MM:
            return text("The camera is out of focus: turn its lens or set its focus until the cards are sharp.")
        return None

    def place(self, point: tuple[float, float]) -> Text:
        """Return the words for a place on the mat, mm."""
        width, height = self._mat.size_mm
        column, row = (min(max(int(3 * part), 0), 2) for part in (point[0] / width, point[1] / height))
        return _PLACES[row][column]
