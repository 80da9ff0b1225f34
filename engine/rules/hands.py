"""Hands, and what the table knows about the place of each card.

A hand is *known* if every card dealt to it was named (`Hand.complete`), otherwise *hidden*: then the table knows only
how many cards it holds, the cards that were named, shown or taken back (`Hand.known`), and the suits that it has failed
to follow. The rules bind a hidden hand by its known cards as they bind a known hand. By not following suit a hand
declares itself void in that suit; a card of the suit seen later proves a revoke. By playing a card that
must be held back (`HeldBack`) it declares that it holds no other card; any other card seen later proves a revoke too.

    >>> from engine.cards import STANDARD_DECK, parse_card as card
    >>> from engine.rules.state import Pack
    >>> ann, bo = Pack(STANDARD_DECK, players=2).hands
    >>> bo.deal_unseen(6)
    >>> bo.lay(card("2S"), led="H")                # hearts were led, so Bo has declared a void in hearts
    False
    >>> bo.declared_void("H"), ann.may_hold(card("2S"))
    (True, False)
    >>> bo.lay(card("9H"))                         # a heart after all: Bo has revoked
    True
    >>> bo.declared_void("H")
    False
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from engine.cards import Card, Deck
from engine.rules.tricks import Ranking
from engine.texts import Text, template


class HeldBack(NamedTuple):
    """Cards that a hand may not play while it holds another card. `why`: the sentence that refuses such a card.

    `following`: whether this holds for cards that follow suit too; otherwise those may be played. `more`: another such
    rule that binds at the same time, or None.
    """

    cards: frozenset[Card]
    why: Text
    following: bool = False
    more: HeldBack | None = None

    def binding(self, card: Card, follows: bool) -> Iterator[HeldBack]:
        """Yield each of these rules that holds `card` back. `follows`: whether it follows suit."""
        if card in self.cards and (self.following or not follows):
            yield self
        if self.more is not None:
            yield from self.more.binding(card, follows)


@dataclass(frozen=True, slots=True)
class Pile:
    """A place outside the hands: the table, the captured cards, the cards laid away, the crib.

    `says`: the template of the sentence that a card is there.
    """

    name: str
    says: str


SEEN: Final = Pile("seen", template("{card} is on the table already."))
"""Cards played, captured or turned up, which everybody has seen."""
LAID_AWAY: Final = Pile("laid away", template("{card} is laid away."))
"""Cards that a player has laid away face down."""


class Hand:
    """The cards that one seat holds, as far as the table knows them.

    `size`: the number of cards. `known`: those that it must hold, in the order learned. `complete`: whether these are
    all. `exposed`: those lying face up. `counted`: the whole pack is dealt, so that the hand becomes known once as many
    cards are known as it holds. `told`: what it holds after the action that is done now, if that is known already.
    `ranking`: see `Pack`. Every change goes through the methods, which keep `Pack.place` up to date.
    """

    __slots__ = (
        *("_failed", "_holds_only", "complete", "counted", "exposed", "known", "place", "ranking", "seat", "size"),
        "told",
    )

    def __init__(self, seat: int, place: dict[Card, Hand | Pile]) -> None:
        self.seat = seat
        self.place = place
        self.ranking: Ranking | None = None
        self.size = 0
        self.complete = True
        self.counted = False
        self.known: dict[Card, None] = {}
        self.exposed: dict[Card, None] = {}
        self.told: tuple[Card, ...] = ()
        self._failed: dict[str, int] = {}
        """How often the hand has failed to follow each suit in which it has declared itself void."""
        self._holds_only: list[tuple[frozenset[Card], Card]] = []
        """Cards of which the hand has declared to hold no others, each with the card by which it did."""

    def __repr__(self) -> str:
        known = "".join(f" {card}" for card in self.known) or " none"
        return f"<Hand of seat {self.seat}: {self.size} cards, known:{known}>"

    # What the hand holds

    def may_hold(self, card: Card) -> bool:
        """Return whether `card` may be in this hand, as far as the table knows."""
        where = self.place.get(card)
        return where is self or (where is None and not self.complete)

    def can_hold(self, card: Card) -> bool:
        """Return whether the hand may hold `card` if what it has declared is true."""
        return (
            self.may_hold(card)
            and self.suit(card) not in self._failed
            and all(card in cards for cards, _ in self._holds_only)
        )

    def suit(self, card: Card) -> str:
        """Return the suit that `card` belongs to in play."""
        return card.suit if self.ranking is None else self.ranking.suit(card)

    def must_follow(self, suit: str) -> bool:
        """Return whether the hand is known to hold a card of `suit`."""
        if self.ranking is not None:
            return suit in map(self.ranking.suit, self.known)
        return any(card.suit == suit for card in self.known)

    def must_hold_back(self, cards: frozenset[Card]) -> bool:
        """Return whether the hand is known to hold a card that is not one of `cards`."""
        return not cards.issuperset(self.known)

    def declared_void(self, suit: str) -> bool:
        """Return whether the hand has failed to follow `suit` and no card has disproved that since."""
        return suit in self._failed

    def surely_void(self, suit: str) -> bool:
        """Return whether the hand is void in `suit`, by its cards if it is known, otherwise by its own declaration."""
        return not self.must_follow(suit) and (self.complete or suit in self._failed)

    @property
    def voids(self) -> tuple[str, ...]:
        """The suits in which the hand has declared itself void."""
        return tuple(self._failed)

    def candidates(self, deck: Deck) -> Iterator[Card]:
        """Return every different card that the hand may hold; of a known hand, its own cards."""
        if self.complete:
            return iter(tuple(self.known))
        return (card for card in deck if self.may_hold(card))

    # Changes

    def deal(self, cards: Iterable[Card]) -> None:
        """Add `cards`, which were dealt to it and named. A hand that was empty becomes known."""
        if not self.size:
            self.complete = True
        for card in cards:
            self.size += 1
            self._learn(card)

    def deal_unseen(self, count: int) -> None:
        """Add `count` cards that were not named. The hand becomes hidden, unless it was told what it holds then."""
        self.size += count
        if count:
            self.complete = False
            if self.size == len(self.told):
                self.become_known(self.told)

    def become_known(self, cards: Iterable[Card]) -> None:
        """Set all cards of a hand that was dealt unseen."""
        self.complete = True
        self.known = dict.fromkeys(cards)
        self.place.update(dict.fromkeys(self.known, self))

    def lay(self, card: Card, led: str | None = None, held_back: HeldBack | None = None) -> bool:
        """Play `card` to a trick in which `led` was led. Return whether it proves a revoke.

        `held_back`: the cards that the hand may not play now while it holds another card.
        """
        self.size -= 1
        self.known.pop(card, None)
        if self.exposed:
            self.exposed.pop(card, None)
        self.place[card] = SEEN
        if self.counted and not self.complete:
            self.complete = len(self.known) >= self.size
        if led is None and held_back is None and not self._failed and not self._holds_only:
            return False  # nothing has been declared that the card could disprove
        suit = card.suit if self.ranking is None else self.ranking.suit(card)
        proof = self._disprove(card, suit)
        if held_back is not None and not self.complete:
            self._holds_only += [(held.cards, card) for held in held_back.binding(card, suit == led)]
        if led is not None and suit != led:
            self._failed[led] = self._failed.get(led, 0) + 1
        return proof

    def take_back(self, card: Card, led: str | None = None) -> None:
        """Take back the card played last. This cancels what it declared, but not a revoke that it proved."""
        self.size += 1
        self._learn(card)
        if self._holds_only:
            self._holds_only = [declared for declared in self._holds_only if declared[1] is not card]
        if led in self._failed and self.suit(card) != led:
            self._failed[led] -= 1
            if not self._failed[led]:
                del self._failed[led]

    def expose(self, card: Card) -> bool:
        """Expose `card`, which stays in the hand. Return whether it proves a revoke."""
        self.exposed[card] = None
        return self.show(card)

    def show(self, card: Card) -> bool:
        """Show `card`; it stays in the hand. Return whether it proves a revoke."""
        self._learn(card)
        return self._disprove(card, self.suit(card))

    def cancel_void(self, suit: str) -> None:
        """Cancel the declared void: cards of `suit` prove no revoke until the hand fails to follow it again."""
        self._failed.pop(suit, None)

    def lay_away(self, cards: Iterable[Card] | None, count: int, onto: Pile) -> None:
        """Lay `count` cards away face down: `cards`, or None if they are not named.

        Then the table no longer knows what the hand holds.
        """
        self.size -= count
        if cards is None:
            self.forget()
            return
        for card in cards:
            self.known.pop(card, None)
            if self.exposed:
                self.exposed.pop(card, None)
            self.place[card] = onto

    def forget(self) -> None:
        """Clear the known cards of the hand. Exposed cards are still known not to be in another hand."""
        for card in self.known:
            if card not in self.exposed:
                del self.place[card]
        self.known.clear()
        if self.size:
            self.complete = False

    def _learn(self, card: Card) -> None:
        self.known[card] = None
        self.place[card] = self
        if self.counted and not self.complete:
            self.complete = len(self.known) >= self.size

    def _disprove(self, card: Card, suit: str) -> bool:
        """Cancel the declarations that a card of this suit disproves; return whether it disproves any."""
        proof = self._failed.pop(suit, None) is not None
        if self._holds_only:
            kept = [declared for declared in self._holds_only if card in declared[0]]
            proof = proof or len(kept) < len(self._holds_only)
            self._holds_only = kept
        return proof
