"""Where the mat lies in the picture, found live; stored in the camera's calibration file."""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np

from cardtable.calibration.picture import CORNERS
from cardtable.config.load import calibration_file
from cardtable.doctor.finding import Finding
from cardtable.errors import CardtableError, why
from cardtable.first_start.question import Question, doubtful, fine
from cardtable.first_start.reports import camera_reports
from cardtable.first_start.step import Site, Step
from engine.texts import commas, text
from vision.camera_pipeline import CameraPipeline
from vision.table.homography import Homography, save_homography

_LOOKS: Final = 3
"""Looks in a row, at new pictures, with all four marks in one place before the view is stored."""
_SAME_MM: Final = 1.5
"""Two views are the same if no corner of the picture's middle differs by more on the mat, millimetres."""


class CalibrateStep(Step):
    """Follows each camera until its view of the mat is still, and stores it."""

    name: ClassVar[str] = "calibrate"

    def __init__(self) -> None:
        self._still: dict[str, int] = {}
        self._last: dict[str, tuple[int, Homography]] = {}
        self._stored: set[str] = set()

    def begin(self, site: Site) -> None:
        """Look from the beginning."""
        self._still, self._last, self._stored = {}, {}, set()

    def look(self, site: Site) -> None:
        """Look at each camera's new picture; store a view that is still. Raises `CardtableError`."""
        for camera in site.cameras():
            frame, homography = camera.frame, camera.homography
            before = self._last.get(camera.name)
            if frame is None or (before is not None and before[0] == frame.number):
                continue
            if homography is None or camera.missing_marks:
                self._last.pop(camera.name, None)
                self._still[camera.name] = 0
                continue
            same = before is not None and _same(before[1], homography)
            self._still[camera.name] = self._still.get(camera.name, 0) + 1 if same else 1
            self._last[camera.name] = frame.number, homography
            if self._still[camera.name] >= _LOOKS and camera.name not in self._stored:
                self._store(site, camera, homography)

    def question(self, site: Site) -> Question:
        """Return what to do until all four marks are seen."""
        cameras = site.cameras()
        if not cameras:
            found = [doubtful(text("no camera is open"), text("go back to the camera, or skip this"))]
            return Question(text("Where the mat lies"), text("The camera looks for the four corner marks."), found)
        found = [finding for camera in cameras for finding in self._of(camera)]
        ready = all(camera.name in self._stored for camera in cameras)
        asked = text("Move the camera until it sees all four corner marks, then let go of it.")
        if ready:
            asked = text("The camera sees the mat, and its view is stored.")
        found += camera_reports(site, ("light", "focus")) if ready else []
        forward = text("Continue") if ready else None
        return Question(text("Where the mat lies"), asked, found, picture="mat", forward=forward)

    def _of(self, camera: CameraPipeline) -> list[Finding]:
        if camera.name in self._stored:
            return [fine(text("it sees the four corner marks"))]
        if camera.homography is None or len(camera.missing_marks) == len(CORNERS):
            return [doubtful(text("no corner mark is in sight"), text("lay them into the picture, and light them"))]
        if camera.missing_marks:
            names = [text("mark {number} ({corner})", number=id_, corner=CORNERS[id_]) for id_ in camera.missing_marks]
            return [doubtful(text("missing: {marks}", marks=commas(names)), text("uncover it, or turn the camera"))]
        return [doubtful(text("all four corner marks are in sight"), text("let go of the camera"))]

    def _store(self, site: Site, camera: CameraPipeline, homography: Homography) -> None:
        wanted = next((each.calibration for each in site.config.cameras if each.name == camera.name), None)
        path = wanted or site.path.parent / calibration_file(camera.name)
        try:
            save_homography(path, homography)
        except OSError as error:
            message = "{path} cannot be written: {why}. Allow this user to write in its folder, then try again."
            raise CardtableError(text(message, path=path, why=why(error))) from error
        self._stored.add(camera.name)


def _same(one: Homography, other: Homography) -> bool:
    if one.image_size != other.image_size:
        return False
    width, height = one.image_size
    corners = [(x * width, y * height) for x in (0.2, 0.8) for y in (0.2, 0.8)]
    return float(np.abs(one.to_mm(corners) - other.to_mm(corners)).max()) <= _SAME_MM
