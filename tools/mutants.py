"""Run the mutation tests and print a table of the results: `make mutants`, or for some modules
`make mutants ARGS="firmware_bridge.link 'engine.rules.*'"`.

    python tools/mutants.py [--report] [MODULE ...]

mutmut (settings: `[tool.mutmut]` in pyproject.toml) changes one expression at a time in a copy of the code, `mutants/`,
and runs the tests that reach it. A mutant *survives* if no test fails. Results are kept between runs; mutants of
changed functions are tested again. Exits 1 if less than `GOAL` percent of the tested mutants are killed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
FOLDER: Final = ROOT / "mutants"
GOAL: Final = 90.0

KINDS: Final = ("killed", "timeout", "survived", "no tests", "not run")
_KIND_OF_EXIT_CODE: Final = {
    0: "survived",
    5: "no tests",
    33: "no tests",
    34: "not run",
    2: "not run",
    None: "not run",
} | {code: "timeout" for code in (24, -24, 36, 152, 255)}


def kind(exit_code: int | None) -> str:
    """Return the one of `KINDS` for a mutant whose tests ended with `exit_code`; None: they have not been run.

    >>> kind(0), kind(1), kind(-24), kind(None)
    ('survived', 'killed', 'timeout', 'not run')
    """
    return _KIND_OF_EXIT_CODE.get(exit_code, "killed")


def results(patterns: Sequence[str], folder: Path = FOLDER) -> dict[str, Counter[str]]:
    """Return the number of mutants of each kind, by module, for modules that match one of `patterns` (all if empty)."""
    found = {}
    for meta in sorted(folder.rglob("*.py.meta")):
        module = ".".join(meta.relative_to(folder).parts).removesuffix(".py.meta").removesuffix(".__init__")
        codes = json.loads(meta.read_text("utf-8"))["exit_code_by_key"].values()
        if codes and (not patterns or any(fnmatch(module, pattern) for pattern in patterns)):
            found[module] = Counter(map(kind, codes))
    return found


def percent(counts: Counter[str]) -> float | None:
    """Return the killed mutants, including those that never ended, in percent of those run; None if none was run.

    >>> percent(Counter({"killed": 8, "timeout": 1, "survived": 1, "not run": 7}))
    90.0
    """
    run = sum(counts.values()) - counts["not run"]
    return 100 * (counts["killed"] + counts["timeout"]) / run if run else None


def table(rows: dict[str, Counter[str]]) -> Iterable[str]:
    """Yield the lines of a Markdown table with a row for each module, and the total."""
    yield f"| {'module':<36} | mutants | {' | '.join(KINDS)} | percent |"
    yield f"|{'-' * 38}|" + "".join(f"{'-' * (len(head) + 1)}:|" for head in ("mutants", *KINDS, "percent"))
    total = sum(rows.values(), Counter[str]())
    for name, counts in {**rows, "total": total}.items():
        numbers = " | ".join(f"{counts[each]:>{len(each)}}" for each in KINDS)
        share = percent(counts)
        yield f"| {name:<36} | {sum(counts.values()):>7} | {numbers} | {'' if share is None else f'{share:.1f}':>7} |"


def main(argv: Sequence[str]) -> int:
    """Run mutmut for the modules in `argv`, unless only the report is wanted, and print the table."""
    parser = argparse.ArgumentParser(description="Mutation tests, and a table of their results.")
    parser.add_argument("modules", metavar="MODULE", nargs="*", help="for example engine.cards or 'engine.rules.*'")
    parser.add_argument("--report", action="store_true", help="only print the results of earlier runs")
    arguments = parser.parse_args(argv)
    if not arguments.report:
        command = [sys.executable, "-m", "mutmut", "run", *(f"{module}.*" for module in arguments.modules)]
        subprocess.run(command, cwd=ROOT, check=True)
    rows = results(arguments.modules)
    print(*table(rows), sep="\n")
    share = percent(sum(rows.values(), Counter[str]()))
    if share is None or share < GOAL:
        print(f"less than {GOAL:.0f} percent killed; the survivors: mutmut results; one of them: mutmut show NAME")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
