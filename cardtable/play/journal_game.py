"""The game that is played, as the journal stores it, and the events of reader boards."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import NamedTuple

from cardtable.play.stored_corrections import MadeCorrection
from cardtable.play.summaries import Result


@dataclass(slots=True)
class PlayedGame:
    """Enough of a game to store it again in another file: its number, its header and actions as JSON, its result,
    and what was corrected in it.
    """

    id: int
    header: str
    started: float
    over: bool = False
    rows: list[tuple[str, float]] = field(default_factory=list)
    result: Result | None = None
    corrections: list[MadeCorrection] = field(default_factory=list)


class ProcessedEvents(NamedTuple):
    """All events of `source` in its boot number `boot` that have numbers before `next` (modulo 65536) are processed."""

    source: str
    boot: int
    next: int


def dumps(value: object) -> str:
    """Return `value` as JSON in the form in which the journal stores it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
