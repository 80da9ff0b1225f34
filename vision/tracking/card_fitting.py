"""Fitting a card to a change, for cards whose edges cannot be seen (white on white).

The change is the new card or a part of it, the size of a card is known, and it cannot lie where the bare table is still
visible: usually only one place is left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image
from vision.tracking.boxes import Box
from vision.tracking.change_detection import Change, area_mm2
from vision.tracking.footprint import Outline
from vision.tracking.settings import FittingSettings
from vision.tracking.working_frame import WorkingFrame


def fit_card(
    working: WorkingFrame, occupied: npt.NDArray[np.bool_], changes: Sequence[Change], settings: FittingSettings
) -> Outline | None:
    """Return the outline, in millimetres, of the one card that explains `changes`; None if none fits.

    `occupied`: (h, w) at working scale, where known cards lie: the new one may cover them.
    """
    points = np.concatenate([_points(working, change) for change in changes])
    if area_mm2(changes, working) < settings.min_card_share * working.card_mm[0] * working.card_mm[1]:
        return None
    allowed = _allowed(occupied, changes)
    hull = cv2.minAreaRect(points)
    turns = [float(hull[2]) + turn for turn in np.arange(0, 180, settings.coarse_degrees)]
    best = _search(working, points, allowed, turns, settings)
    if best is None:
        return None
    coarse = settings.coarse_degrees
    turns = [best[1] + turn for turn in np.arange(-coarse, coarse + 0.1, settings.fine_degrees)]
    best = _search(working, points, allowed, turns, settings) or best
    misfit, _, outline = best
    return outline if misfit < settings.max_misfit else None


def cut_out(working: WorkingFrame, outline: Outline, settings: FittingSettings) -> tuple[Image, Box]:
    """Return the card with this `outline`, in millimetres, on a plain dark surface, and its box in the frame."""
    corners = np.asarray(working.table.to_px(outline), dtype=np.float32)
    margin = settings.cut_margin_mm / working.table.mm_per_px
    low = np.maximum(np.floor(corners.min(axis=0) - margin).astype(int), 0)
    high = np.minimum(np.ceil(corners.max(axis=0) + margin).astype(int), working.size)
    box = (slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0])))
    image = working.frame.image[box]
    card = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(card, np.rint((corners - low) * 16).astype(np.int32), (255,), shift=4)
    alone = np.full_like(image, settings.surface)
    alone[card > 0] = image[card > 0]
    return alone, box


def _points(working: WorkingFrame, change: Change) -> npt.NDArray[np.float32]:
    """Return the pixels of the change, (N, 2), in millimetres."""
    pixels = np.argwhere(change.shape)[:, ::-1] + (change.box[1].start, change.box[0].start)
    return working.working_to_mm(pixels.astype(np.float32))


def _allowed(occupied: npt.NDArray[np.bool_], changes: Sequence[Change]) -> npt.NDArray[np.bool_]:
    """Return where the card may lie: on the changes and on known cards."""
    allowed = occupied.copy()
    for change in changes:
        allowed[change.box] |= change.shape
    grown = cv2.dilate(allowed.astype(np.uint8), np.ones((3, 3), np.uint8))
    return np.asarray(grown > 0, dtype=np.bool_)


def _search(
    working: WorkingFrame,
    points: npt.NDArray[np.float32],
    allowed: npt.NDArray[np.bool_],
    turns: Sequence[float],
    settings: FittingSettings,
) -> tuple[float, float, Outline] | None:
    """Return the best fit with one of the rotations `turns`, degrees: misfit share, rotation, outline."""
    best: tuple[float, float, Outline] | None = None
    for turn in turns:
        angle = math.radians(turn)
        spin = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]], np.float32)
        turned = points @ spin
        low, high = np.percentile(turned, (settings.ignored_percent, 100 - settings.ignored_percent), axis=0)
        slack = np.array(working.card_mm) - (high - low)
        if (slack < -settings.oversize_mm).any():
            continue
        penalty = settings.oversize_penalty * float(np.maximum(-slack, 0).sum()) / settings.oversize_mm
        across, down = (_positions(float(room), settings.step_mm) for room in slack)
        shares = np.stack(np.meshgrid(across, down, indexing="ij"), axis=-1).reshape(-1, 2)
        corners = (low - np.maximum(slack, 0) * shares) + np.minimum(slack, 0) * -0.5
        misfits = _misfits(working, allowed, corners, spin, settings)
        place = int(misfits.argmin())
        misfit = float(misfits[place]) + penalty
        if best is None or misfit < best[0]:
            card = corners[place] + np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * working.card_mm
            best = misfit, turn, np.asarray(card @ spin.T, dtype=np.float32)
    return best


def _positions(slack: float, step_mm: float) -> list[float]:
    """Return shares, 0 to 1, of the `slack` in millimetres that are about `step_mm` apart."""
    return [0.5] if slack < step_mm / 2 else np.linspace(0, 1, 2 + int(slack / step_mm)).tolist()


@cache
def _grid(across: int, down: int) -> npt.NDArray[np.float64]:
    """Return `across` times `down` points spread over a card, (N, 2), as shares of its width and height."""
    return np.stack(np.meshgrid((np.arange(across) + 0.5) / across, (np.arange(down) + 0.5) / down), axis=-1).reshape(
        -1, 2
    )


def _misfits(
    working: WorkingFrame,
    allowed: npt.NDArray[np.bool_],
    corners: npt.NDArray[np.float64],
    spin: npt.NDArray[np.float32],
    settings: FittingSettings,
) -> npt.NDArray[np.float64]:
    """Return, for a card at each of the `corners`, (N, 2), the share of it where the bare table is visible."""
    cards = ((corners[:, np.newaxis] + _grid(*settings.grid) * working.card_mm) @ spin.T).reshape(-1, 2)
    x, y = np.rint(working.mm_to_working(np.asarray(cards, dtype=np.float32))).astype(np.int32).T
    height, width = allowed.shape
    framed = np.pad(allowed, 1)  # a border stands for everything outside the picture
    good = framed[y.clip(-1, height) + 1, x.clip(-1, width) + 1]
    return np.asarray(1.0 - good.reshape(len(corners), -1).mean(axis=1), dtype=np.float64)
