"""Which camera looks at the table, tried at once; writes its `source`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from cardtable.doctor.cameras_found import FoundCamera, find_cameras
from cardtable.doctor.finding import Finding
from cardtable.first_start.question import Choice, Question, doubtful
from cardtable.first_start.reports import camera_reports
from cardtable.first_start.step import Site, Step, Unfit
from cardtable.first_start.writing import camera_key
from engine.texts import text

_AGAIN: Final = "again"


class CameraStep(Step):
    """Asks for the camera, and shows its picture."""

    name: ClassVar[str] = "camera"

    def __init__(self) -> None:
        self._found: Sequence[FoundCamera] = ()

    def begin(self, site: Site) -> None:
        """Look for cameras; takes a second."""
        self._found = find_cameras(site.machine)

    def question(self, site: Site) -> Question:
        """Return the cameras, and what the present one sees."""
        cameras = site.config.cameras
        used = [camera.source for camera in cameras]
        choices = [Choice(found.source, found.label, chosen=found.source in used) for found in self._found]
        known = {found.source for found in self._found}
        choices += [Choice(source, source, chosen=True) for source in used if source not in known and site.cameras()]
        choices.append(Choice(_AGAIN, text("Look again")))
        sees: list[Finding] = camera_reports(site, ("picture",))
        works = any(camera.frame is not None for camera in site.cameras())
        if not self._found and not works:
            sees.append(doubtful(text("no camera was found"), text("plug one in, then look again")))
        asked = text("Which camera looks at the table? The whole mat must be in its picture.")
        return Question(
            text("The camera"),
            asked,
            sees,
            choices,
            picture="camera" if works else None,
            forward=text("Continue") if works else None,
        )

    def answer(self, site: Site, value: str) -> bool:
        """Take a camera. The step is not over: its picture is to be looked at."""
        if value == _AGAIN:
            self.begin(site)
            return False
        if value not in {found.source for found in self._found}:
            if value in {camera.source for camera in site.config.cameras}:
                return False
            raise Unfit(text("This camera is gone: look again."))
        if len(site.config.cameras) > 1:
            raise Unfit(text("table.toml names several cameras: change them there."))
        site.change({camera_key(site.path, "source"): value}, reopen=True)
        return False
