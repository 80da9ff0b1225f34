"""What the configuration says about things wired to the Pi: `[[seat]]`, `[buzzer]`, `[[display]]`, `[voice]`.

Documented in docs/seats.md, docs/displays.md and docs/voice.md; read by `cardtable.config.model`. Nothing is opened here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator

from cardtable.errors import guess_or_all
from engine.texts import text
from hardware.display_wiring import KINDS, DisplayWiring
from hardware.pins import Pin, SeatWiring
from hardware.sounds import SOUNDS, Sound


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


class Strict(BaseModel):
    """A part of the configuration: no unknown keys, no value of another kind."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SeatConfig(Strict):
    """What is wired at seat number `seat`; as `hardware.pins.SeatWiring`."""

    seat: int = Field(ge=0)
    button: PinKey | None = None
    encoder: Annotated[Any, PlainValidator(_encoder, json_schema_input_type=tuple[Pin, Pin])] | None = None
    light: Annotated[Any, PlainValidator(_lights, json_schema_input_type=Pin | tuple[Pin, Pin, Pin])] = ()
    in_view: bool = False

    @property
    def wiring(self) -> SeatWiring:
        """The wiring of this seat."""
        return SeatWiring(self.seat, self.button, self.encoder, self.light, self.in_view)


class BuzzerConfig(Strict):
    """The table's buzzer and what it is to tell."""

    pin: PinKey
    sounds: tuple[Sound, ...] = Field(default=SOUNDS, strict=False)


class DisplayConfig(Strict):
    """A small display; as `hardware.display_wiring.DisplayWiring`."""

    kind: Annotated[str, BeforeValidator(_kind), Field(json_schema_extra={"enum": list(KINDS)})]
    seat: int | None = Field(default=None, ge=0)
    width: int | None = Field(default=None, ge=32, le=2000)
    height: int | None = Field(default=None, ge=16, le=2000)
    rotate: int = Field(default=0, ge=0, le=3)
    bus: Literal["i2c", "spi"] | None = None
    address: int = Field(default=0x3C, ge=0x03, le=0x77)
    port: int | None = Field(default=None, ge=0)
    device: int = Field(default=0, ge=0, le=1)
    data_command: PinKey = 24
    reset: PinKey = 25
    backlight: PinKey | None = None
    file: Path | None = Field(default=None, strict=False)

    @property
    def wiring(self) -> DisplayWiring:
        """The wiring of this display."""
        return DisplayWiring(**dict(self))


class VoiceConfig(Strict):
    """What is spoken, and by which command; without one by espeak-ng."""

    say: Literal["off", "prompts", "everything"] = "off"
    command: Annotated[Any, PlainValidator(_command, json_schema_input_type=tuple[str, ...])] | None = None
