"""Votes for the face of one card: evidence of several readings, added up."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

from engine.cards import Card
from engine.observations import ActionCard
from vision.tracking.reading_settings import VoteSettings
from vision.tracking.settings import DEFAULTS


class Votes:
    """The readings of one card, added up as natural log-odds.

    Pictures of a card that does not move are nearly equal, and so are their readings: that a card lies there becomes
    more certain with each of them, but which of two similar faces it has does not. The lead over a face that was named
    as an alternative, or read, is therefore the mean of the readings and not their sum, and so is the confidence
    (`_growth`).

    >>> from engine.cards import parse_card
    >>> votes = Votes()
    >>> for _ in range(4):
    ...     votes.add(parse_card("8H"), 0.9)
    >>> face, lead = votes.best()
    >>> str(face), round(lead, 2), round(votes.confidence, 3)
    ('8H', 8.79, 0.915)
    >>> queen = Votes()
    >>> for _ in range(4):
    ...     queen.add(parse_card("QS"), 0.93, [(parse_card("QC"), 0.05)])
    >>> round(queen.best()[1], 2)
    3.16
    """

    def __init__(self, settings: VoteSettings = DEFAULTS.votes) -> None:
        self._settings = settings
        self._evidence: dict[Card | ActionCard, float] = defaultdict(float)
        self._counts: dict[Card | ActionCard, int] = defaultdict(int)
        self._confidences: dict[Card | ActionCard, float] = defaultdict(float)
        """Sum of the confidences with which each face was read, or was an alternative of a reading."""
        self._logarithms: dict[Card | ActionCard, float] = {}
        """Sum of the logarithms of those confidences, for each face that was ever read or named."""
        self._weight = 0.0
        """Number of readings in that sum; those before the picture changed count less."""
        self._best: tuple[Card | ActionCard | None, float] | None = None
        """What `best` returned, until the next reading."""

    def __bool__(self) -> bool:
        """Whether there is any vote."""
        return bool(self._evidence)

    def add(self, face: Card | ActionCard, confidence: float, alternatives: Iterable[tuple[Card, float]] = ()) -> None:
        """Add one reading.

        `confidence`: 0 to 1, the share of such readings that are right. `alternatives`: other faces that the reading
        may show, each with its confidence.
        """
        settings = self._settings
        self._best = None
        shares = dict(alternatives) | {face: confidence}
        for each, share in shares.items():
            self._confidences[each] += share
        self._remember(shares)
        clipped = min(max(confidence, settings.min_confidence), settings.max_confidence)
        log_odds = max(math.log(clipped / (1 - clipped)), settings.min_evidence)
        self._counts[face] += 1
        self._evidence[face] = min(self._evidence[face] + log_odds, settings.max_evidence)
        for other in self._evidence:
            if other != face:
                self._evidence[other] = max(self._evidence[other] - settings.rival_decay, 0.0)

    def renew(self) -> None:
        """Note that the card's picture has changed: the next reading shows more than another one of it."""
        self._best = None
        kept = min(1.0, self._settings.changed_weight / self._weight) if self._weight else 1.0
        self._logarithms = {face: kept * logarithm for face, logarithm in self._logarithms.items()}
        self._weight *= kept

    def best(self) -> tuple[Card | ActionCard | None, float]:
        """Return the face with most evidence, and its lead over the next in log-odds; (None, 0) without votes.

        The lead is negative if the readings, on average, find another face likelier.
        """
        if self._best is None:
            face, support = self._best_supported()
            self._best = face, support if face is None else min(support, self._lead_over_rivals(face))
        return self._best

    def _best_supported(self) -> tuple[Card | ActionCard | None, float]:
        """Return the face with most evidence, and its lead in evidence as if all readings were independent."""
        if not self._evidence:
            return None, 0.0
        ranked = sorted(self._evidence.items(), key=lambda item: -item[1])
        second = ranked[1][1] if len(ranked) > 1 else 0.0
        return ranked[0][0], ranked[0][1] - second

    def _remember(self, shares: Mapping[Card | ActionCard, float]) -> None:
        """Add the logarithms of the confidences of one reading; a face that it does not name has the least."""
        settings = self._settings
        least = math.log(settings.unnamed_share)
        for face in self._logarithms.keys() | shares.keys():
            before = self._logarithms.get(face, self._weight * least)
            share = min(max(shares.get(face, 0.0), settings.unnamed_share), settings.max_confidence)
            self._logarithms[face] = before + math.log(share)
        self._weight += 1

    @property
    def _growth(self) -> float:
        """The factor by which all readings together show more than one of them does: the effective number of readings.

        1 if their errors are the same (`VoteSettings.correlation` 1), their number if they are independent (0).
        """
        return self._weight / (1 + (self._weight - 1) * self._settings.correlation)

    def _lead_over_rivals(self, face: Card | ActionCard) -> float:
        """Return the lead of `face` over the likeliest other one that was read or named; infinite without any."""
        others = [logarithm for other, logarithm in self._logarithms.items() if other != face]
        if not others:
            return math.inf
        return self._growth * (self._logarithms[face] - max(others)) / self._weight

    def count(self, face: Card | ActionCard) -> int:
        """Return the number of votes for `face`."""
        return self._counts.get(face, 0)

    @property
    def total(self) -> int:
        """The number of votes for all faces."""
        return sum(self._counts.values())

    def alternatives(self, face: Card | ActionCard | None) -> tuple[Card, ...]:
        """Return the cards other than `face` that the readings may have shown, the likeliest first."""
        least = self._settings.alternative_share * self.total
        likely = [other for other, share in self._confidences.items() if share >= least and other != face]
        ranked = sorted(likely, key=lambda other: -self._confidences[other])
        return tuple(other for other in ranked if isinstance(other, Card))

    @property
    def confidence(self) -> float:
        """How sure the best face is, 0 to 1: hardly more than its readings are on average."""
        face, lead = self.best()
        if face is None:
            return 0.0
        mean = math.exp(self._logarithms[face] / self._weight)
        return 1 / (1 + math.exp(-min(lead, self._growth * math.log(mean / (1 - mean)))))

    @property
    def undecided(self) -> bool:
        """Whether the readings do not decide between two faces well enough to report one, however many they are."""
        face, _ = self.best()
        return face is not None and self._lead_over_rivals(face) < self._settings.least_lead

    @property
    def early(self) -> bool:
        """Whether there is evidence enough to report the card early, unless the readings are `undecided`."""
        return self._best_supported()[1] >= self._settings.early

    @property
    def enough(self) -> bool:
        """Whether the evidence is enough to stop reading."""
        return self.best()[1] >= self._settings.enough

    def leads_clearly(self) -> bool:
        """Return whether the best face leads by enough to replace another."""
        return self.best()[1] >= self._settings.switch_lead
