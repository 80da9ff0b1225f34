"""Which card of an action is replaced when a card turns out to be another, and which actions are not corrected."""

from __future__ import annotations

import pytest

from engine.actions import Action
from engine.cards import Card, parse_card
from engine.errors import Refused
from engine.observations import Zone
from engine.referee.corrections import Rewriting
from engine.referee.matching import RecordMatching
from engine.referee.observed_cards import ObservedCard, ObservedCards, hand_phase
from engine.table import Table
from tests.engine.talk import do, table_of

ONE, TWO, BLUE = parse_card("red-1"), parse_card("red-2"), parse_card("blue-1")


@pytest.mark.parametrize(
    ("cards", "replaced"),
    [
        ((ONE,), (TWO,)),
        ((ONE, ONE), (ONE, TWO)),
        ((ONE, ONE, BLUE), (ONE, TWO, BLUE)),
        ((ONE, BLUE, BLUE), (TWO, BLUE, BLUE)),
        ((BLUE, ONE, ONE, BLUE, BLUE), (BLUE, ONE, TWO, BLUE, BLUE)),
        ((BLUE,), (BLUE,)),
    ],
)
def test_the_last_of_equal_cards_is_replaced(cards: tuple[Card, ...], replaced: tuple[Card, ...]) -> None:
    assert Action("bid", 0, cards=cards).with_card(TWO, ONE) == Action("bid", 0, cards=replaced)


def test_the_only_card_of_an_action_is_replaced() -> None:
    assert Action("play", 0, ONE).with_card(TWO, ONE) == Action("play", 0, TWO)
    assert Action("play", 0, BLUE).with_card(TWO, ONE) == Action("play", 0, BLUE)


def rewriting_of(table: Table) -> Rewriting:
    cards = ObservedCards()
    return Rewriting(table, cards, RecordMatching(table, cards), table.do)


def misread(counts: bool, face: str = "QS") -> tuple[Table, Rewriting, ObservedCard]:
    """Bo has played the king of spades, which is now seen to be another card; `counts`: by the record as well."""
    table = Table("all-fives", ["Ann", "Bo"], dealer=0)
    do(table, "turn 2H", "1 say stand", "1 play KS")
    card = ObservedCard(parse_card("KS"), Zone("play", 1), 1.0, 0)
    if counts:
        card.count(table.actions[2], 2)
    card.face, card.counted_as = parse_card(face), parse_card("KS")
    return table, rewriting_of(table), card


def test_a_card_of_the_record_is_corrected() -> None:
    table, rewriting, card = misread(counts=True)
    assert rewriting.correct(card) == Action("play", 1, parse_card("QS")) == table.actions[-1]


def test_a_card_that_stands_for_no_action_is_not_corrected() -> None:
    table, rewriting, card = misread(counts=False)
    with pytest.raises(Refused) as refusal:
        rewriting.correct(card)
    assert refusal.value.code == "misread" and str(table.actions[-1]) == "1 play KS"


def test_a_card_whose_action_is_no_longer_in_the_record_is_not_corrected() -> None:
    table, rewriting, card = misread(counts=True)
    table.undo()
    with pytest.raises(Refused, match="misread"):
        rewriting.correct(card)
    do(table, "1 play 9S")
    with pytest.raises(Refused, match="misread"):
        rewriting.correct(card)
    assert str(table.actions[-1]) == "1 play 9S"


def test_a_card_that_was_not_a_card_before_is_not_corrected() -> None:
    _, rewriting, card = misread(counts=True)
    card.counted_as = None
    with pytest.raises(Refused, match="misread"):
        rewriting.correct(card)
    _, rewriting, card = misread(counts=True)
    card.face = None
    with pytest.raises(Refused, match="misread"):
        rewriting.correct(card)


def test_a_card_is_not_corrected_after_its_hand_has_ended() -> None:
    table, rewriting, card = misread(counts=True)
    do(table, "0 play 3D")
    card.hand_phase = hand_phase(table)
    assert rewriting.correct(card) == Action("play", 1, parse_card("QS"))
    table, rewriting, card = misread(counts=True)
    do(table, "0 play 3D")
    card.hand_phase = hand_phase(table) - 1
    with pytest.raises(Refused, match="misread"):
        rewriting.correct(card)


def test_a_misread_card_that_was_taken_later_has_its_new_name_there() -> None:
    table = Table("le-quinze", ["Ann", "Bo"], dealer=0)
    do(table, "turn JS", "turn JH", "turn JD", "turn QC", "1 play 2H", "0 play 4S", "0 take 2H QC")
    card = ObservedCard(parse_card("2H"), Zone("table"), 1.0, hand_phase(table))
    card.count(table.actions[4], 4)
    card.face, card.counted_as = parse_card("2D"), parse_card("2H")
    rewriting_of(table).correct(card)
    assert [str(action) for action in table.actions[4:]] == ["1 play 2D", "0 play 4S", "0 take 2D QC"]


def test_the_phases_of_a_game_without_a_turn_up_are_numbered_hand_by_hand() -> None:
    table = table_of("oh-hell", 3)
    assert (table.turns_up, hand_phase(table)) == (True, 1)
    do(table, "turn 2H")
    assert hand_phase(table) == 2
    table = table_of("bridge", 4)
    phases = [hand_phase(table)]
    for text in ("0 deal AS KS QS JS 10S 9S 8S 7S 6S 5S 4S 3S 2S", *("say pass",) * 5):
        do(table, text if text[0].isdecimal() else f"{table.turn} {text}")
        phases.append(hand_phase(table))
    assert (table.turns_up, phases) == (False, [1, 1, 2, 2, 2, 3, 4])
