"""A table with RFID readers that plays in one thread, and methods that lay cards on it; all times are the board's."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

from cardtable.config.devices import ReaderConfig
from cardtable.journal.journal import Journal
from cardtable.table.live_game import LiveGame
from cardtable.table.outputs import ReaderLights
from cardtable.table.readers import RfidSource, open_readers
from cardtable.table.snapshot import Snapshot
from cardtable.table.sources import Received
from engine.actions import Action
from engine.cards import parse_card
from engine.observations import Swiped
from engine.record import Header
from engine.table import Table
from firmware_bridge.simulated import SimulatedBoard, SteppedPort
from firmware_bridge.tags import TagTable
from tests.cardtable.shown import Shown

HEADER = Header("all-fives", ("Ann", "Bo"), 0)
ZONES = ("play 0", "play 1", "turn-up", "deal 0", "deal 1", "say 0", "say 1", "show 0")
PATIENCE_S = 30.0
"""Longest wait, seconds of the reader board's time, which advances step by step."""
STEP_S = 0.02


class House:
    """A table with RFID readers that plays in one thread: the game loop, step by step."""

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
        self.shown: list[Snapshot] = []
        self.swipes: list[Swiped] = []
        self.start()

    def start(self) -> None:
        self.journal = Journal(self.path)
        last = self.journal.last()
        if last:
            self.journal.resume(last.id)
        else:
            self.journal.begin(self.header)
        self.live = LiveGame(Table(self.header), self.journal, [Shown(self.show)], last.actions if last else ())
        self.readers: RfidSource = open_readers(
            [self.config], self.journal, lambda: self.board.time, stepped=self.opened
        )[0]
        self.lights = ReaderLights(self.readers)
        self.lights.show(self.shown[-1], self.live.table.view)

    def opened(self, address: str) -> SteppedPort:
        """Return the reader board's port if that is at `address`."""
        if os.path.realpath(address) != os.path.realpath(self.board.port):
            raise FileNotFoundError(errno.ENOENT, "no such port")
        return SteppedPort(self.board)

    def show(self, shown: Snapshot) -> None:
        self.shown.append(shown)
        if len(self.shown) > 1:
            self.lights.show(shown, self.live.table.view)

    def die(self) -> None:
        """Act as if the program was killed: nothing more is sent or stored."""
        self.readers.close()
        self.journal.close()

    def process(self, received: Received) -> None:
        if isinstance(received.what, Swiped):
            self.swipes.append(received.what)
        self.live.process(received)

    def until(self, reached: Callable[[], bool]) -> None:
        end = self.board.time + PATIENCE_S
        while not reached():
            assert self.board.time < end, f"waited in vain; prompts: {self.live.snapshot.prompts}"
            self.board.run(STEP_S)
            for received in self.readers.step():
                self.process(received)
            self.live.pass_time(self.readers.name, self.readers.now())

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
        """Push cards across the seat's reader, one after the other."""
        for card in cards:
            self.lay(f"deal {seat}", card)
            self.until(lambda: self.dealt(seat, card))  # noqa: B023
            self.lift(f"deal {seat}", card)

    def dealt(self, seat: int, card: str) -> bool:
        swipes = self.swipes[-1].swipes if self.swipes else ()
        return (seat, parse_card(card)) in [(swipe.seat, swipe.card) for swipe in swipes]

    @property
    def next(self) -> int:
        """The number of the first event that is not acknowledged."""
        mark = self.readers._bridge.link.checkpoint
        return mark.next if mark else 0

    @property
    def actions(self) -> list[Action]:
        return list(self.live.table.actions)

    def texts(self) -> list[str]:
        return [prompt.text for prompt in self.live.snapshot.prompts]

    def kinds(self) -> list[str]:
        return [prompt.kind for prompt in self.live.snapshot.prompts]


def turn_up(house: House, card: str = "2H") -> None:
    house.until(
        lambda: "readers" in [source.name for source in house.live.snapshot.sources]
    )  # what lay there before would not count
    house.lay("turn-up", card)
    house.until(lambda: Action("turn", card=parse_card(card)) in house.actions)


def stand(house: House) -> None:
    house.board.press(0, True)
    house.until(lambda: house.live.table.phase == "play")
    house.board.press(0, False)
