"""Calibrate a camera: judge what it sees, advise what to do, and store its view of the mat.

`Calibration` does this with one camera. `calibration_picture` draws the corner marks, zones and cards on a frame, with
the findings below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from cardtable.doctor.cameras import check_last_frame
from cardtable.doctor.finding import Finding
from cardtable.errors import CardtableError, why
from engine.cards import Card
from engine.observations import Lost
from engine.rules.wording import ZONES
from engine.texts import Translate, as_written, commas, in_language, text
from vision.camera_pipeline import CameraPipeline
from vision.frames import Image
from vision.mat.homography import Homography, Points, load_homography, save_homography
from vision.mat.layout import Mat

Colour = tuple[int, int, int]
GREEN: Final[Colour] = (90, 210, 90)
RED: Final[Colour] = (60, 60, 235)
AMBER: Final[Colour] = (60, 190, 250)
PALE: Final[Colour] = (235, 235, 225)
BLUE: Final[Colour] = (250, 200, 90)
_DARK: Final[Colour] = (34, 30, 26)
_STATES: Final = {"good": GREEN, "warning": AMBER, "trouble": RED}
CORNERS: Final = (text("top left"), text("top right"), text("bottom right"), text("bottom left"))
"""The positions of the marks 0 to 3, as seen from seat 0."""


def calibration_picture(
    camera: CameraPipeline,
    mat: Mat,
    players: Sequence[str],
    findings: Iterable[Finding],
    translate: Translate = as_written,
) -> Image | None:
    """Return the last frame with drawings and with the `findings` below it, as (height + n, width, 3) BGR.

    Return None if there is no frame. `players` and `translate` are for the labels.
    """
    if camera.frame is None:
        return None
    picture = camera.frame.image.copy()
    size = max(picture.shape[1] / 1920, 0.4)
    if camera.homography is not None:
        _draw_zones(picture, camera.homography, mat, players, size, translate)
        _draw_marks(picture, camera.homography, mat, camera.missing_marks, size, translate)
        _draw_cards(picture, camera, size, translate)
    lines = list(findings)
    return np.asarray(np.vstack([picture, _strip(picture.shape[1], lines, size)]), np.uint8) if lines else picture


def _draw_zones(
    picture: Image, homography: Homography, mat: Mat, players: Sequence[str], size: float, translate: Translate
) -> None:
    for zone, polygon in mat.areas.items():
        corners = homography.to_px(polygon)
        _outline(picture, corners, PALE, round(2 * size) or 1)
        owner = f": {players[zone.seat]}" if zone.seat is not None and zone.seat < len(players) else ""
        left, top = corners.min(axis=0)
        name = in_language(ZONES[zone.name], translate) if zone.name in ZONES else zone.name
        _write(picture, f"{name}{owner}", (left + 8 * size, top + 26 * size), 20 * size, PALE)


def _draw_marks(
    picture: Image, homography: Homography, mat: Mat, missing: Sequence[int], size: float, translate: Translate
) -> None:
    for id_, corners_mm in mat.marks.items():
        corners = homography.to_px(corners_mm)
        colour = RED if id_ in missing else GREEN
        _outline(picture, corners, colour, round(4 * size) or 1)
        corner = CORNERS[id_]
        label = text("{number}: {corner}", number=id_, corner=corner)
        if id_ in missing:
            label = text("{number}: {corner} is missing", number=id_, corner=corner)
        line = in_language(label, translate)
        width = _width(line, 22 * size)
        x = float(np.clip(corners[:, 0].mean() - width / 2, 4, max(picture.shape[1] - width - 4, 4)))
        below = float(corners[:, 1].max()) + 36 * size
        y = below if below < picture.shape[0] - 6 else float(corners[:, 1].min()) - 12 * size
        _write(picture, line, (x, y), 22 * size, colour)


def _draw_cards(picture: Image, camera: CameraPipeline, size: float, translate: Translate) -> None:
    assert camera.homography is not None
    for track in camera.tracker.tracks:
        corners = camera.homography.to_px(track.outline)
        known = track.face is not None
        colour = BLUE if known else AMBER
        _outline(picture, corners, colour, round(3 * size) or 1)
        name = track.face.glyph if isinstance(track.face, Card) else str(track.face)
        label = f"{name}  {100 * track.votes.confidence:.0f} %" if known else in_language(text("not read"), translate)
        x, y = corners.mean(axis=0)
        _write(picture, label, (x - _width(label, 26 * size) / 2, y), 26 * size, colour)


def _strip(width: int, findings: list[Finding], size: float) -> Image:
    """Return a picture of the findings, one per line."""
    line = round(36 * size)
    strip = np.full((line * len(findings) + round(16 * size), width, 3), _DARK, np.uint8)
    for number, finding in enumerate(findings):
        y = round(8 * size) + line * number + line // 2
        cv2.circle(strip, (round(24 * size), y), round(9 * size), _STATES[finding.state], -1, cv2.LINE_AA)
        label = f"{finding.text}: {finding.advice}" if finding.advice else finding.text
        _write(strip, label, (48 * size, y + 8 * size), 23 * size, PALE, plain=True)
    return strip


def _outline(picture: Image, corners: Points, colour: Colour, thickness: int) -> None:
    points = np.rint(corners * 16).astype(np.int32).reshape(-1, 1, 2)
    cv2.polylines(picture, [points], True, colour, thickness, cv2.LINE_AA, shift=4)


def _write(
    picture: Image, words: str, at: tuple[float, float], height: float, colour: Colour, plain: bool = False
) -> None:
    """Write `words` with the baseline starting at `at` (pixels), on a darkened background unless `plain`."""
    x, y = round(at[0]), round(at[1])
    if not plain:
        width, grow = round(_width(words, height)), round(height * 0.3)
        top, left = max(y - round(height) - grow // 2, 0), max(x - grow, 0)
        part = picture[top : y + grow, left : x + width + grow]
        part[:] = (part * 0.35).astype(np.uint8)
    cv2.putText(picture, words, (x, y), colour, cv2.FontFace("sans"), round(height), weight=500)


def _width(words: str, height: float) -> float:
    box = cv2.getTextSize((10000, 1000), words, (0, 500), cv2.FontFace("sans"), round(height), weight=500)
    return float(box[2])


class StillView:
    """Notice when a camera's view of the mat is still: all four marks in one place in `frames` consecutive frames.

    Two views are the same if no corner of the picture's central part is further than `tolerance_mm` away on the mat.
    """

    def __init__(self, frames: int, tolerance_mm: float) -> None:
        self._frames = frames
        self._tolerance_mm = tolerance_mm
        self._number = -1
        self._count = 0
        self._last: Homography | None = None

    def update(self, camera: CameraPipeline) -> None:
        """Judge the present frame of the camera, unless it was judged before."""
        frame, homography = camera.frame, camera.homography
        if frame is None or frame.number == self._number:
            return
        self._number = frame.number
        if homography is None or camera.missing_marks:
            self._count, self._last = 0, None
            return
        same = self._last is not None and self.is_same(homography, self._last)
        self._count = self._count + 1 if same else 1
        self._last = homography

    @property
    def view(self) -> Homography | None:
        """The view if it is still, else None."""
        return self._last if self._count >= self._frames else None

    def is_same(self, first: Homography, second: Homography) -> bool:
        """Return whether two views are the same."""
        if first.image_size != second.image_size:
            return False
        width, height = first.image_size
        corners = [(x * width, y * height) for x in (0.2, 0.8) for y in (0.2, 0.8)]
        return float(np.abs(first.to_mm(corners) - second.to_mm(corners)).max()) <= self._tolerance_mm


STILL_FRAMES: Final = 10
_TOLERANCE_MM: Final = 0.5
"""How far a view may shift and still be the same, mm on the mat."""


class Calibration:
    """The calibration of one camera over its mat.

    The view is stored in the file `path`, or not at all if it is None. `players` and `translate` are for the labels of
    the picture, and `translate` for the findings below it.
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
        self._still = StillView(STILL_FRAMES, _TOLERANCE_MM)

    def step(self) -> None:
        """Read a frame, and store the view once all four marks have been still. Raises `CardtableError`."""
        for observation in self.camera.step():
            self._lost = observation.reason if isinstance(observation, Lost) else None
        self._still.update(self.camera)
        view = self._still.view
        if view is None or self.path is None or (self.stored is not None and self._still.is_same(view, self.stored)):
            return
        try:
            save_homography(self.path, view)
            load_homography(self.path)
        except OSError as error:
            raise CardtableError(
                text("{path} cannot be written: {why}; name another file: --store", path=self.path, why=why(error))
            ) from error
        self.stored = view

    @property
    def ready(self) -> bool:
        """Whether all four marks have been in one place for `STILL_FRAMES` frames."""
        return self._still.view is not None

    def findings(self) -> list[Finding]:
        """Return the findings about the last frame."""
        return list(check_last_frame(self.camera, self._mat, self.camera.name, self._lost))

    def advice(self) -> str:
        """Say what to do now, in one or two sentences."""
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
        """Return the picture of the last frame (see `calibration_picture`)."""
        findings = [finding.in_language(self._translate) for finding in self.findings()] if with_findings else ()
        return calibration_picture(self.camera, self._mat, self._players, findings, self._translate)

    def to_json(self) -> dict[str, Any]:
        """Return the object that `cardtable calibrate --json` prints (docs/reference/commands.md)."""
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


def _rounded(points: object) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in np.asarray(points)]
