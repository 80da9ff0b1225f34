"""The layout of the mat: its zones and corner marks, in millimetres.

The origin is the mat's top left corner, x to the right, y down, as seen by seat 0 at the bottom edge. Seats
are numbered clockwise as seen from above: bottom, left, top, right.

    >>> mat = lay_out(2, ["play", "say", "turn-up"])
    >>> mat.zone_at(440, 310)
    Zone(name='play', seat=0)
    >>> mat.zone_at(5, 250) is None
    True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from engine.observations import Zone

Point = tuple[float, float]
"""x and y, millimetres."""
Polygon = tuple[Point, ...]

SEAT_ZONES: Final = ("play", "say", "show", "bid")
"""Zones that every seat has."""
COMMON_ZONES: Final = ("turn-up", "table", "stock", "crib")
"""Zones that belong to no seat."""
PLAYERS: Final = range(2, 8)
"""The numbers of players for which a mat can be laid out."""

WIDTH: Final = 880.0
HEIGHT: Final = 500.0
"""Size of the mat, mm: it leaves a margin of 40 x 20 mm in a picture of 1920 x 1080 pixels at 2 pixels per mm."""
MARK_MM: Final = 36.0
"""Side of a corner mark, mm."""
MARK_INSET: Final = 12.0
"""Distance of a corner mark from the edges of the mat, mm."""
_EDGE = 8.0
"""Distance of a zone from the edge of the mat, mm."""
_GAP = 6.0
"""Gap between two zones, mm."""
_BETWEEN = 18.0
"""Gap between the zones of two seats at the same edge, mm; wider so that it is clear whose zones they are."""
_STRIP = 106.0
"""Depth of the strip in front of each seat, mm: a card (63 x 88 mm) may lie crooked in it."""
_LEAST = 66.0
"""Least length of a zone in a strip, mm: the width of a card, and a little more."""
_CORNER = MARK_INSET + MARK_MM + MARK_INSET
"""Side of the square in each corner that is kept free for the mark."""
_SHARES: Final = {"say": (1.0, 130.0), "show": (1.4, 320.0), "bid": (1.2, 260.0), "play": (1.2, 200.0)}
"""How the zones of a seat share its strip, from the seat's left to its right: weight, and maximal length in mm."""


@dataclass(frozen=True, slots=True)
class Mat:
    """The layout of a mat. Lengths are millimetres.

    `size_mm`: width, height. `marks`: the four corners of each corner mark, clockwise from its own top left, by ArUco
    id (0 to 3, clockwise from the top left of the mat). `areas`: the corners of each zone, a rectangle, clockwise from
    the top left. `turns`: for each seat, the clockwise rotation in degrees of a card that lies upright in front of it.
    """

    size_mm: tuple[float, float]
    marks: Mapping[int, Polygon]
    areas: Mapping[Zone, Polygon]
    turns: tuple[float, ...] = ()

    def zone_at(self, x_mm: float, y_mm: float) -> Zone | None:
        """Return the zone of a card with its centre at this point; None outside every zone."""
        for zone, ((left, top), _, (right, bottom), _) in self.areas.items():
            if left <= x_mm < right and top <= y_mm < bottom:
                return zone
        return None

    def centre(self, zone: Zone) -> Point:
        """Return the centre of `zone`. Raises `KeyError` if the mat does not have this zone."""
        polygon = self.areas[zone]
        return sum(x for x, _ in polygon) / len(polygon), sum(y for _, y in polygon) / len(polygon)

    def to_json(self) -> dict[str, Any]:
        """Return the layout as `cardtable print mat --zones` writes it."""
        return {
            "size_mm": list(self.size_mm),
            "marks": [{"id": id_, "corners_mm": [list(p) for p in c]} for id_, c in self.marks.items()],
            "zones": [
                {"name": zone.name, "seat": zone.seat, "polygon_mm": [list(p) for p in polygon]}
                for zone, polygon in self.areas.items()
            ],
        }


