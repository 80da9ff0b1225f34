"""The appearance of a card: its face cut out upright, and a form in which lighting has little effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.faces.geometry import Floats, Quad
from vision.faces.pyramid import to_level
from vision.frames import Image

FACE_SIZE: Final = (126, 176)
"""Width and height of a stored face, pixels: 2 per millimetre for a poker card."""
ROUGH_SIZE: Final = (63, 88)
"""Width and height of the rough form, pixels: 1 per millimetre."""
RIM: Final = 2
"""Pixels at the edge of the rough form that are not compared: shadows, rounded corners, and the table."""
FINE_BLUR: Final = 1.0
"""Standard deviation of the blur of the fine form, pixels."""
ROUGH_BLUR: Final = 0.8
"""Standard deviation of the blur of the rough form, pixels."""
PAPER_PERCENTILE: Final = 96.0
"""Percentile of each channel that is taken as the colour of the paper."""


@dataclass(frozen=True, slots=True, eq=False)
class Appearance:
    """A face prepared for comparison. `fine`: (176, 126, 3) float32 CIE Lab. `rough`: (N,) float32, of length 1."""

    fine: Floats
    rough: Floats

    def upside_down(self) -> Appearance:
        """Return the appearance of the same card rotated by half a turn."""
        return Appearance(np.ascontiguousarray(self.fine[::-1, ::-1]), _rough(_small(self.fine)[::-1, ::-1]))


def cut_out(levels: list[Image], quad: Quad) -> Image:
    """Return the face with its corners at `quad`, upright, (176, 126, 3) uint8 BGR.

    `levels`: an image pyramid; `quad` is in pixels of its first level. The level is chosen to avoid aliasing.
    """
    side = float(np.linalg.norm(quad[0] - quad[3]) + np.linalg.norm(quad[1] - quad[2])) / 2
    level = 0
    while level + 1 < len(levels) and side / FACE_SIZE[1] > 1.7:
        side /= 2
        level += 1
    width, height = FACE_SIZE
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    matrix = cv2.getPerspectiveTransform(to_level(quad, level), corners)
    face = cv2.warpPerspective(levels[level], matrix, FACE_SIZE, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(face, np.uint8)


def appearance_of(face: Image) -> Appearance:
    """Return the appearance of a face as `cut_out` gives it.

    Each channel is divided by that of the paper, so that warm light does not change every card; the brightest part is
    taken as paper. A face without white is not made white: the gains of the channels differ by a factor of 1.9 at most.
    """
    picture = face.astype(np.float32) / 255
    inner = picture[2 * RIM : -2 * RIM : 2, 2 * RIM : -2 * RIM : 2]
    paper = np.percentile(inner.reshape(-1, 3), PAPER_PERCENTILE, axis=0)
    level = max(float(paper.mean()), 0.04)
    balanced = np.clip(picture / (level * np.clip(paper / level, 0.7, 1.3)), 0, 1.1).astype(np.float32)
    fine = np.asarray(cv2.cvtColor(cv2.GaussianBlur(balanced, (0, 0), FINE_BLUR), cv2.COLOR_BGR2Lab), np.float32)
    return Appearance(fine, _rough(_small(fine)))


def _small(fine: Floats) -> Floats:
    small = cv2.resize(fine, ROUGH_SIZE, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), ROUGH_BLUR), np.float32)


def _rough(small: Floats) -> Floats:
    """Return the picture without rim and mean colour as a vector of length 1: dot products are correlations."""
    part = small[RIM:-RIM, RIM:-RIM]
    flat = (part - part.reshape(-1, 3).mean(axis=0)).reshape(-1)
    return np.asarray(flat / max(float(np.linalg.norm(flat)), 1e-6), np.float32)
