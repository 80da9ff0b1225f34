"""The simulated table with RFID readers under it instead of a camera above: `cardtable demo --reader simavr`.

The same robots play. Every card has a tag. While a card lies in a zone, its tag is in the field of a simulated reader,
which the real firmware reads on a simulated Arduino (`firmware_bridge.simulated`). Cards that lie face down stay off
the readers, as they must at a real table, because a tag identifies its card whichever side is up.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from cardtable.config.devices import ReaderConfig
from cardtable.simulation.director import Act, Director, Face, GaveUp, ShownBoard
from cardtable.simulation.source import Setting, robots_of
from cardtable.simulation.stage import FPS, PACES, SimulatedCard, Stage
from engine.actions import Action
from engine.games import load_game, word_marks
from engine.observations import ActionCard, Zone
from engine.rules.open_hand import OpenHandGame
from engine.views import Prompt, View
from firmware_bridge.simulated import READERS, SimulatedBoard, SteppedPort, run_all
from firmware_bridge.tags import TagTable
from vision.frames import Frame
from vision.mat.layout import lay_out

PORT: Final = "simavr"
SEVERAL: Final = {"table": 4, "bid": 2}
"""Number of readers for each zone that holds more cards than one reader can distinguish."""
OPEN_HAND: Final = 3
"""Number of readers for a zone in which a hand of up to 13 cards lies open."""
TAGS_A_READER: Final = 6
_UNUSED: Final = ("stock",)
"""Zones without readers, because their cards lie face down."""


class RfidTable:
    """Robots at a table with readers. Close it after use. `folder`: where the tags are stored.

    `already`: the actions in the record of an unfinished game, which the robots resume. `director`: what runs their
    acts. `hands`: end after this many hands of the game; None to play all of it. At the pace `fast` the reader boards
    are stepped: `turn` advances robots and reader boards by one frame, and `time` is their simulated time. Otherwise
    reader boards and robots (`play`) run in real time. Raises `NotBuilt` if the simulated firmware has not been built.
    """

    def __init__(
        self,
        setting: Setting,
        folder: Path,
        already: Sequence[Action] = (),
        director: type[Director] = Director,
        hands: int | None = None,
    ) -> None:
        self.stepped: Final = setting.pace == "fast"
        mat = lay_out(setting.players, load_game(setting.game).zones)
        self.stage: Final = Stage(mat, setting.marks, PACES[setting.pace], setting.seed, word_marks(setting.game))
        acts = _in_words(robots_of(setting, across=True).acts(hands))
        self.director: Final = director(self.stage, acts, random.Random(setting.seed), already)
        self.gave_up: str | None = None
        self.ended = False
        self.frames = 0
        zones = [zone for zone in mat.areas if zone.name not in _UNUSED]
        if setting.known:
            zones += [Zone("deal", seat) for seat in range(setting.players)]
        several = SEVERAL | ({"show": OPEN_HAND} if issubclass(load_game(setting.game), OpenHandGame) else {})
        wired = [zone for zone in zones for _ in range(several.get(zone.name, 1))]
        rows = [wired[start : start + READERS] for start in range(0, len(wired), READERS)]
        self._spots = {zone: [divmod(at, READERS) for at, other in enumerate(wired) if other == zone] for zone in zones}
        self.tags: Final = self._stick_tags(setting.game, folder / f"demo-{setting.game}-tags.json")
        self.boards: Final[list[SimulatedBoard]] = []
        self._lying: dict[SimulatedCard, tuple[tuple[int, int], str]] = {}
        try:
            for at, _ in enumerate(rows):
                # The boot number of each reader board differs from the others, but is the same in every run.
                boot = _number(f"{setting.name}/{at}/{len(already)}") if self.stepped else None
                self.boards.append(SimulatedBoard(boot, stepped=self.stepped))
        except BaseException:
            self.close()
            raise
        self.configs: Final = tuple(
            ReaderConfig.model_construct(name=f"board {at}", port=board.port, tags=self.tags.path, zones=tuple(row))
            for at, (board, row) in enumerate(zip(self.boards, rows, strict=True))
        )
        self._script: Iterator[None] = self.director.run()

    def _stick_tags(self, game: str, path: Path) -> TagTable:
        """Assign a tag to every card of the game, equal ones included, and to every action card."""
        kind = load_game(game)
        tags = TagTable(path)
        # Each player has a set of action cards.
        faces: list[Face] = [
            *kind.deck.cards,
            *(ActionCard(word) for word in kind.vocabulary for _ in range(max(kind.seats))),
        ]
        for face, copies in Counter(faces).items():
            for copy in range(len(tags.uids(face)), copies):
                tags.learn(f"04{hashlib.sha256(f'{face}/{copy}'.encode()).hexdigest()[:12]}", face)
        return tags

    def watch(self, view: Callable[[], View], prompts: Callable[[], tuple[Prompt, ...]]) -> None:
        """Let the robots see the board."""
        self.director.board = ShownBoard(view, prompts)

    def play(self, stop: Callable[[], bool], began: float) -> None:
        """Play in real time, 30 steps per second, until the game ends, the robots give up, or `stop()` is true.

        `began`: the time of the table's start on `time.monotonic`, seconds.
        """
        start = time.monotonic()
        while not self.ended and not stop():
            time.sleep(max(start + self.frames / FPS - time.monotonic(), 0.0))
            self.step(time.monotonic() - began)
            self.frames += 1

    def turn(self) -> None:
        """Advance a stepped table by one frame."""
        self._do_acts()
        self.stage.move_on(self.time)
        self.update_boards()

    def seen(self) -> Frame:
        """Advance a stepped table by one frame and return what a camera above it sees."""
        self._do_acts()
        frame = Frame(self.stage.frame(self.time), self.time, self.frames)
        self.update_boards()
        return frame

    def update_boards(self) -> None:
        """Move the tags where their cards are, and let the stepped boards run for one frame."""
        self._follow()
        run_all(self.boards, 1 / FPS)
        self.frames += 1

    def port(self, address: str) -> SteppedPort:
        """Return the port of the stepped board at `address`. Raises `OSError` if it cannot be opened."""
        return SteppedPort(next(board for board in self.boards if board.port == address))

    @property
    def time(self) -> float:
        """The time that the reader boards have run, seconds."""
        return self.boards[0].time

    def step(self, seconds: float) -> None:
        """Advance the robots by one frame, at the time `seconds`."""
        self._do_acts()
        self.stage.move_on(seconds)
        self._follow()

    def _do_acts(self) -> None:
        try:
            next(self._script)
        except StopIteration:
            self.ended = True
        except GaveUp as reason:
            self.ended, self.gave_up = True, str(reason)

    def _follow(self) -> None:
        """Move the tags to the readers of the zones in which their cards are."""
        lying = [card for card in self.stage.lying() if card.face is not None and card.place.zone in self._spots]
        for card in [card for card in self._lying if not card.lies]:
            (board, reader), uid = self._lying.pop(card)
            self.boards[board].lift(reader, uid)
        for card in lying:
            if card not in self._lying and card.face is not None and card.place.zone is not None:
                spot, uid = self._free(card.place.zone), self._tag(card.face)
                self._lying[card] = spot, uid
                self.boards[spot[0]].lay(spot[1], uid)

    def _free(self, zone: Zone) -> tuple[int, int]:
        """Return the reader of the zone with the fewest tags. Raises `GaveUp` if all are full."""
        taken = Counter(spot for spot, _ in self._lying.values())
        spot = min(self._spots[zone], key=lambda spot: taken[spot])
        if taken[spot] == TAGS_A_READER:
            raise GaveUp(f"no reader in the zone {zone} has room for another card")
        return spot

    def _tag(self, face: Face) -> str:
        """Return the tag of such a card that is not on the table."""
        used = {uid for _, uid in self._lying.values()}
        return next(uid for uid in self.tags.uids(face) if uid not in used)

    def on_readers(self) -> list[SimulatedCard]:
        """Return every card laid in a zone with readers."""
        return [card for card in self.stage.cards_laid if card.place.zone in self._spots and not _passes(card)]

    def close(self) -> None:
        """Close the reader boards. May be called twice."""
        self.ended = True
        for board in self.boards:
            board.close()


def _passes(card: SimulatedCard) -> bool:
    return card.place.zone is not None and card.place.zone.name == "deal"


def _number(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:2], "big") % 0xFFF0 + 1


def _in_words(acts: Iterator[Act]) -> Iterator[Act]:
    """Yield the acts with an action card for each word said by a card face down, which no reader reports."""
    for act in acts:
        if act.kind == "lay" and act.face is None and act.action and act.action.do == "say" and act.action.word:
            word, zone = ActionCard(act.action.word), Zone("say", act.seat)
            yield Act("lay", act.seat, word, zone, action=act.action, expect=act.expect)
            yield Act("lift", act.seat, word, zone, tidy=True)
            yield Act("lay", act.seat, None, act.zone, tidy=True)
        else:
            yield act
