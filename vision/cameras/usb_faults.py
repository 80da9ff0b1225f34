"""Why a USB camera gives no picture, and what to do."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from engine.texts import text


def device_path(which: str, devices: Path) -> Path:
    """Return the path of a device given by its number or its path."""
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
