"""The appearance of a card: its face cut out upright, and a form in which lighting has little effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.faces.geometry import Floats, Quad
from vision.faces.pyramid import level_for, to_level
from vision.frames import Image

FACE_SIZE: Final = (126, 176)
"""Width and height of a stored face, pixels: 2 per millimetre for a poker card. Decks are stored in this size."""
ROUGH_SIZE: Final = (63, 88)
"""Width and height of the rough form, pixels: 1 per millimetre."""


@dataclass(frozen=True, slots=True)
class AppearanceSettings:
    """How a face is prepared for comparison. Brightness is 0 to 1."""

    rim: int = 2
    """Pixels at the edge of the rough form that are not compared: shadows, rounded corners, and the table. Higher:
    print near the edge does not count; lower: rough outlines make faces less alike."""
    fine_blur: float = 1.0
    """Standard deviation of the blur of the fine form, pixels. Higher: small signs are lost; lower: noise and a blurred
    lens make faces less alike."""
    rough_blur: float = 0.8
    """Standard deviation of the blur of the rough form, pixels. Higher: different cards are more alike."""
    paper_percentile: float = 96.0
    """Percentile of each channel that is taken as the colour of the paper. Higher: reflections count as paper; lower:
    print does."""
    min_paper: float = 0.04
    """Brightness that the paper has at least. Lower: noise in the dark is amplified."""
    paper_tint: tuple[float, float] = (0.7, 1.3)
    """Range of a channel of the paper relative to the mean of the three. Wider: stronger colours of light are removed,
    and so is the colour of a face without white."""
    max_brightness: float = 1.1
    """Brightness, relative to the paper, at which a channel is clipped. Higher: reflections make faces less alike."""


DEFAULTS: Final = AppearanceSettings()


@dataclass(frozen=True, slots=True, eq=False)
class Appearance:
    """A face prepared for comparison. `fine`: (176, 126, 3) float32 CIE Lab. `rough`: (N,) float32, of length 1."""

    fine: Floats
    rough: Floats

    def upside_down(self, settings: AppearanceSettings = DEFAULTS) -> Appearance:
        """Return the appearance of the same card rotated by half a turn. `settings`: those that it was made with."""
        small = _small(self.fine, settings)[::-1, ::-1]
        return Appearance(np.ascontiguousarray(self.fine[::-1, ::-1]), _rough(small, settings))


def cut_out(levels: list[Image], quad: Quad) -> Image:
    """Return the face with its corners at `quad`, upright, (176, 126, 3) uint8 BGR.

    `levels`: an image pyramid. `quad`: in pixels of its first level.
    """
    side = float(np.linalg.norm(quad[0] - quad[3]) + np.linalg.norm(quad[1] - quad[2])) / 2
    level = level_for(levels, side / FACE_SIZE[1])
    width, height = FACE_SIZE
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    matrix = cv2.getPerspectiveTransform(to_level(quad, level), corners)
    face = cv2.warpPerspective(levels[level], matrix, FACE_SIZE, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(face, np.uint8)


def appearance_of(face: Image, settings: AppearanceSettings = DEFAULTS) -> Appearance:
    """Return the appearance of a face as `cut_out` gives it, (176, 126, 3) uint8 BGR.

    Each channel is divided by that of the paper, so that warm light does not change every card; the brightest part is
    taken as paper. A face without white is not made white: the gains of the channels differ by a factor of 1.9 at most.
    """
    picture = face.astype(np.float32) / 255
    edge = 2 * settings.rim
    inner = picture[edge:-edge:2, edge:-edge:2]
    paper = np.percentile(inner.reshape(-1, 3), settings.paper_percentile, axis=0)
    level = max(float(paper.mean()), settings.min_paper)
    white = level * np.clip(paper / level, *settings.paper_tint)
    balanced = np.clip(picture / white, 0, settings.max_brightness).astype(np.float32)
    soft = cv2.GaussianBlur(balanced, (0, 0), settings.fine_blur)
    fine = np.asarray(cv2.cvtColor(soft, cv2.COLOR_BGR2Lab), np.float32)
    return Appearance(fine, _rough(_small(fine, settings), settings))


def _small(fine: Floats, settings: AppearanceSettings) -> Floats:
    small = cv2.resize(fine, ROUGH_SIZE, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), settings.rough_blur), np.float32)


def _rough(small: Floats, settings: AppearanceSettings) -> Floats:
    """Return the picture without rim and mean colour as a vector of length 1: dot products are correlations."""
    rim = settings.rim
    part = small[rim:-rim, rim:-rim]
    flat = (part - part.reshape(-1, 3).mean(axis=0)).reshape(-1)
    return np.asarray(flat / max(float(np.linalg.norm(flat)), 1e-6), np.float32)
