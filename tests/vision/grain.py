"""The noise of a camera's sensor, for films that are drawn frame by frame."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np

from vision.frames import Image

_SPARE = 64


class Grain:
    """Noise that differs in every frame: each gets another window of one large field of noise.

    `height`, `width`: of the pictures, in pixels. `sigma`: standard deviation in grey levels.
    `rng` chooses the windows.
    """

    def __init__(self, height: int, width: int, sigma: float, rng: np.random.Generator) -> None:
        self._brighter, self._darker = _field(height + _SPARE, width + _SPARE, sigma)
        self._rng = rng

    def added_to(self, image: Image) -> Image:
        """Return `image`, which is unchanged, with noise."""
        down, right = (int(v) for v in self._rng.integers(0, _SPARE, 2))
        window = (slice(down, down + image.shape[0]), slice(right, right + image.shape[1]))
        return np.asarray(cv2.subtract(cv2.add(image, self._brighter[window]), self._darker[window]), np.uint8)


@cache
def _field(height: int, width: int, sigma: float) -> tuple[Image, ...]:
    """Return by how much each pixel is brighter, and by how much darker."""
    field = np.random.default_rng(5).normal(0, sigma, (height, width, 3))
    return tuple(np.clip(np.rint(sign * field), 0, 127).astype(np.uint8) for sign in (1, -1))
