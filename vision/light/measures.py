"""Measurements of rectified pictures: cards and corner marks seen from above, and the mat as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Frame, Image
from vision.mat.homography import Homography
from vision.percentiles import percentiles

SHADOW_SHARE: Final = 0.5
"""A white place is in shadow if it is darker than this share of the other white places. Higher: the far side of a lamp
counts as shadow."""
CARD_SHADOW_MM2: Final = 1800.0
"""Area of cards in shadow that is reported: less than half a card. Smaller: large black symbols are reported."""
BARE_SHADOW_MM2: Final = 4000.0
"""Area of a shadow on the bare mat that is reported: about a hand. Smaller: shadows of cups are reported."""
PENUMBRA_SHARE: Final = 0.7
"""Where the mat is darker than this share of the mat around, a shadow may begin. Higher: stains count; lower: shadows
seem to have sharp edges."""
PENUMBRA_MM: Final = 3.0
"""Least width of the edge of a shadow on the mat, from `PENUMBRA_SHARE` to `SHADOW_SHARE`. Wider: shadows of a small
bright lamp are missed; narrower: dark things on the mat count as shadow."""
SHADOW_TINT: Final = 0.2
"""Share by which a shadow may darken one colour more than another. Larger: coloured things on the mat count as shadow;
smaller: shadows in coloured light are missed."""
AROUND_MM: Final = 300
"""Side of the square of the mat with which a place of the mat is compared. Larger: a lamp on one side looks like
shadow; smaller: the middle of a shadow is compared with the shadow itself."""
LEAST_MAT_LEVEL: Final = 25.0
"""Grey level of the mat, in at least one colour, from which its shadows are judged. Higher: dark mats are not judged;
lower: noise on a black cloth looks like shadow."""
RIM_MM: Final = 12
"""Width of the strip around a card that was not read of which half must lie in shadow too, if the card does. Wider:
other cards are in it; narrower: the card's own edge is, and a dark back counts as shadow."""
RIM_SHARE: Final = 0.85
"""That strip is in shadow if it is darker than this share of the mat around: cards hardly reach beyond the shadow's
edge. Higher: dark backs in uneven light count as shadow; lower: shadows as small as the card are missed."""
PAPER_SHARE: Final = 0.6
"""A card that was not read is white paper if its median has this share of the white of the corner marks in each colour.
Higher: court cards do not count; lower: light backs do."""
WHITE_PERCENTILE: Final = 95.0
"""Percentile of the grey levels of a card or mark that is its white. Higher: a gleam counts as white; lower: the print
of a court card does."""
OUTLINE_MARGIN_MM: Final = 9
"""Width of the strip along the edges of cards and marks that is not searched for glare, since outlines are inexact and
the edges white. Wider: glare beside a card is missed; narrower: edges are reported as glare."""
PATCH_MM: Final = 15
"""Side of the squares of a card whose white is compared: more than any line printed on it. Larger: shadows with ragged
edges seem smaller; smaller: large symbols are taken for shadow."""
PATCH_PERCENTILE: Final = 90.0
"""Percentile of the grey levels of such a square that is its white. Higher: a bright spot in a shadow hides it; lower:
symbols are taken for shadow."""
FLICKER_SHARE: Final = 0.02
"""Change of brightness from one picture to the next, as a share of it, that counts as flicker. Lower: the noise of a
camera in the dark is reported."""
FLICKER_PICTURES: Final = 12
"""Pictures in a row that are compared for flicker. Fewer: a moving hand may be taken for it."""
FLICKER_IN_A_ROW: Final = 3
"""Such comparisons in a row that must find flicker until it is reported. Higher: reported later; lower: hands that
gather up the cards may be taken for it."""
FLICKER_STRIPS: Final = 8
"""Strips side by side into which a picture is divided: flicker is in most of them, a hand in few. More: the noise of a
camera counts more; fewer: two arms may be taken for it."""
FLICKER_COLUMNS: Final = 8
"""Of this many columns of a picture, one is measured. More: quicker, and noise counts more."""
FLICKER_S: Final = 10.0
"""Seconds between two such comparisons. Longer: reported later; shorter: slower computers stutter."""


