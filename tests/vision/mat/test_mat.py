"""The layout of the mat: zones, corner marks, seats."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from engine.observations import Zone
from vision.mat.layout import COMMON_ZONES, SEAT_ZONES, Mat, Polygon, lay_out

ALL_FIVES = ("play", "say", "show", "turn-up")
EVERY = (*SEAT_ZONES, *COMMON_ZONES)
CHOICES = [
    ALL_FIVES,
    ("play", "say", "turn-up"),
    ("play", "say", "show", "turn-up", "crib", "stock"),
    ("play", "table", "stock"),
    ("say", "bid", "show", "turn-up"),
    ("play",),
    ("table",),
    EVERY,
    tuple(name for name in EVERY if name != "table"),
]
FEW = [
    names
    for names in CHOICES
    if len({"say", "show", "bid"}.intersection(names)) < 3 and not {"play", "table"} <= {*names}
]
"""Those for which there is room with seven players."""
EVERY_MAT = [(players, names) for players in range(2, 7) for names in CHOICES] + [(7, names) for names in FEW]


def box(polygon: Polygon) -> tuple[float, float, float, float]:
    xs, ys = [x for x, _ in polygon], [y for _, y in polygon]
    return min(xs), min(ys), max(xs), max(ys)


def overlap(a: Polygon, b: Polygon) -> bool:
    (al, at, ar, ab), (bl, bt, br, bb) = box(a), box(b)
    return al < br and bl < ar and at < bb and bt < ab


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("players", "names"), EVERY_MAT)
def test_zones_and_marks_do_not_overlap_and_lie_on_the_mat(players: int, names: tuple[str, ...]) -> None:
    mat = lay_out(players, names)
    width, height = mat.size_mm
    areas = {**{str(zone): area for zone, area in mat.areas.items()}, **{str(i): m for i, m in mat.marks.items()}}
    for (first, a), (second, b) in combinations(areas.items(), 2):
        assert not overlap(a, b), (first, second)
    for name, area in areas.items():
        left, top, right, bottom = box(area)
        assert left >= 0 and top >= 0 and right <= width and bottom <= height, name


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("players", "names"), EVERY_MAT)
def test_every_seat_has_its_zones_and_each_is_larger_than_a_card(players: int, names: tuple[str, ...]) -> None:
    mat = lay_out(players, names)
    wanted = {Zone(name, seat) for name in names if name in SEAT_ZONES for seat in range(players)}
    assert set(mat.areas) == wanted | {Zone(name) for name in names if name in COMMON_ZONES}
    for zone, area in mat.areas.items():
        left, top, right, bottom = box(area)
        short, long = sorted((right - left, bottom - top))
        assert short >= 68 and long >= 94, (zone, short, long)
        assert mat.zone_at(*mat.centre(zone)) == zone


def test_corner_marks_lie_in_the_corners_in_order() -> None:
    mat = lay_out(3, ALL_FIVES)
    (_, _), (width, height) = (0, 0), mat.size_mm
    near = {0: (0, 0), 1: (width, 0), 2: (width, height), 3: (0, height)}
    for id_, (x, y) in near.items():
        corners = mat.marks[id_]
        assert all(abs(cx - x) < 60 and abs(cy - y) < 60 for cx, cy in corners)
        assert corners[0] == box(corners)[:2], "clockwise from the mark's own top left"


@pytest.mark.parametrize("players", range(2, 8))
def test_seats_are_numbered_clockwise_from_the_bottom(players: int) -> None:
    from math import atan2, pi

    mat = lay_out(players, ALL_FIVES)
    centre = mat.size_mm[0] / 2, mat.size_mm[1] / 2
    for name in ("play", "say"):
        angles = []
        for seat in range(players):
            x, y = mat.centre(Zone(name, seat))
            angles.append((atan2(y - centre[1], x - centre[0]) - pi / 4) % (2 * pi))
        assert mat.centre(Zone(name, 0))[1] > centre[1]
        first = angles.index(min(angles))
        turned = angles[first:] + angles[:first]
        assert turned == sorted(turned), name


def test_the_play_zones_lie_near_the_centre() -> None:
    for players in range(2, 8):
        mat = lay_out(players, ALL_FIVES)
        for seat in range(players):
            x, y = mat.centre(Zone("play", seat))
            assert abs(x - 440) < 200 and abs(y - 250) < 80


def test_json_follows_the_contract() -> None:
    out = json.loads(json.dumps(lay_out(2, ["play", "turn-up"]).to_json()))
    assert out["size_mm"] == [880, 500]
    assert [mark["id"] for mark in out["marks"]] == [0, 1, 2, 3]
    assert [(zone["name"], zone["seat"]) for zone in out["zones"]] == [("play", 0), ("play", 1), ("turn-up", None)]
    assert all(len(zone["polygon_mm"]) == 4 for zone in out["zones"])


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="2 to 7 players, not 8"):
        lay_out(8, ["play"])
    with pytest.raises(ValueError, match="only 2 zones fit in front of each, not say, show, bid"):
        lay_out(7, ["say", "bid", "show"])
    with pytest.raises(ValueError, match="no zone is called 'plya'"):
        lay_out(2, ["plya"])


def test_points_outside_every_zone_have_none() -> None:
    mat: Mat = lay_out(2, ALL_FIVES)
    assert mat.zone_at(-1, -1) is None
    assert mat.zone_at(30, 30) is None
    assert mat.zone_at(10_000, 250) is None
