"""Comparing pictures of one place: the same or not, and the card or the table.

Pictures are at working scale, (h, w, 3) uint8 in levels of logarithmic brightness (`motion.Motion`): a shadow
subtracts the same number of levels from every pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image
from vision.tracking.settings import AppearanceSettings

_ZERO: Final = 128
"""What stands for no change where signed changes are kept in 8 bits; larger changes than this are cut off."""
_UNCHANGED: Final = np.array([_ZERO, _ZERO, _ZERO, 0], np.float64)
"""The same for the three channels of a picture, as OpenCV takes it."""


Levels = npt.NDArray[np.uint8]
"""(h, w) or (n,) uint8: levels."""


class Shown(Enum):
    """What the place of a card shows."""

    CARD = "the card"
    TABLE = "the table, or the cards below it"
    OTHER = "something else, or too little to decide"


def difference(one: Image, other: Image) -> npt.NDArray[np.uint8]:
    """Return the difference, (h, w) in levels, of two pictures, (h, w, 3): the largest of the three channels."""
    blue, green, red = cv2.split(cv2.absdiff(one, other))
    return np.asarray(cv2.max(cv2.max(blue, green), red), dtype=np.uint8)


class Differences:
    """Computes `difference` again and again for pictures of one size, in the same memory.

    That takes half the time: memory that the system has to clear first is slow. Each result is overwritten by the next.
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        """`shape`: height and width of the pictures."""
        self._change: Image = np.empty((*shape, 3), np.uint8)
        self._planes = [np.empty(shape, np.uint8) for _ in range(3)]

    def of(self, one: Image, other: Image) -> Levels:
        """Return the difference of two pictures, which is valid until the next call."""
        blue, green, red = self._planes
        cv2.split(cv2.absdiff(one, other, self._change), self._planes)
        return np.asarray(cv2.max(cv2.max(blue, green, blue), red, blue), dtype=np.uint8)


def same_appearance(now: Image, before: Image, settings: AppearanceSettings) -> npt.NDArray[np.bool_]:
    """Return where two pictures, (h, w, 3), show the same thing, (h, w).

    A pixel that differs still counts as the same if a soft shadow can explain it: darker, with the same tint, and
    without an edge.
    """
    change = cv2.subtract(cv2.add(cv2.subtract(now, before), _UNCHANGED), cv2.subtract(before, now))
    blue, green, red = cv2.split(change)
    low = np.asarray(cv2.min(cv2.min(blue, green), red), np.uint8)
    high = np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)
    smooth = cv2.blur(high, (settings.shadow_window_px, settings.shadow_window_px))
    darkest, lightest = (int(_ZERO + level) for level in settings.shadow)
    shadow = np.asarray(cv2.subtract(high, low), np.uint8) <= settings.shadow_tint
    shadow &= np.asarray(cv2.absdiff(high, smooth), np.uint8) <= settings.shadow_slope
    shadow &= low >= darkest
    shadow &= high <= lightest
    shadow |= (low > _ZERO - settings.same) & (high < _ZERO + settings.same)
    return shadow


def edge_strength(picture: Image, contour: npt.NDArray[np.bool_]) -> float:
    """Return the mean strength of the edges of `picture`, (h, w, 3), along `contour`, (h, w), in levels."""
    if not contour.any():
        return 0.0
    kernel = np.ones((3, 3), np.uint8)
    high, low = cv2.dilate(picture, kernel), cv2.erode(picture, kernel)
    return float(difference(np.asarray(high, np.uint8), np.asarray(low, np.uint8))[contour].mean())


