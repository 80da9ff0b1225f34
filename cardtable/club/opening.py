"""What needs the extra `club`, imported where a table asks for it: its connection, and its enrolment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cardtable.config.club import ClubConfig
from cardtable.errors import CardtableError
from engine.texts import text

if TYPE_CHECKING:
    from cardtable.club.enrolment import Enrolled
    from cardtable.club.link import Link


def open_link(config: ClubConfig, journal: Path, playing: Callable[[], int | None]) -> Link:
    """Return the connection of the table to its club. Raises `CardtableError` if the extra `club` is not installed."""
    try:
        from cardtable.club.link import Link
    except ModuleNotFoundError as error:
        raise _missing(error, "paho-mqtt") from error
    return Link(config, journal, playing)


def enrol_table(code: str, hub: str, folder: Path) -> Enrolled:
    """Enrol at the pages of a hub, as `enrolment.enrol` does. Raises `CardtableError`."""
    try:
        from cardtable.club.enrolment import enrol
    except ModuleNotFoundError as error:
        raise _missing(error, "cryptography") from error
    return enrol(code, hub, folder)


def _missing(error: ModuleNotFoundError, package: str) -> CardtableError:
    message = "[club] needs the package {name}: pip install 'cardtable[club]', or leave the section out"
    return CardtableError(text(message, name=error.name or package))
