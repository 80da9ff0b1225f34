"""What is kept of earlier starts of the table, beside its configuration, for safe mode (`cardtable.safe_mode`).

A program that is killed while it starts, for example by a fault of a library, raises no error. Therefore starts are
counted until one has come to its end.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from cardtable.errors import CardtableError
from engine.texts import text
from vision.atomic_files import store

_GOOD: Final = ".last-good"
_STARTING: Final = ".starting"
_MOST_STARTS: Final = 3


class Killed(CardtableError):
    """Several starts of the table in turn have not come to their end."""


def last_good(config: Path) -> Path:
    """Return the path of the copy of the configuration with which the table last ran."""
    return config.with_name(config.name + _GOOD)


def keep_good(config: Path, content: bytes) -> None:
    """Keep a copy of the configuration's `content`, with which the table runs now."""
    good = last_good(config)
    with suppress(OSError):  # a full or read-only disk: the copy is older then
        if not good.exists() or good.read_bytes() != content:
            store(good, content, 0o600)


def note_start(config: Path) -> None:
    """Count a start of the table. Raises `Killed` if several in turn have not come to their end (`started`)."""
    file, count = config.with_name(config.name + _STARTING), 0
    with suppress(OSError, ValueError):
        count = int(file.read_text("utf-8"))
    if count >= _MOST_STARTS:
        message = (
            "it has ended {count} times while it started, without a message: perhaps a device or a library is faulty"
        )
        raise Killed(text(message, count=count))
    with suppress(OSError):
        store(file, str(count + 1).encode())


def started(config: Path) -> None:
    """Note that the start has come to its end, whether or not the table runs."""
    with suppress(OSError):
        config.with_name(config.name + _STARTING).unlink(missing_ok=True)
