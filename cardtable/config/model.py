"""The configuration in `table.toml` as one model: `TableConfig`. `cardtable.config.load` reads it."""

from __future__ import annotations

import os
import time
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BeforeValidator, Field, StringConstraints, create_model

from cardtable.config.devices import (
    CAMERA,
    BuzzerConfig,
    CameraConfig,
    DisplayConfig,
    OneCameraConfig,
    ReaderConfig,
    SeatConfig,
    VoiceConfig,
)
from cardtable.config.section import ANY_ORIGIN, OWN, SECRET, Section, Transfer
from cardtable.languages import WRITTEN, Language
from cardtable.plugins import blamed, installed
from engine.errors import HeaderError
from engine.games import DEFAULT_GAME, HOUSE, load_game
from engine.names import plain_name
from engine.record import Header
from engine.texts import text
from hardware.wiring import PinUse

Who = Literal["board", "director", "seat", "seats", "spectator"]
"""Who may do something at the board. board: pages on this machine. director: a device that has entered the PIN. seat:
the phone of the player concerned. seats: the phone of any player. spectator: every device in the network."""
Several = Annotated[tuple[Who, ...], Field(strict=False)]


class AccessConfig(Section):
    """Who may do what. "seat" means: a phone for its own seat; its own last action, if it takes one back."""

    say: Annotated[Several, OWN] = Field(
        default=("board", "director", "seat"),
        description=text(
            'who may say the words of a seat: "board", "director", "seat" (its own phone), "seats" (any paired phone), '
            '"spectator" (every device)'
        ),
    )
    accuse: Annotated[Several, OWN] = Field(
        default=("board", "director", "seat"), description=text("who may say words that accuse another seat")
    )
    undo: Annotated[Several, OWN] = Field(
        default=("board", "director", "seat"),
        description=text('who may take back the last action; "seat": the phone of the player whose action it was'),
    )
    correct: Annotated[Several, OWN] = Field(
        default=("board", "director"), description=text("who may correct the record; `seat` and `seats` are the same")
    )
    host: Annotated[Several, OWN] = Field(
        default=("board", "director"),
        description=text("who may choose players and games, begin, break off and say good night"),
    )


LONGEST_NAME: Final = 40
"""Letters in the name of a player."""
EVERYWHERE: Final = "0.0.0.0"
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
Marks = Literal["faces", "qr", "aruco"]


def plain(name: Any) -> Any:
    """Return `plain_name`; other types are left to the validation."""
    return plain_name(name) if isinstance(name, str) else name


Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME), BeforeValidator(plain)]
Option = Annotated[bool | int | str, Field(union_mode="left_to_right")]


class BoardConfig(Section):
    """The address at which the board is served."""

    network: Annotated[bool, OWN] = Field(
        default=False,
        description=text("whether phones and other devices in the network reach the board: docs/how-to/phones.md"),
    )
    host: Annotated[str, OWN] = Field(
        default="127.0.0.1",
        min_length=1,
        description=text(
            'the address of this machine at which the board is served; with `network`, "127.0.0.1" means all of them'
        ),
    )
    port: Annotated[int, OWN] = Field(
        default=8015, ge=0, le=65535, description=text("the number after the colon in its address")
    )
    hosts: Annotated[tuple[str, ...], OWN] = Field(
        default=(), strict=False, description=text("other host names in addresses of the board")
    )
    overlay_hands_s: float | None = Field(
        default=None,
        gt=0,
        description=text("seconds after which the overlay for streams shows known hands; without it: never"),
        examples=[600.0],
    )
    overlay_key: Annotated[str | None, SECRET] = Field(
        default=None,
        min_length=8,
        pattern=r"^[A-Za-z0-9_-]+$",
        description=text("with it, the overlay shows hands only at an address with `?key=` and this key"),
        examples=["choose-your-own"],
    )

    @property
    def listens_at(self) -> str:
        """The address at which the board is served."""
        return EVERYWHERE if self.network and self.host in LOOPBACK else self.host


class HistoryConfig(Section):
    """What is kept of games besides their actions."""

    pictures: int = Field(
        default=0,
        ge=0,
        le=1_000_000,
        description=text(
            "how many camera pictures of moments of games are kept, 100 KB each at most; the oldest are deleted first"
        ),
        examples=[5000],
    )


PluginSection = TypeVar("PluginSection", bound=Section)


