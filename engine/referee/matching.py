"""Match the cards that lie on the table by the record with the cards that are observed there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine.actions import Action
from engine.referee.observed_card import ObservedCard
from engine.referee.observed_cards import ObservedCards
from engine.table import Table
from engine.views import TableCard


class RecordMatching:
    """Compares one table's record with the cards observed on it."""

    def __init__(self, table: Table, cards: ObservedCards) -> None:
        self._table = table
        self._cards = cards

    def trick(self) -> list[TableCard]:
        """Return the cards of the trick by the record, in the order played; none as soon as cards are cut."""
        if self._table.phase == "cut" and self.gathering_seat() is None:
            return []
        return [entry for entry in self._table.lying if entry.zone.name == "play"]

    def missing(self, entries: Sequence[TableCard]) -> list[TableCard]:
        """Return those of `entries`, cards on the table by the record, that are not observed there."""
        table_cards = self._table.lying
        observed = Counter(
            entry for entry, card in zip(table_cards, self._cards.match(table_cards), strict=True) if card is not None
        )
        absent = []
        for entry in entries:
            if observed[entry]:
                observed[entry] -= 1
            else:
                absent.append(entry)
        return absent

    def gathering_seat(self) -> int | None:
        """Return the seat that may gather the trick now; None if none may."""
        seats = range(len(self._table.header.players))
        return next((seat for seat in seats if self._table.can(Action("gather", seat=seat))), None)

    def take_with(self, played: TableCard) -> Action | None:
        """Return the legal `take` made by the missing table cards and the card `played`; None if there is none."""
        if "take" not in self._table.question.offers:
            return None
        gone = [entry.card for entry in self.missing(self._table.lying) if entry.zone.name == "table"]
        action = Action("take", seat=played.zone.seat, cards=tuple(gone))
        return action if self._table.can(action) else None

    def missing_firm(self) -> list[TableCard]:
        """Return the cards that must lie on the table by the record and are not observed there."""
        return [entry for entry in self.missing(self._table.lying) if entry.firm]

    def to_put_back(self) -> list[TableCard]:
        """Return the cards that must be put back: the missing ones, unless they may be the beginning of a `take`."""
        missing = self.missing_firm()
        take = self._table.question.offers.get("take")
        trick = self.trick()
        if take and trick:
            gone = {entry.card for entry in missing if entry.zone.name == "table"}
            played_lies = trick[-1] not in missing
            for action in take.actions():
                cards = set(action.cards or ())
                if gone < cards or (gone == cards and played_lies):
                    return []
        return missing

    def retire_unmatched(self) -> None:
        """Retire the counted cards that the record no longer has on the table."""
        for card in self.unmatched():
            card.retire()

    def unmatched(self) -> list[ObservedCard]:
        """Return the counted cards that do not lie on the table by the record."""
        matched = self._cards.match(self._table.lying)
        return [card for card in self._cards if card.status == "counted" and card not in matched]
