"""What lies by the record, held against the pieces that are seen to lie there."""

from __future__ import annotations

from collections.abc import Sequence

from engine.actions import Action
from engine.referee.observed_cards import ObservedCard, ObservedCards
from engine.table import Table
from engine.views import TableCard


class Comparison:
    """One table, and the pieces that are seen on it."""

    def __init__(self, table: Table, pieces: ObservedCards) -> None:
        self._table = table
        self._pieces = pieces

    def trick(self) -> list[TableCard]:
        """The cards that were played and lie on the table by the record, in the order played."""
        if self._table.phase == "cut":
            return []
        return [lying for lying in self._table.view(None).lying if lying.zone.name == "play"]

    def missing(self, lying: Sequence[TableCard]) -> list[TableCard]:
        """Those of the cards `lying` by the record that nobody sees."""
        every = self._table.view(None).lying
        seen = [entry for entry, piece in zip(every, self._pieces.standing_for(every), strict=True) if piece]
        return [entry for entry in lying if not _take_out(seen, entry)]

    def who_may_gather(self) -> int | None:
        """The seat that may turn the trick over now."""
        seats = range(len(self._table.header.players))
        return next((seat for seat in seats if self._table.can(Action("gather", seat=seat))), None)

    def take_by(self, played: TableCard) -> Action | None:
        """The take that table cards and the card `played`, all of them gone, make; None where they make none."""
        if "take" not in self._table.ask.offers:
            return None
        gone = [entry.card for entry in self.missing(self._table.view(None).lying) if entry.zone.name == "table"]
        action = Action("take", seat=played.zone.seat, cards=tuple(gone))
        return action if self._table.can(action) else None

    def taken_up(self) -> list[TableCard]:
        """The cards that must lie on the table by the record, and do not."""
        return [entry for entry in self.missing(self._table.view(None).lying) if entry.firm]

    def wanted_back(self) -> list[TableCard]:
        """The cards that must be laid back; but a take goes on card by card, until all of them are gone."""
        missing = self.taken_up()
        take = self._table.ask.offers.get("take")
        trick = self.trick()
        if take and trick:
            gone = {entry.card for entry in missing if entry.zone.name == "table"}
            lies = trick[-1] not in missing
            for action in take.actions():
                cards = set(action.cards or ())
                if gone < cards or (gone == cards and lies):
                    return []
        return missing

    def retire(self) -> None:
        """Counted pieces whose card the record no longer has on the table only wait to be cleared away."""
        for piece in self.idle():
            piece.standing = "spent"

    def idle(self) -> list[ObservedCard]:
        """The counted pieces whose card does not lie there by the record."""
        needed = self._pieces.standing_for(self._table.view(None).lying)
        return [piece for piece in self._pieces if piece.standing == "counted" and piece not in needed]


def stood_for_a_play(piece: ObservedCard) -> bool:
    """Whether the piece was one of a trick, or of the cards between the players."""
    return piece.standing == "counted" and piece.zone is not None and piece.zone.name in ("play", "table")


def _take_out(entries: list[TableCard], entry: TableCard) -> bool:
    """Take `entry` out of `entries`, once; False where it is not among them."""
    if entry not in entries:
        return False
    entries.remove(entry)
    return True
