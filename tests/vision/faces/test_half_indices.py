"""Half of an index, covered by another card, looks like another index: only the whole one opposite it counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.cards import parse_card
from tests.drawing.faces import Style, cloth, face_of, lay, photographed
from tests.vision.faces.test_index_evidence import OUTLINE, index
from vision.faces import FaceReader
from vision.faces.card_assembly import AssembledCard, IndexReading
from vision.faces.geometry import Quad, iou, starting_at
from vision.faces.half_indices import CornerReading, comes_first, conflicts, is_misread, without_half_indices
from vision.faces.index_detector import IndexPose
from vision.faces.settings import DEFAULTS
from vision.readings import OutlineFrom, Reading

BESIDE = OUTLINE - np.float32([126, 0])


def turned(degrees: float, index: IndexReading) -> IndexReading:
    """Return the index turned clockwise about its middle."""
    pose, turn = index.pose, np.exp(1j * np.radians(degrees))
    down = complex(pose.down_x, pose.down_y) * turn
    return IndexReading(IndexPose(pose.x, pose.y, down.real, down.imag, pose.score), index.rank, index.suit)


def shown_on(outline: Quad, name: str) -> list[IndexReading]:
    """Return both indices of a card that lies in full in the outline."""
    found = [index(name, 6.0, 12.0, corner=corner) for corner in (0, 2)]
    x, y = (outline - OUTLINE)[0].tolist()
    return [replace(index, pose=replace(index.pose, x=index.pose.x + x, y=index.pose.y + y)) for index in found]


@pytest.mark.parametrize(
    ("first", "second", "misread"),
    [
        ([index("6H", 6.0, 20.0)], [index("QH", 6.0, 20.0, 0.99, corner=2)], True),
        ([index("6H", 6.0, 20.0, 0.985)], [index("QH", 6.0, 20.0, 0.99, corner=2)], False),  # of two cards side by side
        ([index("6H", 6.0, 20.0), index("6H", 6.0, 20.0, corner=2)], [index("QH", 6.0, 30.0, 0.99, corner=2)], False),
        ([index("6H", 6.0, 20.0)], [index("QH", 6.0, 20.0, 0.99, 2), index("QH", 60.0, 90.0, 0.99)], False),
        ([index("6H", 6.0, 20.0)], [index("QH", 36.0, 20.0, 0.99)], False),  # upright: a card that lies beside it
        ([index("6H", 6.0, 20.0)], [turned(180, index("QH", 6.0, 20.0, 0.99, corner=2))], False),  # upside down there
        ([index("6H", 6.0, 20.0)], [index("QH", 43.0, 12.0, 0.99, corner=2)], False),  # the next of a row, with four
        ([index("6H", 6.0, 20.0)], [index("6H", 6.0, 20.0, 0.99, corner=2)], False),  # of another pack
    ],
)
def test_of_two_opposite_indices_the_surer_one_shows_the_card(
    first: list[IndexReading], second: list[IndexReading], misread: bool
) -> None:
    card, surer = (
        AssembledCard(readings[0].card, readings[0].confidence, tuple(readings)) for readings in (first, second)
    )
    assert is_misread(card, OUTLINE, [surer]) is misread


@pytest.mark.parametrize(
    ("name", "shift", "first_corner", "right", "confidence", "conflict"),
    [
        ("10H", 3, 2, False, 0.9, True),  # opposite corner
        ("10S", 3, 2, False, 0.9, True),  # there any card
        ("10H", 18, 2, False, 0.99, True),  # rough outline
        ("10H", 18, 2, False, 0.9, False),  # less sure there
        ("10H", 3, 0, False, 0.99, False),  # same corner
        ("10H", 3, 0, True, 0.9, True),  # right corner
        ("QS", 3, 0, True, 0.9, True),  # there a card that shares the suit or the rank
        ("10S", 3, 0, True, 0.99, False),
        ("10H", 18, 0, True, 0.99, False),  # the next of a row
        ("10H", 3, 2, True, 0.9, True),  # opposite right corner
        ("QH", 3, 2, False, 0.99, False),  # same face
        ("QH", 3, 0, True, 0.99, False),
        ("10H", 60, 2, False, 0.99, False),  # elsewhere
    ],
)
def test_only_another_face_in_another_corner_conflicts(
    name: str, shift: float, first_corner: int, right: bool, confidence: float, conflict: bool
) -> None:
    """Both outlines begin at the end at which an index was read; in the same corner it is the same index."""
    other = CornerReading(starting_at(OUTLINE + np.float32(shift), first_corner), parse_card(name), confidence, right)
    queen = CornerReading(OUTLINE, parse_card("QH"), 0.97)
    assert conflicts(queen, [other]) is conflict
    assert conflicts(queen, []) is False
    on_the_right = queen._replace(on_the_right=True)
    assert conflicts(on_the_right, [other._replace(on_the_right=not right)]) is conflict


@pytest.mark.parametrize(("confidence", "conflict"), [(0.985, True), (0.991, False)])
def test_a_sure_card_does_not_conflict_with_one_at_the_same_end(confidence: float, conflict: bool) -> None:
    """It may be the next of a row, whose index stands where the other index of this one would."""
    ten, queen = parse_card("10H"), CornerReading(OUTLINE, parse_card("QH"), confidence)
    assert conflicts(queen, [CornerReading(OUTLINE, ten, 1.0, on_the_right=True)]) is conflict
    assert conflicts(queen, [CornerReading(starting_at(OUTLINE, 2), ten, 1.0, on_the_right=True)]) is True


@pytest.mark.parametrize(
    ("found", "first"),
    [
        ([index("6S", 60.0, 80.0, 0.99), index("5S", 3.0, 20.0, 1.0)], "6S"),
        ([index("6S", 60.0, 80.0, 0.94), index("5S", 3.0, 20.0, 1.0)], "5S"),  # not sure enough
        ([index("6S", 60.0, 80.0, 0.99), index("5S", 12.0, 20.0, 1.0)], "5S"),  # nothing can cover either
        ([index("6S", -8.0, 40.0, 0.99), index("5S", 3.0, 20.0, 1.0)], "5S"),  # both may be half covered
        ([turned(90, index("6S", 12.0, 40.0, 0.99)), index("5S", 3.0, 20.0, 1.0)], "5S"),  # of that one a foot
        ([index("6S", 60.0, 80.0, 0.99), index("5S", 3.0, 20.0, 1.0), index("5S", 30.0, 20.0, 0.9)], "5S"),
    ],
)
def test_an_index_that_a_card_may_cover_comes_after_a_sure_one(found: list[IndexReading], first: str) -> None:
    """The other card lies left of these indices, with its right side on the left side of `OUTLINE`."""
    fives = [reading for reading in found if str(reading.card) == "5S"]
    groups = [fives, [reading for reading in found if reading not in fives]]
    cards = [AssembledCard(some[0].card, some[0].confidence, tuple(some)) for some in groups]
    assert str(min(cards, key=lambda card: not comes_first(card, [BESIDE])).card) == first


@pytest.mark.sampled(3)
@pytest.mark.parametrize("mm_per_px", [None, 0.5])
@pytest.mark.parametrize(("name", "depth"), [("9C", 32), ("6S", 26), ("3H", 22)])
def test_half_an_index_is_not_read_if_the_whole_one_opposite_is(mm_per_px: float | None, name: str, depth: int) -> None:
    """A king covers a part of the rank; what was left of these was read as a seven, a queen and a five.

    At a table only the seven was.
    """
    rng, style = np.random.default_rng(5), Style(12, 300)
    table = cloth(400, 400, rng)
    lay(table, face_of(parse_card(name), style), (200, 260), 0, 2.0)
    lay(table, face_of(parse_card("KD"), style), (120, 70 + depth), 4, 2.0)
    found = {str(reading.face) for reading in FaceReader().read(photographed(table, rng), mm_per_px)}
    assert found == {name, "KD"}


def reading(face: str, confidence: float, outline: Quad, outline_from: OutlineFrom = "index") -> Reading:
    return Reading(parse_card(face), confidence, "face", outline, outline_from=outline_from)


SHIFTED = starting_at(OUTLINE + np.float32([10, 20]), 2)
"""The same card upside down, as an inaccurate outline has it: IoU 0.69."""


@pytest.mark.parametrize(
    ("found", "outline", "left"),
    [
        ([index("6S", 6.0, 12.0, 0.98), index("5S", 6.0, 12.0, 0.99, corner=2)], OUTLINE, {"5S"}),
        ([index("6S", 57.0, 74.0, 0.98), index("5S", 57.0, 74.0, 0.99, corner=2)], OUTLINE, {"5S"}),
        ([index("6S", 12.0, 22.0, 0.98), index("5S", 6.0, 12.0, 0.99, corner=2)], SHIFTED, {"5S"}),
        ([index("6S", 12.0, 22.0, 0.98), index("5S", 6.0, 12.0, 0.99, corner=2)], starting_at(SHIFTED, 2), {"5S"}),
        ([index("6S", 42.0, 22.0, 0.98), index("5S", 6.0, 12.0, 0.99, corner=2)], SHIFTED, {"6S", "5S"}),
        ([index("6S", 6.0, 12.0, 0.98), index("5S", 6.0, 30.0, 0.99)], OUTLINE, {"6S", "5S"}),  # both upright
        ([index("6S", 6.0, 12.0, 0.98), index("5S", 6.0, 12.0, 0.99, corner=2)], BESIDE, {"6S", "5S"}),
        ([index("6S", 6.0, 12.0, 0.98), index("6C", 6.0, 12.0, 0.99, corner=2)], OUTLINE, {"6C"}),
        ([index("6S", 6.0, 12.0, 0.98), index("5H", 6.0, 12.0, 0.99, corner=2)], OUTLINE, {"6S", "5H"}),
        (
            [index("6S", 6.0, 12.0), index("6S", 6.0, 12.0, corner=2), index("5S", 12.0, 20.0, 0.99, corner=2)],
            OUTLINE,
            {"6S", "5S"},
        ),
    ],
)
def test_of_two_cards_in_one_outline_the_surer_is_reported(
    found: list[IndexReading], outline: Quad, left: set[str]
) -> None:
    both = [reading("6S", 0.98, OUTLINE), reading(str(found[-1].card), 0.99, outline)]
    assert {str(kept.face) for kept in without_half_indices(both, found)} == left


@pytest.mark.parametrize(("shown", "left"), [(2, "6S"), (1, "5S"), (-1, "5S")])
def test_what_a_card_in_full_may_cover_was_misread(shown: int, left: str) -> None:
    """The king lies left of the outline, near to its lower left corner, from which the five was read."""
    found = [index("6S", 57.0, 12.0, 0.98), index("5S", 57.0, 12.0, 0.99, corner=2)]
    second = index("KD", 120.0, 12.0, corner=2)
    king = index("KD", -57.0, 12.0)
    kings = [king, index("KD", -57.0, 14.0)] if shown < 0 else [king, second][:shown]  # one detected twice
    three = [reading("6S", 0.98, OUTLINE), reading("5S", 0.99, OUTLINE), reading("KD", 1.0, BESIDE)]
    assert {str(kept.face) for kept in without_half_indices(three, [*found, *kings])} == {left, "KD"}


@pytest.mark.parametrize(
    ("right", "down", "left"),
    [(6.0, 12.0, "6S"), (-3.0, 12.0, "6S"), (-5.0, 12.0, "6S 5S"), (6.0, -3.0, "6S"), (6.0, -5.0, "6S 5S")],
)
def test_the_middle_of_half_an_index_may_seem_to_lie_beyond_the_card(right: float, down: float, left: str) -> None:
    """The outline that follows from it is about the same."""
    found = [index("6S", 6.0, 12.0, 0.995), index("5S", right, down, 0.98, corner=2)]
    two = [reading("6S", 0.995, OUTLINE), reading("5S", 0.98, SHIFTED)]
    assert DEFAULTS.covered_iou < iou(OUTLINE, SHIFTED) < DEFAULTS.same_card_iou
    assert " ".join(str(kept.face) for kept in without_half_indices(two, found)) == left


ASKEW = OUTLINE + np.float32([60, 80])
"""An outline extrapolated from half of an index in the lower right corner of `OUTLINE`: IoU 0.17."""
ABOVE, BELOW = OUTLINE - np.float32([0, 150]), OUTLINE + np.float32([0, 170])


@pytest.mark.parametrize(
    ("half", "king", "left"),
    [
        (index("5S", 6.0, 12.0, 0.99, corner=2), BELOW, "6S"),
        (turned(15, index("5S", 4.0, 6.0, 0.99, corner=2)), BELOW, "6S"),  # reaches beyond the outline, inclined
        (turned(40, index("5S", 6.0, 12.0, 0.99, corner=2)), BELOW, "6S 5S"),
        (index("5S", 6.0, 12.0, 0.99, corner=2), BELOW + np.float32([0, 20]), "6S 5S"),  # nothing covers it
        (index("5S", 6.0, 12.0, 0.999, corner=2), BELOW, "6S 5S"),  # surer
        (index("5S", 34.0, 12.0, 0.99, corner=2), BELOW, "6S 5S"),  # in no corner of the six
        (index("5S", -0.5, 12.0, 0.99, corner=2), BELOW, "6S 5S"),
        (index("5S", 6.0, -0.5, 0.99, corner=2), BELOW, "6S 5S"),
        (index("5S", 6.0, 46.0, 0.99, corner=2), OUTLINE + np.float32([120, 40]), "6S 5S"),
        (index("5H", 6.0, 12.0, 0.99, corner=2), BELOW, "6S 5H"),
        (index("5S", 57.0, 76.0, 0.99), BELOW, "6S 5S"),  # as the six: another card
    ],
)
def test_where_half_an_index_seems_to_lie_does_not_matter(half: IndexReading, king: Quad, left: str) -> None:
    """The king lies in full below the six, over the index in its lower right corner."""
    six = index("6S", 6.0, 12.0, 0.995)
    three = [reading("6S", 0.995, OUTLINE), reading(str(half.card), 0.98, ASKEW), reading("KD", 1.0, king)]
    found = {str(kept.face) for kept in without_half_indices(three, [six, half, *shown_on(king, "KD")])}
    assert found == {*left.split(), "KD"}


def test_where_a_card_lies_on_edges_matters() -> None:
    """It is the five's own index, not half of the six's."""
    found = [index("6S", 6.0, 12.0, 0.995), index("5S", 6.0, 12.0, 0.99, corner=2), *shown_on(BELOW, "KD")]
    three = [reading("6S", 0.995, OUTLINE), reading("5S", 0.98, ASKEW, "edges"), reading("KD", 1.0, BELOW)]
    assert without_half_indices(three, found) == three


@pytest.mark.parametrize(("place", "left"), [(ABOVE, {"6S", "5S"}), (ABOVE - np.float32([0, 60]), {"6S"})])
def test_an_index_that_a_card_may_cover_too_refutes_none_elsewhere(place: Quad, left: set[str]) -> None:
    """A queen lies above the six, over the index in its upper left corner, or away from it."""
    four = [reading("6S", 0.995, OUTLINE), reading("5S", 0.98, ASKEW), reading("KD", 1.0, BELOW)]
    four.append(reading("QH", 1.0, place))
    found = [index("6S", 6.0, 12.0, 0.995), index("5S", 6.0, 12.0, 0.99, corner=2)]
    found += shown_on(BELOW, "KD") + shown_on(place, "QH")
    assert {str(kept.face) for kept in without_half_indices(four, found)} == {*left, "KD", "QH"}


def test_a_card_is_as_sure_as_its_surest_index() -> None:
    """A finger on one corner makes the six less sure in its outline, and a five of that corner's index."""
    found = [index("6S", 6.0, 12.0, 1.0), index("5S", 6.0, 12.0, 0.97, corner=2)]
    both = [reading("6S", 0.92, OUTLINE), reading("5S", 0.97, OUTLINE)]
    assert [str(kept.face) for kept in without_half_indices(both, found)] == ["6S"]


