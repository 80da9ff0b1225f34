"""Swaps: a hidden card and another that takes its place, with which the rules judge a while as without them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from cardtable.table.game_loop import GameLoop
from engine.cards import Card
from engine.games import load_game
from engine.observations import Dealt, LaidAway, Observation, Scene, Zone
from engine.record import Header
from engine.table import Table
from lab.torture.hidden_table import READERS

LONG_ENOUGH: Final = 8
"""Observations for which a card must stay hidden, at least."""


@dataclass(frozen=True, slots=True)
class Swap:
    """A hidden card and the one that takes its place, in the observations from `first` until before `end`.

    `seats`: the seat to which it was dealt, and the one to which the other card was dealt, if it was; each then has the
    other's card. Empty if it lies face down on a reader.
    """

    seats: tuple[int, ...]
    card: Card
    other: Card
    first: int
    end: int

    def apply(self, number: int, observation: Observation) -> Observation:
        """Return the observation `number` with the card changed."""
        if number < self.first:
            return observation
        if isinstance(observation, Dealt | LaidAway) and observation.seat in self.seats:
            return replace(observation, cards=tuple(self._other(card) for card in observation.cards))
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
    # The second one is of the stock, the others of the other zones.
    cards = sorted(faces, key=lambda card: (faces[card] == Zone("stock"), rng.random()))
    chosen = [*cards[:1], *cards[-1:], *cards[1:-1]][:count]
    return [Swap((), card, rng.choice([o for o in deck if o not in faces]), 0, len(observed)) for card in chosen]


def swaps(header: Header, observed: Sequence[Observation], rng: random.Random, count: int) -> list[Swap]:
    """Return up to `count` swaps of cards that were dealt, with which the rules judge a while as without them."""
    deck = load_game(header.game).deck.cards
    possible = []
    for first, observation in enumerate(observed):
        if isinstance(observation, Dealt):
            for card in observation.cards:
                same_suit = rng.random() < 0.5  # then the rules judge it alike for longer
                other = rng.choice([o for o in deck if o != card and (o.suit == card.suit or not same_suit)])
                seats = _dealt_to(observed[first:], len(header.players), card, other)
                possible.append(Swap(seats, card, other, first, _end(observed, first, seats, card, other)))
    rng.shuffle(possible)
    found: list[Swap] = []
    for swap in sorted(possible, key=lambda swap: swap.first - swap.end):
        end = _judged_alike(header, observed, swap)
        if end - swap.first >= LONG_ENOUGH:
            found.append(replace(swap, end=end))
        if len(found) == count:
            break
    return found


def _judged_alike(header: Header, observed: Sequence[Observation], swap: Swap) -> int:
    """Return the number of the first observation that the rules judge in another way with the swap, or its `end`."""
    one, two = (GameLoop(Table(header), None, lambda snapshot: None) for _ in range(2))
    for number, observation in enumerate(observed[: swap.end]):
        if not (isinstance(observation, Scene) and observation.source == READERS):
            one.take(observation)
            two.take(swap.apply(number, observation))
            if judged_differently(one.table, two.table) or taken_up(one.table, swap):
                return number
    return swap.end


def taken_up(table: Table, swap: Swap) -> bool:
    """Whether a seat has taken up the other card, which was dealt to no seat, and may see it: it lay in the skat."""
    if len(swap.seats) != 1 or table.phase == "cut":
        return False
    others = (seat for seat in range(len(table.header.players)) if seat not in swap.seats)
    return any(swap.other in table.view(seat).hands[seat].cards for seat in others)


def _dealt_to(observed: Sequence[Observation], players: int, card: Card, other: Card) -> tuple[int, ...]:
    """Return the seat to which `card` is dealt first, and the one that gets `other` in the same deal, if any does."""
    deals = [each for each in observed if isinstance(each, Dealt)][:players]
    return tuple(each.seat for dealt in (card, other) for each in deals if dealt in each.cards)


def _end(observed: Sequence[Observation], first: int, seats: tuple[int, ...], card: Card, other: Card) -> int:
    """Return the number of the first observation from `first` on by which anybody sees or is dealt one of the two.

    If they are exchanged between two `seats`, a card that is passed on ends it as well: a third seat may see it then.
    """
    pair = {card, other}
    dealt = 0
    for number in range(max(first - 1, 0), len(observed)):
        observation = observed[number]
        if isinstance(observation, Scene) and observation.source != READERS:
            if pair & {sighting.face for sighting in observation.sightings}:
                return number
        elif isinstance(observation, Dealt | LaidAway) and number >= first and pair & set(observation.cards):
            if isinstance(observation, Dealt):
                dealt += 1
                if dealt > len(seats):
                    return number
            elif len(seats) == 2 or observation.seat != seats[0] or other in observation.cards:
                return number
    return len(observed)


def judged_differently(one: Table, two: Table) -> bool:
    """Whether the rules have judged the two games differently: by what was accepted, scored, or counted openly."""

    def public(table: Table) -> tuple[object, ...]:
        done = tuple(action for action in table.actions if action.do not in ("deal", "discard"))
        return len(table.actions), done, table.scores, table.view().counted

    return public(one) != public(two)
