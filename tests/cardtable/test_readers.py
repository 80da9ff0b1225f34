"""Readers in the game: the real firmware, bridge, journal and controller; what is stored is acknowledged, once."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cardtable.controller import Controller
from cardtable.journal import Heard, Journal
from cardtable.reader_config import ReaderConfig
from cardtable.readers import Readers, open_readers
from cardtable.shown import Shown
from engine.actions import Action
from engine.cards import Card, parse_card
from engine.observations import Said, Scene, Sighting, Zone
from engine.record import Header
from engine.table import Table
from firmware_bridge.lying import FLICKER_S
from firmware_bridge.simulated import SimulatedBoard, SteppedPort
from firmware_bridge.tags import TagTable

HEADER = Header("all-fives", ("Ann", "Bo"), 0)
ZONES = ("play 0", "play 1", "turn-up", "deal 0", "deal 1", "say 0", "say 1", "show 0")
PATIENCE_S = 30.0
"""Of the board's time, which is everybody's here: it goes on step by step."""
STEP_S = 0.02


class House:
    """A table with readers that plays in one thread: the loop of `Play`, step by step."""

    def __init__(self, board: SimulatedBoard, folder: Path, header: Header = HEADER) -> None:
        self.board = board
        self.header = header
        self.tags = TagTable(folder / "tags.json")
        for number, card in enumerate(("AS", "KS", "QS", "JS", "10S", "2S", "AH", "KH", "QH", "3S", "4S", "2H", "5D")):
            if not self.tags.uids(parse_card(card)):
                self.tags.learn(f"04aabb{number:02x}", parse_card(card))
        self.config = ReaderConfig(
            port=board.port,
            tags=self.tags.path,
            zones=ZONES,
            buttons=("stand 1", "undo", "beg 1"),
            lights=("seat 0", "", "seat 1"),
        )
        self.path = folder / "journal.sqlite"
        self.shown: list[Shown] = []
        self.start()

    def start(self) -> None:
        self.journal = Journal(self.path)
        last = self.journal.last()
        if last:
            self.journal.resume(last)
        else:
            self.journal.begin(self.header)
        self.controller = Controller(Table(self.header), self.journal, self.show, last.actions if last else ())
        self.readers: Readers = open_readers(
            [self.config], self.journal, lambda: self.board.time, stepped=lambda address: SteppedPort(self.board)
        )[0]
        self.readers.show(self.shown[-1])

    def show(self, shown: Shown) -> None:
        self.shown.append(shown)
        if len(self.shown) > 1:
            self.readers.show(shown)

    def die(self) -> None:
        """As if the program was killed: nothing more is sent or stored."""
        self.readers.close()
        self.journal.close()

    def until(self, reached: Callable[[], bool]) -> None:
        end = self.board.time + PATIENCE_S
        while not reached():
            assert self.board.time < end, f"waited in vain; prompts: {self.controller.shown.prompts}"
            self.board.run(STEP_S)
            for report in self.readers.step():
                self.readers.taken(report, self.controller)

    def pass_board_time(self, seconds: float) -> None:
        end = self.board.time + seconds
        self.until(lambda: self.board.time >= end)

    def uid(self, card: str) -> str:
        return self.tags.uids(parse_card(card))[0]

    def lay(self, zone: str, card: str) -> None:
        self.board.lay(ZONES.index(zone), self.uid(card))

    def lift(self, zone: str, card: str) -> None:
        self.board.lift(ZONES.index(zone), self.uid(card))

    def deal(self, seat: int, *cards: str) -> None:
        """Card after card is pushed across the seat's reader."""
        for card in cards:
            self.lay(f"deal {seat}", card)
            self.until(lambda: self.dealt(seat, card))  # noqa: B023
            self.lift(f"deal {seat}", card)

    def dealt(self, seat: int, card: str) -> bool:
        return any(
            parse_card(card) in dict(c for c in cards.values()).values() for s, cards in self.passed() if s == seat
        )

    def passed(self) -> list[tuple[int, dict[str, tuple[int, Card]]]]:
        return list(self.readers._lying.passed.items())

    @property
    def next(self) -> int:
        """The number of the first event that is not acknowledged."""
        mark = self.readers._bridge.link.mark
        return mark.next if mark else 0

    @property
    def actions(self) -> list[Action]:
        return list(self.controller.table.actions)

    def texts(self) -> list[str]:
        return [prompt.text for prompt in self.controller.shown.prompts]

    def kinds(self) -> list[str]:
        return [prompt.kind for prompt in self.controller.shown.prompts]


