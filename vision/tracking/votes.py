"""Votes for the face of one card: evidence of several readings, added up."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from engine.cards import Card
from engine.observations import ActionCard
from vision.tracking.reading_settings import VoteSettings
from vision.tracking.settings import DEFAULTS


class Votes:
    """The readings of one card, added up as natural log-odds.

    >>> from engine.cards import parse_card
    >>> votes = Votes()
    >>> votes.add(parse_card("8H"), 0.9)
    >>> votes.add(parse_card("8H"), 0.9)
    >>> face, lead = votes.best()
    >>> str(face), round(lead, 2), round(votes.confidence, 3)
    ('8H', 4.39, 0.988)
    """

    def __init__(self, settings: VoteSettings = DEFAULTS.votes) -> None:
        self._settings = settings
        self._evidence: dict[Card | ActionCard, float] = defaultdict(float)
        self._counts: dict[Card | ActionCard, int] = defaultdict(int)
        self._confidences: dict[Card | ActionCard, float] = defaultdict(float)
        """Sum of the confidences with which each face was read, or was an alternative of a reading."""

    def __bool__(self) -> bool:
        """Whether there is any vote."""
        return bool(self._evidence)

    def add(self, face: Card | ActionCard, confidence: float, alternatives: Iterable[tuple[Card, float]] = ()) -> None:
        """Add one reading.

        `confidence`: 0 to 1, the share of such readings that are right. `alternatives`: other faces that the reading
        may show, each with its confidence.
        """
        settings = self._settings
        for each, share in ((face, confidence), *alternatives):
            self._confidences[each] += share
        clipped = min(max(confidence, settings.min_confidence), settings.max_confidence)
        log_odds = max(math.log(clipped / (1 - clipped)), settings.min_evidence)
        self._counts[face] += 1
        self._evidence[face] = min(self._evidence[face] + log_odds, settings.max_evidence)
        for other in self._evidence:
            if other != face:
                self._evidence[other] = max(self._evidence[other] - settings.rival_decay, 0.0)

    def best(self) -> tuple[Card | ActionCard | None, float]:
        """Return the face with most evidence, and its lead over the second in log-odds; (None, 0) without votes."""
        if not self._evidence:
            return None, 0.0
        ranked = sorted(self._evidence.items(), key=lambda item: -item[1])
        second = ranked[1][1] if len(ranked) > 1 else 0.0
        return ranked[0][0], ranked[0][1] - second

    def count(self, face: Card | ActionCard) -> int:
        """Return the number of votes for `face`."""
        return self._counts.get(face, 0)

    def alternatives(self, face: Card | ActionCard | None) -> tuple[Card, ...]:
        """Return the cards other than `face` that the readings may have shown, the likeliest first."""
        least = self._settings.alternative_share * sum(self._counts.values())
        likely = [other for other, share in self._confidences.items() if share >= least and other != face]
        ranked = sorted(likely, key=lambda other: -self._confidences[other])
        return tuple(other for other in ranked if isinstance(other, Card))

    @property
    def confidence(self) -> float:
        """How sure the best face is, 0 to 1."""
        return 1 / (1 + math.exp(-self.best()[1])) if self._evidence else 0.0

    @property
    def early(self) -> bool:
        """Whether the evidence is enough to report the card early."""
        return self.best()[1] >= self._settings.early

    @property
    def enough(self) -> bool:
        """Whether the evidence is enough to stop reading."""
        return self.best()[1] >= self._settings.enough

    def leads_clearly(self) -> bool:
        """Return whether the best face leads by enough to replace another."""
        return self.best()[1] >= self._settings.switch_lead
