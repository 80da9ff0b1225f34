"""Short games planned by robots, and their journals cut before any action."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from cardtable.play.journal import Journal
from cardtable.play.stored_games import Result
from cardtable.simulation.acts import Act
from cardtable.simulation.robots import load_robots
from cardtable.simulation.source import NAMES
from engine.actions import Action
from engine.record import Header
from engine.table import Table

OPTIONS: Final[dict[str, dict[str, object]]] = {
    "all-fives": {"target": 16},
    "fifteen": {"target": 6},
    "cribbage": {"target": 41},
    "le-quinze": {"target": 5},
    "its-15": {"rounds": 4},
}
"""Short games: some hands each, so that a cut lies before, in and after each kind of hand."""


class Cut(NamedTuple):
    """Where a game is cut: before action number `action`. `ahead`: acts done while the program was down."""

    action: int
    ahead: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole game as robots play it: its `header`, every act, and the actions that the acts do, in order."""

    header: Header
    seed: int
    acts: tuple[Act, ...]
    actions: tuple[Action, ...]

    @property
    def name(self) -> str:
        """What is played, as a line of text: `its-15 with 3, seed 1`."""
        return f"{self.header.game} with {len(self.header.players)}, seed {self.seed}"


def plan(game: str, players: int, seed: int) -> Plan:
    """Let robots play a short game."""
    kind = load_robots(game)
    header = Header(game, NAMES[:players], None if kind.cut_for_deal else seed % players, OPTIONS[game])
    acts = tuple(kind(header, random.Random(f"resuming/{game}/{players}/{seed}")).acts())
    return Plan(header, seed, acts, tuple(act.action for act in acts if act.action))


def cuts(plan: Plan, rng: random.Random) -> Iterator[Cut]:
    """Yield two cuts before each action: as the journal says, and with some acts done since."""
    for action in range(len(plan.actions)):
        yield Cut(action, 0)
        if action:  # otherwise the game is new
            yield Cut(action, rng.randint(1, 4))


class Journals:
    """The journal of one game, cut before any action. `folder` is empty."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._whole, self.path = folder / "whole.sqlite", folder / "cut.sqlite"
        with closing(Journal(self._whole)) as journal:
            table = Table(plan.header)
            for action in plan.actions:
                table.do(action)
            journal.begin(plan.header)
            journal.append(plan.actions, table.over, result=Result.of(table))

    def cut(self, action: int) -> None:
        """Write the journal, without all actions from number `action`, to `path`."""
        for ending in ("-wal", "-shm"):
            self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
        shutil.copyfile(self._whole, self.path)
        with closing(sqlite3.connect(self.path)) as database, database:
            database.execute("PRAGMA synchronous = OFF")
            database.execute("DELETE FROM action WHERE n >= ?", (action,))
            database.execute("DELETE FROM result")
            database.execute("UPDATE game SET over = 0")


def standing(actions: Iterable[Action]) -> list[Action]:
    """Return the actions that stand: without undos and what they took back."""
    out: list[Action] = []
    for action in actions:
        if action.do == "undo":
            out.pop()
        else:
            out.append(action)
    return out
