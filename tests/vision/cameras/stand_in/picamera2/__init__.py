"""A stand-in for picamera2, without numpy, for the process of the Raspberry Pi camera.

The environment variable `PICAMERA2_FILE` names a JSON file, the plan: `fault` (`no-camera`, `busy`, `print`, `hang`,
`frontend`, `crash`, `deaf`, `warm`), `at`: the picture at which it happens, `once`: a file that the first fault creates
and that prevents further ones, `log`: a file to which the calls are written as JSON lines.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _plan() -> dict[str, Any]:
    return dict(json.loads(Path(os.environ["PICAMERA2_FILE"]).read_text("utf-8")))


def _log(**entry: Any) -> None:
    if "log" in _plan():
        with open(_plan()["log"], "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def _due(fault: str, picture: int) -> bool:
    if _plan().get("fault") != fault or picture < _plan().get("at", 0):
        return False
    once = _plan().get("once")
    if once is None:
        return True
    if os.path.exists(once):
        return False
    Path(once).touch()
    return True


class Bytes:
    """The part of a numpy array that is used."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def tobytes(self) -> bytes:
        return self._data


class Request:
    def __init__(self, camera: Picamera2, number: int) -> None:
        self._camera = camera
        self._number = number

    def make_array(self, stream: str) -> Bytes:
        assert stream == "main"
        width, height = self._camera.size
        pixel = bytes([self._number % 251, 100, 200])
        return Bytes(pixel * (width * height))

    def get_metadata(self) -> dict[str, Any]:
        return dict(self._camera.state)

    def release(self) -> None:
        pass


class Picamera2:
    """A camera that automatically finds 12 ms, gain 2 and some colours."""

    def __init__(self, number: int) -> None:
        _log(opened=number, pid=os.getpid())
        if _plan().get("fault") == "no-camera":
            raise IndexError("list index out of range")
        if _plan().get("fault") == "busy":
            raise RuntimeError("Camera __init__ sequence did not complete.")
        self.camera_controls = {
            "AeEnable": (False, True, True), "AwbEnable": (False, True, None), "ExposureTime": (100, 50000, 20000),
            "AnalogueGain": (1.0, 16.0, 1.0), "ColourGains": (0.0, 32.0, None), "AfMode": (0, 2, 0),
            "LensPosition": (0.0, 15.0, 1.0), **_plan().get("controls", {}),
        }  # fmt: skip
        self.state: dict[str, Any] = {
            "ExposureTime": 12000, "AnalogueGain": 2.0, "ColourGains": [1.5, 1.7], "LensPosition": 1.25,
        }  # fmt: skip
        self.size = (0, 0)
        self._count = 0

    def create_video_configuration(self, **wanted: Any) -> dict[str, Any]:
        _log(configuration=wanted)
        return wanted

    def configure(self, configuration: dict[str, Any]) -> None:
        width, height = configuration["main"]["size"]
        assert configuration["main"]["format"] == "RGB888"
        self.size = (width - width % 32, height)  # like the hardware

    def camera_configuration(self) -> dict[str, Any]:
        return {"main": {"size": self.size}}

    def set_controls(self, controls: dict[str, Any]) -> None:
        unknown = controls.keys() - self.camera_controls.keys()
        if unknown:
            raise RuntimeError(f"Control {unknown} is not advertised by libcamera")
        _log(controls=controls)
        if _plan().get("fault") != "deaf":
            self.state.update({name: value for name, value in controls.items() if name in self.state})

    def start(self) -> None:
        pass

    def capture_request(self) -> Request:
        number = self._count
        self._count += 1
        if _due("print", number):
            print('{"picture": 1}\n' * 40000, flush=True)
            print("ERROR RPI pipeline_base.cpp:1346 Camera frontend has timed out!", file=sys.stderr, flush=True)
        if _due("frontend", number):
            print("ERROR RPI pipeline_base.cpp:1346 Camera frontend has timed out!", file=sys.stderr, flush=True)
            threading.Event().wait()
        if _due("hang", number):
            threading.Event().wait()
        if _due("warm", number):  # its lens moves
            self.state["LensPosition"] = 2.0
        if _due("crash", number):
            print("libcamera: a fatal thing happened", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGSEGV)
        return Request(self, number)

    def close(self) -> None:
        _log(closed=True)
