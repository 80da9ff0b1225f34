"""Live cameras: each is read by its own thread, which keeps only the newest picture.

A driver may block for half a minute or forever when a cable is pulled, and it queues old pictures while the program
computes. A camera that gives no picture for a while is stopped (or abandoned, if that is not possible) and reopened.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final, Protocol, runtime_checkable

import cv2
import numpy as np

from engine.texts import text
from vision.frames import AdjustableExposure, Frame, Image, SourceLost
from vision.image_files import as_picture

_LOG: Final = logging.getLogger(__name__)
logging.getLogger("vision").addHandler(logging.NullHandler())  # quiet unless the application logs


FIRST_PICTURE_S: Final = 8.0
"""Seconds that a camera may take to open and give its first picture. Lower: a slow camera is never opened."""
NEXT_PICTURE_S: Final = 2.0
"""Seconds without a picture after which a camera counts as hanging. Longer: slower to restart; shorter: a camera that
pauses is restarted again and again."""
MAX_STUCK: Final = 3
"""Threads that may wait for a device that does not answer; then it is not opened again until one returns. Higher: more
tries, each of which keeps its memory."""
POLL_S: Final = 0.05
"""Seconds between two readings of the clock while waiting for a picture. Longer: a hanging camera is noticed later."""
MAX_FAILURES: Final = 5
"""Failed reads in a row after which the camera is reopened. Higher: later; lower: after a few damaged pictures."""


class Device(Protocol):
    """An open camera. All methods but `stop` are called from one thread."""

    @property
    def notes(self) -> tuple[str, ...]:
        """The settings that it did not accept, as texts for people."""

    def read(self) -> Image | None:
        """Return the next picture, (H, W, 3) uint8 BGR, a new array; None if the read failed. May block.

        Raises `SourceLost` if the camera must be reopened.
        """

    def stop(self) -> None:
        """End a `read` that blocks, if that is possible. Called from another thread."""

    def release(self) -> None:
        """Close the camera."""


@runtime_checkable
class NamesFault(Protocol):
    """A `Device` that can say why it gives no picture."""

    def fault(self) -> str:
        """Return the fault and what to do about it, or an empty text if it is unknown. Called from another thread."""


class CaptureDevice:
    """A `Device` opened by OpenCV, with the settings that it has."""

    def __init__(self, capture: cv2.VideoCapture) -> None:
        self._capture = capture
        self.notes: tuple[str, ...] = ()

    def read(self) -> Image | None:
        """Return the next picture, (H, W, 3) uint8 BGR; None if it is broken.

        Raises `SourceLost` if the camera has gone.
        """
        if not self._capture.isOpened():
            raise SourceLost("")
        good, image = self._capture.read()
        return as_picture(np.asarray(image)) if good and image.size else None

    def stop(self) -> None:
        """Do nothing: OpenCV cannot end a `read`."""

    def release(self) -> None:
        """Close the camera."""
        self._capture.release()


def frame_size(capture: cv2.VideoCapture) -> tuple[int, int]:
    """Return the width and height that an open video or camera says its frames have, pixels."""
    return round(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), round(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))


class LiveCamera:
    """A `FrameSource` for a camera, opened and read in its own thread.

    `connect`: opens the camera. `explain`: returns a text for the person at the table, why no picture comes and
    what to do, if the device does not give one. `clock`: seconds; gives the times of the pictures.
    `may_repeat`: whether two pictures may be equal to the last pixel, as in a compressed stream of a still table.
    """

    live = True

    def __init__(
        self,
        name: str,
        connect: Callable[[], Device],
        explain: Callable[[], str],
        clock: Callable[[], float] = time.monotonic,
        may_repeat: bool = False,
    ) -> None:
        self.name = name
        self.may_repeat: Final = may_repeat
        self._connect = connect
        self._explain = explain
        self._clock = clock
        self._changed = threading.Condition()
        self._image: Image | None = None
        self._taken_at = 0.0
        self._worker: threading.Thread | None = None
        self._device: Device | None = None
        self._stuck: list[threading.Thread] = []
        self._closing = False
        self._start: float | None = None
        self._number = 0
        self._gave_picture = False
        self._failed = False
        """Whether the camera has stopped, and `read` has not reported it yet."""
        self._reason = ""
        self._logged = ""
        """Why the camera was lost, as the log says already."""
        self.restarts = 0
        """How often the camera has stopped after its first picture, and was opened again."""
        self._factor = 1.0
        """The factor by which to multiply the exposure before the next picture."""
        with self._changed:
            self._begin()

    @property
    def notes(self) -> tuple[str, ...]:
        """The settings that the camera did not accept, as texts for people."""
        device = self._device
        return device.notes if device else ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the camera has noticed of itself since it was opened, as texts for people."""
        return getattr(self._device, "remarks", ())

    @property
    def stuck(self) -> bool:
        """Whether too many threads wait for the device, so that it is not opened again."""
        return sum(thread.is_alive() for thread in self._stuck) >= MAX_STUCK

    def read(self) -> Frame | None:
        """Wait for a new picture and return the newest. Raises `SourceLost`; the next call opens the camera again."""
        with self._changed:
            if self._worker is None and self._image is None and not self._failed:
                self._begin()
            until = self._clock() + (NEXT_PICTURE_S if self._gave_picture else FIRST_PICTURE_S)
            while self._image is None and self._worker is not None:
                if self._clock() >= until:
                    raise SourceLost(self._abandon())
                self._changed.wait(POLL_S)
            if self._image is None:
                self.restarts += self._gave_picture
                self._gave_picture = self._failed = False
                raise SourceLost(self._reason or self._explain())
            image, taken_at = self._image, self._taken_at
            self._image, self._gave_picture = None, True
        if self._start is None:
            self._start = taken_at
        frame = Frame(image, taken_at - self._start, self._number)
        self._number += 1
        return frame

    def adjust_exposure(self, factor: float) -> None:
        """Multiply the exposure by `factor` before the next picture, if the settings let it follow the cards."""
        with self._changed:
            self._factor *= factor

    def close(self) -> None:
        """Close the camera. May be called twice."""
        with self._changed:
            self._closing = True
            worker, device = self._worker, self._device
        if worker is None:
            return
        worker.join(NEXT_PICTURE_S / 2)
        if worker.is_alive() and device is not None:
            device.stop()
            worker.join(NEXT_PICTURE_S / 2)

    def _begin(self) -> None:
        if self._closing:
            raise SourceLost(f"{self.name} was closed.")
        self._stuck = [thread for thread in self._stuck if thread.is_alive()]
        if self.stuck:
            raise SourceLost(self._hangs())
        self._worker = threading.Thread(target=self._work, name=self.name, daemon=True)
        self._worker.start()
        _LOG.debug("%s: opening", self.name)

    def _abandon(self) -> str:
        """Stop or leave the thread of a hanging camera, and return the text to report; `read` starts another."""
        assert self._worker is not None
        _LOG.warning("%s hangs: its thread is abandoned, %d so far", self.name, len(self._stuck) + 1)
        self._stuck.append(self._worker)
        self.restarts += self._gave_picture
        device, self._worker, self._device, self._gave_picture = self._device, None, None, False
        fault = device.fault() if isinstance(device, NamesFault) else ""
        if device is not None:
            device.stop()
        return fault or self._hangs()

    def _hangs(self) -> str:
        message = "The camera {name} hangs and is restarted. If that does not help, unplug it and plug it in."
        return text(message, name=self.name)

    def _is_current(self) -> bool:
        """Return whether the calling thread is the one that reads the camera."""
        return self._worker is threading.current_thread() and not self._closing

    def _work(self) -> None:
        """Read the camera until it fails, is closed or is abandoned. Runs in the thread."""
        device: Device | None = None
        reason = ""
        try:
            device = self._connect()
            with self._changed:
                if self._is_current():
                    self._device = device
            failures = 0
            while self._is_current() and failures < MAX_FAILURES:
                with self._changed:
                    factor, self._factor = self._factor, 1.0
                if factor != 1.0 and isinstance(device, AdjustableExposure):
                    device.adjust_exposure(factor)
                image = device.read()
                if image is None:
                    failures += 1
                    continue
                failures = 0
                self._logged = ""
                with self._changed:
                    if self._is_current():
                        self._image, self._taken_at = image, self._clock()
                        self._changed.notify_all()
        except SourceLost as lost:
            reason = str(lost)
            if reason and reason != self._logged:  # a camera that is missing is tried again every second
                _LOG.info("%s: %s", self.name, reason)
            self._logged = reason
        except cv2.error:
            pass  # a device that another back end refuses; `explain` gives the reason
        finally:
            if device is not None:
                device.release()
            with self._changed:
                if self._worker is threading.current_thread():
                    self._worker, self._device, self._failed, self._reason = None, None, True, reason
                    self._changed.notify_all()
