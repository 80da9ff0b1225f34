"""Read `table.toml`: `read_config(path)` returns a checked `TableConfig`, or raises `ConfigError`.

A key that does not exist, or a value of the wrong kind, is refused with the file, the line and a suggestion.
"""

from __future__ import annotations

import logging
import re
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from cardtable.config.checks import faults
from cardtable.config.decks import deck_file, is_printed
from cardtable.config.devices import CameraConfig
from cardtable.config.model import TableConfig, table_model
from cardtable.config.section import Section
from cardtable.config.toml_file import explain, place_of, read_toml
from cardtable.errors import UsageError, why
from cardtable.files import MAX_TOML_BYTES, read_text, toml_values
from cardtable.plugins import left_out
from engine.errors import HeaderError
from engine.games import DEFAULT_GAME, add_game
from engine.texts import text
from engine.toml_games.description import DescriptionError
from engine.toml_games.game import DescribedGame, game_of
from engine.toml_games.keys import read_description

FOLDER: Final = "games"
"""The folder beside `table.toml` with the descriptions of games: docs/how-to/games-in-toml.md."""
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_MAX_NAME_LENGTH: Final = 32
_log: Final = logging.getLogger(__name__)


class GameFileError(UsageError):
    """A file does not describe a game. The message names the file, the line, and what would be right."""


def add_games(beside: Path) -> list[str]:
    """Add the games that the files in the folder `games` below `beside` describe.

    Return a message for each file that is left out because it does not describe a game.
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
    """Return the game that the file `path` describes. It has the name of the file. Raises `GameFileError`."""
    if not _NAME.fullmatch(path.stem) or len(path.stem) > _MAX_NAME_LENGTH:
        message = "{path}: the name of the file is the game's: lower-case letters, digits and hyphens, at most {most}"
        raise GameFileError(text(message, path=path, most=_MAX_NAME_LENGTH))
    try:
        written, values = read_toml(path, GameFileError)
    except FileNotFoundError as error:  # deleted since the folder was listed
        raise GameFileError(text("{path} cannot be read: {why}", path=path, why=why(error))) from error
    try:
        return game_of(path.stem, read_description(values))
    except DescriptionError as error:
        place = place_of(path, written, error.where)
        raise GameFileError(text("{place}: {fault}", place=place, fault=str(error))) from error


class ConfigError(UsageError):
    """The configuration is wrong. The message names the file, the line and what would be right."""


class NoConfig(ConfigError):
    """The configuration does not exist."""


def read_config(path: Path) -> TableConfig:
    """Read and check the configuration in `path`, after adding the games described beside it.

    Raises `ConfigError`. A game that cannot be added is left out (`cardtable.config.load.add_games`).
    """
    try:
        written, values = read_toml(path, ConfigError)
    except FileNotFoundError as error:
        raise NoConfig(
            text(
                "there is no file {path}; write one: cardtable config -o {path}, or cardtable setup, which asks",
                path=path,
            )
        ) from error
    return checked_config(path, written, values)


def checked_config(path: Path, written: str, values: dict[str, Any]) -> TableConfig:
    """Return the configuration with the `values` of the TOML text `written`, the content of the file `path`.

    The games described beside the file are added first. Raises `ConfigError`.
    """
    place = partial(place_of, path, written)
    add_games(path.parent)
    model = table_model()
    try:
        config = model.model_validate({key: value for key, value in values.items() if key not in left_out()})
    except ValidationError as error:
        raise ConfigError(explain(place, error, model)) from error
    for fault in faults(config):
        raise ConfigError(text("{place}: {fault}", place=place(fault.where), fault=fault.text))
    try:
        if config.game is not None or len(config.players) > 1:
            config.header.check()
    except HeaderError as error:
        where = place(tuple(error.key.split(".")))
        raise ConfigError(text("{place}: {fault}", place=where, fault=str(error))) from error
    return _beside(path, config.model_copy(update={"cameras": _cameras(config)}))


def _cameras(config: TableConfig) -> tuple[CameraConfig, ...]:
    """Return all cameras: those of `[[cameras]]`, or the one of `[camera]` and `source`."""
    camera = config.camera
    if config.cameras or (camera is None and config.source is None and config.reader):
        return config.cameras
    source = config.source or (camera.source if camera else None)
    if source is None:
        source = "usb:0"
        _log.info("the configuration has no source; the camera is %s", source)
    return (CameraConfig.model_validate({**(camera.model_dump() if camera else {}), "source": source}),)


def _beside(path: Path, config: TableConfig) -> TableConfig:
    """Return `config` with its relative paths joined to the folder of the file `path`."""
    folder = path.parent
    cameras = []
    for camera in config.cameras:
        changes: dict[str, object] = {"source": _source_beside(folder, camera.source)}
        if camera.deck and not is_printed(camera.deck):
            changes["deck"] = str(deck_file(camera.deck, folder))
        calibration = Path(calibration_file(camera.name))
        if camera.calibration is None and (folder / calibration).exists():
            changes["calibration"] = calibration
            _log.debug("the calibration of camera %s is %s", camera.name, calibration)
        cameras.append(camera.model_copy(update=changes))
    joined: TableConfig = _joined(config.model_copy(update={"cameras": tuple(cameras)}), folder)
    return joined


def _joined(value: Any, folder: Path) -> Any:
    """Return a value of the configuration with the relative paths in it joined to `folder`."""
    if isinstance(value, Path):
        return folder / value
    if isinstance(value, Section):
        return value.model_copy(update={name: _joined(part, folder) for name, part in value})
    if isinstance(value, tuple):
        return tuple(_joined(part, folder) for part in value)
    return value


def calibration_file(camera: str) -> str:
    """Return the default name of the file in which `cardtable calibrate` stores a camera's view of the mat."""
    return f"{re.sub(r'[^A-Za-z0-9_-]', '-', camera)}.calibration.json"


