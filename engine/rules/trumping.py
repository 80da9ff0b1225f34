"""Trick games in which a player who cannot follow suit must trump, and a trump played must beat those in the trick.

The duties follow from the cards in the trick. A hidden hand that does not do them declares that it cannot: a card seen
later that proves otherwise is a revoke (`engine.rules.hands`).
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from engine.cards import SUITS, Card
from engine.rules.hands import HeldBack
from engine.rules.options import Option
from engine.rules.ranking import Ranking
from engine.rules.trick_game import TrickGame
from engine.rules.tricks import Trick
from engine.texts import text


@cache
def must_beat(ranking: Ranking, best: Card, *, following: bool, undertrump: bool = False) -> HeldBack:
    """Hold back every card that is not higher in the suit of `best`.

    `undertrump`: a hand without such a card must play a trump.
    """
    why = text("A card that beats {card} must be played.", card=best.glyph)
    lower = must_trump(ranking) if undertrump else None
    return HeldBack(ranking.cards(None) - ranking.above(best), why, following, lower)


@cache
def must_trump(ranking: Ranking) -> HeldBack:
    """Hold back every card that is not a trump."""
    return HeldBack(ranking.cards(None) - ranking.cards(ranking.trump), text("A trump must be played."))


class TrumpingGame(TrickGame):
    """A trick game with such duties. It ranks the cards before the play.

    `rising`: the suits of which a card must be higher than those in the trick, if the hand has one: trumps, or all
    suits. `undertrumps`: a player who must trump and cannot beat the highest trump plays a lower one. With the option
    `SPARE_PARTNER` a player whose partner is winning the trick need not trump; without that option too.
    """

    SPARE_PARTNER: ClassVar = Option(
        "spare_partner",
        True,
        text("a trick that the partner is winning need not be trumped"),
        label=text("Spare the partner"),
    )
    rising: tuple[str, ...] = SUITS
    undertrumps: bool = True

    def held_back(self, trick: Trick) -> HeldBack | None:
        """Hold back the cards that do not do the duty."""
        best, ranking = trick.best, self.pack.ranking
        if trick.complete or best is None or ranking is None:
            return super().held_back(trick)
        if trick.led in self.rising:
            return must_beat(ranking, best, following=True)
        if ranking.trump is None or (
            self.values.get("spare_partner", True) and trick.winner == self.partner_of(trick.turn)
        ):
            return super().held_back(trick)
        if ranking.suit(best) == ranking.trump:
            return must_beat(ranking, best, following=False, undertrump=self.undertrumps)
        return must_trump(ranking)
