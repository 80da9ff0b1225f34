"""Single pictures of decks whose indices stand away from the corners: the corners show no index."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.cards import RANKS, SUITS, Card, parse_card
from tests.drawing.placed import MINIATURE_MM, Layout, table_of
from tests.vision.faces.test_faces_placed import INSET
from vision.faces import FaceReader
from vision.faces.card_assembly import IndexReading
from vision.faces.geometry import starting_at
from vision.faces.index_evidence import shows_other_index, shows_own_index, without_disputed_courts
from vision.faces.index_places import IndexPlace, IndexPlaces, pose_on
from vision.faces.outlined_cards import OutlinedCard
from vision.faces.score_fusion import Verdict
from vision.readings import CARD_MM, Reading

OUTLINE = (2 * np.array([[0, 0], [CARD_MM[0], 0], [*CARD_MM], [0, CARD_MM[1]]]) + 40).astype(np.float32)
FRAMED = Layout(4.5, 13.5, frame_mm=3.0)
MINIATURE = Layout(top_mm=10.0, letter_mm=7.0, card_mm=MINIATURE_MM)


@pytest.mark.sampled(3)
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
    ("name", "confidence", "other", "counts"),
    [
        ("KC", 0.96, index("KS", 5.3, 12.0, 0.7, 2), False),
        ("KC", 0.96, index("KC", 5.3, 12.0, 0.7, 2), True),
        ("KC", 0.996, index("KS", 5.3, 12.0, 0.7, 2), True),  # sure, however misread the other one is
        ("KC", 0.96, index("QS", 5.3, 12.0, 0.7, 2), True),
        ("KC", 0.96, index("KS", 25.0, 12.0, 0.7), True),  # not opposite
        ("9C", 0.96, index("9S", 5.3, 12.0, 0.7, 2), True),  # its pips decide
    ],
)
def test_of_a_court_card_in_two_suits_no_unsure_index_counts(
    name: str, confidence: float, other: IndexReading, counts: bool
) -> None:
    """Where a picture was stored with JPEG 5, some kings of spades are kings of clubs at one end."""
    first = index(name, 5.3, 12.0, confidence)
    assert without_disputed_courts([first], [first, other], []) == ([first] if counts else [])


def test_a_court_card_is_not_disputed_by_an_index_lying_elsewhere() -> None:
    first, second = index("KC", 5.3, 12.0, 0.96), index("KS", 5.3, 12.0, 0.7, 2)
    king = outlined(0.95, 0, 2)
    king = replace(king, verdict=replace(king.verdict, card=second.card))
    assert without_disputed_courts([first], [first, second], [king]) == []
    elsewhere = replace(king, reading=replace(king.reading, outline=OUTLINE + np.array([0, 90], np.float32)))
    assert without_disputed_courts([first], [first, second], [elsewhere]) == [first]
