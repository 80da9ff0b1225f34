"""The devices in `table.toml`: cameras, buttons and lights, buzzer, displays, voice, and RFID readers.

The sections are `[camera]` or `[[cameras]]`, `[[seat]]`, `[buzzer]`, `[[display]]`, `[voice]` and `[[reader]]`. The
models only check values; nothing is opened here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BeforeValidator, Field, PlainValidator

from cardtable.config.section import ANY_ORIGIN, HEX, OWN, Section, Transfer
from cardtable.errors import guess_or_all
from engine.observations import Zone
from engine.texts import text
from hardware.signals import SOUNDS, Sound
from hardware.voice import ESPEAK
from hardware.wiring import KINDS, DisplayWiring, Pin, SeatWiring
from vision.cameras.settings import MAINS_HZ, SYSTEM_PYTHON, CameraSettings, Exposure, Flicker, Kept


def _word_or(words: Any, unit: str, low: float, high: float) -> PlainValidator:
    """Return a validator for one of the `words` of a `Literal`, or a number from `low` to `high` in `unit`."""

    def read(value: object) -> str | float:
        if isinstance(value, str) and value in get_args(words):
            return value
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            named = ", ".join(f'"{word}"' for word in get_args(words))
            template = "should be {words}, or {what} from {low:g} to {high:g}"
            raise ValueError(text(template, words=named, what=unit, low=low, high=high))
        return float(value)

    return PlainValidator(read, json_schema_input_type=words | Annotated[float, Field(ge=low, le=high)])


def _flicker(value: object) -> Flicker:
    """Accept `auto`, `off`, or the frequency of the mains. Raises `ValueError`."""
    if value == "auto" or value == "off":
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value in MAINS_HZ:
        return value
    raise ValueError(text('should be "auto", "off", 50 or 60'))


CardSide = Annotated[float, Field(ge=30, le=130)]
"""Length of a card's side, in millimetres."""
CAMERA: Final = Transfer(r"(usb|picamera):\d+|picamera", secret=True)
"""Cameras by their number; an address of a camera may contain a password."""
_SOURCE = text('the camera or recording; also "picamera", "url:http://192.168.1.20:8080/video"')


class OneCameraConfig(Section):
    """The table's only camera. Its `source` may also be set at the top of the file."""

    name: Annotated[str, ANY_ORIGIN] = Field(default="camera", min_length=1, description=text("its name in messages"))
    source: Annotated[str | None, CAMERA] = Field(default=None, min_length=1, description=_SOURCE, examples=["usb:0"])
    calibration: Annotated[Path | None, Transfer(r"[^/]+\.calibration\.json")] = Field(
        default=None,
        strict=False,
        description=text("the file with its view of the mat: `cardtable calibrate`"),
        examples=["camera.calibration.json"],
    )
    width: int = Field(default=1920, ge=320, le=8192, description=text("the width of its picture, pixels"))
    height: int = Field(default=1080, ge=240, le=8192, description=text("the height of its picture, pixels"))
    fps: int = Field(default=30, ge=1, le=240, description=text("frames per second"))
    exposure: Annotated[Any, _word_or(Exposure, text("milliseconds"), 0.05, 1000), ANY_ORIGIN] = Field(
        default="cards",
        description=text(
            '"auto"; "lock": the value it has found shortly after the start; "cards": the same, then slowly changed so '
            "that the white of the cards is bright but not overexposed; or milliseconds"
        ),
    )
    white_balance: Annotated[Any, _word_or(Kept, text("kelvin"), 1000, 12000), ANY_ORIGIN] = Field(
        default="auto", description=text('"auto", "lock", or kelvin')
    )
    focus: Annotated[Any, _word_or(Kept, text("a number"), 0, 1023), ANY_ORIGIN] = Field(
        default="auto",
        description=text('"auto", "lock", or a number: in the camera\'s own unit (USB), in dioptres (Raspberry Pi)'),
    )
    flicker: Annotated[
        Any, PlainValidator(_flicker, json_schema_input_type=Literal["auto", "off"] | Literal[50, 60]), ANY_ORIGIN
    ] = Field(
        default="auto",
        description=text('the frequency of the mains, 50 (Europe) or 60 Hz, whose flicker it avoids; "off"; or "auto"'),
    )
    python: Annotated[str, OWN] = Field(
        default=SYSTEM_PYTHON, min_length=1, description=text("the Python interpreter that has picamera2")
    )
    deck: Annotated[str | None, Transfer("[a-z0-9_-]+")] = Field(
        default=None,
        min_length=1,
        description=text("german-suits, or the name of a learned deck: `cardtable deck learn my-deck`"),
        examples=["my-deck"],
    )
    card_mm: tuple[CardSide, CardSide] | None = Field(
        default=None,
        strict=False,
        description=text("width and height of its ordinary cards, millimetres; without it they are learned"),
        examples=[[57, 88]],
    )

    @property
    def settings(self) -> CameraSettings:
        """The settings to request from the camera."""
        return CameraSettings(
            *(self.width, self.height, self.fps),
            *(self.exposure, self.white_balance, self.focus, self.flicker),
            self.python,
        )


