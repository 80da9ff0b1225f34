"""Words of bidding, and games in which each seat in turn bids how many tricks it will take, by saying the number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from engine.rules.game import Rules
from engine.rules.questions import Say
from engine.rules.trick_game import TrickGame
from engine.texts import Text, text
from engine.views import FactDisplay
from engine.words import Word

PASS: Final = Word("pass", mark=112)
CALLS: Final = (PASS, Word("double", mark=197), Word("redouble", mark=196))
"""The calls of an auction besides the bids, for the `words` of a game."""
HIGHEST: Final = 13
"""The highest number that can be bid."""
_FIRST_MARK: Final = 236
NUMBERS: Final = tuple(Word(str(number), mark=_FIRST_MARK + number) for number in range(HIGHEST + 1))
"""The words `0` to `13`, for the `words` of a game."""


class NumberBidGame(TrickGame):
    """A trick game with one round of bids before the play. Its `words` include `NUMBERS`.

    `bids`: the bid of each seat, in the order of the bids. Displays do not show declared voids, because the bids matter
    more and seven players have many voids.
    """

    fact_displays: ClassVar[Mapping[str, FactDisplay]] = {**TrickGame.fact_displays, "bids": "symbol", "void": "symbol"}

    def clear_tricks(self) -> None:
        """Begin a hand without bids."""
        super().clear_tricks()
        self.bids: dict[int, int] = {}

    def bid_in_turn(self, tricks: int) -> Rules[None]:
        """Let each seat that has not bid yet, beginning with eldest, bid one of the numbers in `may_bid`.

        `tricks`: the number of tricks in the hand.
        """
        for seat in self.seats_from(self.eldest):
            if seat in self.bids:
                continue
            numbers = self.may_bid(seat, tricks)
            say = Say(self, seat, tuple(map(str, numbers)))
            self.bids[seat] = int((yield from self.ask(say, self.bid_hint(seat, tricks, numbers))))

    def has_hook(self) -> bool:
        """Return whether the bids may not add up to the number of tricks."""
        return False

    def may_bid(self, seat: int, tricks: int) -> tuple[int, ...]:
        """Return the numbers up to `tricks` that `seat` may bid. The hook bars one for the dealer, who bids last."""
        hooked = tricks - sum(self.bids.values()) if self.has_hook() and seat == self.dealer else None
        return tuple(number for number in range(tricks + 1) if number != hooked)

    def bid_hint(self, seat: int, tricks: int, numbers: tuple[int, ...]) -> Text:
        """Return the request to bid one of `numbers`."""
        name, barred = self.players[seat], {*range(tricks + 1)} - {*numbers}
        if barred:
            return text("{name} bids, but not {barred}.", name=name, barred=min(barred))
        return text("{name}: how many tricks?", name=name)

    # Views

    def tricks_bid(self) -> tuple[int | None, ...]:
        """Return the bid of each seat, None if it has not bid yet."""
        return tuple(map(self.bids.get, self.every_seat))

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the bids."""
        bids = [text("{name}: {what}", name=self.players[seat], what=bid) for seat, bid in self.bids.items()]
        return (*super().facts(), *((text("bids"), bid) for bid in bids))
