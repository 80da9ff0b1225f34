"""The configuration: `table.toml`, read strictly.

Every key is described in docs/configuration.md. A key that does not exist, or a value of the wrong kind, is refused
with the file, the line and what was probably meant; nothing is guessed.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError

from cardtable.camera_config import CameraConfig, OneCameraConfig
from cardtable.decks import deck_file
from cardtable.errors import UsageError, suggestion
from cardtable.reader_config import AUTO, ReaderConfig
from cardtable.wiring import BuzzerConfig, DisplayConfig, Language, SeatConfig, Strict, VoiceConfig
from engine.errors import HeaderError
from engine.games import load_game
from engine.record import Header

Marks = Literal["faces", "qr", "aruco"]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)]
Option = Annotated[bool | int | str, Field(union_mode="left_to_right")]


class ConfigError(UsageError):
    """The configuration is wrong; the message names the file, the line and what would be right."""


class BoardConfig(Strict):
    """Where the board is served. `hosts`: names it may be called by, besides the address itself."""

    host: str = "127.0.0.1"
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
        text = path.read_text("utf-8")
        config = TableConfig.model_validate(tomllib.loads(text))
    except FileNotFoundError as error:
        raise ConfigError(f"there is no file {path}; docs/configuration.md has an example to copy") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}") from error
    except ValidationError as error:
        raise ConfigError(_explain(path, text, error)) from error
    if len(set(config.players)) < len(config.players):  # nobody could tell who is meant
        place = _place(path, text, ("players",))
        raise ConfigError(f'{place}: two players have the same name; give each another: players = ["Ann", "Bo"]')
    config = config.model_copy(update={"cameras": _cameras(path, config)})
    names = [camera.name for camera in config.cameras]
    if len(set(names)) < len(names):
        raise ConfigError(f'{path}: two cameras have the same name; give each its own: name = "left"')
    names += [reader.name for reader in config.reader]
    if len(set(names)) < len(names):
        raise ConfigError(f'{path}: two sources have the same name; give each [[reader]] its own: name = "left"')
    try:
        config.header.check()
    except HeaderError as error:
        raise ConfigError(f"{_place(path, text, tuple(error.key.split('.')))}: {error}") from error
    _check_wired(path, config)
    return _beside(path, config)


def _cameras(path: Path, config: TableConfig) -> tuple[CameraConfig, ...]:
    """All cameras of the table, however they are written."""
    if config.cameras:
        for key, given in (("source", config.source), ("[camera]", config.camera)):
            if given is not None:
                raise ConfigError(f"{path}: {key!r} is for a table with one camera; with [[cameras]], write it there")
        return config.cameras
    one = config.camera
    if one is not None and one.source is not None and config.source is not None:
        raise ConfigError(f"{path}: 'source' stands twice, at the top and in [camera]: take one of them out")
    if one is None and config.source is None and config.reader:
        return ()
    source = config.source or (one.source if one else None) or "usb:0"
    return (CameraConfig.model_validate({**(one.model_dump() if one else {}), "source": source}),)


def _check_wired(path: Path, config: TableConfig) -> None:
    """What is wired at a seat is wired at one that there is, and at each once."""
    for table, wired in (("[[seat]]", config.seat), ("[[display]]", config.display)):
        for part in wired:
            if part.seat is not None and part.seat >= len(config.players):
                last = len(config.players) - 1
                raise ConfigError(f"{path}: {table}: there is no seat {part.seat}: the seats are 0 to {last}")
    _check_readers(path, config)
    for display in config.display:
        if display.kind == "png" and display.file is None:
            raise ConfigError(f'{path}: [[display]]: a png needs the file that it writes: file = "table.png"')
    seats = [part.seat for part in config.seat]
    if len(set(seats)) < len(seats):
        raise ConfigError(f"{path}: two [[seat]] tables are about the same seat: give each its own: seat = 1")


def _check_readers(path: Path, config: TableConfig) -> None:
    """Boards with readers have seats that there are, words of the game, and each a port of its own."""
    words = load_game(config.game).words
    for reader in config.reader:
        if any(seat >= len(config.players) for seat in reader.seats):
            seat, last = max(reader.seats), len(config.players) - 1
            raise ConfigError(f"{path}: [[reader]]: there is no seat {seat}: the seats are 0 to {last}")
        for word in reader.words - set(words):
            guess = suggestion(word, words) or f"; there are {', '.join(words) or 'none'}"
            raise ConfigError(f"{path}: [[reader]]: a button says {word!r}, no word of {config.game}{guess}")
    ports = [reader.port for reader in config.reader]
    if len(set(ports)) < len(ports) or (len(ports) > 1 and AUTO in ports):
        told = "which board is which? Give each [[reader]] the port of its own: /dev/serial/by-id/…, not auto"
        raise ConfigError(f"{path}: {told}")


def _beside(path: Path, config: TableConfig) -> TableConfig:
    """Relative paths in a configuration start at its own folder."""
    folder = path.parent
    cameras = []
    for camera in config.cameras:
        changes: dict[str, object] = {"source": _source_beside(folder, camera.source)}
        if camera.deck:
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


def _explain(path: Path, text: str, error: ValidationError) -> str:
    # A key written wrongly is the reason why another is missing: it is told first.
    fault = min(error.errors(include_url=False), key=lambda fault: fault["type"] != "extra_forbidden")
    where = fault["loc"][:2] if fault["loc"][0] == "options" else fault["loc"]
    key = ".".join(str(part) for part in where if not isinstance(part, int))
    place = _place(path, text, where)
    if fault["type"] == "extra_forbidden":
        known = _known_keys(where[:-1])
        guess = suggestion(str(where[-1]), known) or f"; there are {', '.join(known)}"
        return f"{place}: there is no key {key!r}{guess}"
    if fault["type"] == "missing":
        return f"{place}: the key {key!r} is missing; {_EXAMPLES.get(key, 'docs/configuration.md has an example')}"
    if fault["type"] == "literal_error":
        expected = fault.get("ctx", {}).get("expected", "")
        return f"{place}: {key!r} is {fault['input']!r}, which is not one of {expected.replace(' or ', ', ')}"
    if fault["type"] == "tuple_type" and isinstance(fault["input"], dict):
        return f"{place}: there may be several of {key!r}: write [[{key}]], in double brackets"
    if fault["type"] in ("model_type", "dict_type"):
        head = f"[[{key}]]" if isinstance(where[-1], int) else f"[{key}]"
        return f"{place}: {key!r} has keys of its own: write {head} and below it, line by line, what belongs to it"
    if fault["type"] in ("too_short", "string_too_short"):
        return f"{place}: {key!r} is empty; {_EXAMPLES.get(key, 'name at least one')}"
    if where[0] == "options":
        return f"{place}: {key!r} should be a number, true, false or a text, not {fault['input']!r}"
    message = _SHOULD.get(fault["type"]) or fault["msg"].removeprefix("Input ").removeprefix("Value error, ")
    return f"{place}: {key!r} {message}, not {fault['input']!r}"


_SHOULD = {
    "tuple_type": "should be a list in brackets",
    "string_type": "should be a text in quotes",
    "path_type": "should be the path of a file, in quotes",
    "int_type": "should be a whole number",
    "float_type": "should be a number",
    "bool_type": "should be true or false",
}
"""What is to be said of a value of the wrong kind, by pydantic's name for the fault."""

