"""Whole games with unseen decks.

    python -m lab.benchmarks.films [--twelve FOLDER] [--random N] [--games G,...] [NAME...]

Robots play each game on the simulated table with each deck, a rendered camera films them, and the program referees, as
`cardtable demo` does; the record is compared with what was really played. The decks are the drawn ones of
`tests/drawing/unseen_decks.py`, with `--twelve` also those that `python -m lab.training render --unseen` wrote, and
with `--random` a number with random designs; of all these only those whose name contains one of NAME. No net was
trained on them. A line for each game: the cards laid, those read right, read as another card (also if that was
corrected) and not read, those that the board asked to lay again, the actions of the record, and whether it agrees.

The command fails if a record differs or a card was misread.
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

from cardtable.cli.demo import DemoOptions, play_before
from cardtable.errors import UsageError
from cardtable.journal.journal import Journal
from cardtable.simulation.source import Setting, SyntheticSource, fewest_players, parse_option
from tests.drawing import unseen_decks
from vision.faces.net_threads import use_one_thread

GAMES: Final = ("all-fives", "cribbage", "le-quinze")
DRAWN: Final = (*unseen_decks.PLACED, *unseen_decks.STYLED)


@dataclass(frozen=True, slots=True)
class Film:
    """A game to play. `folder`: of the rendered decks, if `deck` is one of them."""

    deck: str
    setting: Setting
    folder: Path | None = None

    def play(self) -> dict[str, Any]:
        """Play the game, film it and referee it; return the summary of `cardtable.cli.demo`."""
        use_one_thread()
        faces = cache(unseen_decks.deck(self.deck, self.folder or Path()))
        with (
            tempfile.TemporaryDirectory() as folder,
            closing(Journal(Path(folder) / "journal.sqlite")) as journal,
        ):
            journal.begin(self.setting.header)
            source = SyntheticSource(self.setting, faces=faces)
            return play_before(
                source, DemoOptions(self.setting, journal, [], board=None, fast=True, whole=True, language="en")
            )


def setting_of(game: str, seed: int, options: Iterable[str] = ()) -> Setting:
    """Return the setting of a game for as few players as possible, with options as the demo takes them.

    Raises `UsageError` if it cannot be played.
    """
    chosen = tuple(parse_option(game, option) for option in options)
    setting = Setting(game, fewest_players(game), seed, "faces", "fast", options=chosen)
    setting.check()
    return setting


def played(films: Iterable[Film], workers: int) -> Iterator[tuple[Film, dict[str, Any]]]:
    """Yield each film with its summary, in order."""
    listed = list(films)
    with ProcessPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
        yield from zip(listed, pool.map(Film.play, listed) if pool else map(Film.play, listed), strict=True)


def main(argv: list[str] | None = None) -> int:
    """Print a line for each game and one for all; return 1 if a record differs or a card was misread."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.films", description=__doc__.splitlines()[0])
    parser.add_argument("--twelve", type=Path, metavar="FOLDER", help="the folder that `render --unseen` wrote")
    parser.add_argument("--random", type=int, default=0, help="also this many decks with random designs")
    parser.add_argument("--first", type=int, default=0, help="number of the first deck of --random (default 0)")
    parser.add_argument("--games", default=",".join(GAMES), help=f"names with commas (default {','.join(GAMES)})")
    parser.add_argument("--option", action="append", default=[], help="of each game, NAME=VALUE; may be repeated")
    parser.add_argument("--seed", type=int, default=1, help="of each game (default 1)")
    parser.add_argument("--workers", type=int, default=1, help="processes, each on one thread (default 1)")
    parser.add_argument("names", nargs="*", help="only the decks whose name contains one of these")
    args = parser.parse_args(argv or [])
    decks = (
        *(unseen_decks.names() if args.twelve else DRAWN),
        *unseen_decks.random_names(args.random, args.first),
    )
    try:
        settings = [setting_of(game, args.seed, args.option) for game in args.games.split(",")]
    except UsageError as error:
        parser.error(str(error))
    films = [
        Film(deck, setting, args.twelve)
        for deck in decks
        if not args.names or any(part in deck for part in args.names)
        for setting in settings
    ]
    total = dict.fromkeys(("laid", "right", "wrong", "missed", "again", "actions"), 0)
    print(f"{'deck':34} {'game':10}{''.join(f' {name:>7}' for name in total)}")
    differing = 0
    for film, summary in played(films, args.workers):
        counts = summary["cards"] | {"again": summary["laid_again"], "actions": summary["actions"]}
        total = {name: number + counts[name] for name, number in total.items()}
        differing += not summary["agree"]
        differs = "" if summary["agree"] else f"   DIFFERS: {summary['difference']}"
        print(f"{film.deck:34} {film.setting.game:10}{_columns(counts, total)}{differs}", flush=True)
    print(f"{'all':34} {len(films):<10}{_columns(total, total)}   {differing} differ")
    return int(differing > 0 or total["wrong"] > 0)


def _columns(counts: dict[str, int], names: Iterable[str]) -> str:
    return "".join(f" {counts[name]:7}" for name in names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
