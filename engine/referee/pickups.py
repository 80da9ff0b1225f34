"""What it means that cards are taken up: a card withdrawn, a trick gathered, cards taken."""

from __future__ import annotations

from collections.abc import Callable

from engine.actions import Action
from engine.referee.interpretation import waits_for_more
from engine.referee.matching import Comparison, stood_for_a_play
from engine.referee.observed_cards import ObservedCard, ObservedCards
from engine.table import Table
from engine.views import TableCard


class Lifting:
    """Judges what was taken up from one table; `do` does the action that it stands for, and may raise `Refused`."""

    def __init__(self, table: Table, pieces: ObservedCards, against: Comparison, do: Callable[[Action], None]) -> None:
        self._table = table
        self._pieces = pieces
        self._against = against
        self._do = do

    def judge(self, first: bool) -> None:
        """A card withdrawn, a trick gathered, cards taken. Only cards seen to be lifted now can be any of it, but for
        the `first` look at the table.
        """
        for piece in self._pieces:
            if waits_for_more(piece) and any(piece.zone == lifted.zone for lifted in self._pieces.lifted):
                piece.standing = "open"
        trick = self._against.trick()
        if trick and (first or any(stood_for_a_play(piece) for piece in self._pieces.lifted)):
            missing = self._against.missing(trick)
            if missing and (taken := self._against.take_by(missing[-1])):
                self._do(taken)
            winner = self._against.who_may_gather()
            if winner is not None:
                if len(missing) == len(trick):
                    self._do(Action("gather", seat=winner))
            elif missing == [trick[-1]]:
                self._withdraw(trick[-1])
        self._pieces.lifted.clear()

    def exchange(self, piece: ObservedCard) -> bool:
        """The last card of a complete trick was taken up, and now its seat lays another: the first is withdrawn."""
        last = self._taken_before(piece)
        return last is not None and self._withdraw(last)

    def unclear(self, piece: ObservedCard) -> bool:
        """Whether what is exchanged may as well be a lead: who played last has won, and may have begun to gather."""
        last = self._taken_before(piece)
        return last is not None and last.zone.seat == self._against.who_may_gather() and self._can_withdraw(last)

    def _taken_before(self, piece: ObservedCard) -> TableCard | None:
        """The last card of a complete trick, where it alone was taken up and `piece` lies in its place."""
        trick = self._against.trick()
        complete = len(trick) > 1 and self._against.who_may_gather() is not None
        if complete and piece.zone == trick[-1].zone and self._against.missing(trick) == [trick[-1]]:
            return trick[-1]
        return None

    def _can_withdraw(self, lying: TableCard) -> bool:
        return self._table.can(_withdrawal(lying))

    def _withdraw(self, lying: TableCard) -> bool:
        if not self._can_withdraw(lying):
            return False
        self._do(_withdrawal(lying))
        return True


def _withdrawal(lying: TableCard) -> Action:
    return Action("withdraw", seat=lying.zone.seat, card=lying.card)