_EXAMPLES = {
    "game": 'for example: game = "all-fives"',
    "players": 'for example: players = ["Ann", "Bo"]',
    "marks": 'for example: marks = ["faces"]',
    "cameras.source": 'for example: source = "usb:0"',
    "reader.zones": 'for example: zones = ["play 0", "play 1", "turn-up"]',
    "seat.seat": "for example: seat = 0",
    "buzzer.pin": "for example: pin = 22",
    "display.kind": 'for example: kind = "ssd1306"',
}


_PARTS: dict[int | str, Any] = {
    "board": BoardConfig,
    "camera": OneCameraConfig,
    "cameras": CameraConfig,
    "seat": SeatConfig,
    "buzzer": BuzzerConfig,
    "display": DisplayConfig,
    "voice": VoiceConfig,
    "reader": ReaderConfig,
}


def _known_keys(where: tuple[int | str, ...]) -> tuple[str, ...]:
    model: Any = TableConfig
    for part in where:
        model = _PARTS.get(part, model)
    return tuple(model.model_fields)


def _place(path: Path, text: str, where: tuple[int | str, ...]) -> str:
    line = _line_of(text, where)
    return f"{path}, line {line}" if line else str(path)


def _line_of(text: str, where: tuple[int | str, ...]) -> int | None:
    """The line that sets the key at `where`, found in the text: tomllib does not tell."""
    *tables, key = [str(part) for part in where if not isinstance(part, int)]
    index = next((part for part in where if isinstance(part, int)), 0)
    wanted = ".".join(tables)
    section, seen = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        if match := re.match(r"\s*\[+\s*([^\]]*?)\s*\]+", line):
            section = match[1].replace('"', "")
            seen += section == wanted
            if key == section:
                return number
        elif (
            section == wanted and seen in (0, index + 1) and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", line)
        ):
            return number
    return None