def _source_beside(folder: Path, source: str) -> str:
    """Return the source with the path of a file or folder joined to `folder`."""
    scheme, colon, rest = source.partition(":")
    if colon and scheme in ("video", "dir"):
        return f"{scheme}:{folder / rest}"
    return source if colon or source == "picamera" else str(folder / source)


def find_config(named: str | None) -> TableConfig:
    """Return the configuration in the file `named`, or in `table.toml`, or else that of a table without devices.

    Raises `ConfigError` if the file is wrong, or if the one that is `named` does not exist.
    """
    try:
        return read_config(Path(named or "table.toml"))
    except NoConfig:
        if named is not None:
            raise
        return bare_config()


def bare_config() -> TableConfig:
    """Return the configuration of a table without devices, with a game and players."""
    return TableConfig(game=DEFAULT_GAME, players=("Ann", "Bo"))


def read_or_default_config(path: Path) -> TableConfig:
    """Return the configuration in `path`, or the defaults if there is no such file yet. Raises `ConfigError`."""
    try:
        return read_config(path)
    except NoConfig:
        return checked_config(path, "", {})


def readable_part(path: Path, otherwise: TableConfig) -> TableConfig:
    """Return language, board, access and journal of a configuration, whatever else is wrong with it.

    Each is that of `otherwise` if it is missing or wrong. Of a file that is no TOML, the lines count that are.
    """
    try:
        values = read_toml(path, ConfigError)[1]
    except (ConfigError, OSError):
        values = _values_of_lines(path)
    config = otherwise
    for key in ("language", "board", "access", "journal"):
        with suppress(ValidationError):
            if key in values:
                read = TableConfig.model_validate({key: values[key]})
                config = config.model_copy(update={key: getattr(read, key)})
    return config


def _values_of_lines(path: Path) -> dict[str, Any]:
    """Return what the lines set that are TOML by themselves, below a valid heading; of two values, the first."""
    top: dict[str, Any] = {}
    sections, section, written = dict[str, Any](), top, ""
    with suppress(OSError):
        written = read_text(path, MAX_TOML_BYTES, "replace")
    for line in written.split("\n"):
        found: dict[str, Any] = {}
        with suppress(ValueError, RecursionError):
            found = toml_values(line)
        if line.lstrip().startswith("["):
            name = next(iter(found), "")
            section = sections.setdefault(name, {}) if found == {name: {}} else {}
        else:
            section |= found | section
    return sections | top
