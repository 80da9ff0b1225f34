"""Backs of cards, which show no index."""

from __future__ import annotations

import cv2
import numpy as np

from lab.training.artwork import HEIGHT, WIDTH
from vision.frames import Image


def card_back(rng: np.random.Generator) -> Image:
    """Return a card's back: a repeated tile of lines and dots inside a margin."""
    tile = np.full((16, 16, 3), 255, np.uint8)
    for _ in range(rng.integers(2, 6)):
        ends = rng.integers(0, 16, 4).tolist()
        colour = tuple(float(v) for v in rng.uniform(0, 200, 3))
        if rng.random() < 0.5:
            cv2.line(tile, (ends[0], ends[1]), (ends[2], ends[3]), colour, int(rng.integers(1, 4)))
        else:
            cv2.circle(tile, (ends[0], ends[1]), 2 + ends[2] // 4, colour, int(rng.integers(-1, 3)) or 1)
    size = int(rng.integers(10, 40))
    tile = np.asarray(cv2.resize(tile, (size, size)), np.uint8)
    picture = np.tile(tile, (HEIGHT // size + 1, WIDTH // size + 1, 1))[:HEIGHT, :WIDTH].copy()
    cv2.rectangle(picture, (0, 0), (WIDTH - 1, HEIGHT - 1), (255, 255, 255), 2 * int(rng.integers(0, 14)) + 1)
    return picture
