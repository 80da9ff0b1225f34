"""Measurements of rectified pictures: cards and corner marks seen from above, and the mat as a whole."""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image
from vision.table.homography import Homography

Grey = npt.NDArray[np.uint8]
"""(h, w) uint8: grey levels."""

PX_PER_MM: Final = 8.0
"""Pixels per millimetre of a rectified mark or card, for `spread_mm`."""


def rectified(image: Image, homography: Homography, corners: object, px_per_mm: float = PX_PER_MM) -> Image | None:
    """Return a mark or card seen from above, BGR; None if a part of it is outside the picture.

    `corners`: (4, 2) mm on the mat, clockwise from its top left.
    """
    places = np.asarray(corners, np.float64)
    pixels = homography.to_px(places)
    height, width = image.shape[:2]
    if (pixels < 0).any() or (pixels >= (width, height)).any():
        return None
    across, down = (max(round(float(np.linalg.norm(places[k] - places[0])) * px_per_mm), 1) for k in (1, 3))
    upright = np.array([[0, 0], [across, 0], [across, down], [0, down]], np.float32)
    transform = cv2.getPerspectiveTransform(pixels.astype(np.float32), upright)
    interpolation = cv2.INTER_CUBIC if px_per_mm >= PX_PER_MM else cv2.INTER_LINEAR
    return np.asarray(cv2.warpPerspective(image, transform, (across, down), flags=interpolation), np.uint8)


def grey(image: Image) -> Grey:
    """Return the grey levels of a BGR picture."""
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)


def overexposed(image: Image, level: float) -> Grey:
    """Return where all three channels of a BGR picture have at least this grey level: 1, elsewhere 0."""
    blue, green, red = cv2.split(image)
    darkest = cv2.min(cv2.min(blue, green), red)
    return np.asarray(cv2.threshold(darkest, math.ceil(level) - 1, 1, cv2.THRESH_BINARY)[1], np.uint8)


def spread_mm(picture: Grey, printed: float = 5.0) -> float:
    """Return the blur of a picture at `PX_PER_MM`: the standard deviation, mm, of the Gaussian with its steepest edge.

    A step of height h under a Gaussian blur of standard deviation s has the slope h / (s √(2π)) in its middle.
    `printed`: the least share of the picture that is black, and that is white, in percent. Edges take two fifths of it.
    """
    smooth = cv2.GaussianBlur(picture.astype(np.float32), (0, 0), 1.0)
    slopes = np.hypot(cv2.Sobel(smooth, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(smooth, cv2.CV_32F, 0, 1) / 8)
    low, high = np.percentile(smooth, (printed, 100 - printed)).tolist()
    height = high - low
    steepest = float(np.percentile(slopes, 100 - 0.4 * printed))
    return math.inf if steepest <= 0 else height / (steepest * math.sqrt(2 * math.pi)) / PX_PER_MM
