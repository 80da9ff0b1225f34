"""What a check finds (`Finding`), and the machine that it examines (`Machine`)."""

from __future__ import annotations

import grp
import importlib.metadata
import logging
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from engine.texts import Translate, in_language

State = Literal["good", "warning", "trouble"]
"""good: it works; warning: it works, but could be better; trouble: it does not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One outcome of a check, in the state `state`.

    `text` says what was found, and `advice` what to do about it; it is empty if nothing needs to be done. `command`
    does it in a terminal, if a command can; a page does not show it. `what` names the aspect that was checked:
    `picture`, `mat`, `light` or `focus` of a camera, or `reader`; it is empty for other checks.
    """

    check: str
    state: State
    text: str
    advice: str = ""
    what: str = ""
    command: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the object that `doctor --json` prints."""
        return {**self.for_page(), "command": self.command}

    def for_page(self) -> dict[str, Any]:
        """Return the object for a page, whose readers have no terminal."""
        return {"check": self.check, "state": self.state, "text": self.text, "advice": self.advice}

    def in_language(self, translate: Translate) -> Finding:
        """Return the finding with its texts translated."""
        return replace(self, text=in_language(self.text, translate), advice=in_language(self.advice, translate))


def good(check: str, text: str) -> Finding:
    """Return a finding that needs no action."""
    return Finding(check, "good", text)


def warning(check: str, text: str, advice: str, command: str = "") -> Finding:
    """Return a finding about something that works, but could be better."""
    return Finding(check, "warning", text, advice, command=command)


def trouble(check: str, text: str, advice: str, command: str = "") -> Finding:
    """Return a finding about something that does not work."""
    return Finding(check, "trouble", text, advice, command=command)


_COMMAND_TIMEOUT_S: Final = 10.0
_log: Final = logging.getLogger(__name__)
_logged: Final[set[str]] = set()
"""Programs whose failure has been logged. Most machines lack some of them, and the checks are repeated often."""


def _run(command: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_COMMAND_TIMEOUT_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        if command[0] not in _logged:
            _logged.add(command[0])
            _log.info("%s: %s", " ".join(command), error)
        return None
    return done.stdout.strip()


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _group(path: Path) -> str:
    number = path.stat().st_gid
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


@dataclass(frozen=True)
class Machine:
    """The machine as the checks see it: clock, disk, devices and programs. Tests replace some of the functions."""

    dev: Path = Path("/dev")
    """The folder of the devices."""
    now: Callable[[], float] = time.time
    """The time, in seconds since 1970."""
    run: Callable[[Sequence[str]], str | None] = _run
    """The output of a command; None if it cannot be run or fails."""
    version: Callable[[str], str | None] = _version
    """The version of a package; None if it is not installed."""
    free: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free
    """The free bytes at a path."""
    allowed: Callable[[Path], bool] = lambda path: os.access(path, os.R_OK | os.W_OK)
    """Whether this user may read and write a device."""
    group: Callable[[Path], str] = _group
    """The name of the group of a device."""
    read_only: Callable[[Path], bool] = lambda path: bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    """Whether the file system of a path is mounted read-only."""
