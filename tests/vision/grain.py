"""The noise of a camera's sensor, for films that are drawn frame by frame."""

from __future__ import annotations

import cv2
import numpy as np

from vision.frames import Image

_SPARE = 64


class Grain:
    """Noise that differs in every frame: each gets another window of one large field of noise.

    `height`, `width`: of the pictures, in pixels. `sigma`: standard deviation in grey levels.
    """

    def __init__(self, height: int, width: int, sigma: float, rng: np.random.Generator) -> None:
        field = rng.normal(0, sigma, (height + _SPARE, width + _SPARE, 3))
        self._field = np.clip(np.rint(field), -127, 127).astype(np.int16)
        self._rng = rng

    def added_to(self, image: Image) -> Image:
        """Return `image`, which is unchanged, with noise."""
        down, right = (int(v) for v in self._rng.integers(0, _SPARE, 2))
        window = self._field[down : down + image.shape[0], right : right + image.shape[1]]
        return np.asarray(cv2.add(image.astype(np.int16), window, dtype=cv2.CV_8U), dtype=np.uint8)
