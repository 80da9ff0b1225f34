"""Rendered decks for the tests of training."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from engine.cards import STANDARD_DECK
from lab.training.artwork import HEIGHT, WIDTH
from lab.training.files import imwrite
from tests.drawing.faces import Style, face_of


def rendered(root: Path) -> Path:
    """Write decks to `root` as `render` does, from our own drawn cards; return it."""
    for deck, style in (("one", Style()), ("two", Style(8.0, 600))):
        (root / deck).mkdir(parents=True)
        for card in STANDARD_DECK:
            picture = cv2.resize(face_of(card, style), (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
            imwrite(root / deck / f"{card}.png", np.asarray(picture, np.uint8))
    return root
