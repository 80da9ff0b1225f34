"""Whole games played at random, and journals that hold them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Final

from cardtable.journal.games import Result
from cardtable.journal.journal import Journal
from engine.actions import Action
from engine.record import Header
from engine.table import Outcome, Table
from tests.cardtable.stored import append
from tests.engine.properties.plays import legal_action

GAMES: Final = (
    Header("all-fives", ("Ann", "Bo"), 0, {"target": 12}),
    Header("all-fives", ("Bo", "Cy", "Ann"), 1, {"target": 9}),
    Header("cribbage", ("Ann", "Bo"), 0, {"target": 31}),
    Header("cribbage", ("Ann", "Bo", "Cy", "Di"), 2, {"target": 21}),
    Header("fifteen", ("Di", "Ann"), 0, {"target": 5}),
    Header("le-quinze", ("Ann", "Bo", "Cy"), 0, {"target": 3}),
    Header("its-15", ("Cy", "=Di", "Ann"), 0, {"rounds": 4}),
    Header("hearts", ("Bo", "Ann", "Cy"), 0, {"target": 5}),
)
"""One of each game at least, with two to four players, partners, and a name that a spreadsheet would calculate."""
DAY: Final = 86400.0


@cache
def whole_game(header_number: int, seed: int, longest: int = 1500) -> tuple[Action, ...]:
    """Return the actions of a random game of `GAMES`, some of them undone; it ends, or stops at `longest` actions."""
    rng = random.Random(f"{header_number}/{seed}")
    table, done = Table(GAMES[header_number]), list[Action]()
    while not table.over and len(done) < longest:
        action = Action("undo") if table.actions and rng.random() < 0.1 else legal_action(table, rng.randrange(1 << 24))
        table.do(action)
        done.append(action)
    return tuple(done)


def store(
    path: Path, games: Iterable[tuple[Header, Sequence[Action]]], results: bool = True, since: float = 0.0
) -> None:
    """Store games in a journal, a day apart from `since`; without `results`, as older versions of the program did."""
    now = 0.0
    with closing(Journal(path, clock=lambda: now)) as journal:
        for number, (header, actions) in enumerate(games):
            now = since + (number + 1) * DAY
            table, standing = Table(header), list[Outcome]()
            journal.begin(header)
            for action in actions:
                outcome = table.do(action)
                if action.do == "undo":
                    standing.pop()
                else:
                    standing.append(outcome)
            now += 10.0 * len(actions)
            events = [event for each in standing for event in each.events]
            append(journal, actions, table.over, result=Result.of(table, events) if results else None)


def some_games(seeds: int = 3) -> list[tuple[Header, tuple[Action, ...]]]:
    """Return `seeds` games of each of `GAMES`, mixed, most of them over."""
    games = [(header, whole_game(number, seed)) for seed in range(seeds) for number, header in enumerate(GAMES)]
    random.Random(1).shuffle(games)
    return games
