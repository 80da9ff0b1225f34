"""Swaps of one hidden card for another that the rules cannot tell apart for a while."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from cardtable.table.live_game import LiveGame
from engine.cards import Card
from engine.games import load_game
from engine.observations import Observation, Scene, Swiped, Zone
from engine.record import Header
from engine.table import Table
from lab.torture.hidden_table import READERS

LONG_ENOUGH: Final = 8
"""The least number of observations for which a card must stay hidden."""


@dataclass(frozen=True, slots=True)
class Swap:
    """A hidden card and its replacement, in the observations from `first` up to but not including `end`.

    `seats`: the seat to which the card was dealt and the one, if any, to which the replacement was dealt; these seats
    exchange the two cards. Empty if the card lies face down on a reader.
    """

    seats: tuple[int, ...]
    card: Card
    other: Card
    first: int
    end: int

    def apply(self, number: int, observation: Observation) -> Observation:
        """Return observation `number` with the card replaced."""
        if number < self.first:
            return observation
        if isinstance(observation, Swiped):
            swipes = (
                replace(each, card=self._other(each.card)) if each.seat in self.seats else each
                for each in observation.swipes
            )
            return replace(observation, swipes=tuple(swipes))
        if isinstance(observation, Scene) and observation.source == READERS:
            changed = (
                replace(each, face=self._other(each.face)) if isinstance(each.face, Card) else each
                for each in observation.sightings
            )
            return replace(observation, sightings=tuple(changed))
        return observation

    def _other(self, card: Card) -> Card:
        if card == self.card:
            return self.other
        return self.card if card == self.other and len(self.seats) == 2 else card


def face_down_swaps(header: Header, observed: Sequence[Observation], rng: random.Random, count: int) -> list[Swap]:
    """Return up to `count` swaps of cards that lie face down on a reader."""
    deck = load_game(header.game).deck.cards
    faces = {
        each.face: each.zone
        for scene in observed
        if isinstance(scene, Scene) and scene.source == READERS
        for each in scene.sightings
        if isinstance(each.face, Card)
    }
    # The second one belongs to the stock, the others to the other zones.
    cards = sorted(faces, key=lambda card: (faces[card] == Zone("stock"), rng.random()))
    chosen = [*cards[:1], *cards[-1:], *cards[1:-1]][:count]
    return [Swap((), card, rng.choice([o for o in deck if o not in faces]), 0, len(observed)) for card in chosen]


def swaps(header: Header, observed: Sequence[Observation], rng: random.Random, count: int) -> list[Swap]:
    """Return up to `count` swaps of dealt cards that the rules cannot tell apart for a while."""
    deck = load_game(header.game).deck.cards
    possible = []
    dealt = deals(observed)
    for first, observation in enumerate(observed):
        if first in dealt:
            for card in _cards(observation):
                same_suit = rng.random() < 0.5  # then the rules treat both alike for longer
                other = rng.choice([o for o in deck if o != card and (o.suit == card.suit or not same_suit)])
                same_deal = [number for number in dealt if number >= first][: len(header.players)]
                seats = _dealt_to([observed[number] for number in same_deal], card, other)
                possible.append(Swap(seats, card, other, first, _end(observed, dealt, first, seats, card, other)))
    rng.shuffle(possible)
    found: list[Swap] = []
    for swap in sorted(possible, key=lambda swap: swap.first - swap.end):
        end = _judged_alike(header, observed, swap)
        if end - swap.first >= LONG_ENOUGH:
            found.append(replace(swap, end=end))
        if len(found) == count:
            break
    return found


def deals(observed: Sequence[Observation]) -> list[int]:
    """Return the numbers of the observations in which cards were swiped because they were dealt, not laid away."""
    held: dict[int, Counter[Card]] = {}
    found = []
    for number, observation in enumerate(observed):
        if isinstance(observation, Swiped) and observation.swipes:
            seat, cards = observation.swipes[0].seat, Counter(_cards(observation))
            if cards <= held.get(seat, Counter()):
                held[seat] -= cards
            else:
                held[seat] = cards
                found.append(number)
    return found


def _cards(observation: Observation) -> tuple[Card, ...]:
    return tuple(swipe.card for swipe in observation.swipes) if isinstance(observation, Swiped) else ()


def _judged_alike(header: Header, observed: Sequence[Observation], swap: Swap) -> int:
    """Return the number of the first observation that the rules judge in another way with the swap, or its `end`."""
    played, swapped = (LiveGame(Table(header), None, ()) for _ in range(2))
    for number, observation in enumerate(observed[: swap.end]):
        if not (isinstance(observation, Scene) and observation.source == READERS):
            played.take(observation)
            swapped.take(swap.apply(number, observation))
            if judged_differently(played.table, swapped.table) or taken_up(played.table, swap):
                return number
    return swap.end


def taken_up(table: Table, swap: Swap) -> bool:
    """Whether a seat has taken up the replacement, which was dealt to no seat but lay in the skat, and may see it."""
    if len(swap.seats) != 1 or table.phase == "cut":
        return False
    others = (seat for seat in range(len(table.header.players)) if seat not in swap.seats)
    return any(swap.other in table.view(seat).hands[seat].cards for seat in others)


def _dealt_to(hands: Sequence[Observation], card: Card, other: Card) -> tuple[int, ...]:
    """Return the seat to which `card` is dealt, and the one, if any, that gets `other`. `hands`: those of one deal."""
    swipes = [swipe for hand in hands if isinstance(hand, Swiped) for swipe in hand.swipes]
    return tuple(dict.fromkeys(swipe.seat for dealt in (card, other) for swipe in swipes if swipe.card == dealt))


def _end(
    observed: Sequence[Observation],
    deals_at: Sequence[int],
    first: int,
    seats: tuple[int, ...],
    card: Card,
    other: Card,
) -> int:
    """Return the index of the first observation, from `first`, that shows or deals either card.

    If the cards are exchanged between two `seats`, passing a card on counts too: a third seat may then see it.
    """
    pair = {card, other}
    dealt = 0
    for number in range(max(first - 1, 0), len(observed)):
        observation = observed[number]
        if isinstance(observation, Scene) and observation.source != READERS:
            if pair & {sighting.face for sighting in observation.sightings}:
                return number
        elif isinstance(observation, Swiped) and number >= first and pair & set(_cards(observation)):
            if number in deals_at:
                dealt += 1
                if dealt > len(seats):
                    return number
            elif len(seats) == 2 or observation.swipes[0].seat != seats[0] or other in _cards(observation):
                return number
    return len(observed)


def judged_differently(first: Table, second: Table) -> bool:
    """Whether the rules have judged the two games differently: by what was accepted, scored, or counted openly."""

    def public(table: Table) -> tuple[object, ...]:
        done = tuple(action for action in table.actions if action.do not in ("deal", "discard"))
        return len(table.actions), done, table.scores, table.view().counted

    return public(first) != public(second)
