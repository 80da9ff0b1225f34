"""How a card looks: its face cut out upright, and the same in a form in which light counts little."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.crops import Quad
from vision.frames import Image

FACE_SIZE: Final = (126, 176)
"""Width and height of a face that is kept, pixels: 2 a millimetre for a poker card."""
LOOK_SIZE: Final = (63, 88)
"""… and of one that is compared in haste: 1 a millimetre."""
RIM: Final = 2
"""Pixels of that at the edge that are not compared: shadows, round corners, and what lies beside the card."""

Floats = npt.NDArray[np.float32]
_BLUR_FINE: Final = 1.0
_BLUR: Final = 0.8
_PAPER: Final = 96.0


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A face made ready to be compared. `fine`: (176, 126, 3) Lab; `rough`: a vector of length 1."""

    fine: Floats
    rough: Floats

    def turned(self) -> Look:
        """The same card upside down."""
        return Look(np.ascontiguousarray(self.fine[::-1, ::-1]), _rough(_small(self.fine)[::-1, ::-1]))


def cut_out(levels: list[Image], quad: Quad) -> Image:
    """The face with its corners at `quad`, upright, `FACE_SIZE`; from the fitting level of a picture pyramid."""
    side = float(np.linalg.norm(quad[0] - quad[3]) + np.linalg.norm(quad[1] - quad[2])) / 2
    level = 0
    while level + 1 < len(levels) and side / FACE_SIZE[1] > 1.7:
        side /= 2
        level += 1
    width, height = FACE_SIZE
    scaled = np.asarray((quad + 0.5) / 2**level - 0.5, np.float32)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    matrix = cv2.getPerspectiveTransform(scaled, corners)
    face = cv2.warpPerspective(levels[level], matrix, FACE_SIZE, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(face, np.uint8)


def look_of(face: Image) -> Look:
    """The look of a face, `FACE_SIZE`, as `cut_out` gives it.

    Each colour is divided by that of the paper, so that a warm lamp does not make every card another: the brightest
    part is taken for it. A face without white is not made white: no single colour is raised far beyond the others.
    """
    picture = face.astype(np.float32) / 255
    paper = np.percentile(picture[2 * RIM : -2 * RIM : 2, 2 * RIM : -2 * RIM : 2].reshape(-1, 3), _PAPER, axis=0)
    level = max(float(paper.mean()), 0.04)
    fair = np.clip(picture / (level * np.clip(paper / level, 0.7, 1.3)), 0, 1.1).astype(np.float32)
    fine = np.asarray(cv2.cvtColor(cv2.GaussianBlur(fair, (0, 0), _BLUR_FINE), cv2.COLOR_BGR2Lab), np.float32)
    return Look(fine, _rough(_small(fine)))


def _small(fine: Floats) -> Floats:
    small = cv2.resize(fine, LOOK_SIZE, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), _BLUR), np.float32)


def _rough(small: Floats) -> Floats:
    part = small[RIM:-RIM, RIM:-RIM]
    flat = (part - part.reshape(-1, 3).mean(axis=0)).reshape(-1)
    return np.asarray(flat / max(float(np.linalg.norm(flat)), 1e-6), np.float32)
