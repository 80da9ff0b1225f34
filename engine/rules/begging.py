"""Begging: eldest may refuse the trumps that were turned up, as in All Fours and its relatives."""

from __future__ import annotations

from typing import Final

from engine.rules.game import Rules
from engine.rules.trick_game import TrickGame
from engine.texts import text
from engine.words import Word

BEGGING: Final = (
    *(Word("stand", mark=100), Word("beg", mark=101)),
    *(Word("take-one", mark=102), Word("change", mark=103)),
)


class BeggingGame(TrickGame):
    """A trick game in which eldest may beg for other trumps. Its `words` include `BEGGING`, its options `target`."""

    def settle_trumps(self, size: int, run: int, gift: int) -> Rules[None]:
        """Deal `size` cards to each and turn one up for trumps; eldest stands or begs. Then the dealer gives eldest
        `gift` points, which may win the game, or runs the cards: `run` more to each, until another suit is turned up.
        """
        while True:
            self.new_pack()
            turned = yield from self.deal_and_turn_up(size)
            self.trump = turned.suit
            if (yield from self.say(self.eldest, "stand", "beg")) == "stand":
                return
            if (yield from self.say(self.dealer, "take-one", "change")) == "take-one":
                self.score(self.eldest, gift, "beg")
                self.win_at_target(self.eldest)
                return
            yield from self.run_the_cards(turned.suit, run)
            if self.trump:
                return
            self.report("redeal")

    def run_the_cards(self, suit: str, run: int) -> Rules[None]:
        """Deal `run` more to each and turn a card up, until its suit is a new one; no trumps if the pack runs out."""
        self.trump = None
        name = self.players[self.dealer]
        hint = text("{name} deals {count} more each and turns the next card up.", name=name, count=run)
        while self.in_stock() >= run * len(self.players) + 1:
            turned = yield from self.deal_and_turn_up(run, hint)
            if turned.suit != suit:
                self.trump = turned.suit
                return
