"""The RFID readers in `table.toml`: `[[reader]]` for each reader board. docs/rfid.md explains the keys."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import Field, field_validator

from cardtable.config.section import Section
from engine.observations import Zone
from engine.texts import text

ZONES: Final = ("play", "turn-up", "table", "stock", "crib", "say", "bid", "show", "deal")
"""The zones that a reader may lie under. The cards dealt to a seat are moved across its reader `deal`."""
OWNED: Final = ("play", "say", "bid", "show", "deal")
"""The zones that belong to a seat."""
UNDO: Final = "undo"
AUTO: Final = "auto"
"""The `port` of a reader board that is searched for on every USB port."""


class ReaderConfig(Section):
    """A reader board: a microcontroller with RFID readers."""

    name: str = Field(default="readers", min_length=1, description=text("its name in messages"))
    port: str = Field(
        default=AUTO,
        min_length=1,
        description=text('the serial port: "auto" (searched for on USB), a device, or socket://host:port'),
    )
    tags: Path = Field(
        default=Path("tags.json"),
        strict=False,
        description=text("the file that says which tag is on which card: `cardtable tags learn`"),
    )
    zones: tuple[str, ...] = Field(
        strict=False,
        min_length=1,
        max_length=8,
        description=text("the zone above each reader, in order from reader 0"),
        examples=[["play 0", "play 1", "turn-up"]],
    )
    buttons: tuple[str, ...] = Field(
        default=(),
        strict=False,
        max_length=8,
        description=text('what each button on the reader board says: "beg 0" (beg, for seat 0), "undo"'),
    )
    lights: tuple[str, ...] = Field(
        default=(),
        strict=False,
        max_length=16,
        description=text('the seat of each light on the reader board: "seat 0"'),
    )

    @field_validator("zones")
    @classmethod
    def _check_zones(cls, zones: tuple[str, ...]) -> tuple[str, ...]:
        for written in zones:
            if written:
                parse_zone(written)
        return zones

    @field_validator("buttons")
    @classmethod
    def _check_buttons(cls, buttons: tuple[str, ...]) -> tuple[str, ...]:
        for written in buttons:
            if written and written != UNDO:
                parse_button(written)
        return buttons

    @field_validator("lights")
    @classmethod
    def _check_lights(cls, lights: tuple[str, ...]) -> tuple[str, ...]:
        for written in lights:
            if written:
                parse_light(written)
        return lights

    @property
    def places(self) -> dict[int, Zone]:
        """The zone of each reader in use, by the index of the reader."""
        return {index: parse_zone(zone) for index, zone in enumerate(self.zones) if zone}

    @property
    def seats(self) -> set[int]:
        """The seats that appear in zones, buttons and lights."""
        zones = {zone.seat for zone in self.places.values() if zone.seat is not None}
        buttons = {seat for _, seat in self._parsed_buttons}
        return zones | buttons | {parse_light(light) for light in self.lights if light}

    @property
    def words(self) -> set[str]:
        """The words of the game that the buttons say."""
        return {word for word, _ in self._parsed_buttons}

    @property
    def _parsed_buttons(self) -> list[tuple[str, int]]:
        return [parse_button(button) for button in self.buttons if button and button != UNDO]


def parse_zone(written: str) -> Zone:
    """Parse `play 1` or `turn-up`. Raises `ValueError`."""
    name, _, seat = written.partition(" ")
    if name not in ZONES:
        raise ValueError(text("does not name a zone; the zones are {names}", names=", ".join(ZONES)))
    if name in OWNED and not seat.isdecimal():
        raise ValueError(text("needs the seat that the zone belongs to, like '{name} 0'", name=name))
    if name not in OWNED and seat:
        raise ValueError(text("has a seat, but the zone {name!r} belongs to no player", name=name))
    return Zone(name, int(seat) if seat else None)


def parse_button(written: str) -> tuple[str, int]:
    """Parse `beg 0` into the word and the seat. Raises `ValueError`."""
    word, _, seat = written.rpartition(" ")
    if not word or not seat.isdecimal():
        raise ValueError(text("is written as a word and the seat that says it, like 'beg 0', or as 'undo'"))
    return word, int(seat)


def parse_light(written: str) -> int:
    """Parse `seat 0` into the seat. Raises `ValueError`."""
    word, _, seat = written.partition(" ")
    if word != "seat" or not seat.isdecimal():
        raise ValueError(text("is written as the seat that the light belongs to, like 'seat 0'"))
    return int(seat)
