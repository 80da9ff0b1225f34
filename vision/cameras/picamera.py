"""The Raspberry Pi's own camera: a process under the system's Python gives its pictures through shared memory.

picamera2 comes with the system (apt) and not from PyPI, and its numpy is not ours: in one process they break each
other. In a process of its own it may also hang, or crash, and be ended and started again. `vision.cameras.picamera_process`
is that process.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.texts import text, why
from vision.cameras.live import LiveCamera
from vision.cameras.settings import CameraSettings
from vision.frames import Image, SourceLost

CHILD: Final = Path(__file__).with_name("picamera_process.py")
PLACES: Final = 2
_ENDS_IN_S: Final = 1.0
_LAST_LINES: Final = 20
_OURS: Final = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP")
"""What tells a Python where our packages are: the system's has its own."""


class PicameraProcess:
    """A `Device`: Raspberry Pi camera number `number`. Raises `SourceLost`.

    `modules`: further folders in which its Python looks for picamera2.
    """

    def __init__(self, number: int, settings: CameraSettings, modules: Sequence[Path] = ()) -> None:
        self.notes: tuple[str, ...] = ()
        self._size = (0, 0)
        self._number = number
        self._python = settings.python
        self._said: deque[str] = deque(maxlen=_LAST_LINES)
        ask = json.dumps({"camera": number, "parent": os.getpid(), **asdict(settings)})
        self._memory = os.memfd_create("cardtable-pictures")
        listening, telling = os.pipe()
        self._messages = os.fdopen(listening, "rb")
        environment = {name: value for name, value in os.environ.items() if name not in _OURS}
        if modules:
            environment["PYTHONPATH"] = os.pathsep.join(str(folder) for folder in modules)
        try:
            self._process = subprocess.Popen(
                [settings.python, str(CHILD), ask, str(self._memory), str(telling)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(self._memory, telling),
                env=environment,
                bufsize=0,
            )
        except OSError as error:
            os.close(self._memory)
            self._messages.close()
            told = (
                "The Raspberry Pi camera needs the system's Python, and {python} cannot be run ({why}): "
                'name the one that has picamera2, as in python = "/usr/bin/python3".'
            )
            raise SourceLost(text(told, python=settings.python, why=why(error))) from error
        finally:
            os.close(telling)
        # What picamera2 prints must be read, or it stands still when the pipe is full.
        self._listener = threading.Thread(target=self._listen, name="picamera-said", daemon=True)
        self._listener.start()
        self._ask(0)

    def read(self) -> Image | None:
        """The next picture."""
        while True:
            message = self._next()
            if "ready" in message:
                self._size = message["ready"][0], message["ready"][1]
            elif "notes" in message:
                self.notes = tuple(message["notes"])
            elif "error" in message:
                raise SourceLost(self._explain(message["error"], message["text"]))
            elif message.get("picture") in range(PLACES) and self._size[0] > 0:
                place = int(message["picture"])
                # The process fills the other place while this one is read: nobody writes where we read.
                self._ask(1 - place)
                return self._picture(place)
            else:
                raise SourceLost(_nonsense())

    def stop(self) -> None:
        """Ends the process, whatever it does."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def release(self) -> None:
        """Ends the process: at the end of its input it closes the camera by itself, or else it is killed."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(_ENDS_IN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_ENDS_IN_S)
        self._messages.close()
        with contextlib.suppress(OSError):
            os.close(self._memory)
            self._memory = -1

    def _ask(self, place: int) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended: `_next` says so
            self._process.stdin.write(bytes([place]))

    def _next(self) -> dict[str, Any]:
        line = self._messages.readline()
        if not line.endswith(b"\n"):
            raise SourceLost(self._ended())
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            raise SourceLost(_nonsense())
        return message

    def _picture(self, place: int) -> Image:
        width, height = self._size
        length = width * height * 3
        picture = np.empty((height, width, 3), np.uint8)
        if os.preadv(self._memory, [picture.data], place * length) != length:
            told = "The process of the Raspberry Pi camera gave half a picture, and is started again."
            raise SourceLost(text(told))
        return picture

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as said, contextlib.suppress(OSError, ValueError):
            rest = b""
            while part := os.read(said.fileno(), 65536):
                *lines, rest = (rest[-1000:] + part).split(b"\n")
                self._said.extend(line.decode("utf-8", "replace").strip()[-200:] for line in lines[-_LAST_LINES:])

    def _ended(self) -> str:
        """What to say of a process that has ended without a word."""
        try:
            code = self._process.wait(_ENDS_IN_S)
        except subprocess.TimeoutExpired:
            code = None
        self._listener.join(_ENDS_IN_S)
        last = next((line for line in reversed(self._said) if line), "")
        if not last:
            told = (
                "The process of the Raspberry Pi camera has ended ({status}), and is started again. "
                "If it does not come back: rpicam-hello shows whether the camera works."
            )
            return text(told, status=_status(code))
        told = (
            "The process of the Raspberry Pi camera has ended ({status}), and is started again. Its last words: {last} "
            "If it does not come back: rpicam-hello shows whether the camera works."
        )
        return text(told, status=_status(code), last=last)

    def _explain(self, error: str, why: str) -> str:
        if error == "no-module":
            told = (
                "{python} has no picamera2 ({why}): install it, "
                "sudo apt install --no-install-recommends python3-picamera2"
            )
            return text(told, python=self._python, why=why)
        if error == "no-camera":
            told = (
                "The Raspberry Pi finds no camera number {number}: switch it off, press the camera's ribbon "
                "cable home at both ends, switch it on; rpicam-hello --list-cameras shows what it finds."
            )
            return text(told, number=self._number)
        if error == "busy":
            told = "The Raspberry Pi camera is in use: close the other program that shows its picture. ({why})"
            return text(told, why=why)
        return text("The Raspberry Pi camera does not work: {why}. It is tried again.", why=why)


def raspberry_pi_camera(
    number: int,
    settings: CameraSettings | None = None,
    clock: Callable[[], float] = time.monotonic,
    modules: Sequence[Path] = (),
) -> LiveCamera:
    """The camera on the Raspberry Pi's own connector, the `number`th. `modules`: as for `PicameraProcess`."""
    asked = settings or CameraSettings()
    name = "picamera" if number == 0 else f"picamera:{number}"
    return LiveCamera(
        name,
        lambda: PicameraProcess(number, asked, modules),
        lambda: text("The Raspberry Pi camera gives no picture: rpicam-hello shows whether it works."),
        clock,
    )


def _nonsense() -> str:
    return text("The process of the Raspberry Pi camera talks nonsense, and is started again.")


def _status(code: int | None) -> str:
    if code is None:
        return text("it hangs in its driver")
    return text("signal {number}", number=-code) if code < 0 else text("status {number}", number=code)
