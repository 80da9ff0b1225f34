"""The Raspberry Pi camera: the real process and its real shared memory, with a stand-in for picamera2 in it.

The process is run by the system's Python; `stand_in/picamera2` stands on its path and misbehaves as it is told.
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
    """A clock that goes on, while `goes`, by a quarter of a second whenever somebody looks at it."""

    def __init__(self, goes: Callable[[], bool] = lambda: False) -> None:
        self.now = 0.0
        self.goes = goes

    def __call__(self) -> float:
        self.now += 0.25 if self.goes() else 0.0
        return self.now


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    file = tmp_path / "plan.json"
    monkeypatch.setenv("PICAMERA2_FILE", str(file))

    def write(**entries: Any) -> None:
        file.write_text(json.dumps({"told": str(tmp_path / "told.jsonl"), **entries}))

    write()
    return write


def told(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "told.jsonl").read_text().splitlines()]


def camera(settings: CameraSettings = SMALL) -> LiveCamera:
    return raspberry_pi_camera(0, settings, Clock(), [STAND_IN])


def pixel(frame: Frame | None) -> tuple[int, ...]:
    assert frame is not None
    assert (frame.image == frame.image[0, 0]).all()
    return tuple(frame.image[0, 0].tolist())


def test_pictures_come_whole_and_in_order_in_the_size_that_the_camera_has(plan: Plan, tmp_path: Path) -> None:
    device = PicameraProcess(0, SMALL, [STAND_IN])
    for number in range(20):
        picture = device.read()
        assert picture is not None
        assert picture.shape == (40, 64, 3)
        assert (picture == np.array([number, 100, 200])).all()
    device.release()
    entries = told(tmp_path)
    assert entries[0]["opened"] == 0
    assert entries[-1] == {"closed": True}  # asked to end, it lets the camera go
    wanted = entries[1]["configuration"]
    assert wanted["main"] == {"size": [70, 40], "format": "RGB888"}
    assert wanted["controls"] == {"FrameRate": 30}


def test_the_camera_gives_frames_until_it_is_closed(plan: Plan) -> None:
    source = camera()
    frames = [source.read() for _ in range(3)]
    assert [frame.number for frame in frames if frame] == [0, 1, 2]
    assert all(pixel(frame)[1:] == (100, 200) for frame in frames)
    source.close()
    source.close()


def test_what_picamera2_prints_is_neither_in_the_pictures_nor_in_the_way(plan: Plan) -> None:
    plan(fault="print", at=2)
    device = PicameraProcess(0, SMALL, [STAND_IN])
    for number in range(8):
        picture = device.read()
        assert picture is not None and picture[0, 0].tolist() == [number, 100, 200]
    device.release()


def test_a_camera_that_hangs_is_killed_and_started_again(plan: Plan, tmp_path: Path) -> None:
    plan(fault="hang", at=5, once=str(tmp_path / "hung"))
    clock = Clock((tmp_path / "hung").exists)
    source = raspberry_pi_camera(0, SMALL, clock, [STAND_IN])
    seen = []
    with pytest.raises(SourceLost, match=r"The camera picamera hangs, and is started again"):
        while True:
            seen.append(pixel(source.read()))
    assert seen
    first = next(entry["pid"] for entry in told(tmp_path) if "pid" in entry)
    clock.goes = lambda: False
    again = source.read()
    assert pixel(again)[1:] == (100, 200)
    second = [entry["pid"] for entry in told(tmp_path) if "pid" in entry][-1]
    assert second != first
    source.close()
    for pid in (first, second):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_process_that_crashes_is_told_with_its_last_words_and_started_again(plan: Plan, tmp_path: Path) -> None:
    plan(fault="crash", at=3, once=str(tmp_path / "crashed"))
    source = camera()
    with pytest.raises(SourceLost, match=r"has ended \(signal 11\).* Its last words: libcamera: a fatal thing"):
        while True:
            source.read()
    assert pixel(source.read())[1:] == (100, 200)
    source.close()


def test_a_process_that_somebody_kills_is_started_again(plan: Plan, tmp_path: Path) -> None:
    source = camera()
    source.read()
    os.kill(told(tmp_path)[0]["pid"], signal.SIGKILL)
    with pytest.raises(SourceLost, match=r"has ended \(signal 9\), and is started again"):
        while True:
            source.read()
    assert pixel(source.read())[1:] == (100, 200)
    source.close()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("no-camera", "finds no camera number 0: switch it off, press the camera's ribbon cable home"),
        ("busy", "is in use: close the other program"),
    ],
)
def test_why_there_is_no_picture(plan: Plan, fault: str, said: str) -> None:
    plan(fault=fault)
    source = camera()
    for _ in range(2):
        with pytest.raises(SourceLost, match=said):
            source.read()
    source.close()


def test_without_picamera2_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "picamera2.py").write_text("raise ImportError('no picamera2 here')\n")
    source = raspberry_pi_camera(0, SMALL, Clock(), [tmp_path])
    with pytest.raises(SourceLost, match=r"has no picamera2 .* sudo apt install --no-install-recommends python3-picam"):
        source.read()
    source.close()


def test_without_that_python_it_says_which_to_name(tmp_path: Path) -> None:
    source = raspberry_pi_camera(0, CameraSettings(python=str(tmp_path / "python3")), Clock())
    with pytest.raises(SourceLost, match=r"cannot be run \(No such file or directory\): name the one that has"):
        source.read()
    source.close()


def pictures(settings: CameraSettings, count: int = 75) -> tuple[str, ...]:
    """Reads so many pictures; what the camera did not take."""
    device = PicameraProcess(0, settings, [STAND_IN])
    for _ in range(count):
        device.read()
    device.release()
    return device.notes


def small(**asked: Any) -> CameraSettings:
    return CameraSettings(**{"width": 64, "height": 40, "python": PYTHON, **asked})


def test_what_it_has_found_is_locked(plan: Plan, tmp_path: Path) -> None:
    assert pictures(small(exposure="lock", white_balance="lock", focus="lock")) == ()
    begun, kept = [entry["controls"] for entry in told(tmp_path) if "controls" in entry]
    assert begun == {"AeEnable": True, "AwbEnable": True, "AfMode": 2}
    assert kept == {
        "AeEnable": False, "ExposureTime": 12000, "AnalogueGain": 2.0, "AwbEnable": False, "ColourGains": [1.5, 1.7],
        "AfMode": 0, "LensPosition": 1.25,
    }  # fmt: skip


def test_an_exposure_that_is_given_keeps_the_brightness_by_its_gain(plan: Plan, tmp_path: Path) -> None:
    assert pictures(small(exposure=6.0)) == ()
    kept = [entry["controls"] for entry in told(tmp_path) if "controls" in entry][-1]
    assert kept == {"AeEnable": False, "ExposureTime": 6000, "AnalogueGain": 4.0}


def test_what_it_does_not_take_is_told(plan: Plan) -> None:
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


def test_kelvin_where_it_takes_them(plan: Plan, tmp_path: Path) -> None:
    plan(controls={"ColourTemperature": [100, 100000, None]})
    assert pictures(small(white_balance=4000), 2) == ()
    begun = next(entry["controls"] for entry in told(tmp_path) if "controls" in entry)
    assert (begun["AwbEnable"], begun["ColourTemperature"]) == (False, 4000)


def test_names_of_the_source(plan: Plan) -> None:
    for spec, name in (("picamera", "picamera"), ("picamera:1", "picamera:1")):
        source = open_source(spec, settings=CameraSettings(python="/nowhere/python3"))
        assert (source.name, source.live) == (name, True)
        source.close()
    with pytest.raises(BadSource, match="write picamera, or picamera:1 for a second one"):
        open_source("picamera:left")
