"""Which card of a deck a face is: one of them, none, or two that are too similar to decide.

First, whole faces are correlated in CIE Lab at 1 pixel per millimetre, both ways up. The best candidates are then
compared at 2 pixels per millimetre by the place where they differ most: two cards that differ in one small sign are
nearly equal everywhere else. That comparison tolerates what is not a difference between cards: brightness, tint,
sharpness, and shifts of half a millimetre, place by place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from engine.cards import Card
from vision.decks.appearance import Appearance, appearance_of
from vision.faces.geometry import Floats
from vision.frames import Image


@dataclass(frozen=True, slots=True)
class MatcherSettings:
    """The thresholds of `Matcher`. Correlations are -1 to 1; a difference of 1 is about what noise causes."""

    min_correlation: float = 0.8
    """Correlation with a card in even light. A card of the deck usually reaches 0.96."""
    min_shadowed: float = 0.45
    """The same if a shadow falls across the card."""
    candidate_margin: float = 0.12
    """Cards whose correlation is this much below the best are not compared closely."""
    max_candidates: int = 6
    """Cards compared closely: each costs about a millisecond."""
    max_difference: float = 10.0
    """Difference at the worst place above which a face is not this card: `python -m benchmarks.decks`."""
    max_difference_distinct: float = 40.0
    """The same for a face that resembles one card only, in whatever light."""
    distinct_correlation: tuple[float, float] = (0.85, 0.4)
    """Least correlation with that one card, and greatest with any other."""
    min_lead: float = 2.0
    """Factor by which the next card must differ more."""


DEFAULTS: Final = MatcherSettings()

_EDGE: Final = 5
"""Pixels at the edge of the fine form that are not compared."""
_MAX_SHIFT: Final = 2
"""Largest shift between two faces, pixels of the fine form."""
_BOX: Final = 12
"""Side of a place, pixels of the fine form: 6 mm."""
_NOISE: Final = 16.0
"""Squared difference in Lab that every camera causes."""
_GRADIENT_WEIGHT: Final = 0.08
"""Additional squared difference where the print has edges, relative to its squared gradient."""
_BLURS: Final = (0.0, 0.8, 1.3, 1.9)
"""Blurs (standard deviation, pixels) tried to make the stored card as soft as the seen one."""
_SUM: Final = np.ones((1, 3), np.float32)
_BLACK: Final = 16.0
"""CIE 1976: L = 116 * cbrt(Y) - 16, so that L + 16 is proportional to the cube root of the light."""
_SHADOW: Final = 1.4
"""The deepest shadow, as a factor of cbrt(Y): it leaves 0.36 of the light."""
_STEPS: Final = 160.0
"""Quantization of shadow factors for the median filter."""
_MEDIAN_SIZE: Final = 15
"""Window of that filter, pixels of the halved fine form: 15 mm."""


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


class Matcher:
    """Compares faces with the cards of one deck. `faces`: (176, 126, 3) uint8 BGR for each card, as `cut_out` gives."""

    def __init__(self, faces: Mapping[Card, Image], settings: MatcherSettings = DEFAULTS) -> None:
        self._settings = settings
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
        settings = self._settings
        seen = appearance_of(face)
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
        lead = min((second + 0.5) / (difference + 0.5), 1000.0)
        sure = difference <= limit and lead >= settings.min_lead
        confidence = 1 - 0.5 / (lead * lead) if sure else 0.0
        # A face that differs somewhat may be another deck's card of the same design.
        confidence = min(confidence, 0.999 if difference < 0.7 * settings.max_difference else 0.95)
        return Match(card if sure else None, round(confidence, 4), upside_down, difference, lead, card)


def worst_difference(seen: Floats, card: Floats) -> float:
    """Return how much a face differs from a card at the worst place; about 1 for noise.

    Both are (176, 126, 3) float32 Lab, as in `Appearance.fine`.
    """
    seen = _with_light_of(seen, card)
    down, across = _best_shift(seen, card)
    inner = np.ascontiguousarray(card[_EDGE:-_EDGE, _EDGE:-_EDGE])
    height, width = inner.shape[:2]
    inner = _with_sharpness_of(seen[_EDGE + down :][:height, _EDGE + across :][:, :width], inner)
    least: Floats | None = None
    for dy in (down - 1, down, down + 1):
        for dx in (across - 1, across, across + 1):
            there = np.ascontiguousarray(seen[_EDGE + dy : _EDGE + dy + height, _EDGE + dx : _EDGE + dx + width])
            off = cv2.subtract(there, inner)
            mean = _box_mean(cv2.multiply(off, off))
            least = mean if least is None else np.asarray(cv2.min(least, mean), np.float32)
    assert least is not None
    right, low = (cv2.Sobel(inner, cv2.CV_32F, *way, scale=0.125) for way in ((1, 0), (0, 1)))
    slope = _box_mean(cv2.multiply(right, right) + cv2.multiply(low, low))
    return float((cv2.transform(least, _SUM) / (_NOISE + _GRADIENT_WEIGHT * cv2.transform(slope, _SUM))).max())


def _box_mean(picture: Floats | np.ndarray) -> Floats:
    """Return the mean of the box around each pixel."""
    return np.asarray(cv2.boxFilter(picture, -1, (_BOX, _BOX), borderType=cv2.BORDER_REFLECT), np.float32)


def _without_shadows(seen: Floats, card: Floats) -> Floats:
    """Return `seen` with the brightness of `card`, place by place, for places larger than any sign.

    A shadow scales L + 16, a and b by one factor (CIE 1976: all three are cube roots of the light). The factor is
    estimated by a median filter, which keeps the edge of a shadow in place.
    """
    mine, other = (cv2.GaussianBlur(each[::2, ::2, 0] + _BLACK, (0, 0), 1.5) for each in (seen, card))
    steps = np.clip(other / np.maximum(mine, 1.0) * _STEPS, _STEPS / _SHADOW, _STEPS * _SHADOW)
    typical = cv2.medianBlur(np.rint(steps).astype(np.uint8), _MEDIAN_SIZE).astype(np.float32) / _STEPS
    factor = cv2.GaussianBlur(cv2.resize(typical, seen.shape[1::-1], interpolation=cv2.INTER_LINEAR), (0, 0), 3.0)
    black = np.array([_BLACK, 0, 0], np.float32)
    return np.asarray((seen + black) * factor[..., None] - black, np.float32)


def _with_light_of(seen: Floats, card: Floats) -> Floats:
    """Return `seen` with the contrast and the mean colour of `card`."""
    mine, other = (each[_EDGE:-_EDGE:2, _EDGE:-_EDGE:2].reshape(-1, 3) for each in (seen, card))
    mean, wanted = mine.mean(axis=0), other.mean(axis=0)
    spread = float(((other - wanted) ** 2).sum())
    gain = float(((mine - mean) * (other - wanted)).sum()) / max(spread, 1.0)
    return np.asarray((seen - mean) / min(max(gain, 0.5), 1.6) + wanted, np.float32)


def _best_shift(seen: Floats, card: Floats) -> tuple[int, int]:
    """Return the shift (down, across; pixels) of `seen` at which it fits `card` best."""
    height, width = card.shape[:2]
    wanted = card[_EDGE:-_EDGE:3, _EDGE:-_EDGE:3]
    steps = range(-_MAX_SHIFT, _MAX_SHIFT + 1)
    moves = [(dy, dx) for dy in steps for dx in steps]
    off = [
        float(((seen[_EDGE + dy : height - _EDGE + dy : 3, _EDGE + dx : width - _EDGE + dx : 3] - wanted) ** 2).sum())
        for dy, dx in moves
    ]
    return moves[int(np.argmin(off))]


def _with_sharpness_of(seen: Floats, card: Floats) -> Floats:
    """Return `card` blurred until it is as soft as `seen`."""
    soft = [np.asarray(cv2.GaussianBlur(card, (0, 0), blur), np.float32) if blur else card for blur in _BLURS]
    off = [float(((seen[::2, ::2] - one[::2, ::2]) ** 2).sum()) for one in soft]
    return soft[int(np.argmin(off))]
