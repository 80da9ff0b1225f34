"""Run every benchmark, or those named: `python -m benchmarks [NAME …]`; `make bench` runs all.

The exit status is 1 if a goal is missed, and 2 if no benchmark has the name.
"""

from __future__ import annotations

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
    known = names()
    if unknown := [name for name in argv if name not in known]:
        print(f"benchmarks: there is no {unknown[0]!r}; known: {', '.join(known)}", file=sys.stderr)
        return 2
    status = 0
    for name in argv or known:
        print(f"\n== {name}\n", flush=True)
        status |= int(importlib.import_module(f"benchmarks.{name}").main() or 0)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
