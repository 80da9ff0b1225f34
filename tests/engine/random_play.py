"""Random games of all but All Fives, as a record might hold them: legal actions, nonsense, corrections and undo.

A hand that is not named holds what its seat turns out to play: any card that the table has not seen elsewhere. Every
choice comes from the seed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from engine.actions import KEYS, Action
from engine.cards import STANDARD_DECK, Card
from engine.games import load_game
from engine.record import Header
from engine.rules.crib_game import CribGame
from engine.table import Table

WORDS = ("accept", "beg", "switch", "take-one", "go", "card", "stay", "pass", "revoke", "nonsense")
NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve", "Flo")
OPTIONS: dict[str, dict[str, tuple[Any, ...]]] = {
    "cribbage": {"target": (5, 31, 61, 121), "skunks": (True, False)},
    "fifteen": {"target": (1, 4, 15)},
    "its-15": {"rounds": (1, 3), "ones": (0, 2, 5), "twos": (0, 1, 5), "brown_copies": (2, 4), "green_copies": (1, 2)},
    "le-quinze": {"target": (1, 3, 11), "must_take": (True, False), "leftovers": ("nobody", "last-taker")},
}


def random_header(rng: random.Random, game: str) -> Header:
    players = NAMES[: rng.choice(load_game(game).seats)]
    options = {name: rng.choice(values) for name, values in OPTIONS[game].items() if rng.random() < 0.5}
    dealer = None if rng.random() < 0.3 and game != "its-15" else rng.randrange(len(players))
    return Header(game, players, dealer, options)


class Play:
    """Plays all seats of one game; `naming`: how likely cards that the table need not know are named."""

    def __init__(self, seed: int, game: str, header: Header | None = None, naming: float | None = None) -> None:
        self.rng = random.Random(f"{game} {seed}")
        self.header = header or random_header(self.rng, game)
        self.naming = self.rng.choice((0.0, 0.5, 1.0)) if naming is None else naming
        self.table = Table(self.header)
        self.tried: list[Action] = []

    def actions(self, count: int, nonsense: float = 0.1, undo: float = 0.03) -> Iterator[Action]:
        """Up to `count` actions, illegal ones and undos among them; each is done on `table` where it is legal."""
        for _ in range(count):
            chance = self.rng.random()
            if chance < nonsense:
                action = random_action(self.rng, self.table)
            elif chance < nonsense + undo or (self.table.over and undo):
                action = Action("undo")
            elif self.table.over:
                return
            else:
                action = self.choose()
            self.tried.append(action)
            yield action
            if self.table.can(action):
                self.table.do(action)

    def choose(self) -> Action:
        """Something that the table accepts now."""
        rng, offers = self.rng, self.table.ask.offers
        kinds = [do for do, offer in offers.items() if offer.listed or do in ("deal", "show")]
        while True:
            do = rng.choice(kinds)
            if do == "deal":
                action = self._deal()
            elif do == "discard":
                action = self._discard()
            elif do == "show":
                action = self._show()
            else:
                listed = [*offers[do].actions()]
                action = rng.choice(listed) if listed else None
            if action and self.table.can(action):
                return action

    def _deal(self) -> Action | None:
        offer: Any = self.table.ask.offers["deal"]
        unseen = [*offer.game.pack.unaccounted()]
        if not offer.seats or self.rng.random() >= self.naming:
            return None
        return Action("deal", self.rng.choice(offer.seats), cards=tuple(self.rng.sample(unseen, offer.count)))

    def _discard(self) -> Action | None:
        offer: Any = self.table.ask.offers["discard"]
        if not offer.seats:
            return None
        hand = offer.game.hands[self.rng.choice(offer.seats)]
        if not hand.complete and self.rng.random() >= self.naming:
            return Action("discard", hand.seat)
        held = [*hand.candidates(offer.game.deck)]
        return Action("discard", hand.seat, cards=tuple(self.rng.sample(held, offer.count)))

    def _show(self) -> Action:
        offer: Any = self.table.ask.offers["show"]
        game = offer.game
        if isinstance(game, CribGame):
            unseen = self.rng.sample([*game.pack.unaccounted()], offer.size - len(game.crib))
            return Action("show", "crib", cards=(*game.crib, *unseen))
        seat = self.rng.choice(offer.seats)
        brown = [card for card in game.deck.cards if card.suit == "brown"]
        return Action("show", seat, cards=tuple(self.rng.sample(brown, game.hands[seat].size)))


def random_action(rng: random.Random, table: Table) -> Action:
    """Any action that a record could hold: mostly illegal, of this game or another."""
    deck = load_game(table.header.game).deck if rng.random() < 0.9 else STANDARD_DECK

    def card() -> Card:
        if rng.random() < 0.1:
            return Card(rng.choice(("1S", "5X", "joker")), "")
        return rng.choice(deck.cards)

    do = rng.choice([*table.ask.offers] if rng.random() < 0.8 and not table.over else [*KEYS])
    needed, allowed = KEYS[do]
    keys = [*needed, *(key for key in allowed if rng.random() < 0.7)]
    players = len(table.header.players)
    seat: Any = rng.randrange(players)
    if table.turn is not None and rng.random() < 0.6:
        seat = table.turn
    if do == "show" and rng.random() < 0.4:
        seat = "crib"
    values: dict[str, Any] = {
        "seat": seat,
        "card": card(),
        "cards": tuple(card() for _ in range(rng.choice((0, 1, 1, 2, 3, 4, 5, 6, 7)))),
        "word": rng.choice(WORDS),
        "against": rng.randrange(players),
    }
    return Action(do, **{key: values[key] for key in keys})


def random_game(seed: int, game: str, count: int, header: Header | None = None, naming: float | None = None) -> Play:
    """A game of up to `count` actions, played."""
    play = Play(seed, game, header, naming)
    for _ in play.actions(count):
        pass
    return play
