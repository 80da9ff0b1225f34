"""Training data of the card classifier: whole cards in an outline as in bad pictures, and what is not a card.

Cards are those of packaged decks, with their own indices or typeset ones; number cards drawn with pips of any shape;
and court cards drawn without a court. What is not a card: backs, jokers, parts of cards, two cards in one outline,
cards of a fifth suit, and backgrounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np

from engine.cards import RANKS, SUITS
from lab.training.artwork import HEIGHT, SCALE, WIDTH
from lab.training.card_backs import card_back
from lab.training.corner_crops import Batch, exposed
from lab.training.corners import tinted
from lab.training.drawn_cards import DeckArtwork, typeset
from lab.training.german_signs import Sign, german_letters, german_sign, letter_ink
from lab.training.glyphs import any_ink
from lab.training.number_cards import LONG, WIDE, number_card, print_indices
from lab.training.scenes import Backgrounds
from lab.training.suit_shapes import any_suit
from vision.faces.card_classifier import CARD_PX
from vision.faces.crops import normalized_batch
from vision.frames import Image

NEW_CARDS = 24
"""Cards drawn for a step; as many are repeated from an earlier one."""
REPEAT_AFTER = 7
"""Steps after which cards are repeated."""
PX_PER_MM_SEEN = (0.55, 3.5)
"""Least and greatest scale of the card in the picture."""
HARD_SHARE = 0.5
"""Fraction of the cards with a hardship (`hardships`)."""
GROUNDS = 4
"""Backgrounds drawn for all cards of a step: drawing one takes longer than drawing a card."""
OTHER_SHARE = 0.28
"""Fraction of the pictures that show no card, several, or one of a fifth suit."""
COVERED_SHARE = 0.12
"""Fraction of the cards of which a part is covered, but not both indices."""
Sample = tuple[Image, int, int]
NO_CARD = (13, 4)
"""Classes of the rank and of the suit of what is not a card."""


class WholeCards:
    """Cards drawn during training; they depend on the seed and the step only."""

    lookback = REPEAT_AFTER

    def __init__(self, artwork: DeckArtwork, seed: int, backgrounds: Sequence[Image]) -> None:
        self._artwork, self._backgrounds, self._seed = artwork, Backgrounds(backgrounds), seed

    def draw(self, step: int) -> list[Sample]:
        """Return the cards that are new at a step."""
        rng = np.random.default_rng((self._seed, 13, step))
        grounds = [self._backgrounds.draw(HEIGHT, rng) for _ in range(GROUNDS)]
        return [self._sample(grounds[k % GROUNDS], rng) for k in range(NEW_CARDS)]

    def batch(self, step: int, drawn: Callable[[int], list[Sample]]) -> Batch:
        """Return cards (N, 3, 176, 128), ranks (N,) and suits (N,) of a step; the last class of each is "none"."""
        samples = drawn(step) + drawn(max(step - REPEAT_AFTER, 0))
        cards = normalized_batch(np.stack([card for card, _, _ in samples]))
        return cards, np.array([r for _, r, _ in samples], np.int64), np.array([s for _, _, s in samples], np.int64)

    def _sample(self, ground: Image, rng: np.random.Generator) -> Sample:
        picture, name = self._other(ground, rng) if rng.random() < OTHER_SHARE else self._card(rng)
        if name and rng.random() < COVERED_SHARE:
            picture = self._covered(picture, rng)
        if rng.random() < 0.5:
            picture = np.ascontiguousarray(picture[::-1, ::-1])
        return (
            photographed(tinted(picture, rng), ground, rng),
            *((RANKS.index(name[:-1]), SUITS.index(name[-1])) if name else NO_CARD),
        )

    def _card(self, rng: np.random.Generator) -> tuple[Image, str]:
        """Return a card and its name."""
        kind = rng.random()
        if kind < 0.38:
            _, name, picture = self._artwork.decks.any(rng)
            return picture, name
        if kind < 0.6:
            card = typeset(self._artwork, rng, same=1.0)
            return card.sizes[0], card.rank + card.suit
        if kind < 0.9:
            picture, _, name = number_card(rng, german=self._artwork.decks.german)
            return picture, name
        return _court(rng, self._artwork.decks.german)

    def _other(self, ground: Image, rng: np.random.Generator) -> tuple[Image, str]:
        """Return something that is not a card, several, or one of a fifth suit, and no name."""
        kind = rng.random()
        if kind < 0.08:
            return card_back(rng), ""
        if kind < 0.16 and self._artwork.decks.others:
            return self._artwork.decks.others[rng.integers(len(self._artwork.decks.others))], ""
        if kind < 0.3:
            return typeset(self._artwork, rng, strange=True).sizes[0], ""
        if kind < 0.52:
            return number_card(rng, strange=True, german=self._artwork.decks.german)[0], ""
        card, _ = self._card(rng)
        if kind < 0.7:  # two cards in one outline
            other, _ = self._card(rng)
            rows = int(rng.uniform(0.3, 0.7) * HEIGHT)
            return np.concatenate([card[:rows], other[rows - HEIGHT :]]), ""
        if kind < 0.92:  # a part of a card, or more than a card
            turn = rng.choice([0, 0, 90, 180, 270]) + rng.normal(0, 4)
            zoom = rng.choice([rng.uniform(1.35, 2.5), rng.uniform(0.45, 0.8)])
            matrix = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), float(turn), float(zoom))
            matrix[:, 2] += rng.uniform(-0.2, 0.2, 2) * (WIDTH, HEIGHT) * zoom
            seen = cv2.warpAffine(
                card, matrix, (WIDTH, HEIGHT), dst=ground[:, :WIDTH].copy(), borderMode=cv2.BORDER_TRANSPARENT
            )
            return np.asarray(seen, np.uint8), ""
        return ground[:, :WIDTH], ""

    def _covered(self, picture: Image, rng: np.random.Generator) -> Image:
        """Return the card with another card, or a plain object, over part of its lower end."""
        picture = picture.copy()
        middle = rng.uniform(0.1, 0.9) * WIDTH, rng.uniform(0.62, 1.25) * HEIGHT
        size = rng.uniform(0.3, 1.0) * WIDTH, rng.uniform(0.2, 0.8) * HEIGHT
        corners = cv2.boxPoints((middle, size, float(rng.uniform(0, 180))))
        corners[:, 1] = np.maximum(corners[:, 1], 0.4 * HEIGHT)
        mask = np.zeros(picture.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, cv2.convexHull(np.round(corners).astype(np.int32)), 255, cv2.LINE_AA)
        over, _ = self._card(rng)
        if rng.random() < 0.4:
            over = np.full_like(picture, 0) + rng.uniform(0, 255, 3).astype(np.uint8)
        over = np.roll(over, tuple(rng.integers(0, 200, 2).tolist()), (0, 1))
        return np.asarray(cv2.copyTo(over, mask, picture), np.uint8)


def _court(rng: np.random.Generator, german: bool) -> tuple[Image, str]:
    """Return a court card or an ace with an index in two corners and a coloured shape, or nothing, in the middle."""
    rank, suit = "JQKA"[rng.integers(4)], SUITS[rng.integers(4)]
    card = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    if rng.random() < 0.85:
        left, top = round(rng.uniform(12, 20) * SCALE), round(rng.uniform(6, 20) * SCALE)
        colours = [tuple(rng.uniform(0, 255, 3).tolist()) for _ in range(3)]
        cv2.rectangle(card, (left, top), (WIDTH - left, HEIGHT - top), colours[0], -1 if rng.random() < 0.7 else 3)
        for _ in range(rng.integers(0, 5)):
            x, y = rng.uniform(left, WIDTH - left), rng.uniform(top, HEIGHT / 2)
            radius, colour = round(rng.uniform(8, 55)), colours[rng.integers(3)]
            for at in ((x, y), (WIDTH - x, HEIGHT - y)):
                cv2.circle(card, (round(at[0]), round(at[1])), radius, colour, -1, cv2.LINE_AA)
    if german:
        sign = german_sign(suit, rng)
        print_indices(card, german_letters(rank, rng), sign, letter_ink(sign, rng), rng)
    else:
        sign = Sign(any_suit(suit, rng), any_ink(suit, rng))
        print_indices(card, rank, sign, sign.ink, rng)
    return card, rank + suit


def photographed(picture: Image, ground: Image, rng: np.random.Generator) -> Image:
    """Return the (176, 128, 3) picture of a card as a camera would see it, with errors in its outline."""
    scale = float(np.exp(rng.uniform(*np.log(PX_PER_MM_SEEN))))
    margin = round(3 * SCALE)
    around = np.ascontiguousarray(cv2.resize(ground, (WIDTH + 2 * margin, HEIGHT + 2 * margin)))
    around[margin:-margin, margin:-margin] = picture
    size = (round(around.shape[1] / SCALE * scale), round(around.shape[0] / SCALE * scale))
    small = np.asarray(cv2.resize(around, size, interpolation=cv2.INTER_AREA), np.uint8)
    taken = exposed(small, scale, rng, HARD_SHARE)
    corners = np.array([[0, 0], [WIDE, 0], [WIDE, LONG], [0, LONG]]) + margin / SCALE
    corners = (corners + rng.normal(0, rng.uniform(0.2, 0.9), (4, 2))) * scale - 0.5
    target = np.array([[0, 0], [CARD_PX[0], 0], CARD_PX, [0, CARD_PX[1]]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    card = cv2.warpPerspective(taken, matrix, CARD_PX, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(card, np.uint8)
