"""Complete cards for drawn scenes, with the positions of their indices.

A card is one of a packaged deck, or one with typeset indices printed over the deck's own, or one without an index: a
joker, a back. Pictures have 4 pixels per millimetre; smaller copies are kept so that a scene uses the matching size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from lab.training.artwork import HEIGHT, SCALE, WIDTH
from lab.training.card_backs import card_back
from lab.training.corners import FOREIGN, FOREIGN_SHARE, NONE, Decks, tinted
from lab.training.german_signs import Sign, any_german_suit, beside, german_letters, german_sign, letter_ink
from lab.training.glyphs import TYPESET, any_font, any_ink, printed, stamp
from lab.training.suit_shapes import any_suit, strange_suit
from vision.frames import Image

SMALLER = 1.5
"""Factor between the sizes of the copies."""
SIZES = 4
"""Sizes of each picture, with the largest."""
FOUR_INDICES = ("dondorf",)
"""Decks with an index in all four corners."""
FRAMED = 0.15
"""Fraction of the cards with typeset indices that have a line around them, outside of the indices."""
LEAST_CARDS = 12
"""Cards on which the index must be found; otherwise the deck is used only with typeset indices."""


@dataclass(frozen=True, slots=True)
class Index:
    """An index on a card, millimetres from the card's top left.

    `x`, `y`: its middle. `height`: from the rank's top to the suit's foot. `upright`: rank above suit in the picture.
    """

    x: float
    y: float
    height: float
    upright: bool

    @property
    def down(self) -> float:
        """1 if the suit is below the rank in the picture, -1 if above."""
        return 1.0 if self.upright else -1.0


@dataclass(frozen=True, slots=True)
class DrawnCard:
    """A card for a scene. `sizes`: its picture at several sizes. `rank`, `suit`: empty if it has no index.

    A card of a fifth suit has the suit `none`.
    """

    sizes: tuple[Image, ...]
    rank: str = ""
    suit: str = ""
    indices: tuple[Index, ...] = ()


@dataclass(frozen=True, slots=True)
class Box:
    """The box of a deck's upper left index, millimetres from the card's top left."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass
class DeckArtwork:
    """The packaged cards with the positions of their indices."""

    decks: Decks
    boxes: dict[str, Box] = field(init=False)
    by_name: dict[str, list[tuple[str, Image]]] = field(init=False)

    def __post_init__(self) -> None:
        of_deck: dict[str, list[tuple[str, Image]]] = defaultdict(list)
        self.by_name = defaultdict(list)
        for deck, name, picture in self.decks.cards:
            of_deck[deck].append((name, picture))
            self.by_name[name].append((deck, picture))
        found = {deck: index_box([picture for _, picture in cards]) for deck, cards in of_deck.items()}
        self.boxes = {deck: box for deck, box in found.items() if box is not None}


def index_box(pictures: Sequence[Image]) -> Box | None:
    """Return the box of the upper left indices of a deck: the median over its cards.

    Rank and suit are found as connected regions. None if they are found on too few cards: the deck has another kind of
    index, or one that touches the pips.
    """
    found = [box for picture in pictures if (box := _index_regions_box(picture)) is not None]
    if len(found) < LEAST_CARDS:
        return None
    left, top, right, bottom = np.median(np.array(found), axis=0).tolist()
    return Box(left, top, right, bottom)


def _index_regions_box(picture: Image) -> tuple[float, float, float, float] | None:
    """Return the box of the index in the upper left corner: left, top, right, bottom in mm; None if not found."""
    corner = picture[: round(30 * SCALE), : round(17 * SCALE)]
    paper = np.percentile(corner.reshape(-1, 3), 85, axis=0)
    ink = (np.abs(corner.astype(np.float32) - paper).max(axis=2) > 60).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink)
    regions = []
    for x, y, w, h, _ in (stats[1:] / np.array([SCALE, SCALE, SCALE, SCALE, 1])).tolist():
        if x > 0.6 and y > 0.9 and x + w < 12.5 and y + h < 28 and h > 1.8 and w > 0.6 and y < 20:
            regions.append((x, y, x + w, y + h))
    if len(regions) < 2:
        return None
    first = min(regions, key=lambda b: b[1] + 0.7 * b[0])
    middle = (first[0] + first[2]) / 2
    rank = [b for b in regions if b[1] < first[3] - 1 and b[0] < middle + 5.5]
    middle = (min(b[0] for b in rank) + max(b[2] for b in rank)) / 2
    below = [b for b in regions if b[1] > first[3] - 0.3 and abs((b[0] + b[2]) / 2 - middle) < 2.2]
    if not below:
        return None
    suit = min(below, key=lambda b: b[1])
    every = [*rank, suit]
    return (
        min(b[0] for b in every),
        min(b[1] for b in every),
        max(b[2] for b in every),
        max(b[3] for b in every),
    )


