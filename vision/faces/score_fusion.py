"""One card from the scores of the two corners that show its index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from engine.cards import COURT_RANKS, RANKS, SUITS, Card
from vision.faces.fusion_settings import FusionSettings
from vision.faces.geometry import Floats
from vision.faces.settings import DEFAULTS

NO_EVIDENCE: Final = np.zeros(53, np.float32)
"""The picture of the whole card says nothing: logarithms of the likelihood of each card, and of no card or two."""

IS_COURT: Final = np.array([rank in COURT_RANKS for rank in RANKS])
"""Which of the ranks, (13,), are those of court cards."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the two index corners of a quadrilateral show together.

    `confidence`: 0 to 1; low if they show no index or disagree. `corners`: those that show the card: 0 for the
    first corner, 2 for the opposite one. `alternatives`: other cards they may show, each with its confidence, most
    likely first. `probabilities`: of every card, (52,), ordered by rank, then by suit; what is missing to 1 is the
    probability that they show no card, or two.
    """

    card: Card
    confidence: float
    corners: tuple[int, ...]
    alternatives: tuple[tuple[Card, float], ...]
    probabilities: Floats = field(default_factory=lambda: np.zeros(52, np.float32), compare=False)


def fuse(rank: Floats, suit: Floats, settings: FusionSettings = DEFAULTS.fusion) -> Verdict:
    """Return the most likely card of two corners.

    `rank` (2, 14), `suit` (2, 5): probabilities of each corner; the last class of each is "no index".

    Bayes' rule over these hypotheses: both corners show the same card; one of them is hidden; they show two different
    cards; neither shows an index. What makes one corner hard to read, blur for example, makes the other hard to read in
    the same way, so that their errors are not independent: the product of their probabilities is raised to
    `settings.agreement`.
    """
    shows = card_probabilities(rank, suit)
    blank = np.minimum(1.0, rank[:, 13] + suit[:, 4] - rank[:, 13] * suit[:, 4])
    product = shows[0] * shows[1]
    tempered = product**settings.agreement
    both = tempered * (product.sum() / max(tempered.sum(), 1e-9))
    alone = settings.hidden_prior * (shows[0] * blank[1] + shows[1] * blank[0])
    evidence = both + alone
    best = int(evidence.argmax())
    neither = blank[0] * blank[1]
    different = settings.different_prior * (shows[0].sum() * shows[1].sum() - product.sum())
    posterior = np.asarray(evidence / max(evidence.sum() + neither + different, 1e-9), np.float32)
    corners = (0, 2) if both[best] > alone[best] else (0,) if shows[0, best] > shows[1, best] else (2,)
    return Verdict(
        _card(best), float(posterior[best]), corners, alternatives(_card(best), posterior, settings), posterior
    )


def confirmed(
    verdict: Verdict, seen: Sequence[Floats], whole: Floats = NO_EVIDENCE, settings: FusionSettings = DEFAULTS.fusion
) -> Verdict:
    """Return the verdict with the second opinion of another net on the same corners, and with that on the whole card.

    `seen`: its probability of each card, (52,), one for each corner that it read; none leaves the cards as likely as
    they were, but the certainty lower. `whole`: the logarithm of the likelihood of each card, and of no card or two,
    (53,). The two nets err together only in part: the logarithms of both are weighted with `settings.own_weight` and
    `settings.second_weight` and added. The card stays: if the other net is certain of another one, neither is. The
    other net does not change the probability that the corners show no card, or two.
    """
    total = float(verdict.probabilities.sum())
    own = np.maximum(verdict.probabilities / max(total, 1e-9), settings.least_probability)
    total = float(weighed(verdict.probabilities, whole).sum())
    logarithm = settings.own_weight * np.log(own)
    if seen:
        second = np.mean([np.log(np.maximum(one, settings.least_probability)) for one in seen], axis=0)
        logarithm = logarithm + settings.second_weight * second
    logarithm = logarithm + whole[:52]
    weight = np.exp(logarithm - logarithm.max())
    posterior = np.asarray(total * weight / weight.sum(), np.float32)
    return replace(
        verdict,
        confidence=float(posterior[number_of(verdict.card)]),
        alternatives=alternatives(verdict.card, posterior, settings),
        probabilities=posterior,
    )


def with_whole(verdict: Verdict, whole: Floats, settings: FusionSettings = DEFAULTS.fusion) -> Verdict:
    """Return the verdict about the card that the corners and the whole card show together.

    `whole`: logarithm of the likelihood of each card, and of no card or two, (53,). `probabilities` stay those of the
    corners: `confirmed` adds the whole card once more to them, beside the other net.
    """
    probabilities = weighed(verdict.probabilities, whole)
    best = int(probabilities.argmax())
    return replace(
        verdict,
        card=_card(best),
        confidence=float(probabilities[best]),
        alternatives=alternatives(_card(best), probabilities, settings),
    )


def with_confidence(card: Card, confidence: float, probabilities: Floats) -> Floats:
    """Return the probability of each card, (52,), with that of `card` set, and the others changed in proportion."""
    k = number_of(card)
    own = probabilities * ((1 - confidence) / max(1 - float(probabilities[k]), 1e-9))
    own[k] = confidence
    return own


def weighed(probabilities: Floats, whole: Floats) -> Floats:
    """Return the probability of each card, (52,), with the whole card as further evidence.

    `whole`: as in `with_whole`.
    """
    every = np.append(probabilities, max(1 - float(probabilities.sum()), 0.0)) * np.exp(whole - whole.max())
    return np.asarray(every[:52] / max(float(every.sum()), 1e-9), np.float32)


def alternatives(
    card: Card, probability: Floats, settings: FusionSettings = DEFAULTS.fusion
) -> tuple[tuple[Card, float], ...]:
    """Return the most likely cards other than `card`, with their probability.

    `probability`: (52,), ordered by rank, then by suit.
    """
    others = [int(k) for k in np.argsort(-probability, kind="stable") if k != number_of(card)]
    likely = others[: settings.max_alternatives]
    return tuple((_card(k), float(probability[k])) for k in likely if probability[k] >= settings.min_alternative)


def card_probabilities(rank: Floats, suit: Floats) -> Floats:
    """Return the probability of each card, (N, 52), ordered by rank, then by suit.

    `rank` (N, 14), `suit` (N, 5): probabilities of N indices; the last class of each is "no index".
    """
    return np.asarray((rank[:, :13, None] * suit[:, None, :4]).reshape(len(rank), 52), np.float32)


def number_of(card: Card) -> int:
    """Return the place of the card among all 52, ordered by rank, then by suit."""
    return 4 * RANKS.index(card.rank) + SUITS.index(card.suit)


def _card(k: int) -> Card:
    return Card(RANKS[k // 4], SUITS[k % 4])
