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
from vision.decks.deck import DEFAULTS as APPEARANCE
from vision.decks.deck import Appearance, AppearanceSettings, OwnDeck, appearance_of, cut_out
from vision.decks.pictures import card_outlines, whole_outline
from vision.faces.geometry import Floats, Quad, iou, starting_at
from vision.faces.pyramid import image_pyramid
from vision.frames import Image
from vision.readings import CARD_MM, Reading


@dataclass(frozen=True, slots=True)
class MatcherSettings:
    """The thresholds of `Matcher`. Correlations are -1 to 1; a difference of 1 is about what noise causes."""

    min_correlation: float = 0.8
    """Correlation with a card in even light; a card of the deck usually reaches 0.96. Higher: worn cards are not
    accepted; lower: slower, other decks' cards are compared closely."""
    min_shadowed: float = 0.45
    """The same if a shadow falls across the card."""
    candidate_margin: float = 0.12
    """Cards whose correlation is this much below the best are not compared closely. Higher: slower; lower: the right
    card may be left out."""
    max_candidates: int = 6
    """Cards compared closely: each costs about a millisecond. Lower: of many similar cards the right one may be left
    out."""
    max_difference: float = 10.0
    """Difference at the worst place above which a face is not this card. Higher: cards of other decks are read as this
    one's; lower: worn cards, and cards in poor light, are not read (`python -m lab.benchmarks.decks`)."""
    max_difference_distinct: float = 40.0
    """The same for a face that resembles one card only, in whatever light."""
    distinct_correlation: tuple[float, float] = (0.85, 0.4)
    """Least correlation with that one card, and greatest with any other. First higher or second lower: fewer faces
    count as distinct, so that fewer are read in poor light."""
    min_lead: float = 2.0
    """Factor by which the next card must differ more. Higher: fewer cards of a deck with similar faces are read; lower:
    more of them are read wrong."""
    sure_share: float = 0.7
    max_confidence: float = 0.999
    max_confidence_unsure: float = 0.95
    """Upper limits of the confidence: the first for a face that differs by less than `sure_share` of `max_difference`,
    the second for others, which may be another deck's card of the same design. Lower: cards are read more often until
    they are reported."""
    same_card_iou: float = 0.3
    """Of two outlines with a higher IoU `DeckReader` keeps only the one that matches better. Higher: a card is reported
    twice; lower: cards that overlap are lost."""
    lead_offset: float = 0.5
    """Added to both differences before the lead is taken. Higher: the lead becomes smaller, most of all for faces that
    hardly differ from the card."""
    max_lead: float = 1000.0
    """Upper limit of the lead, for a deck of one card, which has no next one. Lower: less confidence there."""
    appearance: AppearanceSettings = APPEARANCE


DEFAULTS: Final = MatcherSettings()


@dataclass(frozen=True, slots=True)
class DifferenceSettings:
    """How two faces are compared at the worst place. Lengths are pixels of the fine form, half a millimetre each."""

    edge: int = 5
    """Width of the edge that is not compared: rounded corners, shadows, the table. Higher: signs near the edge do not
    count; lower: rough outlines look like differences."""
    max_shift: int = 2
    """Largest shift between two faces. Larger: tolerates worse outlines, slower."""
    box: int = 12
    """Side of a place: 6 mm. Smaller: finds smaller signs, but is more sensitive to noise."""
    noise: float = 16.0
    """Squared difference in Lab that every camera causes: a difference of 1. Higher: all differences become smaller."""
    gradient_weight: float = 0.08
    """Additional squared difference where the print has edges, relative to its squared gradient. Higher: rough outlines
    matter less, and so do small signs."""
    blurs: tuple[float, ...] = (0.0, 0.8, 1.3, 1.9)
    """Blurs (standard deviation) tried to make the stored card as soft as the seen one. More, larger: cards out of
    focus are read, slower."""
    gain: tuple[float, float] = (0.5, 1.6)
    """Range of the contrast of the seen face relative to the stored one. Wider: poorer light is tolerated, and pale
    print looks like dark print."""
    max_shadow: float = 1.4
    """The deepest shadow, as a factor of the cube root of the light: it leaves 0.36 of the light. Higher: deeper
    shadows are tolerated, and dark print looks like a shadow."""
    shadow_steps: float = 160.0
    """Steps per unit of that factor: the median filter needs whole numbers below 256. Higher: finer steps, but
    `max_shadow` times this must stay below 256."""
    shadow_window: int = 15
    """Window of the median filter in halved pixels: 15 mm. Higher: smaller shadows stay; lower: large signs are taken
    for shadows."""
    shadow_blur: float = 1.5
    """Blur (standard deviation) of the brightness, in halved pixels, before that filter. Higher: edges of shadows are
    less exact; lower: noise looks like a shadow."""
    shadow_edge: float = 3.0
    """Blur (standard deviation) of the factor after it. Higher: shadows with a sharp edge stay; lower: an edge that is
    estimated inexactly looks like a sign."""


