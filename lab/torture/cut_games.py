"""Short games planned by robots, and their journals cut before any action."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from cardtable.journal.journal import Journal
from cardtable.simulation.director import Act
from cardtable.simulation.robots import load_robots
from cardtable.simulation.source import NAMES
from engine.actions import Action
from engine.record import Header
from tests.cardtable.stored import append
from tests.short_games import short_options

PART: Final = 4
"""Part of the usual points of a game that are played: some hands, so that a cut lies before, in and after each."""


class Cut(NamedTuple):
    """Where a game is cut: before action number `action`. `ahead`: acts done while the program was down."""

    action: int
    ahead: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole game as robots play it: its `header`, every act, and the actions that result from the acts, in order."""

    header: Header
    seed: int
    acts: tuple[Act, ...]
    actions: tuple[Action, ...]

    @property
    def name(self) -> str:
        """The game as a line of text: `its-15 with 3, seed 1`."""
        return f"{self.header.game} with {len(self.header.players)}, seed {self.seed}"


def plan(game: str, players: int, seed: int) -> Plan:
    """Let robots play a short game."""
    kind = load_robots(game)
    header = Header(game, NAMES[:players], None if kind.cut_for_deal else seed % players, short_options(game, PART))
    acts = tuple(kind(header, random.Random(f"resuming/{game}/{players}/{seed}")).acts())
    return Plan(header, seed, acts, tuple(act.action for act in acts if act.action))


def cuts(plan: Plan, rng: random.Random) -> Iterator[Cut]:
    """Yield two cuts before each action: with the table as in the journal, and with some acts done since."""
    for action in range(len(plan.actions)):
        yield Cut(action, 0)
        if action:  # otherwise the game is new
            yield Cut(action, rng.randint(1, 4))


class Journals:
    """The journal of one game, cut before any action. `folder` is empty."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan = plan
        self.path = folder / "cut.sqlite"

    def cut(self, action: int) -> None:
        """Write the journal as it was after the first `action` actions to `path`."""
        for file in self.path.parent.glob(f"{self.path.name}*"):
            file.unlink()
        with closing(Journal(self.path)) as journal:
            journal.begin(self._plan.header)
            append(journal, self._plan.actions[:action])


def standing(actions: Iterable[Action]) -> list[Action]:
    """Return the actions that stand: without undo actions and what they took back."""
    out: list[Action] = []
    for action in actions:
        if action.do == "undo":
            out.pop()
        else:
            out.append(action)
    return out