@pytest.fixture
def house(stepped: SimulatedBoard, tmp_path: Path) -> Iterator[House]:
    house = House(stepped, tmp_path)
    yield house
    house.die()


def turn_up(house: House, card: str = "2H") -> None:
    house.lay("turn-up", card)
    house.until(lambda: Action("turn", card=parse_card(card)) in house.actions)


def stand(house: House) -> None:
    house.board.press(0, True)
    house.until(lambda: house.controller.table.phase == "play")
    house.board.press(0, False)


def test_hands_dealt_across_readers_are_known_and_a_revoke_is_refused_at_once(house: House) -> None:
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


def test_a_hand_of_which_a_card_slipped_by_stays_hidden(house: House) -> None:
    house.deal(1, "KH", "QH", "2S", "KS", "3S")
    house.deal(0, "AS", "QS", "JS", "10S", "4S", "5D")
    turn_up(house)
    stand(house)
    assert [action.seat for action in house.actions if action.do == "deal"] == [0]
    house.lay("play 1", "KH")
    house.until(lambda: house.actions[-1] == Action("play", 1, parse_card("KH")))


def test_a_card_that_camera_and_reader_report_is_laid_once(house: House) -> None:
    turn_up(house)
    stand(house)
    house.lay("play 1", "KS")
    house.until(lambda: len(house.actions) == 3)
    seen = Sighting("t7", parse_card("KS"), Zone("play", 1), 1.0)
    turned = Sighting("t6", parse_card("2H"), Zone("turn-up"), 0.5)
    house.controller.take(Scene(1.5, "camera", (turned, seen)))
    assert len(house.actions) == 3
    also = Sighting("t8", parse_card("AS"), Zone("play", 0), 2.0)
    house.controller.take(Scene(2.5, "camera", (turned, seen, also)))
    assert house.actions[-1] == Action("play", 0, parse_card("AS"))
    house.lay("play 0", "AS")
    house.pass_board_time(0.6)
    assert len(house.actions) == 4
    house.lift("play 0", "AS")  # the camera still sees it
    house.pass_board_time(0.6)
    assert len(house.actions) == 4
    assert house.kinds() == [house.controller.shown.prompts[-1].kind]


def test_the_lights_of_the_seats_say_whose_turn_it_is(house: House) -> None:
    turn_up(house)
    house.until(lambda: house.board.lights == 0b100)  # Bo stands or begs; light 1 is nobody's
    stand(house)
    house.lay("play 1", "KS")
    house.until(lambda: house.board.lights == 0b001)
    house.lay("play 0", "2H")  # it lies turned up, and cannot be played
    house.until(lambda: "take-back" in house.kinds())
    seen = set()
    for _ in range(60):
        house.pass_board_time(0.02)
        seen.add(house.board.lights)
    assert seen == {0b000, 0b001}  # it blinks
    house.board.reset()
    house.until(lambda: house.board.lights == 0)
    house.until(lambda: house.board.lights == 0b001)


def test_cards_laid_away_across_the_reader_leave_a_known_hand(stepped: SimulatedBoard, tmp_path: Path) -> None:
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
    house.die()


def test_a_deal_told_again_after_the_program_died_lays_nothing_away(stepped: SimulatedBoard, tmp_path: Path) -> None:
    """Stored, and not acknowledged: the board tells the last cards of the deal again, which are nothing laid away."""
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