def test_a_corner_without_an_index_counts_last() -> None:
    """The picture's edge cuts the upper corner of a six: it was read as a five, and the opposite index as a six."""
    both = [reading("6S", 0.98, OUTLINE), reading("5S", 0.99, OUTLINE)]
    for found, left in (("6S", "6S"), ("5S", "5S")):
        shown = without_half_indices(both, [index(found, 6.0, 12.0)])
        assert [str(kept.face) for kept in shown] == [left]
    assert without_half_indices(both, []) == both


def test_a_card_of_which_two_corners_were_read_stays() -> None:
    """Its own indices were not found without the outline, and an index of another card was."""
    both = [reading("6S", 0.97, OUTLINE), reading("5S", 0.99, OUTLINE)]
    found = [index("5S", 6.0, 12.0, 0.99, corner=2)]
    assert [str(kept.face) for kept in without_half_indices(both, found, [parse_card("6S")])] == ["6S", "5S"]
    assert [str(kept.face) for kept in without_half_indices(both, found)] == ["5S"]
    found.append(index("6S", 6.0, 12.0, 0.96))
    assert [str(kept.face) for kept in without_half_indices(both, found, [parse_card("6S")])] == ["6S"]


def test_beside_two_opposite_indices_only_a_sure_one_shows_a_card() -> None:
    """A ten so near to the edge that the corner of its outline, without the one, was read as an ace."""
    both = [reading("AC", 0.996, OUTLINE), reading("10C", 0.99, starting_at(OUTLINE, 2))]
    found = [index("10C", 6.0, 9.0), index("10C", 6.0, 9.0, corner=2), index("AC", 5.0, 10.0, 0.5)]
    assert [str(kept.face) for kept in without_half_indices(both, found, [parse_card("AC")])] == ["10C"]
    assert len(without_half_indices(both, [found[0], found[2]], [parse_card("AC")])) == 2
    single, opposite = index("AC", 5.0, 10.0, 0.87), index("AC", 5.0, 10.0, 0.5, corner=2)
    assert len(without_half_indices(both, [*found[:2], single], [parse_card("AC")])) == 2
    assert len(without_half_indices(both, [*found, opposite], [parse_card("10C")])) == 2
