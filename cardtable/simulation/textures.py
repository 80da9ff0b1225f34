"""The printed faces and backs of the simulated cards."""

from __future__ import annotations

from functools import cache
from typing import Final, Literal, get_args

import cv2
import numpy as np

from cardtable.printing.cards import card_picture, plain_drawing
from cardtable.printing.picture import picture as drawn
from cardtable.simulation.deck import back_picture, face_picture
from cardtable.simulation.sprites import CARD_PX, TEXTURE_PX_PER_MM, card_shape
from engine.cards import SUIT_NAMES, Card
from engine.observations import ActionCard
from vision.frames import Image
from vision.readings import CARD_MM

Marks = Literal["faces", "qr", "aruco", "plain"]
KINDS: Final[tuple[Marks, ...]] = get_args(Marks)
MARKS: Final = KINDS[:3]
"""The kinds that need no learned deck to be read; `plain` cards do."""
_EDGE: Final = (184, 187, 190)
_PAPER: Final = np.array([0.955, 0.97, 0.98], np.float32)
"""Factors for blue, green and red: paper is darker and slightly warmer than white."""


@cache
def texture(face: Card | ActionCard | None, marks: Marks, mark: int | None = None) -> Image:
    """Return the upright picture of a card at `TEXTURE_PX_PER_MM`: uint8 BGR. `face`: None for the back.

    With the marks `faces` an ordinary card shows its printed face; action cards and the cards of a game's own deck have
    an ArUco mark. With `plain` the cards of a game's own deck have no mark either. `mark`: the ArUco id of an action
    card.
    """
    if face is None:
        picture = back_picture()
    elif marks in ("faces", "plain") and isinstance(face, Card) and face.suit in SUIT_NAMES:
        picture = face_picture(face)
    elif marks == "plain" and isinstance(face, Card):
        picture = drawn(plain_drawing(face), *CARD_MM, TEXTURE_PX_PER_MM)
    else:
        words = {face.text: mark} if isinstance(face, ActionCard) and mark is not None else {}
        picture = card_picture(face, "qr" if marks == "qr" else "aruco", TEXTURE_PX_PER_MM, words=words)
    return printed(picture)


def printed(picture: Image, size: tuple[int, int] = CARD_PX) -> Image:
    """Return a drawn card as it is printed: at `TEXTURE_PX_PER_MM`, in the colour of paper, with cut edges.

    `picture`: the upright card, uint8 BGR, any size. `size`: width and height of the result, pixels.
    """
    if (picture.shape[1], picture.shape[0]) != size:
        picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    out = (picture * _PAPER).astype(np.uint8)
    # The cut edge reflects less light; the line separates a white card from another white card.
    shape = card_shape(size)
    inner = cv2.erode(shape, np.ones((3, 3), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    out[(shape > 0) & (inner < 255)] = _EDGE
    return out
