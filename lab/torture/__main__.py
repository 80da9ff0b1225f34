"""Run the torture harnesses, or those named, and print a table: `make torture`.

    python -m lab.torture [--share F] [--seed N] [--part TEXT] [NAME ...]

Hours with the default share of 1. The modules of this folder that have a function `run(scale)` are the harnesses;
`make test` and `make long` run a small share of each. Exits 1 if anything failed, 2 for a name that does not exist.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from lab.torture.harness import Harness, Scale


def names() -> tuple[str, ...]:
    """Return the names of the harnesses."""
    here = Path(__file__).parent
    return tuple(
        sorted(file.stem for file in here.glob("[a-z]*.py") if "\ndef run(scale: Scale)" in file.read_text("utf-8"))
    )


def main(argv: Sequence[str]) -> int:
    """Run what `argv` names. Return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m lab.torture", description="Run the torture harnesses.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(names())}; all by default")
    parser.add_argument("--share", type=float, default=1.0, metavar="F", help="part of the full numbers (default: 1)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the random choices (default: 1)")
    parser.add_argument(
        "--part", default="", metavar="TEXT", help="only what has this in its name: a way, game, parser"
    )
    args = parser.parse_args(argv)
    if unknown := sorted(set(args.names) - set(names())):
        parser.error(f"there is no harness {unknown[0]!r}; known: {', '.join(names())}")
    os.environ["LC_ALL"] = "C.UTF-8"  # what the programs print is read in English
    failed = False
    scale = Scale(args.share, args.seed, partial(print, file=sys.stderr, flush=True), args.part)
    print("| what | tried | failed | measured |\n|------|------:|-------:|----------|", flush=True)
    for name in args.names or names():
        run: Harness = importlib.import_module(f"lab.torture.{name}").run
        begin = time.monotonic()
        for figure in run(scale):
            failed |= bool(figure.failures)
            print(f"| {name}: {figure.what} | {figure.times:,} | {len(figure.failures)} | {figure.note} |", flush=True)
            for failure in figure.failures[:20]:
                print(f"{name}: {failure}", file=sys.stderr, flush=True)
        print(f"{name}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
