"""Pictures of six cards, and what light, lens, sensor, haste and compression do to a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from engine.cards import STANDARD_DECK
from tests.drawing.tables import Deck, at, bare, laid, lit, outline_mask, points
from vision.frames import Image
from vision.readings import CARD_MM

STEPS: Final[tuple[tuple[str, tuple[float, ...]], ...]] = (
    ("none", (0,)),
    ("blur", (1.0, 1.5, 2.0, 2.5)),
    ("motion", (5, 7, 9)),
    ("overexposed", (1.5, 2.0, 2.5)),
    ("index, px", (16, 12, 10)),
    ("salt", (0.03, 0.06)),
    ("noise", (25, 50)),
    ("JPEG", (10, 5)),
    ("glare", (1,)),
    ("tilt", (60, 70)),
    ("dark", (0.12,)),
    ("coloured", (1,)),
)
"""Each degradation with its strengths: blur: sigma of a Gaussian, pixels; motion: length of the smear, pixels;
overexposed: factor; index: its height, pixels; salt: share of the pixels that are black or white; noise: sigma, grey
levels; JPEG: quality; glare: on one index of every card; tilt: angle between the camera and the table's normal, degrees
(indices of 60 pixels before they are foreshortened); dark: factor; coloured: a lamp with a third of the blue."""
NEED_PLACES: Final = frozenset({"glare", "tilt"})
"""Those that need the place of a card, or its height before it is foreshortened."""
NEED_SIZE: Final = frozenset({"index, px"})
"""Those that need the size of a card."""


@dataclass(frozen=True, slots=True)
class Photo:
    """A picture of cards.

    `cards`: their names. `indices`: middle of one index of each, (N, 2) pixels. `height`: of an index, pixels.
    """

    image: Image
    cards: list[str]
    indices: npt.NDArray[np.float64]
    height: float


def degraded(photo: Photo, kind: str, strength: float, seed: int) -> Photo:
    """Return the picture with a degradation of `STEPS`. Raises `KeyError` for another one."""
    rng = np.random.default_rng((seed, 7))
    image = photo.image.astype(np.float32)
    match kind:
        case "none" | "index, px":
            return photo
        case "blur":
            image = np.asarray(cv2.GaussianBlur(image, (0, 0), strength), np.float32)
        case "motion":
            kernel = _smear(round(strength), rng.uniform(0, math.pi))
            image = np.asarray(cv2.filter2D(image, -1, kernel), np.float32)
        case "overexposed":
            image = image * strength
        case "salt":
            drawn = rng.random(image.shape[:2])
            image[drawn < strength / 2] = 0
            image[drawn > 1 - strength / 2] = 255
        case "noise":
            image = image + rng.normal(0, strength, image.shape).astype(np.float32)
        case "JPEG":
            _, packed = cv2.imencode(".jpg", photo.image, [cv2.IMWRITE_JPEG_QUALITY, round(strength)])
            image = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.float32)
        case "glare":
            image = _glare(image, photo)
        case "tilt":
            image = _tilted(image, math.radians(strength))
        case "dark":
            image = image * strength + rng.normal(0, 2, image.shape).astype(np.float32)
        case "coloured":
            image = image * np.array([0.33, 0.75, 1.0], np.float32)
        case _:
            raise KeyError(kind)
    return replace(photo, image=np.clip(image, 0, 255).astype(np.uint8))


def _smear(length: int, angle: float) -> npt.NDArray[np.float32]:
    """Return the kernel of a movement by `length` pixels."""
    size = 2 * length + 1
    kernel = np.zeros((size, size), np.float32)
    dx, dy = math.cos(angle) * (length - 1) / 2, math.sin(angle) * (length - 1) / 2
    ends = [(round((length + sign * dx) * 256), round((length + sign * dy) * 256)) for sign in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1, cv2.LINE_AA, 8)
    return np.asarray(kernel / kernel.sum(), np.float32)


def _glare(image: npt.NDArray[np.float32], photo: Photo) -> npt.NDArray[np.float32]:
    """Return the picture with a white spot on each index of `photo.indices`."""
    rows, columns = np.mgrid[: image.shape[0], : image.shape[1]].astype(np.float32)
    for x, y in photo.indices:
        away = ((columns - x) ** 2 + (rows - y) ** 2) / (2 * (0.45 * photo.height) ** 2)
        image = image + 400 * np.exp(-away)[..., None]
    return image


def _tilted(image: npt.NDArray[np.float32], tilt: float) -> npt.NDArray[np.float32]:
    """Return the picture as a camera sees it that looks down at an angle, from 2.5 picture widths away."""
    tall, wide = image.shape[:2]
    distance = 2.5 * wide
    cos, sin = math.cos(tilt), math.sin(tilt)
    corners = np.array([[-wide, -tall], [wide, -tall], [wide, tall], [-wide, tall]]) / 2
    depth = distance - corners[:, 1] * sin
    seen = np.stack([corners[:, 0], corners[:, 1] * cos], axis=1) * (distance / depth)[:, None]
    low, high = seen.min(axis=0) - 20, seen.max(axis=0) + 20
    flat = (corners + np.array([wide, tall]) / 2).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(flat, (seen - low).astype(np.float32))
    size = (math.ceil(high[0] - low[0]), math.ceil(high[1] - low[1]))
    soft = cv2.GaussianBlur(image, (0, 0), sigmaX=0.01, sigmaY=0.4 / cos)
    return np.asarray(
        cv2.warpPerspective(soft, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32
    )


def six_cards(deck: Deck, height: float, seed: int) -> Photo:
    """Return six separate cards at any angle, their indices `height` pixels high."""
    rng = np.random.default_rng((seed, 16))
    px_per_mm = height / (deck.index.bottom - deck.index.top)
    cards = [STANDARD_DECK.cards[k] for k in rng.permutation(52)[:6]]
    shape = (round(235 * px_per_mm), round(345 * px_per_mm))
    table = bare(("green", "dark", "wood")[seed % 3], shape, px_per_mm, rng)
    camera, middles = np.diag([px_per_mm, px_per_mm, 1.0]), []
    for k, card in enumerate(cards):
        place = at(60 + 112 * (k % 3) + rng.uniform(-3, 3), 60 + 115 * (k // 3), rng.uniform(0, 2 * np.pi))
        matrix = camera @ place @ at(-CARD_MM[0] / 2, -CARD_MM[1] / 2)
        share = laid(outline_mask(), matrix, shape, px_per_mm)[..., None].astype(np.float32) / 255
        table += (0.97 * laid(deck.cards[card], matrix, shape, px_per_mm) - table) * share
        box = deck.index
        middles.append(points(matrix, np.array([[(box.left + box.right) / 2, (box.top + box.bottom) / 2]]))[0])
    return Photo(lit(table, "even", px_per_mm, rng), [str(card) for card in cards], np.array(middles), height)
