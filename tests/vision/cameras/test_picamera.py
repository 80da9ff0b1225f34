"""The Raspberry Pi camera: the real process and its shared memory, with a stand-in for picamera2.

The process runs under the system's Python; `stand_in/picamera2` is on its path, and fails as the plan of a test says.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vision.cameras.live import LiveCamera
from vision.cameras.picamera import PicameraProcess, raspberry_pi_camera
from vision.cameras.settings import CameraSettings
from vision.cameras.sources import BadSource, open_source
from vision.frames import Frame, SourceLost

STAND_IN = Path(__file__).with_name("stand_in")
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
SMALL = CameraSettings(width=70, height=40, python=PYTHON)
Plan = Callable[..., None]


class Clock:
    """A clock that advances by a quarter of a second at each call while `runs()` is true."""

    def __init__(self, runs: Callable[[], bool] = lambda: False) -> None:
        self.now = 0.0
        self.runs = runs

    def __call__(self) -> float:
        self.now += 0.25 if self.runs() else 0.0
        return self.now


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    file = tmp_path / "plan.json"
    monkeypatch.setenv("PICAMERA2_FILE", str(file))

    def write(**entries: Any) -> None:
        file.write_text(json.dumps({"log": str(tmp_path / "log.jsonl"), **entries}))

    write()
    return write


def logged(folder: Path) -> list[dict[str, Any]]:
    """Return the calls that the stand-in received."""
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def new_camera(settings: CameraSettings = SMALL) -> LiveCamera:
    return raspberry_pi_camera(0, settings, Clock(), [STAND_IN])


def pixel(frame: Frame | None) -> tuple[int, ...]:
    assert frame is not None
    assert (frame.image == frame.image[0, 0]).all()
    return tuple(frame.image[0, 0].tolist())


def test_pictures_arrive_complete_in_order_and_in_the_size_of_the_camera(plan: Plan, tmp_path: Path) -> None:
    device = PicameraProcess(0, SMALL, [STAND_IN])
    for number in range(20):
        picture = device.read()
        assert picture is not None
        assert picture.shape == (40, 64, 3)
        assert (picture == np.array([number, 100, 200])).all()
    device.release()
    entries = logged(tmp_path)
    assert entries[0]["opened"] == 0
    assert entries[-1] == {"closed": True}  # it closes the camera when it is asked to end
    wanted = entries[1]["configuration"]
    assert wanted["main"] == {"size": [70, 40], "format": "RGB888"}
    assert wanted["controls"] == {"FrameRate": 30}


def test_the_camera_gives_frames_until_it_is_closed(plan: Plan) -> None:
    source = new_camera()
    frames = [source.read() for _ in range(3)]
    assert [frame.number for frame in frames if frame] == [0, 1, 2]
    assert all(pixel(frame)[1:] == (100, 200) for frame in frames)
    source.close()
    source.close()


def test_output_of_picamera2_neither_blocks_nor_damages_the_pictures(plan: Plan) -> None:
    plan(fault="print", at=2)
    device = PicameraProcess(0, SMALL, [STAND_IN])
    for number in range(8):
        picture = device.read()
        assert picture is not None and picture[0, 0].tolist() == [number, 100, 200]
    device.release()


def test_a_camera_that_hangs_is_killed_and_restarted(plan: Plan, tmp_path: Path) -> None:
    plan(fault="hang", at=5, once=str(tmp_path / "hung"))
    clock = Clock((tmp_path / "hung").exists)
    source = raspberry_pi_camera(0, SMALL, clock, [STAND_IN])
    seen = []
    with pytest.raises(SourceLost, match=r"The camera picamera hangs and is restarted"):
        while True:
            seen.append(pixel(source.read()))
    assert seen
    first = next(entry["pid"] for entry in logged(tmp_path) if "pid" in entry)
    clock.runs = lambda: False
    again = source.read()
    assert pixel(again)[1:] == (100, 200)
    second = [entry["pid"] for entry in logged(tmp_path) if "pid" in entry][-1]
    assert second != first
    source.close()
    for pid in (first, second):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_camera_whose_cable_is_loose_is_named_and_its_stops_are_counted(plan: Plan, tmp_path: Path) -> None:
    """It prints that the front end has timed out, and gives no further picture (raspberrypi/rpicam-apps#650)."""
    plan(fault="frontend", at=5, once=str(tmp_path / "hung"))
    clock = Clock((tmp_path / "hung").exists)
    source = raspberry_pi_camera(0, SMALL, clock, [STAND_IN])
    with pytest.raises(SourceLost, match=r"press both ends of the cable in"):
        while True:
            source.read()
    clock.runs = lambda: False
    assert source.restarts == 1
    assert pixel(source.read())[1:] == (100, 200)
    assert source.restarts == 1
    source.close()


def test_a_crash_is_reported_and_the_process_restarted(plan: Plan, tmp_path: Path) -> None:
    plan(fault="crash", at=3, once=str(tmp_path / "crashed"))
    source = new_camera()
    with pytest.raises(SourceLost, match=r"has ended \(signal 11\).* Its last output: libcamera: a fatal thing"):
        while True:
            source.read()
    assert pixel(source.read())[1:] == (100, 200)
    source.close()


def test_a_killed_process_is_restarted(plan: Plan, tmp_path: Path) -> None:
    source = new_camera()
    source.read()
    os.kill(logged(tmp_path)[0]["pid"], signal.SIGKILL)
    with pytest.raises(SourceLost, match=r"has ended \(signal 9\) and is being restarted"):
        while True:
            source.read()
    assert pixel(source.read())[1:] == (100, 200)
    source.close()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("no-camera", "finds no camera number 0: switch it off, push the camera's ribbon cable firmly"),
        ("busy", "is in use: close the other program"),
    ],
)
def test_the_reason_for_a_missing_picture_is_reported(plan: Plan, fault: str, reason: str) -> None:
    plan(fault=fault)
    source = new_camera()
    for _ in range(2):
        with pytest.raises(SourceLost, match=reason):
            source.read()
    source.close()


