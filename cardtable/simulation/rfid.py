"""The simulated table with RFID readers under it instead of a camera above: `cardtable demo --reader simavr`.

The same robots play. Every card has a tag; where one lies in a zone, its tag lies in the field of a simulated reader,
which the real firmware reads on a simulated Arduino (`firmware_bridge.simulated`). Cards that lie face down stay off
the readers, as they must at a real table, where a tag identifies its card whichever side is up.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from cardtable.config.readers import ReaderConfig
from cardtable.simulation.acts import Act, Face
from cardtable.simulation.director import Board, Director, GaveUp
from cardtable.simulation.pace import FAST, FPS, HUMAN
from cardtable.simulation.source import ROBOTS, Setting
from cardtable.simulation.stage import SimulatedCard, Stage
from engine.actions import Action
from engine.games import load_game, word_marks
from engine.observations import ActionCard, Zone
from engine.referee.prompts import Prompt
from engine.views import View
from firmware_bridge.simulated import READERS, SimulatedBoard, SteppedPort, run_all
from firmware_bridge.tags import TagTable
from vision.frames import Frame
from vision.table.mat import lay_out

PORT: Final = "simavr"
SEVERAL: Final = {"table": 4, "bid": 2}
"""Zones for more cards than one reader can distinguish have this many readers."""
TAGS_A_READER: Final = 6
_UNUSED: Final = ("stock",)
"""Nothing is to be read there: the cards lie face down."""


class RfidTable:
    """Robots at a table with readers. To be closed. `folder`: where the tags are kept. Raises `NotBuilt`.

    `already`: what the record of an unfinished game holds; the robots go on from there. At the pace `fast` the boards
    are stepped: `turn` lets robots and boards do what they do in one frame, and `time` is theirs. Otherwise boards and
    robots (`play`) keep the pace of real ones.
    """

    def __init__(self, setting: Setting, folder: Path, already: Sequence[Action] = ()) -> None:
        self.stepped: Final = setting.pace == "fast"
        mat = lay_out(setting.players, load_game(setting.game).zones)
        pace = FAST if setting.pace == "fast" else HUMAN
        self.stage: Final = Stage(mat, setting.marks, pace, setting.seed, word_marks(setting.game))
        players = ROBOTS[setting.game](
            setting.header, random.Random(f"{setting.game}/{setting.players}/{setting.seed}")
        )
        players.across = setting.known
        self.director: Final = Director(self.stage, _in_words(players.acts()), random.Random(setting.seed), already)
        self.gave_up: str | None = None
        self.ended = False
        self.frames = 0
        zones = [zone for zone in mat.areas if zone.name not in _UNUSED]
        if setting.known:
            zones += [Zone("deal", seat) for seat in range(setting.players)]
        wired = [zone for zone in zones for _ in range(SEVERAL.get(zone.name, 1))]
        rows = [wired[start : start + READERS] for start in range(0, len(wired), READERS)]
        self._spots = {zone: [divmod(at, READERS) for at, other in enumerate(wired) if other == zone] for zone in zones}
        self.tags: Final = self._stick_tags(setting.game, folder / f"demo-{setting.game}-tags.json")
        self.boards: Final[list[SimulatedBoard]] = []
        self._lying: dict[SimulatedCard, tuple[tuple[int, int], str]] = {}
        try:
            for at, _ in enumerate(rows):
                # Their starts have numbers of their own, but the same at every run: everything goes the same way then.
                boot = _number(f"{setting.name}/{at}/{len(already)}") if self.stepped else None
                self.boards.append(SimulatedBoard(boot, stepped=self.stepped))
        except BaseException:
            self.close()
            raise
        self.configs: Final = tuple(
            ReaderConfig(name=f"board {at}", port=board.port, tags=self.tags.path, zones=tuple(map(str, row)))
            for at, (board, row) in enumerate(zip(self.boards, rows, strict=True))
        )
        self._script: Iterator[None] = self.director.run()

    def _stick_tags(self, game: str, path: Path) -> TagTable:
        """A tag on every card of the game, equal ones included, and on every action card."""
        kind = load_game(game)
        tags = TagTable(path)
        # Every player has action cards of his own.
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
        self.director.board = Board(view, prompts)

    def play(self, stop: Callable[[], bool], began: float) -> None:
        """Play until the game, the robots, or `stop()` ends it, a step every thirtieth of a second from `began` on."""
        start = time.monotonic()
        while not self.ended and not stop():
            time.sleep(max(start + self.frames / FPS - time.monotonic(), 0.0))
            self.step(time.monotonic() - began)
            self.frames += 1

    def turn(self) -> None:
        """One frame of a stepped table."""
        self.step(self.time)
        self._pass_time()

    def seen(self) -> Frame:
        """One frame of a stepped table, seen by a camera above it as well."""
        self._do_acts()
        frame = Frame(self.stage.frame(self.time), self.time, self.frames)
        self._follow()
        self._pass_time()
        return frame

    def _pass_time(self) -> None:
        run_all(self.boards, 1 / FPS)
        self.frames += 1

    def port(self, address: str) -> SteppedPort:
        """The port of the stepped board at `address`. Raises `OSError`."""
        return SteppedPort(next(board for board in self.boards if board.port == address))

    @property
    def time(self) -> float:
        """Seconds that the boards have run."""
        return self.boards[0].time

    def step(self, seconds: float) -> None:
        """Let the robots do what they do in one frame."""
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
        """Bring the tags to where their cards lie."""
        lying = [piece for piece in self.stage.lying() if piece.face is not None and piece.place.zone in self._spots]
        for piece in [piece for piece in self._lying if not piece.lies]:
            (board, reader), uid = self._lying.pop(piece)
            self.boards[board].lift(reader, uid)
        for piece in lying:
            if piece not in self._lying and piece.face is not None and piece.place.zone is not None:
                spot, uid = self._free(piece.place.zone), self._tag(piece.face)
                self._lying[piece] = spot, uid
                self.boards[spot[0]].lay(spot[1], uid)

    def _free(self, zone: Zone) -> tuple[int, int]:
        """The reader of the zone with the fewest tags."""
        taken = Counter(spot for spot, _ in self._lying.values())
        spot = min(self._spots[zone], key=lambda spot: taken[spot])
        if taken[spot] == TAGS_A_READER:
            raise GaveUp(f"no reader in the zone {zone} has room for another card")
        return spot

    def _tag(self, face: Face) -> str:
        """A tag on such a card that does not lie on the table."""
        used = {uid for _, uid in self._lying.values()}
        return next(uid for uid in self.tags.uids(face) if uid not in used)

    def on_readers(self) -> list[SimulatedCard]:
        """Every card that was laid where it can be read."""
        return [piece for piece in self.stage.pieces if piece.place.zone in self._spots and not _passes(piece)]

    def close(self) -> None:
        """Take the boards away. May be called twice."""
        self.ended = True
        for board in self.boards:
            board.close()


def _passes(piece: SimulatedCard) -> bool:
    return piece.place.zone is not None and piece.place.zone.name == "deal"


def _number(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:2], "big") % 0xFFF0 + 1


def _in_words(acts: Iterator[Act]) -> Iterator[Act]:
    """A card laid face down says nothing to a reader: who says something by it lays the action card as well."""
    for act in acts:
        if act.kind == "lay" and act.face is None and act.action and act.action.do == "say" and act.action.word:
            word, zone = ActionCard(act.action.word), Zone("say", act.seat)
            yield Act("lay", act.seat, word, zone, action=act.action, expect=act.expect)
            yield Act("lift", act.seat, word, zone, tidy=True)
            yield Act("lay", act.seat, None, act.zone, tidy=True)
        else:
            yield act
