"""Whether the table works, for `/healthz`: from the state that the board shows, the journal's folder, the main loop."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from pydantic import with_config
from typing_extensions import TypedDict  # pydantic cannot read the one of Python 3.11

from cardtable.board.screen_lobby import SourceCheck
from cardtable.board.screen_parts import SHAPE
from cardtable.board.screens import State
from engine.texts import text

STALLED_S: Final = 10.0
"""Seconds without a turn of the main loop after which the table counts as hanging."""
LEAST_FREE: Final = 1 << 20
"""Bytes that must be free on the journal's disk."""


LIGHT: Final = ("light", "focus")
"""Checks of the lobby about conditions in which a camera works badly."""


@with_config(SHAPE)
class PartHealth(TypedDict):
    """A camera, a reader board, or the journal."""

    name: str
    ok: bool
    trouble: str | None
    """What is wrong and what to do, in the table's language; None if nothing is. A source that works badly, as a camera
    in a glare, is `ok` and has a trouble.
    """


@with_config(SHAPE)
class Health(TypedDict):
    """The answer of `/healthz`: status 200 if `ok`, else 503."""

    ok: bool
    """Whether the main loop turns, the journal can be written, and every source works."""
    screen: str | None
    """What the table shows; None before the first state."""
    main_loop_age_s: float
    """Seconds since the last turn of the main loop; at most 0.3 while nothing happens, and not `ok` from 10 on."""
    journal: PartHealth
    sources: list[PartHealth]
    """The cameras and readers, and voice, buttons and displays if they have failed."""


def health_of(state: State | None, loop_age_s: float, journal: Path | None) -> Health:
    """Return the health of a table that shows `state`. `journal`: its file; None if the table stores nothing."""
    sources = [] if state is None else _sources(state)
    stored = _part("journal", (state["trouble"] if state is not None else None) or _unwritable(journal))
    ok = state is not None and loop_age_s < STALLED_S and stored["ok"] and all(source["ok"] for source in sources)
    return {
        "ok": ok,
        "screen": None if state is None else state["screen"],
        "main_loop_age_s": round(loop_age_s, 3),
        "journal": stored,
        "sources": sources,
    }


def _part(name: str, trouble: str | None, works: bool = False) -> PartHealth:
    return {"name": name, "ok": trouble is None or works, "trouble": trouble}


def _sources(state: State) -> list[PartHealth]:
    if state["screen"] == "asleep":
        return []
    if state["screen"] == "lobby":
        return [_of_checks(source) for source in state["sources"]]
    return [_part(source["name"], source["trouble"], source["works"]) for source in state["sources"]]


def _of_checks(source: SourceCheck) -> PartHealth:
    """Return the health of a source in the lobby; the light is not part of it, what else is wrong comes first."""
    bad = sorted((check["what"] in LIGHT, check["text"]) for check in source["checks"] if check["state"] == "bad")
    return _part(source["name"], bad[0][1], works=bad[0][0]) if bad else _part(source["name"], None)


def _unwritable(journal: Path | None) -> str | None:
    """Return why the journal cannot be written, without writing; None if it can."""
    if journal is None:
        return None
    try:
        if not journal.exists():
            return text(
                "the file was moved, deleted or cut off while the table runs: put it back, or the game gets a new one"
            )
        disk = os.statvfs(journal.parent)
        if disk.f_bavail * disk.f_frsize < LEAST_FREE:
            return text("the disk is full: make room, the game goes on by itself")
        if os.access(journal, os.W_OK):
            return None
    except OSError:
        pass
    return text("the disk cannot be written: check whether it is full or was removed")
