"""The Raspberry Pi camera: a process under the system's Python gives its pictures through shared memory.

picamera2 comes with the system (apt), not from PyPI, and needs another numpy than this program, so it cannot run in
the same process. A separate process can also be killed and restarted if it hangs. It runs `picamera_process.py`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.texts import decimals, text, why
from vision.cameras.live import LiveCamera
from vision.cameras.settings import CameraSettings
from vision.frames import Image, SourceLost

CHILD: Final = Path(__file__).with_name("picamera_process.py")
_END_S: Final = 1.0
"""Seconds that the process may take to end; then it is killed. Longer: closing takes longer; shorter: a camera that is
killed may stay busy."""
_LAST_LINES: Final = 20
"""Lines of its output that are kept, for error messages."""
_TIMED_OUT: Final = re.compile(r"frontend has timed out|Dequeue timer of .* has expired", re.IGNORECASE)
"""What libcamera prints when the sensor sends nothing any more."""
_OWN_VARIABLES: Final = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP")
"""Environment variables with the paths of our packages; the system's Python must not use these."""


class PicameraProcess:
    """A `Device` for the Raspberry Pi camera with this `number`. Raises `SourceLost` if the process cannot be started.

    `modules`: further folders in which the process looks for picamera2.
    """

    def __init__(self, number: int, settings: CameraSettings, modules: Sequence[Path] = ()) -> None:
        self.notes: tuple[str, ...] = ()
        self.remarks: tuple[str, ...] = ()
        self._size = (0, 0)
        self._number = number
        self._python = settings.python
        self._follows_cards = settings.exposure == "cards"
        self._output: deque[str] = deque(maxlen=_LAST_LINES)
        request = json.dumps({"camera": number, "parent": os.getpid(), **asdict(settings)})
        self._memory = os.memfd_create("cardtable-pictures")
        self._child, end = Pipe()
        environment = {name: value for name, value in os.environ.items() if name not in _OWN_VARIABLES}
        if modules:
            environment["PYTHONPATH"] = os.pathsep.join(str(folder) for folder in modules)
        try:
            self._process = subprocess.Popen(
                [settings.python, str(CHILD), request, str(self._memory), str(end.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(self._memory, end.fileno()),
                env=environment,
                bufsize=0,
            )
        except OSError as error:
            os.close(self._memory)
            self._child.close()
            message = (
                "The Raspberry Pi camera needs the system's Python, and {python} cannot be run ({why}): "
                'name the one that has picamera2, as in python = "/usr/bin/python3".'
            )
            raise SourceLost(text(message, python=settings.python, why=why(error))) from error
        finally:
            end.close()
        # The output must be read, or the process blocks when the pipe is full.
        self._output_reader = threading.Thread(target=self._read_output, name="picamera-output", daemon=True)
        self._output_reader.start()
        self._send(0)

    def read(self) -> Image | None:
        """Return the next picture, (H, W, 3) uint8 BGR, never None.

        Raises `SourceLost` if the camera has gone, or if its process has ended.
        """
        while True:
            message = self._next_message()
            if "ready" in message:
                self._size = message["ready"][0], message["ready"][1]
            elif "notes" in message:
                self.notes = tuple(message["notes"])
            elif "lens" in message:
                set_to, was = (decimals(float(dioptres), 2) for dioptres in message["lens"])
                remark = "its lens had moved from {set_to} to {was} dioptres, and was set again"
                self.remarks = (text(remark, set_to=set_to, was=was),)
            elif "error" in message:
                raise SourceLost(self._explain(message["error"], message["text"]))
            else:
                slot = message["picture"]
                # The process fills the other slot while this one is read.
                self._send(1 - slot)
                return self._picture(slot)

    def adjust_exposure(self, factor: float) -> None:
        """Multiply the exposure by `factor`, if the settings let it follow the cards."""
        if self._follows_cards:
            self._send(float(factor))

    def fault(self) -> str:
        """Return that the camera's cable is the cause, if libcamera has printed so; otherwise an empty text."""
        if not any(_TIMED_OUT.search(line) for line in tuple(self._output)):
            return ""
        message = (
            "The Raspberry Pi camera has stopped sending pictures, and is restarted: its cable or the camera is the "
            "usual cause. If it comes again, switch the table off and press both ends of the cable in, or try "
            "another cable."
        )
        return text(message)

    def stop(self) -> None:
        """Kill the process."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def release(self) -> None:
        """End the process: it closes the camera when the connection ends; if it does not, it is killed."""
        self._child.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_S)
        with contextlib.suppress(OSError):
            os.close(self._memory)
            self._memory = -1

    def _send(self, request: int | float) -> None:
        with contextlib.suppress(OSError):  # it has ended: `_next_message` raises
            self._child.send(request)

    def _next_message(self) -> dict[str, Any]:
        try:
            message: dict[str, Any] = self._child.recv()
        except (EOFError, OSError):
            raise SourceLost(self._ended()) from None
        return message

    def _picture(self, slot: int) -> Image:
        width, height = self._size
        length = width * height * 3
        picture = np.empty((height, width, 3), np.uint8)
        if os.preadv(self._memory, [picture.data], slot * length) != length:
            message = "The process of the Raspberry Pi camera sent half a picture and is being restarted."
            raise SourceLost(text(message))
        return picture

    def _read_output(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as output, contextlib.suppress(OSError, ValueError):
            rest = b""
            while part := os.read(output.fileno(), 65536):
                *lines, rest = (rest[-1000:] + part).split(b"\n")
                self._output.extend(line.decode("utf-8", "replace").strip()[-200:] for line in lines[-_LAST_LINES:])

    def _ended(self) -> str:
        """Return the text to report if the process has ended without a message."""
        try:
            code = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            code = None
        self._output_reader.join(_END_S)
        last = next((line for line in reversed(self._output) if line), "")
        if not last:
            message = (
                "The process of the Raspberry Pi camera has ended ({status}) and is being "
                "restarted. If it does not come back, run rpicam-hello to see whether the camera "
                "works."
            )
            return text(message, status=_status(code))
        message = (
            "The process of the Raspberry Pi camera has ended ({status}) and is being restarted. "
            "Its last output: {last} If it does not come back, run rpicam-hello to see whether "
            "the camera works."
        )
        return text(message, status=_status(code), last=last)

    def _explain(self, error: str, why: str) -> str:
        if error == "no-module":
            message = (
                "{python} has no picamera2 ({why}): install it, "
                "sudo apt install --no-install-recommends python3-picamera2"
            )
            return text(message, python=self._python, why=why)
        if error == "no-camera":
            message = (
                "The Raspberry Pi finds no camera number {number}: switch it off, push the "
                "camera's ribbon cable firmly into both connectors, and switch it on; "
                "rpicam-hello --list-cameras lists the cameras found."
            )
            return text(message, number=self._number)
        if error == "busy":
            message = "The Raspberry Pi camera is in use: close the other program that shows its picture. ({why})"
            return text(message, why=why)
        return text("The Raspberry Pi camera does not work: {why}. Trying again.", why=why)


def raspberry_pi_camera(
    number: int,
    settings: CameraSettings | None = None,
    clock: Callable[[], float] = time.monotonic,
    modules: Sequence[Path] = (),
) -> LiveCamera:
    """Return the camera on the Raspberry Pi's own connector `number`. `modules`: as for `PicameraProcess`."""
    wanted = settings or CameraSettings()
    name = "picamera" if number == 0 else f"picamera:{number}"
    return LiveCamera(
        name,
        lambda: PicameraProcess(number, wanted, modules),
        lambda: text("The Raspberry Pi camera gives no picture: run rpicam-hello to see whether it works."),
        clock,
    )


def _status(code: int | None) -> str:
    """Return a text for the exit status of the process; None: it still runs."""
    if code is None:
        return text("it hangs in its driver")
    return text("signal {number}", number=-code) if code < 0 else text("status {number}", number=code)
