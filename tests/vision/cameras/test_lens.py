"""The lens of a Raspberry Pi camera moves when the camera gets warm: it is set again, and that is said."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from cardtable.languages import translator
from engine.texts import in_language
from tests.vision.cameras.test_picamera import PYTHON, STAND_IN
from tests.waiting import tries
from vision.cameras.picamera import raspberry_pi_camera
from vision.cameras.picamera_process import CHECK_PICTURES, SETTLING_PICTURES, Settings
from vision.cameras.settings import CameraSettings


class Camera:
    """What `Settings` asks of picamera2; each module has limits of its own."""

    def __init__(self, nearest: float) -> None:
        self.camera_controls = {
            "AfMode": (0, 2, 0),
            "LensPosition": (0.0, nearest, 1.0),
            "AeEnable": (False, True, True),
        }
        self.calls: list[dict[str, Any]] = []

    def set_controls(self, controls: dict[str, Any]) -> None:
        self.calls.append(controls)


def settings(camera: Camera, focus: float | str) -> Settings:
    request = asdict(CameraSettings()) | {"focus": focus}
    return Settings(camera, request)


@pytest.mark.parametrize(("focus", "found"), [("lock", 4.0), (4.0, 4.0)])
def test_a_lens_that_moves_when_the_camera_is_warm_is_set_again_and_named(focus: float | str, found: float) -> None:
    camera = Camera(15.0)
    applied = settings(camera, focus)
    applied.begin()
    applied.lock({"LensPosition": found})
    camera.calls.clear()
    assert applied.check_lens({"LensPosition": found + 0.3}) is None
    assert camera.calls == []
    for warm in (5.0, 5.5):
        assert applied.check_lens({"LensPosition": warm}) == (found, warm)
        assert camera.calls.pop() == {"AfMode": 0, "LensPosition": found}
    assert applied.notes == []


def test_a_camera_that_gets_warm_says_so_in_the_language_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, log = tmp_path / "plan.json", tmp_path / "log.jsonl"
    plan.write_text(
        json.dumps(
            {
                "fault": "warm",
                "at": SETTLING_PICTURES + CHECK_PICTURES + 1,
                "once": str(tmp_path / "was"),
                "log": str(log),
            }
        )
    )
    monkeypatch.setenv("PICAMERA2_FILE", str(plan))
    asked = CameraSettings(width=64, height=40, python=PYTHON, focus="lock")
    with closing(raspberry_pi_camera(0, asked, modules=[STAND_IN])) as camera:
        for _ in tries("the lens is looked at", pause_s=0):
            camera.read()
            if camera.remarks:
                break
        (remark,) = camera.remarks
        assert remark == "its lens had moved from 1.25 to 2.00 dioptres, and was set again"
        assert "de 1,25 à 2,00 dioptries" in in_language(remark, translator("fr"))
        assert camera.notes == ()
    assert json.loads(log.read_text().splitlines()[-2])["controls"] == {"AfMode": 0, "LensPosition": 1.25}


def test_a_focus_that_was_given_is_compared_with_what_the_camera_has() -> None:
    applied = settings(Camera(15.0), 4.0)
    applied.begin()
    applied.lock({"LensPosition": 4.0})
    applied.check({"LensPosition": 4.1})
    assert applied.notes == []
    applied.check({"LensPosition": 2.0})
    assert applied.notes == ["LensPosition: it has 2, not 4"]


def test_the_focus_is_switched_on_because_it_is_off_by_default() -> None:
    camera = Camera(15.0)
    settings(camera, "auto").begin()
    assert camera.calls[0]["AfMode"] == 2  # continuous


def test_a_module_that_cannot_focus_so_near_is_named() -> None:
    camera = Camera(10.0)
    applied = settings(camera, 12.0)
    applied.begin()
    assert camera.calls[0] | {"LensPosition": 10.0, "AfMode": 0} == camera.calls[0]
    assert applied.notes == ["focus: it has 10, not 12"]
