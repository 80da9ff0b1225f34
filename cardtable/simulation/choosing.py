"""How robots without a game of their own choose among the legal actions."""

from __future__ import annotations

from typing import Final

from cardtable.simulation.players import Players
from engine.actions import Action
from engine.cards import Card
from engine.rules.hand_claims import ClaimOfHand
from engine.rules.offers import PlayToTrick

CLAIM: Final = 0.4
"""Probability that a correct claim, such as a revoke call or a declaration, is made."""
TAKE: Final = 0.9
"""Probability that cards are taken if they can be left."""
SPEAK: Final = 0.05
"""Probability that a word is said although a card of the hand could be played."""
PASS: Final = 0.5
"""Probability that a seat passes in an auction."""
LOW_BIDS: Final = 4
"""Otherwise it makes one of this many of the lowest bids, or doubles."""
STOP: Final = 0.3
"""Probability that a word is said although a card of the pack could be turned up and played."""


class ChoosingPlayers(Players):
    """Players who choose at random among the legal actions that they can do with the cards that they hold."""

    def _choose(self) -> Action:
        """Return the action that a robot does now, one of the legal ones."""
        legal = self.table.legal_actions()
        takes = [action for action in legal if action.do == "take"]
        words = [action for action in legal if action.do == "say" and self._can_be_said(action)]
        claims = [action for action in words if self._is_claim(action)]
        words = [action for action in words if action not in claims and action.seat == self.table.turn]
        if claims and self._rng.random() < CLAIM:
            return self._rng.choice(claims)
        words = self._calls(words)
        plays = [action for action in legal if action.do == "play"]
        others = [action for action in legal if action.do in ("bid", "give") and self._has(action)]
        if takes and (not plays or self._rng.random() < TAKE):
            return self._rng.choice(takes)
        if not plays:
            return self._rng.choice([*words, *others])
        held = self._following([action for action in plays if self._has(action)])
        if held and not (words and self._rng.random() < SPEAK):
            return self._rng.choice(held)
        seat = self.table.turn
        if words and (held or (seat is not None and self._hands[seat])):
            return self._rng.choice(words)
        drawn = [action for action in plays if self._pack and action.card is self._pack[-1]]
        if words and self._rng.random() < STOP:
            return self._rng.choice(words)
        elsewhere = {card for hand in self._hands for card in hand}
        return self._rng.choice(drawn or [each for each in plays if each.card not in elsewhere] or plays)

    def _calls(self, words: list[Action]) -> list[Action]:
        """In an auction, return a pass as often as not, and otherwise a low bid or another call."""
        bids = [action for action in words if self.table.vocabulary[action.word or ""].group]
        others = [action for action in words if action not in bids]
        if not bids or not others:
            return words
        return others[:1] if self._rng.random() < PASS else [*others[1:], *bids[:LOW_BIDS]]

    def _has(self, action: Action) -> bool:
        """Whether the seat holds the card; everybody sees the cards of a bid, so the rules have checked them."""
        return action.card is None or (isinstance(action.seat, int) and action.card in self._hands[action.seat])

    def _following(self, plays: list[Action]) -> list[Action]:
        """Return those of `plays` that follow suit; if none does, all. Leave out those held back, unless all are."""
        offer = self.table.question.offers.get("play")
        if not isinstance(offer, PlayToTrick):
            return plays
        cards = {action.card: action for action in plays if action.card}
        following = {card: action for card, action in cards.items() if offer.hand.suit(card) == offer.led}

        def is_free(card: Card) -> bool:
            held = offer.held_back.binding(card, card in following) if offer.held_back else ()
            return all(each.cards.issuperset(cards) for each in held)

        left = following or cards
        return [action for card, action in left.items() if is_free(card)] or [*left.values()]

    def _is_claim(self, action: Action) -> bool:
        """Whether the word accuses another player, or claims something of the hand."""
        word, say = action.word or "", self.table.question.offers["say"]
        return bool(self.table.vocabulary[word].needs) or (isinstance(say, ClaimOfHand) and say.claims(word))

    def _can_be_said(self, action: Action) -> bool:
        """Whether the word can be said with an action card and, if it needs evidence, whether it is true."""
        word, say = self.table.vocabulary[action.word or ""], self.table.question.offers["say"]
        if isinstance(say, ClaimOfHand) and say.claims(word.name) and isinstance(action.seat, int):
            return say.is_true(word.name, action.seat, self._hands[action.seat])
        if "evidence" in word.needs:
            lying = {placed.face for placed in self._lying}
            return (
                action.against is not None and action.card in self._hands[action.against] and action.card not in lying
            )
        if "against" in word.needs and len(self._seats) > 2:
            return False
        return "card" not in word.needs or self.table.view().choices(word.name) == (action.card,)