def _indices(box: Box, four: bool) -> tuple[Index, ...]:
    """Return the indices of a card whose upper left one is at `box`: two opposite ones, or one in every corner."""
    x, y, height = (box.left + box.right) / 2, (box.top + box.bottom) / 2, box.bottom - box.top
    wide, long = WIDTH / SCALE, HEIGHT / SCALE
    two = (Index(x, y, height, True), Index(wide - x, long - y, height, False))
    return (*two, Index(wide - x, y, height, True), Index(x, long - y, height, False)) if four else two


def _sizes(picture: Image) -> tuple[Image, ...]:
    sizes = [picture]
    for _ in range(SIZES - 1):
        height, width = (round(side / SMALLER) for side in sizes[-1].shape[:2])
        sizes.append(np.asarray(cv2.resize(sizes[-1], (width, height), interpolation=cv2.INTER_AREA), np.uint8))
    return tuple(sizes)


def typeset(artwork: DeckArtwork, rng: np.random.Generator, strange: bool = False, same: float = 0.7) -> DrawnCard:
    """Return a packaged card with typeset indices: another font, another size.

    `strange`: with the sign of a fifth suit. `same`: how often it is printed on the picture of the same card.
    """
    rank, suit = TYPESET[rng.integers(len(TYPESET))], "SHDC"[rng.integers(4)]
    deck, picture = _card_to_print_on(artwork, rank + suit, rng, same)
    paper = np.percentile(picture.reshape(-1, 3), 80, axis=0)
    is_german = artwork.decks.german and not strange
    if is_german:
        suit = any_german_suit(rng)
        sign = german_sign(suit, rng)
        ink, mask = letter_ink(sign, rng), _rank_mask(rank, rng, german=True)
    else:
        shape = strange_suit(rng, artwork.decks.german) if strange else any_suit(suit, rng)
        sign = Sign(shape, any_ink(suit, rng))
        ink, mask = sign.ink, _rank_mask(rank, rng, german=artwork.decks.german)
    corner, box = _typeset_corner(mask, sign, ink, artwork.boxes.get(deck, Box(0, 0, 17, 36)), paper, rng)
    four = bool(rng.random() < (0.5 if is_german else 0.1)) or deck.endswith(FOUR_INDICES)
    rows, columns = corner.shape[:2]
    if is_german and rng.random() < 0.7:
        picture[:rows, columns : columns + rows] = paper
        beside(picture, sign, box.right + 0.3, rng)
        picture[-rows:] = np.rot90(picture[:rows], 2)
    picture[:rows, :columns] = corner
    picture[-rows:, -columns:] = np.rot90(corner, 2)
    indices = _indices(box, False)
    if four:
        shift = round(box.left * SCALE)
        picture[:rows, -columns:] = paper
        picture[:rows, WIDTH - columns : WIDTH - shift] = corner[:, shift:]
        picture[-rows:, :columns] = np.rot90(picture[:rows, -columns:], 2)
        mirrored, tall = (WIDTH - columns) / SCALE + (box.right - box.left) / 2, box.bottom - box.top
        right = Index(mirrored, (box.top + box.bottom) / 2, tall, True)
        other = Index(WIDTH / SCALE - mirrored, HEIGHT / SCALE - right.y, tall, False)
        indices = (*indices, right, other)
    if rng.random() < FRAMED:
        _frame(picture, min(box.left, box.top), ink, rng)
    return DrawnCard(_sizes(tinted(picture, rng)), rank, NONE if strange else suit, indices)


def _frame(picture: Image, room: float, ink: object, rng: np.random.Generator) -> None:
    """Draw a line around the card, less than `room` millimetres from its edges."""
    margin = round(rng.uniform(0.3, max(0.3, room - 0.5)) * SCALE)
    colour = np.asarray(ink, np.float64) if rng.random() < 0.3 else rng.uniform(0, 160, 3)
    ends = (WIDTH - 1 - margin, HEIGHT - 1 - margin)
    cv2.rectangle(picture, (margin, margin), ends, colour.tolist(), int(rng.integers(1, 4)))


