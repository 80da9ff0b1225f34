"""Drawn corners of cards: canvases at 4 pixels per millimetre, with the card's label.

A canvas is (208, 152, 3) uint8 BGR and shows a card's own upper left corner, which is at (`ORIGIN`, `ORIGIN`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from lab.training.artwork import HEIGHT, SCALE, WIDTH
from lab.training.files import imread
from lab.training.german_signs import any_german_suit, beside, german_letters, german_sign, letter_ink
from lab.training.glyphs import TYPESET, any_font, any_ink, letter, letter_fonts, printed, stamp
from lab.training.suit_shapes import any_suit, strange_suit
from vision.frames import Image

ORIGIN = 36
"""Pixels above, and to the left of, the card on a canvas."""
CANVAS = (208, 152)
"""Height and width of a canvas, pixels."""
NONE = "none"
FOREIGN = {"J": ("B", "B", "V"), "Q": ("D",), "K": ("R",), "A": ("1",)}
FOREIGN_SHARE = 0.5
"""Fraction of these ranks that are printed with another language's letter in typeset indices."""
FRAMED = 0.2
"""Fraction of typeset corners with a line at the card's edge, or between it and the index."""
STRANGERS = "CEHLMNPTUWXY"
"""Letters that are not a rank in any supported language; U is one with German signs."""
WORDS = ("JOKER", "JOLLY", "JOKER", "WILD", "STAR", "RULES")
TWO_INDEX = ("anglo", "gnomangelo", "letele", "cardsJS", "svg-cards", "neoclassical", "simplistic", "standard")
"""Decks (parts of their names) without an index in the upper right corner."""

Label = tuple[str, str]
"""Rank and suit, or `none` twice."""
Sample = tuple[Image, Label]


class Decks:
    """The rendered decks of a folder, without those held out, and corners cut from photographs.

    `only`: the decks to use; empty: all that are not held out. `others`: pictures that are not cards with an index.
    `german`: cards have German signs; of packaged decks, which have French ones, only hearts are used, but no queen,
    whose D would stand for an ace.
    """

    def __init__(
        self,
        folder: Path,
        held_out: tuple[str, ...] = (),
        photos: Sequence[Sample] = (),
        only: tuple[str, ...] = (),
        german: bool = False,
    ) -> None:
        self.photos = photos
        self.german = german
        self.cards: list[tuple[str, str, Image]] = []
        self.others: list[Image] = []
        folders = sorted(p for p in folder.iterdir() if p.is_dir() and p.name not in held_out)
        for deck in (p for p in folders if not only or p.name in only):
            for path in sorted(deck.glob("*.png")):
                picture = imread(path)
                if path.stem.startswith("other"):
                    self.others.append(picture)
                else:
                    self.cards.append((deck.name, path.stem, picture))
        if german:
            self._german = [card for card in self.cards if card[1][-1] == "H" and card[1] != "QH"]
        if not self.cards or (german and not self._german):
            raise SystemExit(f"{folder}: no rendered decks; run `python -m lab.training render` first")

    def any(self, rng: np.random.Generator) -> tuple[str, str, Image]:
        """Return a random card: deck, name, picture."""
        cards = self._german if self.german else self.cards
        return cards[rng.integers(len(cards))]


def background(rng: np.random.Generator) -> Image:
    """Return a background for a card: a plain colour, cloth, grain, or something light."""
    height, width = CANVAS
    kind = rng.random()
    base = rng.uniform(0, 255, 3) if kind < 0.75 else np.full(3, rng.uniform(170, 255)) + rng.normal(0, 6, 3)
    size = (1, 1) if rng.random() < 0.4 else (int(rng.integers(3, 60)), int(rng.integers(3, 60)))
    coarse = base + rng.normal(0, rng.uniform(3, 30), (*size, 1))
    return np.asarray(cv2.resize(np.clip(coarse, 0, 255).astype(np.uint8), (width, height)), np.uint8)


