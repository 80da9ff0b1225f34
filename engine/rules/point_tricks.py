"""Trick games in which the cards that a side has won count points, with more for the last trick or for all tricks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from engine.cards import Card
from engine.rules.game import Option
from engine.rules.penalties import PenaltyTrickGame
from engine.texts import text


class PointTrickGame(PenaltyTrickGame):
    """A trick game in which card points are counted. Its `reasons` include those of `last_trick` and `every_trick`.

    `card_points`: what each card of the deck counts in this hand. `last_trick`: the reason and the points for winning
    the last trick; `every_trick`: those for winning all tricks instead.
    """

    ROUNDED: ClassVar = Option("rounded", False, text("scores are rounded to tens"), label=text("Rounded"))
    reasons: ClassVar[tuple[str, ...]] = ("tricks", "rounding")
    last_trick: ClassVar[tuple[str, int]]
    every_trick: ClassVar[tuple[str, int]]
    card_points: Mapping[Card, int]

    def points_of(self, side: int) -> dict[str, int]:
        """Return what `side` has made in this hand, by reason. Parts of games add their own."""
        cards = [card for trick in self.tricks if self.side_of(trick.winner) == side for card in trick.cards]
        every = self.tricks_of(side) == len(self.tricks)
        (last, points), (all_of_them, more) = self.last_trick, self.every_trick
        return {
            "tricks": sum(self.card_points[card] for card in cards),
            last: points if self.side_of(self.tricks[-1].winner) == side and not every else 0,
            all_of_them: more if every else 0,
        }

    def points_of_all_tricks(self, every: bool) -> int:
        """Return the card points of the deck with those for the last trick. `every`: for all tricks."""
        return sum(self.card_points.values()) + (self.every_trick if every else self.last_trick)[1]

    def score_side(self, side: int, reasons: Iterable[tuple[int, str]]) -> None:
        """Also round the score to tens, 5 upwards, with the option `ROUNDED`."""
        scored = [*reasons]
        total = sum(points for points, _ in scored)
        rounding = (total + 5) // 10 * 10 - total if self.values.get("rounded") else 0
        super().score_side(side, [*scored, (rounding, "rounding")])
