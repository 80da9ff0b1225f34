"""The watchdog is fed only while sources, referee and journal make progress: each of them is made to stop."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from cardtable.config.readers import ReaderConfig
from cardtable.play import watchdog as progress
from cardtable.play.hardware_outputs import HardwareOutputs
from cardtable.play.journal import Journal
from cardtable.play.rfid_source import RfidSource
from cardtable.play.session import Play, open_game
from cardtable.play.watchdog import STALLED_S, UNSTORED_S, Watchdog
from engine.observations import Said
from engine.record import Header
from firmware_bridge.bridge import Bridge
from firmware_bridge.tags import TagTable
from hardware.pins import SeatWiring
from hardware.seats import Seats
from tests.cardtable.limits import full_disk
from tests.engine.talk import action
from tests.hardware.bench import Clock, board
from tests.vision.drawn_table import DrawnTable
from vision.camera_pipeline import CameraPipeline
from vision.frames import Frame
from vision.marks import ArucoReader

HEADER = Header("all-fives", ("Ann", "Bo"), 0)


def test_a_source_that_makes_no_step_stops_the_beat() -> None:
    clock, beats = Clock(), Beats()
    watched = Watchdog(beats, clock)
    watched.look(stores=True)
    assert beats.count == 1
    for source in ("camera", "readers"):
        watched.made(source)
    clock.now += STALLED_S - 0.1
    watched.made("camera")
    watched.look(stores=True)
    assert beats.count == 2
    clock.now += 0.2
    watched.look(stores=True)  # the readers hang
    assert beats.count == 2
    watched.over("readers")  # given up, and that is told
    watched.look(stores=True)
    assert beats.count == 3


def test_a_journal_that_stores_nothing_stops_the_beat_after_a_while() -> None:
    clock, beats = Clock(), Beats()
    watched = Watchdog(beats, clock)
    watched.look(stores=False)
    clock.now += UNSTORED_S - 0.1
    watched.look(stores=False)
    assert beats.count == 2
    clock.now += 0.2
    watched.look(stores=False)
    assert beats.count == 2
    watched.look(stores=True)
    watched.look(stores=False)
    assert beats.count == 4


class Hanging:
    """A camera that gives pictures until it hangs in its driver, and goes on when it is let."""

    live = True
    name = "hanging"

    def __init__(self) -> None:
        self.table = DrawnTable(noise=0)
        self.hang = threading.Event()
        self.hanging = threading.Event()
        self.let = threading.Event()

    def read(self) -> Frame | None:
        if self.hang.is_set():
            self.hanging.set()
            self.let.wait(20)
        return self.table.read()

    def close(self) -> None:
        self.let.set()


def test_a_camera_that_hangs_is_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "STALLED_S", 0.5)
    camera, beats = Hanging(), Beats()
    eye = CameraPipeline(camera, camera.table.mat, [ArucoReader()])
    with Play(HEADER, [eye], alive=beats) as play:
        play.run(until=lambda: beats.count > 2)
        camera.hang.set()
        play.run(until=camera.hanging.is_set)
        play.run(until=beats.stopped)
        camera.hang.clear()
        camera.let.set()
        play.run(until=lambda: not beats.stopped())


class HangingBridge:
    """A board with readers whose port hangs when it is told to. It has nothing to say."""

    def __init__(self) -> None:
        self.hang, self.hanging, self.let = threading.Event(), threading.Event(), threading.Event()

    def step(self) -> list[object]:
        if self.hang.is_set():
            self.hanging.set()
            self.let.wait(20)
        return []

    def close(self) -> None:
        self.let.set()


def test_readers_that_hang_are_no_progress(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(progress, "STALLED_S", 0.5)
    bridge, beats = HangingBridge(), Beats()
    config = ReaderConfig(zones=("play 0",))
    readers = RfidSource(config, TagTable(tmp_path / "tags.json"), cast(Bridge, bridge))
    with Play(HEADER, [], readers=[readers], alive=beats) as play:
        play.run(until=lambda: beats.count > 2)
        bridge.hang.set()
        play.run(until=bridge.hanging.is_set)
        play.run(until=beats.stopped)
        bridge.hang.clear()
        bridge.let.set()
        play.run(until=lambda: not beats.stopped())


class HangingSeats(Seats):
    """Buttons whose pin library hangs when it is told to."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.hang, self.let = threading.Event(), threading.Event()

    def tick(self) -> list[Said]:
        if self.hang.is_set():
            self.let.wait(20)
        return super().tick()

    def close(self) -> None:
        self.let.set()
        super().close()


def test_buttons_that_hang_are_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "STALLED_S", 0.5)
    seats, beats = HangingSeats(board(), [SeatWiring(0, button=17)]), Beats()
    with Play(HEADER, [], wired=HardwareOutputs(seats), alive=beats) as play:
        play.run(until=lambda: beats.count > 2)
        seats.hang.set()
        play.run(until=beats.stopped)
        seats.hang.clear()
        seats.let.set()
        play.run(until=lambda: not beats.stopped())


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        open_game(journal, HEADER)
        yield journal


def test_a_journal_that_cannot_store_is_no_progress(monkeypatch: pytest.MonkeyPatch, journal: Journal) -> None:
    monkeypatch.setattr(progress, "UNSTORED_S", 0.0)
    beats = Beats()
    past = (action("turn 4H"),)
    journal.append(past)
    with Play(HEADER, [], journal, past, alive=beats) as play:
        play.run(until=lambda: beats.count > 2)
        with full_disk(journal.path.with_name("journal.sqlite-wal").stat().st_size):
            play.controller.take(Said(1.0, "page", 1, "stand"))
            assert play.controller.shown.trouble is not None
            play.run(until=beats.stopped)
        play.run(until=lambda: not beats.stopped())
        assert play.controller.shown.trouble is None


class Beats:
    """Counts; has stopped once the loop went round ten times without a beat."""

    def __init__(self) -> None:
        self.count = 0
        self._seen = (0, 0)

    def __call__(self) -> None:
        self.count += 1

    def stopped(self) -> bool:
        count, times = self._seen
        self._seen = (self.count, times + 1 if count == self.count else 0)
        return self._seen[1] >= 10
