"""The lens of a Raspberry Pi camera moves when the camera gets warm: it is set again, and that is said."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from vision.cameras.picamera_process import Settings
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
    applied.check_lens({"LensPosition": found + 0.3})
    assert camera.calls == [] and applied.notes == []
    for warm in (5.0, 5.5):
        applied.check_lens({"LensPosition": warm})
        assert camera.calls.pop() == {"AfMode": 0, "LensPosition": found}
        assert applied.notes == [
            f"focus: the lens had moved from 4 to {warm:.3g} and was set again; is the camera warm?"
        ]


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
