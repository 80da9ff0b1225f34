"""The lamp and the mains: is it bright enough, does anything dazzle, does the lamp flicker; writes `flicker`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from cardtable.doctor.camera import DARK
from cardtable.doctor.finding import Finding
from cardtable.first_start.question import Choice, Question, doubtful, fine, wrong
from cardtable.first_start.step import Site, Step, Unfit
from cardtable.first_start.writing import camera_key
from engine.texts import text
from vision.camera_pipeline import CameraPipeline
from vision.frames import Image
from vision.light.flicker import flicker_of, row_levels
from vision.light.measures import grey
from vision.light.settings import DEFAULTS

_BRIGHT: Final = 95
"""The percentile of the grey levels that is taken for the brightest part of a picture."""
_BURNT: Final = 0.08
"""Share of a picture that may be overexposed."""
_MEASURED_S: Final = 3.0
"""Time limit of the measurement of flicker, seconds."""
_MAINS: Final = {"50": 50, "60": 60, "auto": "auto"}


class LightStep(Step):
    """Judges the pictures of the first camera. `clock`, `wait`: seconds."""

    name: ClassVar[str] = "light"

    def __init__(self, clock: Callable[[], float] = time.monotonic, wait: Callable[[float], None] = time.sleep) -> None:
        self._clock = clock
        self._wait = wait
        self._flicker: float | None = None

    def begin(self, site: Site) -> None:
        """Measure the flicker; takes a second."""
        cameras = site.cameras()
        self._flicker = self._measured(cameras[0]) if cameras else None

    def question(self, site: Site) -> Question:
        """Return what is seen of the light."""
        cameras = site.cameras()
        frame = cameras[0].frame if cameras else None
        found: list[Finding] = []
        if frame is None:
            found = [
                doubtful(text("there is no camera to judge the light"), text("go back to the camera, or skip this"))
            ]
        else:
            found = [judged(frame.image), *self._of_flicker()]
        flicker = site.config.cameras[0].flicker if site.config.cameras else "auto"
        choices = [
            Choice("50", "50 Hz", text("Europe, Asia, Africa, Australia"), flicker == 50),
            Choice("60", "60 Hz", text("North America, western Japan"), flicker == 60),
            Choice("auto", text("I do not know"), text("the camera decides"), flicker == "auto"),
        ]
        return Question(
            text("The light"),
            text("Light the table evenly. Which mains do your lamps have?"),
            found,
            choices if frame is not None else (),
            picture="camera" if frame is not None else None,
            forward=text("Continue") if frame is not None else None,
        )

    def answer(self, site: Site, value: str) -> bool:
        """Take the frequency of the mains."""
        if value not in _MAINS or not site.config.cameras:
            raise Unfit(text("Choose 50 or 60 Hz, or leave it to the camera."))
        if site.config.cameras[0].flicker != _MAINS[value]:
            site.change({camera_key(site.path, "flicker"): _MAINS[value]}, reopen=True)
        return True

    def _of_flicker(self) -> list[Finding]:
        if self._flicker is None:
            return []
        if self._flicker > DEFAULTS.flicker:
            return [doubtful(text("the light flickers"), text("choose the frequency of your mains"))]
        return [fine(text("the light does not flicker"))]

    def _measured(self, camera: CameraPipeline) -> float | None:
        """Return how much consecutive pictures flicker (`flicker_of`); None if there are too few."""
        rows: list[npt.NDArray[np.float64]] = []
        last, until = -1, self._clock() + _MEASURED_S
        while len(rows) < DEFAULTS.flicker_pictures and self._clock() < until:
            frame = camera.frame
            if frame is not None and frame.number != last:
                if frame.number != last + 1:
                    rows.clear()
                last = frame.number
                rows.append(row_levels(frame.image))
            self._wait(0.002)
        return flicker_of(np.array(rows)) if len(rows) == DEFAULTS.flicker_pictures else None


def judged(image: Image) -> Finding:
    """Return whether a (H, W, 3) uint8 picture is bright enough, and not dazzled."""
    levels = grey(image)
    bright = float(np.percentile(levels, _BRIGHT))
    burnt = float(np.mean(levels >= 254))
    if bright < DARK:
        return wrong(text("it is too dark"), text("switch on a lamp above the table"))
    if burnt > _BURNT:
        return doubtful(text("a part of the picture is dazzled"), text("turn the lamp, or move what shines"))
    return fine(text("it is bright enough"))
