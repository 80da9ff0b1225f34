"""Drawn decks of several styles, in several lights, from which decks are learned."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from cardtable.paper.drawings import plain_drawing
from cardtable.paper.shapes import picture
from cardtable.simulation.deck import face_picture
from engine.cards import STANDARD_DECK, Card
from engine.games import load_game
from tests.drawing.faces import HEIGHT, WIDTH, Style, cloth, face_of, lay, photographed
from vision.decks.deck import LearnedDeck, cut_out
from vision.decks.pictures import card_outlines
from vision.faces.geometry import Quad, iou
from vision.faces.pyramid import image_pyramid
from vision.frames import Image
from vision.readings import CARD_MM

LIGHTS: Final = {
    "white": (1.0, 1.0, 1.0), "warm lamp": (0.55, 0.8, 1.0), "cold": (1.05, 0.95, 0.75), "dim": (0.4, 0.42, 0.45),
    "shadow": (0.95, 0.95, 0.95),
}  # fmt: skip
"""Factors of blue, green and red."""
_SHADOW: Final = 0.6
"""Factor in a shadow whose edge runs through the middle of the picture."""
SMALL_PRINT: Final = Style(index_mm=6.5, weight=400, border=True, paper=(225, 240, 245))


def painting(seed: int) -> Image:
    """A picture card, as in a tarot or a children's game: coloured shapes inside a white border."""
    rng = np.random.default_rng(seed)
    face = np.full((HEIGHT, WIDTH, 3), rng.integers(150, 255, 3), np.uint8)
    for _ in range(14):
        colour = tuple(int(value) for value in rng.integers(0, 255, 3))
        middle = int(rng.integers(30, WIDTH - 30)), int(rng.integers(30, HEIGHT - 30))
        axes = int(rng.integers(15, 90)), int(rng.integers(15, 90))
        cv2.ellipse(face, middle, axes, float(rng.uniform(0, 180)), 0, 360, colour, -1, cv2.LINE_AA)
    cv2.rectangle(face, (0, 0), (WIDTH - 1, HEIGHT - 1), (245, 245, 245), 22)
    return face


def framed(number: int) -> Image:
    """A tarot card: a picture in a black frame, 3 mm from the edge, and its number at both ends."""
    face = np.full((HEIGHT, WIDTH, 3), (236, 246, 250), np.uint8)
    inner = painting(300 + number)[60:-60, 30:-30]
    cut = HEIGHT // 8
    face[cut:-cut, 30:-30] = cv2.resize(inner, (WIDTH - 60, HEIGHT - 2 * cut))
    cv2.rectangle(face, (18, 18), (WIDTH - 19, HEIGHT - 19), (30, 30, 30), 4)
    for _ in range(2):
        cv2.putText(
            face, str(number), (WIDTH // 2 - 24, 54), cv2.FONT_HERSHEY_DUPLEX, 1.1, (10, 10, 10), 3, cv2.LINE_AA
        )
        face = np.ascontiguousarray(face[::-1, ::-1])
    return face


def _sized(face: Image) -> Image:
    return np.asarray(cv2.resize(face, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)


@cache
def drawn_deck(style: str) -> Mapping[Card, Image]:
    """Every card of a deck in that style: (528, 378, 3) BGR, upright, square corners."""
    if style == "packaged":
        return {card: _sized(face_picture(card)) for card in STANDARD_DECK}
    if style == "numbers":
        return {card: _sized(picture(plain_drawing(card), *CARD_MM, 6.0)) for card in load_game("its-15").deck}
    if style == "paintings":
        return {Card(str(number), "trump"): painting(number) for number in range(1, 23)}
    if style == "framed":
        return {Card(str(number), "trump"): framed(number) for number in range(1, 23)}
    assert style == "small print"
    return {card: face_of(card, SMALL_PRINT) for card in STANDARD_DECK}


STYLES: Final = ("packaged", "numbers", "paintings", "framed", "small print")


def photograph(
    face: Image, rng: np.random.Generator, px_per_mm: float = 2.0, blur: float = 0.7, light: str = "white"
) -> tuple[Image, Quad]:
    """The card alone on a cloth, at any angle and slightly tilted, and its outline from its own top left."""
    side = int(170 * px_per_mm)
    table = cloth(side, side, rng)
    middle = (side / 2 + float(rng.uniform(-8, 8)), side / 2 + float(rng.uniform(-8, 8)))
    tilt = float(rng.uniform(-0.06, 0.06))
    outline = lay(table, face, middle, float(rng.uniform(0, 360)), px_per_mm, tilt)
    return under(photographed(table, rng, 0.0, blur), rng, light), outline


def under(table: Image, rng: np.random.Generator, light: str, noise: float = 3.0) -> Image:
    """The picture in that light, with sensor noise."""
    lit: npt.NDArray[np.float64] = table * np.array(LIGHTS[light])
    if light == "shadow":
        height, width = table.shape[:2]
        slant = float(rng.uniform(-0.3, 0.3)) * width
        left = np.array([[0, 0], [width / 2 + slant, 0], [width / 2 - slant, height], [0, height]])
        dark = np.ones((height, width), np.float32)
        cv2.fillConvexPoly(dark, np.rint(left).astype(np.int32), (_SHADOW,))
        lit *= cv2.GaussianBlur(dark, (0, 0), 0.012 * width)[..., None]
    lit += rng.normal(0, noise, table.shape)
    return np.clip(lit, 0, 255).astype(np.uint8)


def seen_face(image: Image, outline: Quad) -> Image | None:
    """The face, cut out at the outline that is found; None if the card is not found."""
    levels = image_pyramid(image)
    quads = card_outlines(image, levels)
    best = max(quads, key=lambda quad: iou(quad, outline), default=None)
    return None if best is None or iou(best, outline) < 0.8 else cut_out(levels, best)


@cache
def learned(style: str, light: str = "white") -> LearnedDeck:
    """The deck, learned from one photograph of each card."""
    rng = np.random.default_rng(7)
    deck = LearnedDeck("drawn")
    for card, face in drawn_deck(style).items():
        image, outline = photograph(face, rng, light=light)
        deck.faces[card] = cut_out(image_pyramid(image), outline)
    return deck
