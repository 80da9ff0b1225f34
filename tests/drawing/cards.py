"""Playing cards drawn with OpenCV on a drawn table, so that tests of the face reader need no artwork.

The index is drawn with OpenCV's own letters, its suits with circles and triangles: no printed deck looks like it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from engine.cards import STANDARD_DECK, Card
from tests.drawing.faces import around
from vision.frames import Image
from vision.readings import CARD_MM

FINE = 8.0
"""Pixels per millimetre of a drawn card, before it is laid on the table."""
RED, BLACK = (40, 30, 200), (25, 25, 25)
PIPS = {
    "A": [(0.5, 0.5)], "2": [(0.5, 0.2), (0.5, 0.8)], "3": [(0.5, 0.2), (0.5, 0.5), (0.5, 0.8)],
    "4": [(0.32, 0.2), (0.68, 0.2), (0.32, 0.8), (0.68, 0.8)],
}  # fmt: skip
SIX = [(x, y) for x in (0.32, 0.68) for y in (0.2, 0.5, 0.8)]
EIGHT = [(x, y) for x in (0.32, 0.68) for y in (0.2, 0.4, 0.6, 0.8)]
PIPS |= {"5": [*PIPS["4"], (0.5, 0.5)], "6": SIX, "7": [*SIX, (0.5, 0.35)], "8": [*SIX, (0.5, 0.35), (0.5, 0.65)]}
PIPS |= {"9": [*EIGHT, (0.5, 0.5)], "10": [*EIGHT, (0.5, 0.3), (0.5, 0.7)]}


@lru_cache(maxsize=8)
def suit_shape(suit: str, size: int) -> Image:
    """Return the suit as a mask, (size, size) uint8, 255 for ink."""
    big = np.zeros((200, 200), np.uint8)

    def fill(*points: tuple[int, int]) -> None:
        cv2.fillPoly(big, [np.array(points, np.int32)], 255, cv2.LINE_AA)

    if suit == "D":
        fill((100, 5), (170, 100), (100, 195), (30, 100))
    elif suit == "H":
        cv2.circle(big, (57, 62), 48, 255, -1, cv2.LINE_AA)
        cv2.circle(big, (143, 62), 48, 255, -1, cv2.LINE_AA)
        fill((15, 85), (100, 195), (185, 85), (100, 60))
    elif suit == "S":
        cv2.circle(big, (57, 115), 44, 255, -1, cv2.LINE_AA)
        cv2.circle(big, (143, 115), 44, 255, -1, cv2.LINE_AA)
        fill((18, 95), (100, 5), (182, 95), (100, 130))
        fill((92, 110), (108, 110), (132, 195), (68, 195))
    else:
        for x, y in ((100, 52), (52, 118), (148, 118)):
            cv2.circle(big, (x, y), 46, 255, -1, cv2.LINE_AA)
        fill((90, 80), (110, 80), (132, 195), (68, 195))
    return np.asarray(cv2.resize(big, (size, size), interpolation=cv2.INTER_AREA), np.uint8)


def _stamp(picture: Image, mask: Image, centre: tuple[float, float], ink: tuple[int, int, int]) -> None:
    height, width = mask.shape
    left, top = round(centre[0] - width / 2), round(centre[1] - height / 2)
    part = picture[top : top + height, left : left + width]
    alpha = mask[..., None].astype(np.float32) / 255
    part[:] = (part * (1 - alpha) + np.array(ink, np.float32) * alpha).astype(np.uint8)


@lru_cache(maxsize=64)
def face_picture(card: Card) -> Image:
    """Return the upright face of `card`, at `FINE` pixels per millimetre."""
    width, height = round(CARD_MM[0] * FINE), round(CARD_MM[1] * FINE)
    picture = np.full((height, width, 3), 250, np.uint8)
    ink = RED if card.suit in "HD" else BLACK
    half = np.full_like(picture, 250)
    letters = np.zeros((100, 160), np.uint8)
    x = 20
    for letter in card.rank:
        cv2.putText(letters, letter, (x, 80), cv2.FONT_HERSHEY_SIMPLEX, 2.4, 255, 7, cv2.LINE_AA)
        x += 30
    rows, columns = np.where(letters > 60)
    letters = letters[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    wide = min(7.5, 0.9 * 8.0 * letters.shape[1] / letters.shape[0])
    size = (round(wide * FINE), round(8.0 * FINE))
    _stamp(
        half, np.asarray(cv2.resize(letters, size, interpolation=cv2.INTER_AREA), np.uint8), (6 * FINE, 8 * FINE), ink
    )
    _stamp(half, suit_shape(card.suit, round(5.5 * FINE)), (6 * FINE, 16 * FINE), ink)
    picture = np.minimum(half, np.asarray(cv2.rotate(half, cv2.ROTATE_180), np.uint8))
    pip = suit_shape(card.suit, round(11 * FINE))
    for u, v in PIPS.get(card.rank, []):
        _stamp(picture, np.asarray(cv2.flip(pip, 0), np.uint8) if v > 0.55 else pip, (u * width, v * height), ink)
    if card.rank in "JQK":
        cv2.rectangle(
            picture, (round(width * 0.2), round(height * 0.1)), (round(width * 0.8), round(height * 0.9)), ink, 3
        )
        cv2.ellipse(picture, (width // 2, height // 2), (width // 6, height // 4), 20, 0, 360, (40, 160, 220), -1)
    return picture


@dataclass
class DrawnTable:
    """A cloth with cards on it, seen from above. `size`: width, height, pixels. `cloth`: its colour, BGR."""

    size: tuple[int, int] = (960, 640)
    cloth: tuple[int, int, int] = (70, 95, 45)
    px_per_mm: float = 2.0
    picture: Image = field(init=False)

    def __post_init__(self) -> None:
        self.picture = np.full((self.size[1], self.size[0], 3), self.cloth, np.uint8)

    def lay(self, face: Image, at: tuple[float, float], angle: float, tilt: float = 0.0) -> npt.NDArray[np.float32]:
        """Draw a card, and return its corners in pixels, (4, 2), clockwise from its own top left.

        `face`: its upright picture. `at`: its centre, pixels. `angle`: degrees clockwise. `tilt`: by which share its
        far side is narrower.
        """
        width, height = CARD_MM[0] * self.px_per_mm, CARD_MM[1] * self.px_per_mm
        narrow = width * (1 - tilt)
        corners = np.array([[-narrow, -height], [narrow, -height], [width, height], [-width, height]], np.float32) / 2
        cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
        corners = (corners @ np.array([[cos, sin], [-sin, cos]]) + at).astype(np.float32)
        tall, wide = face.shape[:2]
        shape = np.zeros((tall, wide), np.uint8)
        radius = round(3.2 * wide / CARD_MM[0])
        cv2.rectangle(shape, (radius, 0), (wide - radius, tall), 255, -1)
        cv2.rectangle(shape, (0, radius), (wide, tall - radius), 255, -1)
        for x in (radius, wide - radius - 1):
            for y in (radius, tall - radius - 1):
                cv2.circle(shape, (x, y), radius, 255, -1)
        rim = cv2.erode(shape, np.ones((5, 5), np.uint8), borderValue=0)
        face = np.where(((shape > 0) & (rim == 0))[..., None], 178, face).astype(np.uint8)
        edges = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], np.float32) - 0.5
        shrink = max(1.0, wide / (width * 2))
        small = cv2.resize(face, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA)
        matrix = cv2.getPerspectiveTransform(edges, corners)
        onto = matrix @ np.array([[shrink, 0, (shrink - 1) / 2], [0, shrink, (shrink - 1) / 2], [0, 0, 1]])
        where, moved = around(corners, self.size)
        part = self.picture[where]
        size = (part.shape[1], part.shape[0])
        laid = cv2.warpPerspective(small, moved @ onto, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        cover = cv2.warpPerspective(shape, moved @ matrix, size, flags=cv2.INTER_AREA)[..., None] / np.float32(255)
        part[:] = (part * (1 - cover) + laid * cover).astype(np.uint8)
        return np.asarray(corners, np.float32)

    def photo(self, seed: int, blur: float = 0.7, noise: float = 3.0, light: tuple[float, ...] = (1, 1, 1)) -> Image:
        """Return the table as a camera sees it. `light`: BGR factors. `blur`: pixels. `noise`: grey levels."""
        rng = np.random.default_rng(seed)
        ramp = np.linspace(0.85, 1.0, self.size[0], dtype=np.float32)[None, :, None]
        seen = cv2.GaussianBlur(self.picture.astype(np.float32) * ramp * np.array(light, np.float32), (0, 0), blur)
        grain = rng.normal(0, noise, seen.shape)
        grain += seen
        return np.clip(grain, 0, 255, out=grain).astype(np.uint8)


@lru_cache(maxsize=8)
def row(px_per_mm: float, seed: int) -> tuple[Image, list[Card]]:
    """Return a 1080p picture of ten cards in a row, and the cards; each leaves 15 to 25 mm of the last one visible."""
    rng = random.Random(seed)
    table = DrawnTable((1920, 1080), px_per_mm=px_per_mm)
    cards = rng.sample(STANDARD_DECK.cards, 10)
    step, turn = rng.uniform(15, 25) * px_per_mm, rng.uniform(-15, 15)
    first = 960 - 4.5 * step
    for k, card in enumerate(cards):
        at = (first + k * step, 540 + (first + k * step - 960) * np.tan(np.deg2rad(turn)))
        table.lay(face_picture(card), at, turn + rng.uniform(-3, 3), tilt=0.02)
    return table.photo(seed), cards


@lru_cache(maxsize=8)
def apart(px_per_mm: float, seed: int) -> tuple[Image, list[Card]]:
    """Return a 1080p picture of six separate cards at any angle, and the cards."""
    rng = random.Random(seed)
    table = DrawnTable((1920, 1080), px_per_mm=px_per_mm)
    cards = rng.sample(STANDARD_DECK.cards, 6)
    for k, card in enumerate(cards):
        at = (320 + 640 * (k % 3) + rng.uniform(-60, 60), 290 + 500 * (k // 3) + rng.uniform(-30, 30))
        table.lay(face_picture(card), at, rng.uniform(0, 360), tilt=0.03)
    return table.photo(seed), cards


@lru_cache(maxsize=8)
def on_top(seed: int) -> tuple[Image, Card, list[Card]]:
    """Return a picture of a card on others at 2 pixels per millimetre; that card, and all cards."""
    rng = random.Random(seed)
    table = DrawnTable((420, 420))
    cards = rng.sample(STANDARD_DECK.cards, 4)
    for k, card in enumerate(cards):
        far = 0.0 if k == 3 else rng.uniform(90, 130)
        angle = rng.uniform(0, 6.3)
        at = (210 + far * np.cos(angle), 210 + far * np.sin(angle))
        table.lay(face_picture(card), at, rng.uniform(0, 360), tilt=0.02)
    return np.ascontiguousarray(table.photo(seed)[75:345, 75:345]), cards[3], cards
