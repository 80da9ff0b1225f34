"""Uncovered cards on a heap of all the others: `python -m lab.benchmarks.heaps [ROUNDS]`.

Fifty cards are thrown on a heap face up, and two uncovered ones lie side by side on it: as large as the others, or one
and a half or three and a half times as large, as if held nearer to the camera. Printed for each deck: how many of those
two were found, how many cards were reported, and how many of these do not lie where they were reported (halves of
covered indices).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from engine.cards import STANDARD_DECK, Card
from tests.drawing.outline_scenes import Drawn, decks, seen
from tests.drawing.outlines import is_on
from tests.drawing.tables import at
from vision.faces import FaceReader
from vision.faces.net_threads import use_one_thread
from vision.frames import Image

SPREADS_MM: Final = (30.0, 60.0, 110.0)
"""Standard deviation of the positions of a heap's cards: steep heaps and wide ones."""
BESIDE_MM: Final = {1.0: 55.0, 1.5: 82.5, 3.5: 122.5}
"""How large the two cards on top appear, and how far each lies from the heap's centre. The largest lie so close to it
that only small cards around them have a visible outline."""
PX_PER_MM: Final = 2.5


def heap(faces: Mapping[Card, Image], spread_mm: float, times: float, seed: int) -> Drawn:
    """Return a picture of 52 cards: the last two lie in full, `times` as large as the others.

    `times`: one of `BESIDE_MM`; raises `KeyError` for another.
    """
    rng = np.random.default_rng((seed, 77))
    lying = []
    for x, y in rng.normal(0, spread_mm, (50, 2)).tolist():
        lying.append(at(x, y, rng.uniform(0, 2 * np.pi)))
    larger = np.diag([times, times, 1.0])
    for side in (-1, 1):
        middle = (BESIDE_MM[times] * side + rng.uniform(-10, 10), rng.uniform(-30, 30))
        lying.append(at(*middle, rng.uniform(-0.5, 0.5)) @ larger @ at(-31.5, -44))
    cards = [STANDARD_DECK.cards[k] for k in rng.permutation(52)]
    return seen(faces, list(zip(cards, lying, strict=True)), PX_PER_MM, seed, rng)


def heaps(rounds: int) -> Iterator[tuple[str, Drawn]]:
    """Yield `rounds` heaps of each spread and size for each deck, with the deck's name."""
    for number, (name, faces) in enumerate(decks().items()):
        for k in range(rounds):
            for place, spread in enumerate(SPREADS_MM):
                for size, times in enumerate(BESIDE_MM):
                    yield name, heap(faces, spread, times, 1000 * number + 100 * k + 10 * place + size)


def main(argv: list[str] | None = None) -> int:
    """Print the table; return 1 if a card on top was not found."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.heaps", description=__doc__.splitlines()[0])
    parser.add_argument("rounds", type=int, nargs="?", default=1, help="heaps of each kind (default 1)")
    args = parser.parse_args(argv or [])
    use_one_thread()
    reader = FaceReader()
    counts: dict[str, list[int]] = {}
    for name, drawn in heaps(args.rounds):
        readings = reader.read(drawn.image)
        places = dict(drawn.cards)
        top = [card for card, _ in drawn.cards[-2:]]
        right = {
            reading.face
            for reading in readings
            if isinstance(reading.face, Card) and is_on(reading, places[reading.face])
        }
        found = sum(card in right for card in top)
        totals = counts.setdefault(name, [0, 0, 0, 0])
        for k, value in enumerate((len(top), found, len(readings), len(readings) - len(right))):
            totals[k] += value
    print(f"{'heaps of 52':22} {'on top':>7} {'found':>6} {'reported':>9} {'wrong':>6}")
    for name, (top_cards, found, reported, wrong) in counts.items():
        print(f"{name:22} {top_cards:7d} {found:6d} {reported:9d} {wrong:6d}")
    return int(any(found < top_cards for top_cards, found, _, _ in counts.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
