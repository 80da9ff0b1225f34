"""Indices in unusual places: `python -m lab.benchmarks.placements [--cards N | --single [--random N]] [NAME...]`.

As `lab.benchmarks.laying`, with decks drawn by `tests/drawing/placed.py`: indices 2 to 20 mm from each edge, in
one, two or four corners, jumbo ones, on cards of poker, bridge and miniature size, with and without a frame. Each deck
is laid on a table that has never seen it; `--set-size` gives the reader the size of the cards, as `card_size` in
table.toml does. A card that has to be laid again before the deck is known counts as `again`, and one that is not
reported then either as `never`.

`--single` reads single pictures instead, as `see` does: all 52 cards of each deck, one to six in a picture, apart from
each other and turned by any angle. A card that is read twice, or that is not in the picture, counts as `wrong`; the
command fails only because of these. `--cards` and `--set-size` do not apply to it. With `--random N` these are N decks
with random designs, those of even numbers in `tests/drawing/unseen_decks.py` from `--first` on.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Final

import numpy as np

from engine.cards import STANDARD_DECK
from lab.benchmarks.laying import Deal, Tally
from lab.benchmarks.score import Score
from lab.benchmarks.yolo_shaped import share_of_yolo
from tests.drawing.placed import BRIDGE_MM, MINIATURE_MM, Layout, table_of
from tests.drawing.unseen_decks import RANDOM, placed, random_layout
from vision.faces import FaceReader
from vision.faces.net_threads import use_one_thread
from vision.faces.settings import DEFAULTS

CARDS: Final = 20
_PICTURE: Final = (1200, 820)
_APART: Final = [(200.0 + 400 * (k % 3), 205.0 + 410 * (k // 3)) for k in range(6)]
"""The middles of the cards in a single picture of that size, pixels."""
_SIZES: Final = {"poker": Layout(), "bridge": Layout(card_mm=BRIDGE_MM), "miniature": Layout(card_mm=MINIATURE_MM)}


def layouts() -> dict[str, Layout]:
    """Return the decks by their names."""
    found = {"courts usual, others 12 mm": Layout(top_mm=12.0, court_mm=(2.2, 3.5))}
    for side in (2.0, 6.0, 12.0, 20.0):
        for top in (2.0, 6.0, 12.0, 20.0):
            found[f"{side:g} x {top:g} mm"] = Layout(side, top)
    for corners in (1, 4):
        for side, top in ((2.2, 3.5), (2.2, 12.0), (8.0, 12.0)):
            found[f"{corners} corners, {side:g} x {top:g} mm"] = Layout(side, top, corners=corners)
    for top in (3.5, 12.0):
        found[f"jumbo, {top:g} mm"] = Layout(top_mm=top, letter_mm=12.5)
        found[f"frame, {top:g} mm"] = Layout(4.5, top + 1.5, frame_mm=3.0)
    for name, size in list(_SIZES.items())[1:]:
        letter = 9.0 if name == "bridge" else 7.0
        for top in (3.5, 10.0):
            found[f"{name}, {top:g} mm"] = replace(size, top_mm=top, letter_mm=letter)
        found[f"{name}, frame"] = replace(size, side_mm=4.0, top_mm=5.0, letter_mm=letter, frame_mm=2.5)
        found[f"{name}, 4 corners"] = replace(size, top_mm=6.0, letter_mm=letter, corners=4)
    return found


def laid(layout: Layout, cards: int, seed: int = 0, set_size: bool = False) -> Tally:
    """Lay `cards` (4 more than a multiple of 4, at most 52) of the deck; return the result."""
    reader = FaceReader(replace(DEFAULTS, card_mm=layout.card_mm if set_size else None))
    return Deal(seed, cache(partial(placed, layout=layout)), reader).run(cards)


def read_single(layout: Layout, seed: int = 0) -> Score:
    """Read the deck in pictures of one to six cards that lie apart; return the score."""
    rng, reader, score = np.random.default_rng((seed, 11)), FaceReader(), Score()
    waiting = [STANDARD_DECK.cards[k] for k in rng.permutation(52)]
    while waiting:
        count = min(int(rng.integers(1, len(_APART) + 1)), len(waiting))
        cards, waiting = waiting[:count], waiting[count:]
        turns = rng.uniform(0.0, 360.0, count).tolist()
        picture = table_of(layout, list(zip(cards, _APART, turns, strict=False)), int(rng.integers(1 << 31)), _PICTURE)
        begun = time.process_time()
        read = [reading.face for reading in reader.read(picture)]
        score.count(cards, read, time.process_time() - begun)
    return score


def main(argv: list[str] | None = None) -> int:
    """Print a line for each deck; return 1 if a card was reported wrongly or never."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.placements", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--cards", type=int, default=CARDS, help=f"cards laid of each deck, at most 52 (default {CARDS})"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the deals")
    parser.add_argument("--set-size", action="store_true", help="the reader is given the size of the cards")
    parser.add_argument(
        "--single", action="store_true", help="read single pictures of all cards of each deck, not a table"
    )
    parser.add_argument("--random", type=int, default=0, help="with --single: read this many decks with random designs")
    parser.add_argument("--first", type=int, default=0, help="number of the first deck of --random (default 0)")
    parser.add_argument("names", nargs="*", help="only the decks whose name contains one of these")
    args = parser.parse_args(argv or [])
    use_one_thread()
    if args.random and not args.single:
        parser.error("--random reads single pictures: add --single")
    numbers = range(args.first + args.first % 2, args.first + 2 * args.random, 2)
    decks = {f"{RANDOM}{number}": random_layout(number) for number in numbers} if args.random else layouts()
    named = {
        name: layout for name, layout in decks.items() if not args.names or any(part in name for part in args.names)
    }
    return _report_single(named, args.seed) if args.single else _report_laid(named, args)


def _report_laid(named: Mapping[str, Layout], args: argparse.Namespace) -> int:
    columns = ("laid", "wrong", "corrected", "again", "never", "frames")
    print(f"{'deck':28} {columns[0]:>5}{''.join(f' {name:>9}' for name in columns[1:])} {'ms/frame':>9} {'of YOLO':>8}")
    total = Tally()
    for name, layout in named.items():
        tally = laid(layout, args.cards, args.seed, args.set_size)
        total += tally
        print(f"{_line(name, tally)} {tally.ms_a_frame:9.1f} {share_of_yolo(tally.ms_a_frame):>8}", flush=True)
    print(_line("all", total))
    return int(total.wrong > 0 or total.never > 0)


def _report_single(named: Mapping[str, Layout], seed: int) -> int:
    total = Score()
    print(f"{'deck':28} {'cards':>6} {'read':>6} {'wrong':>6} {'recall':>7} {'precision':>10}")
    for name, layout in [*named.items(), ("all", None)]:
        score = total if layout is None else read_single(layout, seed)
        if layout is not None:
            total.add(score)
        counts = f"{score.cards:6} {score.right:6} {score.wrong:6}"
        print(f"{name:28} {counts} {score.recall:7.3f} {score.precision:10.3f}", flush=True)
    return int(total.wrong > 0)


def _line(name: str, tally: Tally) -> str:
    counts = (tally.wrong, tally.corrected, tally.again, tally.never, tally.frames)
    return f"{name:28} {tally.laid:5}{''.join(f' {count:9}' for count in counts)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