def lay_out(players: int, zone_names: Iterable[str]) -> Mat:
    """Return the layout of a mat for `players` seats (2 to 7) with the named zones.

    Every seat gets each of the `SEAT_ZONES` that are named. The `play` zones meet in the centre of the mat, the others
    lie in front of the seats. A `table` zone takes the centre, and `play` moves to the seats. Raises `ValueError` for
    an unsupported number of players, an unknown zone, or so many zones in front of seats that a card does not fit one.
    """
    names = set(zone_names)
    if players not in PLAYERS:
        raise ValueError(f"a mat is for {PLAYERS[0]} to {PLAYERS[-1]} players, not {players}")
    if unknown := sorted(names - {*SEAT_ZONES, *COMMON_ZONES}):
        raise ValueError(f"no zone is called {unknown[0]!r}; known: {', '.join((*SEAT_ZONES, *COMMON_ZONES))}")
    sides = _sides(players)
    at_seat = [name for name in _SHARES if name in names and not (name == "play" and "table" not in names)]
    found: dict[Zone, _Box] = {}
    for side, seats in sides.items():
        found |= _strip(side, seats, at_seat, bool(sides["left"]))
    inner = _EDGE + _STRIP + _GAP
    left = inner if sides["left"] and at_seat else _EDGE
    central = _Box(left, inner, WIDTH - left, HEIGHT - inner)
    plays: dict[Zone, _Box] = {}
    if "play" in names and "table" not in names:
        plays = _plays(central, sides)
    found |= plays
    found |= _common(central, plays.values(), [name for name in COMMON_ZONES if name in names])
    order = {name: i for i, name in enumerate((*SEAT_ZONES, *COMMON_ZONES))}
    zones = sorted(found, key=lambda zone: (order[zone.name], zone.seat or 0))
    turn = {"bottom": 0.0, "left": 90.0, "top": 180.0, "right": 270.0}
    turns = {seat: turn[side] for side, seats in sides.items() for seat in seats}
    return Mat(
        (WIDTH, HEIGHT),
        MappingProxyType(_marks()),
        MappingProxyType({zone: found[zone].polygon() for zone in zones}),
        tuple(turns[seat] for seat in range(players)),
    )


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def polygon(self) -> Polygon:
        box = _Box(*(round(value, 1) for value in (self.left, self.top, self.right, self.bottom)))
        return ((box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom))


def _marks() -> dict[int, Polygon]:
    right, low = WIDTH - MARK_INSET - MARK_MM, HEIGHT - MARK_INSET - MARK_MM
    places = ((MARK_INSET, MARK_INSET), (right, MARK_INSET), (right, low), (MARK_INSET, low))
    return {id_: _Box(x, y, x + MARK_MM, y + MARK_MM).polygon() for id_, (x, y) in enumerate(places)}


def _sides(players: int) -> dict[str, list[int]]:
    """Return the seats at each edge, in clockwise order."""
    bottom, left, top = {
        2: (1, 0, 1),
        3: (1, 0, 2),
        4: (1, 1, 1),
        5: (1, 1, 2),
        6: (1, 1, 2),
        7: (1, 1, 3),
    }[players]
    seats = list(range(players))
    sides = {
        "bottom": seats[:bottom],
        "left": seats[bottom : bottom + left],
        "top": seats[bottom + left : bottom + left + top],
        "right": seats[bottom + left + top : bottom + 2 * left + top],
    }
    # The sixth or seventh player sits to the right of seat 0: clockwise, that is just before seat 0.
    sides["bottom"] += seats[bottom + 2 * left + top :]
    return sides


def _strip(side: str, seats: Sequence[int], names: Sequence[str], with_sides: bool) -> dict[Zone, _Box]:
    """Return the zones in front of the seats at one edge: they share a strip between the corner marks."""
    if not seats or not names:
        return {}
    upright = side in ("left", "right")
    start = _CORNER + _GAP if upright or not with_sides else _EDGE + _STRIP + _GAP
    whole = HEIGHT if upright else WIDTH
    room = (whole - 2 * start - _BETWEEN * (len(seats) - 1)) / len(seats)
    if room < len(names) * (_LEAST + _GAP) - _GAP:
        most = int((room + _GAP) / (_LEAST + _GAP))
        raise ValueError(f"with so many players only {most} zones fit in front of each, not {', '.join(names)}")
    near = _EDGE if side in ("left", "top") else (WIDTH if upright else HEIGHT) - _EDGE - _STRIP
    # From small to large coordinates: at the bottom and the left edge that starts at the seat's left hand.
    forward = side in ("bottom", "left")
    seats_along = sorted(seats, reverse=side == "right") if side != "bottom" else list(seats)
    zones: dict[Zone, _Box] = {}
    for index, seat in enumerate(seats_along):
        lengths = _share(room - _GAP * (len(names) - 1), names)
        at = start + index * (room + _BETWEEN) + (room - sum(lengths.values()) - _GAP * (len(names) - 1)) / 2
        for name in names if forward else reversed(names):
            end = at + lengths[name]
            across = near + _STRIP
            zones[Zone(name, seat)] = _Box(near, at, across, end) if upright else _Box(at, near, end, across)
            at = end + _GAP
    return zones


