"""Opening the connection to the club only where table.toml asks for it: the extra `club` may not be installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cardtable.config.club import ClubConfig
from cardtable.errors import CardtableError
from engine.texts import text

if TYPE_CHECKING:
    from cardtable.club.link import Link


def open_link(config: ClubConfig, journal: Path, playing: Callable[[], int | None]) -> Link:
    """Return the connection of the table to its club. Raises `CardtableError` if the extra `club` is not installed."""
    try:
        from cardtable.club.link import Link
    except ModuleNotFoundError as error:
        message = "[club] needs the package {name}: pip install 'cardtable[club]', or leave the section out"
        raise CardtableError(text(message, name=error.name or "paho-mqtt")) from error
    return Link(config, journal, playing)
