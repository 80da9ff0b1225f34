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
"""Grey levels (of 255), each pixel and colour by itself."""
BIAS: Final = 9
"""The settled picture is kept so much darker than it is shown: noise is then one saturated addition."""
LENS_BLUR_PX: Final = 0.65
_DRIFT: Final = 2.0
_SPARE: Final = 64
_BRIGHTEST: Final = 200.0
_COARSE: Final = 8


class Light:
    """A lamp beside the table, a vignette, a slow drift of brightness, and sensor noise; all from one seed."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._gain = _gain(rng)
        noise = rng.standard_normal((HEIGHT + _SPARE, WIDTH + _SPARE, 3), dtype=np.float32) * NOISE_SIGMA
        # Drift in steps of half a grey level: too small to be seen as steps under the noise.
        self._tiles = [
            np.asarray(cv2.convertScaleAbs(noise, alpha=1.0, beta=BIAS + float(offset)), np.uint8)
            for offset in np.arange(-_DRIFT, _DRIFT + 0.1, 0.5)
        ]
        self._phases = rng.uniform(0, 2 * np.pi, 2)

    def fall_on(self, sharp: Image, part: Rect) -> Image:
        """What the lens makes of one part of the sharp picture: lit, a little soft, and darker by `BIAS`."""
        wide = part.grown(4).clipped(WIDTH, HEIGHT)
        lit = cv2.multiply(wide.of(sharp), wide.of(self._gain), scale=1 / _BRIGHTEST)
        soft = np.asarray(cv2.GaussianBlur(lit, (0, 0), LENS_BLUR_PX), np.uint8)
        own = part.moved(-wide.x0, -wide.y0)
        return np.asarray(cv2.subtract(own.of(soft), np.array([BIAS, BIAS, BIAS, 0], np.float64)), np.uint8)

    def brightness(self, part: Rect) -> float:
        """How strongly the light falls on that part, on average: about 1."""
        inside = part.clipped(WIDTH, HEIGHT)
        if inside.empty:
            return 1.0
        return float(self._gain[inside.y0 : inside.y1 : 8, inside.x0 : inside.x1 : 8, 1].mean()) / _BRIGHTEST

    def exposed(self, settled: Image, time: float) -> Image:
        """The picture as the sensor gives it at `time` seconds: a new array."""
        slow = 0.7 * np.sin(time / 7.0 + self._phases[0]) + 0.3 * np.sin(time / 2.3 + self._phases[1])
        tile = self._tiles[round((float(slow) + 1) / 2 * (len(self._tiles) - 1))]
        y, x = (int(value) for value in self._rng.integers(0, _SPARE, 2))
        return np.asarray(cv2.add(settled, tile[y : y + HEIGHT, x : x + WIDTH]), np.uint8)


def _gain(rng: np.random.Generator) -> Image:
    """How much light falls where: (HEIGHT, WIDTH, 3) uint8, `_BRIGHTEST` is unchanged."""
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
    """The soft shadow of someone who leans over: (h, w, 3) uint8, 255 means no shadow."""
    height, width = 420, 620
    down, across = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    blob = np.exp(-3.2 * (across**2 * rng.uniform(0.9, 1.3) + down**2)) - np.exp(-3.2)
    dark = np.clip(blob, 0, None) * rng.uniform(0.05, 0.10)
    return np.repeat(np.rint(255 * (1 - dark)).astype(np.uint8)[..., None], 3, axis=2)
