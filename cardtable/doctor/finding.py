"""The findings of the doctor."""

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


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check. `text`: what was found; `advice`: what to do, empty if nothing.

    `command`: what does it in a terminal; empty if nothing does. A page does not show it.
    `what`: the part of a camera's view that was checked: `picture`, `mat`, `light`, `focus`; empty for other checks.

    `good`: it works; `warning`: it works, but could be better; `trouble`: it does not work.
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
        """Return the finding for people at the table, who have no terminal."""
        return {"check": self.check, "state": self.state, "text": self.text, "advice": self.advice}

    def in_language(self, translate: Translate) -> Finding:
        """Return the finding with its texts translated."""
        said, advice = in_language(self.text, translate), in_language(self.advice, translate)
        return replace(self, text=said, advice=advice)


def good(check: str, text: str) -> Finding:
    """Return a finding that needs no action."""
    return Finding(check, "good", text)


def warning(check: str, text: str, advice: str, command: str = "") -> Finding:
    """Return a finding of something that works, but could be better."""
    return Finding(check, "warning", text, advice, command=command)


def trouble(check: str, text: str, advice: str, command: str = "") -> Finding:
    """Return a finding of something that does not work."""
    return Finding(check, "trouble", text, advice, command=command)


# The machine as the doctor sees it: clock, disk, devices and programs. Tests pass in a machine of their own.

_LONGEST_S: Final = 10.0
"""Time limit of a command, in seconds."""
_log: Final = logging.getLogger(__name__)
_logged: Final[set[str]] = set()
"""Programs whose failure is in the log: the board asks again and again, and most machines lack some of them."""


def _run(command: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST_S, check=True)
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
    """Functions that examine this machine. `dev`: the folder of the devices; `now`: the time, in seconds since 1970.

    `run`: returns the output of a command, None if it cannot be run or fails. `version`: of an installed package, None
    if it is not installed. `free`: free bytes at a path. `allowed`: whether a device may be read and written; `group`:
    the group of a device. `read_only`: whether the file system of a path can only be read.
    """

    dev: Path = Path("/dev")
    now: Callable[[], float] = time.time
    run: Callable[[Sequence[str]], str | None] = _run
    version: Callable[[str], str | None] = _version
    free: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free
    allowed: Callable[[Path], bool] = lambda path: os.access(path, os.R_OK | os.W_OK)
    group: Callable[[Path], str] = _group
    read_only: Callable[[Path], bool] = lambda path: bool(os.statvfs(path).f_flag & os.ST_RDONLY)
