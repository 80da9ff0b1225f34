"""The process of the Raspberry Pi camera: it runs under the system's Python and imports only picamera2.

    /usr/bin/python3 picamera_process.py '{"camera": 0, "width": 1920, …}' MEMORY CONNECTION

`MEMORY` and `CONNECTION` are open file descriptors: shared memory with two slots for pictures, and one end of a
`multiprocessing.Pipe`. An int that is received, 0 or 1, requests a picture in that slot; a float multiplies the
exposure. The process ends when the connection ends. Standard output is for what picamera2 and libcamera print. It
sends dictionaries:

    {"ready": [1920, 1080]}             width and height of the pictures, which are (height, width, 3) bytes BGR
    {"picture": 1}                      a picture is in slot 1
    {"notes": ["exposure: …"]}          settings that the camera did not accept
    {"error": "busy", "text": "…"}      the process ends: no-module, no-camera, busy or failed

`vision.cameras.picamera` is the other end.
"""

from __future__ import annotations

import ctypes
import json
import math
import mmap
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

SLOTS = 2
"""Pictures in the shared memory: one is filled while the other is read."""
_PR_SET_PDEATHSIG = 1
"""`PR_SET_PDEATHSIG` of `prctl`: the signal that the process gets when its parent ends."""
_AF_MANUAL, _AF_CONTINUOUS = 0, 2
_FLICKER_OFF, _FLICKER_MANUAL = 0, 1
"""Numbers of libcamera: `controls.AfModeEnum` and `controls.AeFlickerModeEnum`."""
_SAME = 0.02
"""Share of a period by which a time may be shorter: sensors count times in rows."""


SETTLING_PICTURES = 60
"""Pictures until exposure, white balance and focus have been found, to be locked. More: safer in dim light."""
CHECK_PICTURES = 12
"""Pictures after that until a setting shows in the metadata. Fewer: a setting that is accepted later is reported."""
FOCUS_PICTURES = 9000
"""Pictures until the lens is looked at again: lenses move when the camera gets warm. Fewer: noticed sooner."""


