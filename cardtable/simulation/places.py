"""Where people lay cards: anywhere in the intended zone, at any angle, partly on other cards."""

from __future__ import annotations

import math
import random
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from engine.observations import Zone
from vision.mat.layout import Mat, Point

EDGE_MM: Final = 13.0
"""Smallest distance of a card's centre from the border of its zone."""
FROM_BORDER_MM: Final = 44.0
"""Smallest distance of a card's centre from the border of the mat."""
APART_MM: Final = 46.0
"""Distance between the centres of two cards of a trick: they overlap, but neither covers the other."""
SPREAD_MM: Final = 92.0
"""Distance between the centres of cards in the zones `_SPREAD_IN`, as far as there is room."""
_SPREAD_IN: Final = ("table", "crib", "bid", "show")
"""Zones for several cards that everybody looks at."""
ROW_MM: Final = 44.0
"""Distance between the rows of a hand laid open."""
_NEAREST_OF: Final = 3
"""Number of places from which the one nearest to the centre of the trick is taken."""
Slot = tuple[int, int]
"""The number of a card in a hand laid open, from 0, and the number of cards in it."""
_TRIES: Final = 60
_PILE_X: Final = (-44, 0, 44)
_PILE_Y: Final = (-52, 0, 52)
"""The space that a pack needs around its centre, mm."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place for a card. `at`: its centre on the mat, mm. `angle`: clockwise from upright for seat 0, degrees.

    `zone`: the zone it counts in; None outside all zones. `slot`: its slot in a hand laid open, or None.
    """

    at: Point
    angle: float
    zone: Zone | None
    slot: Slot | None = None


def somewhere(mat: Mat, zone: Zone, seat: int, taken: Collection[Point], rng: random.Random) -> Place:
    """Return a random place in `zone` for a card of `seat`, as far from the centres `taken` (mm) as there is room.

    Most cards are roughly upright for their owner; some, if there is room, are at any angle.
    """
    apart = SPREAD_MM if zone.name in _SPREAD_IN else APART_MM
    best, widest = mat.centre(zone), -1.0
    roomy: list[tuple[float, Point]] = []
    for _ in range(_TRIES):
        at = _inside(mat, zone, rng)
        if at is None:
            continue
        space = min((math.dist(at, other) for other in taken), default=math.inf)
        if space > widest:
            best, widest = at, space
        if space >= apart:
            roomy.append((math.dist(at, _middle(mat)), at))
            if len(roomy) == (_NEAREST_OF if zone.name == "play" else 1):
                break
    if roomy:
        best = min(roomy)[1]
    loose = rng.random() < 0.3 and (bool(roomy) or zone.name not in _SPREAD_IN)
    turn = rng.uniform(0, 360) if loose else mat.turns[seat] + rng.gauss(0, 14) + rng.choice((0, 180))
    return Place(best, turn % 360, zone)


def in_rows(mat: Mat, zone: Zone, seat: int, slot: Slot, rng: random.Random) -> Place:
    """Return the place of a card in `slot` of a hand laid open in `zone`, in two rows.

    Each card lies on the one before it and on the row above, so that the top left corners of all of them can be seen.
    """
    number, count = slot
    columns = math.ceil(count / 2)
    polygon = mat.areas[zone]
    width, height = (max(values) - min(values) for values in zip(*polygon, strict=True))
    length, depth = max(width, height) - 2 * EDGE_MM, min(width, height) - 2 * EDGE_MM
    step = min(length / max(columns - 1, 1), SPREAD_MM)
    row, column = divmod(number, columns)
    right = (column - (columns - 1) / 2) * step + rng.uniform(-1, 1)
    down = (row - 0.5) * min(depth, ROW_MM) + rng.uniform(-1, 1)
    turn = math.radians(mat.turns[seat])
    x, y = mat.centre(zone)
    at = x + right * math.cos(turn) - down * math.sin(turn), y + right * math.sin(turn) + down * math.cos(turn)
    return Place(at, (mat.turns[seat] + rng.gauss(0, 1.5)) % 360, zone, slot)


def pile(mat: Mat, rng: random.Random) -> Place | None:
    """Return the place of the pack, in the stock zone or outside all zones; None if the dealer must hold it."""
    stock = Zone("stock")
    if stock in mat.areas:
        return Place(mat.centre(stock), rng.gauss(0, 5), stock)
    width, height = mat.size_mm
    free = [
        (float(x), float(y))
        for x in range(60, int(width) - 59, 20)
        for y in range(60, int(height) - 59, 20)
        if all(mat.zone_at(x + dx, y + dy) is None for dx in _PILE_X for dy in _PILE_Y) and not _on_mark(mat, x, y)
    ]
    if not free:
        return None
    middle = (width / 2, height / 2)
    return Place(min(free, key=lambda point: math.dist(point, middle)), rng.gauss(0, 5), None)


def _on_mark(mat: Mat, x: float, y: float) -> bool:
    """Return whether a pack at (x, y) mm would cover a corner mark or its white margin."""
    left, right, top, bottom = x + _PILE_X[0] - 10, x + _PILE_X[-1] + 10, y + _PILE_Y[0] - 10, y + _PILE_Y[-1] + 10
    return any(left < mx < right and top < my < bottom for corners in mat.marks.values() for mx, my in corners)


def _middle(mat: Mat) -> Point:
    """Return the centre of a trick, mm."""
    centres = [mat.centre(zone) for zone in mat.areas if zone.name == "play"] or [
        (mat.size_mm[0] / 2, mat.size_mm[1] / 2)
    ]
    return sum(x for x, _ in centres) / len(centres), sum(y for _, y in centres) / len(centres)


def _inside(mat: Mat, zone: Zone, rng: random.Random) -> Point | None:
    """Return a random point (mm) well inside the zone; None if the one drawn is too near to a border."""
    polygon = mat.areas[zone]
    xs, ys = [x for x, _ in polygon], [y for _, y in polygon]
    x, y = rng.uniform(min(xs), max(xs)), rng.uniform(min(ys), max(ys))
    width, height = mat.size_mm
    if not (FROM_BORDER_MM <= x <= width - FROM_BORDER_MM and FROM_BORDER_MM <= y <= height - FROM_BORDER_MM):
        return None
    sides = ((EDGE_MM, 0), (-EDGE_MM, 0), (0, EDGE_MM), (0, -EDGE_MM))
    return (x, y) if all(mat.zone_at(x + dx, y + dy) == zone for dx, dy in sides) else None
