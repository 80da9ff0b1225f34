"""What a second net and the whole card say: blurred clubs, court cards, two suits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.cards import SUITS, parse_card
from tests.vision.faces.test_faces_sure import index, outlined, unread
from vision.faces.geometry import Floats, Quad
from vision.faces.score_fusion import number_of
from vision.faces.second_opinion import with_second_opinion
from vision.faces.settings import DEFAULTS


def test_the_whole_card_decides_if_two_nets_read_two_suits() -> None:
    """The corner classifier is sure of clubs, the other net reads thin clubs as spades."""
    clubs, spades = outlined("2C", 0.995), [index("2S", 0.92)]
    asked: list[Quad] = []

    def whole(place: Quad, rank: str) -> Floats:
        asked.append(place)
        return np.append(np.tile([-9.0, -9.0, -9.0, 0.0], 13), -3.0).astype(np.float32)

    assert with_second_opinion(clubs, spades, unread) is None
    card = with_second_opinion(clubs, spades, whole)
    assert card is not None and card.verdict.card == parse_card("2C") and card.reading.confidence > 0.98
    assert len(asked) == 1
    assert with_second_opinion(clubs, [index("2C", 0.99)], whole) is not None
    assert len(asked) == 1, "both nets are sure of clubs"


@pytest.mark.parametrize(
    ("name", "confidence", "other", "other_confidence", "evidence", "counts"),
    [
        ("4S", 0.9, "4C", 0.65, 6.0, False),  # a blurred club, whose lobes cannot be seen
        ("4S", 0.9, "4C", 0.65, 7.0, True),
        ("AS", 0.89, "AS", 0.88, 6.0, False),
        ("AS", 0.96, "AS", 0.88, 6.0, True),  # on average sure enough
        ("AS", 0.88, "AS", 0.96, 6.0, True),
        ("4C", 0.9, "4S", 0.65, 6.0, True),  # what looks like a club has lobes
        ("KS", 0.9, "KC", 0.65, 6.0, True),  # has no pips
    ],
)
def test_a_number_card_is_an_unsure_spade_only_if_its_pips_show_it(
    name: str, confidence: float, other: str, other_confidence: float, evidence: float, counts: bool
) -> None:
    card, seen = parse_card(name), [index(other, other_confidence)]

    def whole(place: Quad, rank: str) -> Floats:
        likely = np.full(53, -evidence, np.float32)
        likely[number_of(card)] = 0
        return likely

    assert (with_second_opinion(outlined(name, confidence), seen, whole) is not None) is counts
    assert with_second_opinion(outlined(name, confidence), seen, whole, only_once=False) is not None, "read again"


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [(0.92, [0.8, 0.99], True), (0.92, [0.8, 0.8], False), (0.92, [], True), (0.88, [], False)],
)
def test_both_corners_say_how_sure_a_spade_is(first: float, second: list[float], counts: bool) -> None:
    """If the second net read no corner, the first one says it alone."""
    shown = np.full(53, -6.0, np.float32)
    shown[SUITS.index("S")] = 0
    seen = [index("AS", confidence) for confidence in second]
    assert (with_second_opinion(outlined("AS", first), seen, lambda *_: shown) is not None) is counts


@pytest.mark.parametrize(
    ("first", "second", "counts"), [(0.9, 0.65, True), (0.9, 0.75, False), (0.985, 0.75, False), (0.997, 0.75, True)]
)
def test_another_suit_counts_although_the_whole_card_shows_the_first(first: float, second: float, counts: bool) -> None:
    shown = np.full(53, -6.0, np.float32)
    shown[SUITS.index("H")] = 0
    card = with_second_opinion(outlined("AH", first), [index("AD", second)], lambda *_: shown)
    assert (card is not None) is counts


@pytest.mark.parametrize(("evidence", "counts"), [(6.4, False), (6.6, True)])
@pytest.mark.parametrize("rank", ["A", "9", "K"])
def test_pips_decide_between_two_suits_if_they_are_clear(rank: str, evidence: float, counts: bool) -> None:
    """Court cards have none."""
    shown = np.full(53, -evidence, np.float32)
    shown[number_of(parse_card(f"{rank}H"))] = 0
    card = with_second_opinion(outlined(f"{rank}H", 0.9), [index(f"{rank}D", 0.9)], lambda *_: shown)
    assert (card is not None) is (counts and rank != "K")


@pytest.mark.parametrize(
    ("name", "once", "counts"),
    [("QC", True, False), ("KS", True, False), ("QH", True, True), ("9C", True, True), ("QC", False, True)],
)
def test_black_court_cards_must_be_surer_in_a_single_picture(name: str, once: bool, counts: bool) -> None:
    """Blurred clubs look like spades, and these cards have no pips to decide."""
    card = with_second_opinion(outlined(name, 0.99), [], unread, only_once=once)
    assert (card is not None) is counts
    if card is not None:
        assert 0.91 < card.reading.confidence < DEFAULTS.least_black_court
    assert with_second_opinion(outlined(name, 0.99), [index(name, 0.97)], unread, only_once=once) is not None


def test_a_card_that_both_nets_read_is_not_read_as_a_whole() -> None:
    """From a confidence of both together on that is a setting."""
    asked: list[Quad] = []

    def whole(place: Quad, rank: str) -> Floats:
        asked.append(place)
        return np.zeros(53, np.float32)

    first, second = outlined("7H", 0.75), [index("7H", 0.6)]
    card = with_second_opinion(first, second, whole)
    assert card is not None and DEFAULTS.fusion.unsure_together < card.reading.confidence < 0.995 and not asked
    strict = replace(DEFAULTS, fusion=replace(DEFAULTS.fusion, unsure_together=0.995))
    assert with_second_opinion(first, second, whole, strict) is not None and len(asked) == 1
