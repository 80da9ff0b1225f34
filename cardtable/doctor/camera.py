"""Checks of the cameras: that they give pictures, large, bright and sharp enough, with the four corner marks.

What is measured is measured on the corner marks: black on white, always there, and of a known size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from cardtable.camera_config import CameraConfig
from cardtable.config import TableConfig
from cardtable.doctor.finding import Finding, good, trouble, warning
from cardtable.errors import CardtableError
from cardtable.eyes import mat_for, open_eye
from engine.observations import Lost
from vision.eye import Eye
from vision.frames import Image
from vision.mat import Mat
from vision.table_frame import TableFrame

FRAMES: Final = 40
"""Frames that are looked at: a second or two, enough for a card that lies to be read."""
_WIDTH: Final = 1280
_DOTS: Final = 8.0
"""Dots a millimetre in which a mark is measured."""
DARK: Final = 70.0
"""The white of the marks is to be brighter than this, of 255."""
PALE: Final = 1.8
"""… and so many times as bright as their black."""
GLARE: Final = 0.6
"""At most this part of their white may be burnt out."""
_BURNT: Final = 254
SOFT_MM: Final = 0.8
"""Edges that are spread more than this (standard deviation in mm on the mat) are soft."""
BLURRED_MM: Final = 1.15
"""Beyond this printed faces are not read any more; tests/cardtable/test_doctor_camera.py shows it."""


def cameras(config: TableConfig) -> Iterator[Finding]:
    """Each camera of the configuration."""
    for camera in config.cameras:
        try:
            eye = open_eye(
                camera.source,
                config.header,
                config.marks,
                camera.name,
                camera.calibration,
                settings=camera.settings,
                deck=camera.deck,
            )
        except CardtableError as error:
            yield trouble(_name(camera), str(error), "put it right in table.toml")
            continue
        with closing(eye):
            yield from look(eye, mat_for(config.header), _name(camera))


def _name(camera: CameraConfig) -> str:
    return f"camera {camera.name}" if camera.name != "camera" else "camera"


def look(eye: Eye, mat: Mat, name: str, frames: int = FRAMES) -> Iterator[Finding]:
    """What one camera sees in so many frames."""
    lost: str | None = None
    for _ in range(frames):
        for seen in eye.step():
            lost = seen.reason if isinstance(seen, Lost) else None
        if eye.ended or eye.retry_in > 0:
            break
    yield from judged(eye, mat, name, lost)


def judged(eye: Eye, mat: Mat, name: str, lost: str | None = None) -> Iterator[Finding]:
    """What the camera's last frame is good for, as far as it has been read. `lost`: what it complains of."""
    if eye.frame is None:
        yield trouble(name, lost or "it gives no picture", "see that it is plugged in, and that nothing else uses it")
        return
    height, width = eye.frame.image.shape[:2]
    if width < _WIDTH:
        yield warning(name, f"its pictures are {width} × {height}", f"{_WIDTH} × 720 or more reads cards more surely")
    else:
        yield good(name, f"its pictures are {width} × {height}")
    for note in getattr(eye.source, "notes", ()):
        yield warning(name, f"it did not take what table.toml asks for: {note}", "change that, or leave it out")
    if eye.table_frame is None or eye.missing_marks:
        yield trouble(name, lost or f"corner marks are missing: {_ids(eye)}", "lay the mat so that it sees all four")
        if eye.table_frame is None:
            return
    else:
        yield good(name, "it sees the four corner marks")
    yield _scale(eye, 1 / eye.table_frame.mm_per_px, name)
    in_sight = [corners for id_, corners in mat.marks.items() if id_ not in eye.missing_marks]
    yield from _measured(eye.frame.image, eye.table_frame, in_sight, name)
    read = [str(piece.face) for piece in eye.tracker.pieces if piece.face is not None]
    if read:
        yield good(name, f"it reads {', '.join(read)}")
    else:
        yield warning(name, "it reads no card", "lay a card face up in a zone, and ask again")


