"""Hard light and haste: the worst that lens, light, sensor and compression do to a picture that can still be read.

Strengths are drawn up to a little more than those of `lab.benchmarks.degradations`. Lengths follow the scale of the
picture, because what matters is how wide a smear is beside a stroke of an index.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.frames import Image

Floats = npt.NDArray[np.float32]
KINDS = ("focus", "motion", "exposure", "salt", "noise", "compression", "glare", "foreshortened")
SHARES = (0.22, 0.18, 0.14, 0.1, 0.09, 0.09, 0.09, 0.09)
"""Fraction of the pictures with each kind."""
FOCUS_MM = (0.4, 1.35)
"""Sigma of a lens that is out of focus, millimetres on the card."""
MOTION_MM = (1.2, 4.8)
"""Length of a smear, millimetres on the card."""
EXPOSURE = (1.2, 2.9)
"""Factor by which paper is brighter than the brightest grey level that is not clipped."""
SALT = (0.004, 0.08)
"""Fraction of the pixels that are black or white."""
NOISE = (10.0, 60.0)
"""Sigma, grey levels."""
QUALITY = (3, 20)
"""Of JPEG."""
GLARE = (150.0, 450.0)
"""Brightness added at the centre of a reflection, grey levels."""
GLARE_MM = (2.0, 9.0)
"""Its sigma, millimetres on the card."""
SQUEEZED = (0.3, 0.8)
"""Fraction of a side that remains at a steep angle, before the picture is stretched again."""


def worsened(picture: Floats, px_per_mm: float, rng: np.random.Generator) -> Image:
    """Return `picture` ((H, W, 3), grey levels) with one hardship, and often with a little noise and compression.

    `px_per_mm`: its scale.
    """
    match KINDS[rng.choice(len(KINDS), p=SHARES)]:
        case "focus":
            picture = _float(cv2.GaussianBlur(picture, (0, 0), max(0.3, rng.uniform(*FOCUS_MM) * px_per_mm)))
        case "motion":
            picture = moved(picture, rng.uniform(*MOTION_MM) * px_per_mm, rng.uniform(0, np.pi))
        case "exposure":
            white = max(float(np.percentile(picture, 95)), 60.0)
            picture = _float(picture * (rng.uniform(*EXPOSURE) * 235 / white))
        case "salt":
            picture = _salted(picture, rng.uniform(*SALT), rng)
        case "noise":
            picture = _float(picture + rng.normal(0, rng.uniform(*NOISE), picture.shape))
        case "compression":
            return _compressed(picture, int(rng.integers(*QUALITY)))
        case "glare":
            for _ in range(rng.integers(1, 4)):
                picture = _with_glare(picture, px_per_mm, rng)
        case _:
            picture = _squeezed(picture, rng.uniform(*SQUEEZED), upright=bool(rng.random() < 0.5))
    if rng.random() < 0.5:
        picture = _float(picture + rng.normal(0, rng.uniform(1, 7), picture.shape))
    return _compressed(picture, int(rng.integers(40, 95))) if rng.random() < 0.4 else _rounded(picture)


def moved(picture: Floats, length: float, angle: float) -> Floats:
    """Return the mean of the picture at the places of a straight movement by `length` pixels."""
    count = max(2, round(length))
    mean = np.zeros_like(picture)
    for at in np.linspace(-length / 2, length / 2, count):
        shift = np.array([[1, 0, at * np.cos(angle)], [0, 1, at * np.sin(angle)]])
        size = (picture.shape[1], picture.shape[0])
        mean += _float(cv2.warpAffine(picture, shift, size, borderMode=cv2.BORDER_REPLICATE)) / count
    return mean


def _float(picture: object) -> Floats:
    return np.asarray(picture, np.float32)


def _rounded(picture: Floats) -> Image:
    return np.clip(picture, 0, 255).astype(np.uint8)


def _compressed(picture: Floats, quality: int) -> Image:
    _, packed = cv2.imencode(".jpg", _rounded(picture), [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def _salted(picture: Floats, share: float, rng: np.random.Generator) -> Floats:
    hit = rng.random(picture.shape[:2]) < share
    salted = picture.copy()
    salted[hit] = np.where(rng.random(int(hit.sum())) < 0.5, 0.0, 255.0)[:, None]
    return salted


def _with_glare(picture: Floats, px_per_mm: float, rng: np.random.Generator) -> Floats:
    height, width = picture.shape[:2]
    x, y = rng.uniform(0, width), rng.uniform(0, height)
    sigma = rng.uniform(*GLARE_MM) * px_per_mm
    rows, columns = np.mgrid[:height, :width].astype(np.float32)
    spot = np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * sigma**2))
    return _float(picture + rng.uniform(*GLARE) * spot[..., None])


def _squeezed(picture: Floats, factor: float, *, upright: bool) -> Floats:
    """Return the picture with only the detail that a steep angle leaves: fewer pixels in one direction."""
    height, width = picture.shape[:2]
    size = (width, max(4, round(height * factor))) if upright else (max(4, round(width * factor)), height)
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    return _float(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR))
