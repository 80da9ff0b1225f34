"""How a table is: what it says of itself every few seconds on the topic `health`, for the director of the club."""

from __future__ import annotations

import importlib.metadata
import math
import shutil
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from cardtable.club.messages import Malformed, read_object

MOST_FAULTS: Final = 20
LONGEST: Final = 300
"""Letters of a fault at most."""
_THERMAL: Final = Path("/sys/class/thermal/thermal_zone0/temp")
"""Where Linux has the temperature of the processor, in thousandths of a degree."""


class Health(NamedTuple):
    """How a table is.

    `time`: seconds since 1970 by the table's clock. `waiting`: lines that the hub has not acknowledged. `trouble`: why
    the journal cannot be sent; empty if it can. `faults`: what is wrong with cameras, readers, journal and machine,
    sentences in the table's language. `temperature`: of the processor in degrees Celsius. `free`: bytes free on the
    disk of the journal. `version`: of the program. What is not known is None.
    """

    time: float
    waiting: int
    trouble: str = ""
    faults: tuple[str, ...] = ()
    temperature: float | None = None
    free: int | None = None
    version: str | None = None

    def to_json(self) -> dict[str, object]:
        """Return the message."""
        return self._asdict() | {"faults": [fault[:LONGEST] for fault in self.faults[:MOST_FAULTS]]}


def measured(time: float, waiting: int, trouble: str, faults: Iterable[str], journal: Path) -> Health:
    """Return the health of this table; `journal`: its file."""
    try:
        free = shutil.disk_usage(journal.parent).free
    except OSError:
        free = None
    return Health(time, waiting, trouble, tuple(faults), temperature(), free, _version())


@cache
def _version() -> str | None:
    try:
        return importlib.metadata.version("cardtable")
    except importlib.metadata.PackageNotFoundError:
        return None


def temperature(file: Path = _THERMAL) -> float | None:
    """Return the temperature of the processor in degrees Celsius; None on a machine that does not say it."""
    try:
        return round(int(file.read_text("ascii")) / 1000, 1)
    except (OSError, ValueError):
        return None


def read_health(message: bytes) -> Health:
    """Return the health in a message of `health`. Raises `Malformed`. An older table says only the first three."""
    found = read_object(message)
    time, waiting, trouble = found.get("time", 0.0), found.get("waiting"), found.get("trouble", "")
    if not _is_number(time) or type(waiting) is not int or waiting < 0 or not isinstance(trouble, str):
        raise Malformed("'time', 'waiting' or 'trouble' is missing")
    faults, heat, free, version = (found.get(key) for key in ("faults", "temperature", "free", "version"))
    if not isinstance(faults, list | None) or not all(isinstance(fault, str) for fault in faults or ()):
        raise Malformed("'faults' is not a list of sentences")
    if not (heat is None or _is_number(heat)) or not (free is None or (type(free) is int and free >= 0)):
        raise Malformed("'temperature' or 'free' is not a number")
    if not isinstance(version, str | None):
        raise Malformed("'version' is not a text")
    sentences = tuple(fault[:LONGEST] for fault in (faults or ())[:MOST_FAULTS])
    return Health(float(time), waiting, trouble[:LONGEST], sentences, heat, free, version and version[:40])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
