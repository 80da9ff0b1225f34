"""The configuration: `table.toml`, read strictly.

Every key is described in docs/configuration.md. A key that does not exist, or a value of the wrong kind, is refused
with the file, the line and what was probably meant; nothing is guessed.
"""

from __future__ import annotations

import re
import tomllib
from functools import partial
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints, ValidationError

from cardtable.config.cameras import CameraConfig, OneCameraConfig
from cardtable.config.checks import faults
from cardtable.config.errors import explained, not_toml, place_of
from cardtable.config.hardware import BuzzerConfig, DisplayConfig, Language, SeatConfig, Strict, VoiceConfig
from cardtable.config.readers import ReaderConfig
from cardtable.decks.library import ORDINARY, deck_file
from cardtable.errors import UsageError, why
from engine.errors import HeaderError
from engine.record import Header
from engine.texts import text

LONGEST_NAME: Final = 40
Marks = Literal["faces", "qr", "aruco"]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NAME)]
Option = Annotated[bool | int | str, Field(union_mode="left_to_right")]


class ConfigError(UsageError):
    """The configuration is wrong; the message names the file, the line and what would be right."""


class BoardConfig(Strict):
    """Where the board is served. `hosts`: names it may be called by, besides the address itself."""

    host: str = Field(default="127.0.0.1", min_length=1)
    port: int = Field(default=8015, ge=0, le=65535)
    hosts: tuple[str, ...] = Field(default=(), strict=False)


class TableConfig(Strict):
    """What `table.toml` says. Paths are relative to the file.

    `source` and `camera` are about a table with one camera; once read, `cameras` has all of them.
    """

    game: str
    players: tuple[Name, ...] = Field(strict=False)
    dealer: int | None = Field(default=None, ge=0)
    options: dict[str, Option] = Field(default={})
    marks: tuple[Marks, ...] = Field(default=("faces",), strict=False, min_length=1)
    journal: Path = Field(default=Path("journal.sqlite"), strict=False)
    source: str | None = Field(default=None, min_length=1)
    camera: OneCameraConfig | None = None
    cameras: tuple[CameraConfig, ...] = Field(default=(), strict=False)
    board: BoardConfig = BoardConfig()
    reader: tuple[ReaderConfig, ...] = Field(default=(), strict=False)
    language: Language = "en"
    seat: tuple[SeatConfig, ...] = Field(default=(), strict=False)
    buzzer: BuzzerConfig | None = None
    display: tuple[DisplayConfig, ...] = Field(default=(), strict=False)
    voice: VoiceConfig = VoiceConfig()

    @property
    def header(self) -> Header:
        """The header of a game at this table."""
        return Header(self.game, self.players, self.dealer, dict(self.options))


def read_config(path: Path) -> TableConfig:
    """The configuration in `path`. Raises `ConfigError`."""
    try:
        written = path.read_text("utf-8-sig")  # some editors begin a file with a byte order mark
        told = tomllib.loads(written)
    except FileNotFoundError as error:
        raise ConfigError(
            text("there is no file {path}; docs/configuration.md has an example to copy", path=path)
        ) from error
    except OSError as error:
        raise ConfigError(text("{path} cannot be read: {why}", path=path, why=why(error))) from error
    except UnicodeDecodeError as error:
        raise ConfigError(text("{path} is not UTF-8 text", path=path)) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(not_toml(path, written, error)) from error
    place = partial(place_of, path, written)
    try:
        config = TableConfig.model_validate(told)
    except ValidationError as error:
        raise ConfigError(explained(place, error, TableConfig)) from error
    for fault in faults(config):
        raise ConfigError(text("{place}: {fault}", place=place(fault.where), fault=fault.text))
    try:
        config.header.check()
    except HeaderError as error:
        where = place(tuple(error.key.split(".")))
        raise ConfigError(text("{place}: {fault}", place=where, fault=str(error))) from error
    return _beside(path, config.model_copy(update={"cameras": _cameras(config)}))


def _cameras(config: TableConfig) -> tuple[CameraConfig, ...]:
    """All cameras of the table, however they are written."""
    one = config.camera
    if config.cameras or (one is None and config.source is None and config.reader):
        return config.cameras
    source = config.source or (one.source if one else None) or "usb:0"
    return (CameraConfig.model_validate({**(one.model_dump() if one else {}), "source": source}),)


def _beside(path: Path, config: TableConfig) -> TableConfig:
    """Relative paths in a configuration start at its own folder."""
    folder = path.parent
    cameras = []
    for camera in config.cameras:
        changes: dict[str, object] = {"source": _source_beside(folder, camera.source)}
        if camera.deck and camera.deck != ORDINARY:
            changes["deck"] = str(deck_file(camera.deck, folder))
        calibration = folder / (camera.calibration or calibration_file(camera.name))
        if camera.calibration or calibration.exists():
            changes["calibration"] = calibration
        cameras.append(camera.model_copy(update=changes))
    readers = tuple(reader.model_copy(update={"tags": folder / reader.tags}) for reader in config.reader)
    displays = tuple(
        display.model_copy(update={"file": folder / display.file}) if display.file else display
        for display in config.display
    )
    return config.model_copy(
        update={"journal": folder / config.journal, "cameras": tuple(cameras), "display": displays, "reader": readers}
    )


def calibration_file(camera: str) -> str:
    """The name of the file in which `cardtable calibrate` keeps the view of a camera for which no other is named."""
    return f"{re.sub(r'[^A-Za-z0-9_-]', '-', camera)}.calibration.json"


def _source_beside(folder: Path, source: str) -> str:
    """The source, where it is a file or a folder, found from `folder`."""
    scheme, colon, rest = source.partition(":")
    if colon and scheme in ("video", "dir"):
        return f"{scheme}:{folder / rest}"
    return source if colon or source == "picamera" else str(folder / source)