class Settings:
    """Applies the requested settings. `request`: the fields of `vision.cameras.settings.CameraSettings`.

    `notes`: the settings that the camera did not accept, as texts for people.
    """

    def __init__(self, camera: Any, request: dict[str, Any]) -> None:
        self.camera = camera
        self.request = request
        self.notes: list[str] = []
        self.limits = camera.camera_controls
        self.wanted: dict[str, Any] = {}
        self.lens: float | None = None
        """Where the lens was set, dioptres, and must stay."""

    def begin(self) -> None:
        """Set the first controls: everything automatic, except a white balance or focus that is set to a number."""
        controls: dict[str, Any] = {"AeEnable": True, "AwbEnable": True}
        kelvin, focus = self.request["white_balance"], self.request["focus"]
        if not isinstance(kelvin, str):
            if "ColourTemperature" in self.limits:
                controls.update(AwbEnable=False, ColourTemperature=int(kelvin))
            else:
                self.notes.append('white_balance: picamera2 here is too old to be given kelvin; write "lock"')
        if "AfMode" in self.limits:
            controls["AfMode"] = _AF_CONTINUOUS if isinstance(focus, str) else _AF_MANUAL
            if not isinstance(focus, str):
                controls["LensPosition"] = self.lens = self.limited("focus", "LensPosition", float(focus), "")
        elif not isinstance(focus, str):
            self.notes.append("focus: this camera's lens is turned by hand")
        controls.update(self._flicker())
        controls = {name: value for name, value in controls.items() if name in self.limits}
        self.camera.set_controls(controls)

    @property
    def flash_period(self) -> float:
        """The time from one flash of lamps on the mains to the next, microseconds; 0 if the mains are not known.

        Lamps flash at twice the frequency of the mains.
        """
        flicker = self.request["flicker"]
        return 0.0 if isinstance(flicker, str) else 1_000_000 / (2 * flicker)

    def _flicker(self) -> dict[str, Any]:
        """Return the controls by which the automatic exposure avoids the flicker of lamps on the mains."""
        flicker = self.request["flicker"]
        if flicker == "auto":
            return {}
        if not {"AeFlickerMode", "AeFlickerPeriod"}.issubset(self.limits):
            self.notes.append("flicker: libcamera here is too old for it; update the system")
            return {}
        if flicker == "off":
            return {"AeFlickerMode": _FLICKER_OFF}
        return {"AeFlickerMode": _FLICKER_MANUAL, "AeFlickerPeriod": round(self.flash_period)}

    def lock(self, found: dict[str, Any]) -> None:
        """Set the exposure, and keep the values to be locked. `found`: the metadata of a picture."""
        controls: dict[str, Any] = {}
        exposure = self.request["exposure"]
        if exposure != "auto" and "ExposureTime" in found:
            time, gain = found["ExposureTime"], found.get("AnalogueGain", 1.0)
            if exposure not in ("lock", "cards"):
                wanted = self.limited("exposure", "ExposureTime", float(exposure) * 1000, " µs")
                gain, time = self.limited("gain", "AnalogueGain", time * gain / max(wanted, 1.0), ""), wanted
            controls.update(AeEnable=False, ExposureTime=int(time), AnalogueGain=float(gain))
        if self.request["white_balance"] == "lock" and "ColourGains" in found:
            controls.update(AwbEnable=False, ColourGains=tuple(found["ColourGains"]))
        if self.request["focus"] == "lock" and "LensPosition" in found:
            self.lens = float(found["LensPosition"])
        if self.lens is not None and "AfMode" in self.limits:
            controls.update(AfMode=_AF_MANUAL, LensPosition=self.lens)
        self.wanted = {name: value for name, value in controls.items() if name in self.limits}
        if self.wanted:
            self.camera.set_controls(self.wanted)

    def check(self, found: dict[str, Any]) -> None:
        """Note the controls that differ from what was set. `found`: the metadata of a later picture."""
        for name in ("ExposureTime", "AnalogueGain", "LensPosition"):
            wanted, has = self.wanted.get(name), found.get(name)
            if wanted is not None and has is not None and abs(has - wanted) > 0.1 * abs(wanted) + 0.05:
                self.notes.append(f"{name}: it has {has:.4g}, not {wanted:.4g}")

    def adjust(self, factor: float, found: dict[str, Any]) -> None:
        """Multiply the exposure by `factor`: the time, up to that of one picture, and for the rest the gain.

        If the mains are known, the time stays a multiple of that from one flash of lamps to the next, in which each row
        gets the same light.
        """
        if "ExposureTime" not in self.wanted:  # it has not been found yet
            return
        time, gain = found["ExposureTime"], found.get("AnalogueGain", 1.0)
        low, high = self.limits["ExposureTime"][:2]
        longest = min(high or 1_000_000 / self.request["fps"], 1_000_000 / self.request["fps"])
        least, most = (self.limits.get("AnalogueGain") or (1.0, 1.0))[:2]
        light = time * gain * factor
        wanted = self._whole_flashes(time, light, longest, (least or 1.0, most or 1.0))
        wanted = min(max(time * factor if wanted is None else wanted, low or 1.0), longest)
        controls = {"ExposureTime": int(wanted), "AnalogueGain": min(max(light / wanted, least), most)}
        controls = {name: value for name, value in controls.items() if name in self.limits}
        self.wanted.update(controls)
        self.camera.set_controls(controls)

    def _whole_flashes(self, time: float, light: float, longest: float, gains: tuple[float, float]) -> float | None:
        """Return the multiple of the time between two flashes nearest to `time` whose gain is possible.

        `light`: the exposure time that would give the requested light at a gain of 1. `gains`: least and greatest. In
        light for which even one flash is too much the result is shorter. None if the mains are not known, or do not
        matter.
        """
        flash = self.flash_period
        if not flash or "AnalogueGain" not in self.limits or longest < (1 - _SAME) * flash:
            return None
        least, most = gains
        if light < (1 - _SAME) * flash * least:
            return light / least
        fewest = max(math.ceil(light / (flash * most) - _SAME), 1)
        highest = max(int(min(light / least, longest) / flash + _SAME), 1)
        return min(max(int(time / flash + _SAME), fewest), highest) * flash

    def check_lens(self, found: dict[str, Any]) -> tuple[float, float] | None:
        """Set the lens again if it has moved. `found`: the metadata of a picture.

        Return where it was set and where it was, dioptres; None if it has not moved.
        """
        has = found.get("LensPosition")
        if self.lens is None or has is None or abs(has - self.lens) <= 0.1 * abs(self.lens) + 0.05:
            return None
        self.camera.set_controls({"AfMode": _AF_MANUAL, "LensPosition": self.lens})
        return self.lens, float(has)

    def limited(self, name: str, control: str, value: float, unit: str) -> float:
        """Return `value` limited to the range of the control; a larger difference becomes a note."""
        low, high = (self.limits.get(control) or (value, value))[:2]
        taken = min(max(value, low if low is not None else value), high if high is not None else value)
        if abs(taken - value) > 0.05 * abs(value):
            self.notes.append(f"{name}: it has {taken:.4g}{unit}, not {value:.4g}{unit}")
        return float(taken)


