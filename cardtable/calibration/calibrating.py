"""Calibration of one camera: judge what it sees, say what to do, and store its view of the mat."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from cardtable.calibration.picture import CORNERS, calibration_picture
from cardtable.doctor.camera import check_last_frame
from cardtable.doctor.finding import Finding
from cardtable.errors import CardtableError, why
from engine.observations import Lost
from engine.texts import commas, text
from hardware.texts import Translate, as_written
from vision.camera_pipeline import CameraPipeline
from vision.frames import Image
from vision.table.homography import Homography, load_homography, save_homography
from vision.table.mat import Mat

STILL: Final = 10
"""Consecutive frames with all four marks in one place before the view is stored: the camera is no longer moved."""
_SAME_MM: Final = 0.5
"""Two views are the same if no corner of the mat differs by more, millimetres."""


class Calibration:
    """One camera over its mat.

    `players`: their names, for the labels of the zones. `path`: the file for the view; None to store nothing.
    `translate`: for the texts of the page and of the picture (`translated_findings`, `picture`).
    """

    def __init__(
        self,
        camera: CameraPipeline,
        mat: Mat,
        players: Sequence[str],
        path: Path | None,
        translate: Translate = as_written,
    ) -> None:
        self.camera: Final = camera
        self.path: Final = path
        self.stored: Homography | None = None
        """The homography that was stored; None if none was."""
        self._mat = mat
        self._players = tuple(players)
        self._translate = translate
        self._lost: str | None = None
        self._still = 0
        self._last: Homography | None = None

    def step(self) -> None:
        """Read one frame; store the view once all four marks have been still. Raises `CardtableError` if it cannot."""
        number = self.camera.frame.number if self.camera.frame else -1
        for observation in self.camera.step():
            self._lost = observation.reason if isinstance(observation, Lost) else None
        if self.camera.frame is None or self.camera.frame.number == number:
            return
        homography = self.camera.homography
        whole = homography is not None and not self.camera.missing_marks
        same = whole and self._last is not None and homography is not None and self._same(homography, self._last)
        self._still = self._still + 1 if same else 0
        self._last = homography if whole else None
        if whole and homography is not None and self._still >= STILL and not self._is_stored(homography):
            self._store(homography)

    @property
    def ready(self) -> bool:
        """Whether all four marks have been in one place for `STILL` frames."""
        return self._still >= STILL

    def findings(self) -> list[Finding]:
        """Return what is good and what is wrong with the last frame."""
        return list(check_last_frame(self.camera, self._mat, self.camera.name, self._lost))

    def translated_findings(self) -> list[Finding]:
        """Return `findings` in the language of the table."""
        return [finding.in_language(self._translate) for finding in self.findings()]

    def advice(self) -> str:
        """Return what to do now, in one or two sentences."""
        if self._lost is not None and (self.camera.frame is None or self.camera.retry_in > 0):
            return self._lost
        if self.camera.frame is None:
            return text("Waiting for the camera's first picture.")
        missing = self.camera.missing_marks
        if self.camera.homography is None or len(missing) == len(CORNERS):
            return text(
                "No corner mark is in sight: lay the mat, or the four corner marks (cardtable print corners), where "
                "the camera sees them, and light them."
            )
        if missing:
            names = commas([text("mark {number} ({corner})", number=id_, corner=CORNERS[id_]) for id_ in missing])
            message = "Missing: {marks}. Uncover it, point the camera at it, or move the lamp that shines on it."
            return text(message, marks=names)
        if not self.ready:
            return text("All four corner marks are in sight. Let go of the camera.")
        trouble = next((each for each in self.findings() if each.state == "trouble"), None)
        if trouble is not None:
            return text("The camera: {what}: {advice}.", what=trouble.text, advice=trouble.advice)
        if self.stored is None:
            return text("The camera sees the mat. Lay cards in the corners and in the middle: are they read?")
        message = (
            "The camera sees the mat. Its view is stored in {file}. Lay cards in the corners and "
            "in the middle: are they read?"
        )
        return text(message, file=self.path)

    def picture(self, with_findings: bool = True) -> Image | None:
        """Return the last frame with marks, zones and cards drawn on it, findings below; None without a frame."""
        findings = self.translated_findings() if with_findings else ()
        return calibration_picture(self.camera, self._mat, self._players, findings, self._translate)

    def to_json(self) -> dict[str, Any]:
        """Return the object that `cardtable calibrate --json` prints (docs/commands.md)."""
        homography, camera = self.camera.homography, self.camera
        size = [camera.frame.image.shape[1], camera.frame.image.shape[0]] if camera.frame else None
        ids = sorted(self._mat.marks)
        out: dict[str, Any] = {"camera": camera.name, "source": camera.source.name, "size": size}
        missing = list(camera.missing_marks) if homography is not None else ids
        out["marks"] = {"seen": [id_ for id_ in ids if id_ not in missing], "missing": missing}
        out["px_per_mm"] = round(1 / homography.mm_per_px, 3) if homography else None
        out["homography"] = homography.matrix.tolist() if homography else None
        out["zones"] = [
            {"name": zone.name, "seat": zone.seat, "polygon": _rounded(homography.to_px(polygon))}
            for zone, polygon in self._mat.areas.items()
            if homography
        ]
        out["cards"] = [
            {
                "card": None if track.face is None else str(track.face),
                "confidence": round(track.votes.confidence, 4) if track.face else 0.0,
                "zone": None if track.zone is None else str(track.zone),
                "outline": _rounded(homography.to_px(track.outline)),
            }
            for track in camera.tracker.tracks
            if homography
        ]
        out["findings"] = [finding.to_json() for finding in self.findings()]
        out["stored"] = str(self.path) if self.stored is not None else None
        return out

    def _is_stored(self, homography: Homography) -> bool:
        return self.path is None or (self.stored is not None and self._same(homography, self.stored))

    def _same(self, one: Homography, other: Homography) -> bool:
        if one.image_size != other.image_size:
            return False
        width, height = self._mat.size_mm
        corners = one.to_px([(0, 0), (width, 0), (width, height), (0, height)])
        return float(np.abs(one.to_mm(corners) - other.to_mm(corners)).max()) <= _SAME_MM

    def _store(self, homography: Homography) -> None:
        assert self.path is not None
        try:
            save_homography(self.path, homography)
            load_homography(self.path)
        except OSError as error:
            raise CardtableError(
                text("{path} cannot be written: {why}; name another file: --store", path=self.path, why=why(error))
            ) from error
        self.stored = homography


def _rounded(points: object) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in np.asarray(points)]