class FlickerMeter:
    """Measures, from time to time, how much the rows of consecutive pictures differ.

    Lamps on the mains change their brightness 100 or 120 times a second. A camera reads its picture row by row, so that
    bright and dark bands move over the pictures, which looks like movement all over the table. A band is as wide as the
    picture: a change in only a part of a row, such as a hand, is left out.
    """

    def __init__(self) -> None:
        self._rows: list[npt.NDArray[np.float64]] = []
        self._begin_at = 0.0
        self._found = 0
        """How many measurements in a row have found flicker."""
        self.measured: float | None = None
        """The last measurement (`flicker_of`); None before the first one."""

    @property
    def flickers(self) -> bool | None:
        """Whether the last measurements in a row have found flicker; None until that is certain."""
        if self.measured is None or 0 < self._found < FLICKER_IN_A_ROW:
            return None
        return self._found > 0

    def update(self, frame: Frame) -> None:
        """Measure the next frame, if it is due."""
        if frame.time < self._begin_at:
            return
        rows = row_levels(frame.image)
        if self._rows and rows.shape != self._rows[0].shape:  # the camera's pictures have changed their size
            self._rows.clear()
        self._rows.append(rows)
        if len(self._rows) < FLICKER_PICTURES:
            return
        self.measured = flicker_of(np.array(self._rows))
        self._rows.clear()
        self._found = self._found + 1 if self.measured > FLICKER_SHARE else 0
        if not 0 < self._found < FLICKER_IN_A_ROW:  # otherwise the next pictures are measured at once
            self._begin_at = frame.time + FLICKER_S


def row_levels(image: Image) -> npt.NDArray[np.float64]:
    """Return the mean grey level of each row in each of some strips side by side, (H, strips) float64.

    `image`: (H, W, 3) uint8. Of `FLICKER_COLUMNS` columns, one is measured.
    """
    columns = image[:, ::FLICKER_COLUMNS]
    strips = max(min(FLICKER_STRIPS, columns.shape[1]), 1)
    wide = columns.shape[1] // strips
    parts = columns[:, : strips * wide].reshape(len(columns), strips, wide * 3)
    return np.asarray(parts.mean(axis=2), np.float64)


def flicker_of(rows: npt.NDArray[np.float64]) -> float:
    """Return the typical change of brightness between pictures, as a share of the brightness.

    `rows`: (N, H, strips), the `row_levels` of N consecutive pictures, N of 3 or more. Second differences over time
    leave out light that changes slowly; their median over the strips leaves out what moves in a part of a row, the one
    over the pictures what happens once, and the one over the rows what moves in a part of the picture.

    >>> bands = 150 + 15 * np.sin(np.arange(10)[:, None] * 2 + np.arange(300) / 50)
    >>> strips = np.repeat(bands[:, :, None], 8, axis=2)
    >>> round(flicker_of(strips), 2), flicker_of(np.full((10, 300, 8), 150.0))
    (0.08, 0.0)
    """
    relative = rows / np.maximum(rows.mean(axis=0), 1.0)
    second = np.median(relative[2:] - 2 * relative[1:-1] + relative[:-2], axis=2)
    # Noise of standard deviation s has second differences of s √6. Half of a sine is above 1 / √2, its own deviation.
    return float(np.median(np.median(np.abs(second), axis=0)) / np.sqrt(6))


Grey = npt.NDArray[np.uint8]
"""(h, w) uint8: grey levels."""

PX_PER_MM: Final = 8.0
"""Pixels per millimetre of a rectified mark or card, for `spread_mm`."""


def rectified(image: Image, homography: Homography, corners: object, px_per_mm: float = PX_PER_MM) -> Image | None:
    """Return a mark or card seen from above, BGR; None if a part of it is outside the picture.

    `corners`: (4, 2) mm on the mat, clockwise from its top left.
    """
    places = np.asarray(corners, np.float64)
    pixels = homography.to_px(places)
    height, width = image.shape[:2]
    if (pixels < 0).any() or (pixels >= (width, height)).any():
        return None
    across, down = (max(round(float(np.linalg.norm(places[k] - places[0])) * px_per_mm), 1) for k in (1, 3))
    upright = np.array([[0, 0], [across, 0], [across, down], [0, down]], np.float32)
    transform = cv2.getPerspectiveTransform(pixels.astype(np.float32), upright)
    interpolation = cv2.INTER_CUBIC if px_per_mm >= PX_PER_MM else cv2.INTER_LINEAR
    return np.asarray(cv2.warpPerspective(image, transform, (across, down), flags=interpolation), np.uint8)


def grey(image: Image) -> Grey:
    """Return the grey levels of a BGR picture."""
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)


def overexposed(image: Image, level: float) -> Grey:
    """Return where all three channels of a BGR picture have at least this grey level: 1, elsewhere 0."""
    blue, green, red = cv2.split(image)
    darkest = cv2.min(cv2.min(blue, green), red)
    return np.asarray(cv2.threshold(darkest, math.ceil(level) - 1, 1, cv2.THRESH_BINARY)[1], np.uint8)


