"""The light over the simulated table, and the noise of its camera."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from cardtable.simulation.camera import HEIGHT, WIDTH
from cardtable.simulation.sprites import Rect
from vision.frames import Image

NOISE_SIGMA: Final = 2.2
"""Standard deviation of the sensor noise in grey levels of 255, independent for each pixel and channel."""
BIAS: Final = 9
"""Grey levels by which the settled picture is kept darker, so that adding noise is one saturated addition."""
LENS_BLUR_PX: Final = 0.65
"""Standard deviation of the lens blur."""
_DRIFT: Final = 2.0  # amplitude of the slow change of brightness, grey levels
_SPARE: Final = 64  # pixels by which a noise tile is larger than the picture
_BRIGHTEST: Final = 200.0  # the value of a gain of 1
_COARSE: Final = 8  # the gain is computed for every eighth pixel and enlarged


class Light:
    """A lamp beside the table, vignetting, a slow drift of brightness, and sensor noise."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._gain = _gain(rng)
        noise = rng.standard_normal((HEIGHT + _SPARE, WIDTH + _SPARE, 3), dtype=np.float32) * NOISE_SIGMA
        # The brightness drifts in steps of half a grey level, which cannot be seen under the noise.
        self._tiles = [
            np.asarray(cv2.convertScaleAbs(noise, alpha=1.0, beta=BIAS + float(offset)), np.uint8)
            for offset in np.arange(-_DRIFT, _DRIFT + 0.1, 0.5)
        ]
        self._phases = rng.uniform(0, 2 * np.pi, 2)

    def fall_on(self, sharp: Image, part: Rect) -> Image:
        """Return one part of the sharp picture after lighting and lens blur, darker by `BIAS`."""
        wide = part.grown(4).clipped(WIDTH, HEIGHT)
        lit = cv2.multiply(wide.of(sharp), wide.of(self._gain), scale=1 / _BRIGHTEST)
        soft = np.asarray(cv2.GaussianBlur(lit, (0, 0), LENS_BLUR_PX), np.uint8)
        own = part.moved(-wide.x0, -wide.y0)
        return np.asarray(cv2.subtract(own.of(soft), np.array([BIAS, BIAS, BIAS, 0], np.float64)), np.uint8)

    def brightness(self, part: Rect) -> float:
        """Return the mean illumination of this part: about 1."""
        inside = part.clipped(WIDTH, HEIGHT)
        if inside.empty:
            return 1.0
        return float(self._gain[inside.y0 : inside.y1 : 8, inside.x0 : inside.x1 : 8, 1].mean()) / _BRIGHTEST

    def exposed(self, settled: Image, time: float) -> Image:
        """Return the picture as the sensor records it at `time` (seconds), in a new array."""
        slow = 0.7 * np.sin(time / 7.0 + self._phases[0]) + 0.3 * np.sin(time / 2.3 + self._phases[1])
        tile = self._tiles[round((float(slow) + 1) / 2 * (len(self._tiles) - 1))]
        y, x = (int(value) for value in self._rng.integers(0, _SPARE, 2))
        return np.asarray(cv2.add(settled, tile[y : y + HEIGHT, x : x + WIDTH]), np.uint8)


def _gain(rng: np.random.Generator) -> Image:
    """Return the illumination of each pixel: (HEIGHT, WIDTH, 3) uint8; `_BRIGHTEST` stands for a factor of 1."""
    across, down = np.meshgrid(
        np.linspace(-1, 1, WIDTH // _COARSE, dtype=np.float32), np.linspace(-1, 1, HEIGHT // _COARSE, dtype=np.float32)
    )
    lean = rng.uniform(-0.10, 0.10), rng.uniform(-0.09, 0.03)
    lamp = rng.uniform(-0.6, 0.6), rng.uniform(-0.9, -0.2)
    pool = np.exp(-((across - lamp[0]) ** 2 + (down - lamp[1]) ** 2 * 0.6) / 1.8)
    vignette = 1 - 0.13 * (across**2 + down**2) / 2
    level = (0.88 + lean[0] * across + lean[1] * down + 0.16 * pool) * vignette
    warm: npt.NDArray[np.float32] = np.array([0.965, 1.0, 1.012], np.float32)
    coarse = np.clip(level[..., None] * warm * _BRIGHTEST, 0, 255).astype(np.float32)
    return np.rint(cv2.resize(coarse, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)).clip(0, 255).astype(np.uint8)


def passing_shadow(rng: np.random.Generator) -> Image:
    """Return the soft shadow of a person leaning over the table: (h, w, 3) uint8; 255 means no shadow."""
    height, width = 420, 620
    down, across = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    blob = np.exp(-3.2 * (across**2 * rng.uniform(0.9, 1.3) + down**2)) - np.exp(-3.2)
    dark = np.clip(blob, 0, None) * rng.uniform(0.05, 0.10)
    return np.repeat(np.rint(255 * (1 - dark)).astype(np.uint8)[..., None], 3, axis=2)
