"""Decks that no net was trained on, for pictures and for the simulated table.

Eight are artwork that `python -m lab.training render --unseen` renders, four are drawn with OpenCV. Jumbo, inset and
four-coloured indices, four indices on a card, another size of card, a frame and other letters are among them. Any
number of further decks can be drawn with random designs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from cardtable.simulation.sprites import TEXTURE_PX_PER_MM, printed
from cardtable.simulation.stage import Faces
from engine.cards import STANDARD_DECK, Card
from tests.drawing.faces import FOUR_INKS, FRENCH, INK, Style, face_of
from tests.drawing.placed import BRIDGE_MM, MINIATURE_MM, Layout, placed_face
from vision.frames import Image
from vision.image_files import load_picture
from vision.readings import CARD_MM

RENDERED: Final = (
    "heruka-2color", "heruka-4color", "heruka-2color-bf", "pokerth-default", "pokerth-default4c", "kde-jolly-royal",
    "kde-nicu-white", "younestouati",
)  # fmt: skip
PLACED: Final = {
    "drawn, inset 12 mm": Layout(top_mm=12.0),
    "drawn, miniature": Layout(card_mm=MINIATURE_MM, letter_mm=7.0),
    "drawn, bridge, frame, four indices": Layout(4.0, 6.0, corners=4, card_mm=BRIDGE_MM, frame_mm=2.5),
}
STYLED: Final = {"drawn, French, four-coloured": Style(8, 600, letters=FRENCH, inks=FOUR_INKS)}
FRAME_CLEAR_MM: Final = 0.5
"""Least distance of a frame from the indices of a random deck: none is printed with a line through its letters."""
RANDOM: Final = "random "
"""The names of decks with random designs begin so and end with a number."""


def names() -> tuple[str, ...]:
    """Return the names of the twelve decks."""
    return (*RENDERED, *PLACED, *STYLED)


def random_names(count: int, first: int = 0) -> tuple[str, ...]:
    """Return the names of `count` decks with random designs, from number `first` on."""
    return tuple(f"{RANDOM}{number}" for number in range(first, first + count))


def deck(name: str, folder: Path) -> Faces:
    """Return the deck of `names` or `random_names` as the simulated table draws it.

    `folder`: what `render --unseen` wrote. Raises `KeyError` for another name, and `SystemExit`, which says what to
    run, if the deck has not been rendered.
    """
    if name.startswith(RANDOM):
        return _random(int(name.removeprefix(RANDOM)))
    if name in PLACED:
        return partial(placed, layout=PLACED[name])
    if name in STYLED:
        return partial(drawn, style=STYLED[name])
    if name not in RENDERED:
        raise KeyError(name)
    if any(not (folder / name / f"{card}.png").exists() for card in STANDARD_DECK):
        raise SystemExit(
            f"{folder / name} has not all its cards; run first: python -m lab.training render --unseen --out {folder}"
        )
    return pictures(folder / name)


def _random(number: int) -> Faces:
    """Return a deck with a random design.

    Odd numbers have letters of a random height and weight, a border, language and inks; even ones a random size of
    card, place and height of the indices, two or four of them, and perhaps a frame.
    """
    if number % 2 == 0:
        return partial(placed, layout=random_layout(number))
    rng = np.random.default_rng((number, 31))
    style = Style(
        index_mm=float(rng.uniform(6, 14)),
        weight=int(rng.integers(250, 850)),
        border=bool(rng.integers(2)),
        letters=({}, {}, FRENCH)[rng.integers(3)],
        inks=(INK, FOUR_INKS)[rng.integers(2)],
    )
    return partial(drawn, style=style)


def random_layout(number: int) -> Layout:
    """Return the design of the random deck of that number. A frame stands clear of the indices.

    Raises `ValueError` for an odd number: those decks differ in their letters.
    """
    if number % 2:
        raise ValueError(f"random deck {number} has no layout of its own")
    rng = np.random.default_rng((number, 31))
    card_mm = (CARD_MM, BRIDGE_MM, MINIATURE_MM)[rng.integers(3)]
    layout = Layout(
        side_mm=float(rng.uniform(1.5, 10)),
        top_mm=float(rng.uniform(2, 14)),
        letter_mm=float(rng.uniform(5.5, 7.5) if card_mm is MINIATURE_MM else rng.uniform(6, 12)),
        corners=4 if rng.random() < 1 / 3 else 2,
        card_mm=card_mm,
        frame_mm=float(rng.choice([0.0, 0.0, 2.0, 3.0])),
    )
    through = layout.frame_mm + FRAME_CLEAR_MM > min(layout.side_mm, layout.top_mm)
    return replace(layout, frame_mm=0.0) if through else layout


def drawn(card: Card, style: Style | None = None) -> Image:
    """Return a card of a deck that is drawn with OpenCV's own letters."""
    return printed(face_of(card, style or Style()))


def placed(card: Card, layout: Layout) -> Image:
    """Return a card of a drawn deck whose size, and the places of whose indices, are those of `layout`."""
    width, height = (round(side * TEXTURE_PX_PER_MM) for side in layout.card_mm)
    return printed(placed_face(card, layout), (width, height))


def pictures(folder: Path) -> Faces:
    """Return the deck with the pictures `<card>.png` in `folder`."""
    return lambda card: printed(load_picture(folder / f"{card}.png"))