def test_without_picamera2_the_message_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "picamera2.py").write_text("raise ImportError('no picamera2 here')\n")
    source = raspberry_pi_camera(0, SMALL, Clock(), [tmp_path])
    with pytest.raises(SourceLost, match=r"has no picamera2 .* sudo apt install --no-install-recommends python3-picam"):
        source.read()
    source.close()


def test_without_the_python_the_message_says_what_to_set(tmp_path: Path) -> None:
    source = raspberry_pi_camera(0, CameraSettings(python=str(tmp_path / "python3")), Clock())
    with pytest.raises(SourceLost, match=r"cannot be run \(No such file or directory\): name the one that has"):
        source.read()
    source.close()


def pictures(settings: CameraSettings, count: int = 75) -> tuple[str, ...]:
    """Read `count` pictures; return the settings that the camera did not accept."""
    device = PicameraProcess(0, settings, [STAND_IN])
    for _ in range(count):
        device.read()
    device.release()
    return device.notes


def small(**asked: Any) -> CameraSettings:
    return CameraSettings(**{"width": 64, "height": 40, "python": PYTHON, **asked})


def test_lock_keeps_the_values_that_the_camera_found(plan: Plan, tmp_path: Path) -> None:
    assert pictures(small(exposure="lock", white_balance="lock", focus="lock")) == ()
    begun, kept = [entry["controls"] for entry in logged(tmp_path) if "controls" in entry]
    assert begun == {"AeEnable": True, "AwbEnable": True, "AfMode": 2}
    assert kept == {
        "AeEnable": False, "ExposureTime": 12000, "AnalogueGain": 2.0, "AwbEnable": False, "ColourGains": [1.5, 1.7],
        "AfMode": 0, "LensPosition": 1.25,
    }  # fmt: skip


def test_a_given_exposure_is_compensated_by_the_gain(plan: Plan, tmp_path: Path) -> None:
    assert pictures(small(exposure=6.0)) == ()
    kept = [entry["controls"] for entry in logged(tmp_path) if "controls" in entry][-1]
    assert kept == {"AeEnable": False, "ExposureTime": 6000, "AnalogueGain": 4.0}


def test_settings_that_are_not_accepted_become_notes(plan: Plan) -> None:
    assert pictures(small(exposure=1.0)) == ("gain: it has 16, not 24",)
    assert pictures(small(exposure=80.0))[0] == "exposure: it has 5e+04 µs, not 8e+04 µs"
    assert pictures(small(white_balance=4000)) == (
        'white_balance: picamera2 here is too old to be given kelvin; write "lock"',
    )
    plan(fault="deaf")
    assert pictures(small(exposure=6.0)) == (
        "ExposureTime: it has 1.2e+04, not 6000",
        "AnalogueGain: it has 2, not 4",
    )


def test_white_balance_in_kelvin_if_the_camera_supports_it(plan: Plan, tmp_path: Path) -> None:
    plan(controls={"ColourTemperature": [100, 100000, None]})
    assert pictures(small(white_balance=4000), 2) == ()
    begun = next(entry["controls"] for entry in logged(tmp_path) if "controls" in entry)
    assert (begun["AwbEnable"], begun["ColourTemperature"]) == (False, 4000)


FLICKER: dict[str, Any] = {"AeFlickerMode": [0, 1, 0], "AeFlickerPeriod": [100, 1000000, None]}


@pytest.mark.parametrize(
    ("flicker", "controls"),
    [
        (50, {"AeFlickerMode": 1, "AeFlickerPeriod": 10000}),
        (60, {"AeFlickerMode": 1, "AeFlickerPeriod": 8333}),
        ("off", {"AeFlickerMode": 0}),
        ("auto", {}),
    ],
)
def test_the_flicker_of_lamps_is_avoided(flicker: Any, controls: dict[str, int], plan: Plan, tmp_path: Path) -> None:
    plan(controls=FLICKER)
    assert pictures(small(flicker=flicker), 2) == ()
    begun = next(entry["controls"] for entry in logged(tmp_path) if "controls" in entry)
    assert {name: value for name, value in begun.items() if name in FLICKER} == controls


def test_an_older_system_cannot_avoid_flicker(plan: Plan) -> None:
    assert pictures(small(flicker=50), 2) == ("flicker: libcamera here is too old for it; update the system",)


def test_a_focus_that_was_given_is_read_back(plan: Plan, tmp_path: Path) -> None:
    plan(fault="deaf")
    assert pictures(small(focus=4.0)) == ("LensPosition: it has 1.25, not 4",)
    plan()
    assert pictures(small(focus=4.0)) == ()


def test_the_names_of_the_sources(plan: Plan) -> None:
    for spec, name in (("picamera", "picamera"), ("picamera:1", "picamera:1")):
        source = open_source(spec, settings=CameraSettings(python="/nowhere/python3"))
        assert (source.name, source.live) == (name, True)
        source.close()
    with pytest.raises(BadSource, match="write picamera, or picamera:1 for a second one"):
        open_source("picamera:left")
