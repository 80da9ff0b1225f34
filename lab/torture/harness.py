"""Parts shared by the torture harnesses: the report, the share of a harness that runs, and programs with faults."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lab.torture.faults import NoCompiler, build
from lab.torture.programs import Programs


class Figure(NamedTuple):
    """One row of the table: `what` was tried `times` times.

    `failures`: a line for each failure. `note`: a measurement to print beside it.
    """

    what: str
    times: int
    failures: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Scale:
    """How much of a harness runs.

    `share`: the fraction of the documented numbers, 1 for all. `seed`: the seed of every random choice. `report` is
    called with a line for each step of a long run. `part`: only ways, games or parsers whose names contain this text.
    """

    share: float = 1.0
    seed: int = 1
    report: Callable[[str], None] = field(default=lambda line: None)
    part: str = ""

    def of(self, number: int) -> int:
        """Return the part of `number` that this run tries, at least 1.

        >>> Scale(0.01).of(1_000), Scale(0.01).of(7)
        (10, 1)
        """
        return max(1, round(number * self.share))

    def has(self, name: str) -> bool:
        """Return whether this run tries what is called `name`.

        >>> Scale(part="readers").has("kill -9, readers"), Scale(part="readers").has("kill -9, camera")
        (True, False)
        """
        return self.part in name


Harness = Callable[[Scale], Iterable[Figure]]
"""The function `run` of a module of this folder."""


def with_programs(figures: Callable[[Programs, Path, Scale], Iterable[Figure]], scale: Scale) -> Iterator[Figure]:
    """Yield the `figures` of the real program with injected faults, in an empty folder.

    Without a C compiler yield one figure that says so.
    """
    try:
        library = build()
    except NoCompiler as error:
        yield Figure(f"left out: {error}", 0)
        return
    with tempfile.TemporaryDirectory() as folder, Programs(Path(folder), library) as programs:
        yield from figures(programs, Path(folder), scale)