_DIFFERENCE: Final = DifferenceSettings()
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

    def __init__(self, faces: Mapping[Card, Image], settings: MatcherSettings = DEFAULTS) -> None:
        self._settings = settings
        self._cards: list[tuple[Card, bool]] = []
        self._appearances: list[Appearance] = []
        for card, face in faces.items():
            upright = appearance_of(face, settings.appearance)
            self._cards += [(card, False), (card, True)]
            self._appearances += [upright, upright.upside_down(settings.appearance)]
        self._rough = np.array([appearance.rough for appearance in self._appearances], np.float32)

    def match(self, face: Image) -> Match:
        """Return which card this face, as `cut_out` gives it, is."""
        if not self._appearances:
            return NO_MATCH
        settings = self._settings
        seen = appearance_of(face, settings.appearance)
        correlation = self._rough @ seen.rough
        least = max(settings.min_shadowed, float(correlation.max()) - settings.candidate_margin)
        order = [k for k in np.argsort(-correlation, kind="stable").tolist() if correlation[k] >= least]
        distinct = self._is_distinct(correlation)
        limit = settings.max_difference_distinct if distinct else settings.max_difference
        match = self._compare(seen.fine, [k for k in order if correlation[k] >= settings.min_correlation], limit)
        if match.card is None and match.difference > limit:
            # A face that resembles no card of the deck may be one of them with a shadow across it.
            shadowed = self._compare(seen.fine, order, limit, shadows=True)
            match = match if shadowed.card is None else shadowed
        return match

    def _is_distinct(self, correlation: Floats) -> bool:
        """Return whether the face correlates with one card, and with no other."""
        best = self._cards[int(correlation.argmax())][0]
        others = [value for value, (card, _) in zip(correlation.tolist(), self._cards, strict=True) if card is not best]
        least, most = self._settings.distinct_correlation
        return float(correlation.max()) >= least and max(others, default=1.0) <= most

    def _compare(self, seen: Floats, order: Sequence[int], limit: float, shadows: bool = False) -> Match:
        """Compare closely with the candidates, best first; the card may differ by up to `limit`."""
        settings = self._settings
        compared: dict[Card, tuple[float, bool]] = {}
        for k in order[: 2 * settings.max_candidates]:
            card, upside_down = self._cards[k]
            if len(compared) >= settings.max_candidates and card not in compared:
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
        offset = settings.lead_offset
        lead = min((second + offset) / (difference + offset), settings.max_lead)
        sure = difference <= limit and lead >= settings.min_lead
        confidence = 1 - 0.5 / (lead * lead) if sure else 0.0
        close = difference < settings.sure_share * settings.max_difference
        confidence = min(confidence, settings.max_confidence if close else settings.max_confidence_unsure)
        return Match(card if sure else None, round(confidence, 4), upside_down, difference, lead, card)


def worst_difference(seen: Floats, card: Floats) -> float:
    """Return how much a face differs from a card at the worst place; about 1 for noise.

    Both are (176, 126, 3) float32 Lab, as in `Appearance.fine`.
    """
    edge = _DIFFERENCE.edge
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
    expected = _DIFFERENCE.noise + _DIFFERENCE.gradient_weight * cv2.transform(slope, _SUM)
    return float((cv2.transform(least, _SUM) / expected).max())


