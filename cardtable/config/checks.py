"""Find contradictions in a configuration whose values are valid one by one: between values, or with the game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple
from zoneinfo import available_timezones

from cardtable.config.devices import AUTO, OneCameraConfig
from cardtable.config.model import TableConfig
from cardtable.config.toml_file import Where
from cardtable.errors import guess_or_all, suggestion
from engine.errors import HeaderError
from engine.games import game_names, load_game
from engine.names import two_alike
from engine.texts import text
from hardware.wiring import PinUse, gpio_number
from vision.mat.layout import PLAYERS


class Fault(NamedTuple):
    """A contradiction: the place of the wrong value, and what is wrong with it and what would be right."""

    where: Where
    text: str


_SOURCES: Final = ("usb", "picamera", "url", "video", "dir", "synthetic")
_NETWORK: Final = ("http", "https", "rtsp", "rtmp", "udp", "tcp")


def faults(config: TableConfig) -> Iterator[Fault]:
    """Yield the contradictions in `config`, in the order in which they should be corrected."""
    yield from _players(config)
    yield from _cameras(config)
    yield from _sources(config)
    yield from _decks(config)
    yield from _names(config)
    yield from _seats(config)
    yield from _readers(config)
    yield from _displays(config)
    yield from _pins(config)
    yield from _time_zone(config)


def _time_zone(config: TableConfig) -> Iterator[Fault]:
    zones = available_timezones()  # none on a machine without the time zone database
    if config.time_zone is not None and zones and config.time_zone not in zones:
        guess = suggestion(config.time_zone, tuple(zones))
        message = "{name!r} is not a time zone{guess}; timedatectl list-timezones lists them"
        yield Fault(("time_zone",), text(message, name=config.time_zone, guess=guess))


def _players(config: TableConfig) -> Iterator[Fault]:
    if pair := two_alike(config.players):
        message = '{name} and {other} look alike; give each a different name: players = ["Ann", "Bo"]'
        yield Fault(("players",), text(message, name=pair[0], other=pair[1]))

    if config.options and config.game is None:
        yield Fault(("options",), text('options belong to a game: name it: game = "all-fives"'))
    if config.dealer is not None and not config.players:
        yield Fault(("dealer",), text('the dealer is one of the players: name them: players = ["Ann", "Bo"]'))


def _cameras(config: TableConfig) -> Iterator[Fault]:
    camera = config.camera
    if config.cameras:
        for key, value, shown in (("source", config.source, "'source'"), ("camera", camera, "'[camera]'")):
            if value is not None:
                yield Fault(
                    (key,),
                    text("{shown} is for a table with one camera; with [[cameras]], write it there", shown=shown),
                )
    elif camera is not None and camera.source is not None and config.source is not None:
        yield Fault(("camera", "source"), text("'source' is set twice, at the top and in [camera]: remove one of them"))


def _each_camera(config: TableConfig) -> Iterator[tuple[tuple[int | str, ...], OneCameraConfig]]:
    """Yield each camera with its place in the file."""
    if config.camera is not None:
        yield ("camera",), config.camera
    for number, camera in enumerate(config.cameras):
        yield ("cameras", number), camera


def _sources(config: TableConfig) -> Iterator[Fault]:
    """Check the form of the sources. Whether a camera or file exists is checked when it is opened."""
    sources: list[tuple[Where, str | None]] = [(("source",), config.source)]
    sources += [((*place, "source"), camera.source) for place, camera in _each_camera(config)]
    for where, source in sources:
        scheme, colon, rest = (source or "").partition(":")
        if not colon or "/" in scheme or len(scheme) < 2 or scheme in _NETWORK:
            continue  # the path of a file, or an address
        if scheme not in _SOURCES:
            names = ", ".join("picamera" if name == "picamera" else f"{name}:…" for name in _SOURCES)
            template = "{source!r} is not a camera{guess}; write {names}, or the path of a video"
            yield Fault(where, text(template, source=source, guess=suggestion(scheme, _SOURCES), names=names))
        elif scheme == "usb" and not rest.isdecimal() and not rest.startswith("/"):
            yield Fault(where, text("{source!r} is not a camera: write usb:0 for /dev/video0", source=source))
        elif scheme == "picamera" and not rest.isdecimal():
            yield Fault(
                where, text("{source!r} is not a camera: write picamera, or picamera:1 for a second one", source=source)
            )
        elif scheme == "url" and not re.match(r"[a-z]+://[^/]", rest):
            yield Fault(
                where,
                text("{address!r} is not an address: write one like url:http://192.168.1.20:8080/video", address=rest),
            )


def _decks(config: TableConfig) -> Iterator[Fault]:
    """Check that a camera with a deck reads faces."""
    for place, camera in _each_camera(config):
        if camera.deck is not None and "faces" not in config.marks:
            template = 'the deck {deck!r} is read by its faces: add "faces" to marks'
            yield Fault((*place, "deck"), text(template, deck=camera.deck))


def _names(config: TableConfig) -> Iterator[Fault]:
    names: set[str] = set()
    for number, camera in enumerate(config.cameras):
        if camera.name in names:
            yield Fault(("cameras", number), text('two cameras have the same name; give each its own: name = "left"'))
        names.add(camera.name)
    if not config.cameras and (config.camera is not None or config.source is not None or not config.reader):
        names.add(config.camera.name if config.camera else "camera")
    for number, reader in enumerate(config.reader):
        if reader.name in names:
            template = 'two sources have the same name; give each [[reader]] its own: name = "left"'
            yield Fault(("reader", number), text(template))
        names.add(reader.name)


def _seats(config: TableConfig) -> Iterator[Fault]:
    """Check that every seat exists, and has at most one `[[seat]]`."""
    last = (len(config.players) or PLAYERS[-1]) - 1
    named: list[tuple[str, int, str, set[int]]]
    named = [("seat", n, "seat", {part.seat}) for n, part in enumerate(config.seat)]
    named += [("display", n, "seat", {part.seat}) for n, part in enumerate(config.display) if part.seat is not None]
    named += [("reader", n, "zones", part.seats) for n, part in enumerate(config.reader)]
    for table, number, key, seats in named:
        if max(seats, default=0) > last:
            template = "[[{table}]]: there is no seat {seat}: the seats are 0 to {last}"
            yield Fault((table, number, key), text(template, table=table, seat=max(seats), last=last))
    seen: set[int] = set()
    for number, part in enumerate(config.seat):
        if part.seat in seen:
            template = "two [[seat]] tables are about the same seat: give each its own: seat = 1"
            yield Fault(("seat", number, "seat"), text(template))
        seen.add(part.seat)


def _readers(config: TableConfig) -> Iterator[Fault]:
    """Check that the buttons of reader boards say words of the game, and that each board has its own port."""
    try:
        games = (config.game,) if config.game else game_names()
        words = tuple(dict.fromkeys(word for game in games for word in load_game(game).vocabulary))
    except HeaderError:
        return  # reported by the check of the header
    for number, reader in enumerate(config.reader):
        for word in sorted(reader.words - set(words)):
            guess = guess_or_all(word, words)
            yield Fault(
                ("reader", number),
                text(
                    "[[reader]]: a button says {word!r}, which is not a word of {game}{guess}",
                    word=word,
                    game=config.game or text("any game"),
                    guess=guess,
                ),
            )
    ports = [reader.port for reader in config.reader]
    if len(set(ports)) < len(ports) or (len(ports) > 1 and AUTO in ports):
        template = "which reader board is which? Give each [[reader]] its own port: /dev/serial/by-id/…, not auto"
        yield Fault(("reader", len(ports) - 1), text(template))


def _displays(config: TableConfig) -> Iterator[Fault]:
    """Check that each display has its own address, chip select or file."""
    taken: set[tuple[object, ...]] = set()
    for number, display in enumerate(config.display):
        wiring = display.wiring
        place: tuple[object, ...]
        if wiring.resolved_bus is None:
            if wiring.file is None:
                template = '[[display]]: a png needs the file that it writes: file = "table.png"'
                yield Fault(("display", number), text(template))
                continue
            key, place = "file", (Path(wiring.file),)
            message = text("two displays write {file}: give each its own file", file=wiring.file)
        elif wiring.resolved_bus == "i2c":
            bus = 1 if wiring.port is None else wiring.port
            key, place = "address", ("i2c", bus, wiring.address)
            message = text(
                "two displays have the address 0x{address:02X} on I2C bus {bus}: give each its own: address = 0x3D",
                address=wiring.address,
                bus=bus,
            )
        else:
            key, place = "device", ("spi", wiring.port or 0, wiring.device)
            message = text(
                "two displays are device {device} on SPI bus {bus}: write device = 1 for one",
                device=wiring.device,
                bus=wiring.port or 0,
            )
        if place in taken:
            yield Fault(("display", number, key), message)
        taken.add(place)


def _pins(config: TableConfig) -> Iterator[Fault]:
    """Check that each pin is used once. Whether it exists depends on the Raspberry Pi, and is checked there."""
    taken: dict[int, PinUse] = {}
    for where, use in config.pins:
        pin = gpio_number(use.pin)
        before = taken.setdefault(pin, use) if pin is not None else use
        if before is not use and (use.shared is None or use.shared != before.shared):
            yield Fault(
                where,
                text(
                    "GPIO{pin} is used twice: for {what} and for {other}; move one of them",
                    pin=pin,
                    what=before.what,
                    other=use.what,
                ),
            )
