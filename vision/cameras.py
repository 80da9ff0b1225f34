"""Live cameras: always the newest picture, and no waiting on a device that has stopped.

OpenCV's `read` may block for half a minute when a cable is pulled, and drivers queue old pictures while we think.
So each camera is read by a thread of its own, which keeps the newest picture only.
"""

from __future__ import annotations

import errno
import os
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.frames import Frame, Image, SourceLost

FIRST_PICTURE: Final = 8.0
"""Seconds that a camera gets to be opened and to give its first picture."""
NEXT_PICTURE: Final = 2.0
"""Seconds without a picture after which a camera counts as lost."""
_FAILURES: Final = 5

# OpenCV's and FFmpeg's own messages stay off standard error: what matters is said in ours. FFmpeg looks at its setting
# once, when the first video is opened.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


class LiveCamera:
    """A camera that `connect` opens. `explain`: why it gives nothing, and what the person at the table can do."""

    live = True

    def __init__(
        self,
        name: str,
        connect: Callable[[], cv2.VideoCapture],
        explain: Callable[[], str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self._connect = connect
        self._explain = explain
        self._clock = clock
        self._fresh = threading.Condition()
        self._image: Image | None = None
        self._stamp = 0.0
        self._worker: threading.Thread | None = None
        self._closing = threading.Event()
        self._start: float | None = None
        self._number = 0
        self._seen_any = False
        self._failed = False
        """The camera has stopped, and that has not been told yet."""
        self._begin()

    def read(self) -> Frame | None:
        """The newest picture not yet given; waits for one. Raises `SourceLost`; the next call connects again."""
        patience = NEXT_PICTURE if self._seen_any else FIRST_PICTURE
        with self._fresh:
            if self._worker is None and self._image is None and not self._failed:
                self._begin()
            self._fresh.wait_for(lambda: self._image is not None or self._worker is None, patience)
            if self._image is None:
                self._seen_any = self._failed = False
                raise SourceLost(self._explain())
            image, stamp = self._image, self._stamp
            self._image, self._seen_any = None, True
        if self._start is None:
            self._start = stamp
        frame = Frame(image, stamp - self._start, self._number)
        self._number += 1
        return frame

    def close(self) -> None:
        """Lets the camera go."""
        self._closing.set()
        worker = self._worker
        if worker is not None:
            worker.join(NEXT_PICTURE)

    def _begin(self) -> None:
        if self._closing.is_set():
            raise SourceLost(f"{self.name} was closed.")
        self._worker = threading.Thread(target=self._work, name=self.name, daemon=True)
        self._worker.start()

    def _work(self) -> None:
        """Reads the camera until it fails or is closed."""
        capture: cv2.VideoCapture | None = None
        try:
            capture = self._connect()
            failures = 0
            while capture.isOpened() and not self._closing.is_set() and failures < _FAILURES:
                good, image = capture.read()
                if not good or image.size == 0:
                    failures += 1
                    continue
                failures = 0
                with self._fresh:
                    self._image, self._stamp = np.asarray(image, dtype=np.uint8), self._clock()
                    self._fresh.notify_all()
        except cv2.error:
            # OpenCV raises for a device that another back end refuses; `explain` says what is the matter.
            pass
        finally:
            if capture is not None:
                capture.release()
            with self._fresh:
                self._worker, self._failed = None, True
                self._fresh.notify_all()


def network_camera(address: str) -> LiveCamera:
    """A camera on the network, `address` as FFmpeg understands it: MJPEG over HTTP, RTSP."""

    def connect() -> cv2.VideoCapture:
        limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, 6000, cv2.CAP_PROP_READ_TIMEOUT_MSEC, 4000]
        return cv2.VideoCapture(address, cv2.CAP_FFMPEG, limits)

    shown = re.sub(r"//[^/@]*@", "//", address)

    def explain() -> str:
        return (
            f"No picture from {shown}: check that the camera is switched on and in this network, "
            "and that a browser shows its picture at this address."
        )

    return LiveCamera(f"url:{shown}", connect, explain)


def usb_camera(number: int) -> LiveCamera:
    """The camera /dev/video`number`, asked for 1920 x 1080 as motion JPEG."""

    def connect() -> cv2.VideoCapture:
        capture = cv2.VideoCapture(number, cv2.CAP_V4L2 if Path("/dev").is_dir() else cv2.CAP_ANY)
        if capture.isOpened():
            # Uncompressed, USB 2 carries five such pictures a second.
            capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
            capture.set(cv2.CAP_PROP_FRAME_WIDTH, 1920)
            capture.set(cv2.CAP_PROP_FRAME_HEIGHT, 1080)
            capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        return capture

    return LiveCamera(f"usb:{number}", connect, lambda: explain_usb(number))


def explain_usb(number: int, devices: Path = Path("/dev")) -> str:
    """Why camera `number` gives no picture. `devices`: the folder with the video devices."""
    device = devices / f"video{number}"
    others = sorted((p.name for p in devices.glob("video[0-9]*")), key=lambda name: int(name.removeprefix("video")))
    if not device.exists():
        if not others:
            return f"There is no camera usb:{number}, nor any other: plug one in. The game waits for it."
        there = ", ".join(f"usb:{name.removeprefix('video')}" for name in others)
        return f"There is no camera usb:{number}: plug it in, or use one that is there: {there}."
    try:
        os.close(os.open(device, os.O_RDWR | os.O_NONBLOCK))
    except PermissionError:
        return f"The camera {device} may not be opened: add yourself to its group (sudo usermod -aG video $USER)."
    except OSError as error:
        if error.errno == errno.EBUSY:
            return f"The camera {device} is in use: close the other program that shows its picture."
        return f"The camera {device} does not answer: unplug it and plug it in again."
    return f"The camera {device} gives no picture: close other programs that use it, or plug it in again."
