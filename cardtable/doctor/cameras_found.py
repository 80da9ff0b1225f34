"""The cameras that are connected to this machine: by USB, as V4L2 reports them, and the Raspberry Pi's own."""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from cardtable.doctor.machine import Machine
from engine.texts import text
from vision.cameras.settings import SYSTEM_PYTHON

_QUERYCAP: Final = 0x80685600
"""VIDIOC_QUERYCAP: fills a `struct v4l2_capability` (linux/videodev2.h)."""
_CAPABILITY: Final = struct.Struct("16s32s32s3I12x")
"""driver, card, bus_info, version, capabilities, device_caps, reserved."""
_CAPTURES: Final = 0x1
"""V4L2_CAP_VIDEO_CAPTURE."""
_PICAMERA: Final = "from picamera2 import Picamera2; print([each['Model'] for each in Picamera2.global_camera_info()])"


@dataclass(frozen=True, slots=True)
class FoundCamera:
    """A camera. `source`: its name in `table.toml`; `label`: its name for people."""

    source: str
    label: str


class Capability(NamedTuple):
    """What a video device is. `bus`: where it is connected; `captures`: whether it gives pictures."""

    card: str
    bus: str
    captures: bool


def capability_of(device: Path) -> Capability | None:
    """Return what the video device is; None if it cannot be asked."""
    try:
        descriptor = os.open(device, os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        filled = fcntl.ioctl(descriptor, _QUERYCAP, bytes(_CAPABILITY.size))
    except OSError:
        return None
    finally:
        os.close(descriptor)
    _, card, bus, _, _, captures = _CAPABILITY.unpack(filled)
    return Capability(_name(card), _name(bus), bool(captures & _CAPTURES))


def _name(padded: bytes) -> str:
    return padded.split(b"\0")[0].decode("utf-8", "replace")


def find_cameras(machine: Machine, ask: Callable[[Path], Capability | None] = capability_of) -> list[FoundCamera]:
    """Return the cameras of this machine, those on USB first.

    A camera on USB has its persistent name, if the system has made one. Video devices of the processor, such as
    decoders, are left out.
    """
    found: list[FoundCamera] = []
    links = {link.resolve(): link for link in sorted((machine.dev / "v4l" / "by-id").glob("*"))}
    for device in sorted(machine.dev.glob("video*"), key=lambda path: (len(path.name), path.name)):
        about = ask(device)
        if about is not None and about.captures and about.bus.startswith("usb"):
            number = device.name.removeprefix("video")
            source = f"usb:{links[device.resolve()]}" if device.resolve() in links else f"usb:{number}"
            found.append(FoundCamera(source, about.card))
    models = machine.run([SYSTEM_PYTHON, "-c", _PICAMERA])
    if models is not None and models not in ("", "[]"):
        found.append(FoundCamera("picamera", text("the Raspberry Pi’s own camera")))
    return found
