"""Which card of a deck a face is: one of them, none, or two that are too similar to decide.

First, whole faces are correlated in CIE Lab at 1 pixel per millimetre, both ways up. The best candidates are then
compared at 2 pixels per millimetre by the place where they differ most: two cards that differ in one small sign are
nearly equal everywhere else. That comparison tolerates what is not a difference between cards: brightness, tint,
sharpness, and shifts of half a millimetre, place by place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import cv2
import numpy as np

from engine.cards import Card
from vision.decks.deck import Appearance, LearnedDeck, appearance_of, cut_out
from vision.decks.pictures import card_outlines, whole_outline
from vision.faces.geometry import Floats, Quad, iou, starting_at
from vision.faces.pyramid import image_pyramid
from vision.frames import Image
from vision.readings import CARD_MM, Reading

MIN_CORRELATION: Final = 0.8
"""Correlation with a card in even light; a card of the deck usually reaches 0.96. Higher: worn cards are not accepted;
lower: slower, other decks' cards are compared closely."""
MIN_SHADOWED: Final = 0.45
"""The same if a shadow falls across the card."""
CANDIDATE_MARGIN: Final = 0.12
"""Cards whose correlation is this much below the best are not compared closely. Higher: slower; lower: the right card
may be left out."""
MAX_CANDIDATES: Final = 6
"""Cards compared closely: each costs about a millisecond. Lower: of many similar cards the right one may be left
out."""
MAX_DIFFERENCE: Final = 10.0
"""Difference at the worst place above which a face is not this card. Higher: cards of other decks are read as this
one's; lower: worn cards, and cards in poor light, are not read (`python -m lab.benchmarks.decks`)."""
MAX_DIFFERENCE_DISTINCT: Final = 40.0
"""The same for a face that resembles one card only, in whatever light."""
DISTINCT_CORRELATION: Final = (0.85, 0.4)
"""Least correlation with that one card, and greatest with any other. First higher or second lower: fewer faces count as
distinct, so that fewer are read in poor light."""
MIN_LEAD: Final = 2.0
"""Factor by which the next card must differ more. Higher: fewer cards of a deck with similar faces are read; lower:
more of them are read wrong."""
CLOSE_SHARE: Final = 0.7
MAX_CONFIDENCE: Final = 0.999
MAX_CONFIDENCE_DISTANT: Final = 0.95
"""Upper limits of the confidence: the first for a face that differs by less than `CLOSE_SHARE` of `MAX_DIFFERENCE`, the
second for others, which may be another deck's card of the same design. Lower: cards are read more often until they are
reported."""
SAME_CARD_IOU: Final = 0.3
"""Of two outlines with a higher IoU `DeckReader` keeps only the one that matches better. Higher: a card is reported
twice; lower: cards that overlap are lost."""
LEAD_OFFSET: Final = 0.5
"""Added to both differences before the lead is taken. Higher: the lead becomes smaller, most of all for faces that
hardly differ from the card."""
MAX_LEAD: Final = 1000.0
"""Upper limit of the lead, for a deck of one card, which has no next one. Lower: less confidence there."""


