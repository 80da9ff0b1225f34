"""USB cameras through V4L2: settings, what the camera accepted of them, and why it gives no picture.

A UVC camera keeps its settings until it loses power, so all of them are set each time it is opened.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from engine.texts import text
from vision.cameras.live import Device, LiveCamera
from vision.cameras.power_line import set_power_line
from vision.cameras.settings import CameraSettings, Kept
from vision.cameras.usb_exposure import UNITS_PER_MS, Capture, UsbExposure
from vision.cameras.usb_faults import device_path, explain_usb
from vision.frames import Image, SourceLost


@dataclass(frozen=True, slots=True)
class UsbChecks:
    """When the values of an automatic camera are locked, and when a setting counts as accepted."""

    settling_s: float = 1.5
    """Seconds of pictures in which the camera finds exposure, white balance and focus. Longer: safer in dim light."""
    check_pictures: int = 8
    """Pictures until a lock shows its effect. Fewer: a lock that works later is reported."""
    max_drift: float = 1.3
    """A lock works if neither the brightness nor the share of any colour changes by more than this factor. Higher: a
    lock without effect is not reported; lower: a hand in the picture looks like one."""
    exposure_tolerance: float = 0.1
    """Relative difference from a given exposure above which the camera has not accepted it. Lower: rounding by the
    camera is reported."""
    white_balance_tolerance: float = 100.0
    """The same for a given white balance, kelvin."""
    focus_tolerance: float = 5.0
    """The same for a given focus, in the camera's own unit."""
    focus_s: float = 300.0
    """Seconds of pictures after which a focus that was set is read back and, if it has moved, set again: lenses move
    when the camera gets warm. Shorter: noticed sooner; some cameras drop a picture for it."""


CHECKS: Final = UsbChecks()

_MANUAL, _AUTO_TIME, _AUTO = 1, 3, 0
"""V4L2's values of `exposure_auto`: manual; automatic time (UVC cameras); automatic time and iris."""


