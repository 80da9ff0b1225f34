"""What is read with certainty is right: cut indices, cards of several sizes, blurred suits."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from engine.cards import RANKS, SUITS, parse_card
from tests.drawing.degrading import degraded, six_cards
from tests.drawing.faces import Style, cloth, face_of, lay, photographed
from tests.drawing.strange_suits import SIGNS, deck_of
from tests.drawing.tables import Deck, drawn_decks
from vision.faces import FaceReader
from vision.faces.card_assembly import IndexReading
from vision.faces.geometry import Floats, Quad
from vision.faces.index_detector import IndexPose
from vision.faces.index_places import IndexPlaces, place_on
from vision.faces.index_reader import is_index_of, is_whole
from vision.faces.outlined_cards import OutlinedCard, is_cut, is_doubted
from vision.faces.placed_cards import is_outvoted
from vision.faces.reader_nets import settings_for
from vision.faces.score_fusion import NO_EVIDENCE, Verdict, number_of
from vision.faces.second_opinion import with_second_opinion
from vision.faces.settings import DEFAULTS
from vision.readings import Reading


@cache
def reader() -> FaceReader:
    return FaceReader()


@cache
def decks() -> list[Deck]:
    return list(drawn_decks().values())


def test_large_cards_without_a_visible_edge_are_found_beside_small_ones() -> None:
    """The small ones have outlines, the large ones lie on white paper and are known by their indices only."""
    rng = np.random.default_rng(1)
    table = cloth(1300, 800, rng)
    table[:, 300:] = (250, 252, 252)
    for k, name in enumerate(("7C", "2H", "JS")):
        lay(table, face_of(parse_card(name), Style()), (130, 150 + 250 * k), 20 * k, 1.6)
    for k, name in enumerate(("5S", "3S")):
        lay(table, face_of(parse_card(name), Style()), (550 + 480 * k, 400), 10 - 30 * k, 5.0)
    found = {str(reading.face) for reading in reader().read(photographed(table, rng))}
    assert found == {"7C", "2H", "JS", "5S", "3S"}


def test_a_star_is_not_a_suit() -> None:
    """Of 12 cards hardly any is read, although their ranks are those of ordinary cards."""
    deck = deck_of(SIGNS["star"])
    photos = [six_cards(deck, 30.0, seed) for seed in range(2)]
    assert sum(len(reader().read(photo.image)) for photo in photos) <= 1


@pytest.mark.parametrize("name", ["9S", "QS", "8S", "8C", "KD", "JH"])
def test_jumbo_indices_have_an_outline_at_the_table(name: str) -> None:
    """Of a card at a known scale only an outline that fits the index counts."""
    for turn in (35, 160):
        rng = np.random.default_rng(turn)
        table = cloth(240, 240, rng)
        lay(table, face_of(parse_card(name), Style(15, 600)), (120, 120), turn, 2.0)
        found = [str(reading.face) for reading in reader().read(photographed(table, rng, blur=0.9), 0.5)]
        assert found == [name]


def test_a_jumbo_index_that_is_located_too_high_fits_its_outline() -> None:
    """28 mm high, and located as 33 mm: it then seems to begin above the card's edge."""
    place = np.array([[0, 0], [126, 0], [126, 176], [0, 176]], np.float32)
    assert is_index_of(IndexPose(14, 32, 0, 66.5, 0.9), place)
    assert not is_index_of(IndexPose(14, 24, 0, 66.5, 0.9), place)


@pytest.mark.parametrize(
    ("x", "y", "down", "whole"),
    [
        (100, 60, (0, 40), True),
        (100, 17, (0, 40), False),
        (100, 17, (40, 0), True),
        (5, 60, (0, 40), False),
        (100, 185, (0, -40), False),
        (196, 60, (0, 40), False),
        (100, 175, (28, 28), True),
        (100, 183, (28, 28), False),
    ],
)
def test_an_index_at_the_border_is_not_whole(x: float, y: float, down: tuple[float, float], whole: bool) -> None:
    assert is_whole(IndexPose(x, y, *down, 0.9), np.zeros((200, 200, 3), np.uint8)) is whole


def test_an_outline_that_ends_at_the_border_may_be_cut() -> None:
    picture = np.zeros((300, 400, 3), np.uint8)
    card = np.array([[50, 1], [176, 1], [176, 150], [50, 150]], np.float32)
    assert [is_cut(np.roll(card, -k, axis=0), picture) for k in range(4)] == [True, True, False, False]
    assert not is_cut(card + np.float32(8), picture)
    low = card + np.float32([0, 148])
    assert [is_cut(np.roll(low, -k, axis=0), picture) for k in range(4)] == [False, False, True, True]
    turned = np.array([[100, 1], [220, 60], [150, 210], [30, 150]], np.float32)
    assert not is_cut(turned, picture)


def index(name: str, confidence: float, x: float = 12, y: float = 24) -> IndexReading:
    """An index as the second net reads it, 16 mm high at 2 pixels per mm."""
    card = parse_card(name)
    rank, suit = np.full(14, (1 - confidence) / 13, np.float32), np.full(5, 0.002, np.float32)
    rank[RANKS.index(card.rank)], suit[SUITS.index(card.suit)] = confidence, 0.992
    return IndexReading(IndexPose(x, y, 0, 32, 0.9), rank, suit)


def unread(place: Quad, rank: str) -> Floats:
    """The whole card says nothing."""
    return NO_EVIDENCE


