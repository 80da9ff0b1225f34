"""Calibrating a camera: looking at what it sees, saying what is good and what is not, keeping its view of the mat."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from cardtable.calibration.picture import CORNERS, calibration_picture
from cardtable.doctor.camera import judged
from cardtable.doctor.finding import Finding
from cardtable.errors import CardtableError, why
from engine.observations import Lost
from engine.texts import commas, text
from hardware.texts import Translate, as_written
from vision.camera_pipeline import CameraPipeline
from vision.frames import Image
from vision.table.homography import TableFrame, load_frame, save_frame
from vision.table.mat import Mat

STILL: Final = 10
"""So many frames with all four marks, in one place, before the view is kept: whoever turns the camera has let go."""
_SAME_MM: Final = 0.5
"""Two views that nowhere put a corner of the mat farther apart are one."""


class Calibration:
    """One camera over its mat. `path`: where its view is kept; None where it is only looked at.

    `translate`: for what is told on the page and in the picture (`shown`, `picture`).
    """

    def __init__(
        self,
        eye: CameraPipeline,
        mat: Mat,
        players: Sequence[str],
        path: Path | None,
        translate: Translate = as_written,
    ) -> None:
        self.eye: Final = eye
        self.path: Final = path
        self.stored: TableFrame | None = None
        """The view that was kept."""
        self._mat = mat
        self._players = tuple(players)
        self._translate = translate
        self._lost: str | None = None
        self._still = 0
        self._last: TableFrame | None = None

    def step(self) -> None:
        """Looks at one frame; keeps the view when all four marks have been still. Raises `CardtableError`."""
        number = self.eye.frame.number if self.eye.frame else -1
        for seen in self.eye.step():
            self._lost = seen.reason if isinstance(seen, Lost) else None
        if self.eye.frame is None or self.eye.frame.number == number:
            return
        frame = self.eye.table_frame
        whole = frame is not None and not self.eye.missing_marks
        same = whole and self._last is not None and frame is not None and self._same(frame, self._last)
        self._still = self._still + 1 if same else 0
        self._last = frame if whole else None
        if whole and frame is not None and self._still >= STILL and not self._kept(frame):
            self._keep(frame)

    @property
    def ready(self) -> bool:
        """Whether all four marks have been seen, still, as they lie now."""
        return self._still >= STILL

    def findings(self) -> list[Finding]:
        """What the last frame is good for."""
        return list(judged(self.eye, self._mat, self.eye.name, self._lost))

    def shown(self) -> list[Finding]:
        """What the last frame is good for, in the language of the table."""
        return [finding.in_language(self._translate) for finding in self.findings()]

    def advice(self) -> str:
        """What to do now, in one sentence or two."""
        if self._lost is not None and (self.eye.frame is None or self.eye.retry_in > 0):
            return self._lost
        if self.eye.frame is None:
            return text("Waiting for the camera's first picture.")
        missing = self.eye.missing_marks
        if self.eye.table_frame is None or len(missing) == len(CORNERS):
            return text(
                "No corner mark is in sight: lay the mat, or the four corner marks (cardtable print corners), where "
                "the camera sees them, and light them."
            )
        if missing:
            names = commas([text("mark {number} ({corner})", number=id_, corner=CORNERS[id_]) for id_ in missing])
            told = "Missing: {marks}. Uncover it, turn the camera to it, or see that no lamp shines on it."
            return text(told, marks=names)
        if not self.ready:
            return text("All four corner marks are in sight. Let go of the camera.")
        trouble = next((each for each in self.findings() if each.state == "trouble"), None)
        if trouble is not None:
            return text("The camera: {what}: {advice}.", what=trouble.text, advice=trouble.advice)
        if self.stored is None:
            return text("The camera sees the mat. Lay cards in the corners and in the middle: are they read?")
        told = (
            "The camera sees the mat. Its view is kept in {file}. Lay cards in the corners and in the middle: are they "
            "read?"
        )
        return text(told, file=self.path)

    def picture(self, told: bool = True) -> Image | None:
        """The last frame with what is made of it; with the findings below it, if they are `told`."""
        return calibration_picture(self.eye, self._mat, self._players, self.shown() if told else (), self._translate)

    def to_json(self) -> dict[str, Any]:
        """What `cardtable calibrate --json` prints: lengths in pixels of the picture, but for `homography`."""
        frame, eye = self.eye.table_frame, self.eye
        size = [eye.frame.image.shape[1], eye.frame.image.shape[0]] if eye.frame else None
        ids = sorted(self._mat.marks)
        out: dict[str, Any] = {"camera": eye.name, "source": eye.source.name, "size": size}
        missing = list(eye.missing_marks) if frame is not None else ids
        out["marks"] = {"seen": [id_ for id_ in ids if id_ not in missing], "missing": missing}
        out["px_per_mm"] = round(1 / frame.mm_per_px, 3) if frame else None
        out["homography"] = frame.homography.tolist() if frame else None
        out["zones"] = [
            {"name": zone.name, "seat": zone.seat, "polygon": _rounded(frame.to_px(polygon))}
            for zone, polygon in self._mat.areas.items()
            if frame
        ]
        out["cards"] = [
            {
                "card": None if piece.face is None else str(piece.face),
                "confidence": round(piece.votes.confidence, 4) if piece.face else 0.0,
                "zone": None if piece.zone is None else str(piece.zone),
                "outline": _rounded(frame.to_px(piece.outline)),
            }
            for piece in eye.tracker.tracks
            if frame
        ]
        out["findings"] = [finding.to_json() for finding in self.findings()]
        out["stored"] = str(self.path) if self.stored is not None else None
        return out

    def _kept(self, frame: TableFrame) -> bool:
        return self.path is None or (self.stored is not None and self._same(frame, self.stored))

    def _same(self, one: TableFrame, other: TableFrame) -> bool:
        if one.image_size != other.image_size:
            return False
        width, height = self._mat.size_mm
        corners = one.to_px([(0, 0), (width, 0), (width, height), (0, height)])
        return float(np.abs(one.to_mm(corners) - other.to_mm(corners)).max()) <= _SAME_MM

    def _keep(self, frame: TableFrame) -> None:
        assert self.path is not None
        try:
            save_frame(self.path, frame)
            load_frame(self.path)
        except OSError as error:
            raise CardtableError(
                text("{path} cannot be written: {why}; name another file: --store", path=self.path, why=why(error))
            ) from error
        self.stored = frame


def _rounded(points: object) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in np.asarray(points)]
