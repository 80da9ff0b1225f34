"""Cards that were gathered or taken and are laid back, cards of two players laid at once, cards that slid away."""

from __future__ import annotations

import pytest

from engine.observations import Sighting, Zone
from tests.engine.referee.table_top import TableTop, play


@pytest.fixture
def top() -> TableTop:
    return TableTop().started()


def test_a_trick_gathered_and_laid_back_is_not_gathered(top: TableTop) -> None:
    trick = [top.lay("KD", "play", 1), top.lay("9D", "play", 0)]
    top.lift(*trick)
    assert top.done[-1] == {"do": "gather", "seat": 1}
    top.lay("KD", "play", 1)
    second = top.lay("9D", "play", 0)
    assert top.done[-1] == {"do": "undo"}
    assert top.kinds == ["turn"]
    top.lift(second)
    top.lay("2D", "play", 0)
    assert top.done[-2:] == [{"do": "withdraw", "seat": 0, "card": "9D"}, play(0, "2D")]


def test_a_trick_laid_back_after_the_next_lead_stays_gathered(top: TableTop) -> None:
    top.lift(top.lay("KD", "play", 1), top.lay("9D", "play", 0))
    top.lay("AC", "play", 1)
    top.lay("9D", "play", 0)
    top.lay("KD", "play", 1)
    assert {"do": "undo"} not in top.done
    assert "take-back" in top.kinds


def test_cards_taken_and_laid_back_are_not_taken() -> None:
    top = TableTop(game="le-quinze")
    table = [top.lay(card, "table") for card in ("QH", "3D", "4C", "5S")]
    played = top.lay("6C", "play", 1)
    top.lift(played, table[0])
    assert top.done[-1] == {"do": "take", "seat": 1, "cards": ["QH"]}
    top.lay("QH", "table")
    top.lay("6C", "table")
    assert top.done[-1] == {"do": "undo"}
    assert top.kinds == ["turn"]


@pytest.mark.parametrize("ahead", [0.0, 0.3])
def test_of_two_cards_laid_at_once_that_of_the_seat_on_turn_counts_first(ahead: float) -> None:
    top = TableTop(("Ann", "Bo", "Cy"), game="cribbage")
    top.lay("QC", "turn-up")
    assert top.table.turn == 1
    for seat, card in ((1, "KD"), (2, "KH")):
        top.lay(card, "play", seat)
    top.put("5S", "play", 1, top.clock - ahead)  # 25: Ann may go, and Bo plays
    top.put("4S", "play", 0, top.clock)
    top.show()
    assert [entry["seat"] for entry in top.done[1:]] == [1, 2, 0, 1]


def test_a_card_that_slid_away_is_asked_for_once(top: TableTop) -> None:
    name = top.lay("KD", "play", 1)
    slid = top.lying.pop(name)
    top.lying[name] = Sighting(name, slid.face, Zone("say", 0), top.clock)
    top.show()
    assert top.kinds == ["put-back", "turn"]


def test_the_last_card_of_a_trick_of_three_may_be_exchanged() -> None:
    top = TableTop(("Ann", "Bo", "Cy")).started()
    *_, last = [top.lay(face, "play", seat) for face, seat in (("KD", 1), ("4D", 2), ("9D", 0))]
    top.lift(last)
    top.lay("2D", "play", 0)
    assert top.done[-2:] == [{"do": "withdraw", "seat": 0, "card": "9D"}, play(0, "2D")]
    assert top.kinds == ["turn"]
