"""Of several cards known by their indices: which one counts first, and what else each may be."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from engine.cards import RANKS, Card, parse_card
from tests.vision.faces.test_covered_cards import GERMAN, PLACE, Corners, at_edges, card, covered, lies_in_full, placed
from tests.vision.faces.test_faces_sure import index
from vision.faces.card_assembly import AssembledCard
from vision.faces.covered_cards import CoveredCardReader
from vision.faces.deck_knowledge import DeckKnowledge
from vision.faces.examined_picture import ExaminedPicture
from vision.faces.geometry import Floats, Quad, starting_at
from vision.faces.index_places import IndexPlace, PlacedCard
from vision.faces.outlined_cards import OutlinedCard, without_suppressed
from vision.faces.score_fusion import Verdict, number_of
from vision.faces.settings import DEFAULTS, ReaderSettings
from vision.readings import CARD_MM, Reading


def lie_as(monkeypatch: pytest.MonkeyPatch, upside_down: str, score: Callable[[Card], float] = lambda _: 0.9) -> None:
    """All cards have `PLACE` as their outline, the one named from the opposite corner. `score`: how well on edges."""

    def outline(reader: object, picture: object, card: AssembledCard, usual: object) -> tuple[Quad, float]:
        return starting_at(PLACE, 2 * (card.card is parse_card(upside_down))), score(card.card)

    monkeypatch.setattr(CoveredCardReader, "_outline", outline)


def test_the_card_that_is_surer_after_all_was_read_counts_before_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two indices opposite in one outline the surer one shows the card, here the one less sure at first."""
    six = card("6H", 0.93)
    nine = AssembledCard(parse_card("9H"), 0.92, (placed(index("9H", 0.92), 114, 152, -32),))
    lie_as(monkeypatch, "9H")

    def whole(levels: object, place: Quad, rank: str) -> Floats:
        card = Card(rank, "H")
        evidence = np.zeros(53, np.float32)
        evidence[number_of(card)] = 0.3 if rank == "9" else -0.3
        return evidence

    found = covered([six, nine], Corners(), whole)
    assert [str(reading.face) for reading in found] == ["9H"]
    found = covered([six, nine], Corners(), lambda *_: np.zeros(53, np.float32))
    assert [str(reading.face) for reading in found] == ["6H"]


LEFT, RIGHT = IndexPlace(6.0, 12.0, 16.0), IndexPlace(57.0, 12.0, 16.0)


def deck_with(*places: IndexPlace) -> DeckKnowledge:
    """Return what is known of a deck of poker size with indices in these places."""
    deck = DeckKnowledge(DEFAULTS)
    for name in ("AS", "2H"):
        deck.places.learn(parse_card(name), places, 2)
        deck.size.learn(parse_card(name), CARD_MM)
    return deck


def white_card(mm_per_px: float | None = 0.5) -> ExaminedPicture:
    """Return a picture of a white card at `PLACE`, moved by 100 pixels to the right and down."""
    image = np.full((400, 400, 3), 60, np.uint8)
    image[100:276, 100:226] = 240
    return ExaminedPicture(image, mm_per_px, DEFAULTS, 0.0)


def one_index(name: str, confidence: float, x: float, y: float) -> AssembledCard:
    """Return a card with one index at that pixel."""
    return AssembledCard(parse_card(name), confidence, (placed(index(name, confidence), x, y),))


def at_table(deck: DeckKnowledge) -> CoveredCardReader:
    return CoveredCardReader(lies_in_full, Corners(), deck, DEFAULTS)  # type: ignore[arg-type]


def outlined(name: str, confidence: float) -> OutlinedCard:
    """Return a card of which one corner was read in the outline of `white_card`."""
    card = parse_card(name)
    reading = Reading(card, confidence, "face", PLACE + np.float32(100))
    return OutlinedCard(reading, Verdict(card, confidence, (0,), ()), 0.9)


def test_half_of_an_index_on_the_right_is_not_another_card() -> None:
    """The deck prints four; the card shows a six in its upper left corner, and half a six in the right one."""
    six, five = one_index("6H", 0.999, 112, 124), one_index("5H", 0.985, 214, 124)
    reader = at_table(deck_with(LEFT, RIGHT))
    assert [str(reading.face) for reading in reader(white_card(), [], [], [five])] == ["5H"]
    assert [str(reading.face) for reading in reader(white_card(), [], [], [five, six])] == ["6H"]
    assert reader(white_card(), [outlined("6H", 0.97)], [], [five]) == []


