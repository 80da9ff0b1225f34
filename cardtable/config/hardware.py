"""The hardware in `table.toml`: `[[seat]]`, `[buzzer]`, `[[display]]`, `[voice]`. Nothing is opened here.

docs/seats.md, docs/displays.md and docs/voice.md explain the keys.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainValidator

from cardtable.config.section import HEX, Section
from cardtable.errors import guess_or_all
from engine.texts import text
from hardware.display_wiring import KINDS, DisplayWiring
from hardware.pins import Pin, SeatWiring
from hardware.sounds import SOUNDS, Sound
from hardware.voice import ESPEAK


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


PinKey = Annotated[Any, PlainValidator(_pin, json_schema_input_type=Pin)]


class SeatConfig(Section):
    """The button, encoder and light at one seat."""

    seat: int = Field(ge=0, description=text("the seat, counted from 0"), examples=[0])
    button: PinKey | None = Field(
        default=None, description=text("a GPIO number; the button connects it to ground"), examples=[17]
    )
    encoder: Annotated[Any, PlainValidator(_encoder, json_schema_input_type=tuple[Pin, Pin])] | None = Field(
        default=None,
        description=text("the two pins of a knob that chooses a word; pushing it presses the button"),
        examples=[[20, 21]],
    )
    light: Annotated[Any, PlainValidator(_lights, json_schema_input_type=Pin | tuple[Pin, Pin, Pin])] = Field(
        default=(), description=text("the pin of the light, or three: [red, green, blue]"), examples=[23]
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

    kind: Annotated[str, BeforeValidator(_kind), Field(json_schema_extra={"enum": list(KINDS)})] = Field(
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
    backlight: PinKey | None = Field(
        default=None, description=text("the pin of the backlight, if it has one"), examples=[18]
    )
    file: Path | None = Field(
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
    """What is spoken, and the program that speaks."""

    say: Literal["off", "prompts", "everything", "full"] = Field(
        default="off", description=text('"off", "prompts", "everything" or "full"')
    )
    command: Annotated[Any, PlainValidator(_command, json_schema_input_type=tuple[str, ...])] | None = Field(
        default=None, description=text("the program that speaks; it reads the words from stdin"), examples=[ESPEAK]
    )
