"""The Raspberry Pi camera's own process: run by the system's Python, which has picamera2; nothing else is imported.

    /usr/bin/python3 picamera_process.py '{"camera": 0, "width": 1920, …}' MEMORY MESSAGES

`MEMORY` and `MESSAGES` are open file descriptors: of shared memory for two pictures, and of a pipe for lines of JSON.
Each byte on standard input asks for one picture in that place, 0 or 1; where standard input ends, so does this.
Standard output belongs to whatever picamera2 and libcamera print.

    {"ready": [1920, 1080]}             the size of the pictures, (height, width, 3) bytes BGR one after the other
    {"picture": 1}                      a picture is in place 1
    {"notes": ["exposure: …"]}          what the camera did not take
    {"error": "busy", "text": "…"}      it is over: no-module, no-camera, busy, or failed

`vision.cameras.picamera` is the other end.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

PLACES = 2
SETTLES = 60
"""Pictures after which exposure, white balance and focus have been found."""
LOOK_AGAIN = 12
"""Pictures after which what was set shows in what the camera reports."""
_PR_SET_PDEATHSIG = 1
_AF_MANUAL, _AF_CONTINUOUS = 0, 2


class Settings:
    """What is asked of the camera, and what it did not take. `ask`: as `vision.cameras.settings.CameraSettings`."""

    def __init__(self, camera: Any, ask: dict[str, Any]) -> None:
        self.camera = camera
        self.ask = ask
        self.notes: list[str] = []
        self.limits = camera.camera_controls
        self.wanted: dict[str, Any] = {}

    def begin(self) -> None:
        """The controls to start with: the camera finds everything by itself, but for what needs no finding."""
        controls: dict[str, Any] = {"AeEnable": True, "AwbEnable": True}
        kelvin, focus = self.ask["white_balance"], self.ask["focus"]
        if not isinstance(kelvin, str):
            if "ColourTemperature" in self.limits:
                controls.update(AwbEnable=False, ColourTemperature=int(kelvin))
            else:
                self.notes.append('white_balance: picamera2 here is too old to be given kelvin; write "lock"')
        if "AfMode" in self.limits:
            controls["AfMode"] = _AF_CONTINUOUS if isinstance(focus, str) else _AF_MANUAL
            if not isinstance(focus, str):
                controls["LensPosition"] = self.clipped("focus", "LensPosition", float(focus), "")
        elif not isinstance(focus, str):
            self.notes.append("focus: this camera's lens is turned by hand")
        controls = {name: value for name, value in controls.items() if name in self.limits}
        self.camera.set_controls(controls)

    def settled(self, found: dict[str, Any]) -> None:
        """Keeps what is to be kept of what the camera has found. `found`: the metadata of a picture."""
        controls: dict[str, Any] = {}
        exposure = self.ask["exposure"]
        if exposure != "auto" and "ExposureTime" in found:
            time, gain = found["ExposureTime"], found.get("AnalogueGain", 1.0)
            if exposure != "lock":
                wanted = self.clipped("exposure", "ExposureTime", float(exposure) * 1000, " µs")
                gain, time = self.clipped("gain", "AnalogueGain", time * gain / max(wanted, 1.0), ""), wanted
            controls.update(AeEnable=False, ExposureTime=int(time), AnalogueGain=float(gain))
        if self.ask["white_balance"] == "lock" and "ColourGains" in found:
            controls.update(AwbEnable=False, ColourGains=tuple(found["ColourGains"]))
        if self.ask["focus"] == "lock" and "AfMode" in self.limits and "LensPosition" in found:
            controls.update(AfMode=_AF_MANUAL, LensPosition=float(found["LensPosition"]))
        self.wanted = {name: value for name, value in controls.items() if name in self.limits}
        if self.wanted:
            self.camera.set_controls(self.wanted)

    def checked(self, found: dict[str, Any]) -> None:
        """Compares what the camera has with what it was given."""
        for name in ("ExposureTime", "AnalogueGain", "LensPosition"):
            wanted, has = self.wanted.get(name), found.get(name)
            if wanted is not None and has is not None and abs(has - wanted) > 0.1 * abs(wanted) + 0.05:
                self.notes.append(f"{name}: it has {has:.4g}, not {wanted:.4g}")

    def clipped(self, name: str, control: str, value: float, unit: str) -> float:
        """The value within what the camera can do."""
        low, high = (self.limits.get(control) or (value, value))[:2]
        taken = min(max(value, low if low is not None else value), high if high is not None else value)
        if abs(taken - value) > 0.05 * abs(value):
            self.notes.append(f"{name}: it has {taken:.4g}{unit}, not {value:.4g}{unit}")
        return float(taken)


def main(argv: list[str]) -> int:
    """Gives pictures until nobody asks for them any more."""
    ask, memory, messages = json.loads(argv[1]), int(argv[2]), int(argv[3])
    # A camera that hangs in its driver would outlive us: it must not outlive whoever reads it.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != ask["parent"]:  # it has ended before that was said
        return 0

    def tell(**message: Any) -> None:
        os.write(messages, json.dumps(message).encode() + b"\n")

    try:
        from picamera2 import Picamera2
    except Exception as error:
        tell(error="no-module", text=repr(error))
        return 1
    try:
        give(Picamera2, ask, memory, tell)
    except IndexError as error:
        tell(error="no-camera", text=repr(error))
        return 1
    except RuntimeError as error:
        busy = any(word in str(error).lower() for word in ("acquire", "busy", "__init__ sequence"))
        tell(error="busy" if busy else "failed", text=str(error))
        return 1
    except Exception as error:
        tell(error="failed", text=repr(error))
        return 1
    return 0


def give(make: Callable[[int], Any], ask: dict[str, Any], memory: int, tell: Callable[..., None]) -> None:
    """Opens the camera with `make`, and puts pictures into `memory` as they are asked for."""
    camera = make(ask["camera"])
    try:
        main_stream = {"size": (ask["width"], ask["height"]), "format": "RGB888"}  # in memory: blue, green, red
        camera.configure(
            camera.create_video_configuration(
                main=main_stream, buffer_count=4, queue=False, controls={"FrameRate": ask["fps"]}
            )
        )
        settings = Settings(camera, ask)
        settings.begin()
        camera.start()
        width, height = camera.camera_configuration()["main"]["size"]
        length = width * height * 3
        os.ftruncate(memory, PLACES * length)
        places = mmap.mmap(memory, PLACES * length)
        tell(ready=[width, height])
        count = 0
        while True:
            asked = os.read(0, 1)
            if not asked:
                return
            request = camera.capture_request()
            try:
                picture, found = request.make_array("main").tobytes(), request.get_metadata()
            finally:
                request.release()
            if len(picture) != length:
                raise RuntimeError(f"a picture has {len(picture)} bytes, not {length}")
            place = asked[0] % PLACES
            places[place * length : (place + 1) * length] = picture
            tell(picture=place)
            count += 1
            if count == SETTLES:
                settings.settled(found)
            elif count == SETTLES + LOOK_AGAIN:
                settings.checked(found)
            if settings.notes and count in (1, SETTLES, SETTLES + LOOK_AGAIN):
                tell(notes=settings.notes)
    finally:
        camera.close()


if __name__ == "__main__":
    # The folder of this file is no place to look for modules: some of its names are others' too.
    sys.path[:] = [folder for folder in sys.path if folder != os.path.dirname(os.path.abspath(__file__))]
    sys.exit(main(sys.argv))
