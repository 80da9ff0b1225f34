"""USB cameras, through V4L2: what is asked of them, what they took, and why one gives no picture.

A UVC camera keeps what it was set to until it loses power, so every setting is made each time it is opened.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

import cv2
import numpy as np

from engine.texts import text
from vision.cameras.live import Device, LiveCamera
from vision.cameras.settings import CameraSettings, Kept
from vision.frames import Image, SourceLost

SETTLES_S: Final = 1.5
"""Seconds of pictures after which a camera has found exposure, white balance and focus."""
_LOOK_AGAIN: Final = 8
"""Pictures after which a lock shows its effect."""
_HELD: Final = 1.3
"""A lock holds if brightness, and each colour's share of it, has not changed by more than this factor."""
_UNITS_A_MS: Final = 10.0
"""V4L2 counts exposure in tenths of a millisecond."""
_MANUAL, _BY_ITSELF, _ALL_BY_ITSELF = 1, 3, 0
"""V4L2's menu of exposure: time by hand; by the camera, as UVC has it; time and iris by the camera."""


class Capture(Protocol):
    """What is used of `cv2.VideoCapture`."""

    def isOpened(self) -> bool:
        """Whether there is a camera."""

    def read(self) -> tuple[bool, object]:
        """The next picture."""

    def set(self, prop: int, value: float, /) -> bool:
        """Asks for a value; False where there is no such property."""

    def get(self, prop: int, /) -> float:
        """A value; below 0, or 0, where there is none."""

    def release(self) -> None:
        """Lets it go."""


class UsbDevice:
    """A USB camera that is open, set as `settings` say. `notes` tells what it did not take."""

    def __init__(self, capture: Capture, settings: CameraSettings) -> None:
        self._capture = capture
        self._settings = settings
        self._told: dict[str, str] = {}
        self._pictures = 0
        self._lock_at = round(SETTLES_S * settings.fps)
        self._before: tuple[float, float, float] | None = None
        if capture.isOpened():
            self._ask()

    @property
    def notes(self) -> tuple[str, ...]:
        """What it did not take."""
        return tuple(self._told.values())

    def read(self) -> Image | None:
        """The next picture."""
        if not self._capture.isOpened():
            raise SourceLost("")
        good, picture = self._capture.read()
        image = np.asarray(picture, dtype=np.uint8) if good else np.zeros(0, np.uint8)
        if image.size == 0:
            return None
        self._pictures += 1
        if self._pictures == self._lock_at:
            self._lock(image)
        elif self._pictures == self._lock_at + _LOOK_AGAIN:
            self._look_again(image)
        return image

    def stop(self) -> None:
        """OpenCV has no way to end a `read`; V4L2 gives up by itself after 10 s."""

    def release(self) -> None:
        """Lets it go."""
        self._capture.release()

    def _ask(self) -> None:
        asked, capture = self._settings, self._capture
        # Uncompressed, USB 2 carries five pictures of 1080 lines a second.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, asked.width)
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, asked.height)
        capture.set(cv2.CAP_PROP_FPS, asked.fps)
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        size = round(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), round(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
        if size != asked.size:
            told = "its pictures are {width} × {height}, not {asked_width} × {asked_height}"
            self._told["size"] = text(
                told, width=size[0], height=size[1], asked_width=asked.width, asked_height=asked.height
            )
        if isinstance(asked.exposure, str):
            self._expose_by_itself()
        else:
            capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _MANUAL)
            took = self._value(cv2.CAP_PROP_EXPOSURE, asked.exposure * _UNITS_A_MS) / _UNITS_A_MS
            self._compare("exposure", asked.exposure, took, "ms", 0.1 * asked.exposure)
        self._own_or(cv2.CAP_PROP_AUTO_WB, cv2.CAP_PROP_WB_TEMPERATURE, asked.white_balance, "white_balance", "K", 100)
        self._own_or(cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_FOCUS, asked.focus, "focus", "", 5)

    def _expose_by_itself(self) -> None:
        if not self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _BY_ITSELF):
            self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _ALL_BY_ITSELF)

    def _own_or(self, own: int, prop: int, asked: Kept | float, name: str, unit: str, off: float) -> None:
        """The camera finds the value by itself, or takes the one that is asked for."""
        self._capture.set(own, float(isinstance(asked, str)))
        if not isinstance(asked, str):
            self._compare(name, asked, self._value(prop, asked), unit, off)

    def _value(self, prop: int, value: float) -> float:
        """Sets a value; what the camera then has, below 0 for none."""
        return self._capture.get(prop) if self._capture.set(prop, value) else -1.0

    def _compare(self, name: str, asked: float, took: float, unit: str, off: float) -> None:
        if took < 0:
            self._told[name] = text("{name}: this camera cannot be set to {asked}", name=name, asked=_of(asked, unit))
        elif abs(took - asked) > off:
            told = "{name}: it has {has}, not {asked}"
            self._told[name] = text(told, name=name, has=_of(took, unit), asked=_of(asked, unit))

    def _lock(self, image: Image) -> None:
        """Keeps what the camera has found by itself."""
        asked, capture = self._settings, self._capture
        self._before = _colours(image)
        if asked.exposure == "lock":
            found = capture.get(cv2.CAP_PROP_EXPOSURE)
            if not capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _MANUAL):
                self._cannot_hold("exposure")
            elif found > 0:
                capture.set(cv2.CAP_PROP_EXPOSURE, found)
        if asked.white_balance == "lock":
            found = capture.get(cv2.CAP_PROP_WB_TEMPERATURE)
            if not capture.set(cv2.CAP_PROP_AUTO_WB, 0):
                self._cannot_hold("white_balance")
            elif found > 0:
                capture.set(cv2.CAP_PROP_WB_TEMPERATURE, found)
        if asked.focus == "lock":
            # A lens without a motor has nothing to hold, and that is well.
            found = capture.get(cv2.CAP_PROP_FOCUS)
            if capture.set(cv2.CAP_PROP_AUTOFOCUS, 0) and found >= 0:
                capture.set(cv2.CAP_PROP_FOCUS, found)

    def _look_again(self, image: Image) -> None:
        """Some cameras fall back on older values when they are locked: then they had better set themselves."""
        if self._before is None:
            return
        before, now = np.array(self._before), np.array(_colours(image))
        level, share = now.sum() / max(before.sum(), 1e-6), (now / now.sum()) / (before / before.sum())
        if self._settings.exposure == "lock" and not 1 / _HELD < level < _HELD:
            self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _BY_ITSELF) or self._capture.set(
                cv2.CAP_PROP_AUTO_EXPOSURE, 0
            )
            self._cannot_hold("exposure")
        if self._settings.white_balance == "lock" and not (share.max() < _HELD and share.min() > 1 / _HELD):
            self._capture.set(cv2.CAP_PROP_AUTO_WB, 1)
            self._cannot_hold("white_balance")

    def _cannot_hold(self, name: str) -> None:
        told = "{name}: this camera cannot hold what it has found, and goes on by itself; give a number"
        self._told[name] = text(told, name=name)