class CameraConfig(OneCameraConfig):
    """One of several cameras. Its `source` is written as for `cardtable watch`."""

    source: Annotated[str, CAMERA] = Field(min_length=1, description=_SOURCE, examples=["usb:0"])


def _pin(value: object) -> Pin:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(text('should be a pin: 17, "GPIO17" or "BOARD11"'))
    return value


def _lights(value: object) -> tuple[Pin, ...]:
    if isinstance(value, list):
        if len(value) != 3:
            raise ValueError(text("should be one pin, or three in brackets: red, green and blue"))
        return tuple(_pin(each) for each in value)
    return (_pin(value),)


def _encoder(value: object) -> tuple[Pin, Pin]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(text("should be the two pins of the encoder's contacts in brackets: [20, 21]"))
    return _pin(value[0]), _pin(value[1])


def _command(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(part, str) and part for part in value):
        raise ValueError(text('should be a program and its arguments in brackets: ["espeak-ng", "--stdin"]'))
    return tuple(value)


def _kind(value: object) -> object:
    if isinstance(value, str) and value not in KINDS:
        guess = guess_or_all(value, tuple(KINDS))
        raise ValueError(text("should be the name of a display{guess}", guess=guess))
    return value


PinKey = Annotated[Any, PlainValidator(_pin, json_schema_input_type=Pin), ANY_ORIGIN]


class SeatConfig(Section):
    """The button, encoder and light at a seat."""

    seat: int = Field(ge=0, description=text("the seat, counted from 0"), examples=[0])
    button: Annotated[PinKey | None, ANY_ORIGIN] = Field(
        default=None, description=text("a GPIO number; the button connects it to ground"), examples=[17]
    )
    encoder: Annotated[
        Annotated[Any, PlainValidator(_encoder, json_schema_input_type=tuple[Pin, Pin])] | None, ANY_ORIGIN
    ] = Field(
        default=None,
        description=text("the two pins of a knob that chooses a word; pushing it presses the button"),
        examples=[[20, 21]],
    )
    light: Annotated[Any, PlainValidator(_lights, json_schema_input_type=Pin | tuple[Pin, Pin, Pin]), ANY_ORIGIN] = (
        Field(default=(), description=text("the pin of the light, or three: [red, green, blue]"), examples=[23])
    )
    in_view: bool = Field(default=False, description=text("whether the camera sees the light"))

    @property
    def wiring(self) -> SeatWiring:
        """The wiring of this seat."""
        return SeatWiring(self.seat, self.button, self.encoder, self.light, self.in_view)


class BuzzerConfig(Section):
    """The buzzer of the table."""

    pin: PinKey = Field(description=text("a GPIO number"), examples=[22])
    sounds: tuple[Sound, ...] = Field(default=SOUNDS, strict=False, description=text("the events for which it sounds"))


class DisplayConfig(Section):
    """A small display, or a picture in a file."""

    kind: Annotated[str, BeforeValidator(_kind), Field(json_schema_extra={"enum": list(KINDS)}), ANY_ORIGIN] = Field(
        description=text('the driver chip, or "png" for a picture in a file'), examples=["ssd1306"]
    )
    seat: int | None = Field(
        default=None, ge=0, description=text("the seat that sees it; without this key, everybody does"), examples=[0]
    )
    width: int | None = Field(default=None, ge=32, le=2000, description=text("its width, pixels"), examples=[128])
    height: int | None = Field(default=None, ge=16, le=2000, description=text("its height, pixels"), examples=[64])
    rotate: int = Field(default=0, ge=0, le=3, description=text("quarter turns clockwise"))
    bus: Literal["i2c", "spi"] | None = Field(default=None, description=text('"i2c" or "spi"'), examples=["i2c"])
    address: Annotated[int, HEX] = Field(default=0x3C, ge=0x03, le=0x77, description=text("its address on an I2C bus"))
    port: int | None = Field(default=None, ge=0, description=text("the number of the bus"), examples=[1])
    device: int = Field(default=0, ge=0, le=1, description=text("its chip select on an SPI bus"))
    data_command: PinKey = Field(default=24, description=text("the D/C pin, on an SPI bus"))
    reset: PinKey = Field(default=25, description=text("the RST pin, on an SPI bus"))
    backlight: Annotated[PinKey | None, ANY_ORIGIN] = Field(
        default=None, description=text("the pin of the backlight, if it has one"), examples=[18]
    )
    file: Annotated[Path | None, OWN] = Field(
        default=None,
        strict=False,
        description=text('for kind = "png": the file of the picture'),
        examples=["table.png"],
    )

    @property
    def wiring(self) -> DisplayWiring:
        """The wiring of this display."""
        return DisplayWiring(**dict(self))


