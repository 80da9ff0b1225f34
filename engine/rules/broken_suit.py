"""Trick games in which a suit may not be led before a card of it was played to an earlier trick."""

from __future__ import annotations

from engine.cards import SUIT_TEXTS, Card
from engine.rules.hands import HeldBack
from engine.rules.trick_game import TrickGame
from engine.rules.tricks import Trick
from engine.texts import text


class BrokenSuitGame(TrickGame):
    """A trick game in which the cards of `not_broken` may not be led before one of `breaking` was played."""

    not_broken: HeldBack
    breaking: frozenset[Card]

    def held_back(self, trick: Trick) -> HeldBack | None:
        """Hold the suit back on leads until it is broken."""
        leads = trick.complete or not trick.plays
        return self.not_broken if leads and not self.broken() else None

    def broken(self) -> bool:
        """Return whether the suit may be led."""
        return any(not self.breaking.isdisjoint(trick.cards) for trick in (*self.tricks, self.trick) if trick)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add whether the suit is broken."""
        suit = SUIT_TEXTS[next(iter(self.not_broken.cards)).suit]
        return (*super().facts(), (suit, text("broken") if self.broken() else text("not broken")))
