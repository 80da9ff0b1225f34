"""Faults of the machine, injected while the table runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from cardtable.doctor import Machine
from cardtable.evening.playing import Parts, one_game
from cardtable.maintenance.machine_watch import SHOWN_S, MachineWatch
from cardtable.table.snapshot import Snapshot
from engine.observations import Back, Hampered, Observation
from engine.record import Header
from tests.cardtable.doctor.tables import config
from tests.cardtable.shown import Shown

FAULTS = {
    "undervoltage": ("vcgencmd get_throttled", "throttled=0x50001", "power", "a display on the same supply"),
    "undervoltage before": ("vcgencmd get_throttled", "throttled=0x50000", "power", "has been too low since"),
    "heat": ("vcgencmd get_throttled", "throttled=0x4", "power", "slowed down by heat"),
    "memory card": ("dmesg", "I/O error, dev mmcblk0, sector 12 op 0x1", "kernel", "the memory card has failed"),
    "camera cable": ("dmesg", "imx708 10-001a: failed to read chip id 708, with error -5", "kernel", "camera’s cable"),
    "USB": ("dmesg", "usb 1-1.2: device descriptor read/64, error -71", "kernel", "a USB device does not answer"),
}


class Injected:
    """A machine with faults, and the observations that are shown."""

    def __init__(self, folder: Path) -> None:
        self.outputs: dict[str, str] = {}
        self.free = 10**12
        self.year = 1.8e9
        self.protected = False
        self.now = 0.0
        self.seen: list[Observation] = []
        machine = Machine(
            run=self._run,
            free=lambda path: self.free,
            now=lambda: self.year,
            read_only=lambda path: self.protected,
        )
        self.entered = self.seen.append
        self.watch = MachineWatch(config(folder), lambda: self.entered, machine, lambda: self.now)

    def _run(self, command: Sequence[str]) -> str | None:
        return self.outputs.get(" ".join(command))

    def step(self, seconds: float = 0.0) -> list[Observation]:
        """Let time pass, look, and return what was shown."""
        self.now += seconds
        self.seen.clear()
        self.watch.step()
        return list(self.seen)


@pytest.fixture
def injected(tmp_path: Path) -> Injected:
    return Injected(tmp_path)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_new_fault_is_shown_by_name_for_a_while(injected: Injected, fault: str) -> None:
    command, output, check, words = FAULTS[fault]
    assert injected.step() == []
    injected.outputs[command] = output
    (shown,) = injected.step(20.0)
    assert isinstance(shown, Hampered) and shown.source == check and words in shown.reason
    assert injected.step(20.0) == []
    assert injected.step(SHOWN_S) == [Back(injected.now, check)]
    assert injected.step(20.0) == []
    del injected.outputs[command]
    assert injected.step(20.0) == []
    injected.outputs[command] = output  # it is back
    assert len(injected.step(20.0)) == 1


def test_what_the_kernel_reported_before_the_start_is_for_the_doctor(injected: Injected) -> None:
    injected.outputs["dmesg"] = "Out of memory: Killed process 812 (chromium)"
    assert injected.step() == [] and [finding.check for finding in injected.watch.found] == ["kernel"]
    injected.outputs["dmesg"] += "\nI/O error, dev mmcblk0, sector 12 op 0x1"
    assert [each.source for each in injected.step(20.0) if isinstance(each, Hampered)] == ["kernel"]


def test_a_full_disk_a_protected_one_and_a_wrong_clock(injected: Injected) -> None:
    injected.free = 10_000_000
    (full,) = injected.step()
    assert isinstance(full, Hampered) and full.source == "disk" and "make room" in full.reason
    injected.protected = True
    (protected,) = injected.step(1.0)
    assert isinstance(protected, Hampered) and "is read-only" in protected.reason
    injected.year = 0.0
    (clock,) = injected.step(1.0)
    assert isinstance(clock, Hampered) and "1970-01-01" in clock.reason


def test_a_game_that_begins_meanwhile_shows_the_fault_too(injected: Injected) -> None:
    injected.outputs["vcgencmd get_throttled"] = "throttled=0x1"
    assert len(injected.step()) == 1
    game: list[Observation] = []
    injected.entered = game.append
    injected.step(5.0)
    assert [type(each) for each in game] == [Hampered]


def test_a_running_game_names_the_fault_and_goes_on(injected: Injected) -> None:
    shown: list[Snapshot] = []
    with one_game(Parts(Header("all-fives", ("Ann", "Bo")), [], outputs=[Shown(shown.append)])) as playing:
        injected.entered = playing.enter
        injected.outputs["vcgencmd get_throttled"] = "throttled=0x50005"
        for _ in range(2):
            injected.step(20.0)
        turns = iter(range(3))
        playing.run(lambda: next(turns, None) is None)
        (power,) = [source for source in shown[-1].sources if source.name == "power"]
        assert power.trouble is not None and "voltage" in power.trouble
        injected.step(SHOWN_S)
        injected.step(SHOWN_S)
        turns = iter(range(3))
        playing.run(lambda: next(turns, None) is None)
        assert [source.trouble for source in shown[-1].sources if source.name == "power"] == [None]