def main(argv: list[str]) -> int:
    """Give pictures until the connection ends; return the exit status."""
    request, memory, parent = json.loads(argv[1]), int(argv[2]), Connection(int(argv[3]))
    # A process that hangs in its driver must not outlive its parent.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != request["parent"]:  # the parent ended before the call above
        return 0

    try:
        from picamera2 import Picamera2
    except Exception as error:
        parent.send({"error": "no-module", "text": repr(error)})
        return 1
    try:
        serve(Picamera2, request, memory, parent)
    except IndexError as error:
        parent.send({"error": "no-camera", "text": repr(error)})
        return 1
    except RuntimeError as error:
        busy = any(word in str(error).lower() for word in ("acquire", "busy", "__init__ sequence"))
        parent.send({"error": "busy" if busy else "failed", "text": str(error)})
        return 1
    except Exception as error:
        parent.send({"error": "failed", "text": repr(error)})
        return 1
    return 0


def serve(make: Callable[[int], Any], request: dict[str, Any], memory: int, parent: Connection) -> None:
    """Open the camera with `make`, and put a picture into `memory` for each one that `parent` requests."""
    camera = make(request["camera"])
    try:
        main_stream = {"size": (request["width"], request["height"]), "format": "RGB888"}  # in memory: blue, green, red
        camera.configure(
            camera.create_video_configuration(
                main=main_stream, buffer_count=4, queue=False, controls={"FrameRate": request["fps"]}
            )
        )
        settings = Settings(camera, request)
        settings.begin()
        camera.start()
        width, height = camera.camera_configuration()["main"]["size"]
        length = width * height * 3
        os.ftruncate(memory, SLOTS * length)
        slots = mmap.mmap(memory, SLOTS * length)
        parent.send({"ready": (width, height)})
        count = 0
        found: dict[str, Any] = {}
        while True:
            try:
                requested = parent.recv()
            except EOFError:
                return
            if isinstance(requested, float):
                settings.adjust(requested, found)
                continue
            capture = camera.capture_request()
            try:
                picture, found = capture.make_array("main").tobytes(), capture.get_metadata()
            finally:
                capture.release()
            if len(picture) != length:
                raise RuntimeError(f"a picture has {len(picture)} bytes, not {length}")
            slots[requested * length : (requested + 1) * length] = picture
            parent.send({"picture": requested})
            count += 1
            if count == SETTLING_PICTURES:
                settings.lock(found)
            elif count == SETTLING_PICTURES + CHECK_PICTURES:
                settings.check(found)
            elif count % FOCUS_PICTURES == 0 and (moved := settings.check_lens(found)):
                parent.send({"lens": moved})
            if settings.notes and count in (1, SETTLING_PICTURES, SETTLING_PICTURES + CHECK_PICTURES):
                parent.send({"notes": settings.notes})
    finally:
        camera.close()


if __name__ == "__main__":
    # No imports from the folder of this file: some names there are also names of other modules.
    sys.path[:] = [folder for folder in sys.path if folder != os.path.dirname(os.path.abspath(__file__))]
    sys.exit(main(sys.argv))
