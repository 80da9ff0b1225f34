"""Judge the cards that are picked up: a card is withdrawn, a trick gathered, or cards are taken.

An unread card where tricks are played may belong to the trick. As long as there is one, cards that are picked up are
not judged. Once it is read or picked up, a gathered trick and taken cards are recognised. A card is withdrawn only if
no unread card lay there when it was picked up; otherwise the players are asked to put it back.

A card that was picked up while the table did not see everything (a source was lost, a zone was covered) is not
withdrawn either. A card laid in exchange for the last card of a complete trick still counts then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.referee.interpretation import waits_for_more
from engine.referee.matching import RecordMatching, is_same_place
from engine.referee.observed_cards import ObservedCard, ObservedCards
from engine.table import Table
from engine.views import TableCard

EXCHANGE_S: Final = 1.5
"""If only the last card of a complete trick is missing for more seconds than this before the trick is gathered, it may
have been exchanged. Longer: an unseen exchange goes unnoticed. Shorter: slow players are asked to check."""


class Pickups:
    """Judges the cards picked up from one table.

    `apply` does the action that a pickup stands for; it raises `Refused` if the rules do not allow it.
    """

    def __init__(
        self, table: Table, cards: ObservedCards, matching: RecordMatching, apply: Callable[[Action], None]
    ) -> None:
        self._table = table
        self._cards = cards
        self._matching = matching
        self._apply = apply
        self._unread: list[ObservedCard] = []
        """The cards that could not be read in the scene judged last."""
        self._postponed = False
        """Whether cards were picked up that are yet to be judged."""
        self._last: tuple[tuple[Action, ...], list[TableCard]] = (), []
        """The record after cards were last gathered, taken or withdrawn, and those cards."""
        self._last_gone_at: float | None = None
        """Since when the last card of a complete trick has been missing while the others lie there."""
        self._before_seat: Card | None = None
        self._pushed: Card | None = None
        """The card played last, once it was seen in front of its seat; and once it was then pushed to the table."""
        self._doubtful = False
        """Whether what was gathered or taken now may have come about in another way, unseen."""
        self._unseen: list[TableCard] = []
        """Missing cards of the trick that were picked up while the table did not see everything."""
        self._uncertain: list[TableCard] = []
        """Missing cards that were picked up while an unread card lay there: they are not taken to be withdrawn."""

    def judge(self, first: bool, settled: bool, unseen: bool, time: float) -> None:
        """Do what the cards picked up since the last scene stand for; `time`: that of the scene judged now.

        When the referee judges its `first` scene, every missing card may have been picked up before. What that means is
        judged once the start is `settled`, because cards that are not reported yet may lie there. `unseen`: the table
        did not see everything since the last scene, so that a card may have been laid and picked up.
        """
        picked_up = self._cards.picked_up
        for card in self._cards:
            if waits_for_more(card) and any(card.zone == gone.zone for gone in picked_up):
                card.reopen()
        unread_before, self._unread = self._unread, [card for card in self._cards if is_unread(card)]
        trick = self._matching.trick()
        picked_up_from_trick = first or any(_was_played(card) for card in picked_up)
        missing = self._matching.missing(trick)
        self._uncertain = _not_to_judge(missing, self._uncertain, picked_up_from_trick and bool(unread_before))
        self._unseen = _not_to_judge(missing, self._unseen, picked_up_from_trick and unseen)
        self._postponed = bool(trick) and (self._postponed or picked_up_from_trick)
        asked = any(card.code == "unclear" for card in self._cards)
        alone_since, self._last_gone_at = None if asked else self._last_gone_at, None
        if len(trick) > 1 and missing == [trick[-1]] and self._table.can(_withdrawal(trick[-1])):
            self._last_gone_at = time if alone_since is None else alone_since
        self._follow_last(trick)
        self._doubtful = False
        if self._postponed and not self._unread and settled:
            self._postponed = False
            self._judge_trick(trick)
            gathered = self._table.actions[-1:] and self._table.actions[-1].do == "gather"
            if gathered and alone_since is not None and time - alone_since > EXCHANGE_S:
                self._doubtful = True  # the last card may have been exchanged for one that was not read
        elif self._postponed and self._last_gone_at is None:
            self._last_gone_at = alone_since
        picked_up.clear()

    def _judge_trick(self, trick: list[TableCard]) -> None:
        missing = self._matching.missing(trick)
        before = list(self._table.lying)
        if missing and (take := self._matching.take_with(missing[-1])):
            self._apply(take)
            # A card pushed to the table takes nothing: another may have been laid, and all cards cleared away.
            self._doubtful = self._pushed == missing[-1].card
            self._last = self._table.actions, [entry for entry in before if entry not in self._table.lying]
        winner = self._matching.gathering_seat()
        if winner is not None:
            if len(missing) == len(trick):
                self._apply(Action("gather", seat=winner))
                self._last = self._table.actions, trick
        elif missing == [trick[-1]] and trick[-1] not in self._unseen:
            self._withdraw(trick[-1])

    def _follow_last(self, trick: list[TableCard]) -> None:
        """Note where the card played last lies, or where it lay until it was picked up."""
        last = trick[-1].card if trick else None
        seen = [card for card in (*self._cards, *self._cards.picked_up) if card.face == last]
        zones = {card.zone.name for card in seen if card.status == "counted" and card.zone}
        if last is None or "play" in zones:
            self._before_seat, self._pushed = last, None
        elif "table" in zones and last == self._before_seat:
            self._pushed = last

    def undo_if_put_back(self) -> None:
        """Undo the last gathering or taking if all its cards lie where they lay before.

        Undo a withdrawal too if something happened between the play and the withdrawal, such as a call, so that this is
        not lost.
        """
        actions, entries = self._last
        if entries and actions == self._table.actions and all(map(self._lies_again, entries)):
            self._last = (), []
            self._apply(Action("undo"))

    def _lies_again(self, entry: TableCard) -> bool:
        return any(
            card.face == entry.card and is_same_place(card.zone, entry.zone) and _is_new(card) for card in self._cards
        )

    @property
    def is_doubtful(self) -> bool:
        """Whether the table may have missed why cards were picked up.

        Either cards of the trick were picked up while the table did not see everything, or what was gathered or taken
        now may have come about in another way.
        """
        return bool(self._unseen) or self._doubtful

    def exchange(self, card: ObservedCard) -> bool:
        """Withdraw the last card of a complete trick if `card` was laid in exchange for it; return whether it was."""
        replaced = self._replaced_by(card)
        return replaced is not None and self._withdraw(replaced)

    def waits_to_be_read(self, card: ObservedCard) -> bool:
        """Return whether `card` may be laid in exchange for the last card of a complete trick that cannot be read now.

        The last card is gone, and others of the trick are not seen, but unread cards lie in their zones.
        """
        trick = self._matching.trick()
        if not self._unread or len(trick) < 2 or card.zone != trick[-1].zone or self._matching.gathering_seat() is None:
            return False
        missing = self._matching.missing(trick)
        unread = {each.zone for each in self._unread}
        return trick[-1] in missing and any(entry.zone in unread for entry in missing if entry != trick[-1])

    def is_unclear(self, card: ObservedCard) -> bool:
        """Return whether `card` may be an exchange and may also be a lead.

        The seat that laid it played the last card, and has won the trick: it may have begun to gather.
        """
        replaced = self._replaced_by(card)
        return (
            replaced is not None
            and replaced.zone.seat == self._matching.gathering_seat()
            and self._table.can(_withdrawal(replaced))
        )

    def _replaced_by(self, card: ObservedCard) -> TableCard | None:
        """Return the last card of a complete trick if it alone was picked up and `card` lies in its zone."""
        trick = self._matching.trick()
        complete = len(trick) > 1 and self._matching.gathering_seat() is not None
        if complete and card.zone == trick[-1].zone and self._matching.missing(trick) == [trick[-1]]:
            return trick[-1]
        return None

    def _withdraw(self, entry: TableCard) -> bool:
        """Withdraw a card if the rules allow it; return whether they do."""
        action = _withdrawal(entry)
        if entry in self._uncertain or not self._table.can(action):
            return False
        went_on = self._table.actions[-1] != Action("play", seat=entry.zone.seat, card=entry.card)
        self._apply(action)
        if went_on:
            self._last = self._table.actions, [entry]
        return True


def _not_to_judge(missing: list[TableCard], before: list[TableCard], doubtful: bool) -> list[TableCard]:
    """Return which of the `missing` cards not to judge: all after a doubtful scene, otherwise those in `before`."""
    return missing if doubtful else [entry for entry in missing if entry in before]


def _withdrawal(entry: TableCard) -> Action:
    return Action("withdraw", seat=entry.zone.seat, card=entry.card)


def _is_new(card: ObservedCard) -> bool:
    return card.status == "open" or card.is_refused


def _was_played(card: ObservedCard) -> bool:
    """Return whether the card counted as part of a trick, or of the cards between the players."""
    return card.status == "counted" and card.zone is not None and card.zone.name in ("play", "table")


def is_unread(card: ObservedCard) -> bool:
    """Return whether the card lies where tricks are played and cannot be read."""
    return card.status == "open" and card.face is None and card.zone is not None and card.zone.name in ("play", "table")
