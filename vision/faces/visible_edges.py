"""Moving the outline of a card onto those of its edges that other cards leave to be seen.

Of a covered card some sides show, some end under another card, and some show nothing. A line is an edge of the card if
there is paper along its inner side, and outside it is darker, or there is paper as well and a dark line between, as
where the card lies on another one. For each side a table says how much of such a line there is at every shift and turn
of the side; the outline is where the tables add up to most. All of this is measured in millimetres of the card, so that
the outline before must be right up to a few millimetres and degrees.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.covered_settings import CoveredSettings, SearchSettings
from vision.faces.crops import CORNERS_MM, on_card
from vision.faces.edges import meeting_points
from vision.faces.geometry import Floats, Quad, turned
from vision.readings import CARD_MM

_WIDE, _TALL = CARD_MM
_PIVOT_MM: Final = (6.0, 11.0)
"""Around what a card turns: about where its index stands."""
_INNER: Final = np.array([1, -1, -1, 1])[:, None, None]
"""Where the card lies from its top, right, lower and left edge: 1 to the right or below, -1 to the left or above."""
_NEARLY: Final = 0.02
"""Evidence by which a place is nearly as good as the best."""


class _Tables(NamedTuple):
    """Evidence for each side, top, right, foot, left, by turn (T,), radians, and by shift right or down (S,), mm."""

    sides: tuple[Floats, Floats, Floats, Floats]
    turns: npt.NDArray[np.float64]
    shifts: npt.NDArray[np.float64]


class VisibleEdges:
    """The edges of cards in one picture.

    `darkest`: (H, W) float32, the darkest channel of each pixel. Outlines are in its pixels, and begin at a corner with
    an index. `paper` is the grey level of a card's paper in it.
    """

    def __init__(self, darkest: Floats, settings: CoveredSettings) -> None:
        self._darkest, self._settings = darkest, settings

    def support(self, quad: Quad, paper: float) -> float:
        """Return the evidence, 0 to 4, for the outline as it is; its sides may miss their edges by a millimetre."""
        near = self._evidence(quad, paper, self._settings.fine, 1.0)
        return float(near.max(axis=2).mean(axis=1).sum())

    def moved(self, quad: Quad, paper: float, scale: float) -> tuple[Quad, float]:
        """Return the outline moved, turned and resized as a whole, and the evidence for it less its price, up to 4.

        `scale`: largest change of size, as a share, in the rough step; the exact one changes it by `settings.scale`.
        """
        return self.exactly_moved(self.roughly_moved(quad, paper, scale)[0], paper)

    def roughly_moved(self, quad: Quad, paper: float, scale: float) -> tuple[Quad, float]:
        """Return the same to within half a millimetre, faster."""
        return self._moved(quad, paper, self._settings.coarse, scale)

    def exactly_moved(self, quad: Quad, paper: float) -> tuple[Quad, float]:
        """Return the same for an outline that has been roughly moved."""
        return self._moved(quad, paper, self._settings.fine, self._settings.scale)

    def by_sides(self, quad: Quad, paper: float) -> Quad:
        """Return the outline with each side moved and turned by itself."""
        settings = self._settings
        for search in (settings.coarse, settings.sides):
            tables = self._tables(quad, paper, search, search.shift_mm, (_WIDE / 2, _TALL / 2))
            turn_price, shift_price = self._prices(tables, search)
            places = []
            for table in tables.sides:
                worth = table - turn_price[:, None] - shift_price
                turn = int(worth.max(axis=1).argmax())
                shift = _middle_of_best(worth[turn])
                places.append((float(np.tan(tables.turns[turn])), float(tables.shifts[shift])))
            quad = np.asarray(on_card(quad, _corners(places)), np.float32)
        return quad

    def _moved(self, quad: Quad, paper: float, search: SearchSettings, scale: float) -> tuple[Quad, float]:
        """Return the outline within the limits of `search` with most evidence less its price, and that."""
        settings = self._settings
        reach = round(search.shift_mm / search.step_mm)
        more = math.ceil(_TALL * scale / search.step_mm)
        tables = self._tables(quad, paper, search, (reach + more) * search.step_mm, _PIVOT_MM)
        top, right, foot, left = tables.sides
        middle = len(tables.shifts) // 2
        here = np.arange(middle - reach, middle + reach + 1)
        shifts = tables.shifts[here]
        turn_price, shift_price = self._prices(tables, search)
        shift_price = shift_price[here]
        grown = np.linspace(-scale, scale, settings.scales)
        wider, taller = (np.rint(side * grown / search.step_mm).astype(np.intp)[:, None] + here for side in CARD_MM)
        across = left[:, None, here] + right[:, wider] - shift_price  # (turns, scales, shifts)
        down = top[:, None, here] + foot[:, taller] - shift_price
        total = across.max(axis=2) + down.max(axis=2) - turn_price[:, None]
        total -= settings.scale_price * np.linspace(-1, 1, settings.scales) ** 2
        turn, size = divmod(int(total.argmax()), len(grown))
        shift = (shifts[_middle_of_best(across[turn, size])], shifts[_middle_of_best(down[turn, size])])
        corners = turned(CORNERS_MM * (1 + grown[size]) - _PIVOT_MM, tables.turns[turn]) + _PIVOT_MM + shift
        return np.asarray(on_card(quad, corners), np.float32), float(total[turn, size])

    def _prices(
        self, tables: _Tables, search: SearchSettings
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return what each turn and each shift costs."""
        settings = self._settings
        turns, shifts = tables.turns / tables.turns[-1], tables.shifts / search.shift_mm
        return settings.turn_price * turns**2, settings.shift_price * shifts**2

    def _tables(
        self, quad: Quad, paper: float, search: SearchSettings, shift_mm: float, pivot: tuple[float, float]
    ) -> _Tables:
        """Return the evidence for the sides of the card, turned around `pivot`, mm."""
        settings = self._settings
        lean = float(np.tan(np.radians(search.turn)))
        reach = shift_mm + lean * max(pivot[1], _TALL - pivot[1])
        flat = self._evidence(quad, paper, search, reach).reshape(4, -1)
        part = (settings.part, settings.samples, search, shift_mm, reach)
        level = _indices(_WIDE, pivot[0], 1, *part)
        upright = _indices(_TALL, pivot[1], -1, *part)
        top, right, foot, left = (
            np.asarray(flat[side].take(upright if side % 2 else level).mean(axis=0), np.float32) for side in range(4)
        )
        return _Tables((top, right, foot, left), _turns(search), _steps(shift_mm, search.step_mm))

    def _evidence(self, quad: Quad, paper: float, search: SearchSettings, reach: float) -> Floats:
        """Return how much each place looks like an edge of the card, 0 to 1: (4, samples, places across).

        The places across a side lie `search.step_mm` apart, up to `reach` millimetres to the left of it or above, and
        to the right or below.
        """
        settings, step = self._settings, search.step_mm
        places = on_card(quad, _places(settings.part, settings.samples, reach, step))
        flat = places.astype(np.float32).reshape(4 * settings.samples, -1, 2)
        seen = cv2.remap(self._darkest, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        level = np.asarray(seen, np.float32) / np.float32(paper)
        half = max(1, round(search.strip_mm / step)) // 2
        strips = np.asarray(cv2.blur(level, (2 * half + 1, 1), borderType=cv2.BORDER_REPLICATE))
        away = half + max(1, round(search.gap_mm / step))
        across = np.arange(level.shape[1])
        after = strips[:, np.minimum(across + away, len(across) - 1)].reshape(4, settings.samples, -1)
        before = strips[:, np.maximum(across - away, 0)].reshape(4, settings.samples, -1)
        inside, outside = np.where(_INNER > 0, after, before), np.where(_INNER > 0, before, after)
        if not search.widened:
            level = np.asarray(cv2.erode(level, np.ones((1, 3), np.uint8)))
        line = (np.minimum(inside, outside) - level.reshape(inside.shape)) / settings.line
        found = np.maximum(
            np.clip((inside - outside) / settings.drop, 0, 1), settings.line_weight * np.clip(line, 0, 1)
        )
        found[(inside < settings.paper[0]) | (inside > settings.paper[1])] = 0
        if search.widened:
            found = cv2.dilate(found.reshape(level.shape), np.ones((1, 2 * search.widened + 1), np.uint8)).reshape(
                found.shape
            )
        return np.asarray(found, np.float32)


def _turns(search: SearchSettings) -> npt.NDArray[np.float64]:
    """Return the turns that are tried, radians."""
    return np.radians(_steps(search.turn, search.turn_step))


def _steps(most: float, step: float) -> npt.NDArray[np.float64]:
    """Return the multiples of `step` from -`most` to `most`."""
    count = round(most / step)
    return np.arange(-count, count + 1, dtype=np.float64) * step


@lru_cache
def _places(part: tuple[float, float], samples: int, reach: float, step: float) -> npt.NDArray[np.float64]:
    """Return the places examined across the sides, mm: (4, samples, places across, 2)."""
    along, away = np.meshgrid(np.linspace(*part, samples), _steps(reach, step), indexing="ij")
    across, down = _WIDE * along, _TALL * along
    sides = [(across, away), (_WIDE + away, down), (across, _TALL + away), (away, down)]
    return np.stack([np.stack(side, axis=-1) for side in sides])


@lru_cache(maxsize=64)
def _indices(
    length: float,
    pivot: float,
    sign: int,
    part: tuple[float, float],
    samples: int,
    search: SearchSettings,
    shift_mm: float,
    reach: float,
) -> npt.NDArray[np.intp]:
    """Return for each turn and shift of a side which places lie on it: (samples, T, S), in the flat evidence.

    `sign`: of the movement right or down, at the far end of the side, of a card that turns clockwise.
    """
    lever = (length * np.linspace(*part, samples) - pivot)[:, None, None]
    moved = _steps(shift_mm, search.step_mm) + sign * np.tan(_turns(search))[None, :, None] * lever
    middle = round(reach / search.step_mm)
    across = np.clip(np.rint(moved / search.step_mm).astype(np.intp) + middle, 0, 2 * middle)
    return np.asarray(across + np.arange(samples)[:, None, None] * (2 * middle + 1))


def _middle_of_best(worth: Floats) -> int:
    """Return the middle one of the places that are nearly as good as the best: an edge counts at several."""
    best = np.flatnonzero(worth >= worth.max() - _NEARLY)
    return int(best[len(best) // 2])


def _corners(sides: list[tuple[float, float]]) -> npt.NDArray[np.floating]:
    """Return where the four sides meet, (4, 2) mm. `sides`: the slope of each, and its shift in its middle, mm."""
    ends = np.stack([CORNERS_MM, np.roll(CORNERS_MM, -1, axis=0)], axis=1).astype(np.float64)
    for side, (slope, shift) in enumerate(sides):
        across, along = (1, 0) if side % 2 == 0 else (0, 1)
        lean = slope * (ends[side, :, along] - CARD_MM[along] / 2)
        ends[side, :, across] += shift + (lean if side % 2 == 0 else -lean)
    meeting = meeting_points(ends[:, 0], ends[:, 1])
    return CORNERS_MM if meeting is None else meeting
