"""USB cameras: settings, what the camera accepts of them, and locks; on a simulated UVC camera."""

from __future__ import annotations

import errno
import fcntl
import struct
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from cardtable.languages import translator
from engine.texts import in_language
from vision.cameras.settings import CameraSettings
from vision.cameras.sources import open_source
from vision.cameras.usb import CHECK_PICTURES, FOCUS_S, SETTLING_S, UsbDevice, usb_camera
from vision.frames import SourceLost

AUTO = {cv2.CAP_PROP_AUTO_EXPOSURE: (1.0, 3.0), cv2.CAP_PROP_AUTO_WB: (0.0, 1.0), cv2.CAP_PROP_AUTOFOCUS: (0.0, 1.0)}


class UvcCamera:
    """Behaves like a webcam: automatic values approach what the light needs with each picture, manual ones stay.

    `light`: the right exposure at gain 64, in units of 0.1 ms. `warm`: the right white balance, kelvin. `forgets`:
    switched to manual, it returns to older manual values. `refuses`: properties that it does not have.
    """

    def __init__(self, light: float = 160.0, warm: float = 3200.0, forgets: bool = False, refuses: Any = ()) -> None:
        self.light, self.warm, self.forgets = light, warm, forgets
        self.refuses = set(refuses)
        self.gains = (16.0, 255.0)
        self.values = {
            cv2.CAP_PROP_GAIN: 64.0,
            cv2.CAP_PROP_AUTO_EXPOSURE: 1.0, cv2.CAP_PROP_EXPOSURE: 30.0, cv2.CAP_PROP_AUTO_WB: 0.0,
            cv2.CAP_PROP_WB_TEMPERATURE: 6500.0, cv2.CAP_PROP_AUTOFOCUS: 0.0, cv2.CAP_PROP_FOCUS: 0.0,
            cv2.CAP_PROP_FRAME_WIDTH: 640.0, cv2.CAP_PROP_FRAME_HEIGHT: 480.0, cv2.CAP_PROP_FPS: 30.0,
            cv2.CAP_PROP_FOURCC: 0.0, cv2.CAP_PROP_BUFFERSIZE: 4.0,
        }  # fmt: skip
        self.sizes = ((640, 480), (1280, 720), (1920, 1080))
        self.open = True

    def isOpened(self) -> bool:
        return self.open

    def set(self, prop: int, value: float, /) -> bool:
        if prop in self.refuses or (prop in AUTO and value not in AUTO[prop]):
            return False
        if self.forgets and prop == cv2.CAP_PROP_AUTO_EXPOSURE and value == 1.0 and self.values[prop] != 1.0:
            self.values[cv2.CAP_PROP_EXPOSURE] = 20.0
            self.refuses.add(cv2.CAP_PROP_EXPOSURE)
        if prop == cv2.CAP_PROP_FRAME_WIDTH and value not in [w for w, _ in self.sizes]:
            value = 1280.0
        if prop == cv2.CAP_PROP_FRAME_HEIGHT and value not in [h for _, h in self.sizes]:
            value = 720.0
        if prop == cv2.CAP_PROP_EXPOSURE:
            value = float(np.clip(value, 3, 2047))
        if prop == cv2.CAP_PROP_GAIN:
            value = float(np.clip(round(value), *self.gains))
        self.values[prop] = value
        return True

    def get(self, prop: int, /) -> float:
        return -1.0 if prop in self.refuses else self.values[prop]

    def read(self) -> tuple[bool, Any]:
        values = self.values
        if values[cv2.CAP_PROP_AUTO_EXPOSURE] == 3.0:
            values[cv2.CAP_PROP_EXPOSURE] += 0.3 * (self.light - values[cv2.CAP_PROP_EXPOSURE])
        if values[cv2.CAP_PROP_AUTO_WB] == 1.0:
            values[cv2.CAP_PROP_WB_TEMPERATURE] += 0.3 * (self.warm - values[cv2.CAP_PROP_WB_TEMPERATURE])
        if values[cv2.CAP_PROP_AUTOFOCUS] == 1.0:
            values[cv2.CAP_PROP_FOCUS] += 0.3 * (45 - values[cv2.CAP_PROP_FOCUS])
        level = 110 * values[cv2.CAP_PROP_EXPOSURE] / self.light * values[cv2.CAP_PROP_GAIN] / 64
        blue = (self.warm / values[cv2.CAP_PROP_WB_TEMPERATURE]) ** 0.6
        pixel = np.clip(level * np.array([blue, 1.0, 1 / blue]), 0, 255).astype(np.uint8)
        return True, np.broadcast_to(pixel, (48, 64, 3)).copy()

    def release(self) -> None:
        self.open = False

    def colour(self) -> list[int]:
        return list(self.read()[1][0, 0].tolist())


