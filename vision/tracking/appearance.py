"""Comparing pictures of one place: the same or not, and the card or the table.

Pictures are at working scale, (h, w, 3) uint8 in levels of logarithmic brightness (`motion.Motion`): a shadow
subtracts the same number of levels from every pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image
from vision.tracking.settings import AppearanceSettings


class Shown(Enum):
    """What the place of a card shows."""

    CARD = "the card"
    TABLE = "the table, or the cards below it"
    OTHER = "something else, or too little to decide"


def difference(one: Image, other: Image) -> npt.NDArray[np.uint8]:
    """Return the difference, (h, w) in levels, of two pictures, (h, w, 3): the largest of the three channels."""
    blue, green, red = cv2.split(cv2.absdiff(one, other))
    return np.asarray(cv2.max(cv2.max(blue, green), red), dtype=np.uint8)


def same_appearance(now: Image, before: Image, settings: AppearanceSettings) -> npt.NDArray[np.bool_]:
    """Return where two pictures, (h, w, 3), show the same thing, (h, w).

    A pixel that differs still counts as the same if a soft shadow can explain it: darker, with the same tint, and
    without an edge.
    """
    same: npt.NDArray[np.bool_] = difference(now, before) < settings.same
    left, top, wide, high = cv2.boundingRect((~same).view(np.uint8))
    if not wide:
        return same
    around = settings.shadow_window_px // 2
    box = (slice(max(top - around, 0), top + high + around), slice(max(left - around, 0), left + wide + around))
    same[box] |= _is_shadow(now[box], before[box], settings)
    return same


def _is_shadow(now: Image, before: Image, settings: AppearanceSettings) -> npt.NDArray[np.bool_]:
    """Return where a soft shadow can explain the difference of two pictures, (h, w, 3)."""
    change = cv2.subtract(now, before, dtype=cv2.CV_16S)
    channels = cv2.split(change)
    low = cv2.min(cv2.min(channels[0], channels[1]), channels[2])
    high = cv2.max(cv2.max(channels[0], channels[1]), channels[2])
    smooth = cv2.blur(high, (settings.shadow_window_px, settings.shadow_window_px))
    darkest, lightest = settings.shadow
    shadow = (
        (cv2.subtract(high, low) <= settings.shadow_tint)
        & (cv2.absdiff(high, smooth) <= settings.shadow_slope)
        & (low >= darkest)
        & (high <= lightest)
    )
    return np.asarray(shadow, np.bool_)


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
    without_card: Sequence[tuple[Image, npt.NDArray[np.int16]]],
    min_pixels: int,
    settings: AppearanceSettings,
) -> Shown:
    """Return what the place of a card shows. All arrays cover the same box, (h, w).

    `now`: the picture now. `card`: the card as it was last seen. `candidates`: the pixels to compare. `without_card`:
    how the place may look without the card (the bare table, and each card below), each with its uncertainty in levels.
    `min_pixels`: pixels that must differ between the card and all of these, or the answer is `Shown.OTHER`.
    """
    signed = card.astype(np.int16)
    decisive = candidates.copy()
    for picture, uncertainty in without_card:
        decisive &= difference(card, picture) > settings.distinct + uncertainty
    if int(decisive.sum()) < min_pixels:
        return Shown.OTHER
    here = now[decisive].astype(np.int16)
    from_card = here - signed[decisive]
    from_table, table_error = _nearest(here, [(picture[decisive], error[decisive]) for picture, error in without_card])
    card_error = _largest(from_card)
    card_share = float(((card_error < table_error) & (card_error < settings.same)).mean())
    table_share = float(((table_error < card_error) & (table_error < settings.same)).mean())
    if card_share < settings.card_share and table_share < settings.table_share:
        background_error = int(without_card[0][1].max())
        card_share, table_share = _in_shadow(from_card, from_table, background_error, settings)
    if card_share >= settings.card_share:
        return Shown.CARD
    return Shown.TABLE if table_share >= settings.table_share else Shown.OTHER


def _largest(change: npt.NDArray[np.signedinteger | np.floating]) -> npt.NDArray[np.signedinteger | np.floating]:
    """Return the largest absolute value of the three channels, (n,), of (n, 3)."""
    size = np.abs(change)
    return np.asarray(np.maximum(np.maximum(size[:, 0], size[:, 1]), size[:, 2]))


def _nearest(
    here: npt.NDArray[np.int16], pictures: Sequence[tuple[npt.NDArray[np.uint8], npt.NDArray[np.int16]]]
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    """Return the difference, (n, 3), from the picture that is nearest in each pixel, and its size, (n,)."""
    nearest = here - pictures[0][0]
    error = np.maximum(_largest(nearest) - pictures[0][1], 0)
    for picture, uncertainty in pictures[1:]:
        other = here - picture
        size = np.maximum(_largest(other) - uncertainty, 0)
        nearer = size < error
        nearest[nearer], error[nearer] = other[nearer], size[nearer]
    return nearest, error


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