EDGE_PX: Final = 5
"""Width of the edge that is not compared: rounded corners, shadows, the table. Higher: signs near the edge do not
count; lower: rough outlines look like differences."""
MAX_SHIFT_PX: Final = 2
"""Largest shift between two faces. Larger: tolerates worse outlines, slower."""
BOX_PX: Final = 12
"""Side of a place: 6 mm. Smaller: finds smaller signs, but is more sensitive to noise."""
NOISE: Final = 16.0
"""Squared difference in Lab that every camera causes: a difference of 1. Higher: all differences become smaller."""
GRADIENT_WEIGHT: Final = 0.08
"""Additional squared difference where the print has edges, relative to its squared gradient. Higher: rough outlines
matter less, and so do small signs."""
BLURS_PX: Final = (0.0, 0.8, 1.3, 1.9)
"""Blurs (standard deviation) tried to make the stored card as soft as the seen one. More, larger: cards out of focus
are read, slower."""
GAIN: Final = (0.5, 1.6)
"""Range of the contrast of the seen face relative to the stored one. Wider: poorer light is tolerated, and pale print
looks like dark print."""
MAX_SHADOW: Final = 1.4
"""The deepest shadow, as a factor of the cube root of the light: it leaves 0.36 of the light. Higher: deeper shadows
are tolerated, and dark print looks like a shadow."""
SHADOW_STEPS: Final = 160.0
"""Steps per unit of that factor: the median filter needs whole numbers below 256. Higher: finer steps, but `MAX_SHADOW`
times this must stay below 256."""
SHADOW_WINDOW: Final = 15
"""Window of the median filter in halved pixels: 15 mm. Higher: smaller shadows stay; lower: large signs are taken for
shadows."""
SHADOW_BLUR: Final = 1.5
"""Blur (standard deviation) of the brightness, in halved pixels, before that filter. Higher: edges of shadows are less
exact; lower: noise looks like a shadow."""
SHADOW_EDGE: Final = 3.0
"""Blur (standard deviation) of the factor after it. Higher: shadows with a sharp edge stay; lower: an edge that is
estimated inexactly looks like a sign."""


_SUM: Final = np.ones((1, 3), np.float32)
"""The matrix that adds up the channels of a picture (`cv2.transform`)."""
_BLACK: Final = 16.0
"""CIE 1976: L = 116 * cbrt(Y) - 16, so that L + 16 is proportional to the cube root of the light."""


@dataclass(frozen=True, slots=True)
class Match:
    """Which card a face is.

    `card`: None if it is not of the deck, or not certain. `upside_down`: rotated by half a turn against the learned
    card. `difference`: from the most similar card, at the worst place. `lead`: how many times more the next card
    differs. `nearest`: the most similar card, whether or not it is accepted.
    """

    card: Card | None
    confidence: float
    upside_down: bool
    difference: float
    lead: float
    nearest: Card | None


NO_MATCH: Final = Match(None, 0.0, False, np.inf, 0.0, None)
"""What a picture matches in which there is nothing."""


class Matcher:
    """Compares faces with the cards of one deck. `faces`: (176, 126, 3) uint8 BGR for each card, as `cut_out` gives."""

    def __init__(self, faces: Mapping[Card, Image]) -> None:
        self._cards: list[tuple[Card, bool]] = []
        self._appearances: list[Appearance] = []
        for card, face in faces.items():
            upright = appearance_of(face)
            self._cards += [(card, False), (card, True)]
            self._appearances += [upright, upright.upside_down()]
        self._rough = np.array([appearance.rough for appearance in self._appearances], np.float32)

    def match(self, face: Image) -> Match:
        """Return which card this face, as `cut_out` gives it, is."""
        if not self._appearances:
            return NO_MATCH
        seen = appearance_of(face)
        correlation = self._rough @ seen.rough
        least = max(MIN_SHADOWED, float(correlation.max()) - CANDIDATE_MARGIN)
        order = [k for k in np.argsort(-correlation, kind="stable").tolist() if correlation[k] >= least]
        distinct = self._is_distinct(correlation)
        limit = MAX_DIFFERENCE_DISTINCT if distinct else MAX_DIFFERENCE
        match = self._compare(seen.fine, [k for k in order if correlation[k] >= MIN_CORRELATION], limit)
        if match.card is None and match.difference > limit:
            # A face that resembles no card of the deck may be one of them with a shadow across it.
            shadowed = self._compare(seen.fine, order, limit, shadows=True)
            match = match if shadowed.card is None else shadowed
        return match

    def _is_distinct(self, correlation: Floats) -> bool:
        """Return whether the face correlates with one card, and with no other."""
        best = self._cards[int(correlation.argmax())][0]
        others = [value for value, (card, _) in zip(correlation.tolist(), self._cards, strict=True) if card is not best]
        least, most = DISTINCT_CORRELATION
        return float(correlation.max()) >= least and max(others, default=1.0) <= most

    def _compare(self, seen: Floats, order: Sequence[int], limit: float, shadows: bool = False) -> Match:
        """Compare closely with the candidates, best first; the card may differ by up to `limit`."""
        compared: dict[Card, tuple[float, bool]] = {}
        for k in order[: 2 * MAX_CANDIDATES]:
            card, upside_down = self._cards[k]
            if len(compared) >= MAX_CANDIDATES and card not in compared:
                continue
            fine = self._appearances[k].fine
            found = worst_difference(_without_shadows(seen, fine) if shadows else seen, fine)
            if card not in compared or found < compared[card][0]:
                compared[card] = found, upside_down
        if not compared:
            return NO_MATCH
        ranked = sorted(compared.items(), key=lambda item: item[1][0])
        card, (difference, upside_down) = ranked[0]
        second = ranked[1][1][0] if len(ranked) > 1 else np.inf
        lead = min((second + LEAD_OFFSET) / (difference + LEAD_OFFSET), MAX_LEAD)
        certain = difference <= limit and lead >= MIN_LEAD
        confidence = 1 - 0.5 / (lead * lead) if certain else 0.0
        close = difference < CLOSE_SHARE * MAX_DIFFERENCE
        confidence = min(confidence, MAX_CONFIDENCE if close else MAX_CONFIDENCE_DISTANT)
        return Match(card if certain else None, round(confidence, 4), upside_down, difference, lead, card)


