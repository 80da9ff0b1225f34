"""Random games played here and by another implementation: `python -m lab.twins.twins GAME… --games N --seed S`.

Both sides play the same actions, chosen at random from the legal ones. After every action the legal actions, the seat
on turn, the winner of a trick and the scores must agree. Where the other side's rules differ is listed in `DIFFERENCES`
of its module; nothing else may differ. The exit status is 1 at the first difference, and 2 if the other implementation
is not installed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final, Protocol

from lab.benchmarks.agreement import Differs

TWINS: Final = {
    "belote": "lab.twins.twin_belote",
    "bridge": "lab.twins.twin_bridge",
    "euchre": "lab.twins.twin_euchre",
    "german-whist": "lab.twins.twin_german_whist",
    "hearts": "lab.twins.twin_hearts",
    "knock-out-whist": "lab.twins.twin_knock_out_whist",
    "oh-hell": "lab.twins.twin_oh_hell",
    "revokes": "lab.twins.twin_revokes",
    "rubber": "lab.twins.twin_rubber",
    "skat": "lab.twins.twin_skat",
    "spades": "lab.twins.twin_spades",
    "whist": "lab.twins.twin_whist",
}
"""The module that plays each game on both sides, by the game's name."""

GAMES: Final = 200
"""How many games of each kind are played if none is named."""


class Twin(Protocol):
    """A module that plays one game on both sides."""

    DIFFERENCES: Sequence[tuple[str, str, str]]
    """Where the rules differ: the subject, this project's rule, the other's, and what is compared as a result."""
    play: Callable[[int], int]
    """Play the game of this seed on both sides and return the number of actions compared. Raises `Differs`."""


def load(game: str) -> Twin:
    """Return the twin of `game`. Raises `ImportError` if the other implementation is not installed."""
    twin: Twin = import_module(TWINS[game])
    return twin


def compare(game: str, games: int, seed: int) -> int:
    """Play `games` games, print the result, and return the exit status."""
    try:
        twin = load(game)
    except ImportError as error:
        print(f"twins: {game}: the other implementation is not installed: {error}", file=sys.stderr)
        return 2
    begin, actions = time.perf_counter(), 0
    for number in range(games):
        try:
            actions += twin.play(seed * 1_000_003 + number)
        except Differs as difference:
            print(f"{game}, --seed {seed}, game {number}: {difference}")
            return 1
    took = time.perf_counter() - begin
    print(f"{game}: {games:,} games, {actions:,} actions, no difference, {took:.0f} s (--seed {seed})")
    for subject, ours, theirs in twin.DIFFERENCES:
        print(f"  {subject}: here {ours}; there {theirs}")
    return 0


def main(argv: Sequence[str] = ()) -> int:
    """Compare these games, or all of them briefly if none is named."""
    parser = argparse.ArgumentParser(prog="python -m lab.twins.twins", description=__doc__)
    parser.add_argument("game", nargs="*", help=", ".join(sorted(TWINS)))
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(list(argv))
    if unknown := {*asked.game} - TWINS.keys():
        parser.error(f"there is no twin of {', '.join(sorted(unknown))}")
    return max(compare(game, asked.games, asked.seed) for game in asked.game or sorted(TWINS))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
