"""German whist, for two: thirteen tricks for the cards of the stock, then thirteen tricks that count.

The rules are in the order in which the rule book gives them; the rulings are in docs/games/german-whist.md.
"""

from __future__ import annotations

from typing import Final

from engine.rules.drawing import DrawingGame
from engine.rules.game import Option, Rules
from engine.rules.penalties import REVOKE
from engine.texts import Text, text

CARDS: Final = 13
"""The cards of a hand; the tricks for cards of the stock; the tricks that count."""
BOOK: Final = 6
PENALTY: Final = 3


class GermanWhist(DrawingGame):
    """German whist. See `Game` for the attributes and the coroutines."""

    name = "german-whist"
    title = "German Whist"
    about = text("Win good cards from the stock, then most of the last thirteen tricks.")
    seats = range(2, 3)
    words = (REVOKE,)
    reasons = ("most-tricks", "tricks", "odd-tricks", "revoke")
    zones = ("play", "turn-up", "say", "show")
    options = (
        Option("target", 3, text("points that win the game"), least=1, label=text("Game at")),
        Option.choice("scoring", ("hand", "tricks", "odd"), text("what a hand scores"), text("A hand scores")),
    )

    # The hand

    def hand(self) -> Rules[None]:
        """Deal thirteen cards each and turn the next one up for trumps; play all tricks; count the last thirteen."""
        self.clear_tricks()
        self.new_pack()
        name = self.players[self.dealer]
        hint = text("{name} deals {count} cards to each player and turns the next one up.", name=name, count=CARDS)
        turned = yield from self.deal_and_draw(CARDS, hint)
        self.trump = turned.suit
        yield from self.play_tricks(self.eldest)
        self.count_hand()

    def tricks_won(self) -> tuple[int, ...]:
        """Return the tricks of each seat that count: those after the stock was exhausted."""
        tricks = [trick for trick in self.begun_tricks if trick.complete]
        return tuple(sum(trick.winner == seat for trick in tricks[CARDS:]) for seat in self.every_seat)

    def count_hand(self) -> None:
        """Settle the revokes, then score as the option `scoring` says."""
        won = list(self.tricks_won())
        for revoker in self.revokers:
            taken = min(PENALTY, won[revoker])
            won[revoker] -= taken
            won[1 - revoker] += taken
        best = won.index(max(won))
        match self.values["scoring"]:
            case "tricks":
                for seat in self.seats_from(self.eldest):
                    if won[seat]:
                        self.score(seat, won[seat], "tricks")
            case "odd":
                self.score(best, won[best] - BOOK, "odd-tricks")
            case _:
                self.score(best, 1, "most-tricks")
        self.report("hand-over")
        self.win_or_pass_deal()

    def revoke_costs(self, revoker: int) -> Text:
        """Return that the other player takes three of the tricks that count."""
        message = "{name} should have followed suit: {other} takes {count} of the last thirteen tricks."
        return text(message, name=self.players[revoker], other=self.players[1 - revoker], count=PENALTY)