def run(device: UsbDevice, seconds: float) -> None:
    for _ in range(round(30 * seconds)):
        device.read()


def test_automatic_overrides_earlier_manual_values() -> None:
    camera = UvcCamera()
    device = UsbDevice(camera, CameraSettings())
    run(device, 2 * SETTLING_S)
    assert device.notes == ()
    assert camera.values[cv2.CAP_PROP_FRAME_WIDTH] == 1920
    assert all(108 <= value <= 112 for value in camera.colour())
    camera.light = 80.0
    run(device, 1)
    assert camera.values[cv2.CAP_PROP_EXPOSURE] == pytest.approx(80, abs=1)
    device.release()
    with pytest.raises(SourceLost):
        device.read()


def test_lock_keeps_the_values_that_the_camera_found() -> None:
    camera = UvcCamera()
    device = UsbDevice(camera, CameraSettings(exposure="lock", white_balance="lock", focus="lock"))
    run(device, 2 * SETTLING_S)
    assert device.notes == ()
    held = dict(camera.values)
    assert held[cv2.CAP_PROP_EXPOSURE] == pytest.approx(160, abs=1)
    assert held[cv2.CAP_PROP_WB_TEMPERATURE] == pytest.approx(3200, abs=5)
    assert held[cv2.CAP_PROP_FOCUS] == pytest.approx(45, abs=1)
    camera.light, camera.warm = 60.0, 5000.0
    run(device, 2)
    assert camera.values == held


def test_a_lock_that_fails_falls_back_to_automatic() -> None:
    camera = UvcCamera(forgets=True)
    device = UsbDevice(camera, CameraSettings(exposure="lock", white_balance="lock"))
    run(device, 2 * SETTLING_S)
    (note,) = device.notes
    assert note.startswith("exposure: this camera cannot lock the value")
    assert camera.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 3.0
    assert camera.values[cv2.CAP_PROP_AUTO_WB] == 0.0


def test_given_values_are_set() -> None:
    camera = UvcCamera()
    device = UsbDevice(camera, CameraSettings(exposure=8.0, white_balance=4200, focus=30, fps=15))
    run(device, 3)
    assert device.notes == ()
    assert camera.values[cv2.CAP_PROP_EXPOSURE] == 80.0
    assert camera.values[cv2.CAP_PROP_WB_TEMPERATURE] == 4200
    assert camera.values[cv2.CAP_PROP_FOCUS] == 30
    assert camera.values[cv2.CAP_PROP_FPS] == 15


def test_settings_that_are_not_accepted_become_notes() -> None:
    camera = UvcCamera(refuses=(cv2.CAP_PROP_WB_TEMPERATURE, cv2.CAP_PROP_FOCUS))
    wanted = CameraSettings(width=1600, height=900, exposure=500.0, white_balance=4200, focus=30)
    assert UsbDevice(camera, wanted).notes == (
        "its pictures are 1280 × 720, not 1600 × 900",
        "exposure: it has 204.7 ms, not 500 ms",
        "white_balance: this camera cannot be set to 4200 K",
        "focus: this camera cannot be set to 30",
    )


def test_a_lock_without_automatic_white_balance_becomes_a_note() -> None:
    camera = UvcCamera(refuses=(cv2.CAP_PROP_AUTO_WB,))
    device = UsbDevice(camera, CameraSettings(white_balance="lock"))
    run(device, 2 * SETTLING_S)
    (note,) = device.notes
    assert note.startswith("white_balance: this camera cannot lock")


def test_a_missing_camera_given_by_its_path() -> None:
    source = open_source("usb:/dev/v4l/by-id/usb-no-such-camera-index0")
    with pytest.raises(SourceLost, match="There is no camera usb:/dev/v4l/by-id/usb-no-such-camera-index0"):
        source.read()
    source.close()
    assert usb_camera("7").name == "usb:7"