def _card_to_print_on(artwork: DeckArtwork, name: str, rng: np.random.Generator, same: float) -> tuple[str, Image]:
    """Return the deck and a copy of the picture of a card, often without its frame.

    `same`: how often it is the card called `name`.
    """
    cards = artwork.by_name.get(name if rng.random() < same else "")
    if cards:
        deck, picture = cards[rng.integers(len(cards))]
    else:
        deck, _, picture = artwork.decks.any(rng)
    picture = picture.copy()
    if rng.random() < 0.7:  # most packaged decks have a frame
        paper = np.percentile(picture.reshape(-1, 3), 80, axis=0)
        cv2.rectangle(picture, (0, 0), (WIDTH - 1, HEIGHT - 1), paper.tolist(), 13)
    return deck, picture


def _typeset_corner(
    rank_mask: Image, sign: Sign, ink: object, old: Box, paper: npt.NDArray[np.float64], rng: np.random.Generator
) -> tuple[Image, Box]:
    """Return the upper left corner of a card with this index on `paper`, and where the index is.

    It covers the `old` index.
    """
    height = rng.uniform(4.5, 9.5) if rng.random() < 0.65 else rng.uniform(9.5, 17)
    width = height * float(np.clip(rank_mask.shape[1] / rank_mask.shape[0], 0.25, 1.3)) * rng.uniform(0.6, 1.05)
    width = min(width, 15)
    suit_height = height * rng.uniform(0.42, 1.15)
    suit_width = min(suit_height * sign.mask.shape[1] / sign.mask.shape[0] * rng.uniform(0.8, 1.1), 14)
    gap = rng.uniform(0.3, 2.2)
    wide, tall = max(width, suit_width), height + gap + suit_height
    left, top = rng.uniform(0.9, 3.5), rng.uniform(1.5, 5)
    area = (max(left + wide + 0.5, old.right + 0.8), max(top + tall + 0.5, old.bottom + 0.8))
    corner = np.full((round(area[1] * SCALE), round(area[0] * SCALE), 3), 255, np.uint8)
    corner[:] = paper
    stamp(corner, rank_mask, (left + (wide - width) / 2) * SCALE, top * SCALE, width * SCALE, height * SCALE, ink)
    stamp(
        corner, sign.mask, (left + (wide - suit_width) / 2) * SCALE, (top + height + gap) * SCALE,
        suit_width * SCALE, suit_height * SCALE, sign.ink,
    )  # fmt: skip
    return corner, Box(left, top, left + wide, top + tall)


def _rank_mask(rank: str, rng: np.random.Generator, *, german: bool) -> Image:
    """Return the letters of a rank in some font, sometimes thicker or thinner, or those of another language.

    `german`: those of a German-suited deck.
    """
    text = german_letters(rank, rng) if german else rank
    if not german and rank in FOREIGN and rng.random() < FOREIGN_SHARE:
        text = FOREIGN[rank][rng.integers(len(FOREIGN[rank]))]
    return printed(any_font(rng), text, rng)


def _unchanged_card(artwork: DeckArtwork, rng: np.random.Generator) -> DrawnCard:
    deck, name, picture = artwork.decks.any(rng)
    while deck not in artwork.boxes:
        deck, name, picture = artwork.decks.any(rng)
    indices = _indices(artwork.boxes[deck], deck.endswith(FOUR_INDICES))
    return DrawnCard(_sizes(tinted(picture, rng)), name[:-1], name[-1], indices)


def any_card(artwork: DeckArtwork, rng: np.random.Generator, strange_share: float = 0.0) -> DrawnCard:
    """Return a random card. `strange_share`: fraction of the typeset ones that have the sign of a fifth suit."""
    kind = rng.random()
    if kind < 0.06:
        return DrawnCard(_sizes(card_back(rng)))
    if kind < 0.09 and artwork.decks.others:
        return DrawnCard(_sizes(tinted(artwork.decks.others[rng.integers(len(artwork.decks.others))], rng)))
    if kind < 0.42:
        return _unchanged_card(artwork, rng)
    return typeset(artwork, rng, bool(rng.random() < strange_share))


class CardPool:
    """Cards that are drawn once and used often: the `k`-th card of a seed is always the same.

    `strange_share`: as in `any_card`.
    """

    def __init__(self, artwork: DeckArtwork, seed: int, kept: int = 700, strange_share: float = 0.0) -> None:
        self._kept = kept

        @lru_cache(maxsize=kept + 100)
        def card(k: int) -> DrawnCard:
            return any_card(artwork, np.random.default_rng((seed, 77, k)), strange_share)

        self._card = card

    def random(self, rng: np.random.Generator, step: int, fresh: int = 6) -> DrawnCard:
        """Return one of the cards of a training step; `fresh` of them are replaced from step to step."""
        return self._card(step * fresh + int(rng.integers(self._kept)))
