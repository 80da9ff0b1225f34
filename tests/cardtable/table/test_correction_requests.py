"""Messages that correct the game: what each does to the record and the table, and with what words it is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from cardtable.journal.journal import Journal
from cardtable.languages import translator
from cardtable.web.state import HistoryLines, state_of
from engine.cards import parse_card
from engine.observations import Lost, Said, Sighting, Zone
from engine.record import Header
from engine.texts import as_written
from tests.cardtable.table.corrected_game import Game, why
from tests.engine.deal_readers import DealReaders


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        yield journal


@pytest.fixture
def game(journal: Journal) -> Game:
    game = Game(journal)
    game.begin()
    return game


def test_a_card_is_replaced_from_the_felt(game: Game) -> None:
    assert game.ask("correct-card", line=game.line("1 play KS"), card="KS", to="QS", who="seat 0: Ann") is None
    assert game.record[2:] == ["1 play QS", "0 play 3S"] and game.kinds == ["corrected", "turn"]
    assert [str(card) for _, card in game.kept] == ["QS"]
    state = state_of(game.now, "All Fives", cameras={"camera"})
    assert [entry.get("by") for entry in state["history"]][:3] == [None, None, "seat 0: Ann"]
    assert state["history"][2]["text"] == "Corrected: Bo plays Q♠, not K♠."
    assert [(card["card"], card["n"]) for card in state["lying"]] == [
        ("2H", 2), ("QS", game.line("1 play QS")), ("3S", game.line("0 play 3S")),
    ]  # fmt: skip
    assert [(card["card"], card["n"]) for card in state["seen"]][1:] == [("QS", 8), ("3S", 9)]
    assert HistoryLines(translator("fr")).of(game.now)[2]["text"] == "Corrigé\u00a0: Bo joue Q♠, pas K♠."


def test_a_correction_that_does_not_fit_asks_and_then_stops_there(game: Game) -> None:
    game.take(game.scenes.lift("KS", "3S"))
    assert game.record[-1] == "1 gather"
    line = game.line("0 play 3S")
    refusal = game.ask("correct-card", line=line, card="3S", to="AS")
    assert refusal is not None and refusal["misfit"]["action"] == "Bo gathers the trick"
    assert "Ann" in refusal["misfit"]["reason"] and refusal["misfit"]["lost"] == ["Bo gathers the trick"]
    assert game.record[-1] == "1 gather" and not game.made
    assert game.ask("correct-card", line=line, card="3S", to="AS", stop=True) is None
    assert game.record[3] == "0 play AS"
    assert game.made == ["Corrected: Ann plays A♠, not 3♠. 1 later action undone."]


def test_a_card_that_is_not_there_is_removed_from_the_picture(game: Game) -> None:
    card_id = next(card.card_id for card in game.now.placed if card.line == game.line("0 play 3S"))
    assert game.ask("name-card", source="camera", id=card_id) is None
    assert game.record[-1] == "1 play KS" and game.made == ["Corrected: 3♠ was not there (Ann plays 3♠)."]
    game.take(game.scenes.again())
    assert game.record[-1] == "1 play KS" and game.kinds[-1] == "turn"


def test_a_card_is_named_in_the_picture_before_it_counts(game: Game) -> None:
    game.take(game.scenes.lift("KS", "3S"))
    game.take(game.scenes.lay("3S", "play", 1))  # it is 3♣
    assert "take-back" in game.kinds
    card_id = next(card.card_id for card in game.now.placed if card.line is None and card.face == parse_card("3S"))
    assert game.ask("name-card", source="camera", id=card_id, card="3C") is None
    assert game.record[-1] == "1 play 3C" and game.kinds == ["corrected", "turn"]
    assert game.made == ["Corrected: the card is 3♣, not 3♠."]
    counted = next(card.card_id for card in game.now.placed if card.line == game.line("1 play 3C"))
    assert game.ask("name-card", source="camera", id=counted, card="4C") is None
    assert game.record[-1] == "1 play 4C"


def test_an_unreadable_card_is_named(game: Game) -> None:
    game.take(game.scenes.lift("KS", "3S"))
    scene = game.scenes.again()
    unread = Sighting("dark", None, Zone("play", 1), scene.time)
    game.take(replace(scene, sightings=(*scene.sightings, unread)))
    assert "unreadable" in game.kinds
    assert game.ask("name-card", source="camera", id="dark", card="JD") is None
    assert game.record[-1] == "1 play JD"


def test_cards_are_added_and_actions_removed(game: Game) -> None:
    game.take(game.scenes.lift("KS", "3S"))
    assert game.ask("add-card", seat=1, card="9D") is None
    assert game.record[-1] == "1 play 9D" and game.kinds == ["corrected", "turn"]
    assert game.ask("correct-card", line=game.line("1 play 9D")) is None
    assert game.record[-1] == "1 gather"
    assert game.made == ["Added: Bo plays 9♦.", "Corrected: this did not happen: Bo plays 9♦."]
    refusal = game.ask("add-card", seat=0, card="9D", before=game.line("1 play KS"))
    assert why(refusal) == "Only Bo may play now."


def test_a_turn_up_is_added_and_corrected(journal: Journal) -> None:
    game = Game(journal)
    game.take(game.scenes.again())
    assert game.ask("add-card", card="2H") is None
    assert game.record == ["turn 2H"]
    assert game.ask("correct-card", line=2, card="2H", to="3H") is None
    assert game.record == ["turn 3H"]


def test_a_cut_is_given_to_another_seat(journal: Journal) -> None:
    game = Game(journal, Header("all-fives", ("Ann", "Bo")))
    game.take(game.scenes.again())
    game.take(game.scenes.lay("9D", "play", 0))
    assert game.record == ["0 cut 9D"]
    assert game.ask("correct-card", line=2, card="9D", seat=1) is None
    assert game.record == ["1 cut 9D"]
    game.take(game.scenes.lay("8C", "play", 0))
    assert game.record == ["1 cut 9D", "0 cut 8C"] and game.kinds == ["turn"]


def test_undo_to_a_point_and_at_the_very_beginning(game: Game) -> None:
    assert game.ask("undo-to", line=game.line("1 say stand")) is None
    assert game.record == ["turn 2H", "1 say stand"] and game.made == ["Taken back: 2 actions."]
    assert game.ask("undo-to", line=1) is None
    assert game.record == []


def test_refusals_say_what_to_do(game: Game) -> None:
    line = game.line("1 play KS")
    assert "look again" in why(game.ask("correct-card", n=1, line=line, card="KS", to="QS"))
    assert "no longer stands" in why(game.ask("correct-card", line=99, card="KS", to="QS"))
    assert "does not name" in why(game.ask("correct-card", line=line, card="QS", to="JS"))
    assert "already" in why(game.ask("correct-card", line=line, card="KS", to="KS"))
    assert "which card" in why(game.ask("correct-card", line=line, to="QS"))
    assert "seat" in why(game.ask("correct-card", line=line, card="KS", seat=7))
    assert "seat" in why(game.ask("add-card", card="KS", seat=7))
    assert "already" in why(game.ask("add-card", card="2H", before=game.line("turn 2H")))
    assert "no seat" in why(game.ask("correct-card", line=game.line("turn 2H"), card="2H", seat=1))
    assert "not a card" in why(game.ask("correct-card", line=line, card="KS", to="XX"))
    assert "no longer there" in why(game.ask("name-card", source="camera", id="gone"))
    assert "already agree" in why(game.ask("table-is-right"))
    assert "already" in why(game.ask("correct-card", line=line, card="KS", to="2H"))
    assert not game.made and game.kinds == ["turn"]


def test_what_only_the_table_knows_of_a_hand_is_not_said(journal: Journal) -> None:
    game = Game(journal)
    readers, hands = DealReaders(), {0: "AS KS QS JS 10S 9S", 1: "AD KD QD JD 10D 9D"}
    game.take(game.scenes.again())
    for seat, hand in hands.items():
        game.take(readers.swipe(0.0, seat, map(parse_card, hand.split())))
    game.take(game.scenes.lay("2H", "turn-up"))
    game.take(Said(0.0, "page", 1, "stand"))
    game.take(game.scenes.lay("AD", "play", 1))
    line = game.line("1 play AD")
    refusals = {why(game.ask("correct-card", line=line, card="AD", to=card)) for card in ("AS", "3C", "7H")}
    assert refusals == {"The rules do not allow that here."}
    dealt = next(entry.n for entry in game.now.history if entry.action.do == "deal")
    assert "not shown" in why(game.ask("correct-card", line=dealt, card="AS", to="3S"))
    assert "not shown" in why(game.ask("correct-card", line=dealt, card="7C", to="3S"))


# The table is right


@pytest.fixture
def three(journal: Journal) -> Game:
    """A trick of three players in which Bo has led K♠ and Cy has played 3♠."""
    game = Game(journal, Header("all-fives", ("Ann", "Bo", "Cy"), 0))
    game.take(game.scenes.again())
    game.take(game.scenes.lay("2H", "turn-up"))
    game.take(Said(0.0, "page", 1, "stand"))
    game.take(game.scenes.lay("KS", "play", 1))
    game.take(game.scenes.lay("3S", "play", 2))
    assert game.record == ["turn 2H", "1 say stand", "1 play KS", "2 play 3S"]
    return game


def test_two_cards_of_a_trick_change_places(three: Game) -> None:
    line = three.line("1 play KS")
    assert why(three.ask("correct-card", line=line, card="KS", seat=0)) == "It was not the turn of Ann then."
    assert three.ask("correct-card", line=line, card="KS", seat=2) is None
    assert three.record[2:] == ["1 play 3S", "2 play KS"]
    assert [(str(entry.card), entry.zone.seat) for entry in three.now.view.lying] == [
        ("2H", None),
        ("3S", 1),
        ("KS", 2),
    ]
    assert [made.what.sentence(("Ann", "Bo", "Cy")) for made in three.journal.corrections] == [
        "Corrected: Cy plays K♠, not 3♠."
    ]
    assert three.kinds == ["corrected", "turn"]
    three.take(three.scenes.lay("4S", "play", 0))
    three.take(three.scenes.lift("KS", "3S", "4S"))
    assert three.record[4:] == ["0 play 4S", "2 gather"]


def test_the_table_is_right_replaces_a_card_that_was_exchanged_unseen(three: Game) -> None:
    three.take(three.scenes.lift("KS"))
    three.take(three.scenes.lay("QS", "play", 1))
    assert {"take-back", "put-back"} <= set(three.kinds)
    assert three.ask("table-is-right") is None
    assert three.record == ["turn 2H", "1 say stand", "1 play QS", "2 play 3S"]
    assert three.kinds == ["corrected", "turn"]
    assert three.made == ["The record was made to agree with the table."]
    three.take(three.scenes.lay("4S", "play", 0))
    three.take(three.scenes.lift("QS", "3S", "4S"))
    assert three.record[4:] == ["0 play 4S", "1 gather"]


def test_the_table_is_right_removes_cards_that_were_never_played(three: Game) -> None:
    three.take(three.scenes.lift("KS", "3S"))
    assert "put-back" in three.kinds
    assert three.ask("table-is-right") is None
    assert three.record == ["turn 2H", "1 say stand"] and three.kinds == ["corrected", "turn"]


def test_the_table_is_right_takes_a_card_as_another_seat_s(three: Game) -> None:
    three.take(three.scenes.lift("3S"))
    three.take(three.scenes.lay("9S", "play", 2))
    three.take(three.scenes.lay("4S", "play", 0))
    assert three.record[-1] == "0 play 4S" and "2 play 9S" in three.record


def test_the_table_is_right_says_if_no_correction_explains_it(three: Game) -> None:
    three.take(three.scenes.lift("KS"))
    for card in ("4D", "5D", "6D"):  # Bo lays three cards
        three.take(three.scenes.lay(card, "play", 1))
    before = three.record
    assert "one by one" in why(three.ask("table-is-right"))
    assert three.record == before and not three.made


def test_a_word_that_lies_there_is_not_said_again(three: Game) -> None:
    three.take(three.scenes.lay("say:stand", "say", 1))
    before = three.record
    three.take(three.scenes.lift("KS"))
    three.take(three.scenes.lay("QS", "play", 1))
    assert three.ask("table-is-right") is None
    assert three.record == [*before[:2], "1 play QS", "2 play 3S"]


def test_without_a_source_the_table_cannot_be_right(game: Game) -> None:
    game.take(Lost(9.0, "camera", "It is gone."))
    assert "No camera" in why(game.ask("table-is-right"))
    assert "No camera" in why(game.ask("record-is-right"))


# The record is right


def test_the_record_is_right_says_which_card_goes_where_until_they_agree(three: Game) -> None:
    record = three.record
    three.take(three.scenes.lift("KS"))
    three.take(three.scenes.lay("7C", "play", 1))
    assert three.ask("record-is-right", who="seat 1: Bo") is None
    assert three.now.restoring == 2 and three.kinds == ["restore", "turn"]
    assert three.now.prompts[0].text == "Take 7♣ away: it lies in front of Bo. Then 1 more."
    assert not any(prompt.urgent for prompt in three.now.prompts)
    three.take(three.scenes.lift("7C", "3S"))
    assert three.now.prompts[0].text == "Lay K♠ in front of Bo. Then 1 more."
    three.take(three.scenes.lay("3S", "play", 2))
    assert three.now.prompts[0].text == "Lay K♠ in front of Bo."
    assert three.record == record
    count = len(three.shown)
    three.take(three.scenes.lay("KS", "play", 1))
    assert three.now.prompts[0].text == "The table agrees with the record again."
    assert three.now.restoring is None and three.record == record and len(three.shown) == count + 1
    assert three.made == ["The record is right: the cards are put back as it has them."]
    three.take(three.scenes.lay("4S", "play", 0))
    assert three.record == [*record, "0 play 4S"] and three.kinds == ["turn"]


def test_the_record_is_right_at_once_or_is_given_up(three: Game) -> None:
    assert three.ask("record-is-right") is None
    assert three.now.restoring is None and three.kinds == ["corrected", "turn"]
    three.take(three.scenes.lift("KS"))
    assert three.ask("record-is-right") is None
    assert three.kinds[0] == "restore"
    assert three.ask("record-is-right", on=False) is None
    assert "put-back" in three.kinds and three.now.restoring is None
    assert "corrected" not in three.kinds, "no card is put back now"


def test_corrections_are_listed_newest_first(three: Game) -> None:
    three.take(three.scenes.lift("KS", "3S"))
    assert three.ask("record-is-right") is None
    assert three.ask("record-is-right", on=False) is None
    assert three.ask("table-is-right") is None
    listed = [entry["text"] for entry in HistoryLines(as_written).of(three.now) if "by" in entry]
    assert listed == [
        "The record was made to agree with the table.",
        "The record is right: the cards are put back as it has them.",
    ]
