"""Drawings of marked cards, labels, corner marks and the mat.

On a card the camera reads the mark, and people read a large rank and suit, or a word. An ArUco card has its mark in the
top left corner and again, turned by 180°, in the bottom right, so that a half-covered card can be read and the card
looks the same upside down. A QR card has one code in the centre, as large as possible.
"""

from __future__ import annotations

from typing import Literal

import cv2
import numpy as np
import numpy.typing as npt
import zxingcpp

from cardtable.paper.shapes import (
    BLACK,
    GREY,
    RED,
    WHITE,
    Colour,
    Drawing,
    Shape,
    box,
    modules,
    picture,
    rounded,
    suit,
    text,
    text_width,
    turned,
)
from engine.cards import SUIT_NAMES, Card
from engine.games import card_label
from engine.observations import ActionCard, Zone
from engine.texts import Translate, as_written, in_language
from vision.frames import Image
from vision.marks.names import (
    ARUCO_INSET,
    ARUCO_MM,
    DICTIONARY,
    NO_WORDS,
    QR_MM,
    WordMarks,
    aruco_id,
    qr_place,
    qr_text,
)
from vision.mat.layout import MARK_MM, Mat, Polygon
from vision.readings import CARD_MM

ARUCO_MODULES = 6
"""Modules on each side of a mark: four of data, and a dark border of one."""


def aruco_pattern(id_: int) -> npt.NDArray[np.bool_]:
    """Return the dark modules of an ArUco mark with its border: (6, 6) bool."""
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    return np.asarray(cv2.aruco.generateImageMarker(dictionary, id_, ARUCO_MODULES) == 0)


def qr_pattern(text: str) -> npt.NDArray[np.bool_]:
    """Return the dark modules of the smallest QR code for `text`: (N, N) bool.

    It has the best error correction for that size. N is 21 for texts of up to 17 bytes, such as those of all cards.
    Raises `ValueError` if the text is too long.
    """
    found: list[npt.NDArray[np.bool_]] = []
    for level in "LMQH":
        try:
            code = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode, ec_level=level)
        except ValueError:
            break
        found.append(np.asarray(code.to_image(scale=1, add_quiet_zones=False)) == 0)
    if not found:
        raise ValueError(f"{text[:40]!r} is too long for a QR code")
    smallest = min(pattern.shape[0] for pattern in found)
    return [pattern for pattern in found if pattern.shape[0] == smallest][-1]


Marks = Literal["qr", "aruco"]

WIDTH, HEIGHT = CARD_MM
_COLOURS: dict[str, Colour] = {
    "H": RED,
    "D": RED,
    "brown": (121, 72, 34),
    "green": (24, 116, 62),
    "red": (200, 16, 36),
    "blue": (24, 82, 176),
    "yellow": (176, 132, 0),
    "black": BLACK,
    "orange": (214, 98, 10),
    "purple": (110, 40, 140),
}
_WORD_COLOUR: Colour = (28, 60, 104)


def card_picture(
    face: Card | ActionCard,
    marks: Marks,
    px_per_mm: float,
    translate: Translate = as_written,
    words: WordMarks = NO_WORDS,
) -> Image:
    """Return the picture of a card's face, 63 × 88 mm: (height, width, 3) uint8 BGR.

    Takes the same parameters and raises the same errors as `card_drawing`.
    """
    return picture(card_drawing(face, marks, translate, words), WIDTH, HEIGHT, px_per_mm)


def card_drawing(
    face: Card | ActionCard, marks: Marks, translate: Translate = as_written, words: WordMarks = NO_WORDS
) -> Drawing:
    """Return the drawing of a card's face, in millimetres from its top left corner.

    `translate` is for the printed words and colours; the mark is the same in every language. `words` are the ArUco ids
    of the action cards. Raises `ValueError` for a face without an ArUco mark.
    """
    return _aruco_card(face, translate, words) if marks == "aruco" else _qr_card(face, translate)


def plain_drawing(card: Card) -> Drawing:
    """Return the drawing of an unmarked card of a special deck, with its number and colour at both ends."""
    colour = _COLOURS.get(card.suit, BLACK)
    number = text(card.rank, 5.0, 16.0, 11.0, colour, weight=700)
    name = text(card.suit, 5.0, 21.5, 3.6, colour, weight=500)
    frame = rounded(WIDTH / 2 - 15, HEIGHT / 2 - 15, 30, 30, 5.0, colour)
    large = text(card.rank, WIDTH / 2, HEIGHT / 2 + 7.0, 14.0, (255, 255, 255), align="middle", weight=700)
    return (*_twice((number, name)), frame, large)


