"""Cards with half of an index covered by another card: `python -m lab.benchmarks.half_indices [--decks FOLDER]`.

Half an index may look like another index, while the one in the opposite corner is wholly visible. Printed for each
deck, in single pictures and at a table, where scale and deck are known: how many of the two cards of each picture were
read, and how many other cards were reported.

The decks are drawn ones, or with `--decks` those that `python -m lab.training render --unseen` writes. Fixed seeds:
the same command prints the same numbers.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Final

import numpy as np

from engine.cards import STANDARD_DECK
from tests.drawing.outline_scenes import Drawn, seen
from tests.drawing.tables import Deck, Matrix, at, drawn_decks, packaged_decks
from vision.faces import FaceReader
from vision.faces.net_threads import use_one_thread
from vision.readings import CARD_MM

ROUNDS: Final = 60
"""Pictures of each deck."""
PX_PER_MM: Final = (1.8, 4.0)
"""The scales to choose from, pixels per millimetre."""
COVERED: Final = (0.15, 0.85)
"""Least and greatest fraction of an index's height that the other card covers."""


def picture(deck: Deck, seed: int) -> tuple[Drawn, float]:
    """Return a picture of two cards, one over half of an index of the other, and its scale, pixels per millimetre."""
    rng = np.random.default_rng((seed, 78))
    lower, upper = (STANDARD_DECK.cards[k] for k in rng.permutation(52)[:2])
    turned = at(0, 0, rng.uniform(0, 2 * np.pi))
    lying = [(lower, turned), (upper, turned @ over_index(deck, rng))]
    px_per_mm = float(rng.uniform(*PX_PER_MM))
    return seen(deck.cards, lying, px_per_mm, seed, rng), px_per_mm


def over_index(deck: Deck, rng: np.random.Generator) -> Matrix:
    """Return where a card lies on another one, in millimetres of that, if an edge of it divides its first index."""
    box = deck.index
    covered = rng.uniform(*COVERED)
    x, y = (box.left + box.right) / 2, box.top + covered * (box.bottom - box.top)
    towards = rng.uniform(-np.pi, -np.pi / 2)  # to the left, up, or between: the card's opposite corner stays visible
    width, height = CARD_MM
    turn = towards + np.pi / 2  # its lower edge divides the index
    aside = rng.uniform(-0.3, 0.3) * width
    return at(x, y, turn) @ at(aside - width / 2, -height)


def main(argv: list[str] | None = None) -> int:
    """Print the table; return 1 if a card was reported that is not there."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.half_indices", description=__doc__.splitlines()[0])
    parser.add_argument("--decks", type=Path, help="folder with rendered decks; without it drawn ones")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"pictures of each deck (default {ROUNDS})")
    parser.add_argument("--first", type=int, default=0, help="number of the first picture of each deck (default 0)")
    args = parser.parse_args(argv or [])
    use_one_thread()
    decks = packaged_decks(args.decks) if args.decks else drawn_decks()
    single, total = FaceReader(), Counter[str]()
    print(
        f"{'half covered indices':22} {'cards':>6} {'single: read':>13} {'wrong':>6} {'table: read':>12} {'wrong':>6}"
    )
    for number, (name, deck) in enumerate(decks.items()):
        at_table, counts = FaceReader(), Counter[str]()
        for k in range(args.first, args.first + args.rounds):
            drawn, px_per_mm = picture(deck, 1000 * number + k)
            lying = {card for card, _ in drawn.cards}
            counts["cards"] += len(lying)
            ways = {"single": single.read(drawn.image), "table": at_table.read(drawn.image, 1 / px_per_mm)}
            for way, readings in ways.items():
                found = {reading.face for reading in readings}
                counts[f"{way} read"] += len(found & lying)
                counts[f"{way} wrong"] += len(found - lying)
        print(_line(name, counts), flush=True)
        total += counts
    print(_line("all", total))
    return int(total["single wrong"] + total["table wrong"] > 0)


def _line(name: str, counts: Counter[str]) -> str:
    """Return the line of a deck."""
    return (
        f"{name:22} {counts['cards']:6d} {counts['single read']:13d} {counts['single wrong']:6d} "
        f"{counts['table read']:12d} {counts['table wrong']:6d}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
