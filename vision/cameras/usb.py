"""USB cameras through V4L2: settings, what the camera accepted of them, and why it gives no picture.

A UVC camera keeps its settings until it loses power, so all of them are set each time it is opened.
"""

from __future__ import annotations

import errno
import fcntl
import math
import os
import struct
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from engine.texts import text
from vision.cameras.live import CaptureDevice, Device, LiveCamera
from vision.cameras.settings import CameraSettings, Flicker, Kept
from vision.frames import Image

_CONTROL: Final = 0x0098_0918
"""V4L2_CID_POWER_LINE_FREQUENCY."""
_GET: Final = 0xC008_561B
"""VIDIOC_G_CTRL: reads and writes a `struct v4l2_control`, whose fields are `__u32 id; __s32 value`."""
_SET: Final = 0xC008_561C
"""VIDIOC_S_CTRL."""
_FORMAT: Final = "=Ii"
_VALUES: Final[dict[Flicker, int]] = {"off": 0, 50: 1, 60: 2}
"""enum v4l2_power_line_frequency."""


def set_power_line(device: Path, flicker: Flicker) -> bool:
    """Set the power line frequency, whose flicker the automatic exposure of the camera at `device` avoids.

    Return whether the camera reports it afterwards. With `auto` the camera keeps its setting, and the result is True.
    OpenCV does not have this control, so it is set through V4L2 (linux/videodev2.h, linux/v4l2-controls.h).
    """
    if flicker == "auto":
        return True
    value = _VALUES[flicker]
    try:
        file = os.open(device, os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.ioctl(file, _SET, struct.pack(_FORMAT, _CONTROL, value))
        _, taken = struct.unpack(_FORMAT, fcntl.ioctl(file, _GET, struct.pack(_FORMAT, _CONTROL, 0)))
        return bool(taken == value)
    except OSError:
        return False
    finally:
        os.close(file)


UNITS_PER_MS: Final = 10.0
"""V4L2 counts exposure in tenths of a millisecond."""
_SAME: Final = 0.02
"""Relative difference of times that does not count: cameras round them."""
_TRY_AGAIN: Final = 15
"""Requests after which a gain that was too bright is tried again: a minute, if the light asks for it all the time."""


class UsbExposure:
    """Changes the exposure of `capture`. Times are in V4L2's unit. `fps`: no exposure is longer than one picture.

    If the mains are known (`flicker`), the time is a multiple of that from one flash of lamps to the next, half a
    period of the mains, in which each row gets the same light, and the gain does the rest. In light for which one flash
    is too much, at the least gain, it is shorter.

    The unit of the gain depends on the camera; it is only assumed to grow with the light. `vision.light.watch`, which
    requests the changes, looks at the next pictures and corrects the rest.
    """

    def __init__(self, capture: cv2.VideoCapture, fps: float, flicker: Flicker) -> None:
        self._capture = capture
        self._longest = 1000 * UNITS_PER_MS / fps
        flash = 0.0 if isinstance(flicker, str) else 1000 * UNITS_PER_MS / (2 * flicker)
        self._flash = flash if flash <= self._longest else 0.0
        self._gain_tried = False
        self._gainless = False
        """Whether the gain of the camera cannot be changed, as far as that was tried."""
        self._raised_to = -1.0
        """The gain to which the last change has raised it; -1 if that was another change."""
        self._too_bright = -1.0
        """A gain that was lowered again as soon as it was set."""
        self._refused = 0
        """How often that gain has been requested since."""

    def multiply(self, factor: float) -> bool:
        """Multiply the exposure by `factor`; return False if the camera does not take a time."""
        before = self._capture.get(cv2.CAP_PROP_EXPOSURE)
        if before <= 0:
            return False
        wanted = before * factor
        if self._gainless or not self._flash or max(before, wanted) < (1 - _SAME) * self._flash:
            return self._set(wanted) > 0
        flashes = max(math.floor(min(before, self._longest) / self._flash + _SAME), 1)
        exact = flashes * self._flash
        time = before if abs(before - exact) <= 1.0 else self._set(exact)  # cameras count in whole units
        if time <= 0:
            return False
        rest = wanted / time
        if abs(rest - 1) <= _SAME or self._change_gain(rest):
            return True
        if self._gainless:
            return self._set(wanted) > 0
        # The gain is at its end: one flash more or less, or less than one.
        longer = (flashes + 1) * self._flash
        if rest > 1:
            return longer > self._longest * (1 + _SAME) or self._set(longer) > 0
        return self._set((flashes - 1) * self._flash if flashes > 1 else wanted) > 0

    def _set(self, time: float) -> float:
        """Set the time; return the one that the camera then has, -1 if it takes none."""
        if not self._capture.set(cv2.CAP_PROP_EXPOSURE, min(max(time, 1.0), self._longest)):
            return -1.0
        return self._capture.get(cv2.CAP_PROP_EXPOSURE)

    def _change_gain(self, factor: float) -> bool:
        """Multiply the gain, or change it by one unit if that is more; return whether it has changed."""
        has = self._capture.get(cv2.CAP_PROP_GAIN)
        asked = max(math.ceil(has * factor), has + 1) if factor > 1 else min(math.floor(has * factor), has - 1)
        if factor > 1 and asked == self._too_bright and self._refused < _TRY_AGAIN:
            self._refused += 1  # its next step is too coarse: it would only be taken back
            return True
        taken = self._capture.set(cv2.CAP_PROP_GAIN, max(asked, 0.0))
        changed = taken and self._capture.get(cv2.CAP_PROP_GAIN) != has
        if factor < 1 and has == self._raised_to:
            self._too_bright, self._refused = has, 0
        self._raised_to = asked if factor > 1 else -1.0
        if changed or (factor > 1 and not self._gain_tried):
            self._gain_tried, self._gainless = True, not changed and has <= 0
        return changed


def device_path(which: str, devices: Path) -> Path:
    """Return the path of a device from its number or its path."""
    return devices / f"video{which}" if which.isdecimal() else Path(which)


def explain_usb(which: str, devices: Path = Path("/dev")) -> str:
    """Return a text for people: why the camera gives no picture. `devices`: the folder of the video devices."""
    device = device_path(which, devices)
    others = sorted((p.name for p in devices.glob("video[0-9]*")), key=lambda name: int(name.removeprefix("video")))
    camera = f"usb:{which}"
    if not device.exists():
        if not others:
            return text(
                "There is no camera {camera} and no other camera: plug one in. The game waits for it.",
                camera=camera,
            )
        there = ", ".join(f"usb:{name.removeprefix('video')}" for name in others)
        message = "There is no camera {camera}: plug it in, or use one that is there: {there}."
        return text(message, camera=camera, there=there)
    try:
        os.close(os.open(device, os.O_RDWR | os.O_NONBLOCK))
    except PermissionError:
        message = "No permission for the camera {device}: sudo usermod -aG video $USER, then log in again."
        return text(message, device=device)
    except OSError as error:
        if error.errno == errno.EBUSY:
            message = "The camera {device} is in use: close the other program that shows its picture."
            return text(message, device=device)
        return text("The camera {device} does not answer: unplug it and plug it in again.", device=device)
    message = "The camera {device} gives no picture: close other programs that use it, or plug it in again."
    return text(message, device=device)


SETTLING_S: Final = 1.5
"""Seconds of pictures in which the camera finds exposure, white balance and focus. Longer: safer in dim light."""
CHECK_PICTURES: Final = 8
"""Pictures until a lock shows its effect. Fewer: a lock that works later is reported."""
MAX_DRIFT: Final = 1.3
"""A lock works if neither the brightness nor the share of any colour changes by more than this factor. Higher: a lock
without effect is not reported; lower: a hand in the picture looks like one."""
EXPOSURE_TOLERANCE: Final = 0.1
"""Relative difference from a requested exposure above which the camera has not accepted it. Lower: rounding by the
camera is reported."""
WHITE_BALANCE_TOLERANCE: Final = 100.0
"""The same for a requested white balance, kelvin."""
FOCUS_TOLERANCE: Final = 5.0
"""The same for a requested focus, in the camera's own unit."""
FOCUS_S: Final = 300.0
"""Seconds of pictures after which a focus that was set is read back and, if it has moved, set again: lenses move when
the camera gets warm. Shorter: noticed sooner; some cameras drop a picture for it."""

_MANUAL, _AUTO_TIME, _AUTO = 1, 3, 0
"""V4L2's values of `exposure_auto`: manual; automatic time (UVC cameras); automatic time and iris."""


class UsbDevice(CaptureDevice):
    """A `Device` for an open USB camera. `device`: its file, for the control that OpenCV does not have."""

    def __init__(self, capture: cv2.VideoCapture, settings: CameraSettings, device: Path | None = None) -> None:
        super().__init__(capture)
        self._notes: dict[str, str] = {}
        """By setting, so that a later note replaces an earlier one."""
        self._device = device
        self._settings = settings
        self._pictures = 0
        self._lock_at = round(SETTLING_S * settings.fps)
        self._before: tuple[float, float, float] | None = None
        self._exposure = UsbExposure(capture, settings.fps, settings.flicker)
        self.remarks: tuple[str, ...] = ()
        """What the camera has noticed of itself, as texts for people."""
        self._focus: float | None = None
        """The focus that was set, and must stay."""
        if capture.isOpened():
            self._apply()

    def read(self) -> Image | None:
        """Return the next picture, (H, W, 3) uint8 BGR; None if it is broken.

        Raises `SourceLost` if the camera has gone.
        """
        image = super().read()
        if image is None:
            return None
        self._pictures += 1
        if self._pictures == self._lock_at:
            self._lock(image)
        elif self._pictures == self._lock_at + CHECK_PICTURES:
            self._check_lock(image)
        elif self._pictures % round(FOCUS_S * self._settings.fps) == 0:
            self._check_focus()
        return image

    def adjust_exposure(self, factor: float) -> None:
        """Multiply the exposure by `factor`, if the settings let it follow the cards and it has been found."""
        if self._settings.exposure != "cards" or self._pictures <= self._lock_at + CHECK_PICTURES:
            return
        if "exposure" in self._notes:  # it is automatic, or does not follow
            return
        if not self._exposure.multiply(factor):
            message = "exposure: this camera cannot follow the cards and keeps the value that it has found"
            self._note("exposure", text(message))

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
            asked_width, asked_height = settings.size
            note = text(message, width=size[0], height=size[1], asked_width=asked_width, asked_height=asked_height)
            self._note("size", note)
        if isinstance(settings.exposure, str):
            self._expose_automatically()
        else:
            capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _MANUAL)
            took = self._value(cv2.CAP_PROP_EXPOSURE, settings.exposure * UNITS_PER_MS) / UNITS_PER_MS
            self._compare("exposure", settings.exposure, took, "ms", EXPOSURE_TOLERANCE * settings.exposure)
        white, tolerance = settings.white_balance, WHITE_BALANCE_TOLERANCE
        self._set_or_auto(cv2.CAP_PROP_AUTO_WB, cv2.CAP_PROP_WB_TEMPERATURE, white, "white_balance", "K", tolerance)
        self._set_or_auto(cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_FOCUS, settings.focus, "focus", "", FOCUS_TOLERANCE)
        if not isinstance(settings.focus, str):
            self._focus = settings.focus
        if self._device is not None and not set_power_line(self._device, settings.flicker):
            asked = settings.flicker if settings.flicker == "off" else f"{settings.flicker} Hz"
            self._note("flicker", text("{name}: this camera cannot be set to {asked}", name="flicker", asked=asked))

    def _note(self, setting: str, note: str) -> None:
        self._notes[setting] = note
        self.notes = tuple(self._notes.values())

    def _check_focus(self) -> None:
        """Set a lens again that has moved, and say so."""
        if self._focus is None:
            return
        has = self._capture.get(cv2.CAP_PROP_FOCUS)
        if abs(has - self._focus) <= FOCUS_TOLERANCE:
            return
        now = self._value(cv2.CAP_PROP_FOCUS, self._focus)
        if abs(now - self._focus) <= FOCUS_TOLERANCE:
            remark = "its lens had moved from {set_to} to {was}, and was set again"
            self.remarks = (text(remark, set_to=f"{self._focus:.0f}", was=f"{has:.0f}"),)
        else:
            self._compare("focus", self._focus, now, "", FOCUS_TOLERANCE)

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
            message = "{name}: this camera cannot be set to {asked}"
            self._note(name, text(message, name=name, asked=_with_unit(asked, unit)))
        elif abs(took - asked) > tolerance:
            message = "{name}: it has {has}, not {asked}"
            self._note(name, text(message, name=name, has=_with_unit(took, unit), asked=_with_unit(asked, unit)))

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
        limit = MAX_DRIFT
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
            self._note(name, text(message))
            return
        message = "{name}: this camera cannot lock the value it has found and stays automatic; give a number"
        self._note(name, text(message, name=name))


