"""Single pictures of decks whose indices stand away from the corners: the corners show no index."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.drawn.faces import Style, cloth, face_of, lay, photographed
from benchmarks.drawn.placed import MINIATURE_MM, Layout, table_of
from engine.cards import RANKS, SUITS, Card, parse_card
from tests.vision.faces.test_faces_placed import INSET
from vision.faces import FaceReader
from vision.faces.card_assembly import AssembledCard, IndexReading
from vision.faces.geometry import Quad, starting_at
from vision.faces.half_indices import free_first, is_misread, without_half_indices
from vision.faces.index_evidence import shows_other_index, shows_own_index
from vision.faces.index_places import IndexPlace, IndexPlaces, pose_on
from vision.faces.outlined_cards import OutlinedCard
from vision.faces.score_fusion import Verdict
from vision.readings import CARD_MM, Reading

OUTLINE = (2 * np.array([[0, 0], [CARD_MM[0], 0], [*CARD_MM], [0, CARD_MM[1]]]) + 40).astype(np.float32)
FRAMED = Layout(4.5, 13.5, frame_mm=3.0)
MINIATURE = Layout(top_mm=10.0, letter_mm=7.0, card_mm=MINIATURE_MM)


@pytest.mark.parametrize(
    ("layout", "name", "degrees"),
    [
        (INSET, "3S", 0.0),
        (INSET, "6D", 90.0),
        (replace(INSET, corners=4), "3C", 0.0),
        (Layout(top_mm=12.0, corners=1), "3D", 60.0),
        (FRAMED, "4D", 0.0),
        (FRAMED, "QH", 90.0),
        (MINIATURE, "JC", 90.0),
    ],
)
def test_a_card_is_read_once(layout: Layout, name: str, degrees: float) -> None:
    """The large pip of a number card was read as an ace, and an index that was located askew as a second card."""
    picture = table_of(layout, [(parse_card(name), (500.0, 260.0), degrees)])
    assert [str(reading.face) for reading in FaceReader().read(picture)] == [name]


def outlined(confidence: float, *corners: int) -> OutlinedCard:
    """Return an ace of spades that was read in these corners of `OUTLINE`."""
    ace = Card("A", "S")
    verdict = Verdict(ace, confidence, corners, (), np.zeros(52, np.float32))
    return OutlinedCard(Reading(ace, confidence, "face", OUTLINE), verdict, 1.0)


def index(name: str, right: float, down: float, confidence: float = 0.95, corner: int = 0) -> IndexReading:
    """Return an index 16 mm high in that place of `OUTLINE`, from that corner."""
    card, place = parse_card(name), IndexPlace(right, down, 16.0)
    rank = (confidence * np.eye(14)[RANKS.index(card.rank)]).astype(np.float32)
    suit = np.eye(5)[SUITS.index(card.suit)].astype(np.float32)
    return IndexReading(pose_on(place, starting_at(OUTLINE, corner)), rank, suit)


@pytest.mark.parametrize(
    ("found", "confidence", "corners", "refuted"),
    [
        ([index("3S", 6.0, 22.0)], 0.9, (0, 2), True),
        ([index("3S", 6.0, 22.0)], 0.9, (0,), True),
        ([index("3S", 6.0, 22.0)], 0.96, (0, 2), False),  # less sure than the corners
        ([index("3S", 6.0, 22.0)], 0.9, (2,), False),  # at the other end
        ([index("3S", 6.0, 12.0)], 0.9, (0, 2), False),  # in the corner: it counted when the card was confirmed
        ([index("3S", 6.0, 30.0)], 0.9, (0, 2), False),  # an index may stand above it
        ([index("3S", 22.0, 14.0)], 0.9, (0, 2), False),  # of a card that lies on the right half
        ([index("3S", 6.0, 22.0), index("AS", 6.0, 12.0)], 0.9, (0, 2), False),
        ([], 0.9, (0, 2), False),
    ],
)
def test_an_index_that_one_in_the_corner_would_overlap_refutes_the_corner(
    found: list[IndexReading], confidence: float, corners: tuple[int, ...], refuted: bool
) -> None:
    assert shows_other_index(outlined(confidence, *corners), found) is refuted


INSET_PLACE = IndexPlace(6.0, 21.0, 16.0)


@pytest.mark.parametrize(
    ("deck", "corners", "found", "shown"),
    [
        (INSET_PLACE, (0, 2), [index("AS", 6.0, 12.0)], True),
        (INSET_PLACE, (0,), [index("AS", 6.0, 12.0)], False),  # of a card beside which the outline lies
        (INSET_PLACE, (0,), [index("3S", 6.0, 14.0), index("AS", 6.0, 21.0, corner=2)], True),
        (INSET_PLACE, (0, 2), [index("3S", 6.0, 12.0), index("AS", 6.0, 35.0)], False),
        (IndexPlace(14.0, 12.0, 16.0), (0, 2), [], False),
        (IndexPlace(6.0, 12.0, 16.0), (0, 2), [], True),  # an ordinary deck
    ],
)
def test_where_indices_stand_away_from_the_corners_one_must_show_the_card(
    deck: IndexPlace, corners: tuple[int, ...], found: list[IndexReading], shown: bool
) -> None:
    places = IndexPlaces()
    for name in ("2H", "9C"):
        places.learn(parse_card(name), [deck], 2)
    assert shows_own_index(outlined(0.9, *corners), found, places) is shown


@pytest.mark.parametrize(
    ("own", "other", "misread"),
    [
        ([index("6H", 6.0, 20.0)], [index("QH", 6.0, 20.0, 0.99, corner=2)], True),
        ([index("6H", 6.0, 20.0, 0.985)], [index("QH", 6.0, 20.0, 0.99, corner=2)], False),  # of two cards side by side
        ([index("6H", 6.0, 20.0), index("6H", 6.0, 20.0, corner=2)], [index("QH", 6.0, 30.0, 0.99, corner=2)], False),
        ([index("6H", 6.0, 20.0)], [index("QH", 6.0, 20.0, 0.99, 2), index("QH", 60.0, 90.0, 0.99)], False),
        ([index("6H", 6.0, 20.0)], [index("QH", 36.0, 20.0, 0.99)], False),  # upright: a card that lies beside it
        ([index("6H", 6.0, 20.0)], [index("QH", 43.0, 12.0, 0.99, corner=2)], False),  # the next of a row, with four
        ([index("6H", 6.0, 20.0)], [index("6H", 6.0, 20.0, 0.99, corner=2)], False),  # of another pack
    ],
)
def test_of_two_opposite_indices_the_surer_one_shows_the_card(
    own: list[IndexReading], other: list[IndexReading], misread: bool
) -> None:
    card, surer = (AssembledCard(one[0].card, one[0].confidence, tuple(one)) for one in (own, other))
    assert is_misread(card, OUTLINE, [surer]) is misread


@pytest.mark.parametrize(
    ("found", "first"),
    [
        ([index("6S", 60.0, 80.0, 0.99), index("5S", 3.0, 20.0, 1.0)], "6S"),
        ([index("6S", 60.0, 80.0, 0.97), index("5S", 3.0, 20.0, 1.0)], "5S"),  # not sure enough
        ([index("6S", 60.0, 80.0, 0.99), index("5S", 12.0, 20.0, 1.0)], "5S"),  # nothing can cover either
        ([index("6S", -8.0, 40.0, 0.99), index("5S", 3.0, 20.0, 1.0)], "5S"),  # both may be half covered
        ([index("6S", 60.0, 80.0, 0.99), index("5S", 3.0, 20.0, 1.0), index("5S", 30.0, 20.0, 0.9)], "5S"),
    ],
)
def test_an_index_that_an_outlined_card_may_cover_counts_after_a_sure_one(
    found: list[IndexReading], first: str
) -> None:
    """The outlined card lies left of these indices, with its right side on the left side of `OUTLINE`."""
    beside = outlined(0.99, 0, 2)
    beside = replace(beside, reading=replace(beside.reading, outline=OUTLINE - np.float32([126, 0])))
    own = [one for one in found if str(one.card) == "5S"]
    groups = [own, [one for one in found if one not in own]]
    cards = [AssembledCard(some[0].card, some[0].confidence, tuple(some)) for some in groups]
    assert str(free_first(cards, [beside])[0].card) == first


@pytest.mark.parametrize("mm_per_px", [None, 0.5])
@pytest.mark.parametrize(("name", "depth"), [("9C", 32), ("6S", 26), ("3H", 22)])
def test_half_an_index_is_not_read_if_the_whole_one_opposite_is(mm_per_px: float | None, name: str, depth: int) -> None:
    """A king covers a part of the rank; what was left of these was read as a seven, a queen and a five."""
    rng, style = np.random.default_rng(5), Style(12, 300)
    table = cloth(400, 400, rng)
    lay(table, face_of(parse_card(name), style), (200, 260), 0, 2.0)
    lay(table, face_of(parse_card("KD"), style), (120, 70 + depth), 4, 2.0)
    found = {str(reading.face) for reading in FaceReader().read(photographed(table, rng), mm_per_px)}
    assert found == {name, "KD"}


def reading(face: str, confidence: float, outline: Quad) -> Reading:
    return Reading(parse_card(face), confidence, "face", outline, outline_from="index")


SHIFTED = starting_at(OUTLINE + np.float32([10, 20]), 2)
"""The same card upside down, as an inaccurate outline has it: IoU 0.69."""
BESIDE = OUTLINE - np.float32([126, 0])


@pytest.mark.parametrize(
    ("found", "outline", "left"),
    [
        ([index("6S", 6.0, 12.0, 0.98), index("5S", 6.0, 12.0, 0.99, corner=2)], OUTLINE, {"5S"}),
        ([index("6S", 57.0, 74.0, 0.98), index("5S", 57.0, 74.0, 0.99, corner=2)], OUTLINE, {"5S"}),
        ([index("6S", 12.0, 22.0, 0.98), index("5S", 6.0, 12.0, 0.99, corner=2)], SHIFTED, {"5S"}),
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
def test_of_two_cards_in_one_outline_the_surer_is_there(
    found: list[IndexReading], outline: Quad, left: set[str]
) -> None:
    both = [reading("6S", 0.98, OUTLINE), reading(str(found[-1].card), 0.99, outline)]
    assert {str(one.face) for one in without_half_indices(both, found)} == left


@pytest.mark.parametrize(("shown", "left"), [(2, "6S"), (1, "5S")])
def test_what_a_card_in_full_may_cover_was_misread(shown: int, left: str) -> None:
    """The king lies left of the outline, near to its lower left corner, from which the five was read."""
    found = [index("6S", 57.0, 12.0, 0.98), index("5S", 57.0, 12.0, 0.99, corner=2)]
    kings = [index("KD", -50.0, 60.0), index("KD", -10.0, 20.0, corner=0)][:shown]
    three = [reading("6S", 0.98, OUTLINE), reading("5S", 0.99, OUTLINE), reading("KD", 1.0, BESIDE)]
    assert {str(one.face) for one in without_half_indices(three, [*found, *kings])} == {left, "KD"}


def test_a_card_does_not_cover_its_own_index() -> None:
    """The five shows two indices, at one end of an outline that is also that of the six: the surer one counts."""
    found = [index("6S", 6.0, 12.0, 0.99), *(index("5S", right, 12.0, 0.97, corner=2) for right in (6.0, 57.0))]
    both = [reading("6S", 0.99, OUTLINE), reading("5S", 0.97, OUTLINE)]
    assert [str(one.face) for one in without_half_indices(both, found)] == ["6S"]


def test_a_card_is_as_sure_as_its_surest_index() -> None:
    """A finger on one corner makes the six less sure in its outline, and a five of that corner's index."""
    found = [index("6S", 6.0, 12.0, 1.0), index("5S", 6.0, 12.0, 0.97, corner=2)]
    both = [reading("6S", 0.92, OUTLINE), reading("5S", 0.97, OUTLINE)]
    assert [str(one.face) for one in without_half_indices(both, found)] == ["6S"]


def test_a_corner_without_an_index_counts_last() -> None:
    """The picture's edge cuts the upper corner of a six: it was read as a five, and the opposite index as a six."""
    both = [reading("6S", 0.98, OUTLINE), reading("5S", 0.99, OUTLINE)]
    for found, left in (("6S", "6S"), ("5S", "5S")):
        shown = without_half_indices(both, [index(found, 6.0, 12.0)])
        assert [str(one.face) for one in shown] == [left]
    assert without_half_indices(both, []) == both