def _scale(eye: Eye, px_per_mm: float, name: str) -> Finding:
    told = f"a millimetre on the mat is {px_per_mm:.2f} pixels"
    if px_per_mm < eye.least_px_per_mm:
        advice = f"{eye.least_px_per_mm:g} are needed: bring it nearer, or let it take larger pictures"
        return trouble(name, f"the cards are too small in its pictures: {told}", advice)
    return good(name, told)


def _ids(eye: Eye) -> str:
    return ", ".join(str(id_) for id_ in eye.missing_marks)


def _measured(image: Image, frame: TableFrame, places: Sequence[object], name: str) -> Iterator[Finding]:
    """Brightness and sharpness, on the marks at these places."""
    seen = (straightened(image, frame, corners) for corners in places)
    marks = [mark for mark in seen if mark is not None]
    if not marks:
        return
    white = float(np.median([np.percentile(mark, 95) for mark in marks]))
    black = float(np.median([np.percentile(mark, 5) for mark in marks]))
    bright = np.concatenate([mark[mark > (white + black) / 2] for mark in marks])
    burnt = float(np.mean(bright >= _BURNT)) if bright.size else 0.0
    told = f"white is {white:.0f}, black {black:.0f} of 255"
    if white < DARK:
        yield trouble(name, f"it is too dark: {told}", "light the mat evenly, from above and from the side")
    elif white < PALE * max(black, 1.0):
        yield trouble(name, f"there is no contrast: {told}", "take away what shines into the camera or on the mat")
    elif burnt > GLARE:
        advice = "less light, or turn the lamp so that nothing shines into the camera"
        yield warning(name, f"{burnt:.0%} of the marks’ white is burnt out", advice)
    else:
        yield good(name, f"it is bright enough: {told}")
    soft = float(np.median([spread_mm(mark) for mark in marks]))
    told = f"edges are spread by {soft:.2f} mm"
    advice = "turn its lens, or set its focus, until the marks are sharp; or hang it lower"
    if soft > BLURRED_MM:
        yield trouble(name, f"it is out of focus: {told}", advice)
    elif soft > SOFT_MM:
        yield warning(name, f"it is not quite sharp: {told}", advice)
    else:
        yield good(name, f"it is sharp: {told}")


def straightened(image: Image, frame: TableFrame, corners: object) -> npt.NDArray[np.uint8] | None:
    """A mark as it lies on the mat, `_DOTS` a millimetre, in grey; None where it is not in the picture whole.

    `corners`: (4, 2) mm on the mat, clockwise from its top left.
    """
    places = np.asarray(corners, np.float64)
    pixels = frame.to_px(places)
    height, width = image.shape[:2]
    if (pixels < 0).any() or (pixels >= (width, height)).any():
        return None
    side = round(float(np.linalg.norm(places[1] - places[0])) * _DOTS)
    square = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32)
    transform = cv2.getPerspectiveTransform(pixels.astype(np.float32), square)
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.warpPerspective(grey, transform, (side, side), flags=cv2.INTER_CUBIC), np.uint8)


def spread_mm(mark: npt.NDArray[np.uint8]) -> float:
    """How far edges are spread, as the standard deviation in mm of the blur that makes them so steep.

    A step of height h under a Gaussian blur of standard deviation s has the slope h / (s √(2π)) in its middle.
    """
    smooth = cv2.GaussianBlur(mark.astype(np.float32), (0, 0), 1.0)
    slopes = np.hypot(cv2.Sobel(smooth, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(smooth, cv2.CV_32F, 0, 1) / 8)
    height = float(np.percentile(smooth, 95) - np.percentile(smooth, 5))
    steepest = float(np.percentile(slopes, 98))
    return math.inf if steepest <= 0 else height / (steepest * math.sqrt(2 * math.pi)) / _DOTS