def _of(value: float, unit: str) -> str:
    return f"{value:g} {unit}".rstrip()


def _colours(image: Image) -> tuple[float, float, float]:
    """How bright the picture is in blue, green and red."""
    blue, green, red = (float(value) + 1.0 for value in image[::8, ::8].reshape(-1, 3).mean(axis=0))
    return blue, green, red


def usb_camera(
    which: str,
    settings: CameraSettings | None = None,
    clock: Callable[[], float] = time.monotonic,
    devices: Path = Path("/dev"),
) -> LiveCamera:
    """The camera `which`: a number, as in /dev/video0, or the path of a device, as in /dev/v4l/by-id."""
    device = Path(which) if not which.isdigit() else devices / f"video{which}"

    def connect() -> Device:
        capture = cv2.VideoCapture(str(device), cv2.CAP_V4L2) if device.exists() else cv2.VideoCapture()
        return UsbDevice(capture, settings or CameraSettings())

    return LiveCamera(f"usb:{which}", connect, lambda: explain_usb(which, devices), clock)


def explain_usb(which: str, devices: Path = Path("/dev")) -> str:
    """Why a camera gives no picture. `devices`: the folder with the video devices."""
    device = Path(which) if not which.isdigit() else devices / f"video{which}"
    others = sorted((p.name for p in devices.glob("video[0-9]*")), key=lambda name: int(name.removeprefix("video")))
    camera = f"usb:{which}"
    if not device.exists():
        if not others:
            return text(
                "There is no camera {camera}, nor any other: plug one in. The game waits for it.", camera=camera
            )
        there = ", ".join(f"usb:{name.removeprefix('video')}" for name in others)
        told = "There is no camera {camera}: plug it in, or use one that is there: {there}."
        return text(told, camera=camera, there=there)
    try:
        os.close(os.open(device, os.O_RDWR | os.O_NONBLOCK))
    except PermissionError:
        told = "The camera {device} may not be opened: add yourself to its group (sudo usermod -aG video $USER)."
        return text(told, device=device)
    except OSError as error:
        if error.errno == errno.EBUSY:
            told = "The camera {device} is in use: close the other program that shows its picture."
            return text(told, device=device)
        return text("The camera {device} does not answer: unplug it and plug it in again.", device=device)
    told = "The camera {device} gives no picture: close other programs that use it, or plug it in again."
    return text(told, device=device)