class TableConfig(Section):
    """The configuration of a card table. Relative paths start at the folder of the file.

    `source` and `camera` describe the only camera of a table; after reading, `cameras` has all cameras.
    """

    game: Annotated[str | None, ANY_ORIGIN] = Field(
        default=None,
        description=text("the game that begins at once, if players are named too; without it: chosen on the board"),
        examples=["all-fives"],
    )
    players: Annotated[tuple[Name, ...], ANY_ORIGIN] = Field(
        default=(),
        strict=False,
        description=text(
            "names, clockwise; seat 0 sits at the bottom edge of the mat; without it: chosen on the board"
        ),
        examples=[["Ann", "Bo"]],
    )
    dealer: int | None = Field(
        default=None, ge=0, description=text("the seat that deals first; without it the cut decides"), examples=[0]
    )
    marks: tuple[Marks, ...] = Field(
        default=("faces",),
        strict=False,
        min_length=1,
        description=text('what is printed on the cards: "faces", "qr", "aruco", or several of them'),
    )
    source: Annotated[str | None, CAMERA] = Field(
        default=None, min_length=1, description=text("the camera, if there is only one"), examples=["usb:0"]
    )
    journal: Annotated[Path, OWN] = Field(
        default=Path("journal.sqlite"),
        strict=False,
        description=text("the file in which every game is stored"),
    )
    corrected: Annotated[Path | None, OWN] = Field(
        default=None,
        strict=False,
        description=text("a folder that keeps pictures of cards that people have corrected; without it none is kept"),
        examples=["corrected"],
    )
    language: Language = Field(
        default="en", description=text("the language of what is shown and spoken: {languages}", languages=WRITTEN)
    )
    time_zone: Annotated[str | None, Transfer(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*")] = Field(
        default=None,
        min_length=1,
        description=text("the time zone of what is shown and stored; without it: that of the machine"),
        examples=["Europe/Paris"],
    )
    first_start: Annotated[bool, OWN] = Field(
        default=False,
        description=text("whether the board asks first what every table needs: docs/start/first-start.md"),
    )
    options: Annotated[dict[str, Option], ANY_ORIGIN] = Field(default={}, description=text("The game's own options."))
    board: BoardConfig = Field(default=BoardConfig(), description=text("Where the board is served."))
    history: HistoryConfig = Field(
        default=HistoryConfig(),
        description=text("What is kept of games besides their actions: docs/how-to/history.md."),
    )
    access: AccessConfig = Field(
        default=AccessConfig(), description=text("Who may do what at the board: docs/how-to/phones.md.")
    )
    camera: OneCameraConfig | None = Field(
        default=None,
        description=text(
            "The only camera. For several, write a [[cameras]] section for each instead of this "
            "one, and no `source` above."
        ),
    )
    cameras: tuple[CameraConfig, ...] = Field(
        default=(), strict=False, description=text("Several cameras, a section for each.")
    )
    reader: tuple[ReaderConfig, ...] = Field(
        default=(),
        strict=False,
        description=text("RFID readers: docs/how-to/rfid.md. One section for each reader board."),
    )
    seat: tuple[SeatConfig, ...] = Field(
        default=(),
        strict=False,
        description=text("Buttons and lights: docs/how-to/wired-hardware.md. One section for each seat."),
    )
    buzzer: BuzzerConfig | None = Field(
        default=None, description=text("One buzzer for the whole table: docs/how-to/wired-hardware.md.")
    )
    display: tuple[DisplayConfig, ...] = Field(
        default=(),
        strict=False,
        description=text("Small displays: docs/how-to/wired-hardware.md. One section for each."),
    )
    voice: VoiceConfig = Field(
        default=VoiceConfig(), description=text("What is spoken: docs/how-to/wired-hardware.md.")
    )

    def section(self, kind: type[PluginSection]) -> PluginSection | None:
        """Return the section of a plug-in, by its model; None if the file has none."""
        return next((value for _, value in self if isinstance(value, kind)), None)

    @property
    def pins(self) -> list[tuple[tuple[str | int, ...], PinUse]]:
        """The pins of all wired devices, each with the place in the file that names it."""
        buzzer = [] if self.buzzer is None else [(("buzzer", "pin"), PinUse(self.buzzer.pin, text("the buzzer")))]
        return [
            *((("seat", number), use) for number, seat in enumerate(self.seat) for use in seat.wiring.uses()),
            *buzzer,
            *((("display", number), use) for number, shown in enumerate(self.display) for use in shown.wiring.uses()),
        ]

    @property
    def chosen(self) -> bool:
        """Whether the file names game and players, so that the game begins without the lobby."""
        return self.game is not None and bool(self.players)

    @property
    def header(self) -> Header:
        """The header of the game that the file names.

        What the file leaves out is filled in: a game for the number of players, or as few players as the game allows.
        """
        count = len(self.players)
        fitting = (name for name in HOUSE if max(count, 2) in load_game(name).seats)
        game = self.game or next(fitting, DEFAULT_GAME)
        players = self.players
        if self.game is None and len(players) == 1:
            players = (*players, str(text("Player {number}", number=2)))
        if not players:
            try:
                count = load_game(game).seats[0]
            except HeaderError:
                count = 2
            players = tuple(str(text("Player {number}", number=number)) for number in range(1, count + 1))
        options = dict(self.options) if self.game else {}
        return Header.new(game, players, self.dealer if self.players else None, options)


def table_model() -> type[TableConfig]:
    """Return the model of the whole table.toml: `TableConfig` with the sections of the installed plug-ins."""
    sections = []
    for name, plugin in installed().items():
        with blamed(name):
            sections.append((name, plugin.section()))
    return _with_sections(tuple(sections))


@cache
def _with_sections(sections: tuple[tuple[str, type[Section] | None], ...]) -> type[TableConfig]:
    fields: dict[str, Any] = {
        name: (section | None, Field(default=None, description=section.about))
        for name, section in sections
        if section is not None
    }
    return create_model("TableConfig", __base__=TableConfig, __doc__=TableConfig.__doc__, **fields)


def use_time_zone(name: str | None) -> None:
    """Let this program use the time zone `name`, such as `Europe/Paris`; None for that of the machine."""
    if name is not None:
        os.environ["TZ"] = name
    else:
        os.environ.pop("TZ", None)
    time.tzset()
