"""One card from the scores of the two corners that show its index."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.cards import RANKS, SUITS, Card
from vision.faces.geometry import Floats
from vision.faces.settings import DEFAULTS, FusionSettings


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the two index corners of a quadrilateral show together.

    `confidence`: 0 to 1; low if they show no index or disagree. `corners`: those that show the card: 0 for the
    first corner, 2 for the opposite one. `alternatives`: other cards they may show, each with its confidence, most
    likely first.
    """

    card: Card
    confidence: float
    corners: tuple[int, ...]
    alternatives: tuple[tuple[Card, float], ...]


def fuse(rank: Floats, suit: Floats, settings: FusionSettings = DEFAULTS.fusion) -> Verdict:
    """Return the most likely card of two corners.

    `rank` (2, 14), `suit` (2, 5): probabilities of each corner; the last class of each is "no index".

    Bayes' rule over these hypotheses: both corners show the same card; one of them is hidden; they show two different
    cards; neither shows an index.
    """
    shows = (rank[:, :13, None] * suit[:, None, :4]).reshape(2, -1)
    blank = np.minimum(1.0, rank[:, 13] + suit[:, 4] - rank[:, 13] * suit[:, 4])
    both = shows[0] * shows[1]
    alone = settings.hidden_prior * (shows[0] * blank[1] + shows[1] * blank[0])
    evidence = both + alone
    best = int(evidence.argmax())
    neither = blank[0] * blank[1]
    different = settings.different_prior * (shows[0].sum() * shows[1].sum() - both.sum())
    posterior = evidence / max(evidence.sum() + neither + different, 1e-9)
    corners = (0, 2) if both[best] > alone[best] else (0,) if shows[0, best] > shows[1, best] else (2,)
    return Verdict(_card(best), float(posterior[best]), corners, alternatives(posterior, settings))


def alternatives(probability: Floats, settings: FusionSettings = DEFAULTS.fusion) -> tuple[tuple[Card, float], ...]:
    """Return the next most likely cards after the first, with their probability.

    `probability`: (52,), ordered by rank, then by suit.
    """
    likely = np.argsort(-probability, kind="stable")[1 : 1 + settings.max_alternatives]
    return tuple((_card(int(k)), float(probability[k])) for k in likely if probability[k] >= settings.min_alternative)


def _card(k: int) -> Card:
    return Card(RANKS[k // 4], SUITS[k % 4])
