"""Hands dealt across readers and cards laid away across them: they are known, and illegal plays refused at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardtable.web.state import state_of
from engine.actions import Action
from engine.cards import parse_card
from engine.observations import Said
from engine.record import Header
from firmware_bridge.simulated import SimulatedBoard
from firmware_bridge.tags import FLICKER_S
from tests.cardtable.limits import full_disk
from tests.cardtable.table.reader_house import House, stand, turn_up


@pytest.fixture
def house(stepped: SimulatedBoard, tmp_path: Path) -> Iterator[House]:
    house = House(stepped, tmp_path)
    yield house
    house.die()


def test_a_revoke_from_a_hand_dealt_across_readers_is_refused(house: House) -> None:
    house.deal(1, "KH", "QH", "2S", "KS", "3S", "AH")
    house.deal(0, "AS", "QS", "JS", "10S", "4S", "5D")
    house.until(lambda: len(house.actions) == 2)
    assert {action.do for action in house.actions} == {"deal"}
    assert house.actions[0] == Action("deal", 1, cards=tuple(map(parse_card, ("KH", "QH", "2S", "KS", "3S", "AH"))))
    turn_up(house)
    stand(house)
    house.lay("play 1", "2S")
    house.until(lambda: len(house.actions) == 5)
    house.lay("play 0", "5D")  # Ann holds spades
    house.until(lambda: "Ann: take back 5♦, spades were led." in house.texts())
    assert len(house.actions) == 5
    house.lift("play 0", "5D")
    house.until(lambda: "take-back" not in house.kinds())
    house.lay("play 0", "4S")
    house.until(lambda: len(house.actions) == 6)
    assert house.actions[-1] == Action("play", 0, parse_card("4S"))


def test_cards_laid_away_leave_the_known_hand_and_no_board_names_them(stepped: SimulatedBoard, tmp_path: Path) -> None:
    house = House(stepped, tmp_path, Header("cribbage", ("Ann", "Bo"), 0))
    house.deal(1, "KH", "QH", "2S", "KS", "3S", "AH")
    house.until(lambda: len(house.actions) == 1)
    house.pass_board_time(FLICKER_S)
    for card in ("KH", "3S"):
        house.lay("deal 1", card)
        house.pass_board_time(0.4)
        house.lift("deal 1", card)
    house.until(lambda: len(house.actions) == 2)
    assert house.actions[-1] == Action("discard", 1, cards=tuple(map(parse_card, ("KH", "3S"))))
    state = state_of(house.live.snapshot, "Cribbage")
    assert [entry["text"] for entry in state["history"]] == ["Bo lays away cards", "Bo is dealt cards"]
    text = json.dumps(state, ensure_ascii=False)
    assert not any(
        parse_card(card).glyph in text or f'"{card}"' in text for card in ("KH", "QH", "2S", "KS", "3S", "AH")
    )


def test_a_hand_with_a_missed_card_stays_hidden(house: House) -> None:
    house.deal(1, "KH", "QH", "2S", "KS", "3S")
    house.deal(0, "AS", "QS", "JS", "10S", "4S", "5D")
    turn_up(house)
    stand(house)
    assert [action.seat for action in house.actions if action.do == "deal"] == [0]
    house.lay("play 1", "KH")
    house.until(lambda: house.actions[-1] == Action("play", 1, parse_card("KH")))


def test_repeated_events_of_a_deal_do_not_lay_cards_away(stepped: SimulatedBoard, tmp_path: Path) -> None:
    """The deal is stored but not acknowledged, so the reader board repeats its last cards; they are not laid away."""
    house = House(stepped, tmp_path, Header("cribbage", ("Ann", "Bo"), 0))
    house.deal(1, "KH", "QH", "2S", "KS")
    house.pass_board_time(1.0)
    house.deal(1, "3S", "AH")
    house.until(lambda: len(house.actions) == 1)
    assert house.next < 11  # six cards have come, five gone, and the last ones have not been acknowledged
    house.die()
    house.start()
    house.pass_board_time(2.0)
    assert [action.do for action in house.actions] == ["deal"]
    house.die()


def test_cards_of_an_incomplete_hand_do_not_count_for_the_next_hand(house: House) -> None:
    house.deal(1, "KH", "QH", "2S", "KS", "3S")  # one slipped by
    turn_up(house)
    house.board.press(2, True)  # beg
    house.until(lambda: [action.word for action in house.actions[-1:]] == ["beg"])
    house.live.take(Said(0.0, "page", 0, "change"))
    house.until(lambda: house.live.table.phase in ("deal", "turn"))
    house.deal(1, "AH")  # of the next three
    house.pass_board_time(0.5)
    assert "deal" not in [action.do for action in house.actions]


def test_a_hand_dealt_while_nothing_can_be_stored_counts_afterwards(house: House) -> None:
    house.deal(1, "KH", "QH", "2S", "KS", "3S")
    with full_disk(house.path.with_name("journal.sqlite-wal").stat().st_size):
        house.deal(1, "AH")
        house.until(lambda: house.live.snapshot.trouble is not None)
        house.deal(0, "AS", "QS", "JS", "10S", "4S", "5D")
        assert not house.actions
    house.live.retry_store()
    assert sorted((action.do, action.seat) for action in house.actions) == [("deal", 0), ("deal", 1)]