class UsbDevice:
    """A `Device` for an open USB camera. `device`: its file, for the control that OpenCV does not have."""

    def __init__(self, capture: Capture, settings: CameraSettings, device: Path | None = None) -> None:
        self._capture = capture
        self._device = device
        self._settings = settings
        self._notes: dict[str, str] = {}
        """By setting, so that a later note replaces an earlier one."""
        self._pictures = 0
        self._lock_at = round(CHECKS.settling_s * settings.fps)
        self._before: tuple[float, float, float] | None = None
        self._exposure = UsbExposure(capture, settings.fps, settings.flicker)
        self.remarks: tuple[str, ...] = ()
        """What the camera has noticed of itself, as texts for people."""
        self._focus: float | None = None
        """The focus that was set, and must stay."""
        if capture.isOpened():
            self._apply()

    @property
    def notes(self) -> tuple[str, ...]:
        """The settings that the camera did not accept, as texts for people."""
        return tuple(self._notes.values())

    def read(self) -> Image | None:
        """Return the next picture, (H, W, 3) uint8 BGR; None if it is broken.

        Raises `SourceLost` if the camera has gone.
        """
        if not self._capture.isOpened():
            raise SourceLost("")
        good, picture = self._capture.read()
        image = np.asarray(picture, dtype=np.uint8) if good else np.zeros(0, np.uint8)
        if image.size == 0:
            return None
        self._pictures += 1
        if self._pictures == self._lock_at:
            self._lock(image)
        elif self._pictures == self._lock_at + CHECKS.check_pictures:
            self._check_lock(image)
        elif self._pictures % round(CHECKS.focus_s * self._settings.fps) == 0:
            self._check_focus()
        return image

    def adjust_exposure(self, factor: float) -> None:
        """Multiply the exposure by `factor`, if the settings let it follow the cards and it has been found."""
        if self._settings.exposure != "cards" or self._pictures <= self._lock_at + CHECKS.check_pictures:
            return
        if "exposure" in self._notes:  # it is automatic, or does not follow
            return
        if not self._exposure.multiply(factor):
            message = "exposure: this camera cannot follow the cards and keeps the value that it has found"
            self._notes["exposure"] = text(message)

    def stop(self) -> None:
        """Do nothing: OpenCV cannot end a `read`; V4L2 gives up after 10 s."""

    def release(self) -> None:
        """Close the camera."""
        self._capture.release()

    def _apply(self) -> None:
        settings, capture = self._settings, self._capture
        # Over USB 2, uncompressed pictures of 1920 x 1080 pixels come at 5 per second.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, settings.width)
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, settings.height)
        capture.set(cv2.CAP_PROP_FPS, settings.fps)
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        size = round(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), round(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
        if size != settings.size:
            message = "its pictures are {width} × {height}, not {asked_width} × {asked_height}"
            self._notes["size"] = text(
                message, width=size[0], height=size[1], asked_width=settings.width, asked_height=settings.height
            )
        if isinstance(settings.exposure, str):
            self._expose_automatically()
        else:
            capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _MANUAL)
            took = self._value(cv2.CAP_PROP_EXPOSURE, settings.exposure * UNITS_PER_MS) / UNITS_PER_MS
            self._compare("exposure", settings.exposure, took, "ms", CHECKS.exposure_tolerance * settings.exposure)
        wanted = settings.white_balance
        self._set_or_auto(
            cv2.CAP_PROP_AUTO_WB,
            cv2.CAP_PROP_WB_TEMPERATURE,
            wanted,
            "white_balance",
            "K",
            CHECKS.white_balance_tolerance,
        )
        self._set_or_auto(
            cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_FOCUS, settings.focus, "focus", "", CHECKS.focus_tolerance
        )
        if not isinstance(settings.focus, str):
            self._focus = settings.focus
        if self._device is not None and not set_power_line(self._device, settings.flicker):
            asked = settings.flicker if settings.flicker == "off" else f"{settings.flicker} Hz"
            self._notes["flicker"] = text("{name}: this camera cannot be set to {asked}", name="flicker", asked=asked)

    def _check_focus(self) -> None:
        """Set a lens again that has moved, and say so."""
        if self._focus is None:
            return
        has = self._capture.get(cv2.CAP_PROP_FOCUS)
        if abs(has - self._focus) <= CHECKS.focus_tolerance:
            return
        now = self._value(cv2.CAP_PROP_FOCUS, self._focus)
        if abs(now - self._focus) <= CHECKS.focus_tolerance:
            remark = "its lens had moved from {set_to} to {was}, and was set again"
            self.remarks = (text(remark, set_to=f"{self._focus:.0f}", was=f"{has:.0f}"),)
        else:
            self._compare("focus", self._focus, now, "", CHECKS.focus_tolerance)

    def _expose_automatically(self) -> None:
        if not self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _AUTO_TIME):
            self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _AUTO)

    def _set_or_auto(self, auto: int, prop: int, asked: Kept | float, name: str, unit: str, tolerance: float) -> None:
        """Set the property `prop` to a number, or switch its automatic `auto` on."""
        self._capture.set(auto, float(isinstance(asked, str)))
        if not isinstance(asked, str):
            self._compare(name, asked, self._value(prop, asked), unit, tolerance)

    def _value(self, prop: int, value: float) -> float:
        """Set a property; return the value that the camera then has, -1 if it does not have the property."""
        return self._capture.get(prop) if self._capture.set(prop, value) else -1.0

    def _compare(self, name: str, asked: float, took: float, unit: str, tolerance: float) -> None:
        if took < 0:
            self._notes[name] = text(
                "{name}: this camera cannot be set to {asked}", name=name, asked=_with_unit(asked, unit)
            )
        elif abs(took - asked) > tolerance:
            message = "{name}: it has {has}, not {asked}"
            self._notes[name] = text(message, name=name, has=_with_unit(took, unit), asked=_with_unit(asked, unit))

    def _lock(self, image: Image) -> None:
        """Keep the values that the camera has found."""
        settings, capture = self._settings, self._capture
        self._before = _colours(image)
        if settings.exposure in ("lock", "cards"):
            found = capture.get(cv2.CAP_PROP_EXPOSURE)
            if not capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _MANUAL):
                self._cannot_hold("exposure")
            elif found > 0:
                capture.set(cv2.CAP_PROP_EXPOSURE, found)
        if settings.white_balance == "lock":
            found = capture.get(cv2.CAP_PROP_WB_TEMPERATURE)
            if not capture.set(cv2.CAP_PROP_AUTO_WB, 0):
                self._cannot_hold("white_balance")
            elif found > 0:
                capture.set(cv2.CAP_PROP_WB_TEMPERATURE, found)
        if settings.focus == "lock":
            # A lens without a motor stays as it is anyway.
            found = capture.get(cv2.CAP_PROP_FOCUS)
            if capture.set(cv2.CAP_PROP_AUTOFOCUS, 0) and found >= 0:
                capture.set(cv2.CAP_PROP_FOCUS, found)
                self._focus = found

    def _check_lock(self, image: Image) -> None:
        """Fall back to automatic if the lock has changed the picture: some cameras return to older values.

        The focus is read back as well.
        """
        self._check_focus()
        if self._before is None:
            return
        limit = CHECKS.max_drift
        before, now = np.array(self._before), np.array(_colours(image))
        level, share = now.sum() / max(before.sum(), 1e-6), (now / now.sum()) / (before / before.sum())
        if self._settings.exposure in ("lock", "cards") and not 1 / limit < level < limit:
            self._expose_automatically()
            self._cannot_hold("exposure")
        if self._settings.white_balance == "lock" and not (share.max() < limit and share.min() > 1 / limit):
            self._capture.set(cv2.CAP_PROP_AUTO_WB, 1)
            self._cannot_hold("white_balance")

    def _cannot_hold(self, name: str) -> None:
        if getattr(self._settings, name) == "cards":
            message = 'exposure: this camera cannot follow the cards and stays automatic; write exposure = "auto"'
            self._notes[name] = text(message)
            return
        message = "{name}: this camera cannot lock the value it has found and stays automatic; give a number"
        self._notes[name] = text(message, name=name)


def _with_unit(value: float, unit: str) -> str:
    return f"{value:g} {unit}".rstrip()


def _colours(image: Image) -> tuple[float, float, float]:
    """Return the mean brightness of blue, green and red, in grey levels + 1."""
    blue, green, red = (float(value) + 1.0 for value in image[::8, ::8].reshape(-1, 3).mean(axis=0))
    return blue, green, red


def usb_camera(
    which: str,
    settings: CameraSettings | None = None,
    clock: Callable[[], float] = time.monotonic,
    devices: Path = Path("/dev"),
) -> LiveCamera:
    """Return the camera `which`: the number of a device (`0` for /dev/video0), or its path (/dev/v4l/by-id/...)."""
    device = device_path(which, devices)

    def connect() -> Device:
        capture = cv2.VideoCapture(str(device), cv2.CAP_V4L2) if device.exists() else cv2.VideoCapture()
        return UsbDevice(capture, settings or CameraSettings(), device)

    return LiveCamera(f"usb:{which}", connect, lambda: explain_usb(which, devices), clock)