def label_drawing(face: Card | ActionCard, marks: Marks) -> tuple[Drawing, float, float]:
    """Return a label for a card of an ordinary deck: its drawing, and its width and height in millimetres.

    The label is stuck where a marked card has its mark: an ArUco label in the top left corner and a second one, upside
    down, in the bottom right. These cover the index of the card and therefore show rank and suit. A QR label goes into
    the centre. Raises `ValueError` for a face without a mark.
    """
    if marks == "aruco":
        width = ARUCO_MM + 2 * ARUCO_INSET
        mark = modules(aruco_pattern(aruco_id(face)), ARUCO_INSET, ARUCO_INSET, ARUCO_MM)
        return (mark, *_label_index(face, 2.8, width - 2.8, 31.5)), width, _LABEL_HEIGHT
    quiet = 4 * QR_MM / 21
    side = QR_MM + 2 * quiet
    name = text(_plain(face), side / 2, side - 1.5, 2.6, GREY, align="middle", weight=500)
    return (modules(qr_pattern(qr_text(face)), quiet, quiet, QR_MM), name), side, side


_LABEL_HEIGHT = 34.0


def _label_index(face: Card | ActionCard, left: float, right: float, baseline: float) -> Drawing:
    """Return rank and suit, or the word, for the space below the mark of a label. Lengths are in millimetres."""
    if isinstance(face, Card) and face.suit in SUIT_NAMES:
        colour = _COLOURS.get(face.suit, BLACK)
        height = min(8.0, (right - left - 7.6) / text_width(face.rank, 1.0, 700))
        rank = text(face.rank, left, baseline, height, colour, weight=700)
        return (rank, *suit(face.suit, right - 3.4, baseline - 4.0, 6.8, colour))
    return (text(_plain(face), left, baseline, min(4.0, (right - left) / text_width(_plain(face), 1.0)), weight=600),)


def _plain(face: Card | ActionCard) -> str:
    return (
        card_label(face.text)
        if isinstance(face, ActionCard)
        else face.glyph
        if face.suit not in SUIT_NAMES
        else str(face)
    )


def _twice(drawing: Drawing) -> Drawing:
    """Return the drawing together with its copy turned by 180° about the centre of the card."""
    return drawing + turned(drawing, 180, WIDTH / 2, HEIGHT / 2)


def _aruco_card(face: Card | ActionCard, translate: Translate, words: WordMarks) -> Drawing:
    mark = modules(aruco_pattern(aruco_id(face, words)), ARUCO_INSET, ARUCO_INSET, ARUCO_MM)
    if isinstance(face, ActionCard):
        word = in_language(card_label(face.text), translate)
        height = min(13.0, 46.0 / text_width(word, 1.0, 700))
        rule = rounded(8, HEIGHT / 2 - 0.3, WIDTH - 16, 0.6, 0.3, _WORD_COLOUR)
        upper = text(word, WIDTH / 2, HEIGHT / 2 - 5.5, height, _WORD_COLOUR, align="middle", weight=700)
        say = text(translate("say"), WIDTH - 6, 12.5, 5.0, _WORD_COLOUR, align="right", weight=500)
        return (*_twice((mark, upper, say)), rule)
    colour = _COLOURS.get(face.suit, BLACK)
    if face.suit in SUIT_NAMES:
        # The printed index is in the upper right, opposite the mark, and the suit again in the centre.
        index = text(face.rank, WIDTH - 12.5, 15.0, 11.0, colour, align="middle", weight=700)
        small = suit(face.suit, WIDTH - 12.5, 23.5, 10.5, colour)
        big = suit(face.suit, WIDTH / 2, HEIGHT / 2, 24.0, colour)
        return (*_twice((mark, index, *small)), *big)
    number = text(face.rank, WIDTH - 7, 18.0, 13.0, colour, align="right", weight=700)
    name = text(translate(face.suit), WIDTH - 7, 24.5, 4.0, colour, align="right", weight=500)
    frame = rounded(WIDTH / 2 - 14, HEIGHT / 2 - 14, 28, 28, 5.0, colour)
    large = text(face.rank, WIDTH / 2, HEIGHT / 2 + 6.5, 13.0, (255, 255, 255), align="middle", weight=700)
    return (*_twice((mark, number, name)), frame, large)