def _with_unit(value: float, unit: str) -> str:
    return f"{value:g} {unit}".rstrip()


def _colours(image: Image) -> tuple[float, float, float]:
    """Return the mean brightness of blue, green and red, in grey levels + 1."""
    blue, green, red = (float(value) + 1.0 for value in image[::8, ::8].reshape(-1, 3).mean(axis=0))
    return blue, green, red


def usb_camera(
    which: str,
    settings: CameraSettings | None = None,
    devices: Path = Path("/dev"),
) -> LiveCamera:
    """Return the camera `which`: the number of a device (`0` for /dev/video0), or its path (/dev/v4l/by-id/...)."""
    named = device_path(which, devices)
    link: Path | None = None
    """The persistent name of the camera that was connected last, which may come back with another number."""

    def connect() -> Device:
        nonlocal link
        device = link.resolve() if link is not None and link.exists() else named
        capture = cv2.VideoCapture(str(device), cv2.CAP_V4L2) if device.exists() else cv2.VideoCapture()
        links = (each for each in sorted((devices / "v4l" / "by-id").glob("*")) if each.resolve() == device.resolve())
        link = next(links, None) if capture.isOpened() else link
        return UsbDevice(capture, settings or CameraSettings(), device)

    return LiveCamera(f"usb:{which}", connect, lambda: explain_usb(which, devices))
