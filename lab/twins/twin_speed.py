"""Checked decisions per second here and in OpenSpiel through its Python binding: `python -m lab.twins.twin_speed`.

`lab.twins.twins` plays random games on both sides; then both replay the same games in turn, in one process. Here every
action is checked and done by `Table.do`; there it is looked up in `legal_actions` and then applied, because
`apply_action` does not check all of the rules. Only players' decisions are counted; the time includes everything, even
the deal, which OpenSpiel does not check. Every number is the best of several rounds of processor time.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Final

from engine.table import Table
from lab.twins.twins import TWINS

GAMES: Final = ("bridge", "euchre", "hearts", "oh-hell", "skat", "spades")
"""The games that OpenSpiel plays."""
GOAL: Final = 2.0
DEALING: Final = ("deal", "turn")

Timed = Callable[[], None]


class _Recorder:
    """Wraps a game of OpenSpiel; `states`: those that it has begun."""

    def __init__(self, game: Any, states: list[Any]) -> None:
        self._game = game
        self._states = states

    def new_initial_state(self) -> Any:
        """Begin a state and keep it."""
        state = self._game.new_initial_state()
        self._states.append(state)
        return state


def recorded(game: str, games: int, seed: int) -> tuple[list[Table], list[Any]]:
    """Play random games on both sides; return the tables here and the states there, at their ends."""
    import pyspiel

    module: Any = import_module(TWINS[game])
    tables: list[Table] = []
    states: list[Any] = []

    class Kept(Table):
        def __init__(self, *begin: Any, **options: Any) -> None:
            super().__init__(*begin, **options)
            tables.append(self)

    def load_game(*name: Any) -> _Recorder:
        return _Recorder(pyspiel.load_game(*name), states)

    plain: Mapping[str, Any] = {"Table": module.Table, "pyspiel": module.pyspiel}
    for name in ("cards", "actions"):  # before the recording begins
        if hasattr(module, name):
            getattr(module, name)()
    module.Table, module.pyspiel = Kept, SimpleNamespace(load_game=load_game)
    try:
        for number in range(games):
            module.play(seed * 1_000_003 + number)
    finally:
        for name, value in plain.items():
            setattr(module, name, value)
    return tables, states


def ours(tables: Sequence[Table]) -> tuple[int, Timed]:
    """Return the number of decisions in `tables`, and the function that replays them."""
    games = [(table.header, table.actions) for table in tables]

    def replay() -> None:
        for header, actions in games:
            do = Table(header).do
            for action in actions:
                do(action)

    return sum(action.do not in DEALING for _, actions in games for action in actions), replay


def theirs(states: Sequence[Any]) -> tuple[int, Timed]:
    """Return the number of decisions in `states`, and the function that replays them."""
    games, decisions = [], 0
    for state in states:
        again, history = state.get_game().new_initial_state(), []
        for action in state.history():
            chance = again.is_chance_node()
            history.append((action, chance))
            again.apply_action(action)
            decisions += not chance
        games.append((state.get_game(), history))

    def replay() -> None:
        for game, history in games:
            state = game.new_initial_state()
            for action, chance in history:
                if not chance and action not in state.legal_actions():
                    raise ValueError(f"{action} is not legal")
                state.apply_action(action)

    return decisions, replay


def best(timed: Sequence[tuple[int, Timed]], rounds: int) -> list[float]:
    """Return decisions per second of processor time for each, the best of `rounds`; they take turns."""
    found = [0.0] * len(timed)
    for _ in range(rounds):
        for place, (decisions, replay) in enumerate(timed):
            begin = time.process_time()
            replay()
            found[place] = max(found[place], decisions / (time.process_time() - begin))
    return found


def main(argv: Sequence[str] = ()) -> int:
    """Print the table. Return 1 if a game is not `GOAL` times as fast as in OpenSpiel, 2 without OpenSpiel."""
    parser = argparse.ArgumentParser(prog="python -m lab.twins.twin_speed", description=__doc__)
    parser.add_argument("game", nargs="*", choices=(*GAMES, []))
    parser.add_argument("--games", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=10)
    asked = parser.parse_args(list(argv))
    missed = False
    print(f"{'game':<10} {'here':>10} {'OpenSpiel':>10} {'ratio':>6}")
    for game in asked.game or GAMES:
        try:
            tables, states = recorded(game, asked.games, seed=1)
        except ImportError as error:
            print(f"OpenSpiel is not installed: {error}", file=sys.stderr)
            return 2
        here, there = best([ours(tables), theirs(states)], asked.rounds)
        missed |= here < GOAL * there
        print(f"{game:<10} {here:>10,.0f} {there:>10,.0f} {here / there:>6.2f}")
    print(f"goal: {GOAL} times as many here for every game: {'NOT reached' if missed else 'reached'}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
