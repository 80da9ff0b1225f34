"""The picture for calibration: a frame with corner marks, zones and cards drawn on it, and the findings below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import cv2
import numpy as np

from cardtable.doctor.finding import Finding
from engine.cards import Card
from engine.rules.wording import ZONES
from engine.texts import in_language, text
from hardware.texts import Translate, as_written
from vision.camera_pipeline import CameraPipeline
from vision.frames import Image
from vision.table.homography import Homography, Points
from vision.table.mat import Mat

Colour = tuple[int, int, int]
GREEN: Final[Colour] = (90, 210, 90)
RED: Final[Colour] = (60, 60, 235)
AMBER: Final[Colour] = (60, 190, 250)
PALE: Final[Colour] = (235, 235, 225)
BLUE: Final[Colour] = (250, 200, 90)
_DARK: Final[Colour] = (34, 30, 26)
_STATES: Final = {"good": GREEN, "warning": AMBER, "trouble": RED}
CORNERS: Final = (text("top left"), text("top right"), text("bottom right"), text("bottom left"))
"""The corners of the marks 0 to 3, as seen from seat 0."""


def calibration_picture(
    camera: CameraPipeline,
    mat: Mat,
    players: Sequence[str],
    findings: Iterable[Finding],
    translate: Translate = as_written,
) -> Image | None:
    """Return the last frame, drawn on, with the `findings` below, as (height + n, width, 3) BGR; None without a frame.

    `players`: their names, for the labels of the zones. `translate`: for the labels only.
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
