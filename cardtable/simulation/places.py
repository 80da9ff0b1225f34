"""Where people lay cards: anywhere in the zone that is meant, at any angle, partly on other cards."""

from __future__ import annotations

import math
import random
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from engine.observations import Zone
from vision.mat import Mat, Point

EDGE_MM: Final = 13.0
"""The middle of a card is laid at least so far inside its zone: nobody aims at the line."""
FROM_BORDER_MM: Final = 44.0
APART_MM: Final = 46.0
"""Cards of a trick overlap, but nobody covers another's card on purpose."""
_NEAREST_OF: Final = 3
"""The cards of a trick are thrown together: of so many places the nearest to the trick's middle is taken."""
_TRIES: Final = 60


@dataclass(frozen=True, slots=True)
class Place:
    """`at`: the card's middle, mm. `angle`: its clockwise turn, degrees, seen from seat 0. `zone`: where it counts."""

    at: Point
    angle: float
    zone: Zone | None


def somewhere(
    mat: Mat, zone: Zone, seat: int, taken: Collection[Point], rng: random.Random, apart: float = APART_MM
) -> Place:
    """A place in `zone` for a card of `seat`, `apart` mm or more from the cards that lie at `taken`, if there is one.

    Most cards lie about upright before their owner, some at any angle.
    """
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
    loose = rng.random() < 0.3
    turn = rng.uniform(0, 360) if loose else mat.turns[seat] + rng.gauss(0, 14) + rng.choice((0, 180))
    return Place(best, turn % 360, zone)


def pile(mat: Mat, rng: random.Random) -> Place:
    """Where the pack lies: in the stock zone, or beside the zones where there is none."""
    stock = Zone("stock")
    if stock in mat.areas:
        return Place(mat.centre(stock), rng.gauss(0, 5), stock)
    width, height = mat.size_mm
    free = [
        (x, y)
        for x in range(60, int(width) - 60, 20)
        for y in range(60, int(height) - 60, 20)
        if all(mat.zone_at(x + dx, y + dy) is None for dx in (-45, 0, 45) for dy in (-55, 0, 55))
    ]
    middle = (width / 2, height / 2)
    at = min(free, key=lambda point: math.dist(point, middle), default=(width - 60.0, height / 2))
    return Place((float(at[0]), float(at[1])), rng.gauss(0, 5), None)


def _middle(mat: Mat) -> Point:
    """Where the cards of a trick meet."""
    centres = [mat.centre(zone) for zone in mat.areas if zone.name == "play"] or [
        (mat.size_mm[0] / 2, mat.size_mm[1] / 2)
    ]
    return sum(x for x, _ in centres) / len(centres), sum(y for _, y in centres) / len(centres)


def _inside(mat: Mat, zone: Zone, rng: random.Random) -> Point | None:
    """A point well inside the zone, nearer to the middle of the mat more often than not; None: try again."""
    polygon = mat.areas[zone]
    xs, ys = [x for x, _ in polygon], [y for _, y in polygon]
    x, y = rng.uniform(min(xs), max(xs)), rng.uniform(min(ys), max(ys))
    width, height = mat.size_mm
    if not (FROM_BORDER_MM <= x <= width - FROM_BORDER_MM and FROM_BORDER_MM <= y <= height - FROM_BORDER_MM):
        return None
    sides = ((EDGE_MM, 0), (-EDGE_MM, 0), (0, EDGE_MM), (0, -EDGE_MM))
    return (x, y) if all(mat.zone_at(x + dx, y + dy) == zone for dx, dy in sides) else None