def test_what_passed_of_a_hand_that_stayed_hidden_is_nothing_of_the_next(house: House) -> None:
    house.deal(1, "KH", "QH", "2S", "KS", "3S")  # one slipped by
    turn_up(house)
    house.board.press(2, True)  # beg
    house.until(lambda: [action.word for action in house.actions[-1:]] == ["beg"])
    house.controller.take(Said(0.0, "page", 0, "change"))
    house.until(lambda: house.controller.table.phase in ("deal", "turn"))
    house.deal(1, "AH")  # of the next three
    house.pass_board_time(0.5)
    assert "deal" not in [action.do for action in house.actions]


def test_a_button_speaks_and_takes_back(house: House) -> None:
    turn_up(house)
    stand(house)
    assert house.actions[-1] == Action("say", 1, word="stand")
    house.board.press(1, True)
    house.until(lambda: house.controller.table.phase == "say")
    house.board.press(1, False)
    house.pass_board_time(0.2)
    assert len(house.actions) == 1


def test_a_button_pressed_before_the_program_died_speaks_once(house: House) -> None:
    """Stored, but not acknowledged: the board tells it again, and it is known to be dealt with."""
    turn_up(house)
    house.board.press(0, True)
    reports = []
    while not any(report.observation and not isinstance(report.observation, Scene) for report in reports):
        house.board.run(STEP_S)
        reports = house.readers.step()
    for report in reports:
        house.readers.taken(report, house.controller)  # stored; the acknowledgement would go out with the next step
    assert house.controller.table.phase == "play"
    house.die()
    house.start()
    assert house.controller.table.phase == "play"
    house.board.press(0, False)
    house.board.press(1, True)
    house.until(lambda: house.controller.table.phase == "say")  # the undo came after it, and nothing in between
    assert [action.do for action in house.actions] == ["turn"]


def test_a_button_pressed_before_the_program_died_and_not_stored_speaks_later(house: House) -> None:
    turn_up(house)
    house.board.press(0, True)
    reports = []
    while not any(report.observation and not isinstance(report.observation, Scene) for report in reports):
        house.board.run(STEP_S)
        reports = house.readers.step()
    house.die()
    house.start()
    assert house.controller.table.phase == "say"
    house.until(lambda: house.controller.table.phase == "play")
    assert house.actions[-1] == Action("say", 1, word="stand")


def test_what_cannot_be_stored_is_not_acknowledged(house: House) -> None:
    turn_up(house)
    stand(house)
    house.until(lambda: house.next == 3)  # the card turned up, and the button down and up
    blocker = sqlite3.connect(house.path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")  # another program holds the file
    house.lay("play 1", "KS")
    house.until(lambda: house.controller.shown.trouble is not None)
    house.pass_board_time(0.5)
    assert len(house.actions) == 2
    assert house.next == 3
    blocker.execute("ROLLBACK")
    blocker.close()
    house.controller.again()
    assert house.actions[-1] == Action("play", 1, parse_card("KS"))
    house.lay("play 0", "AS")
    house.until(lambda: house.next == 5)


def test_a_reader_that_fails_is_told_and_the_others_go_on(house: House) -> None:
    house.until(lambda: bool(house.controller.shown.sources))
    house.board.attach(7, False)
    troubles = lambda: {source.name: source.trouble for source in house.controller.shown.sources}  # noqa: E731
    house.until(lambda: bool(troubles().get("readers, reader 7")))
    assert "Reader 7 (show 0) of readers does not answer" in str(troubles()["readers, reader 7"])
    turn_up(house)
    house.board.attach(7, True)
    house.until(lambda: troubles()["readers, reader 7"] is None)


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


def test_the_journal_keeps_how_far_a_source_is_heard(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    journal.begin(HEADER)
    assert journal.heard("readers") is None
    journal.append([], heard=Heard("readers", 7, 3))
    journal.append([Action("turn", card=parse_card("2H"))], heard=Heard("readers", 7, 5))
    journal.close()
    assert Journal(tmp_path / "journal.sqlite").heard("readers") == Heard("readers", 7, 5)