@pytest.mark.parametrize(
    ("half", "confidence", "read"), [(0.86, 0.999, "6H"), (0.97, 0.999, "6H"), (0.86, 0.985, "5H")]
)
def test_a_certain_right_index_counts_beside_an_uncertain_left_one(half: float, confidence: float, read: str) -> None:
    """Here the left one is half covered."""
    five, six = outlined("5H", half), one_index("6H", confidence, 214, 124)
    found = at_table(deck_with(LEFT, RIGHT))(white_card(), [five], [], [six])
    assert [
        str(reading.face) for reading in [*found, *(card.reading for card in without_suppressed([five], found))]
    ] == [read]


@pytest.mark.parametrize(("x", "y", "down"), [(112, 124, 32), (214, 252, -32)])
def test_both_ends_of_a_known_card_refute_another(x: int, y: int, down: int) -> None:
    six = PlacedCard(one_index("6H", 0.999, 112, 124), PLACE + np.float32(100), 0.9, (LEFT, LEFT))
    five = AssembledCard(parse_card("5H"), 0.985, (placed(index("5H", 0.985), x, y, down),))
    reader = at_table(deck_with(LEFT))
    assert [str(reading.face) for reading in reader(white_card(), [], [six], [five])] == ["6H"]
    assert [str(reading.face) for reading in reader(white_card(), [], [], [five])] == ["5H"]


def test_a_card_that_comes_first_refutes_a_surer_one_in_a_rough_outline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two indices come before a surer one alone that a card may cover."""
    five, rough = one_index("5S", 0.97, 114, 152), starting_at(PLACE + np.float32(18), 2)
    six = card("6H", 0.96, placed(index("6H", 0.9), 114, 152, -32))
    lying = PlacedCard(card("5D", 0.99), PLACE + np.float32([118, 40]), 0.9, ())
    monkeypatch.setattr(CoveredCardReader, "_outline", lambda _, __, card, ___: (PLACE if card is six else rough, 0.9))
    found = covered([five, six], Corners(), mm_per_px=0.5, placed_cards=[lying])
    assert [str(reading.face) for reading in found] == ["5D", "6H"]


@pytest.mark.parametrize(
    ("mm_per_px", "used", "least"),
    [(None, DEFAULTS, 0.85), (0.5, DEFAULTS, 0.9), (None, GERMAN, 0.9)],
    ids=["single", "table", "german"],
)
def test_at_a_table_and_on_german_cards_indices_must_be_surer(
    mm_per_px: float | None, used: ReaderSettings, least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_edges(monkeypatch)
    silent = np.zeros(53, np.float32)
    for confidence, read in ((least - 0.01, 0), (least + 0.01, 1)):
        assert len(covered([card("9H", confidence)], Corners(), lambda *_: silent, used, mm_per_px)) == read


@pytest.mark.parametrize(("mm_per_px", "outline_from"), [(0.5, "edges"), (None, "index")])
def test_where_a_deck_prints_its_indices_counts_at_the_table_only(
    mm_per_px: float | None, outline_from: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A single picture may show another deck."""
    monkeypatch.setattr("vision.faces.covered_cards.outline_around", lambda *_: None)
    picture = white_card(mm_per_px)
    picture.add([PLACE + np.float32(100)])
    (found,) = at_table(deck_with(IndexPlace(18.0, 30.0, 16.0)))(picture, [], [], [one_index("6H", 0.999, 136, 160)])
    assert found.outline_from == outline_from


def test_at_a_table_the_index_may_be_one_of_those_on_the_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deck prints four."""
    places, deck = [LEFT, RIGHT], deck_with(LEFT, RIGHT)
    tried: list[IndexPlace] = []

    def around(
        pose: object, picture: object, size: object, places: Sequence[IndexPlace], settings: object
    ) -> tuple[Quad, float]:
        tried.extend(places)
        return PLACE, 0.9

    monkeypatch.setattr("vision.faces.covered_cards.outline_around", around)
    reader = CoveredCardReader(lies_in_full, Corners(), deck, DEFAULTS)  # type: ignore[arg-type]
    picture = ExaminedPicture(np.zeros((200, 200, 3), np.uint8), 0.5, DEFAULTS, 0.0)
    assert [str(reading.face) for reading in reader(picture, [], [], [card("9H", 0.999)])] == ["9H"]
    assert tried == places


def test_a_free_index_counts_before_a_surer_one_that_a_card_may_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of an index looks like another one: here that of the five, beside a card that was read."""
    three = card("3S", 0.96)
    five = AssembledCard(parse_card("5S"), 0.979, (placed(index("5S", 0.979), 114, 152, -32),))
    lie_as(monkeypatch, "5S")
    beside = PLACE + np.float32([118, 40])
    other = PlacedCard(AssembledCard(parse_card("5D"), 0.99, (index("5D", 0.99),)), beside, 0.9, ())
    silent = np.zeros(53, np.float32)
    assert {
        str(reading.face) for reading in covered([five, three], Corners(), lambda *_: silent, placed_cards=[other])
    } == {
        "5D",
        "3S",
    }
    assert {str(reading.face) for reading in covered([five, three], Corners(), lambda *_: silent)} == {"5S"}


