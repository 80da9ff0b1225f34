"""Drawn pictures of cards whose outlines are known exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from engine.cards import STANDARD_DECK, Card
from tests.drawing.faces import around
from tests.drawing.placed import Layout, placed_face
from tests.drawing.tables import (
    LIES,
    STYLES,
    Deck,
    DrawnCards,
    at,
    bare,
    drawn_decks,
    laid,
    layout,
    lit,
    outline_mask,
    points,
)
from vision.frames import Image
from vision.readings import CARD_MM

GROUNDS: Final = ("green", "dark", "wood", "printed")
LIGHTS: Final = ("even", "lamp", "shadow")
FRAMED: Final = Layout(4.5, 5.0, frame_mm=3.0)
"""A deck with a frame printed 3 mm inside the card's edge."""


class Drawn(NamedTuple):
    """A picture, and the outline of each card in it: (4, 2) pixels, clockwise from its own top left."""

    image: Image
    cards: list[tuple[Card, npt.NDArray[np.float64]]]


def decks() -> dict[str, Mapping[Card, Image]]:
    """Return pictures of the cards of each deck."""
    drawn: dict[str, Deck] = drawn_decks()
    framed = DrawnCards(partial(placed_face, layout=FRAMED))
    return {**{name: drawn[name].cards for name in STYLES}, "framed": framed}


def picture(faces: Mapping[Card, Image], lie: str, seed: int) -> Drawn:
    """Return a picture of cards in the layout `lie` of `tests.drawing.tables`; every other is seen at an angle."""
    rng = np.random.default_rng((seed, 61))
    cards = [STANDARD_DECK.cards[k] for k in rng.permutation(52)]
    lying = layout(lie, rng)
    if seed % 2:
        lean = np.array([[1, 0, 0], [0, 0.8, 0], [0, 0.0009, 1.0]]) @ at(0, 0, rng.uniform(-0.3, 0.3))
        lying = [lean @ card for card in lying]
    px_per_mm = float(rng.uniform(2.0, 4.0))
    return seen(faces, list(zip(cards, lying, strict=False)), px_per_mm, seed, rng)


def seen(
    faces: Mapping[Card, Image],
    lying: list[tuple[Card, npt.NDArray[np.float64]]],
    px_per_mm: float,
    seed: int,
    rng: np.random.Generator,
) -> Drawn:
    """Return a picture of cards that lie on one another, the last on top.

    `lying`: each card with the (3, 3) matrix from its millimetres to those of the table. `seed` chooses ground and
    light.
    """
    corners = np.array([[0, 0], [CARD_MM[0], 0], CARD_MM, [0, CARD_MM[1]]], np.float64)
    ends = np.concatenate([points(place, corners) for _, place in lying])
    low, high = ends.min(axis=0) - 25, ends.max(axis=0) + 25
    shape = (int((high[1] - low[1]) * px_per_mm), int((high[0] - low[0]) * px_per_mm))
    camera = np.diag([px_per_mm, px_per_mm, 1.0]) @ at(-low[0], -low[1])
    table = bare(GROUNDS[seed % len(GROUNDS)], shape, px_per_mm, rng)
    found = []
    for card, place in lying:
        outline = points(camera @ place, corners)
        where, moved = around(outline, (shape[1], shape[0]), margin=6 * px_per_mm)
        part, matrix = table[where], moved @ camera @ place
        mask = laid(outline_mask(), matrix, part.shape[:2], px_per_mm)
        shadow = cv2.GaussianBlur(mask, (0, 0), max(0.6, 0.8 * px_per_mm)).astype(np.float32) / 255
        beside = np.roll(shadow, (round(0.8 * px_per_mm), round(0.5 * px_per_mm)), (0, 1))
        share = mask[..., None].astype(np.float32) / 255
        part *= 1 - 0.35 * beside[..., None]
        part += (0.97 * laid(faces[card], matrix, part.shape[:2], px_per_mm) - part) * share
        found.append((card, outline))
    return Drawn(lit(table, LIGHTS[seed % len(LIGHTS)], px_per_mm, rng), found)


def pictures(rounds: int, first: int = 0) -> Iterator[tuple[str, Drawn]]:
    """Yield `rounds` pictures of each deck in each layout, with the name of the group that each belongs to.

    `first`: number of the first picture of each; others have other cards in other places.
    """
    every = decks()
    for number, (name, faces) in enumerate(every.items()):
        for place, lie in enumerate(LIES):
            for k in range(first, first + rounds):
                group = "drawn, framed, " if name == "framed" else "drawn, "
                yield group + lie, picture(faces, lie, 100 * number + 10 * place + k)
