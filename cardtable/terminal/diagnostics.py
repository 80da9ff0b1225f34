"""Options for maintainers, for the commands that run a table: `--trace FILE`, `--trace-hands` and `--log-level LEVEL`.

The log is written to standard error; nothing is logged unless `--log-level` or the environment variable
CARDTABLE_LOG_LEVEL asks for it. Under systemd each line begins with its priority, as journald reads it (sd-daemon(3)).
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TextIO

from cardtable.errors import UsageError
from engine.texts import text

LEVELS: Final = ("debug", "info", "warning", "error")
VARIABLE: Final = "CARDTABLE_LOG_LEVEL"
PACKAGES: Final = ("cardtable", "engine", "vision", "firmware_bridge", "hardware")
"""The packages whose log is written; libraries log as they do without this program."""

_PRIORITIES: Final = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}
"""The priorities of syslog(3) by the level of a log record."""


def add_diagnostics(parser: argparse.ArgumentParser) -> None:
    """Add `--trace` and `--log-level` to the arguments of a command."""
    parser.add_argument(
        "--trace",
        type=Path,
        metavar="FILE",
        help=text("append observations, interpretations and refusals to FILE: docs/trace.md"),
    )
    parser.add_argument(
        "--trace-hands",
        action="store_true",
        help=text("with --trace: also the hands that readers know; do not show the file to a player during the game"),
    )
    add_log_level(parser)


def add_log_level(parser: argparse.ArgumentParser) -> None:
    """Add `--log-level` to the arguments of a command."""
    parser.add_argument(
        "--log-level",
        choices=LEVELS,
        help=text("how much to log on standard error (default: CARDTABLE_LOG_LEVEL, or nothing)"),
    )


def start_logging(
    level: str | None, environment: Mapping[str, str] = os.environ, stream: TextIO | None = None
) -> logging.Handler | None:
    """Log to `stream` (standard error if None) from `level` on, or as the environment says; return the handler.

    If neither names a level, nothing is logged, and None is returned. The handler of an earlier call is removed. Raises
    `UsageError` if the environment names a level that does not exist.
    """
    for name in PACKAGES:
        logger = logging.getLogger(name)
        for old in [handler for handler in logger.handlers if isinstance(handler, _Handler)]:
            logger.removeHandler(old)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())  # else Python prints warnings by itself
    level = level or environment.get(VARIABLE) or None
    if level is None:
        return None
    if level not in LEVELS:
        message = "{variable}: {level!r} is not one of {levels}"
        raise UsageError(text(message, variable=VARIABLE, level=level, levels=", ".join(LEVELS)))
    handler = _Handler(stream or sys.stderr)
    handler.setFormatter(_JournalFormatter() if _to_journal(handler.stream, environment) else _TerminalFormatter())
    for name in PACKAGES:
        logger = logging.getLogger(name)
        logger.setLevel(level.upper())
        logger.addHandler(handler)
    return handler


class _Handler(logging.StreamHandler[TextIO]):
    """The handler that `start_logging` adds."""


def _to_journal(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether `stream` goes to journald: JOURNAL_STREAM names its device and inode (systemd.exec(5))."""
    try:
        state = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return environment.get("JOURNAL_STREAM") == f"{state.st_dev}:{state.st_ino}"


class _TerminalFormatter(logging.Formatter):
    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s", "%H:%M:%S")


class _JournalFormatter(logging.Formatter):
    """Each line begins with its priority; journald adds the time."""

    def __init__(self) -> None:
        super().__init__("%(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        prefix = f"<{_PRIORITIES.get(record.levelno, 6)}>"
        return "\n".join(prefix + line for line in super().format(record).splitlines())
