"""Random games of All Fives, as people play them: with mistakes, corrections, undo and nonsense in between.

The cards are really dealt here (`World`), so that what the table works out can be compared with the truth. Every
choice comes from the seed.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.actions import KEYS, Action
from engine.cards import RANKS, STANDARD_DECK, SUITS, Card
from engine.errors import Refused
from engine.record import Header
from engine.table import Table

PLAIN = ("stand", "beg", "take-one", "change")


@dataclass
class World:
    """What really lies where. `named`: the seats whose cards the table is told, this round and hand by hand."""

    hands: list[list[Card]] = field(default_factory=list)
    stock: list[Card] = field(default_factory=list)
    round: int = -1
    to_say: list[Action] = field(default_factory=list)
    laid_away: set[int] = field(default_factory=set)


def random_header(rng: random.Random) -> Header:
    players = ("Ann", "Bo", "Cy")[: rng.choice((2, 3))]
    options: dict[str, object] = {}
    if rng.random() < 0.7:
        options["target"] = rng.choice((1, 4, 16, 31))
    for flag in ("discard_to_six", "revoke_bonus"):
        if rng.random() < 0.5:
            options[flag] = rng.random() < 0.7
    dealer = rng.choice((None, rng.randrange(len(players))))
    return Header("all-fives", players, dealer, options)


class Player:
    """Plays all seats of one game; `naming`: how likely a hand is dealt across a reader."""

    def __init__(self, seed: int, header: Header | None = None, naming: float | None = None) -> None:
        self.rng = random.Random(seed)
        self.header = header or random_header(self.rng)
        self.naming = self.rng.choice((0.0, 0.5, 1.0)) if naming is None else naming
        self.table = Table(self.header)
        self.world = World()
        self.past: list[World] = []
        self.tried: list[Action] = []

    def actions(self, count: int, nonsense: float = 0.1, undo: float = 0.03) -> Iterator[Action]:
        """Up to `count` actions, illegal ones and undos among them; each is done on `table` where it is legal."""
        for _ in range(count):
            chance = self.rng.random()
            if chance < nonsense:
                action = random_action(self.rng, len(self.header.players))
                if self.table.can(action):
                    continue
            elif (chance < nonsense + undo or (self.table.over and undo)) and self.past:
                action = Action("undo")
            elif self.table.over:
                return
            else:
                action = self.choose()
            self.tried.append(action)
            yield action
            self._do(action)

    def _do(self, action: Action) -> None:
        before = copy.deepcopy(self.world)
        try:
            self.table.do(action)
        except Refused:
            return
        if action.do == "undo":
            self.world = self.past.pop()
        else:
            self.past.append(before)
            self._happen(action)

    # What the players do

    def choose(self) -> Action:
        """Something that might happen at a real table now."""
        rng, ask = self.rng, self.table.ask
        extras = [
            a for a in self.table.legal_actions() if a.do in ("gather", "withdraw") or a.word in ("revoke", "call")
        ]
        if ask.phase == "cut":
            seats = ask.offers["cut"].seats
            return Action("cut", rng.choice(seats), rng.choice(STANDARD_DECK.cards))
        if ask.phase in ("deal", "turn"):
            return self._deal()
        if ask.phase == "say" and ask.turn is not None:
            return Action("say", ask.turn, word=rng.choice(ask.words(len(self.header.players))[ask.turn]))
        if "discard" in ask.offers and (ask.phase == "discard" or rng.random() < 0.5):
            return self._discard()
        if rng.random() < 0.3 and extras:
            return self._honest(rng.choice(extras))
        if rng.random() < 0.06:
            seat = rng.choice([seat for seat, hand in enumerate(self.world.hands) if hand])
            return Action("expose", seat, rng.choice(self.world.hands[seat]))
        return self._play()

    def _honest(self, action: Action) -> Action:
        """A revoke is called with a card that is really held, or not at all."""
        if action.word == "revoke" and action.card not in self.world.hands[action.against or 0]:
            return self._play()
        return action

    def _deal(self) -> Action:
        rng, world = self.rng, self.world
        turned = sum(action.do == "turn" for action in self.table.actions)
        if world.round != turned:
            world.round = turned
            self._deal_round(self.table.ask.offers["deal"].count)  # type: ignore[attr-defined]
        if world.to_say and rng.random() < 0.9:
            return rng.choice(world.to_say)
        gather = [action for action in self.table.legal_actions() if action.do == "gather"]
        return rng.choice(gather) if gather and rng.random() < 0.5 else Action("turn", card=world.stock[0])

    def _deal_round(self, count: int) -> None:
        world = self.world
        if count == 6:
            world.stock = list(STANDARD_DECK)
            self.rng.shuffle(world.stock)
            world.hands = [[] for _ in self.header.players]
            world.laid_away = set()
        world.to_say = []
        for seat, hand in enumerate(world.hands):
            cards = tuple(world.stock.pop() for _ in range(count))
            hand += cards
            if self.rng.random() < self.naming:
                world.to_say.append(Action("deal", seat, cards=cards))

    def _discard(self) -> Action:
        seat = self.rng.choice(self.table.ask.offers["discard"].seats)
        hand = self.world.hands[seat]
        cards = tuple(self.rng.sample(hand, len(hand) - 6))
        named = self.rng.random() < 0.5 or self.naming == 1.0
        action = Action("discard", seat, cards=cards if named else None)
        return action if self.table.can(action) else Action("discard", seat, cards=cards)

    def _play(self) -> Action:
        seat = self.table.turn
        assert seat is not None
        held = self.world.hands[seat]
        legal = {action.card for action in self.table.legal_actions() if action.do == "play"}
        allowed = [card for card in held if card in legal]
        follow = [card for card in allowed if card.suit == self.led()]
        honest = follow or allowed or held
        return Action("play", seat, self.rng.choice(honest if self.rng.random() < 0.85 else allowed or held))

    def led(self) -> str | None:
        """The suit led to the trick that is not complete."""
        lying = [entry for entry in self.table.view(None).lying if entry.zone.name == "play" and entry.firm]
        return lying[0].card.suit if lying else None

    # What it changes

    def _happen(self, action: Action) -> None:
        world, seat, card = self.world, action.seat, action.card
        if action.do == "deal":
            world.to_say.remove(action)
        elif action.do == "turn" and card:
            world.stock.remove(card)
        elif action.do == "discard" and isinstance(seat, int):
            self._lay_away(seat, action.cards)
        elif action.do == "play" and card and isinstance(seat, int):
            for silent in range(len(world.hands)):
                if self.header.options.get("discard_to_six") and len(world.hands[silent]) > 6:
                    self._lay_away(silent, None)
            if card not in world.hands[seat]:  # it has just been laid away unseen: then it was another one
                world.hands[seat][0] = card
            world.hands[seat].remove(card)
        elif action.do == "withdraw" and card and isinstance(seat, int):
            world.hands[seat].append(card)

    def _lay_away(self, seat: int, cards: tuple[Card, ...] | None) -> None:
        hand = self.world.hands[seat]
        for card in cards or tuple(self.rng.sample(hand, len(hand) - 6)):
            hand.remove(card)


def random_action(rng: random.Random, players: int) -> Action:
    """Any action that a record could hold: mostly illegal, of this game or another."""

    def card() -> Card:
        if rng.random() < 0.1:
            return Card(rng.choice(("1S", "5X", "joker")), "")
        return Card(rng.choice(RANKS), rng.choice(SUITS))

    do = rng.choice(tuple(KEYS))
    needed, allowed = KEYS[do]
    keys = {*needed, *(key for key in allowed if rng.random() < 0.7)}
    words = (*PLAIN, "revoke", "call", "accept", "hello")
    return Action(
        do,
        rng.randrange(players) if "seat" in keys else None,
        card() if "card" in keys else None,
        tuple(card() for _ in range(rng.choice((1, 2, 3, 6)))) if "cards" in keys else None,
        rng.choice(words) if "word" in keys else None,
        rng.randrange(players) if "against" in keys else None,
    )


def random_game(seed: int, count: int = 250, header: Header | None = None, naming: float | None = None) -> Player:
    """A game played for up to `count` attempts: `tried` holds them, `table` what came of them."""
    player = Player(seed, header, naming)
    for _ in player.actions(count):
        pass
    return player
