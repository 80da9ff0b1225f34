"""Whole games with decks that no net was trained on: `python -m benchmarks.films [FOLDER] [--random N]`.

Robots play each game on the simulated table with each deck, a rendered camera films them, and the program referees, as
`cardtable demo` does; the record is compared with what was really played. The decks are the drawn ones of
`benchmarks/unseen_decks.py`, with FOLDER also those that `python -m vision.training render --unseen` wrote there, and
with `--random` a number with random designs. A line for each game: the cards laid, read right, read wrongly and not
read, those that the board asked to lay again, the actions of the record, and whether it agrees.

The command fails if a record differs or a card was read wrongly.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import cv2

from benchmarks import unseen_decks
from cardtable.demo.camera_demo import play_before
from cardtable.demo.options import DemoOptions
from cardtable.play.journal import Journal
from cardtable.simulation.source import Setting, SyntheticSource, fewest_players, parse_option

GAMES: Final = ("all-fives", "cribbage", "le-quinze")
DRAWN: Final = (*unseen_decks.PLACED, *unseen_decks.STYLED)


@dataclass(frozen=True, slots=True)
class Film:
    """A game to play. `folder`: of the rendered decks, if `deck` is one of them. `options`: written as for the demo."""

    deck: str
    game: str
    seed: int
    folder: Path | None = None
    options: tuple[str, ...] = ()

    def play(self) -> dict[str, Any]:
        """Play the game, film it and referee it; return the summary of `cardtable.demo.camera_demo`."""
        cv2.setNumThreads(1)
        options = tuple(parse_option(self.game, option) for option in self.options)
        setting = Setting(self.game, fewest_players(self.game), self.seed, "faces", "fast", options=options)
        setting.check()
        faces = cache(unseen_decks.deck(self.deck, self.folder or Path()))
        with (
            tempfile.TemporaryDirectory() as folder,
            closing(Journal(Path(folder) / "journal.sqlite")) as journal,
        ):
            journal.begin(setting.header)
            return play_before(
                SyntheticSource(setting, faces=faces), DemoOptions(setting, journal, [], None, True, "en")
            )


def played(films: Iterable[Film], workers: int) -> Iterator[tuple[Film, dict[str, Any]]]:
    """Yield each film with its summary, in order."""
    given = list(films)
    with ProcessPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
        yield from zip(given, pool.map(Film.play, given) if pool else map(Film.play, given), strict=True)


def main(argv: list[str] | None = None) -> int:
    """Print a line for each game and one for all; return 1 if a record differs or a card was read wrongly."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.films", description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, help="the folder that `render --unseen` wrote")
    parser.add_argument("--games", default=",".join(GAMES), help=f"with an ordinary pack (default {','.join(GAMES)})")
    parser.add_argument("--option", action="append", default=[], help="of the games, NAME=VALUE; may be repeated")
    parser.add_argument("--random", type=int, default=0, help="also this many decks with random designs")
    parser.add_argument("--first", type=int, default=0, help="number of the first of them (default 0)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first game; the next has the next number")
    parser.add_argument("--workers", type=int, default=1, help="processes, each on one thread (default 1)")
    args = parser.parse_args(argv or [])
    decks = (*(unseen_decks.names() if args.folder else DRAWN), *unseen_decks.random_names(args.random, args.first))
    pairs = [(deck, game) for deck in decks for game in args.games.split(",")]
    films = [Film(*pair, args.seed + k, args.folder, tuple(args.option)) for k, pair in enumerate(pairs)]
    total = dict.fromkeys(("laid", "right", "wrong", "missed", "again", "actions"), 0)
    print(f"{'deck':34} {'game':10}{''.join(f' {name:>7}' for name in total)}")
    differing = 0
    for film, summary in played(films, args.workers):
        counts = summary["cards"] | {"again": summary["laid_again"], "actions": summary["actions"]}
        total = {name: number + counts[name] for name, number in total.items()}
        differing += not summary["agree"]
        differs = "" if summary["agree"] else f"   DIFFERS: {summary['difference']}"
        print(f"{film.deck:34} {film.game:10}{_columns(counts, total)}{differs}", flush=True)
    print(f"{'all':34} {len(films):<10}{_columns(total, total)}   {differing} differ")
    return int(differing > 0 or total["wrong"] > 0)


def _columns(counts: dict[str, int], names: Iterable[str]) -> str:
    return "".join(f" {counts[name]:7}" for name in names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
