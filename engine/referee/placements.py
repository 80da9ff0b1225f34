"""Judge the cards that are laid: each is tried as every action that its zone stands for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.observations import ActionCard, Said
from engine.referee.interpretation import Interpretation, interpretations, needs_evidence
from engine.referee.matching import RecordMatching, revive_after_undo
from engine.referee.observed_cards import IMPOSSIBLE_FACE, ObservedCard, ObservedCards, hand_phase
from engine.referee.pickups import Pickups, is_unread
from engine.table import Table

IN_TURN_S: Final = 0.5
"""Of cards that come to rest within this many seconds, those of the seat on turn are judged first. Longer: a card laid
too early counts before one laid earlier out of turn. Shorter: cards played at once are taken in the wrong order."""

_TEMPORARY: Final = frozenset(("not-your-turn", "wrong-phase", "no-such-word", "unclear"))
"""Refusals that may end without anything done to the card: it came too early, or its meaning is not clear yet."""

_SAID: Final = "said"
"""The refusal of an action card whose word was said a moment ago: it is not said again on the next turn."""


class Placements:
    """Judges the cards laid on one table.

    `apply` does the action that a card stands for; `replace_last` does it in place of the last action. Both raise
    `Refused` if the rules do not allow it.
    """

    def __init__(
        self,
        table: Table,
        cards: ObservedCards,
        matching: RecordMatching,
        pickups: Pickups,
        apply: Callable[[Action], None],
        replace_last: Callable[[Action], None],
    ) -> None:
        self._table = table
        self._cards = cards
        self._matching = matching
        self._pickups = pickups
        self._apply = apply
        self._replace_last = replace_last
        self.waiting_word: Said | None = None
        """A word said with a button that waits for a card on the table."""

    def judge(self) -> None:
        """Judge the open cards, and those refused for the time being, until nothing more is accepted."""
        self._cards.refuse_simultaneous()
        while any(self._judge_card(card) for card in self._to_judge()):
            self._matching.retire_unmatched()

    def _to_judge(self) -> list[ObservedCard]:
        """Return the cards to judge, in the order in which they were laid.

        Of cards laid at nearly the same time, those of the seat on turn come first: a card of another seat may be legal
        only because the seats before it said nothing.
        """
        now, turn = hand_phase(self._table), self._table.turn
        cards = [card for card in self._cards if card.status == "open" or is_temporary(card, now)]

        def order(card: ObservedCard) -> float:
            in_turn = turn is not None and card.zone is not None and card.zone.seat == turn
            return card.since - IN_TURN_S * in_turn

        return sorted(cards, key=order)

    def _judge_card(self, card: ObservedCard) -> bool:
        """Try the card as what its zone stands for; return whether anything was accepted."""
        if self._stays_unjudged(card):
            return False
        withdrawn = card.status == "open" and card.face is not None and self._pickups.exchange(card)
        return self._accept_any(card) or withdrawn

    def _stays_unjudged(self, card: ObservedCard) -> bool:
        """Return whether the card waits, or was refused without asking the rules."""
        is_open = card.status == "open"
        if isinstance(card.face, Card) and self._pickups.is_unclear(card):
            card.refuse("unclear")
            return True
        if is_open and isinstance(card.face, Card) and self._pickups.waits_to_be_read(card):
            return True
        if is_open and self._was_said_before(card):
            card.refuse(_SAID)
            return True
        return False

    def _accept_any(self, card: ObservedCard) -> bool:
        """Do the first action that the card may stand for and the rules allow; return whether there is one.

        If there is none, the cards of the last action tried are refused.
        """
        refusal: Refused | None = None
        tried: Interpretation | None = None
        for interpretation in interpretations(card, self._cards, self._table, self.waiting_word):
            if self._passes_over(interpretation.action) and any(map(is_unread, self._cards)):
                break  # the unread card may be what the seat that is passed over has played
            try:
                self._accept(interpretation)
            except Refused as error:
                refusal, tried = error, interpretation
                if error.code != "wrong-phase" and not interpretation.replaces_last:
                    break
            else:
                return True
        if refusal and refusal.code in IMPOSSIBLE_FACE and not card.put_back_count and self._accept_alternative(card):
            return True
        if refusal and tried:
            for each in tried.cards:
                if each.status != "counted":
                    each.refuse(_SAID if _is_said(each) else refusal.code, refusal.message, tried.action)
        return False

    def _accept_alternative(self, card: ObservedCard) -> bool:
        """Take a card that cannot lie there for its likeliest alternative that can; return whether there is one."""
        face = card.face
        for alternative in card.alternatives:
            card.suppose(alternative)
            for interpretation in interpretations(card, self._cards, self._table):
                if self._table.can(interpretation.action) and not interpretation.replaces_last:
                    self._accept(interpretation)
                    return True
        card.suppose(face)
        return False

    def _accept(self, interpretation: Interpretation) -> None:
        """Do the action and let its cards count. Raises `Refused`."""
        action = interpretation.action
        if interpretation.replaces_last:
            self._replace_last(action)
        else:
            self._apply(action)
        for card in interpretation.cards:
            card.count(action, len(self._table.actions) - 1)
        if interpretation.replaces_last:
            revive_after_undo(self._table, self._cards)
        self._matching.retire_unmatched()
        if needs_evidence(action.word, self._table):
            self._retire_evidence(action)

    def _was_said_before(self, card: ObservedCard) -> bool:
        """Return whether its word was said, and it was laid again before the card of the last action.

        It cannot be an answer to that action.
        """
        last = len(self._table.actions) - 1
        return _is_said(card) and any(each.action_number == last and each.since > card.since for each in self._cards)

    def _passes_over(self, action: Action) -> bool:
        """Return whether the action is a play that passes over the seat on turn (an implied `go`)."""
        return action.do == "play" and self._table.turn not in (None, action.seat)

    def _retire_evidence(self, action: Action) -> None:
        """Retire the action card and the evidence, even if the evidence was laid first: both have had their effect."""
        for card in self._cards:
            if card.face == ActionCard(action.word or "") or (card.face == action.card and card.lies_in("show")):
                if card.action_number is None:
                    card.count(action, len(self._table.actions) - 1)
                card.retire()
        revive_after_undo(self._table, self._cards)


def _is_said(card: ObservedCard) -> bool:
    """Return whether it is an action card that has just had its effect, and was taken up and laid again at once."""
    return isinstance(card.face, ActionCard) and bool(card.put_back_count)


def is_temporary(card: ObservedCard, now: int | None = None) -> bool:
    """Return whether the card may count later without being laid again.

    `now`: the hand phase in which it would count, if it must be that in which it was refused.
    """
    return card.status == "refused" and card.code in _TEMPORARY and now in (None, card.hand_phase)