def spread_mm(picture: Grey, printed: float = 5.0) -> float:
    """Return the blur of a picture at `PX_PER_MM`: the standard deviation, mm, of the Gaussian with its steepest edge.

    A step of height h under a Gaussian blur of standard deviation s has the slope h / (s √(2π)) in its middle.
    `printed`: the least share of the picture that is black, and that is white, in percent. Edges take two fifths of it.
    """
    smooth = cv2.GaussianBlur(picture.astype(np.float32), (0, 0), 1.0)
    slopes = np.hypot(cv2.Sobel(smooth, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(smooth, cv2.CV_32F, 0, 1) / 8)
    low, high = np.percentile(smooth, (printed, 100 - printed)).tolist()
    height = high - low
    steepest = float(np.percentile(slopes, 100 - 0.4 * printed))
    return math.inf if steepest <= 0 else height / (steepest * math.sqrt(2 * math.pi)) / PX_PER_MM


PAPER_PX_PER_MM: Final = 1.0
"""Scale at which light is measured, so that pixels are mm²; blur needs `measures.PX_PER_MM`."""
Corners = npt.ArrayLike
"""(4, 2) mm on the mat, clockwise from the top left of a card or mark."""
Seen = tuple[npt.NDArray[np.float64], Image]
"""The corners of a card or mark, (4, 2) mm on the mat, and its picture from above at 1 pixel per mm."""


def seen_from_above(image: Image, homography: Homography, places: Iterable[Corners]) -> list[Seen]:
    """Return the cards or marks at these places that lie in the picture as a whole, seen from above."""
    outlines = [np.asarray(each, np.float64) for each in places]
    pictures = [rectified(image, homography, each, PAPER_PX_PER_MM) for each in outlines]
    return [(each, picture) for each, picture in zip(outlines, pictures, strict=True) if picture is not None]


def white_of(picture: Image) -> list[float]:
    """Return the white of a card or mark in each of its three colours."""
    return [percentiles(picture[..., k], WHITE_PERCENTILE)[0] for k in range(3)]


def is_paper(picture: Image, paper: npt.NDArray[np.float64]) -> bool:
    """Return whether a card that was not read shows mostly white paper. `paper`: the colour of white, (3,)."""
    return bool((np.median(picture.reshape(-1, 3), axis=0) >= PAPER_SHARE * paper).all())


Place = tuple[float, float]
"""x and y, mm on the mat."""

_MM: Final = 2
"""Side of a pixel of the mat's picture on which shadows are searched, mm."""
_COARSE_MM: Final = 5
"""The same for the mat around."""


def card_shadow(cards: Iterable[Seen], white: float) -> Place | None:
    """Return the centre of the card of which the largest part is much darker than `white`; None if there is none."""
    largest, where = CARD_SHADOW_MM2, None
    for corners, picture in cards:
        area = dark_mm2(grey(picture), white)
        if area >= largest:
            largest, where = area, centre(corners)
    return where


def dark_mm2(levels: Grey, white: float) -> int:
    """Return the area of the squares of a card that are much darker than `white`."""
    side, dark = PATCH_MM, 0
    for y in range(0, levels.shape[0] - side + 1, side):
        for x in range(0, levels.shape[1] - side + 1, side):
            patch = levels[y : y + side, x : x + side]
            dark += percentiles(patch, PATCH_PERCENTILE)[0] < SHADOW_SHARE * white
    return dark * side**2


def bare_mat(whole: Image, outlines: Iterable[npt.NDArray[np.float64]]) -> Grey:
    """Return where nothing lies on the mat: 255, elsewhere 0.

    `whole`: the mat from above at 1 pixel per mm. `outlines`: the cards and marks on it, mm.
    """
    bare = np.full(whole.shape[:2], 255, np.uint8)
    for each in outlines:
        hull = cv2.convexHull(each.astype(np.float32)).astype(np.int32)
        cv2.fillConvexPoly(bare, hull, 0)
        cv2.polylines(bare, [hull], True, 0, OUTLINE_MARGIN_MM)
    return bare


class BareMat:
    """The part of the mat on which nothing lies, and how dark it is, compared with the mat around.

    A dark place may also be an object. A shadow has a soft edge, because a lamp is not a point; it darkens all colours
    alike; and it does not end at the edge of a card.

    `whole`: the mat from above at 1 pixel per mm. `outlines`: the cards and marks on it, mm.
    """

    def __init__(self, whole: Image, outlines: Sequence[npt.NDArray[np.float64]]) -> None:
        height, width = whole.shape[0] // _MM, whole.shape[1] // _MM
        bare = bare_mat(whole, outlines)
        self._bare = cv2.resize(bare, (width, height), interpolation=cv2.INTER_NEAREST) > 0
        self._ratio = self._compared(whole, bare, (width, height))
        """(h, w, channels): each place as a share of the mat around, in the colours that the mat has."""

    def _compared(self, whole: Image, bare: Grey, size: tuple[int, int]) -> npt.NDArray[np.float32]:
        coarse_size = whole.shape[1] // _COARSE_MM, whole.shape[0] // _COARSE_MM
        coarse = cv2.resize(whole, coarse_size, interpolation=cv2.INTER_AREA)
        free = cv2.resize(bare, coarse_size, interpolation=cv2.INTER_NEAREST) > 0
        if not free.any():
            return np.ones((size[1], size[0], 1), np.float32)
        middle = np.median(coarse[free], axis=0)
        coarse[~free] = middle
        around = cv2.medianBlur(coarse, AROUND_MM // _COARSE_MM | 1)
        wide = np.asarray(cv2.resize(around, size, interpolation=cv2.INTER_LINEAR), np.float32)
        fine = cv2.blur(cv2.resize(whole, size, interpolation=cv2.INTER_AREA), (3, 3)).astype(np.float32)
        channels = middle >= LEAST_MAT_LEVEL
        if not channels.any():
            return np.ones((size[1], size[0], 1), np.float32)
        return np.asarray((fine / np.maximum(wide, 1.0))[..., channels], np.float32)

    def shadow(self) -> Place | None:
        """Return the centre of the largest shadow of the size of a hand; None if there is none."""
        core = (self._ratio.max(axis=2) < SHADOW_SHARE) & self._bare
        half = (self._ratio.max(axis=2) < PENUMBRA_SHARE) & self._bare
        _, labels, found, centres = cv2.connectedComponentsWithStats(core.astype(np.uint8))
        for k in sorted(range(1, len(found)), key=lambda k: -int(found[k, cv2.CC_STAT_AREA])):
            if found[k, cv2.CC_STAT_AREA] * _MM**2 < BARE_SHADOW_MM2:
                return None
            part = labels == k
            tint = np.ptp(self._ratio[part].mean(axis=0))
            if tint < SHADOW_TINT and self._edge_mm(part, half) >= PENUMBRA_MM:
                return float(centres[k][0]) * _MM, float(centres[k][1]) * _MM
        return None

    def _edge_mm(self, part: npt.NDArray[np.bool_], half: npt.NDArray[np.bool_]) -> float:
        """Return how wide the edge of a dark part is: the typical distance from it to where the mat is bright."""
        outside = cv2.dilate(part.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        rim = outside & ~part & self._bare
        bright = (~half & self._bare).astype(np.uint8)
        if not rim.any() or not bright.any():
            return 0.0
        away = cv2.distanceTransform(1 - bright, cv2.DIST_L2, 3)
        return float(np.median(away[rim])) * _MM

    def shadow_on(self, cards: Iterable[Seen], white: float, paper: npt.NDArray[np.float64]) -> Place | None:
        """Return the centre of a card that was not read and lies in shadow, with the mat beside it; None if none does.

        `white`: the grey level of white paper on the mat, `paper`: its colour, (3,). Backs have other colours.
        """
        return card_shadow((card for card in cards if self._is_shaded_paper(card, paper)), white)

    def _is_shaded_paper(self, card: Seen, paper: npt.NDArray[np.float64]) -> bool:
        corners, picture = card
        share = np.percentile(picture.reshape(-1, 3), PATCH_PERCENTILE, axis=0) / np.maximum(paper, 1.0)
        if share.max() <= 0 or np.ptp(share) > SHADOW_TINT * share.max():
            return False
        inside = np.zeros(self._bare.shape, np.uint8)
        cv2.fillConvexPoly(inside, cv2.convexHull((corners / _MM).astype(np.float32)).astype(np.int32), 1)
        side = 2 * (RIM_MM + OUTLINE_MARGIN_MM) // _MM + 1
        rim = (cv2.dilate(inside, np.ones((side, side), np.uint8)) > 0) & self._bare
        if np.count_nonzero(rim) * _MM**2 < RIM_MM**2:
            return False
        dark = (self._ratio.max(axis=2) < RIM_SHARE)[rim].mean()
        part = (picture.max(axis=2) < SHADOW_SHARE * float(paper.max())).mean()
        return bool(dark >= part / 2)


def centre(corners: npt.NDArray[np.float64]) -> Place:
    """Return the middle of a card or mark, mm on the mat."""
    x, y = corners.mean(axis=0).tolist()
    return float(x), float(y)
