"""Cards of a fifth suit, which must not be read as one of the four: `python -m lab.benchmarks.strange_suits`.

Six separate cards in a picture, with the ranks of ordinary cards, in red and in black, and with a star, a disc or the
like instead of a suit, in the index and on the card. Printed for each sign: the cards, how many were reported all the
same, how many of these are court cards, which show the sign in their indices alone, and the highest confidence. The
nets were trained on signs that `lab/training/suit_shapes.py` draws, not on these pictures. `--height` is the height of
an index, pixels.
"""

from __future__ import annotations

import argparse
import sys
from typing import Final

from tests.drawing.degrading import six_cards
from tests.drawing.strange_suits import SIGNS, deck_of
from tests.drawing.tables import Deck
from vision.faces import FaceReader
from vision.faces.net_threads import use_one_thread
from vision.readings import Reading

ROUNDS: Final = 10
"""Pictures of each deck."""
GOAL: Final = 0.02
"""Fraction of the cards that may be reported."""


def reported(reader: FaceReader, deck: Deck, rounds: int, height: float) -> tuple[int, list[Reading]]:
    """Return the number of cards laid, and the readings: all of them are wrong."""
    cards, readings = 0, []
    for seed in range(rounds):
        photo = six_cards(deck, height, seed)
        cards += len(photo.cards)
        readings += reader.read(photo.image)
    return cards, readings


def main(argv: list[str] | None = None) -> int:
    """Print the table; return 1 if more is reported than the goal allows."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.strange_suits", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="pictures of each sign (default %(default)s)")
    parser.add_argument("--height", type=float, default=30.0, help="of an index, pixels (default %(default)g)")
    args = parser.parse_args(argv or [])
    use_one_thread()
    reader = FaceReader()
    laid = wrong = courts = 0
    print(f"{'sign':14} {'cards':>6} {'reported':>9} {'courts':>7} {'surest':>7}")
    for name, sign in SIGNS.items():
        cards, readings = reported(reader, deck_of(sign), args.rounds, args.height)
        surest = max((reading.confidence for reading in readings), default=0.0)
        of_courts = sum(str(reading.face)[0] in "JQK" for reading in readings)
        print(f"{name:14} {cards:6d} {len(readings):9d} {of_courts:7d} {surest:7.3f}", flush=True)
        laid, wrong, courts = laid + cards, wrong + len(readings), courts + of_courts
    print(f"{'all':14} {laid:6d} {wrong:9d} {courts:7d}{'   MISSED' if wrong > GOAL * laid else ''}")
    return int(wrong > GOAL * laid)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
