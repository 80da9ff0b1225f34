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
from vision.faces.geometry import Floats, turned
from vision.readings import CARD_MM

_WIDE, _TALL = CARD_MM
_PIVOT_MM: Final = (6.0, 11.0)
"""Around what a card turns: about where its index stands."""
_IS_BEFORE: Final = np.array([False, True, True, False])
"""Whether the card lies to the left of its top, right, lower and left edge, or above."""
_AT_ONCE: Final = 32
"""Outlines that are moved at once: more need too much memory."""
_NEARLY: Final = 0.02
"""Evidence by which a place is nearly as good as the best."""


class _Tables(NamedTuple):
    """Evidence for each side of K cards, top, right, foot, left, by turn, radians, and by shift right or down, mm."""

    sides: tuple[Floats, Floats, Floats, Floats]  # each (K, turns, shifts)
    turns: npt.NDArray[np.float64]
    shifts: npt.NDArray[np.float64]


class VisibleEdges:
    """The edges of cards in one picture.

    `darkest`: (H, W) float32, the darkest channel of each pixel. The methods are about K cards at once, which is much
    faster than one after the other. `quads`: (K, 4, 2), their outlines, in pixels, each from a corner with an index.
    `papers`: (K,), the grey levels of their paper.
    """

    def __init__(self, darkest: Floats, settings: CoveredSettings) -> None:
        self._darkest, self._settings = darkest, settings

    def support(self, quads: Floats, papers: Floats) -> Floats:
        """Return the evidence for each outline as it is, (K,), 0 to 4; sides may miss their edges by a millimetre."""
        near = self._evidence(quads, papers, self._settings.fine, 1.0)
        return np.asarray(near.max(axis=3).mean(axis=2).sum(axis=1), np.float32)

    def roughly_moved(self, quads: Floats, papers: Floats, scale: float) -> tuple[Floats, Floats]:
        """Return the outlines moved, turned and resized, to within half a millimetre, and the evidence for each, (K,).

        The evidence is that of four sides, up to 4, less the price of the movement. `scale`: largest change of size, as
        a share.
        """
        return self._moved(quads, papers, self._settings.coarse, scale)

    def exactly_moved(self, quads: Floats, papers: Floats) -> tuple[Floats, Floats]:
        """Return the same for outlines that have been roughly moved, more exactly."""
        return self._moved(quads, papers, self._settings.fine, self._settings.scale)

    def by_sides(self, quads: Floats, papers: Floats) -> Floats:
        """Return the outlines with each side moved and turned by itself."""
        for search in (self._settings.coarse, self._settings.sides):
            tables = self._tables(quads, papers, search, search.shift_mm, (_WIDE / 2, _TALL / 2))
            turn_price, shift_price = self._prices(tables, search)
            moved = []
            for number, quad in enumerate(quads):
                places = []
                for table in tables.sides:
                    worth = table[number] - turn_price[:, None] - shift_price
                    turn = int(worth.max(axis=1).argmax())
                    shift = _middle_of_best(worth[turn])
                    places.append((float(np.tan(tables.turns[turn])), float(tables.shifts[shift])))
                moved.append(on_card(quad, _corners(places)))
            quads = np.array(moved, np.float32)
        return quads

    def _moved(self, quads: Floats, papers: Floats, search: SearchSettings, scale: float) -> tuple[Floats, Floats]:
        """Return the outlines within the limits of `search` with most evidence less its price, and that."""
        if len(quads) > _AT_ONCE:
            first, rest = slice(None, _AT_ONCE), slice(_AT_ONCE, None)
            done, more = (self._moved(quads[part], papers[part], search, scale) for part in (first, rest))
            return np.concatenate([done[0], more[0]]), np.concatenate([done[1], more[1]])
        settings = self._settings
        reach = round(search.shift_mm / search.step_mm)
        beyond = math.ceil(_TALL * scale / search.step_mm)
        tables = self._tables(quads, papers, search, (reach + beyond) * search.step_mm, _PIVOT_MM)
        top, right, foot, left = tables.sides
        middle = len(tables.shifts) // 2
        here = np.arange(middle - reach, middle + reach + 1)
        shifts = tables.shifts[here]
        turn_price, shift_price = self._prices(tables, search)
        shift_price = shift_price[here]
        grown = np.linspace(-scale, scale, settings.scales)
        wider, taller = (np.rint(side * grown / search.step_mm).astype(np.intp)[:, None] + here for side in CARD_MM)
        across = left[:, :, None, here] + right[:, :, wider] - shift_price  # (K, turns, scales, shifts)
        down = top[:, :, None, here] + foot[:, :, taller] - shift_price
        total = across.max(axis=3) + down.max(axis=3) - turn_price[:, None]
        total -= settings.scale_price * np.linspace(-1, 1, settings.scales) ** 2
        best = total.reshape(len(quads), -1).argmax(axis=1)
        moved = []
        for number, (quad, place) in enumerate(zip(quads, best.tolist(), strict=True)):
            turn, size = divmod(place, len(grown))
            right_by, down_by = (shifts[_middle_of_best(curve[number, turn, size])] for curve in (across, down))
            corners = turned(CORNERS_MM * (1 + grown[size]) - _PIVOT_MM, tables.turns[turn])
            moved.append(on_card(quad, corners + _PIVOT_MM + (right_by, down_by)))
        return np.array(moved, np.float32).reshape(-1, 4, 2), total.reshape(len(quads), -1).max(axis=1)

    def _prices(
        self, tables: _Tables, search: SearchSettings
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return what each turn and each shift costs."""
        settings = self._settings
        turns, shifts = tables.turns / tables.turns[-1], tables.shifts / search.shift_mm
        return (settings.turn_price * turns**2).astype(np.float32), (settings.shift_price * shifts**2).astype(
            np.float32
        )

    def _tables(
        self, quads: Floats, papers: Floats, search: SearchSettings, shift_mm: float, pivot: tuple[float, float]
    ) -> _Tables:
        """Return the evidence for the sides of the cards, turned around `pivot`, mm."""
        settings = self._settings
        lean = float(np.tan(np.radians(search.turn)))
        reach = shift_mm + lean * max(pivot[1], _TALL - pivot[1])
        flat = self._evidence(quads, papers, search, reach).reshape(len(quads), 4, -1)
        part = (settings.part, settings.samples, search, shift_mm, reach)
        level = _indices(_WIDE, pivot[0], 1, *part)
        upright = _indices(_TALL, pivot[1], -1, *part)
        top, right, foot, left = (
            flat[:, side].take(upright if side % 2 else level, axis=1).mean(axis=1) for side in range(4)
        )
        return _Tables((top, right, foot, left), _turns(search), _steps(shift_mm, search.step_mm))

    def _evidence(self, quads: Floats, papers: Floats, search: SearchSettings, reach: float) -> Floats:
        """Return how much each place looks like an edge of the card, 0 to 1: (K, 4, samples, places across).

        The places across a side lie `search.step_mm` apart, up to `reach` millimetres to the left of it or above, and
        to the right or below.
        """
        settings, step = self._settings, search.step_mm
        places = _places(settings.part, settings.samples, reach, step)
        flat = np.array([on_card(quad, places) for quad in quads], np.float32).reshape(-1, places.shape[2], 2)
        seen = cv2.remap(self._darkest, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        level = np.asarray(seen, np.float32)
        level /= np.repeat(papers, len(level) // len(papers))[:, None]
        half = max(1, round(search.strip_mm / step)) // 2
        strips = cv2.blur(level, (2 * half + 1, 1), borderType=cv2.BORDER_REPLICATE)
        away = half + max(1, round(search.gap_mm / step))
        padded = cv2.copyMakeBorder(strips, 0, 0, away, away, cv2.BORDER_REPLICATE)
        beside = padded.reshape(len(quads), 4, settings.samples, -1)
        before, after = beside[..., : -2 * away], beside[..., 2 * away :]
        if not search.widened:
            level = np.asarray(cv2.erode(level, np.ones((1, 3), np.uint8)))
        line = np.minimum(before, after)
        line -= level.reshape(line.shape)
        line /= settings.line
        np.minimum(line, 1, out=line)
        line *= settings.line_weight
        found = np.asarray(after - before, np.float32)
        found[:, _IS_BEFORE] *= -1
        found /= settings.drop
        np.clip(np.maximum(found, line, out=found), 0, 1, out=found)
        for side, is_before in enumerate(_IS_BEFORE):
            paper = (before if is_before else after)[:, side]
            found[:, side] *= (paper >= settings.paper[0]) & (paper <= settings.paper[1])
        if search.widened:
            near = np.ones((1, 2 * search.widened + 1), np.uint8)
            return np.asarray(cv2.dilate(found.reshape(level.shape), near), np.float32).reshape(found.shape)
        return found


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
