"""The packaged deck: pictures of the npm package `@letele/playing-cards` 0.1.0, CC0 (LICENSE beside this file).

`lab/make_deck_pictures.py` made them.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

import cv2
import numpy as np

from engine.cards import RANKS, SUITS, Card
from vision.frames import Image
from vision.readings import CARD_MM

PX_PER_MM: Final = 4.0
CARD_PX: Final = (int(CARD_MM[0] * PX_PER_MM), int(CARD_MM[1] * PX_PER_MM))
"""Width and height of a card's picture, pixels."""
SHEET_NAME: Final = "faces.png"
BACK_NAME: Final = "back.png"


def face_picture(card: Card) -> Image:
    """The face of one card of the ordinary deck: (352, 252, 3) BGR, upright, square corners."""
    width, height = CARD_PX
    row, column = SUITS.index(card.suit), RANKS.index(card.rank)
    return _picture(SHEET_NAME)[row * height : (row + 1) * height, column * width : (column + 1) * width]


def back_picture() -> Image:
    """The back of every card: (352, 252, 3) BGR."""
    return _picture(BACK_NAME)


@cache
def _picture(name: str) -> Image:
    data = np.frombuffer(files(__name__).joinpath(name).read_bytes(), np.uint8)
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
    if picture is None:
        raise RuntimeError(f"the packaged picture {name} cannot be read; install the program again")
    return np.asarray(picture, np.uint8)
