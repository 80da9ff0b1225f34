"""The watchdog: each source and the journal is stopped in turn, and `alive` must no longer be called."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from cardtable.config.devices import ReaderConfig
from cardtable.evening.playing import Parts, one_game, open_game
from cardtable.journal.journal import Journal
from cardtable.table import sources as watchdog_module
from cardtable.table.outputs import HardwareOutputs
from cardtable.table.readers import RfidSource
from cardtable.table.sources import STALLED_S, UNSTORED_S, Watchdog
from engine.games import word_marks
from engine.observations import Said
from engine.record import Header
from firmware_bridge.bridge import Bridge
from firmware_bridge.tags import TagTable
from hardware.seats import Seats
from hardware.wiring import SeatWiring
from tests.cardtable.limits import full_disk
from tests.cardtable.stored import append
from tests.engine.talk import action
from tests.hardware.bench import Clock, board
from tests.vision.drawn_table import DrawnTable
from vision.camera_pipeline import CameraPipeline
from vision.frames import Frame
from vision.marks import ArucoReader

HEADER = Header("all-fives", ("Ann", "Bo"), 0)


def test_a_hanging_source_stops_the_notifications() -> None:
    clock, notified = Clock(), Notifications()
    watchdog = Watchdog(notified, clock)
    watchdog.check(storing=True)
    assert notified.count == 1
    for source in ("camera", "readers"):
        watchdog.progressed(source)
    clock.now += STALLED_S - 0.1
    watchdog.progressed("camera")
    watchdog.check(storing=True)
    assert notified.count == 2
    clock.now += 0.2
    watchdog.check(storing=True)  # the readers have hung
    assert notified.count == 2
    watchdog.finished("readers")  # they have failed, and that was reported
    watchdog.check(storing=True)
    assert notified.count == 3


def test_notifications_stop_after_a_minute_without_storing() -> None:
    clock, notified = Clock(), Notifications()
    watchdog = Watchdog(notified, clock)
    watchdog.check(storing=False)
    clock.now += UNSTORED_S - 0.1
    watchdog.check(storing=False)
    assert notified.count == 2
    clock.now += 0.2
    watchdog.check(storing=False)
    assert notified.count == 2
    watchdog.check(storing=True)
    watchdog.check(storing=False)
    assert notified.count == 4


class Hanging:
    """A camera that gives pictures, then hangs in `read` while `hang` is set, until `let` is set."""

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


def test_a_hanging_camera_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog_module, "STALLED_S", 0.5)
    camera, notified = Hanging(), Notifications()
    pipeline = CameraPipeline(camera, camera.table.mat, [ArucoReader(word_marks())])
    with one_game(Parts(HEADER, [pipeline]), alive=notified) as playing:
        playing.run(until=lambda: notified.count > 2)
        camera.hang.set()
        playing.run(until=camera.hanging.is_set)
        playing.run(until=notified.stopped)
        camera.hang.clear()
        camera.let.set()
        playing.run(until=lambda: not notified.stopped())


class HangingBridge:
    """A board with readers and no events, whose port hangs while `hang` is set."""

    number = None

    def __init__(self) -> None:
        self.hang, self.hanging, self.let = threading.Event(), threading.Event(), threading.Event()

    def step(self) -> list[object]:
        if self.hang.is_set():
            self.hanging.set()
            self.let.wait(20)
        return []

    def close(self) -> None:
        self.let.set()


def test_hanging_readers_are_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(watchdog_module, "STALLED_S", 0.5)
    bridge, notified = HangingBridge(), Notifications()
    config = ReaderConfig(zones=("play 0",))
    readers = RfidSource(config, TagTable(tmp_path / "tags.json"), cast(Bridge, bridge))
    with one_game(Parts(HEADER, [], readers=[readers]), alive=notified) as playing:
        playing.run(until=lambda: notified.count > 2)
        bridge.hang.set()
        playing.run(until=bridge.hanging.is_set)
        playing.run(until=notified.stopped)
        bridge.hang.clear()
        bridge.let.set()
        playing.run(until=lambda: not notified.stopped())


class HangingSeats(Seats):
    """Buttons whose pin library hangs while `hang` is set."""

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


def test_hanging_buttons_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog_module, "STALLED_S", 0.5)
    seats, notified = HangingSeats(board(), [SeatWiring(0, button=17)]), Notifications()
    with (
        closing(HardwareOutputs(seats)) as wired,
        one_game(Parts(HEADER, [], hardware=wired), alive=notified) as playing,
    ):
        playing.run(until=lambda: notified.count > 2)
        seats.hang.set()
        playing.run(until=notified.stopped)
        seats.hang.clear()
        seats.let.set()
        playing.run(until=lambda: not notified.stopped())


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        open_game(journal, HEADER)
        yield journal


def test_a_journal_that_cannot_store_is_noticed(monkeypatch: pytest.MonkeyPatch, journal: Journal) -> None:
    monkeypatch.setattr(watchdog_module, "UNSTORED_S", 0.0)
    notified = Notifications()
    past = (action("turn 4H"),)
    append(journal, past)
    with one_game(Parts(HEADER, [], journal, past), alive=notified) as playing:
        playing.run(until=lambda: notified.count > 2)
        with full_disk(journal.path.with_name("journal.sqlite-wal").stat().st_size):
            playing.game.take(Said(1.0, "page", 1, "stand"))
            assert playing.game.snapshot.trouble is not None
            playing.run(until=notified.stopped)
        playing.run(until=lambda: not notified.stopped())
        assert playing.game.snapshot.trouble is None


class Notifications:
    """Counts the notifications; `stopped` is true after three turns of the loop without one."""

    def __init__(self) -> None:
        self.count = 0
        self._seen = (0, 0)

    def __call__(self) -> None:
        self.count += 1

    def stopped(self) -> bool:
        count, times = self._seen
        self._seen = (self.count, times + 1 if count == self.count else 0)
        return self._seen[1] >= 3