def worst_difference(seen: Floats, card: Floats) -> float:
    """Return how much a face differs from a card at the worst place; about 1 for noise.

    Both are (176, 126, 3) float32 Lab, as in `Appearance.fine`.
    """
    edge = EDGE_PX
    seen = _with_light_of(seen, card)
    down, across = _best_shift(seen, card)
    inner = np.ascontiguousarray(card[edge:-edge, edge:-edge])
    height, width = inner.shape[:2]
    inner = _with_sharpness_of(seen[edge + down :][:height, edge + across :][:, :width], inner)
    least: Floats | None = None
    for dy in (down - 1, down, down + 1):
        for dx in (across - 1, across, across + 1):
            there = np.ascontiguousarray(seen[edge + dy : edge + dy + height, edge + dx : edge + dx + width])
            off = cv2.subtract(there, inner)
            mean = _box_mean(cv2.multiply(off, off))
            least = mean if least is None else np.asarray(cv2.min(least, mean), np.float32)
    assert least is not None
    right, low = (cv2.Sobel(inner, cv2.CV_32F, *way, scale=0.125) for way in ((1, 0), (0, 1)))
    slope = _box_mean(cv2.multiply(right, right) + cv2.multiply(low, low))
    expected = NOISE + GRADIENT_WEIGHT * cv2.transform(slope, _SUM)
    return float((cv2.transform(least, _SUM) / expected).max())


def _box_mean(picture: Floats | np.ndarray) -> Floats:
    """Return the mean of the box around each pixel."""
    size = (BOX_PX, BOX_PX)
    return np.asarray(cv2.boxFilter(picture, -1, size, borderType=cv2.BORDER_REFLECT), np.float32)


