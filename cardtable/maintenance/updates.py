"""Updates of the table: what `cardtable-updater` of the Debian package has found, and what it is asked to do.

The updater runs as root, apart from the table (packaging/debian/updater): the table makes a file in its own
folder, and reads the status that the updater writes. A table that was set up in another way has no updater.
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
    """What is known of updates. `offer`: the version that can be installed; None if there is none.

    `busy`: the updater is at work. `wrong`: the last update has failed.
    """

    text: Text
    offer: str | None = None
    busy: bool = False
    wrong: bool = False


class Updates:
    """The updater of this machine. `program`, `status`, `requests`: its program, its status, and the table's folder."""

    def __init__(self, program: Path = PROGRAM, status: Path = STATUS, requests: Path = REQUESTS) -> None:
        self._program = program
        self._status = status
        self._requests = requests

    @property
    def is_there(self) -> bool:
        """Whether this machine has the updater."""
        return self._program.exists()

    def ask(self, wanted: Request) -> None:
        """Ask the updater to look for an update, or to install it. Raises `CardtableError`."""
        try:
            (self._requests / f"update-{wanted}").touch()
        except OSError as error:
            message = "the update cannot be asked for: {folder}: {why}"
            raise CardtableError(text(message, folder=self._requests, why=why(error))) from error

    def state(self) -> UpdateState:
        """Return what is known now."""
        if not self.is_there:
            return UpdateState(
                text("This table was not installed as a Debian package: it is updated as it was set up.")
            )
        if any((self._requests / f"update-{wanted}").exists() for wanted in ("check", "install")):
            return UpdateState(text("The update was asked for, and begins in a moment."), busy=True)
        try:
            status = json.loads(self._status.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            status = None
        return (
            _state_of(status) if isinstance(status, dict) else UpdateState(text("Nobody has looked for updates yet."))
        )


def _state_of(status: dict[str, object]) -> UpdateState:
    """Return the state for the status of the updater."""
    kind = str(status.get("state"))
    offered, installed = _version(status.get("available")), _version(status.get("installed"))
    if kind in _BUSY:
        words = text("Looking for updates…") if kind == "looking" else text("The update is being installed…")
        return UpdateState(words, busy=True)
    if kind == "available" and offered:
        message = "Version {offered} is there. This table has {installed}."
        return UpdateState(text(message, offered=offered, installed=installed), offered)
    if kind == "updated":
        return UpdateState(text("The table was updated to version {installed}.", installed=installed))
    if kind == "went-back":
        tried = _version(status.get("tried"))
        message = "Version {tried} did not work here ({why}), so {installed} was put back. No game was lost."
        reason = _reason(str(status.get("why")))
        return UpdateState(text(message, tried=tried, installed=installed, why=reason), wrong=True)
    if kind == "failed":
        return UpdateState(text("The update has failed: {why}.", why=_reason(str(status.get("why")))), wrong=True)
    return UpdateState(text("This table has the newest version, {installed}.", installed=installed))


def _version(debian: object) -> str:
    """Return a version for people.

    >>> _version("0.3.0+deb13"), _version("1.0~rc1+deb12"), _version(None)
    ('0.3.0', '1.0rc1', '')
    """
    return _SUITE.sub("", debian).replace("~", "") if isinstance(debian, str) else ""


def _reason(why: str) -> Text:
    match why:
        case "no-source":
            return text("this machine does not know where updates of the table come from")
        case "no-answer":
            return text("where the updates come from does not answer; is the table in a network?")
        case "game":
            return text("a game is being played; end it first")
        case "no-room":
            return text("there is too little room on the memory card")
        case "not-up":
            return text("the table did not come up")
        case "interrupted":
            return text("the power went meanwhile")
    return text("the packages do not fit together")
