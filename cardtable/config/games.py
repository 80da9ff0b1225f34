"""The games described in `games/*.toml` beside `table.toml`: docs/games-in-toml.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from cardtable.config.errors import place_of
from cardtable.config.toml_file import read_toml
from cardtable.errors import UsageError, why
from engine.errors import HeaderError
from engine.games import add_game
from engine.rules.described.game import DescribedGame, game_of
from engine.rules.described.keys import read_description
from engine.rules.described.reading import DescriptionError
from engine.texts import text

FOLDER: Final = "games"
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST: Final = 32


class GameFileError(UsageError):
    """A file describes no game; the message names it, the line, and what would be right."""


def add_games(beside: Path) -> list[str]:
    """Add every game that the files in the folder `games` of `beside` describe.

    Return a message for each file that describes no game: it is left out, and the other games can be played.
    """
    left_out: list[str] = []
    for path in sorted((beside / FOLDER).glob("*.toml")):
        try:
            add_game(read_game(path))
        except GameFileError as error:
            left_out.append(str(error))
        except HeaderError as error:
            left_out.append(text("{path}: {fault}: give the file another name", path=path, fault=str(error)))
    return left_out


def read_game(path: Path) -> type[DescribedGame]:
    """Return the game that `path` describes, named like the file. Raises `GameFileError`."""
    if not _NAME.fullmatch(path.stem) or len(path.stem) > _LONGEST:
        message = "{path}: the name of the file is the game's: lower-case letters, digits and hyphens, at most {most}"
        raise GameFileError(text(message, path=path, most=_LONGEST))
    try:
        written, values = read_toml(path, GameFileError)
    except FileNotFoundError as error:  # deleted since the folder was listed
        raise GameFileError(text("{path} cannot be read: {why}", path=path, why=why(error))) from error
    try:
        return game_of(path.stem, read_description(values))
    except DescriptionError as error:
        place = place_of(path, written, error.where)
        raise GameFileError(text("{place}: {fault}", place=place, fault=str(error))) from error