def _qr_card(face: Card | ActionCard, translate: Translate) -> Drawing:
    (left, top), *_ = qr_place().tolist()
    code = modules(qr_pattern(qr_text(face)), left, top, QR_MM)
    return (code, *_twice(_band(face, translate)))


def _band(face: Card | ActionCard, translate: Translate) -> tuple[Shape, ...]:
    """Return what is printed above the code and, turned, below it: in the 13.5 mm beside the quiet zone."""
    if isinstance(face, ActionCard):
        word = in_language(card_label(face.text), translate)
        height = min(7.5, 52.0 / text_width(word, 1.0, 700))
        return (text(word, WIDTH / 2, 10.5, height, _WORD_COLOUR, align="middle", weight=700),)
    colour = _COLOURS.get(face.suit, BLACK)
    if face.suit in SUIT_NAMES:
        # The index is in both upper corners, because a hand may be fanned either way.
        rank = text(face.rank, 4.5, 12.0, 8.5, colour, weight=700)
        other = text(face.rank, WIDTH - 4.5, 12.0, 8.5, colour, align="right", weight=700)
        beside = 4.5 + text_width(face.rank, 8.5, 700) + 5.2
        symbols = (suit(face.suit, x, 7.75, 8.0, colour) for x in (beside, WIDTH - beside))
        return (rank, other, *(shape for symbol in symbols for shape in symbol))
    number = text(face.rank, 4.5, 12.2, 9.0, colour, weight=700)
    return (number, text(translate(face.suit), WIDTH - 4.5, 12.2, 6.5, colour, align="right", weight=600))


CLOTH: Colour = (31, 92, 70)
"""Dark green, which contrasts strongly with white cards."""
_LINE: Colour = (108, 158, 136)
_PLAIN_LINE: Colour = (150, 160, 156)
RIM_MM = 9.0
"""Width of the white margin of a corner mark: less than its distance from the edge, but more than one module."""


def mat_picture(mat: Mat, px_per_mm: float, *, plain: bool = False, translate: Translate = as_written) -> Image:
    """Return the picture of the mat: (height, width, 3) uint8 BGR. `plain`: on white, which needs less ink."""
    width, height = mat.size_mm
    return picture(mat_drawing(mat, plain=plain, translate=translate), width, height, px_per_mm)


def corner_picture(id_: int, px_per_mm: float) -> Image:
    """Return the picture of a corner mark with its white margin, a square of 54 mm: uint8 BGR."""
    side = MARK_MM + 2 * RIM_MM
    return picture(mark_drawing(id_, RIM_MM, RIM_MM), side, side, px_per_mm)


def mat_drawing(mat: Mat, *, plain: bool = False, translate: Translate = as_written) -> Drawing:
    """Return the drawing of the mat, in mm from its top left corner. `translate`: for the names of the zones."""
    width, height = mat.size_mm
    colour = _PLAIN_LINE if plain else _LINE
    shapes: list[Shape] = [] if plain else [box(0, 0, width, height, CLOTH)]
    for zone, area in mat.areas.items():
        shapes += _zone(mat, zone, area, colour, translate)
    for id_, corners in mat.marks.items():
        shapes += mark_drawing(id_, *corners[0])
    return tuple(shapes)


def mark_drawing(id_: int, x: float, y: float) -> Drawing:
    """Return the drawing of a corner mark with its top left corner at (x, y) mm, and its white margin."""
    white = rounded(x - RIM_MM, y - RIM_MM, MARK_MM + 2 * RIM_MM, MARK_MM + 2 * RIM_MM, 3.0, WHITE)
    return (white, modules(aruco_pattern(id_), x, y, MARK_MM))


def _zone(mat: Mat, zone: Zone, area: Polygon, colour: Colour, translate: Translate) -> list[Shape]:
    left, top = (min(point[axis] for point in area) for axis in (0, 1))
    right, bottom = (max(point[axis] for point in area) for axis in (0, 1))
    frame = rounded(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1, 4.0, colour, 0.7)
    # The name is at the edge nearest to the player of the zone, and upright for that player.
    turn = mat.turns[zone.seat] if zone.seat is not None and mat.turns else 0.0
    x, y = (left + right) / 2, (top + bottom) / 2
    reach = (bottom - top) / 2 if turn in (0.0, 180.0) else (right - left) / 2
    name = text(translate(zone.name), x, y + reach - 4.0, 4.2, colour, align="middle", weight=500)
    return [frame, *turned([name], turn, x, y)]