class VoiceConfig(Section):
    """What is spoken, and by which program."""

    say: Literal["off", "prompts", "everything", "full"] = Field(
        default="off", description=text('"off", "prompts", "everything" or "full"')
    )
    command: Annotated[Annotated[Any, PlainValidator(_command, json_schema_input_type=tuple[str, ...])] | None, OWN] = (
        Field(
            default=None, description=text("the program that speaks; it reads the words from stdin"), examples=[ESPEAK]
        )
    )


ZONES: Final = ("play", "turn-up", "table", "stock", "crib", "say", "bid", "show", "deal")
"""The zones under which a reader may lie. Cards are dealt to a seat by moving them across its reader `deal`."""
SEAT_ZONES: Final = ("play", "say", "bid", "show", "deal")
"""The zones that belong to a seat."""
UNDO: Final = "undo"
AUTO: Final = "auto"
"""The `port` that makes the table search every USB port for the reader board."""


Button = tuple[str, int | None]
"""What a button says: a word and the seat that says it, or `UNDO` and None."""


def _zone(written: str) -> Zone:
    """Parse `play 1` or `turn-up`. Raises `ValueError`."""
    name, _, seat = written.partition(" ")
    if name not in ZONES:
        raise ValueError(text("does not name a zone; the zones are {names}", names=", ".join(ZONES)))
    if name in SEAT_ZONES and not seat.isdecimal():
        raise ValueError(text("needs the seat that the zone belongs to, like '{name} 0'", name=name))
    if name not in SEAT_ZONES and seat:
        raise ValueError(text("has a seat, but the zone {name!r} belongs to no player", name=name))
    return Zone(name, int(seat) if seat else None)


def _button(written: str) -> Button:
    """Parse `beg 0` or `undo`. Raises `ValueError`."""
    if written == UNDO:
        return UNDO, None
    word, _, seat = written.rpartition(" ")
    if not word or not seat.isdecimal():
        raise ValueError(text("is written as a word and the seat that says it, like 'beg 0', or as 'undo'"))
    return word, int(seat)


def _light(written: str) -> int:
    """Parse `seat 0` into the seat. Raises `ValueError`."""
    word, _, seat = written.partition(" ")
    if word != "seat" or not seat.isdecimal():
        raise ValueError(text("is written as the seat that the light belongs to, like 'seat 0'"))
    return int(seat)


def _parsed_by(parse: Callable[[str], object]) -> PlainValidator:
    """Return a validator that parses an entry. An empty one becomes None: nothing is there."""

    def read(entry: object) -> object:
        if not isinstance(entry, str):
            raise ValueError(text("should be a text in quotes"))
        return parse(entry) if entry else None

    return PlainValidator(read, json_schema_input_type=str)


class ReaderConfig(Section):
    """A reader board: a microcontroller with RFID readers."""

    name: Annotated[str, ANY_ORIGIN] = Field(default="readers", min_length=1, description=text("its name in messages"))
    port: Annotated[str, Transfer(AUTO)] = Field(
        default=AUTO,
        min_length=1,
        description=text('the serial port: "auto" (searched for on USB), a device, or socket://host:port'),
    )
    tags: Annotated[Path, Transfer(r"tags[^/]*\.json")] = Field(
        default=Path("tags.json"),
        strict=False,
        description=text("the file that says which tag is on which card: `cardtable tags learn`"),
    )
    zones: Annotated[tuple[Annotated[Zone | None, _parsed_by(_zone)], ...], ANY_ORIGIN] = Field(
        strict=False,
        min_length=1,
        max_length=8,
        description=text("the zone above each reader, in order from reader 0"),
        examples=[["play 0", "play 1", "turn-up"]],
    )
    buttons: Annotated[tuple[Annotated[Button | None, _parsed_by(_button)], ...], ANY_ORIGIN] = Field(
        default=(),
        strict=False,
        max_length=8,
        description=text('what each button on the reader board says: "beg 0" (beg, for seat 0), "undo"'),
    )
    lights: Annotated[tuple[Annotated[int | None, _parsed_by(_light)], ...], ANY_ORIGIN] = Field(
        default=(),
        strict=False,
        max_length=16,
        description=text('the seat of each light on the reader board: "seat 0"'),
    )

    @property
    def places(self) -> dict[int, Zone]:
        """The zone of each reader in use, by the index of the reader."""
        return {index: zone for index, zone in enumerate(self.zones) if zone is not None}

    @property
    def seats(self) -> set[int]:
        """The seats that appear in zones, buttons and lights."""
        zones, buttons = (zone.seat for zone in self.places.values()), (seat for _, seat in filter(None, self.buttons))
        return {seat for seat in (*zones, *buttons, *self.lights) if seat is not None}

    @property
    def words(self) -> set[str]:
        """The words of the game that the buttons say."""
        return {word for word, seat in filter(None, self.buttons) if seat is not None}
