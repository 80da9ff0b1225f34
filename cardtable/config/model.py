"""The configuration: `table.toml`, read strictly.

Every key is described in docs/configuration.md. A key that does not exist, or a value of the wrong kind, is refused
with the file, the line and what was probably meant; nothing is guessed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from cardtable.config.cameras import CameraConfig, OneCameraConfig
from cardtable.config.hardware import BuzzerConfig, DisplayConfig, SeatConfig, Strict, VoiceConfig
from cardtable.config.readers import ReaderConfig
from cardtable.languages import Language
from engine.record import Header

LONGEST_NAME: Final = 40
Marks = Literal["faces", "qr", "aruco"]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NAME)]
Option = Annotated[bool | int | str, Field(union_mode="left_to_right")]


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