def classify(
    now: Image,
    card: Image,
    candidates: npt.NDArray[np.bool_],
    without_card: Sequence[tuple[Image, Levels]],
    min_pixels: int,
    settings: AppearanceSettings,
) -> Shown:
    """Return what the place of a card shows. All arrays cover the same box, (h, w).

    `now`: the picture now. `card`: the card as it was last seen. `candidates`: the pixels to compare. `without_card`:
    how the place may look without the card (the bare table, and each card below), each with its uncertainty in levels.
    `min_pixels`: pixels that must differ between the card and all of these, or the answer is `Shown.OTHER`.
    """
    decisive = candidates
    for picture, uncertainty in without_card:
        decisive = decisive & (_beyond(difference(card, picture), uncertainty) > settings.distinct)
    count = int(np.count_nonzero(decisive))
    if count < min_pixels:
        return Shown.OTHER
    card_error = difference(now, card)
    table_error = _beyond(difference(now, without_card[0][0]), without_card[0][1])
    for picture, uncertainty in without_card[1:]:
        table_error = np.minimum(table_error, _beyond(difference(now, picture), uncertainty))
    fits_card = decisive & (card_error < table_error) & (card_error < settings.same)
    fits_table = decisive & (table_error < card_error) & (table_error < settings.same)
    card_share, table_share = (float(np.count_nonzero(fits)) / count for fits in (fits_card, fits_table))
    if card_share < settings.card_share and table_share < settings.table_share:
        here = now[decisive].astype(np.int16)
        from_table = _nearest(here, [(picture[decisive], error[decisive]) for picture, error in without_card])
        background_error = int(without_card[0][1].max())
        card_share, table_share = _in_shadow(here - card[decisive], from_table, background_error, settings)
    if card_share >= settings.card_share:
        return Shown.CARD
    return Shown.TABLE if table_share >= settings.table_share else Shown.OTHER


def _beyond(change: Levels, uncertainty: Levels) -> Levels:
    """Return by how many levels each change is larger than its uncertainty; 0 if it is not."""
    return np.asarray(cv2.subtract(change, uncertainty), np.uint8)


def _largest(change: npt.NDArray[np.signedinteger | np.floating]) -> npt.NDArray[np.signedinteger | np.floating]:
    """Return the largest absolute value of the three channels, (n,), of (n, 3)."""
    size = np.abs(change)
    return np.asarray(np.maximum(np.maximum(size[:, 0], size[:, 1]), size[:, 2]))


def _nearest(here: npt.NDArray[np.int16], pictures: Sequence[tuple[Image, Levels]]) -> npt.NDArray[np.int16]:
    """Return the difference, (n, 3), from the picture that is nearest in each pixel, beyond its uncertainty."""
    nearest = here - pictures[0][0]
    error = np.maximum(_largest(nearest) - pictures[0][1], 0)
    for picture, uncertainty in pictures[1:]:
        other = here - picture
        size = np.maximum(_largest(other) - uncertainty, 0)
        nearer = size < error
        nearest[nearer], error[nearer] = other[nearer], size[nearer]
    return nearest


def _in_shadow(
    from_card: npt.NDArray[np.int16], from_table: npt.NDArray[np.int16], uncertainty: int, settings: AppearanceSettings
) -> tuple[float, float]:
    """Return the shares that fit the card and the table if the place lies in a shadow; both 0 if undecided."""
    card_share = _shaded_share(from_card, settings.same, settings)
    table_share = _shaded_share(from_table, settings.same + uncertainty, settings)
    if card_share >= settings.card_share_in_shadow and table_share < settings.rival_share_in_shadow:
        return card_share, 0.0
    if table_share >= settings.table_share_in_shadow and card_share < settings.rival_share_in_shadow:
        return 0.0, table_share
    return 0.0, 0.0


def _shaded_share(change: npt.NDArray[np.int16], limit: int, settings: AppearanceSettings) -> float:
    """Return the share of pixels, (n, 3), that the same colourless darkening explains to within `limit` levels."""
    shade = np.median(change, axis=0)
    darkest, lightest = settings.uniform_shadow
    if float(np.ptp(shade)) > settings.uniform_tint or not darkest <= float(shade.mean()) <= lightest:
        return 0.0
    return float((_largest(change - shade) < limit).mean())