def _share(room: float, names: Sequence[str]) -> dict[str, float]:
    """Divide `room`, mm: each gets the width of a card, the rest goes by weight, up to the maximal length."""
    least = min(75.0, room / len(names))
    total = sum(_SHARES[name][0] for name in names)
    rest = room - least * len(names)
    return {name: min(least + rest * _SHARES[name][0] / total, _SHARES[name][1]) for name in names}


def _plays(central: _Box, sides: Mapping[str, Sequence[int]]) -> dict[Zone, _Box]:
    """Return the `play` zones around the centre: a row below, a row above, a column at each side."""
    x, y = (central.left + central.right) / 2, (central.top + central.bottom) / 2
    most = max(len(sides["bottom"]), len(sides["top"]))
    half = {1: 75.0, 2: 101.0, 3: 130.0}[most] if sides["left"] else 140.0
    zones: dict[Zone, _Box] = {}
    for side, top, bottom in (("top", central.top, y - _GAP / 2), ("bottom", y + _GAP / 2, central.bottom)):
        seats = sides[side]
        width = (2 * half - _GAP * (len(seats) - 1)) / len(seats)
        for index, seat in enumerate(seats):
            left = x - half + index * (width + _GAP)
            zones[Zone("play", seat)] = _Box(left, top, left + width, bottom)
    for side, left in (("left", x - half - _GAP - 100), ("right", x + half + _GAP)):
        for seat in sides[side]:
            zones[Zone("play", seat)] = _Box(left, central.top, left + 100, central.bottom)
    return zones


def _common(central: _Box, plays: Iterable[_Box], names: Sequence[str]) -> dict[Zone, _Box]:
    """Return the zones without a seat: left and right of the `play` zones, or side by side if there are none."""
    boxes = list(plays)
    small = [name for name in names if name != "table"]
    high = (central.top + central.bottom) / 2
    zones: dict[Zone, _Box] = {}
    if "table" in names:
        width = 120.0 if small else 0.0
        for index, name in enumerate(small):
            height = (central.bottom - central.top - _GAP * (len(small) - 1)) / len(small)
            top = central.top + index * (height + _GAP)
            zones[Zone(name)] = _Box(central.left, top, central.left + width, top + height)
        zones[Zone("table")] = _Box(
            central.left + (width + _GAP if small else 0), central.top, central.right, central.bottom
        )
        return zones
    if not boxes:
        width = min(200.0, (central.right - central.left - _GAP * len(small)) / max(1, len(small)))
        at = (WIDTH - width * len(small) - _GAP * (len(small) - 1)) / 2
        for index, name in enumerate(small):
            left = at + index * (width + _GAP)
            zones[Zone(name)] = _Box(left, high - 75, left + width, high + 75)
        return zones
    left, right = min(box.left for box in boxes) - _GAP, max(box.right for box in boxes) + _GAP
    space = min(40.0, max(0.0, left - central.left - 190))  # some distance from the trick, if there is room
    left, right = left - space, right + space
    first = [name for name in small if name != "crib"]
    if "crib" in small:
        zones[Zone("crib")] = _Box(right, central.top, min(central.right, right + 190), central.bottom)
    height = 120.0 if len(first) > 1 else 150.0
    start = high - (height * len(first) + _GAP * (len(first) - 1)) / 2
    for index, name in enumerate(first):
        top = start + index * (height + _GAP)
        zones[Zone(name)] = _Box(max(central.left, left - 150), top, left, top + height)
    return zones
