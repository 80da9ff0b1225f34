"""Updates through `cardtable-updater`, which the Debian package installs (packaging/debian/updater).

The updater is a separate program that runs as root. The table requests something by creating a file in its own folder,
and reads the status file that the updater writes. A table that was installed in another way has no updater.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from cardtable.errors import CardtableError, why
from engine.texts import Text, text

PROGRAM: Final = Path("/usr/lib/cardtable/cardtable-updater")
STATUS: Final = Path("/var/lib/cardtable-updater/status.json")
REQUESTS: Final = Path("/var/lib/cardtable")

Request = Literal["check", "install"]
_SUITE: Final = re.compile(r"\+deb\d+$")
_BUSY: Final = ("looking", "installing")


@dataclass(frozen=True, slots=True)
class UpdateState:
    """The state of updates. `offer`: the version that can be installed, if any. `busy`: the updater is at work.

    `wrong`: the last update failed.
    """

    text: Text
    offer: str | None = None
    busy: bool = False
    wrong: bool = False


class Updates:
    """The updater of this machine. `program`, `status`: its files. `requests`: the folder for requests."""

    def __init__(self, program: Path = PROGRAM, status: Path = STATUS, requests: Path = REQUESTS) -> None:
        self._program = program
        self._status = status
        self._requests = requests

    @property
    def is_there(self) -> bool:
        """Whether this machine has the updater."""
        return self._program.exists()

    def ask(self, request: Request) -> None:
        """Ask the updater to look for an update, or to install it. Raises `CardtableError`."""
        try:
            (self._requests / f"update-{request}").touch()
        except OSError as error:
            message = "the update cannot be requested: {folder}: {why}"
            raise CardtableError(text(message, folder=self._requests, why=why(error))) from error

    def state(self) -> UpdateState:
        """Return the present state."""
        if not self.is_there:
            message = "This table was not installed from the Debian package: update it the way it was installed."
            return UpdateState(text(message))
        if any((self._requests / f"update-{request}").exists() for request in ("check", "install")):
            return UpdateState(text("The update was requested, and begins in a moment."), busy=True)
        try:
            status = json.loads(self._status.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            status = None
        if not isinstance(status, dict):
            return UpdateState(text("Nobody has looked for updates yet."))
        return _state_of(status)


def _state_of(status: dict[str, object]) -> UpdateState:
    """Return the state that the updater's status describes."""
    kind = str(status.get("state"))
    offered, installed = _version(status.get("available")), _version(status.get("installed"))
    if kind in _BUSY:
        words = text("Looking for updates…") if kind == "looking" else text("The update is being installed…")
        return UpdateState(words, busy=True)
    if kind == "available" and offered:
        message = "Version {offered} is available. This table has {installed}."
        return UpdateState(text(message, offered=offered, installed=installed), offered)
    if kind == "updated":
        return UpdateState(text("The table was updated to version {installed}.", installed=installed))
    if kind == "went-back":
        tried = _version(status.get("tried"))
        message = "Version {tried} did not work here ({why}), so {installed} was restored. No game was lost."
        return UpdateState(text(message, tried=tried, installed=installed, why=_reason(status)), wrong=True)
    if kind == "failed":
        return UpdateState(text("The update has failed: {why}.", why=_reason(status)), wrong=True)
    return UpdateState(text("This table has the newest version, {installed}.", installed=installed))


def _version(debian: object) -> str:
    """Return the version without what Debian adds to it.

    >>> _version("0.3.0+deb13"), _version("1.0~rc1+deb12"), _version(None)
    ('0.3.0', '1.0rc1', '')
    """
    return _SUITE.sub("", debian).replace("~", "") if isinstance(debian, str) else ""


_REASONS: Final = {
    "no-source": text("no source of updates is configured on this machine"),
    "no-answer": text("the update server does not answer; is the table connected to a network?"),
    "game": text("a game is being played; end it first"),
    "no-room": text("there is too little room on the memory card"),
    "not-up": text("the table did not start"),
    "interrupted": text("the power failed meanwhile"),
}


def _reason(status: dict[str, object]) -> Text:
    """Return why the last update failed."""
    return _REASONS.get(str(status.get("why")), text("the packages do not fit together"))
