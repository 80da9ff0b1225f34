"""Trick games in which a seat with few cards chooses the tricks to which it plays them, by knocking on the table."""

from __future__ import annotations

from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.rules.penalties import PenaltyTrickGame
from engine.rules.questions import Offer, Say
from engine.rules.tricks import Trick
from engine.texts import text
from engine.words import Word

KNOCK: Final = Word("knock", mark=188)


class KnockingGame(PenaltyTrickGame):
    """A trick game in which a seat may have been dealt fewer cards than there are tricks. Its `words` include `KNOCK`.

    Such a seat may knock instead of playing or leading, as long as it can still play its cards to later tricks. A seat
    without cards is passed over. `knocked`: for each seat that has knocked in this trick, the cards played before that.
    `waiting`: the seats that knocked when they were to lead to the next trick.
    """

    def clear_tricks(self) -> None:
        """Begin a hand in which no seat has knocked."""
        super().clear_tricks()
        self.knocked: dict[int, int] = {}
        self.waiting: tuple[int, ...] = ()

    def may_knock(self, trick: Trick) -> bool:
        """Return whether the seat on turn can play all its cards after the trick that it plays to now."""
        played = () if trick.complete else {play.seat for play in trick.plays}
        left = [hand.size - (hand.seat not in played) for hand in self.hands if hand.seat != trick.turn]
        return 0 < self.hands[trick.turn].size <= max(left)

    def play_offers(self, trick: Trick) -> dict[str, Offer]:
        """Add the word, if the seat on turn may say it."""
        offers = super().play_offers(trick)
        if self.may_knock(trick):
            offers["say"] = Say(self, trick.turn, (KNOCK.name,), self._accusations)
        return offers

    def play_hint(self, trick: Trick) -> str:
        """Say that the seat on turn may knock."""
        return text("{name} plays or knocks.", name=self.players[trick.turn]) if self.may_knock(trick) else ""

    def seats_without_card(self) -> tuple[int, ...]:
        """Add the seats that have no cards left, and those that have knocked before this trick."""
        empty = tuple(seat for seat in self.playing if not self.hands[seat].size)
        return (*super().seats_without_card(), *empty, *self.waiting)

    def new_trick(self, leader: int) -> Trick:
        """Return a trick, as in other games; what was knocked for it is settled."""
        trick = super().new_trick(leader)
        self.knocked, self.waiting = {}, ()
        return trick

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Also knock."""
        if action.word != KNOCK.name:
            super().meanwhile(trick, action)
        elif trick.complete:
            self.waiting += (trick.turn,)
            self._pass_on(trick)
        else:
            self.knocked[trick.turn] = len(trick.plays)
            trick.pass_over()
            if trick.complete:
                self.report("trick", trick.winner)
                self._pass_on(trick)

    def play(self, trick: Trick, card: Card) -> None:
        """Also pass the lead on if the winner has no cards left."""
        super().play(trick, card)
        if trick.complete:
            self._pass_on(trick)

    def withdraw(self, trick: Trick) -> None:
        """Also cancel the knocks after the card that is taken back."""
        played = len(trick.plays)
        trick.sitting_out = tuple(seat for seat in trick.sitting_out if self.knocked.get(seat, 0) < played)
        self.waiting = ()
        super().withdraw(trick)

    def _pass_on(self, trick: Trick) -> None:
        """Let the next seat that plays lead to the next trick, if there is one."""
        without = self.seats_without_card()
        leaders = (seat for seat in self.seats_from(trick.winner) if seat not in without)
        trick.turn = next(leaders, trick.winner)
