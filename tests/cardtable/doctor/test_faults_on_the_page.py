"""Every fault from the field, injected into a running table, stands on the doctor's page by name with its advice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect

from cardtable.config.devices import CameraConfig, ReaderConfig, SeatConfig
from cardtable.config.model import TableConfig
from cardtable.doctor import Machine
from cardtable.doctor.pages import doctor_routes
from cardtable.languages import translator
from firmware_bridge.simulated import SimulatedBoard
from tests.cardtable.evening.evenings import TestEvening
from tests.cardtable.setup.test_first_start_page import FAULTS
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.vision.cameras.test_picamera import PYTHON, STAND_IN
from vision.cameras import live
from vision.cameras.live import LiveCamera
from vision.cameras.picamera import raspberry_pi_camera
from vision.cameras.picamera_process import CHECK_PICTURES, SETTLING_PICTURES
from vision.cameras.settings import CameraSettings

COPY: Final = 0x12
"""The number of a copy of the readers' chip (miguelbalboa/rfid#428)."""
OF_THE_MACHINE: Final = {
    "the voltage is too low": "a display on the same supply is a usual cause",
    "the Raspberry Pi is slowed down by heat": "add a heat sink",
    "the memory card has failed to read or write": "save a backup now",
    "the Raspberry Pi’s camera does not answer": "press both ends of the camera’s cable in",
    "the clock says 1970-01-01": "it sets the clock",
    "0.0 GB free in": "make room",
    "you have no permission to use": "to the group gpio",
}
CABLE: Final = {
    "has stopped sending pictures, and is restarted": "press both ends of the cable in",
    "times since it was opened, and was started again": "let air reach it, and press both ends of its cable in",
}
WARM: Final = {
    "its lens had moved from 1.25 to 2.00 dioptres, and was set again": "a lens moves when the camera gets warm",
}
COPIED: Final = {f"reader 0 (play 0) has a copy of its chip (number 0x{COPY:02X})": "copies have a shorter range"}
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")


def machine(folder: Path) -> Machine:
    """Return a machine that has every fault."""
    (folder / "gpiochip0").touch()
    outputs = {
        "vcgencmd get_throttled": "throttled=0x50005",
        "dmesg": "I/O error, dev mmcblk0, sector 12 op 0x1\nimx708 10-001a: failed to read chip id 708, with error -5",
    }

    def run(command: Sequence[str]) -> str | None:
        return outputs.get(" ".join(command))

    return Machine(
        dev=folder,
        now=lambda: 0.0,
        run=run,
        version=lambda package: "1.0",
        free=lambda path: 1000,
        allowed=lambda path: False,
        group=lambda path: "gpio",
    )


def expect_faults(
    browser: Browser, folder: Path, config: TableConfig, expected: dict[str, str], size: tuple[int, int], **more: Any
) -> None:
    """Run a table until the lobby shows the faults of its sources; expect each fault beside its advice on the page."""
    width, height = size
    routes = doctor_routes(config, translator("en"), lambda request: "board", machine(folder))
    live = [fault for fault in expected if fault not in OF_THE_MACHINE]
    with TestEvening(folder / "journal.sqlite", config, routes=routes, more=more) as evening:

        def shown() -> bool:
            sources = json.dumps(evening.shown()["sources"], ensure_ascii=False)
            return all(fault in sources for fault in live)

        evening.turn(shown)
        url = f"{evening.board.url}/doctor"
        with open_page(browser, url, viewport={"width": width, "height": height}) as page:
            for fault, advice in expected.items():
                line = page.locator("#findings li:not(.good)").filter(has_text=fault)
                expect(line).to_have_count(1)
                expect(line).to_contain_text(advice)
            assert page.evaluate(FAULTS) == []


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(800, 480), (390, 844)])
def test_faults_of_the_machine_and_copies_of_a_reader(
    browser: Browser, tmp_path: Path, board: SimulatedBoard, size: tuple[int, int]
) -> None:
    board.copy(0, COPY)
    readers = ReaderConfig(port=board.port, tags=tmp_path / "tags.json", zones=("play 0",))
    config = TableConfig(reader=(readers,), seat=(SeatConfig(seat=0, button=17),), journal=tmp_path / "journal.sqlite")
    expect_faults(browser, tmp_path, config, OF_THE_MACHINE | COPIED, size)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ({"fault": "frontend", "at": 2}, CABLE),
        pytest.param({"fault": "warm", "at": SETTLING_PICTURES + CHECK_PICTURES + 1}, WARM, marks=pytest.mark.long),
    ],
)
def test_faults_of_the_raspberry_pis_own_camera(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plan: dict[str, object], expected: dict[str, str]
) -> None:
    """Its cable is loose ("frontend has timed out"), and its lens moves when it is warm."""
    file = tmp_path / "plan.json"
    file.write_text(json.dumps({"log": str(tmp_path / "log.jsonl"), **plan}), "utf-8")
    monkeypatch.setenv("PICAMERA2_FILE", str(file))
    monkeypatch.setattr(live, "NEXT_PICTURE_S", 0.5)

    def opened(spec: str) -> LiveCamera:
        settings = CameraSettings(width=64, height=40, python=PYTHON, focus="lock")
        return raspberry_pi_camera(0, settings, modules=[STAND_IN])

    config = TableConfig(cameras=(CameraConfig(source="pi:0"),), journal=tmp_path / "journal.sqlite")
    expect_faults(browser, tmp_path, config, expected, (800, 480), pi=opened)
