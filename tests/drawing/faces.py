"""Decks drawn with OpenCV, which a face reader must read although no model was trained on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from engine.cards import RANKS, STANDARD_DECK, Card
from engine.observations import ActionCard
from vision.faces import FaceReader
from vision.frames import Image
from vision.readings import CARD_MM

PX_PER_MM = 6.0
WIDTH, HEIGHT = (round(side * PX_PER_MM) for side in CARD_MM)
INK = {"S": (25, 25, 25), "C": (25, 25, 25), "H": (40, 30, 200), "D": (40, 30, 200)}
FOUR_INKS = INK | {"C": (45, 110, 25), "D": (190, 90, 20)}
"""Clubs green and diamonds blue, as four-colour decks have them."""
FRENCH = {"A": "1", "K": "R", "Q": "D", "J": "V"}
GERMAN = {"Q": "D", "J": "B"}
CLOTH = (70, 95, 35)


@cache
def suit_mask(suit: str, size: int) -> Image:
    """The suit sign, (size, size), 255 is ink."""
    u = 16 * size  # drawn large, so that edges are soft
    big = np.zeros((u, u), np.uint8)

    def at(x: float, y: float) -> tuple[int, int]:
        return round(x * u), round(y * u)

    def fill(*points: tuple[float, float]) -> None:
        cv2.fillPoly(big, [np.array([at(*p) for p in points], np.int32)], 255)

    def disc(x: float, y: float, radius: float) -> None:
        cv2.circle(big, at(x, y), round(radius * u), 255, -1)

    if suit == "D":
        fill((0.5, 0.0), (0.88, 0.5), (0.5, 1.0), (0.12, 0.5))
    elif suit == "H":
        disc(0.27, 0.28, 0.25)
        disc(0.73, 0.28, 0.25)
        fill((0.04, 0.40), (0.5, 0.30), (0.96, 0.40), (0.5, 1.0))
    elif suit == "S":
        disc(0.27, 0.58, 0.24)
        disc(0.73, 0.58, 0.24)
        fill((0.05, 0.46), (0.5, 0.0), (0.95, 0.46), (0.5, 0.62))
        fill((0.45, 0.55), (0.55, 0.55), (0.68, 1.0), (0.32, 1.0))
    else:
        disc(0.5, 0.24, 0.22)
        disc(0.25, 0.60, 0.22)
        disc(0.75, 0.60, 0.22)
        disc(0.5, 0.5, 0.12)
        fill((0.45, 0.5), (0.55, 0.5), (0.68, 1.0), (0.32, 1.0))
    return np.asarray(cv2.resize(big, (size, size), interpolation=cv2.INTER_AREA), np.uint8)


@dataclass(frozen=True)
class Style:
    """How a deck prints its indices. `index_mm`: height of a letter. `weight`: its boldness, 100 to 900.

    `letters`: printed instead of English letters. `inks`: BGR of each suit. `sign`: draws a suit, as `suit_mask`
    does, or with colours of its own, (size, size, 4).
    """

    index_mm: float = 9.0
    weight: int = 500
    border: bool = False
    paper: tuple[int, int, int] = (250, 252, 252)
    letters: Mapping[str, str] = field(default_factory=dict, hash=False)
    inks: Mapping[str, tuple[int, int, int]] = field(default_factory=lambda: INK, hash=False)
    sign: Callable[[str, int], Image] = suit_mask


PLAIN = Style()


@cache
def letter_mask(text: str, height: int, weight: int) -> Image:
    """The rank in OpenCV's own font, trimmed, `height` pixels high; its zeros have a stroke, so O is used."""
    face, size = cv2.FontFace("sans"), 120
    drawn = np.zeros((2 * size, 3 * size), np.uint8)
    cv2.putText(drawn, text.replace("0", "O"), (size // 2, int(1.5 * size)), (255, 255, 255), face, size, weight=weight)
    rows, columns = np.nonzero(drawn.max(axis=1))[0], np.nonzero(drawn.max(axis=0))[0]
    ink = drawn[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    width = round(height * min(ink.shape[1] / ink.shape[0], 1.1))
    return np.asarray(cv2.resize(ink, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _stamp(card: Image, mask: Image, middle: tuple[float, float], ink: tuple[int, int, int]) -> None:
    """Prints `mask` with its middle at `middle`, millimetres from the card's top left.

    A mask with colours of its own, (H, W, 4), is not printed with `ink`.
    """
    height, width = mask.shape[:2]
    left, top = round(middle[0] * PX_PER_MM - width / 2), round(middle[1] * PX_PER_MM - height / 2)
    part = card[top : top + height, left : left + width]
    share = mask.reshape(height, width, -1)[..., -1:].astype(np.float32) / 255
    colours = mask[..., :3] if mask.ndim == 3 else np.array(ink, np.float32)
    part[:] = np.rint(part * (1 - share) + colours * share).astype(np.uint8)


@cache
def paper(width: int, height: int, colour: tuple[int, int, int]) -> Image:
    """A sheet of one colour, which a card's print is drawn on a copy of."""
    return np.full((height, width, 3), colour, np.uint8)


def upside_down(picture: Image) -> Image:
    return np.asarray(cv2.rotate(picture, cv2.ROTATE_180), np.uint8)


@lru_cache(maxsize=160)
def face_of(card: Card, style: Style = PLAIN) -> Image:
    """The card's face: (528, 378, 3) BGR, upright, square corners. Nobody may change it: others get the same."""
    picture = paper(WIDTH, HEIGHT, style.paper).copy()
    ink = style.inks[card.suit]
    if style.border:
        cv2.rectangle(picture, (4, 4), (WIDTH - 5, HEIGHT - 5), (90, 90, 90), 2)
    letter = letter_mask(style.letters.get(card.rank, card.rank), round(style.index_mm * PX_PER_MM), style.weight)
    sign = style.sign(card.suit, round(0.7 * style.index_mm * PX_PER_MM))
    middle = 2.2 + max(letter.shape[1], sign.shape[1]) / PX_PER_MM / 2
    pip = style.sign(card.suit, round(11 * PX_PER_MM))
    for _ in range(2):  # both ends: the card is rotated about its middle
        _stamp(picture, letter, (middle, 3.5 + style.index_mm / 2), ink)
        _stamp(picture, sign, (middle, 4.8 + style.index_mm * 1.37), ink)
        if card.rank in RANKS[1:10]:
            for k in range(int(card.rank) // 2):
                _stamp(picture, pip, (22.0 if k % 2 else 41.0, 14.0 + 14.0 * (k // 2)), ink)
        elif card.rank != "A":
            cv2.rectangle(picture, (95, 45), (WIDTH - 95, HEIGHT // 2), (30, 160, 220), -1)
            cv2.circle(picture, (WIDTH // 2, 150), 60, (200, 120, 60), -1)
        picture = upside_down(picture)
    if card.rank == "A" or (card.rank in RANKS[1:10] and int(card.rank) % 2):
        _stamp(picture, pip, (CARD_MM[0] / 2, CARD_MM[1] / 2), ink)
    return picture


def back() -> Image:
    """A card's back: lozenges in a white border."""
    picture = np.full((HEIGHT, WIDTH, 3), (250, 250, 250), np.uint8)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    lozenge = ((x + y) // 16 + (x - y) // 16) % 2 == 0
    inner = (x > 20) & (x < WIDTH - 20) & (y > 20) & (y < HEIGHT - 20)
    picture[inner & lozenge] = (150, 60, 40)
    return picture


def cloth(width: int, height: int, rng: np.random.Generator, colour: tuple[int, int, int] = CLOTH) -> Image:
    """A cloth in uneven light."""
    light = np.linspace(0.85, 1.1, width)[None, :] * np.linspace(1.05, 0.9, height)[:, None]
    weave = rng.normal(0, 3, (height, width))
    planes = [np.clip(channel * light + weave, 0, 255).astype(np.uint8) for channel in colour]
    return np.asarray(cv2.merge(planes), np.uint8)


def around(
    outline: npt.NDArray[Any], size: tuple[int, int], margin: float = 2.0
) -> tuple[tuple[slice, slice], npt.NDArray[np.float64]]:
    """Return the part of a picture around an outline, and the (3, 3) matrix from pixels of the picture to its own.

    `outline`: (N, 2) pixels. `size`: of the picture, width and height. `margin`: pixels around the outline.
    """
    low = np.clip(np.floor(outline.min(axis=0) - margin), 0, size).astype(int)
    high = np.clip(np.ceil(outline.max(axis=0) + margin), 0, size).astype(int)
    moved = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]], np.float64)
    return (slice(low[1], high[1]), slice(low[0], high[0])), moved


def lay(
    table: Image, picture: Image, middle: tuple[float, float], degrees: float, px_per_mm: float, tilt: float = 0.0
) -> npt.NDArray[np.float32]:
    """Draw the card on the table; return its corners, clockwise from its own top left, (4, 2) pixels.

    `picture`: the face of a card of any size, at `PX_PER_MM`. `px_per_mm`: scale of the table. `tilt`: how much smaller
    the card's far end appears, as from a camera at one side.
    """
    rows, columns = picture.shape[:2]
    width, height = columns / PX_PER_MM, rows / PX_PER_MM
    angle = math.radians(degrees)
    spin = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    card = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2 @ spin.T * px_per_mm
    corners = np.array(middle) + card * (1 + tilt * card[:, 1:] / (height * px_per_mm))
    outline = corners.astype(np.float32)
    printed = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(printed, outline)
    shape = np.zeros((rows, columns), np.uint8)
    radius = round(3.0 * PX_PER_MM)
    cv2.rectangle(shape, (radius, 0), (columns - radius, rows), 255, -1)
    cv2.rectangle(shape, (0, radius), (columns, rows - radius), 255, -1)
    for x in (radius, columns - 1 - radius):
        for y in (radius, rows - 1 - radius):
            cv2.circle(shape, (x, y), radius, 255, -1)
    where, moved = around(outline, (table.shape[1], table.shape[0]))
    part = table[where]
    if not part.size:
        return np.asarray(outline, np.float32)
    size = (part.shape[1], part.shape[0])
    soft = cv2.GaussianBlur(picture, (0, 0), max(0.45 * PX_PER_MM / px_per_mm, 0.3))
    over = cv2.warpPerspective(soft, moved @ matrix, size, flags=cv2.INTER_LINEAR)
    share = cv2.warpPerspective(shape, moved @ matrix, size, flags=cv2.INTER_LINEAR)[..., None].astype(np.float32) / 255
    part[:] = np.rint(part * (1 - share) + over * share).astype(np.uint8)
    return np.asarray(outline, np.float32)


def photographed(table: Image, rng: np.random.Generator, noise: float = 3.0, blur: float = 0.7) -> Image:
    """The table as a camera sees it: darker, slightly blurred, noisy."""
    soft = cv2.GaussianBlur(table, (0, 0), blur).astype(np.float32) * 0.88
    seen = rng.normal(0, noise, table.shape)
    seen += soft
    return np.clip(seen, 0, 255, out=seen).astype(np.uint8)


def hard_picture(seed: int, frame: int = 0) -> tuple[Image, list[Card]]:
    """Eight cards of a drawn deck, separate or in a row, small, blurred, dim and noisy; the picture, and the cards.

    Pictures with another number of the `frame` show the same table with other noise.
    """
    rng = np.random.default_rng((seed, 31))
    letters: Mapping[str, str] = ({}, {}, FRENCH, GERMAN)[int(rng.integers(4))]
    inks = FOUR_INKS if rng.random() < 0.25 else INK
    style = Style(rng.uniform(7, 10), int(rng.integers(300, 800)), bool(rng.random() < 0.5), PLAIN.paper, letters, inks)
    cards = [STANDARD_DECK.cards[k] for k in rng.choice(52, 8, replace=False)]
    px_per_mm = rng.uniform(1.0, 2.2)
    in_row = rng.random() < 0.5
    step = rng.uniform(14, 24) if in_row else 95.0
    columns = 8 if in_row else 4
    size = (round((step * (columns - 1) + 130) * px_per_mm), round((150 if in_row else 240) * px_per_mm))
    blue, green, red = rng.uniform(20, 140, 3).tolist()
    table = cloth(*size, rng, (blue, green, red))
    turn = rng.normal(0, 2)
    for k, card in enumerate(cards):
        middle = ((65 + step * (k % columns)) * px_per_mm, (70 + 105 * (k // columns)) * px_per_mm)
        angle = turn + rng.normal(0, 3) if in_row else rng.uniform(0, 360)
        lay(table, face_of(card, style), middle, angle, px_per_mm, 0.0 if in_row else rng.uniform(-0.1, 0.1))
    noise, blur = rng.uniform(2, 12), rng.uniform(0.5, 1.6)
    seen = photographed(table, rng, noise, blur)
    light = rng.uniform(0.4, 1.0)
    if frame:
        seen = photographed(table, np.random.default_rng((seed, 31, frame)), noise, blur)
    return (seen * light).astype(np.uint8), cards


def verdicts(reader: FaceReader, seeds: range) -> list[tuple[float, bool]]:
    """Return the confidence of each reading of hard pictures, and whether it is right.

    A card that is read twice is right once.
    """
    scored: list[tuple[float, bool]] = []
    for seed in seeds:
        picture, cards = hard_picture(seed)
        remaining: list[Card | ActionCard] = list(cards)
        for reading in sorted(reader.read(picture), key=lambda each: -each.confidence):
            right = reading.face in remaining
            if right:
                remaining.remove(reading.face)
            scored.append((reading.confidence, right))
    return scored
