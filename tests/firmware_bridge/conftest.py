"""The firmware's core, built if it has changed, and simulated reader boards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from serial.tools import list_ports

from firmware_bridge.building import default_folder
from firmware_bridge.simulated import SimulatedBoard
from tests.firmware_bridge.boards import Talk
from tests.firmware_bridge.core import Core, build


@pytest.fixture(autouse=True)
def usb_devices(monkeypatch: pytest.MonkeyPatch) -> list[SimpleNamespace]:
    """The computer's USB serial ports, with the attributes of pyserial's `ListPortInfo`: those that a test adds."""
    devices: list[SimpleNamespace] = []
    monkeypatch.setattr(list_ports, "comports", lambda: devices)
    return devices


@pytest.fixture(scope="session")
def core_program() -> Path:
    return build(default_folder())


@pytest.fixture
def core(core_program: Path) -> Iterator[Core]:
    core = Core(core_program)
    yield core
    assert core.close() == 0


@pytest.fixture
def talk(stepped: SimulatedBoard) -> Iterator[Talk]:
    talk = Talk(stepped)
    yield talk
    talk.close()