def _without_shadows(seen: Floats, card: Floats) -> Floats:
    """Return `seen` with the brightness of `card`, place by place, for places larger than any sign.

    A shadow scales L + 16, a and b by one factor (CIE 1976: all three are cube roots of the light). The factor is
    estimated by a median filter, which keeps the edge of a shadow in place.
    """
    mine, other = (cv2.GaussianBlur(each[::2, ::2, 0] + _BLACK, (0, 0), SHADOW_BLUR) for each in (seen, card))
    unit, deepest = SHADOW_STEPS, MAX_SHADOW
    steps = np.clip(other / np.maximum(mine, 1.0) * unit, unit / deepest, unit * deepest)
    typical = cv2.medianBlur(np.rint(steps).astype(np.uint8), SHADOW_WINDOW).astype(np.float32) / unit
    large = cv2.resize(typical, seen.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    factor = cv2.GaussianBlur(large, (0, 0), SHADOW_EDGE)
    black = np.array([_BLACK, 0, 0], np.float32)
    return np.asarray((seen + black) * factor[..., None] - black, np.float32)


def _with_light_of(seen: Floats, card: Floats) -> Floats:
    """Return `seen` with the contrast and the mean colour of `card`."""
    edge, (least, most) = EDGE_PX, GAIN
    mine, other = (each[edge:-edge:2, edge:-edge:2].reshape(-1, 3) for each in (seen, card))
    mean, wanted = mine.mean(axis=0), other.mean(axis=0)
    spread = float(((other - wanted) ** 2).sum())
    gain = float(((mine - mean) * (other - wanted)).sum()) / max(spread, 1.0)
    return np.asarray((seen - mean) / min(max(gain, least), most) + wanted, np.float32)


def _best_shift(seen: Floats, card: Floats) -> tuple[int, int]:
    """Return the shift (down, across; pixels) of `seen` at which it fits `card` best."""
    height, width = card.shape[:2]
    edge = EDGE_PX
    wanted = card[edge:-edge:3, edge:-edge:3]
    steps = range(-MAX_SHIFT_PX, MAX_SHIFT_PX + 1)
    moves = [(dy, dx) for dy in steps for dx in steps]
    off = [
        float(((seen[edge + dy : height - edge + dy : 3, edge + dx : width - edge + dx : 3] - wanted) ** 2).sum())
        for dy, dx in moves
    ]
    return moves[int(np.argmin(off))]


def _with_sharpness_of(seen: Floats, card: Floats) -> Floats:
    """Return `card` blurred until it is as soft as `seen`."""
    soft = [np.asarray(cv2.GaussianBlur(card, (0, 0), blur), np.float32) if blur else card for blur in BLURS_PX]
    off = [float(((seen[::2, ::2] - blurred[::2, ::2]) ** 2).sum()) for blurred in soft]
    return soft[int(np.argmin(off))]


# Read the separated cards of a learned deck by their whole face, whatever is printed on it.


class DeckReader:
    """A `Reader` for the cards of one deck. Cards that are partly covered are not read.

    An outline begins at the card's own top left if the card was upright when it was learned.
    """

    min_px_per_mm: ClassVar[float] = 1.1
    """Below it, small signs are lost: `python -m lab.benchmarks.decks`."""

    def __init__(self, deck: LearnedDeck) -> None:
        self._size = deck.size_mm or CARD_MM
        self._matcher = Matcher(deck.faces)

    def read(self, image: Image, mm_per_px: float | None = None) -> list[Reading]:
        """Return the cards of the deck that lie apart in `image` ((H, W, 3) uint8 BGR).

        Other cards, and those that may be either of two, are left out. Without a scale the whole picture may be one
        card, cut out at its edges.
        """
        if mm_per_px is not None and mm_per_px * self.min_px_per_mm > 1:
            return []
        size = None if mm_per_px is None else (self._size[0] / mm_per_px, self._size[1] / mm_per_px)
        levels = image_pyramid(image)
        found = self._match(levels, card_outlines(image, levels, size))
        if not found and size is None and (whole := whole_outline(image)) is not None:
            found = self._match(levels, [whole])
        kept: list[tuple[Match, Quad]] = []
        for match, quad in sorted(found, key=lambda pair: pair[0].difference):
            if not any(iou(quad, other) > SAME_CARD_IOU for _, other in kept):
                kept.append((match, quad))
        return [Reading(match.card, match.confidence, "face", quad) for match, quad in kept if match.card is not None]

    def _match(self, levels: list[Image], quads: list[Quad]) -> list[tuple[Match, Quad]]:
        """Return the outlines that show a card of the deck, from its own top left."""
        found: list[tuple[Match, Quad]] = []
        for quad in quads:
            match = self._matcher.match(cut_out(levels, quad))
            if match.card is not None:
                found.append((match, starting_at(quad, 2) if match.upside_down else quad))
        return found
