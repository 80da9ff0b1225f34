"""RFID readers in the game: real firmware, bridge and journal; stored events are acknowledged once."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from serial.tools import list_ports

from cardtable.journal.journal import Journal, ProcessedEvents
from cardtable.table.sources import Received
from engine.actions import Action
from engine.cards import parse_card
from engine.observations import Scene, Sighting, Zone
from firmware_bridge.simulated import SimulatedBoard
from tests.cardtable.stored import append
from tests.cardtable.table.reader_house import HEADER, STEP_S, ZONES, House, stand, turn_up


@pytest.fixture
def house(stepped: SimulatedBoard, tmp_path: Path) -> Iterator[House]:
    house = House(stepped, tmp_path)
    yield house
    house.die()


def test_a_card_that_camera_and_reader_report_is_laid_once(house: House) -> None:
    turn_up(house)
    stand(house)
    house.lay("play 1", "KS")
    house.until(lambda: len(house.actions) == 3)
    seen = Sighting("t7", parse_card("KS"), Zone("play", 1), 1.0)
    turned = Sighting("t6", parse_card("2H"), Zone("turn-up"), 0.5)
    house.live.take(Scene(1.5, "camera", (turned, seen)))
    assert len(house.actions) == 3
    also = Sighting("t8", parse_card("AS"), Zone("play", 0), 2.0)
    house.live.take(Scene(2.5, "camera", (turned, seen, also)))
    assert house.actions[-1] == Action("play", 0, parse_card("AS"))
    house.lay("play 0", "AS")
    house.pass_board_time(0.6)
    assert len(house.actions) == 4
    house.lift("play 0", "AS")  # the camera still sees it
    house.pass_board_time(0.6)
    assert len(house.actions) == 4
    assert house.kinds() == [house.live.snapshot.prompts[-1].kind]


def test_the_lights_of_the_seats_say_whose_turn_it_is(house: House) -> None:
    turn_up(house)
    house.until(lambda: house.board.lights == 0b100)  # Bo stands or begs; light 1 has no seat
    stand(house)
    house.lay("play 1", "KS")
    house.until(lambda: house.board.lights == 0b001)
    house.lay("play 0", "2H")  # it lies turned up, and cannot be played
    house.until(lambda: "take-back" in house.kinds())
    assert house.board.lights == 0b001  # it may be on its way
    house.until(lambda: any(prompt.urgent for prompt in house.live.snapshot.prompts))
    seen = set()
    for _ in range(60):
        house.pass_board_time(0.02)
        seen.add(house.board.lights)
    assert seen == {0b000, 0b001}  # it blinks
    house.board.reset()
    house.until(lambda: house.board.lights == 0)
    house.until(lambda: house.board.lights == 0b001)


def test_buttons_say_a_word_and_undo(house: House) -> None:
    turn_up(house)
    stand(house)
    assert house.actions[-1] == Action("say", 1, word="stand")
    house.board.press(1, True)
    house.until(lambda: house.live.table.phase == "say")
    house.board.press(1, False)
    house.pass_board_time(0.2)
    assert len(house.actions) == 1


def test_a_stored_button_press_is_not_repeated_after_a_restart(house: House) -> None:
    """The press is stored but not acknowledged, so the board repeats it; the program knows that it is processed."""
    turn_up(house)
    house.board.press(0, True)
    news: list[Received] = []
    while not any(received.what and not isinstance(received.what, Scene) for received in news):
        house.board.run(STEP_S)
        news = house.readers.step()
    for received in news:
        house.process(received)  # stored; the acknowledgement would go out with the next step
    assert house.live.table.phase == "play"
    house.die()
    house.start()
    assert house.live.table.phase == "play"
    house.board.press(0, False)
    house.board.press(1, True)
    house.until(lambda: house.live.table.phase == "say")  # the undo came after it, and nothing in between
    assert [action.do for action in house.actions] == ["turn"]


def test_a_press_of_undo_takes_back_one_action_although_it_is_resent(house: House) -> None:
    turn_up(house)
    stand(house)
    house.pass_board_time(0.5)  # all of it is acknowledged
    house.board.press(1, True)
    house.until(lambda: len(house.actions) == 1)
    house.die()  # before the press is acknowledged: the board sends it again
    house.start()
    house.pass_board_time(1.0)
    assert [action.do for action in house.actions] == ["turn"]


def test_a_press_does_not_overtake_a_card_laid_before_it(house: House) -> None:
    turn_up(house)
    stand(house)
    house.lay("play 1", "KS")
    house.pass_board_time(0.1)
    house.board.press(1, True)
    house.pass_board_time(0.4)
    assert [shown.news[0].action.do for shown in house.shown[-2:]] == ["play", "undo"]


def test_a_button_press_that_was_not_stored_counts_after_a_restart(house: House) -> None:
    turn_up(house)
    house.board.press(0, True)
    news: list[Received] = []
    while not any(received.what and not isinstance(received.what, Scene) for received in news):
        house.board.run(STEP_S)
        news = house.readers.step()
    house.die()
    house.start()
    assert house.live.table.phase == "say"
    house.until(lambda: house.live.table.phase == "play")
    assert house.actions[-1] == Action("say", 1, word="stand")


def test_events_that_cannot_be_stored_are_not_acknowledged(house: House) -> None:
    turn_up(house)
    stand(house)
    house.until(lambda: house.next == 3)  # the card turned up, and the button down and up
    blocker = sqlite3.connect(house.path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")  # another program holds the file
    house.lay("play 1", "KS")
    house.until(lambda: house.live.snapshot.trouble is not None)
    house.pass_board_time(0.5)
    assert len(house.actions) == 2
    assert house.next == 3
    blocker.execute("ROLLBACK")
    blocker.close()
    house.live.retry_store()
    assert house.actions[-1] == Action("play", 1, parse_card("KS"))
    house.until(lambda: house.next == 4)
    house.lay("play 0", "AS")
    house.until(lambda: house.next == 5)


def test_a_press_while_nothing_can_be_stored_is_not_repeated_later(house: House) -> None:
    turn_up(house)
    stand(house)
    house.until(lambda: house.next == 3)
    blocker = sqlite3.connect(house.path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    house.board.press(1, True)  # undo: ignored, the players must press it again
    house.until(lambda: house.live.snapshot.trouble is not None)
    house.pass_board_time(0.2)
    blocker.execute("ROLLBACK")
    blocker.close()
    house.live.retry_store()
    house.die()
    house.start()
    house.pass_board_time(1.0)
    assert [action.do for action in house.actions] == ["turn", "say"]


def test_events_without_an_effect_are_stored_before_they_are_acknowledged(house: House) -> None:
    turn_up(house)
    stand(house)
    house.until(lambda: house.next == 3)  # the button up was the last
    with sqlite3.connect(house.path) as database:
        assert database.execute("SELECT next FROM heard").fetchall() == [(3,)]


def test_a_failing_reader_is_reported_and_the_others_go_on(house: House) -> None:
    house.until(lambda: bool(house.live.snapshot.sources))
    house.board.attach(7, False)
    troubles = lambda: {source.name: source.trouble for source in house.live.snapshot.sources}  # noqa: E731
    house.until(lambda: bool(troubles().get("readers, reader 7")))
    assert "Reader 7 (show 0) of readers does not answer" in str(troubles()["readers, reader 7"])
    turn_up(house)
    house.board.attach(7, True)
    house.until(lambda: troubles()["readers, reader 7"] is None)


def test_a_missing_reader_is_reported_and_the_others_go_on(house: House) -> None:
    house.die()
    house.config = house.config.model_copy(update={"zones": (*house.config.zones, Zone("table"))})
    house.start()
    turn_up(house)
    assert "Reader 8 (table) of readers does not answer: check its wires. The others work." in house.texts()


def test_an_unknown_tag_is_reported(house: House) -> None:
    turn_up(house)
    stand(house)
    house.board.lay(ZONES.index("play 1"), "04ffff01")
    house.until(lambda: "source" in house.kinds())
    message = "The tag 04ffff01 on reader 1 of readers is not known: take it away"
    assert any(text.startswith(message) for text in house.texts())
    house.board.lift(ZONES.index("play 1"), "04ffff01")
    house.until(lambda: house.kinds() == ["turn"])
    house.lay("play 1", "KS")
    house.until(lambda: Action("play", 1, parse_card("KS")) in house.actions)


def test_the_cable_is_pulled_and_plugged_in_again(house: House) -> None:
    turn_up(house)
    house.board.plug(False)
    house.until(lambda: "source" in house.kinds())
    house.board.plug(True)
    house.until(lambda: "source" not in house.kinds())
    stand(house)


def test_after_a_reset_nothing_is_played_twice(house: House) -> None:
    turn_up(house)
    stand(house)
    house.lay("play 1", "KS")
    house.until(lambda: len(house.actions) == 3)
    house.board.reset()
    house.pass_board_time(1.5)
    assert len(house.actions) == 3
    house.lay("play 0", "AS")
    house.until(lambda: len(house.actions) == 4)


def test_the_journal_keeps_which_events_are_processed(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    journal.begin(HEADER)
    assert journal.processed_events("readers") is None
    append(journal, [], event=ProcessedEvents("readers", 7, 3))
    append(journal, [Action("turn", card=parse_card("2H"))], event=ProcessedEvents("readers", 7, 5))
    journal.close()
    assert Journal(tmp_path / "journal.sqlite").processed_events("readers") == ProcessedEvents("readers", 7, 5)


def test_a_board_that_keeps_restarting_is_named_with_the_cause(house: House) -> None:
    def reports() -> list[str]:
        return [source.trouble or "" for source in house.live.snapshot.sources if source.name == "readers, restarts"]

    turn_up(house)
    house.until(lambda: house.board.lights == 0b100)
    for _ in range(3):
        assert not any(reports())
        house.board.power(False)
        house.board.power(True)
        house.until(lambda: house.board.lights == 0)
        house.until(lambda: house.board.lights == 0b100)  # it is connected again
    house.until(lambda: any(reports()))
    assert reports()[0].startswith("readers has restarted 3 times within a minute: its power came.")


@pytest.mark.parametrize("known", [True, False])
def test_a_board_that_was_moved_while_the_table_was_off_is_found(
    house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, known: bool
) -> None:
    """It is known by its serial number once a game has stored something of it, even if another board is there now."""
    device = os.path.realpath(house.board.port)
    number = "95437313234351F0A1B2" if known else None
    board = SimpleNamespace(device=device, vid=0x2341, serial_number=number)
    monkeypatch.setattr(list_ports, "comports", lambda: [board])
    house.die()
    named = tmp_path / "ttyUSB0"
    named.symlink_to(device)
    house.config = house.config.model_copy(update={"port": str(named)})
    house.start()
    turn_up(house)
    house.die()
    named.unlink()
    house.start()
    if known:
        stand(house)
        named.touch()  # another board's
        house.die()
        house.start()
        house.lay("play 1", "KS")
        house.until(lambda: len(house.actions) == 3)
    else:
        house.until(lambda: any("is not connected at" in text for text in house.texts()))
