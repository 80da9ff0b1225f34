"""Which card of a deck a face is, or that it is none of them, or that two are too alike to say.

In haste: correlation of the whole faces in Lab, 1 pixel a millimetre, both ways up. What comes near is compared
closely, at 2 pixels a millimetre, by the place where the two differ most: two cards that differ in one small sign are
nearly alike everywhere else, and only that place tells them apart. Compared there is after allowing for what is no
difference of cards: brightness, tint, sharpness, and half a millimetre to each side, place by place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from engine.cards import Card
from vision.decks.looks import Floats, Look, look_of
from vision.frames import Image

ALIKE: Final = 0.8
"""Least correlation with a card that it may be. A card of the deck is seen with 0.96 and more …"""
SHADOWED: Final = 0.45
"""… and with so much where a shadow falls across it."""
NEAR: Final = 0.12
"""Cards whose correlation is so much less than the best are not looked at closely."""
MOST_CLOSELY: Final = 6
DIFFERS: Final = 10.0
"""A face that differs more than this, at its worst place, is not this card: `python -m benchmarks.decks`."""
DIFFERS_ALONE: Final = 40.0
"""… but for one that looks like this card and like no other of the deck, in whatever light."""
OF_ITS_OWN: Final = (0.85, 0.4)
"""Least correlation with that card, and most with any other."""
LEAD: Final = 2.0
"""The next card must differ so many times more."""
_EDGE: Final = 5
"""Pixels of the fine look at the edge that are not compared."""
_SHIFT: Final = 2
_BOX: Final = 12
"""Side of a place, pixels of the fine look: 6 mm."""
_FLOOR: Final = 16.0
"""Squared difference in Lab, noise and all, that every camera makes."""
_SLOPE: Final = 0.08
"""… and where the print is steep, as a part of its squared slope."""
_BLURS: Final = (0.0, 0.8, 1.3, 1.9)
_SUM: Final = np.ones((1, 3), np.float32)
_BLACK: Final = 16.0
"""L of nothing at all, the other way round: L = 116 ∛Y − 16."""
_SHADOW: Final = 1.4
"""The deepest shadow, as a factor of ∛Y: it leaves 0.36 of the light."""
_STEPS: Final = 160.0
_WIDE: Final = 15
"""Pixels of half the fine look across which the median is taken: 15 mm."""


@dataclass(frozen=True, slots=True)
class Match:
    """What a face is. `card`: None where it is none of the deck, or not sure. `turned`: it lies upside down.

    `differs`: how much it differs from the most similar card at the worst place; `lead`: how many times more the next
    card does. `nearest`: the most similar card, whether or not it is taken for that.
    """

    card: Card | None
    confidence: float
    turned: bool
    differs: float
    lead: float
    nearest: Card | None


NOTHING: Final = Match(None, 0.0, False, np.inf, 0.0, None)


class Matcher:
    """Compares with the cards of one deck. `faces`: one picture for each, `FACE_SIZE`."""

    def __init__(self, faces: Mapping[Card, Image]) -> None:
        self._cards: list[tuple[Card, bool]] = []
        self._looks: list[Look] = []
        for card, face in faces.items():
            look = look_of(face)
            self._cards += [(card, False), (card, True)]
            self._looks += [look, look.turned()]
        self._rough = np.array([look.rough for look in self._looks], np.float32)

    def match(self, face: Image) -> Match:
        """What this face, as `cut_out` gives it, is."""
        if not self._looks:
            return NOTHING
        seen = look_of(face)
        alike = self._rough @ seen.rough
        best = float(alike.max())
        order = [k for k in np.argsort(-alike, kind="stable").tolist() if alike[k] >= max(SHADOWED, best - NEAR)]
        limit = DIFFERS_ALONE if self._of_its_own(alike) else DIFFERS
        match = self._closely(seen.fine, [k for k in order if alike[k] >= ALIKE], limit)
        if match.card is None and match.differs > limit:
            # What is like no card of the deck may be one of them on which a shadow falls.
            shadowed = self._closely(seen.fine, order, limit, shadows=True)
            match = match if shadowed.card is None else shadowed
        return match

    def _of_its_own(self, alike: Floats) -> bool:
        """Whether the face correlates with one card, and with no other."""
        best = self._cards[int(alike.argmax())][0]
        others = [each for each, (card, _) in zip(alike.tolist(), self._cards, strict=True) if card is not best]
        least, most = OF_ITS_OWN
        return float(alike.max()) >= least and max(others, default=1.0) <= most

    def _closely(self, seen: Floats, order: Sequence[int], limit: float, shadows: bool = False) -> Match:
        """Held closely against what comes near, best first: it may differ by up to `limit` from the card."""
        closely: dict[Card, tuple[float, bool]] = {}
        for k in order[: 2 * MOST_CLOSELY]:
            card, turned = self._cards[k]
            if len(closely) >= MOST_CLOSELY and card not in closely:
                continue
            fine = self._looks[k].fine
            found = worst_place(_without_shadows(seen, fine) if shadows else seen, fine)
            if card not in closely or found < closely[card][0]:
                closely[card] = found, turned
        if not closely:
            return NOTHING
        ranked = sorted(closely.items(), key=lambda item: item[1][0])
        card, (differs, turned) = ranked[0]
        second = ranked[1][1][0] if len(ranked) > 1 else np.inf
        lead = min((second + 0.5) / (differs + 0.5), 1000.0)
        sure = differs <= limit and lead >= LEAD
        confidence = 1 - 0.5 / (lead * lead) if sure else 0.0
        # What is not quite like it may be another deck's card of the same design.
        confidence = min(confidence, 0.999 if differs < 0.7 * DIFFERS else 0.95)
        return Match(card if sure else None, round(confidence, 4), turned, differs, lead, card)


def worst_place(seen: Floats, card: Floats) -> float:
    """How much a face differs from a card where it differs most. Both (176, 126, 3) Lab; 1 is about what noise does."""
    seen = _in_the_light_of(seen, card)
    down, across = _place(seen, card)
    inner = np.ascontiguousarray(card[_EDGE:-_EDGE, _EDGE:-_EDGE])
    height, width = inner.shape[:2]
    inner = _as_sharp_as(seen[_EDGE + down :][:height, _EDGE + across :][:, :width], inner)
    least: Floats | None = None
    for dy in (down - 1, down, down + 1):
        for dx in (across - 1, across, across + 1):
            there = np.ascontiguousarray(seen[_EDGE + dy : _EDGE + dy + height, _EDGE + dx : _EDGE + dx + width])
            off = cv2.subtract(there, inner)
            mean = _mean(cv2.multiply(off, off))
            least = mean if least is None else np.asarray(cv2.min(least, mean), np.float32)
    assert least is not None
    right, low = (cv2.Sobel(inner, cv2.CV_32F, *way, scale=0.125) for way in ((1, 0), (0, 1)))
    slope = _mean(cv2.multiply(right, right) + cv2.multiply(low, low))
    return float((cv2.transform(least, _SUM) / (_FLOOR + _SLOPE * cv2.transform(slope, _SUM))).max())


def _mean(picture: Floats | np.ndarray) -> Floats:
    """The mean about each pixel."""
    return np.asarray(cv2.boxFilter(picture, -1, (_BOX, _BOX), borderType=cv2.BORDER_REFLECT), np.float32)


def _without_shadows(seen: Floats, card: Floats) -> Floats:
    """`seen` as bright as `card`, place by place, for places larger than any sign.

    In a shadow L + 16, a and b are smaller by one factor (CIE 1976: all three go with cube roots). It is the median
    of a neighbourhood, which leaves the edge of a shadow where it is.
    """
    mine, other = (cv2.GaussianBlur(look[::2, ::2, 0] + _BLACK, (0, 0), 1.5) for look in (seen, card))
    steps = np.clip(other / np.maximum(mine, 1.0) * _STEPS, _STEPS / _SHADOW, _STEPS * _SHADOW)
    typical = cv2.medianBlur(np.rint(steps).astype(np.uint8), _WIDE).astype(np.float32) / _STEPS
    factor = cv2.GaussianBlur(cv2.resize(typical, seen.shape[1::-1], interpolation=cv2.INTER_LINEAR), (0, 0), 3.0)
    black = np.array([_BLACK, 0, 0], np.float32)
    return np.asarray((seen + black) * factor[..., None] - black, np.float32)


def _in_the_light_of(seen: Floats, card: Floats) -> Floats:
    """`seen` with the contrast and the mean colour of `card`."""
    mine, other = (look[_EDGE:-_EDGE:2, _EDGE:-_EDGE:2].reshape(-1, 3) for look in (seen, card))
    mean, wanted = mine.mean(axis=0), other.mean(axis=0)
    spread = float(((other - wanted) ** 2).sum())
    gain = float(((mine - mean) * (other - wanted)).sum()) / max(spread, 1.0)
    return np.asarray((seen - mean) / min(max(gain, 0.5), 1.6) + wanted, np.float32)


def _place(seen: Floats, card: Floats) -> tuple[int, int]:
    """By how many pixels, down and across, `seen` is moved."""
    height, width = card.shape[:2]
    wanted = card[_EDGE:-_EDGE:3, _EDGE:-_EDGE:3]
    steps = range(-_SHIFT, _SHIFT + 1)
    moves = [(dy, dx) for dy in steps for dx in steps]
    off = [
        float(((seen[_EDGE + dy : height - _EDGE + dy : 3, _EDGE + dx : width - _EDGE + dx : 3] - wanted) ** 2).sum())
        for dy, dx in moves
    ]
    return moves[int(np.argmin(off))]


def _as_sharp_as(seen: Floats, card: Floats) -> Floats:
    """`card` as soft as `seen` is."""
    soft = [np.asarray(cv2.GaussianBlur(card, (0, 0), blur), np.float32) if blur else card for blur in _BLURS]
    off = [float(((seen[::2, ::2] - one[::2, ::2]) ** 2).sum()) for one in soft]
    return soft[int(np.argmin(off))]