def outlined(name: str, confidence: float) -> OutlinedCard:
    """A card of 63 x 88 mm at 2 pixels per mm of which the corner classifier is sure."""
    card = parse_card(name)
    probabilities = np.full(52, (1 - confidence) / 51, np.float32)
    probabilities[number_of(card)] = confidence
    place = np.array([[0, 0], [126, 0], [126, 176], [0, 176]], np.float32)
    return OutlinedCard(
        Reading(card, confidence, "face", place), Verdict(card, confidence, (0, 2), (), probabilities), 0.7
    )


def test_an_index_that_two_nets_read_as_two_cards_counts_as_neither() -> None:
    eight, jack = outlined("8H", 0.96), index("JH", 0.98)
    assert with_second_opinion(eight, [jack], unread) is None
    assert is_doubted(jack, eight)
    assert not is_doubted(index("JH", 0.98, x=80), eight)  # elsewhere
    assert not is_doubted(jack, outlined("8H", 0.7))  # the first net was not sure itself
    agreed = with_second_opinion(outlined("8H", 0.75), [index("8H", 0.95)], unread)
    assert agreed is not None and agreed.reading.confidence > 0.9
    assert with_second_opinion(outlined("8H", 0.7), [], unread) is None


@pytest.mark.parametrize("places", [IndexPlaces(), None], ids=["at a table", "in a single picture"])
@pytest.mark.parametrize("rank", ["Q", "9"])
def test_no_index_of_a_card_counts_if_the_nets_read_two_suits(rank: str, places: IndexPlaces | None) -> None:
    card = outlined(f"{rank}C", 0.8)
    assert is_doubted(index(f"{rank}S", 0.93), card, places=places)
    assert not is_doubted(index("JS", 0.97), card, places=places)
    assert not is_doubted(index(f"{rank}S", 0.93, x=80), card, places=places)
    german = settings_for("german", DEFAULTS)
    assert is_doubted(index(f"{rank}S", 0.93), card, german, places) is (places is not None or rank == "Q")


def test_at_a_table_a_disputed_index_must_be_certain() -> None:
    """Two unsure readings of a bold jack as a three would make a three of 0.94."""
    jack = outlined("JS", 0.79)
    assert is_doubted(index("3S", 0.91), jack, places=IndexPlaces())
    assert not is_doubted(index("3S", 0.91), jack), "in a single picture"
    assert not is_doubted(index("3S", 0.97), jack, places=IndexPlaces())


def test_at_a_table_a_disputed_index_must_have_the_decks_height() -> None:
    """Taken together with what stands below it, a bold jack is a three."""
    jack, three = outlined("JS", 0.79), index("3S", 0.97)
    place = place_on(three.pose, jack.reading.outline)
    assert place is not None
    for ratio, doubted in ((1.0, False), (0.75, True)):
        places = IndexPlaces()
        for name in ("AS", "2H"):
            places.learn(parse_card(name), [replace(place, height=ratio * place.height)], 2)
        assert places.fits(place) and is_doubted(three, jack, places=places) is doubted


def three_or_jack(three: float) -> IndexReading:
    """An index that the second net reads as a three, and otherwise as a jack."""
    rank = np.zeros(14, np.float32)
    rank[RANKS.index("3")], rank[RANKS.index("J")] = three, 1 - three
    return replace(index("3C", three), rank=rank)


@pytest.mark.parametrize(("three", "kept"), [(0.92, True), (0.94, False), (0.96, False)])
def test_at_a_table_a_surer_rank_disputes_a_single_index(three: float, kept: bool) -> None:
    """A bold jack whose other index is covered, 0.94 by itself; with the other net the jack is about 0.93."""
    jack = outlined("JC", 0.941)
    settings = replace(DEFAULTS, min_confidence=DEFAULTS.min_confidence_at_table)
    single = replace(jack, verdict=replace(jack.verdict, corners=(0,)))
    card = with_second_opinion(single, [three_or_jack(three)], unread, settings, only_once=False)
    assert (card is not None) is kept
    assert with_second_opinion(jack, [three_or_jack(three)], unread, settings, only_once=False) is not None, "two ends"


@pytest.mark.parametrize(
    ("eight", "height", "outvoted"),
    [(0.97, 1.0, True), (0.94, 1.0, False), (0.955, 1.0, False), (0.97, 0.75, False)],
    ids=["sure", "not sure", "less sure than the corners", "too high"],
)
def test_two_known_indices_outvote_the_corners_only_if_they_are_surer(
    eight: float, height: float, outvoted: bool
) -> None:
    jack, first = outlined("JS", 0.965 if eight == 0.955 else 0.9), index("8S", eight)
    opposite = replace(first, pose=IndexPose(126 - 12, 176 - 24, 0, -32, 0.9))
    place = place_on(first.pose, jack.reading.outline)
    assert place is not None
    places = IndexPlaces()
    for name in ("AS", "2H"):
        places.learn(parse_card(name), [replace(place, height=height * place.height)], 2)
    assert is_outvoted(jack, [first, opposite], places) is outvoted
    assert not is_outvoted(jack, [first], places), "one index"
    assert not is_outvoted(jack, [first, opposite], IndexPlaces()), "an unknown deck"
    assert not is_outvoted(outlined("8H", 0.9), [first, opposite], places), "the same rank"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("deck", "seed", "kind", "strength"),
    [(0, 1, "blur", 2.0), (4, 401, "blur", 2.0), (1, 101, "blur", 2.5)],
)
def test_a_blurred_suit_is_not_reported(deck: int, seed: int, kind: str, strength: float) -> None:
    """Clubs look like spades at both ends of the card."""
    photo = degraded(six_cards(decks()[deck], 30, seed), kind, strength, 2 * deck + seed % 100)
    readings = reader().read(photo.image)
    assert len(readings) >= 2
    assert {str(reading.face) for reading in readings} <= set(photo.cards)
