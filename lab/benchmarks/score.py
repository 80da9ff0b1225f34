"""The score of a reader: the cards that it read right and wrong, and the time."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field


@dataclass
class Score:
    """Counts over some pictures. `cards`: how many are to be read. `ms`: processor time of each picture, milliseconds.

    >>> score = Score()
    >>> score.count(["QS", "4D"], ["QS", "9C"], seconds=0.02)
    >>> score.recall, score.precision, score.mean_ms
    (0.5, 0.5, 20.0)
    """

    cards: int = 0
    right: int = 0
    wrong: int = 0
    ms: list[float] = field(default_factory=list)

    def count(self, expected: Iterable[Hashable], read: Iterable[Hashable], seconds: float) -> None:
        """Add one picture in which `expected` are to be read and `read` were."""
        wanted, found = Counter(expected), Counter(read)
        self.cards += wanted.total()
        self.right += (wanted & found).total()
        self.wrong += (found - wanted).total()
        self.ms.append(1000 * seconds)

    def add(self, other: Score) -> None:
        """Add the pictures of another score."""
        self.cards += other.cards
        self.right += other.right
        self.wrong += other.wrong
        self.ms += other.ms

    @property
    def recall(self) -> float:
        """Fraction of the cards that were read right."""
        return self.right / max(self.cards, 1)

    @property
    def precision(self) -> float:
        """Fraction of the readings that are right."""
        return self.right / max(self.right + self.wrong, 1)

    @property
    def f1(self) -> float:
        """Harmonic mean of recall and precision."""
        return 2 * self.recall * self.precision / max(self.recall + self.precision, 1e-9)

    @property
    def mean_ms(self) -> float:
        """Mean milliseconds per picture."""
        return statistics.fmean(self.ms) if self.ms else 0.0

    @property
    def median_and_95(self) -> tuple[float, float]:
        """Median and 95th percentile of the milliseconds per picture."""
        times = sorted(self.ms) or [0.0]
        return statistics.median(times), times[int(0.95 * (len(times) - 1))]
