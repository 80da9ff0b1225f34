"""Match the cards that lie on the table according to the record with those that are observed there.

`RecordMatching` finds the recorded cards that are missing. The functions below it find the observed cards that the
record has already, and those that are left over from an earlier hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.observations import Zone
from engine.referee.interpretation import LAYING, TOGETHER, interpretations, needs_evidence
from engine.referee.observed_cards import BEFORE_HAND, BEFORE_START, ObservedCard, ObservedCards, hand_phase
from engine.table import Table
from engine.views import TableCard

_ONE_BY_ONE: Final = ("play", "turn-up", "table")
"""The zones in which every card is a separate action."""


class RecordMatching:
    """Compares the record of one table with the cards observed on it."""

    def __init__(self, table: Table, cards: ObservedCards) -> None:
        self._table = table
        self._cards = cards

    def trick(self) -> list[TableCard]:
        """Return the cards of the recorded trick, in the order played; none as soon as cards are cut."""
        if self._table.phase == "cut" and self.gathering_seat() is None:
            return []
        return [entry for entry in self._table.lying if entry.zone.name == "play"]

    def missing(self, entries: Sequence[TableCard]) -> list[TableCard]:
        """Return the recorded cards among `entries` that are not observed on the table."""
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
        """Return the `take` of the missing table cards with the card `played`; None if the rules do not allow it."""
        if "take" not in self._table.question.offers:
            return None
        gone = [entry.card for entry in self.missing(self._table.lying) if entry.zone.name == "table"]
        action = Action("take", seat=played.zone.seat, cards=tuple(gone))
        return action if self._table.can(action) else None

    def missing_firm(self) -> list[TableCard]:
        """Return the cards that must lie on the table according to the record and are not observed there."""
        return [entry for entry in self.missing(self._table.lying) if entry.firm]

    def last_trick(self, cards: Iterable[ObservedCard]) -> list[ObservedCard]:
        """Return which of `cards` are left over from a trick: those before the players, if there are several."""
        left = [card for card in cards if card.code == "before" and card.is_refused and card.lies_in("play")]
        is_trick = self._table.phase != "cut" and "trick" in self._table.view().event_kinds
        return left if is_trick and len({card.zone for card in left}) > 1 else []

    def to_put_back(self) -> list[TableCard]:
        """Return the cards that must be put back: the missing ones, unless a `take` may have begun with them."""
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
        """Return the counted cards that the record no longer has on the table."""
        matched = self._cards.match(self._table.lying)
        return [card for card in self._cards if card.status == "counted" and card not in matched]


def reconcile(table: Table, cards: ObservedCards, found: Collection[ObservedCard]) -> None:
    """Recognise the recorded cards among the observed ones, as far as no counted card matches them yet.

    `found`: the cards reported for the first time that lay there when the referee started. Any other card that the
    record allows to be cleared away is left to be judged if it can count as something new.
    """
    for entry, matched in zip(table.lying, cards.match(table.lying), strict=True):
        if matched is not None and matched.zone == entry.zone:
            continue
        same = next((card for card in cards if _is_entry(card, entry, matched)), None)
        if same is None and matched is None and entry.firm:
            same = next((card for card in cards if _was_retired(card, entry, cards, table)), None)
            if same:
                same.revive()
                continue
        if same is None:
            likely = [card for card in cards if card in found or (matched is None and entry.firm)]
            same = next((card for card in likely if _is_entry_misread(card, entry, cards, table, card in found)), None)
        if same and (same in found or entry.firm or _stays_bid(same, entry) or not _can_count(same, cards, table)):
            laid_by = _laid_by(same, entry.card, cards, table)
            same.recognise(entry.card, laid_by, assumed=not (same in found or same.put_back_count))
            if matched:
                matched.retire()


def revive_after_undo(table: Table, cards: ObservedCards) -> None:
    """Let cards that still lie there count again if an undo has put them back on the table."""
    for entry, matched in zip(table.lying, cards.match(table.lying), strict=True):
        if matched is None:
            found = next((card for card in cards if _can_be_revived(card, entry)), None)
            if found:
                found.revive()


def count_as_laid(table: Table, cards: ObservedCards) -> None:
    """Let cards that did not count any more count again if they lie where a rewritten record has them."""
    for entry, matched in zip(table.lying, cards.match(table.lying), strict=True):
        if matched is not None:
            continue
        free = (card for card in cards if card.status in ("open", "refused", "spent", "nudged"))
        same = next((card for card in free if card.face == entry.card and is_same_place(card.zone, entry.zone)), None)
        if same is not None and (laid := _laid_by(same, entry.card, cards, table)):
            same.count(laid[1], laid[0])


def ignore_nudged(table: Table, cards: ObservedCards) -> None:
    """Ignore cards of the last hand that are only nudged, or put back, before the next hand begins.

    A card that is put back twice may be meant to count, and so may a card that could not be read when the referee
    started: both are refused, so that the players are asked. During a hand, a played card whose count is over may also
    be put back once.
    """
    if table.phase not in BEFORE_HAND:
        for card in cards:
            if card.status == "open" and card.put_back_count and _was_played_out(card, table):
                card.retire()
        return
    for card in cards:
        if card.status == "open" and isinstance(card.face, Card):
            if card.put_back_count > 1 or card.hand_phase == BEFORE_START:
                card.refuse("before")
            elif card.put_back_count or (card.action_number is not None and not _is_cut_now(card, table)):
                card.nudge()


def _was_played_out(card: ObservedCard, table: Table) -> bool:
    """Return whether the card was played here in this hand, has had its effect, and was not gathered or taken."""
    for action in reversed(table.actions[table.hand_starts[-1] if table.hand_starts else 0 :]):
        if action.do in ("gather", "take", "withdraw"):
            return False
        if action.do == "play" and action.card == card.face:
            lies = any(entry.card == card.face for entry in table.lying)
            zone = card.zone
            return zone is not None and (zone.name, zone.seat) == ("play", action.seat) and not lies
    return False


def _is_cut_now(card: ObservedCard, table: Table) -> bool:
    """Return whether the card was cut in this round. After a tie it may be cut again, but is taken up first."""
    face, seats = card.face, range(len(table.header.players))
    can_be_cut = isinstance(face, Card) and any(table.can(Action("cut", seat=seat, card=face)) for seat in seats)
    return table.phase == "cut" and not can_be_cut


def set_aside_left_over(table: Table, cards: ObservedCards, found: Collection[ObservedCard]) -> None:
    """Judge the cards `found` on the table when the referee started, except those that the record has there.

    - Refused, so that they must be laid again: a card that would begin something new, including the turn-up of the last
      hand, which may have been turned up again; and an action card whose word could be said now, unless it needs
      evidence that lies there too.
    - Ignored: cards of this hand that have had their effect, and action cards whose word cannot be said now.
    - Left open, to be judged like new cards: all others in a hand in progress, laid while the program did not run.
    """
    words, laid = table.view().words, laid_in_hand(table)
    for entry, matched in zip(table.lying, cards.match(table.lying), strict=True):
        cleared_away = table.phase in ("deal", "turn") and not entry.firm
        if matched in found and matched is not None and cleared_away and _can_count(matched, cards, table):
            matched.refuse("before")
    for card in (card for card in cards if card in found):
        zone = card.zone
        if card.status != "open" or zone is None:
            continue
        if card.face is None:
            # Once it can be read it is refused (`ignore_nudged`); and it was not drawn just now.
            card.predate(BEFORE_START if table.phase in BEFORE_HAND else hand_phase(table) - 1)
        elif isinstance(card.face, Card):
            begins = table.phase in BEFORE_HAND and zone.name in _ONE_BY_ONE
            finished = zone.name in _ONE_BY_ONE and card.face in laid
            if finished and not _can_count(card, cards, table):
                card.leave_over()
            elif begins or finished:
                card.refuse("before")
        elif zone.name == "say" and zone.seat is not None and card.face.text not in words[zone.seat]:
            card.retire()
        elif zone.name == "say" and not (needs_evidence(card.face.text, table) and _can_count(card, cards, table)):
            card.refuse("before")


def ask_about_left_over(table: Table, cards: ObservedCards) -> None:
    """Refuse cards left over from before the start that could count now, so that the players are asked."""
    for card in cards:
        if card.status == "left-over" and _can_count(card, cards, table):
            card.refuse("before")


def laid_in_hand(table: Table) -> set[Card]:
    """Return the cards laid one by one in this hand, or in the last one before a turn-up, and not withdrawn.

    The hand begins with its turn-up, or with the cut for the deal before it. A hand without a turn-up begins with the
    first card played.
    """
    lies: dict[Card, bool] = {}
    turned = False
    starts = (0, 0, *table.hand_starts)
    start = starts[-2 if table.phase in BEFORE_HAND else -1]
    if table.turns_up and (table.phase == "discard" or any(each.do == "turn" for each in table.actions[start:])):
        start = 0
    for action in reversed(table.actions[start:]):
        if turned and action.do not in ("cut", "turn", "deal", "discard"):
            break
        turned = turned or action.do == "turn"
        if action.card and action.do in ("cut", "turn", "give", "play", "withdraw"):
            lies.setdefault(action.card, action.do != "withdraw")
    return {card for card, on_table in lies.items() if on_table}


def _laid_by(card: ObservedCard, face: Card, cards: ObservedCards, table: Table) -> tuple[int, Action] | None:
    """Return the action that laid `card`, which is `face`, and its index; None if no action did.

    If that action is corrected or undone, so is the card.
    """
    for number, action in reversed([*enumerate(table.actions)]):
        if action.card == face and action.do in LAYING:
            return number, action
        zone = card.zone
        if zone and TOGETHER.get(zone.name) == action.do and zone.seat in (action.seat, None):
            named = sum(each == face for each in action.cards or ())
            others = sum(other.face == face and other.action_number == number for other in cards if other is not card)
            if others < named:
                return number, action
    return None


def _is_entry(card: ObservedCard, entry: TableCard, matched: ObservedCard | None) -> bool:
    """Return whether the card is `entry`, and fits better than the card `matched` with it, which was moved there."""
    fits = card.zone == entry.zone if matched else is_same_place(card.zone, entry.zone) or _stays_bid(card, entry)
    return fits and card.face == entry.card and (card.status == "open" or card.is_refused)


def _stays_bid(card: ObservedCard, entry: TableCard) -> bool:
    """Return whether a card bid in an earlier round, which the record has among the table's cards, was put back.

    It may have stayed in its bid zone. If it is picked up and at once put back, it is not bid again.
    """
    return bool(card.put_back_count) and card.lies_in("bid") and entry.zone.name == "table"


def _was_retired(card: ObservedCard, entry: TableCard, cards: ObservedCards, table: Table) -> bool:
    """Return whether the card was taken for `entry` until a card fitted better that has gone since.

    A camera may report a card where it lay, and even read it there, after it was moved.
    """
    if card.status != "spent" or card.face != entry.card or not is_same_place(card.zone, entry.zone):
        return False
    return (card.action_number, card.action) == _laid_by(card, entry.card, cards, table)


def _is_entry_misread(card: ObservedCard, entry: TableCard, cards: ObservedCards, table: Table, found: bool) -> bool:
    """Return whether the card may be `entry`, misread.

    A card that the record has there with the face it seems to have, or that can count as a new card, is not taken for
    another. If it was not `found` there at the start, its face must also have been laid before in this hand.
    """
    possible = card.status == "open" and card.zone == entry.zone and entry.card in card.alternatives
    if not possible or any(other.card == card.face for other in table.lying):
        return False
    return (found or card.face in laid_in_hand(table)) and not _can_count(card, cards, table)


def _can_be_revived(card: ObservedCard, entry: TableCard) -> bool:
    """Return whether the card is `entry`, and was done or undone (taking a card back may be undone, too).

    An entry that may have been cleared away need not be the card undone now: the same card may be cut in two rounds.
    """
    undone = card.status == "refused" and card.code == "undone" and entry.firm
    return (card.is_done or undone) and card.face == entry.card and is_same_place(card.zone, entry.zone)


def _can_count(card: ObservedCard, cards: ObservedCards, table: Table) -> bool:
    """Return whether the rules allow any action now that the card may stand for."""
    return any(table.can(each.action) for each in interpretations(card, cards, table))


def is_same_place(zone: Zone | None, by_record: Zone) -> bool:
    """Return whether a card in `zone` may be one that the record has in `by_record`.

    A card played to the table may lie in the zone `play` or `table`.
    """
    return zone == by_record or (zone is not None and {zone.name, by_record.name} == {"play", "table"})
