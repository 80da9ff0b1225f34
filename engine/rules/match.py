"""The match: scores, dealer, and other values that one hand leaves to the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.cards import Card
from engine.rules.tricks import Trick


@dataclass(slots=True)
class Match:
    """The values that one hand leaves to the next.

    `dealer`: None until the cut has decided. `hands`: the number of finished hands. `left`: the last trick of the
    previous hand, while it is on the table; `may_gather`: whether its winner may still gather it. `turn_up`: the card
    turned up. `cut`: the card that each seat has cut, while these are on the table. `counted`: the hands counted at the
    end of the deal, from which `Game.counted` makes what views show. `more`: values that only one game has; they are
    replaced, never changed in place.
    """

    scores: list[int]
    dealer: int | None
    hands: int = 0
    over: bool = False
    winners: tuple[int, ...] = ()
    left: Trick | None = None
    may_gather: bool = False
    turn_up: Card | None = None
    cut: dict[int, Card] = field(default_factory=dict)
    counted: tuple[Any, ...] = ()
    more: dict[str, Any] = field(default_factory=dict)

    def copy(self) -> Match:
        """Return an independent copy."""
        # Field by field: a copy is made after every hand, and `dataclasses.replace` takes as long as three plays.
        return Match(
            self.scores.copy(),
            self.dealer,
            self.hands,
            self.over,
            self.winners,
            self.left,
            self.may_gather,
            self.turn_up,
            self.cut.copy(),
            self.counted,
            self.more.copy(),
        )
