"""Live cameras: always the newest picture, no waiting on a device that has stopped, and a new start for one that hangs.

A driver may block for half a minute when a cable is pulled, or for ever, and queues old pictures while we think. So
each camera is read by a thread of its own, which keeps the newest picture only. One that gives none for a while is
stopped, or where that cannot be done left alone, and opened again.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from typing import Final, Protocol

import cv2
import numpy as np

from engine.texts import text
from vision.cameras.settings import CameraSettings
from vision.frames import Frame, Image, SourceLost
from vision.image_files import as_picture

FIRST_PICTURE: Final = 8.0
"""Seconds that a camera gets to be opened and to give its first picture."""
NEXT_PICTURE: Final = 2.0
"""Seconds without a picture after which a camera hangs."""
MOST_STUCK: Final = 3
"""So many threads may wait for a device that never answers; then it is not opened again until one comes back."""
_LOOK_AT_CLOCK: Final = 0.05
_FAILURES: Final = 5


class Device(Protocol):
    """An open camera, read in one thread."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What it did not take of what was asked of it, for people."""

    def read(self) -> Image | None:
        """The next picture, a new array; None where none came. May block. Raises `SourceLost` where it is over."""

    def stop(self) -> None:
        """Ends a `read` that blocks, if that can be done; called from another thread."""

    def release(self) -> None:
        """Lets the camera go."""


class CaptureDevice:
    """A `Device` that OpenCV has opened, as it is."""

    def __init__(self, capture: cv2.VideoCapture) -> None:
        self._capture = capture
        self.notes: tuple[str, ...] = ()

    def read(self) -> Image | None:
        """The next picture."""
        if not self._capture.isOpened():
            raise SourceLost("")
        good, image = self._capture.read()
        return as_picture(np.asarray(image)) if good and image.size else None

    def stop(self) -> None:
        """OpenCV has no way to end a `read`."""

    def release(self) -> None:
        """Lets it go."""
        self._capture.release()


class LiveCamera:
    """A camera that `connect` opens, in the thread that reads it.

    `explain`: why it gives nothing, and what the person at the table can do, where the device does not say it.
    `clock`: seconds; it says when a picture was taken, and when one has not come for too long.
    """

    live = True

    def __init__(
        self,
        name: str,
        connect: Callable[[], Device],
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
        self._device: Device | None = None
        self._stuck: list[threading.Thread] = []
        self._closing = False
        self._start: float | None = None
        self._number = 0
        self._seen_any = False
        self._failed = False
        """The camera has stopped, and that has not been told yet."""
        self._why = ""
        with self._fresh:
            self._begin()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the camera did not take of its settings, for people."""
        device = self._device
        return device.notes if device else ()

    @property
    def stuck(self) -> bool:
        """Whether so many threads wait for the device that it is not opened again."""
        return sum(thread.is_alive() for thread in self._stuck) >= MOST_STUCK

    def read(self) -> Frame | None:
        """The newest picture not yet given; waits for one. Raises `SourceLost`; the next call connects again."""
        with self._fresh:
            if self._worker is None and self._image is None and not self._failed:
                self._begin()
            until = self._clock() + (NEXT_PICTURE if self._seen_any else FIRST_PICTURE)
            while self._image is None and self._worker is not None:
                if self._clock() >= until:
                    raise SourceLost(self._give_up())
                self._fresh.wait(_LOOK_AT_CLOCK)
            if self._image is None:
                self._seen_any = self._failed = False
                raise SourceLost(self._why or self._explain())
            image, stamp = self._image, self._stamp
            self._image, self._seen_any = None, True
        if self._start is None:
            self._start = stamp
        frame = Frame(image, stamp - self._start, self._number)
        self._number += 1
        return frame

    def close(self) -> None:
        """Lets the camera go. May be called twice."""
        with self._fresh:
            self._closing = True
            worker, device = self._worker, self._device
        if worker is None:
            return
        worker.join(NEXT_PICTURE / 2)
        if worker.is_alive() and device is not None:
            device.stop()
            worker.join(NEXT_PICTURE / 2)

    def _begin(self) -> None:
        if self._closing:
            raise SourceLost(f"{self.name} was closed.")
        self._stuck = [thread for thread in self._stuck if thread.is_alive()]
        if self.stuck:
            raise SourceLost(self._hangs())
        self._worker = threading.Thread(target=self._work, name=self.name, daemon=True)
        self._worker.start()

    def _give_up(self) -> str:
        """It hangs: what reads it is stopped, or left alone; the next `read` begins anew. What is to be said."""
        assert self._worker is not None
        self._stuck.append(self._worker)
        device, self._worker, self._device, self._seen_any = self._device, None, None, False
        if device is not None:
            device.stop()
        return self._hangs()

    def _hangs(self) -> str:
        told = (
            "The camera {name} hangs, and is started again. If that does not help: take it off its cable, and put it "
            "back."
        )
        return text(told, name=self.name)

    def _mine(self) -> bool:
        return self._worker is threading.current_thread() and not self._closing

    def _work(self) -> None:
        """Reads the camera until it fails, is closed, or is given up."""
        device: Device | None = None
        why = ""
        try:
            device = self._connect()
            with self._fresh:
                if self._mine():
                    self._device = device
            failures = 0
            while self._mine() and failures < _FAILURES:
                image = device.read()
                if image is None:
                    failures += 1
                    continue
                failures = 0
                with self._fresh:
                    if self._mine():
                        self._image, self._stamp = image, self._clock()
                        self._fresh.notify_all()
        except SourceLost as lost:
            why = str(lost)
        except cv2.error:
            # OpenCV raises for a device that another back end refuses; `explain` says what is the matter.
            pass
        finally:
            if device is not None:
                device.release()
            with self._fresh:
                if self._worker is threading.current_thread():
                    self._worker, self._device, self._failed, self._why = None, None, True, why
                    self._fresh.notify_all()


def network_camera(
    address: str, settings: CameraSettings | None = None, clock: Callable[[], float] = time.monotonic
) -> LiveCamera:
    """A camera on the network, `address` as FFmpeg understands it: MJPEG over HTTP, RTSP.

    It is set where it stands: of the `settings` none can be asked of it from here.
    """

    def connect() -> Device:
        limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, 6000, cv2.CAP_PROP_READ_TIMEOUT_MSEC, 4000]
        device = CaptureDevice(cv2.VideoCapture(address, cv2.CAP_FFMPEG, limits))
        device.notes = _cannot_be_asked(settings or CameraSettings())
        return device

    # Names, passwords and what follows the question mark are nobody's business at the board.
    shown = re.sub(r"\?.*", "?…", re.sub(r"//[^?]*@", "//", address))

    def explain() -> str:
        told = (
            "No picture from {address}: check that the camera is switched on and in this network, "
            "and that a browser shows its picture at this address."
        )
        return text(told, address=shown)

    return LiveCamera(f"url:{shown}", connect, explain, clock)


def _cannot_be_asked(settings: CameraSettings) -> tuple[str, ...]:
    """What of the settings differs from the defaults: a camera on the network takes none of it."""
    usual = CameraSettings()
    asked = [
        name
        for name in ("width", "height", "fps", "exposure", "white_balance", "focus")
        if getattr(settings, name) != getattr(usual, name)
    ]
    if not asked:
        return ()
    return (text("{names}: a camera on the network is set on its own page, or in its app", names=", ".join(asked)),)
