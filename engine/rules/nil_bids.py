"""Number bids of partners, with nil: a bid to take no trick at all.

Together, partners bid at most `HIGHEST` tricks. A side that is far behind may bid blind nil, which a player says before
looking at the cards; the table takes the player's word for it.
"""

from __future__ import annotations

from typing import Final

from engine.rules.number_bids import HIGHEST, NUMBERS, NumberBidGame
from engine.rules.questions import Say
from engine.texts import Text, text, word_text
from engine.words import Word

NIL: Final = {"nil": 100, "blind-nil": 200}
"""The bids without a number, and what each wins or loses."""
BIDS: Final = (*NUMBERS[1:], Word("nil", mark=113), Word("blind-nil", mark=114))
BEHIND: Final = 100
"""By how many points a side must be behind to bid blind nil."""


class NilBidGame(NumberBidGame):
    """A trick game with bids of tricks and of nil. Its `words` include `BIDS`. `nils`: the word of each nil bid."""

    def clear_tricks(self) -> None:
        """Begin a hand without bids."""
        super().clear_tricks()
        self.nils: dict[int, str] = {}

    def bidding(self, seat: int, blind_nil: bool) -> Say:
        """Return the offer to bid. `blind_nil`: whether blind nil is played."""
        partner, score = self.partner_of(seat), self.match.scores[self.side_of(seat)]
        most = HIGHEST - (0 if partner is None else self.bids.get(partner, 0))
        blind = blind_nil and max(self.match.scores) - score >= BEHIND
        return Say(self, seat, (*map(str, range(1, most + 1)), *(NIL if blind else ("nil",))))

    def ask_bid(self, seat: int) -> Text:
        """Return the request to bid."""
        return text("{name}: how many tricks?", name=self.players[seat])

    def note_bid(self, seat: int, word: str) -> None:
        """Note the bid of `seat`."""
        self.bids[seat] = 0 if word in NIL else int(word)
        if word in NIL:
            self.nils[seat] = word

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the nil bids."""
        nils = [(word_text(word), self.players[seat]) for seat, word in self.nils.items()]
        return (*super().facts(), *nils)
