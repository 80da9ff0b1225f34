"""Making trumps: the words that name a suit, and games in which eldest may beg for other trumps than the turn-up's."""

from __future__ import annotations

from typing import Final

from engine.rules.game import Rules
from engine.rules.trick_game import TrickGame
from engine.texts import text
from engine.words import Word

SUIT_WORDS: Final = (
    Word("spade", label="spades", mark=115),
    Word("heart", label="hearts", mark=116),
    Word("diamond", label="diamonds", mark=117),
    Word("club", label="clubs", mark=118),
)
"""For the `words` of a game. They are in the singular, because `hearts` and `spades` on action cards choose a game."""
SUIT_OF: Final = {word.name: word.name[0].upper() for word in SUIT_WORDS}
"""The letter of each suit by its word."""
TAKE_UP: Final = Word("take-up", mark=234)
"""The word of a player who takes the turn-up."""
BEGGING: Final = (
    *(Word("stand", mark=100), Word("beg", mark=101)),
    *(Word("take-one", mark=102), Word("change", mark=103)),
)


class BeggingGame(TrickGame):
    """A trick game in which eldest may beg for other trumps. Its `words` include `BEGGING`, its options `target`."""

    def settle_trumps(self, size: int, run: int, gift: int) -> Rules[None]:
        """Deal `size` cards to each and turn one up for trumps; eldest stands or begs.

        If eldest begs, the dealer gives eldest `gift` points, which may win the game, or runs the cards: `run` more to
        each, until another suit is turned up.
        """
        while True:
            self.new_pack()
            turned = yield from self.deal_and_turn_up(size)
            self.turn_trumps(turned)
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
        """Deal `run` more to each and turn a card up until it is not of `suit`; no trumps if the pack runs out."""
        self.trump = None
        name = self.players[self.dealer]
        hint = text("{name} deals {count} more each and turns the next card up.", name=name, count=run)
        while self.in_stock() >= run * len(self.players) + 1:
            turned = yield from self.deal_and_turn_up(run, hint)
            if turned.suit != suit:
                self.turn_trumps(turned)
                return
