"""Run every benchmark, or those named: `python -m lab.benchmarks [NAME …]`; `make bench` runs all.

The exit status is 1 if a goal is missed, and 2 if no benchmark has the name. A benchmark by itself, with its own
options, is `python -m lab.benchmarks.NAME`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path


def names() -> tuple[str, ...]:
    """Return the names of the benchmarks: the modules of this package that define `main`."""
    here = Path(__file__).parent
    return tuple(sorted(file.stem for file in here.glob("[a-z]*.py") if "\ndef main(" in file.read_text("utf-8")))


def main(argv: Sequence[str]) -> int:
    """Run the benchmarks named in `argv`, or all."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.benchmarks", description="Run every benchmark, or those named."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(names())}; all by default")
    wanted = parser.parse_args(argv).names
    if unknown := sorted(set(wanted) - set(names())):
        parser.error(f"there is no benchmark {unknown[0]!r}; known: {', '.join(names())}")
    status = 0
    for name in wanted or names():
        print(f"\n== {name}\n", flush=True)
        status |= int(importlib.import_module(f"lab.benchmarks.{name}").main() or 0)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
