"""The configuration of a board with RFID readers: `[[reader]]` in `table.toml` (docs/rfid.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, field_validator

from engine.observations import Zone
from engine.texts import text

ZONES: Final = ("play", "turn-up", "table", "stock", "crib", "say", "bid", "show", "deal")
"""What a reader may lie under; `deal`, with a seat: the cards dealt to that seat pass over it."""
OWNED: Final = ("play", "say", "bid", "show", "deal")
"""Those that belong to a seat."""
UNDO: Final = "undo"
AUTO: Final = "auto"
"""The port of a board that is to be looked for."""


class ReaderConfig(BaseModel):
    """One board. `port`: a device, `auto`, `socket://host:port`, `spy://…`. `tags`: the file with the cards' tags.

    `zones`: of its readers 0, 1, …, as `play 1`, `turn-up`, `deal 0`; an empty text where none is used. `buttons`: what
    its buttons 0, 1, … say: `beg 0` (the word, and the seat that says it), `undo`, or an empty text. `lights`: whose
    the lights 0, 1, … are: `seat 0`, or an empty text.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str = Field(default="readers", min_length=1)
    port: str = Field(default=AUTO, min_length=1)
    tags: Path = Field(default=Path("tags.json"), strict=False)
    zones: tuple[str, ...] = Field(strict=False, min_length=1, max_length=8)
    buttons: tuple[str, ...] = Field(default=(), strict=False, max_length=8)

    lights: tuple[str, ...] = Field(default=(), strict=False, max_length=16)

    @field_validator("zones")
    @classmethod
    def _zones_exist(cls, zones: tuple[str, ...]) -> tuple[str, ...]:
        for written in zones:
            if written:
                parse_zone(written)
        return zones

    @field_validator("buttons")
    @classmethod
    def _buttons_say_something(cls, buttons: tuple[str, ...]) -> tuple[str, ...]:
        for written in buttons:
            if written and written != UNDO:
                parse_button(written)
        return buttons

    @field_validator("lights")
    @classmethod
    def _lights_are_of_seats(cls, lights: tuple[str, ...]) -> tuple[str, ...]:
        for written in lights:
            if written:
                parse_light(written)
        return lights

    @property
    def places(self) -> dict[int, Zone]:
        """The zone of each reader that is used."""
        return {index: parse_zone(zone) for index, zone in enumerate(self.zones) if zone}

    @property
    def seats(self) -> set[int]:
        """The seats that zones, buttons and lights name."""
        zones = {zone.seat for zone in self.places.values() if zone.seat is not None}
        said = {seat for _, seat in self._said}
        return zones | said | {parse_light(light) for light in self.lights if light}

    @property
    def words(self) -> set[str]:
        """The words that buttons say."""
        return {word for word, _ in self._said}

    @property
    def _said(self) -> list[tuple[str, int]]:
        return [parse_button(button) for button in self.buttons if button and button != UNDO]


def parse_zone(written: str) -> Zone:
    """`play 1`, `turn-up`. Raises `ValueError`."""
    name, _, seat = written.partition(" ")
    if name not in ZONES:
        raise ValueError(text("names no zone; there are {names}", names=", ".join(ZONES)))
    if name in OWNED and not seat.isdecimal():
        raise ValueError(text("needs the seat that the zone belongs to, like '{name} 0'", name=name))
    if name not in OWNED and seat:
        raise ValueError(text("has a seat, and the zone {name!r} belongs to nobody", name=name))
    return Zone(name, int(seat) if seat else None)


def parse_button(written: str) -> tuple[str, int]:
    """`beg 0`: the word and the seat. Raises `ValueError`."""
    word, _, seat = written.rpartition(" ")
    if not word or not seat.isdecimal():
        raise ValueError(text("is written as a word and the seat that says it, like 'beg 0', or as 'undo'"))
    return word, int(seat)


def parse_light(written: str) -> int:
    """`seat 0`: the seat. Raises `ValueError`."""
    word, _, seat = written.partition(" ")
    if word != "seat" or not seat.isdecimal():
        raise ValueError(text("is written as the seat that the light belongs to, like 'seat 0'"))
    return int(seat)