def _box_mean(picture: Floats | np.ndarray) -> Floats:
    """Return the mean of the box around each pixel."""
    size = (_DIFFERENCE.box, _DIFFERENCE.box)
    return np.asarray(cv2.boxFilter(picture, -1, size, borderType=cv2.BORDER_REFLECT), np.float32)


def _without_shadows(seen: Floats, card: Floats) -> Floats:
    """Return `seen` with the brightness of `card`, place by place, for places larger than any sign.

    A shadow scales L + 16, a and b by one factor (CIE 1976: all three are cube roots of the light). The factor is
    estimated by a median filter, which keeps the edge of a shadow in place.
    """
    mine, other = (
        cv2.GaussianBlur(each[::2, ::2, 0] + _BLACK, (0, 0), _DIFFERENCE.shadow_blur) for each in (seen, card)
    )
    unit, deepest = _DIFFERENCE.shadow_steps, _DIFFERENCE.max_shadow
    steps = np.clip(other / np.maximum(mine, 1.0) * unit, unit / deepest, unit * deepest)
    typical = cv2.medianBlur(np.rint(steps).astype(np.uint8), _DIFFERENCE.shadow_window).astype(np.float32) / unit
    large = cv2.resize(typical, seen.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    factor = cv2.GaussianBlur(large, (0, 0), _DIFFERENCE.shadow_edge)
    black = np.array([_BLACK, 0, 0], np.float32)
    return np.asarray((seen + black) * factor[..., None] - black, np.float32)


def _with_light_of(seen: Floats, card: Floats) -> Floats:
    """Return `seen` with the contrast and the mean colour of `card`."""
    edge, (least, most) = _DIFFERENCE.edge, _DIFFERENCE.gain
    mine, other = (each[edge:-edge:2, edge:-edge:2].reshape(-1, 3) for each in (seen, card))
    mean, wanted = mine.mean(axis=0), other.mean(axis=0)
    spread = float(((other - wanted) ** 2).sum())
    gain = float(((mine - mean) * (other - wanted)).sum()) / max(spread, 1.0)
    return np.asarray((seen - mean) / min(max(gain, least), most) + wanted, np.float32)


def _best_shift(seen: Floats, card: Floats) -> tuple[int, int]:
    """Return the shift (down, across; pixels) of `seen` at which it fits `card` best."""
    height, width = card.shape[:2]
    edge = _DIFFERENCE.edge
    wanted = card[edge:-edge:3, edge:-edge:3]
    steps = range(-_DIFFERENCE.max_shift, _DIFFERENCE.max_shift + 1)
    moves = [(dy, dx) for dy in steps for dx in steps]
    off = [
        float(((seen[edge + dy : height - edge + dy : 3, edge + dx : width - edge + dx : 3] - wanted) ** 2).sum())
        for dy, dx in moves
    ]
    return moves[int(np.argmin(off))]


def _with_sharpness_of(seen: Floats, card: Floats) -> Floats:
    """Return `card` blurred until it is as soft as `seen`."""
    blurs = _DIFFERENCE.blurs
    soft = [np.asarray(cv2.GaussianBlur(card, (0, 0), blur), np.float32) if blur else card for blur in blurs]
    off = [float(((seen[::2, ::2] - one[::2, ::2]) ** 2).sum()) for one in soft]
    return soft[int(np.argmin(off))]


# Read the separated cards of a learned deck by their whole face, whatever is printed on it.


class DeckReader:
    """A `Reader` for the cards of one deck. Cards that are partly covered are not read.

    An outline begins at the card's own top left if the card was upright when it was learned.
    """

    min_px_per_mm: ClassVar[float] = 1.1
    """Below it, small signs are lost: `python -m lab.benchmarks.decks`."""

    def __init__(self, deck: OwnDeck) -> None:
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
        for match, quad in sorted(found, key=lambda one: one[0].difference):
            if not any(iou(quad, other) > DEFAULTS.same_card_iou for _, other in kept):
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