@pytest.mark.parametrize(
    ("name", "confidence", "seen", "found"),
    [
        ("6H", 0.75, {"6": 0.97}, ["8H", "6H"]),
        ("6H", 0.94, {}, ["6H"]),
        ("6H", 0.94, {"6": 0.97}, ["6H"]),
        ("6C", 0.94, {"6": 0.97}, ["6C"]),
        ("6H", 0.92, {}, ["8H", "6H"]),
        ("6H", 0.94, {"6": 0.13, "8": 0.8}, ["8H", "6H"]),  # 0.92 after all
    ],
)
def test_a_rise_by_the_corner_classifier_does_not_count_for_the_order(
    name: str, confidence: float, seen: dict[str, float], found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have read the same half of an index again, opposite in the outline of an eight that lies on edges.

    If the six is surer without it, that counts first, and the eight was misread.
    """
    eight = card("8H", 0.93)
    six = AssembledCard(parse_card(name), confidence, (placed(index(name, confidence), 114, 152, -32),))
    lie_as(monkeypatch, name, lambda card: 0.9 * (card is eight.card))
    readings = covered([eight, six], Corners((name[-1], seen)), lambda *_: np.zeros(53, np.float32))
    assert [str(reading.face) for reading in readings] == found


@pytest.mark.parametrize("mm_per_px", [None, 0.5], ids=["single", "table"])
@pytest.mark.parametrize(("confidence", "answers"), [(0.99, []), (0.97, [{}, {}]), (0.97, [{"9": 0.7, "8": 0.3}, {}])])
def test_confidence_and_alternatives_add_up(
    mm_per_px: float | None, confidence: float, answers: list[dict[str, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two indices are surer together than each of them is."""
    first, second = index("9H", 0.9), placed(index("9H", 0.9), 114, 152, -32)
    first.rank[RANKS.index("Q")] = 0.08
    monkeypatch.setattr(CoveredCardReader, "_outline", lambda *_: (PLACE, 0.9 if mm_per_px else 0.0))
    corners = Corners(*[("H", answer) for answer in answers])
    both = AssembledCard(parse_card("9H"), confidence, (first, second))
    (reading,) = covered([both], corners, mm_per_px=mm_per_px)
    assert reading.confidence + sum(probability for _, probability in reading.alternatives) <= 1 + 1e-6
    (reading,) = covered([], Corners(), mm_per_px=mm_per_px, placed_cards=[PlacedCard(both, PLACE, 0.9, ())])
    assert reading.confidence == confidence
    assert confidence + sum(probability for _, probability in reading.alternatives) <= 1 + 1e-6


def test_what_the_whole_card_shows_changes_the_alternatives(monkeypatch: pytest.MonkeyPatch) -> None:
    at_edges(monkeypatch)
    whole = np.full(53, -3.0, np.float32)
    whole[[number_of(parse_card(name)) for name in ("9D", "8D")]] = 0
    (reading,) = covered([card("9D", 0.8)], Corners(), lambda *_: whole)
    assert reading.confidence > 0.95 and [str(other) for other, _ in reading.alternatives] == ["8D"]


def test_alternatives_are_those_of_all_that_was_read() -> None:
    """By the index the next likely card is a queen, by the corner classifier an eight."""
    single = index("9D", 0.9)
    single.rank[[RANKS.index("Q"), RANKS.index("8")]] = 0.05, 0.03
    nine = AssembledCard(parse_card("9D"), 0.9, (single,))
    (reading,) = covered([nine], Corners(("D", {"9": 0.6, "8": 0.39})))
    assert reading.alternatives[0][0] == parse_card("8D")
    assert reading.confidence + sum(probability for _, probability in reading.alternatives) <= 1
    (reading,) = covered([nine], Corners(("D", {})))  # it sees no index
    assert reading.alternatives[0][0] == parse_card("QD")
