"""Checked actions per second, compared with two other engines in the same run: `python -m lab.benchmarks.engine`.

- ours: whole games of All Fives for three, every hand known; each action checked and done by `Table.do`, from
  `Action` values and from the lines of a record;
- python-chess: random games of chess, each move parsed, checked and pushed by `Board.push_uci`;
- rlcard's bare bridge game (no environment around it): random deals; `step` does not check, so it is timed together
  with the look-up in its own list of legal actions.

Every number is the best of several rounds, in one process on one core.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from engine.actions import Action
from engine.cards import STANDARD_DECK
from engine.record import Header
from engine.table import Table

ROUNDS: Final = 50
GAMES: Final = 10
GOAL: Final = 30_000

Timed = Callable[[], int]


def games_of_all_fives() -> list[Table]:
    """Random games, every card dealt named, with no mistakes."""
    return [_game(random.Random(seed)) for seed in range(GAMES)]


def _game(rng: random.Random) -> Table:
    table = Table(Header("all-fives", ("Ann", "Bo", "Cy"), 0))
    stock = []
    while not table.over:
        if table.phase in ("deal", "turn"):
            first = table.phase == "deal" and not any(hand.size for hand in table.view().hands)
            if first:
                stock = list(STANDARD_DECK)
                rng.shuffle(stock)
            for seat in range(3):
                table.do(Action("deal", seat, cards=tuple(stock.pop() for _ in range(6 if first else 3))))
            table.do(Action("turn", card=stock.pop()))
        else:
            legal = table.legal_actions()
            table.do(rng.choice([action for action in legal if action.do in ("play", "gather") or action.do == "say"]))
    return table


def replay(games: Sequence[tuple[Header, Sequence[Action]]]) -> int:
    """Replay `games` on tables; return their number of actions."""
    for header, actions in games:
        do = Table(header).do
        for action in actions:
            do(action)
    return sum(len(actions) for _, actions in games)


def all_fives() -> list[tuple[str, Timed]]:
    """Return the timed functions for this engine, from values and from text."""
    games = [(table.header, table.actions) for table in games_of_all_fives()]
    texts = [(header, [json.dumps(action.to_json()) for action in actions]) for header, actions in games]

    def from_text() -> int:
        for header, lines in texts:
            do = Table(header).do
            for line in lines:
                do(Action.from_json(json.loads(line)))
        return sum(len(lines) for _, lines in texts)

    return [("All Fives, Table.do", lambda: replay(games)), ("All Fives, from record lines", from_text)]


def chess() -> list[tuple[str, Timed]]:
    """Return the timed function for python-chess. Raises `ImportError` if it is not installed."""
    import chess as library

    games: list[list[str]] = []
    for seed in range(GAMES):
        rng, board = random.Random(seed), library.Board()
        moves: list[str] = []
        while not board.is_game_over() and len(moves) < 200:
            move = rng.choice(list(board.legal_moves))
            moves.append(move.uci())
            board.push(move)
        games.append(moves)

    def push_uci() -> int:
        for moves in games:
            board = library.Board()
            for move in moves:
                board.push_uci(move)
        return sum(map(len, games))

    return [("python-chess, push_uci", push_uci)]


def bridge() -> list[tuple[str, Timed]]:
    """Return the timed functions for the bridge of rlcard. Raises `ImportError` if it is not installed."""
    import numpy as np
    from rlcard.games.bridge.game import BridgeGame

    def begun(seed: int) -> Any:
        game = BridgeGame()
        game.np_random = np.random.RandomState(seed)
        game.init_game()
        return game

    deals: list[tuple[int, list[Any]]] = []
    for seed in range(3 * GAMES):
        rng, game = random.Random(seed), begun(seed)
        while not game.is_over():
            game.step(rng.choice(game.judger.get_legal_actions()))
        deals.append((seed, list(game.actions)))

    def step() -> int:
        for seed, actions in deals:
            game = begun(seed)
            for action in actions:
                game.step(action)
        return sum(len(actions) for _, actions in deals)

    def checked() -> int:
        for seed, actions in deals:
            game = begun(seed)
            for action in actions:
                if action not in game.judger.get_legal_actions():
                    raise ValueError(f"{action} is not legal")
                game.step(action)
        return sum(len(actions) for _, actions in deals)

    return [("rlcard bridge, step (unchecked)", step), ("rlcard bridge, legal list and step", checked)]


def rates(timed: list[tuple[str, Timed]]) -> dict[str, float]:
    """Return actions per second of processor time, the best of `ROUNDS`.

    The engines take turns, because the machine may be busy.
    """
    best = dict.fromkeys((name for name, _ in timed), 0.0)
    for _ in range(ROUNDS):
        for name, run in timed:
            begin = time.process_time()
            done = run()
            best[name] = max(best[name], done / (time.process_time() - begin))
    return best


def main() -> int:
    """Print the table. Return 1 if this engine is slower than the goal."""
    timed, missing = all_fives(), []
    ours = timed[0][0]
    for make, package in ((chess, "chess"), (bridge, "rlcard")):
        try:
            timed += make()
        except ImportError as error:
            missing.append(f"{package} is not installed, so there is nothing to compare with: {error}")
    found = rates(timed)
    print(f"{'engine':<36} {'actions/s':>10} {'ours is':>10}")
    for name, rate in found.items():
        times = f"{found[ours] / rate:.1f} x" if name != ours else ""
        print(f"{name:<36} {rate:>10,.0f} {times:>10}")
    for line in missing:
        print(line)
    print(f"goal: {GOAL:,} actions/s on one core: {'reached' if found[ours] >= GOAL else 'NOT reached'}")
    return 0 if found[ours] >= GOAL else 1


if __name__ == "__main__":
    raise SystemExit(main())
