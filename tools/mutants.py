"""Run the mutation tests and print a table of the results: `make mutants`, or for some modules
`make mutants ARGS="firmware_bridge.link 'engine.rules.*'"`.

    python tools/mutants.py [--sample N] [--seed S] [--survivors] [--processes N] [--report] [MODULE ...]

mutmut (settings: `[tool.mutmut]` in pyproject.toml) changes one expression at a time in a copy of the code, `mutants/`,
and runs the tests that reach it. A mutant *survives* if no test fails. Results are kept between runs; mutants of
changed functions are tested again. `--sample N` tests N mutants of each module, drawn at random with the seed S, and
leaves the others out. `--survivors` tests those again that survived, for example after tests were added for them.
Exits 1 if less than `GOAL` percent of the tested mutants are killed, in a module or overall.
"""

from __future__ import annotations

import argparse
import json
import random
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

SMALLEST: Final = "engine.actions"
"""The module with the fewest mutants."""

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


def exit_codes(patterns: Sequence[str], folder: Path = FOLDER) -> dict[str, dict[str, int | None]]:
    """Return the exit code of each mutant by its name, by module, for modules that match one of `patterns` (or all)."""
    found = {}
    for meta in sorted(folder.rglob("*.py.meta")):
        module = ".".join(meta.relative_to(folder).parts).removesuffix(".py.meta").removesuffix(".__init__")
        codes = json.loads(meta.read_text("utf-8"))["exit_code_by_key"]
        if codes and (not patterns or any(fnmatch(module, pattern) for pattern in patterns)):
            found[module] = codes
    return found


def sample(names: Iterable[str], size: int, seed: str) -> list[str]:
    """Return `size` of the names, or all if there are fewer; every name is equally likely.

    >>> len(sample("abcdefg", 3, "1")), sample("ab", 3, "1"), sample("abcdefg", 3, "1") == sample("gfedcba", 3, "1")
    (3, ['a', 'b'], True)
    """
    ordered = sorted(names)
    return sorted(random.Random(seed).sample(ordered, min(size, len(ordered))))


def percent(counts: Counter[str]) -> float | None:
    """Return the killed mutants, including those that never ended, in percent of those run; None if none was run.

    >>> percent(Counter({"killed": 8, "timeout": 1, "survived": 1, "not run": 7}))
    90.0
    """
    run = sum(counts.values()) - counts["not run"]
    return 100 * (counts["killed"] + counts["timeout"]) / run if run else None


def table(rows: dict[str, Counter[str]]) -> Iterable[str]:
    """Yield the lines of a Markdown table with a row for each module, and the total."""
    heads = ("mutants", "tested", *KINDS[:-1], "percent")
    yield f"| {'module':<36} | {' | '.join(heads)} |"
    yield f"|{'-' * 38}|" + "".join(f"{'-' * (len(head) + 1)}:|" for head in heads)
    total = sum(rows.values(), Counter[str]())
    for name, counts in {**rows, "total": total}.items():
        share = percent(counts)
        tested = counts.total() - counts["not run"]
        values = (counts.total(), tested, *(counts[each] for each in KINDS[:-1]), f"{share:.1f}" if tested else "")
        cells = (f"{value:>{len(head)}}" for value, head in zip(values, heads, strict=True))
        yield f"| {name:<36} | {' | '.join(cells)} |"


def mutmut(names: Iterable[str], processes: int | None) -> None:
    """Generate the mutants that are missing, and test those with these names or patterns; all if there are none."""
    limit = [] if processes is None else ["--max-children", str(processes)]
    subprocess.run([sys.executable, "-m", "mutmut", "run", *limit, *names], cwd=ROOT, check=True)


def chosen(arguments: argparse.Namespace) -> list[str]:
    """Return the names of the mutants that `--sample` or `--survivors` selects and that must be tested."""
    names = []
    for module, codes in exit_codes(arguments.modules).items():
        if arguments.survivors:
            names += [name for name, code in codes.items() if kind(code) in ("survived", "no tests")]
        else:
            drawn = sample(codes, arguments.sample, f"{arguments.seed} {module}")
            names += [name for name in drawn if kind(codes[name]) == "not run"]
    return names


def main(argv: Sequence[str]) -> int:
    """Run mutmut as the arguments say, unless only the report is wanted, and print the table."""
    parser = argparse.ArgumentParser(description="Mutation tests, and a table of their results.")
    parser.add_argument("modules", metavar="MODULE", nargs="*", help="for example engine.cards or 'engine.rules.*'")
    parser.add_argument("--sample", metavar="N", type=int, help="test N mutants of each module, drawn at random")
    parser.add_argument("--seed", metavar="S", type=int, default=1, help="seed of the sample (default: %(default)s)")
    parser.add_argument("--survivors", action="store_true", help="test the survivors again")
    parser.add_argument("--processes", metavar="N", type=int, help="test N mutants at a time (default: one per core)")
    parser.add_argument("--report", action="store_true", help="only print the results of earlier runs")
    arguments = parser.parse_args(argv)
    if not arguments.report:
        if arguments.sample is None and not arguments.survivors:
            mutmut([f"{module}.*" for module in arguments.modules], arguments.processes)
        else:
            mutmut([f"{SMALLEST}.*"], arguments.processes)  # mutmut generates all mutants before it tests the first
            if names := chosen(arguments):
                mutmut(names, arguments.processes)
    rows = {module: Counter(map(kind, codes.values())) for module, codes in exit_codes(arguments.modules).items()}
    print(*table(rows), sep="\n")
    shares = [percent(counts) for counts in (*rows.values(), sum(rows.values(), Counter[str]()))]
    if min((share for share in shares if share is not None), default=0.0) < GOAL:
        print(f"less than {GOAL:.0f} percent killed; the survivors: mutmut results; one of them: mutmut show NAME")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