def _lay(canvas: Image, card: Image, rng: np.random.Generator) -> Image:
    """Return the canvas with the upper left part of `card`, a rounded corner and sometimes a shadow."""
    height, width = CANVAS[0] - ORIGIN, CANVAS[1] - ORIGIN
    mask = np.zeros(CANVAS, np.uint8)
    radius = round(rng.uniform(4, 18))
    cv2.rectangle(mask, (ORIGIN + radius, ORIGIN), (CANVAS[1], CANVAS[0]), 255, -1)
    cv2.rectangle(mask, (ORIGIN, ORIGIN + radius), (CANVAS[1], CANVAS[0]), 255, -1)
    cv2.circle(mask, (ORIGIN + radius, ORIGIN + radius), radius, 255, -1)
    if rng.random() < 0.5:
        small = cv2.resize(cv2.dilate(mask, np.ones((5, 5), np.uint8)), (CANVAS[1] // 4, CANVAS[0] // 4))
        soft = cv2.GaussianBlur(small, (0, 0), rng.uniform(0.3, 1.3)).astype(np.float32) * (
            -rng.uniform(0.1, 0.7) / 255
        )
        shade = cv2.resize(1 + soft, (CANVAS[1], CANVAS[0]))
        canvas = np.asarray(cv2.multiply(canvas, cv2.merge([shade] * 3), dtype=cv2.CV_8U), np.uint8)
    full = canvas.copy()
    full[ORIGIN:, ORIGIN:] = card[:height, :width]
    return np.asarray(cv2.copyTo(full, mask, canvas), np.uint8)


def tinted(card: Image, rng: np.random.Generator) -> Image:
    """Return the card on different paper: cream, grey, bluish, rarely a strong colour."""
    paper = 1 - np.abs(rng.normal(0, 0.03, 3)) - (np.abs(rng.normal(0, 0.12, 3)) if rng.random() < 0.1 else 0)
    table = (np.arange(256)[None, :, None] * np.clip(paper, 0.4, 1)).astype(np.uint8)
    return np.asarray(cv2.LUT(card, table), np.uint8)


def artwork_corner(decks: Decks, rng: np.random.Generator) -> Sample:
    """Return an index corner of a packaged deck, slightly stretched: decks differ in the size of their indices."""
    _, name, picture = decks.any(rng)
    corner = rng.random()
    if corner < 0.35:
        picture = np.asarray(cv2.rotate(picture, cv2.ROTATE_180), np.uint8)
    stretched = _stretched(picture, rng, rng.uniform(0.85, 1.3), rng.uniform(0.9, 1.1))
    return _lay(background(rng), tinted(stretched, rng), rng), (name[:-1], name[-1])


def _stretched(picture: Image, rng: np.random.Generator, size: float, aspect: float) -> Image:
    shift = rng.uniform(-2.5, 4, 2)
    matrix = np.array([[size * aspect, 0, shift[0]], [0, size / aspect, shift[1]]], np.float32)
    return np.asarray(
        cv2.warpAffine(
            picture, matrix, (CANVAS[1], CANVAS[0]), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        ),
        np.uint8,
    )


def font_corner(decks: Decks, rng: np.random.Generator, impostor: bool = False, strange: bool = False) -> Sample:
    """Return an index in one of the system's fonts, next to pips or court art from a deck.

    `impostor`: draw something that resembles an index: a letter that is not a rank, a shape that is not a suit, one of
    the two without the other, or a vertical word as on jokers. `strange`: a rank with the sign of a fifth suit.
    """
    suit = "SHDC"[rng.integers(4)]
    rank = TYPESET[rng.integers(len(TYPESET))]
    other_sign = partial(strange_suit, german=decks.german)
    german = german_sign(suit := any_german_suit(rng), rng) if decks.german and not strange else None
    ink = any_ink(suit, rng) if german is None else letter_ink(german, rng)
    font = any_font(rng)
    text = rank
    if decks.german:
        text = german_letters(rank, rng)
    elif rank in FOREIGN and rng.random() < FOREIGN_SHARE:
        text = FOREIGN[rank][rng.integers(len(FOREIGN[rank]))]
    trick = rng.integers(5) if impostor else -1
    strangers = STRANGERS.replace("U", "") if decks.german else STRANGERS
    if trick in (0, 4):
        text = strangers[rng.integers(len(strangers))]
    mask = printed(font, text, rng)
    height = rng.uniform(5, 9.5) if rng.random() < 0.65 else rng.uniform(9.5, 16)
    width = height * float(np.clip(mask.shape[1] / mask.shape[0], 0.25, 1.3)) * rng.uniform(0.6, 1.05)
    width = min(width, 13.5)
    suit_height = height * rng.uniform(0.45, 1.1)
    suit_mask, suit_ink = german or (other_sign(rng) if strange else any_suit(suit, rng), ink)
    if trick in (1, 4):
        is_letter, suit_ink = rng.random() < 0.5, ink
        suit_mask = letter(font, strangers[rng.integers(len(strangers))]) if is_letter else other_sign(rng)
    suit_width = min(suit_height * suit_mask.shape[1] / suit_mask.shape[0] * rng.uniform(0.8, 1.1), 13)
    middle = max(width, suit_width) / 2 + rng.uniform(1.0, 3.2 if height > 9.5 else 5.5)
    top = rng.uniform(1.5, 5 if height > 9.5 else 8)
    suit_top = top + height + rng.uniform(0.4, 2.5)
    right, bottom = middle + max(width, suit_width) / 2 + 0.6, suit_top + suit_height + 0.6
    card = np.full((CANVAS[0], CANVAS[1], 3), 255, np.uint8)
    if rng.random() < 0.8:
        _, _, other = decks.any(rng)
        other = other.copy()
        other[:100, :54] = 255  # not the other card's index
        card = _stretched(other, rng, rng.uniform(0.9, 1.3), 1.0)
        card[: round(bottom * SCALE), : round(right * SCALE)] = 255
    if german is not None and rng.random() < 0.7:
        beside(card, german, right, rng)
    if impostor and rng.random() < 0.3:
        _downwards(card, font, ink, rng)
    else:
        if trick != 2:
            stamp(card, mask, (middle - width / 2) * SCALE, top * SCALE, width * SCALE, height * SCALE, ink)
        if trick != 3:
            left, below = (middle - suit_width / 2) * SCALE, suit_top * SCALE
            stamp(card, suit_mask, left, below, suit_width * SCALE, suit_height * SCALE, suit_ink)
    if rng.random() < FRAMED:
        _frame(card, max(0.0, min(top, middle - max(width, suit_width) / 2) - 0.6), rng)
    return _lay(background(rng), tinted(card, rng), rng), (NONE, NONE) if impostor else (
        rank,
        NONE if strange else suit,
    )


def _frame(card: Image, room: float, rng: np.random.Generator) -> None:
    """Draw a line at the card's edge, or up to `room` millimetres from it."""
    edge = rng.uniform(0, 120)
    margin = round(rng.uniform(0, room) * SCALE) if rng.random() < 0.6 else 0
    cv2.rectangle(card, (margin, margin), (600, 600), (edge, edge, edge), int(rng.integers(1, 4)))


def _downwards(card: Image, font: Path, ink: object, rng: np.random.Generator) -> None:
    """Draw a word with its letters one below the other."""
    word = WORDS[rng.integers(len(WORDS))]
    height, top, left = rng.uniform(3, 8), rng.uniform(2, 6), rng.uniform(2, 7)
    for k, character in enumerate(word):
        mask = letter(font, character)
        width = height * float(np.clip(mask.shape[1] / mask.shape[0], 0.2, 1.3)) * 0.9
        y = (top + k * height * 1.2) * SCALE
        if y + height * SCALE < card.shape[0]:
            stamp(card, mask, left * SCALE, y, width * SCALE, height * SCALE, ink)


def _window(card: Image, x: int, y: int) -> Image:
    """Return a canvas-sized part of a card with its corner at (x, y)."""
    return card[y : y + CANVAS[0], x : x + CANVAS[1]]


def negative_corner(decks: Decks, rng: np.random.Generator) -> Sample:
    """Return something that is not an index: another corner, a rotated index, a back, a joker, lines, letters."""
    kind = rng.random()
    deck, _, picture = decks.any(rng)
    if rng.random() < 0.3:
        return font_corner(decks, rng, impostor=True)
    if kind < 0.18 and decks.others:
        picture = decks.others[rng.integers(len(decks.others))]
        card = _stretched(picture, rng, rng.uniform(0.9, 1.2), 1.0)
    elif kind < 0.40 and any(part in deck for part in TWO_INDEX):
        card = _unmirrored(picture, rng)
    elif kind < 0.60:
        y, x = rng.integers(60, HEIGHT - CANVAS[0]), rng.integers(20, WIDTH - CANVAS[1])
        card = _window(picture, int(x), int(y))
    elif kind < 0.82:
        canvas, _ = artwork_corner(decks, rng) if rng.random() < 0.5 else font_corner(decks, rng)
        turned = np.rot90(canvas[ORIGIN:, ORIGIN:], int(rng.integers(1, 4)))
        card = np.asarray(cv2.resize(np.ascontiguousarray(turned), (CANVAS[1], CANVAS[0])), np.uint8)
    elif kind < 0.88:
        scale = rng.choice([0.45, 0.55, 1.9, 2.4])
        matrix = np.array([[scale, 0, rng.uniform(-8, 8)], [0, scale, rng.uniform(-8, 8)]], np.float32)
        card = np.asarray(
            cv2.warpAffine(picture, matrix, (CANVAS[1], CANVAS[0]), borderValue=(255, 255, 255)), np.uint8
        )
    elif kind < 0.93:
        card = _marked(rng)
    else:
        card = background(rng)
        for _ in range(rng.integers(0, 8)):
            ends = rng.integers(0, 200, 4)
            colour = tuple(float(v) for v in rng.uniform(0, 255, 3))
            cv2.line(card, (int(ends[0]), int(ends[1])), (int(ends[2]), int(ends[3])), colour, int(rng.integers(1, 9)))
        for _ in range(rng.integers(0, 3)):
            fonts = letter_fonts()
            mask = letter(fonts[rng.integers(len(fonts))], "ETMSGXWHNPLU"[rng.integers(12)])
            left, top, wide, tall = (rng.uniform(*span) for span in ((0, 110), (0, 110), (10, 50), (10, 50)))
            stamp(card, mask, left, top, wide, tall, rng.uniform(0, 255, 3))
    return _lay(background(rng), tinted(card, rng), rng), (NONE, NONE)


def _marked(rng: np.random.Generator) -> Image:
    """Return the corner of a card with a printed code: black and white squares in a grid, and some words."""
    card = np.full((CANVAS[0], CANVAS[1], 3), 255, np.uint8)
    for _ in range(rng.integers(1, 3)):
        modules, size = int(rng.integers(5, 26)), rng.uniform(2, 14)
        grid = (rng.random((modules, modules)) < 0.5).astype(np.uint8) * 255
        if rng.random() < 0.6:
            grid[[0, -1]], grid[:, [0, -1]] = 0, 0
        big = cv2.resize(grid, None, fx=size, fy=size, interpolation=cv2.INTER_NEAREST)[: CANVAS[0], : CANVAS[1]]
        y, x = (int(rng.integers(8, 90)) for _ in range(2))
        part = card[y : y + big.shape[0], x : x + big.shape[1]]
        part[:] = big[: part.shape[0], : part.shape[1], None]
    fonts = letter_fonts()
    if rng.random() < 0.6:
        height = rng.uniform(8, 24)
        left, top = rng.uniform(4, 40), rng.uniform(4, 120)
        for character in STRANGERS[: rng.integers(2, 8)]:
            mask = letter(fonts[rng.integers(len(fonts))], character)
            stamp(card, mask, left, top, height * 0.6, height, rng.uniform(0, 90, 3))
            left += height * 0.8
            if left > 120:
                break
    return card


def _unmirrored(picture: Image, rng: np.random.Generator) -> Image:
    """Return the upper right corner of a two-index card, moved to the left: pips or art, without an index."""
    moved = np.full_like(picture, 255)
    moved[:, : CANVAS[1]] = picture[:, WIDTH - CANVAS[1] :]
    moved[:, : CANVAS[1]] = np.roll(moved[:, : CANVAS[1]], -int(rng.integers(0, 60)), axis=1)
    return _stretched(moved, rng, rng.uniform(0.9, 1.2), 1.0)
