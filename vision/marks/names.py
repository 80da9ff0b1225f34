"""What a mark means: the table of ArUco ids, the texts of QR codes, and where a mark lies on its card.

The ids are fixed for good, for decks are printed with them: a new word is added at the end of `WORDS`.

| id | face |
| --- | --- |
| 0–3 | the mat's corners, clockwise from the top left |
| 4–55 | the 52 cards: spades, hearts, diamonds, clubs, each from the ace to the king |
| 56–65 | brown 1 to 10 |
| 66–74 | green 1 to 9 |
| 75–86 | value cards: 1 and 2 of red, blue, yellow, black, orange, purple |
| from 100 | words, in the order of `WORDS` |

    >>> aruco_id(Card("A", "S")), aruco_face(55), aruco_face(0)
    (4, Card('KC'), None)
    >>> qr_text(Word("take-one")), qr_face("ct1:10H"), qr_face("https://example.org")
    ('ct1:say:take-one', Card('10H'), None)
"""

from __future__ import annotations

import re
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from engine.cards import RANKS, SUITS, Card, UnknownCard, parse_card
from engine.observations import ActionCard
from vision.readings import CARD_MM

DICTIONARY: Final = cv2.aruco.DICT_4X4_250
CORNER_IDS: Final = (0, 1, 2, 3)
COLOURS: Final = ("red", "blue", "yellow", "black", "orange", "purple")
WORDS: Final = (
    "stand", "beg", "take-one", "change", "revoke", "call",  # All Fives
    "accept", "switch", "give",  # Fifteen
    "go",  # cribbage
    "card", "stay", "pass",  # It's 15
)  # fmt: skip
FIRST_WORD: Final = 100

QR_PREFIX: Final = "ct1:"
_SAY = "say:"
_WORD = re.compile(r"[a-z]+(-[a-z]+)*")

ARUCO_MM: Final = 16.0
ARUCO_INSET: Final = 4.0
"""The mark's distance from the card's top and left edge; a second mark, turned by 180°, lies opposite."""
QR_MM: Final = 44.1
"""21 modules of 2.1 mm; the quiet zone of four modules on either side just fits on the card's width."""


def _all_faces() -> dict[int, Card | ActionCard]:
    numbers = [Card(rank, suit) for suit in SUITS for rank in RANKS]
    numbers += [Card(str(n), "brown") for n in range(1, 11)]
    numbers += [Card(str(n), "green") for n in range(1, 10)]
    numbers += [Card(str(n), colour) for colour in COLOURS for n in (1, 2)]
    faces: dict[int, Card | ActionCard] = dict(enumerate(numbers, start=len(CORNER_IDS)))
    return faces | {FIRST_WORD + i: ActionCard(word) for i, word in enumerate(WORDS)}


FACES: Final = _all_faces()
_IDS = {face: id_ for id_, face in FACES.items()}


def aruco_id(face: Card | ActionCard) -> int:
    """The ArUco id of `face`, of the dictionary 4×4 with 250 marks. Raises `ValueError` where it has none."""
    try:
        return _IDS[face]
    except KeyError:
        raise ValueError(f"there is no ArUco mark for {face}; print it with a QR code (--marks qr)") from None


def aruco_face(id_: int) -> Card | ActionCard | None:
    """What the mark means; None for a corner mark and for an id that is not ours."""
    return FACES.get(id_)


def qr_text(face: Card | ActionCard) -> str:
    """The text of the QR code of `face`. Every card and word has one."""
    return f"{QR_PREFIX}{face}"


def qr_face(text: str) -> Card | ActionCard | None:
    """What the code means; None where it is not ours."""
    if not text.startswith(QR_PREFIX):
        return None
    rest = text.removeprefix(QR_PREFIX)
    if rest.startswith(_SAY):
        word = rest.removeprefix(_SAY)
        return ActionCard(word) if _WORD.fullmatch(word) else None
    try:
        return parse_card(rest)
    except UnknownCard:
        return None


def aruco_places() -> npt.NDArray[np.float64]:
    """(2, 4, 2): the corners of the two marks on a card, mm from its top left, clockwise from the mark's own."""
    width, height = CARD_MM
    low, high = ARUCO_INSET, ARUCO_INSET + ARUCO_MM
    first = np.array([(low, low), (high, low), (high, high), (low, high)], dtype=np.float64)
    return np.stack([first, np.array([width, height]) - first])


def qr_place() -> npt.NDArray[np.float64]:
    """(4, 2): the corners of the QR code on a card, mm from its top left, clockwise from the code's own."""
    width, height = CARD_MM
    left, top = (width - QR_MM) / 2, (height - QR_MM) / 2
    right, bottom = left + QR_MM, top + QR_MM
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], dtype=np.float64)
