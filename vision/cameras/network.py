"""Cameras on the network: motion JPEG over HTTP, and what else FFmpeg can read."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace

import cv2

from engine.texts import text
from vision.cameras.ffmpeg import limit_memory
from vision.cameras.live import DEFAULTS, CaptureDevice, Device, LiveCamera, LiveTiming, frame_size
from vision.cameras.motion_jpeg import open_motion_jpeg, too_large
from vision.cameras.settings import CameraSettings
from vision.frames import SourceLost
from vision.image_files import PictureTooLarge, check_size


def network_camera(
    address: str,
    settings: CameraSettings | None = None,
    clock: Callable[[], float] = time.monotonic,
    timing: LiveTiming = DEFAULTS,
) -> LiveCamera:
    """Return a camera on the network. `address`: a URL of motion JPEG over HTTP, or one that FFmpeg can read (RTSP).

    Such a camera is set on its own page; `settings` that differ from the defaults become `notes`.
    """
    # The board must not show names, passwords or the query.
    shown = re.sub(r"\?.*", "?…", re.sub(r"//[^?]*@", "//", address))
    notes = _not_accepted(settings or CameraSettings())

    def connect() -> Device:
        device = open_motion_jpeg(address, shown) if re.match(r"https?://", address) else None
        if device is None:
            return _open_with_ffmpeg(address, shown, notes)
        device.notes = notes
        return device

    def explain() -> str:
        message = (
            "No picture from {address}: check that the camera is switched on and in this network, "
            "and that a browser shows its picture at this address."
        )
        return text(message, address=shown)

    return LiveCamera(f"url:{shown}", connect, explain, clock, timing, may_repeat=True)


def _open_with_ffmpeg(address: str, shown: str, notes: tuple[str, ...]) -> CaptureDevice:
    """Open `address`. Raises `SourceLost` if its pictures are too large."""
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, 6000, cv2.CAP_PROP_READ_TIMEOUT_MSEC, 4000]
    limit_memory()
    capture = cv2.VideoCapture(address, cv2.CAP_FFMPEG, limits)
    try:
        check_size(*frame_size(capture))
    except PictureTooLarge as error:
        capture.release()
        raise SourceLost(too_large(shown, error)) from None
    device = CaptureDevice(capture)
    device.notes = notes
    return device


def _not_accepted(settings: CameraSettings) -> tuple[str, ...]:
    """Return a note if any setting differs from its default: a camera on the network accepts none.

    `exposure = "cards"` is what a table has without the key.
    """
    if settings.exposure == "cards":
        settings = replace(settings, exposure="auto")
    default = CameraSettings()
    changed = [
        name
        for name in ("width", "height", "fps", "exposure", "white_balance", "focus", "flicker")
        if getattr(settings, name) != getattr(default, name)
    ]
    if not changed:
        return ()
    return (text("{names}: a camera on the network is set on its own page, or in its app", names=", ".join(changed)),)
