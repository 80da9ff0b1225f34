"""Words that claim something of the hand of the player who says them, such as that it holds certain cards."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.rules.hands import Hand
from engine.rules.questions import Say
from engine.rules.state import GameState
from engine.texts import Text, text


class ClaimOfHand(Say):
    """Saying a word, some of which claim something of the hand.

    The table takes the player's word for a hidden hand. The word is among the `words` of every hand, because its
    absence would show what a known hand holds.
    """

    __slots__ = ()

    def claims(self, word: str) -> bool:
        """Return whether `word` claims something of the hand."""
        raise NotImplementedError

    def is_true(self, word: str, seat: int, cards: Collection[Card]) -> bool:
        """Return whether the claim `word` of `seat` is true if `cards` are its hand."""
        raise NotImplementedError

    def is_possible(self, word: str, hand: Hand) -> bool:
        """Return whether the claim `word` can be true, by what the table knows of `hand`."""
        raise NotImplementedError

    def why_not(self, seat: int) -> Text:
        """Return the sentence that refuses a false claim of `seat`."""
        raise NotImplementedError

    def check(self, action: Action) -> None:
        """Codes: those of `Say`, and no-such-word for a claim that a known hand shows to be false."""
        super().check(action)
        word, hand = action.word or "", self.game.hand_of(action)
        if self.claims(word) and not self.is_possible(word, hand):
            raise Refused("no-such-word", self.why_not(hand.seat))

    def actions(self) -> Iterator[Action]:
        """Yield the words that are allowed, then the accusations that would stand."""
        return filter(self.allows, super().actions())


class SayOfHand(ClaimOfHand):
    """Saying a word, some of which claim that the hand holds certain cards only.

    `only`: by such a word, those cards.
    """

    __slots__ = ("only",)

    def __init__(self, game: GameState, seat: int, plain: tuple[str, ...], only: Mapping[str, frozenset[Card]]) -> None:
        super().__init__(game, seat, plain)
        self.only = only

    def claims(self, word: str) -> bool:
        """Return whether `word` names cards."""
        return word in self.only

    def is_true(self, word: str, seat: int, cards: Collection[Card]) -> bool:
        """Return whether the hand holds those cards only."""
        return self.only[word].issuperset(cards)

    def is_possible(self, word: str, hand: Hand) -> bool:
        """Return whether all cards that the hand must hold are among those."""
        return self.only[word].issuperset(hand.known)

    def why_not(self, seat: int) -> Text:
        """Return the sentence that the hand holds other cards."""
        return text("{name} holds other cards too.", name=self.name(seat))
