"""Shadows: on cards, compared with the white of the other cards and of the corner marks, and on the bare mat.

What is dark on the mat may be a thing that lies there. A lamp has a size, so a shadow has a soft edge; it darkens all
colours alike; and it does not end at the edge of a card.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image
from vision.light.measures import Grey, grey
from vision.light.paper import Seen
from vision.light.settings import LightSettings
from vision.percentiles import percentiles

Place = tuple[float, float]
"""x and y, mm on the mat."""

_MM: Final = 2
"""Side of a pixel of the mat's picture on which shadows are searched, mm."""
_COARSE_MM: Final = 5
"""The same for the mat around."""


def card_shadow(cards: Iterable[Seen], white: float, settings: LightSettings) -> Place | None:
    """Return the centre of the card of which the largest part is much darker than `white`; None if there is none."""
    largest, where = settings.shadow_mm2, None
    for corners, picture in cards:
        area = dark_mm2(grey(picture), white, settings)
        if area >= largest:
            largest, where = area, centre(corners)
    return where


def dark_mm2(levels: Grey, white: float, settings: LightSettings) -> int:
    """Return the area of the squares of a card that are much darker than `white`."""
    side, dark = settings.patch_mm, 0
    for y in range(0, levels.shape[0] - side + 1, side):
        for x in range(0, levels.shape[1] - side + 1, side):
            patch = levels[y : y + side, x : x + side]
            dark += percentiles(patch, settings.patch_percentile)[0] < settings.shadow_level * white
    return dark * side**2


class BareMat:
    """The part of the mat on which nothing lies, and how dark it is, compared with the mat around.

    `whole`: the mat from above at 1 pixel per mm. `outlines`: the cards and marks on it, mm.
    """

    def __init__(self, whole: Image, outlines: Sequence[npt.NDArray[np.float64]], settings: LightSettings) -> None:
        self._settings = settings
        height, width = whole.shape[0] // _MM, whole.shape[1] // _MM
        bare = np.full(whole.shape[:2], 255, np.uint8)
        for each in outlines:
            hull = cv2.convexHull(each.astype(np.float32)).astype(np.int32)
            cv2.fillConvexPoly(bare, hull, 0)
            cv2.polylines(bare, [hull], True, 0, settings.outline_margin_mm)
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
        around = cv2.medianBlur(coarse, self._settings.around_mm // _COARSE_MM | 1)
        wide = np.asarray(cv2.resize(around, size, interpolation=cv2.INTER_LINEAR), np.float32)
        fine = cv2.blur(cv2.resize(whole, size, interpolation=cv2.INTER_AREA), (3, 3)).astype(np.float32)
        channels = middle >= self._settings.least_mat
        if not channels.any():
            return np.ones((size[1], size[0], 1), np.float32)
        return np.asarray((fine / np.maximum(wide, 1.0))[..., channels], np.float32)

    def shadow(self) -> Place | None:
        """Return the centre of the largest shadow of the size of a hand; None if there is none."""
        settings = self._settings
        core = (self._ratio.max(axis=2) < settings.shadow_level) & self._bare
        half = (self._ratio.max(axis=2) < settings.penumbra_level) & self._bare
        _, labels, found, centres = cv2.connectedComponentsWithStats(core.astype(np.uint8))
        for k in sorted(range(1, len(found)), key=lambda k: -int(found[k, cv2.CC_STAT_AREA])):
            if found[k, cv2.CC_STAT_AREA] * _MM**2 < settings.bare_shadow_mm2:
                return None
            part = labels == k
            tint = np.ptp(self._ratio[part].mean(axis=0))
            if tint < settings.tint and self._edge_mm(part, half) >= settings.penumbra_mm:
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
        return card_shadow((card for card in cards if self._is_shaded_paper(card, paper)), white, self._settings)

    def _is_shaded_paper(self, card: Seen, paper: npt.NDArray[np.float64]) -> bool:
        settings, (corners, picture) = self._settings, card
        share = np.percentile(picture.reshape(-1, 3), settings.patch_percentile, axis=0) / np.maximum(paper, 1.0)
        if share.max() <= 0 or np.ptp(share) > settings.tint * share.max():
            return False
        inside = np.zeros(self._bare.shape, np.uint8)
        cv2.fillConvexPoly(inside, cv2.convexHull((corners / _MM).astype(np.float32)).astype(np.int32), 1)
        side = 2 * (settings.rim_mm + settings.outline_margin_mm) // _MM + 1
        rim = (cv2.dilate(inside, np.ones((side, side), np.uint8)) > 0) & self._bare
        if np.count_nonzero(rim) * _MM**2 < settings.rim_mm**2:
            return False
        dark = (self._ratio.max(axis=2) < settings.rim_level)[rim].mean()
        part = (picture.max(axis=2) < settings.shadow_level * float(paper.max())).mean()
        return bool(dark >= part / 2)


def centre(corners: npt.NDArray[np.float64]) -> Place:
    """Return the middle of a card or mark, mm on the mat."""
    x, y = corners.mean(axis=0).tolist()
    return float(x), float(y)