@pytest.mark.parametrize("focus", [30.0, "lock"])
def test_a_lens_that_has_moved_is_set_again(focus: float) -> None:
    camera = UvcCamera()
    device = UsbDevice(camera, CameraSettings(focus=focus, fps=1))
    run(device, 1)
    was = camera.values[cv2.CAP_PROP_FOCUS]
    camera.values[cv2.CAP_PROP_FOCUS] = was + 20  # it got warm
    run(device, FOCUS_S / 30)
    assert camera.values[cv2.CAP_PROP_FOCUS] == was and device.notes == ()
    (remark,) = device.remarks
    assert remark == f"its lens had moved from {was:.0f} to {was + 20:.0f}, and was set again"
    assert in_language(remark, translator("fr")).startswith("son objectif avait bougé de ")


@pytest.mark.parametrize("settable", [False, True])
def test_a_locked_focus_is_read_back_soon(settable: bool) -> None:
    """It did not hold; if it cannot be set again, that is noted."""
    camera = UvcCamera()
    device = UsbDevice(camera, CameraSettings(focus="lock", fps=30))
    run(device, SETTLING_S)
    was = camera.values[cv2.CAP_PROP_FOCUS]
    camera.values[cv2.CAP_PROP_FOCUS] = 0.0
    if not settable:
        camera.refuses.add(cv2.CAP_PROP_FOCUS)
    run(device, CHECK_PICTURES / 30)
    if settable:
        assert camera.values[cv2.CAP_PROP_FOCUS] == was and len(device.remarks) == 1
    else:
        assert device.notes == (f"focus: this camera cannot be set to {was:g}",)


def test_a_lens_that_stays_is_not_remarked_upon() -> None:
    device = UsbDevice(UvcCamera(), CameraSettings(focus=30, fps=1))
    run(device, 2 * FOCUS_S / 30)
    assert device.remarks == ()


class Kernel:
    """The part of V4L2 that has the power line frequency of one camera. `values`: those that the camera has."""

    def __init__(self, *values: int) -> None:
        self.values, self.now = values, 1

    def ioctl(self, file: int, request: int, control: bytes) -> bytes:
        name, value = struct.unpack("=Ii", control)
        assert name == 0x980918
        if request == 0xC008561C:
            if value not in self.values:
                raise OSError(errno.ERANGE, "Numerical result out of range")
            self.now = value
        return struct.pack("=Ii", name, self.now)


@pytest.mark.parametrize(
    ("flicker", "values", "has", "note"),
    [
        (50, (0, 1, 2), 1, ()),
        (60, (0, 1, 2), 2, ()),
        ("off", (0, 1, 2), 0, ()),
        ("auto", (), 1, ()),
        (60, (0, 1), 1, ("flicker: this camera cannot be set to 60 Hz",)),
    ],
)
def test_the_mains_frequency_is_set_through_v4l2(
    flicker: Any,
    values: tuple[int, ...],
    has: int,
    note: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernel = Kernel(*values)
    monkeypatch.setattr(fcntl, "ioctl", kernel.ioctl)
    (tmp_path / "video0").touch()
    assert UsbDevice(UvcCamera(), CameraSettings(flicker=flicker), tmp_path / "video0").notes == note
    assert kernel.now == has


def test_a_device_without_the_control_is_noted(tmp_path: Path) -> None:
    for name in ("video0", "missing"):
        (tmp_path / "video0").touch()  # a file, not a camera: the kernel refuses the call
        device = UsbDevice(UvcCamera(), CameraSettings(flicker=50), tmp_path / name)
        assert device.notes == ("flicker: this camera cannot be set to 50 Hz",)


def test_a_camera_that_comes_back_with_another_number_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def capture(*about: Any) -> UvcCamera:
        camera = UvcCamera()
        camera.open = bool(about)
        opened.extend(Path(path).name for path in about[:1])
        return camera

    monkeypatch.setattr(cv2, "VideoCapture", capture)
    (tmp_path / "v4l" / "by-id").mkdir(parents=True)
    link, first, second = tmp_path / "v4l" / "by-id" / "usb-Cam-index0", tmp_path / "video0", tmp_path / "video2"
    first.touch()
    link.symlink_to(first)
    source = usb_camera("0", devices=tmp_path)
    source.read()
    assert source._device is not None
    for device, stays in ((second, first), (first, second)):  # another camera may have the old number
        device.touch()
        link.unlink()
        link.symlink_to(device)
        source._device._capture.open = False  # type: ignore[attr-defined]
        with pytest.raises(SourceLost):
            while True:
                source.read()
        source.read()
        assert stays.exists() and opened[-1] == device.name
    source.close()
