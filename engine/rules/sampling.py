"""Dealing the cards whose places the table does not know, at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from engine.cards import Card
from engine.rules.state import Pack

_SWAPS: Final = 4
"""How often each card is tried in another place, so that what was placed first does not matter."""


def random_hands(pack: Pack, rng: Random) -> dict[int, tuple[Card, ...]]:
    """Return cards for every hidden hand that holds some, by seat: those that it is known to hold, and others.

    No hand gets a card of a suit in which it has declared itself void, or one that it has declared not to hold, unless
    there is no other way to deal: then a player has revoked. A hand for which too many or too few cards are left gets
    none. Empty if the deck has several copies of a card.
    """
    if len(pack.deck) != len(pack.deck.kinds):
        return {}
    hidden = [hand for hand in pack.hands if not hand.complete and len(hand.known) <= hand.size > 0]
    cards = [*pack.unaccounted()]
    rng.shuffle(cards)
    places = [hand.size - len(hand.known) for hand in hidden]
    places.append(len(cards) - sum(places))  # the stock, and cards laid away unseen
    stock = len(hidden)
    allowed = {card: [*(at for at, hand in enumerate(hidden) if hand.can_hold(card)), stock] for card in cards}
    dealt = _deal(cards, places, allowed) or _deal(cards, places, dict.fromkeys(cards, range(stock + 1)))
    for _ in range(_SWAPS * len(cards)):
        one, other = rng.choice(cards), rng.choice(cards)
        if dealt[one] in allowed[other] and dealt[other] in allowed[one]:
            dealt[one], dealt[other] = dealt[other], dealt[one]
    found: list[list[Card]] = [[*hand.known] for hand in hidden]
    for card, at in dealt.items():
        if at < stock:
            found[at].append(card)
    return {hand.seat: tuple(held) for hand, held in zip(hidden, found, strict=True) if len(held) == hand.size}


def _deal(cards: Sequence[Card], places: Sequence[int], allowed: Mapping[Card, Sequence[int]]) -> dict[Card, int]:
    """Return a place for each card, so that each has as many as `places` says; empty if there is no way.

    This is a matching of cards and places, grown by augmenting paths (Kuhn's algorithm).
    """
    held: list[list[Card]] = [[] for _ in places]

    def put(card: Card, tried: set[int]) -> bool:
        for at in allowed[card]:
            if at in tried:
                continue
            tried.add(at)
            if len(held[at]) < places[at]:
                held[at].append(card)
                return True
            for slot, other in enumerate(held[at]):
                if put(other, tried):
                    held[at][slot] = card
                    return True
        return False

    if not all([put(card, set()) for card in sorted(cards, key=lambda card: len(allowed[card]))]):
        return {}
    return {card: at for at, several in enumerate(held) for card in several}
