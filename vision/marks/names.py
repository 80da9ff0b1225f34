"""The faces that marks stand for: ArUco ids, the texts of QR codes, and the position of a mark on its card.

The ids never change, because decks are printed with them.

| id | face |
| --- | --- |
| 0–3 | the mat's corners, clockwise from the top left |
| 4–55 | the 52 cards: spades, hearts, diamonds, clubs, each from the ace to the king |
| 56–65 | brown 1 to 10 |
| 66–74 | green 1 to 9 |
| 75–86 | value cards: 1 and 2 of red, blue, yellow, black, orange, purple |
| 87–99, 190–193 | action cards of the table: same again, new game, good night, one for each game of this project |
| from 100 | action cards: each game declares the ids of its words |

The ids of action cards are passed in as a mapping (`WordMarks`).

    >>> aruco_id(Card("A", "S")), aruco_id(ActionCard("beg"), {"beg": 101})
    (4, 101)
    >>> faces_by_id({"beg": 101})[101], faces_by_id()[55], 0 in faces_by_id()
    (ActionCard(text='beg'), Card('KC'), False)
    >>> qr_text(ActionCard("take-one")), qr_face("ct1:10H"), qr_face("https://example.org")
    ('ct1:say:take-one', Card('10H'), None)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from engine.cards import RANKS, SUITS, Card, UnknownCard, parse_card
from engine.observations import ActionCard
from vision.readings import CARD_MM

DICTIONARY: Final = cv2.aruco.DICT_4X4_250
CORNER_IDS: Final = (0, 1, 2, 3)
"""The ArUco ids of the corner marks, clockwise from the top left of the mat."""
COLOURS: Final = ("red", "blue", "yellow", "black", "orange", "purple")
WordMarks = Mapping[str, int]
"""The ArUco id of the action card of each word, by the word's name (`engine.games.word_marks`)."""
NO_WORDS: Final[WordMarks] = MappingProxyType({})

QR_PREFIX: Final = "ct1:"
_SAY = "say:"
_WORD = re.compile(r"[a-z]+(-[a-z0-9]+)*|0|[1-9][0-9]*|[1-9](c|d|h|s|nt)", re.ASCII)

ARUCO_MM: Final = 16.0
"""Side of the mark, including its dark border, mm."""
ARUCO_INSET: Final = 4.0
"""Distance of the mark from the top and left edges of the card, mm. A second mark, turned by 180°, is opposite."""
QR_MM: Final = 44.1
"""Side of the QR code: 21 modules of 2.1 mm. With a quiet zone of four modules on each side it fits a card."""


def _all_cards() -> dict[int, Card]:
    numbers = [Card(rank, suit) for suit in SUITS for rank in RANKS]
    numbers += [Card(str(n), "brown") for n in range(1, 11)]
    numbers += [Card(str(n), "green") for n in range(1, 10)]
    numbers += [Card(str(n), colour) for colour in COLOURS for n in (1, 2)]
    return dict(enumerate(numbers, start=len(CORNER_IDS)))


CARDS: Final = _all_cards()
"""The card of each ArUco id."""
_IDS: Final = {card: id_ for id_, card in CARDS.items()}


def aruco_id(face: Card | ActionCard, words: WordMarks = NO_WORDS) -> int:
    """Return the ArUco id of `face` in the 4×4 dictionary of 250 marks. Raises `ValueError` if it has none."""
    id_ = words.get(face.text) if isinstance(face, ActionCard) else _IDS.get(face)
    if id_ is None:
        raise ValueError(f"there is no ArUco mark for {face}; print it with a QR code (--marks qr)")
    return id_


def faces_by_id(words: WordMarks = NO_WORDS) -> dict[int, Card | ActionCard]:
    """Return the face of every ArUco id: the cards, and the action cards of `words`.

    If two words have the same id, the first of them counts.
    """
    faces: dict[int, Card | ActionCard] = {id_: ActionCard(word) for word, id_ in reversed(list(words.items()))}
    return faces | CARDS


def qr_text(face: Card | ActionCard) -> str:
    """Return the text of the QR code of `face`. Every card and word has one."""
    return f"{QR_PREFIX}{face}"


def qr_face(text: str) -> Card | ActionCard | None:
    """Return the face that the text of a QR code stands for; None if it is not one of this program's codes."""
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
    """Return the corners of the two ArUco marks on a card: (2, 4, 2), mm from the top left corner of the card.

    The corners of each mark are in clockwise order from the mark's own top left.
    """
    width, height = CARD_MM
    low, high = ARUCO_INSET, ARUCO_INSET + ARUCO_MM
    first = np.array([(low, low), (high, low), (high, high), (low, high)], dtype=np.float64)
    return np.stack([first, np.array([width, height]) - first])


def qr_place() -> npt.NDArray[np.float64]:
    """Return the corners of the QR code on a card: (4, 2), mm from the top left corner of the card, clockwise."""
    width, height = CARD_MM
    left, top = (width - QR_MM) / 2, (height - QR_MM) / 2
    right, bottom = left + QR_MM, top + QR_MM
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], dtype=np.float64)
