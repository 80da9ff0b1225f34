"""Where a card must lie, from the shape of what has changed.

White on white, a reader may not see where a card ends. But what has changed is the new card or part of it, a card's
size is known, and it cannot cover what still shows the bare table: that leaves one place.
"""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image
from vision.readings import CARD_MM
from vision.tracking.boxes import Box
from vision.tracking.change_detection import Change
from vision.tracking.track import Outline
from vision.tracking.tracks import Tracks
from vision.tracking.working_frame import WorkingFrame

_OVER_MM: Final = 4.0
"""By how much what has changed may be larger than a card."""
_COARSE, _FINE = 4.0, 1.0
_SPREAD_MM: Final = 4.0
_DARK: Final = (44, 44, 44)


def fit_card(surface: WorkingFrame, pieces: Tracks, changes: list[Change]) -> Outline | None:
    """The outline in millimetres of the one card that explains `changes`; None where there is no such card."""
    points = np.concatenate([_points(surface, change) for change in changes])
    if len(points) * surface.mm**2 < 0.12 * CARD_MM[0] * CARD_MM[1]:
        return None
    may_lie = _where_it_may_lie(surface, pieces, changes)
    hull = cv2.minAreaRect(points)
    best = _search(surface, points, may_lie, [float(hull[2]) + turn for turn in np.arange(0, 180, _COARSE)])
    if best is None:
        return None
    best = _search(surface, points, may_lie, [best[1] + turn for turn in np.arange(-4, 4.1, _FINE)]) or best
    wrong, _, outline = best
    return outline if wrong < 0.06 else None


def isolated(surface: WorkingFrame, outline: Outline) -> tuple[Image, Box]:
    """The card with this outline cut out of the frame and laid on plain dark, and which part of the frame that is."""
    corners = np.asarray(surface.table.to_px(outline), dtype=np.float32)
    margin = 14.0 / surface.table.mm_per_px
    low = np.maximum(np.floor(corners.min(axis=0) - margin).astype(int), 0)
    high = np.minimum(np.ceil(corners.max(axis=0) + margin).astype(int), surface.size)
    part = (slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0])))
    image = surface.frame.image[part]
    card = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(card, np.rint((corners - low) * 16).astype(np.int32), (255,), shift=4)
    alone = np.full_like(image, _DARK)
    alone[card > 0] = image[card > 0]
    return alone, part


def _points(surface: WorkingFrame, change: Change) -> npt.NDArray[np.float32]:
    """The change's pixels, (N, 2), in millimetres."""
    places = np.argwhere(change.shape)[:, ::-1] + (change.box[1].start, change.box[0].start)
    return surface.small_to_mm(places.astype(np.float32))


def _where_it_may_lie(surface: WorkingFrame, pieces: Tracks, changes: list[Change]) -> npt.NDArray[np.bool_]:
    allowed = pieces.occupied()
    for change in changes:
        allowed[change.box] |= change.shape
    grown = cv2.dilate(allowed.astype(np.uint8), np.ones((3, 3), np.uint8))
    return np.asarray(grown > 0, dtype=np.bool_)


def _search(
    surface: WorkingFrame, points: npt.NDArray[np.float32], may_lie: npt.NDArray[np.bool_], turns: list[float]
) -> tuple[float, float, Outline] | None:
    """The best place among those turns: share of the card that cannot be one, turn in degrees, outline."""
    best: tuple[float, float, Outline] | None = None
    for turn in turns:
        angle = math.radians(turn)
        spin = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]], np.float32)
        flat = points @ spin
        low, high = np.percentile(flat, 1, axis=0), np.percentile(flat, 99, axis=0)
        slack = np.array(CARD_MM) - (high - low)
        if (slack < -_OVER_MM).any():
            continue
        for across in _steps(float(slack[0])):
            for down in _steps(float(slack[1])):
                corner = (low - np.maximum(slack, 0) * (across, down)) + np.minimum(slack, 0) * -0.5
                wrong = _wrong(surface, may_lie, corner, spin) + 0.02 * float(np.maximum(-slack, 0).sum()) / _OVER_MM
                if best is None or wrong < best[0]:
                    card = corner + np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * CARD_MM
                    best = wrong, turn, np.asarray(card @ spin.T, dtype=np.float32)
    return best


def _steps(slack: float) -> list[float]:
    """Shares of the room that is left, 0 to 1, about 4 mm apart."""
    return [0.5] if slack < _SPREAD_MM / 2 else np.linspace(0, 1, 2 + int(slack / _SPREAD_MM)).tolist()


_GRID = np.stack(np.meshgrid((np.arange(12) + 0.5) / 12, (np.arange(16) + 0.5) / 16), axis=-1).reshape(-1, 2)


def _wrong(
    surface: WorkingFrame,
    may_lie: npt.NDArray[np.bool_],
    corner: npt.NDArray[np.float64],
    spin: npt.NDArray[np.float32],
) -> float:
    """The share of the card that would lie where no card can be."""
    card = (corner + _GRID * CARD_MM) @ spin.T
    places = np.rint(surface.to_small(np.asarray(card, dtype=np.float32))).astype(int)
    height, width = may_lie.shape
    inside = (places >= 0).all(axis=1) & (places < (width, height)).all(axis=1)
    good = may_lie[places[inside, 1], places[inside, 0]]
    return 1.0 - float(good.sum()) / len(places)
