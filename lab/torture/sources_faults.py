"""Faults of cameras and readers, for the table of `sources_table`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from cardtable.simulation.sprites import HEIGHT, WIDTH
from cardtable.simulation.stage import FPS
from engine.observations import Zone
from firmware_bridge.simulated import READERS
from lab.torture.sources_table import CameraFault, Draw, FaultyCamera, ReaderFault, WatchedTable
from vision.frames import Image, SourceLost


class Lasting(NamedTuple):
    """How many seconds a fault lasts, and whether the board must report it although it may follow the game."""

    seconds: float
    must: bool


# Cameras


def unplugged(camera: FaultyCamera, draw: Draw) -> Image | None:
    """The camera gives no picture."""
    raise SourceLost("The camera is unplugged: plug it in again.")


def frozen(camera: FaultyCamera, draw: Draw) -> Image | None:
    """The driver repeats the last picture."""
    return camera.before


def black(camera: FaultyCamera, draw: Draw) -> Image | None:
    """The pictures are black, with the noise of the sensor."""
    noise = camera.rng.normal(3.0, 2.0, (HEIGHT, WIDTH))
    return np.repeat(np.clip(noise, 0, 255).astype(np.uint8)[:, :, None], 3, axis=2)


def torn(camera: FaultyCamera, draw: Draw) -> Image | None:
    """The lower part of every third picture is grey."""
    if camera.ticks % 3:
        return draw()
    picture = draw().copy()
    picture[int(camera.rng.integers(100, 900)) :] = 128
    return picture


def half(camera: FaultyCamera, draw: Draw) -> Image | None:
    """The lower half of all pictures is grey."""
    picture = draw().copy()
    picture[len(picture) // 2 :] = 128
    return picture


def two_a_second(camera: FaultyCamera, draw: Draw) -> Image | None:
    """The camera gives two pictures a second."""
    return None if camera.ticks % 15 else draw()


def frames_lost(camera: FaultyCamera, draw: Draw) -> Image | None:
    """60 % of the pictures are lost."""
    return None if camera.rng.random() < 0.6 else draw()


CAMERA_FAULTS: Final[dict[CameraFault, Lasting]] = {
    unplugged: Lasting(4.0, True),
    frozen: Lasting(4.0, True),
    black: Lasting(4.0, True),
    half: Lasting(4.0, True),
    two_a_second: Lasting(9.0, True),
    torn: Lasting(5.0, False),
    frames_lost: Lasting(8.0, False),
}


# Readers


def silent(table: WatchedTable) -> Iterator[None]:
    """A board has no power; its port stays."""
    assert table.rfid
    board = table.rfid.boards[int(table.rng.integers(len(table.rfid.boards)))]
    board.power(False)
    try:
        while True:
            yield
    finally:
        board.power(True)


def cable_out(table: WatchedTable) -> Iterator[None]:
    """The cable of a board is unplugged."""
    assert table.rfid
    board = table.rfid.boards[int(table.rng.integers(len(table.rfid.boards)))]
    board.plug(False)
    try:
        while True:
            yield
    finally:
        board.plug(True)


def wire_loose(table: WatchedTable) -> Iterator[None]:
    """A reader is not connected."""
    assert table.rfid
    at = int(table.rng.integers(len(table.rfid.boards)))
    reader = int(table.rng.integers(sum(bool(zone) for zone in table.rfid.configs[at].zones)))
    table.rfid.boards[at].attach(reader, False)
    try:
        while True:
            yield
    finally:
        table.rfid.boards[at].attach(reader, True)


def readers_hang(table: WatchedTable) -> Iterator[None]:
    """All readers of a board hang; the firmware must reset them."""
    assert table.rfid
    board = table.rfid.boards[int(table.rng.integers(len(table.rfid.boards)))]
    for reader in range(READERS):
        board.hang(reader)
    while True:
        yield


def firmware_hangs(table: WatchedTable) -> Iterator[None]:
    """The firmware of a board runs into an endless loop; its watchdog must reset it."""
    assert table.rfid
    table.rfid.boards[int(table.rng.integers(len(table.rfid.boards)))].wedge()
    while True:
        yield


def noise(table: WatchedTable) -> Iterator[None]:
    """2 % of the bytes on the lines are lost, changed or invented, both ways."""
    assert table.rfid
    for number, board in enumerate(table.rfid.boards):
        board.noise(0.02, number + table.ticks)
    try:
        while True:
            yield
    finally:
        for board in table.rfid.boards:
            board.noise(0.0)


def flood_of_bytes(table: WatchedTable) -> Iterator[None]:
    """Ten times as many bytes as the line can carry arrive between the frames of the boards."""
    yield from _flood(table, drowned=False)


def only_garbage(table: WatchedTable) -> Iterator[None]:
    """Only such bytes arrive, and none of the boards' frames."""
    yield from _flood(table, drowned=True)


def _flood(table: WatchedTable, drowned: bool) -> Iterator[None]:
    try:
        while True:
            for port in table.ports.values():
                port.drowned = drowned
                port.flood = (port.flood + table.rng.bytes(115_200 // FPS))[-4096:]
            yield
    finally:
        for port in table.ports.values():
            port.flood, port.drowned = b"", False


def flood_of_tags(table: WatchedTable) -> Iterator[None]:
    """Two tags come and go 15 times a second at the edge of a reader, as cards in a hand do."""
    assert table.rfid
    tags = ("04fffffffffff0", "04fffffffffff1")  # of no card in the game: one that stays longer would count
    at, reader = next(
        (at, config.zones.index(zone))
        for zone in (Zone("say", 0), Zone("bid", 0), Zone("play", 0))
        for at, config in enumerate(table.rfid.configs)
        if zone in config.zones
    )
    board = table.rfid.boards[at]
    there = False
    try:
        while True:
            for tag in tags:
                (board.lift if there else board.lay)(reader, tag)
            there = not there
            yield
    finally:
        if there:
            for tag in tags:
                board.lift(reader, tag)


READER_FAULTS: Final[dict[ReaderFault, Lasting]] = {
    silent: Lasting(4.0, True),
    cable_out: Lasting(4.0, True),
    wire_loose: Lasting(4.0, True),
    only_garbage: Lasting(4.0, True),
    readers_hang: Lasting(4.0, False),
    firmware_hangs: Lasting(5.0, False),
    noise: Lasting(5.0, False),
    flood_of_bytes: Lasting(5.0, False),
    flood_of_tags: Lasting(5.0, False),
}
