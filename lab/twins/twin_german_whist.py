"""German whist here, in OpenSpiel, and written a second time in this file.

OpenSpiel has the first thirteen tricks (`german_whist_foregame`), but its Python package is built without them. If its
program is built (`lab/benchmarks/foregame/CMakeLists.txt` says how), those tricks are played there too. The last
thirteen are compared with this file only. It is written from the published rules and shares no code with the engine:
here a hand is a list, and cards are compared by number.
"""

from __future__ import annotations

import random
from contextlib import nullcontext
from typing import Final

from engine.actions import Action
from engine.cards import STANDARD_DECK, Card
from engine.record import Header
from engine.table import Table
from lab.benchmarks.agreement import agree
from lab.benchmarks.openspiel_foregame import PROGRAM, Foregame

NAMES: Final = ("Ann", "Bo")
RANKS: Final = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]

DIFFERENCES: Final = (
    ("first thirteen tricks", "the engine", "this file, and OpenSpiel if its program is built"),
    ("last thirteen tricks, scores", "the engine", "this file: written from the rules, not by other people"),
    ("hands", "known or hidden, half of the games each", "always known; legal plays compared if known here"),
    ("revokes, taking back", "refused, called or allowed", "impossible; not compared"),
)


class Deal:
    """One deal: `stock` has the next card last, and the card turned up is the last of all."""

    def __init__(self, cards: list[Card], leader: int) -> None:
        self.hands = [cards[:13], cards[13:26]]
        self.stock = cards[26:]
        self.trump = self.stock[-1].suit
        self.leader = leader
        self.led: Card | None = None
        self.won = [0, 0]

    @property
    def turn(self) -> int:
        """The player who plays next."""
        return self.leader if self.led is None else 1 - self.leader

    def legal(self) -> list[Card]:
        """Return the cards that may be played."""
        hand = self.hands[self.turn]
        follow = [card for card in hand if self.led is not None and card.suit == self.led.suit]
        return follow or hand

    def play(self, card: Card) -> Card | None:
        """Play a card; return the card that the loser of the trick draws, if there is one."""
        self.hands[self.turn].remove(card)
        if self.led is None:
            self.led = card
            return None
        first, self.led = self.led, None
        higher = RANKS.index(card.rank) > RANKS.index(first.rank)
        beaten = higher if card.suit == first.suit else card.suit == self.trump
        self.leader = 1 - self.leader if beaten else self.leader
        if not self.stock:
            self.won[self.leader] += 1
            return None
        self.hands[self.leader].append(self.stock.pop())
        self.hands[1 - self.leader].append(drawn := self.stock.pop())
        return drawn


def play(seed: int) -> int:
    """Play the game of this seed on both sides. Return the number of cards compared."""
    with Foregame() if PROGRAM.exists() else nullcontext() as other:
        return play_game(random.Random(seed), other)


def play_game(rng: random.Random, other: Foregame | None) -> int:
    """Play a whole game. `other`: OpenSpiel, for the first thirteen tricks of each deal."""
    dealer, scoring = rng.randrange(2), rng.choice(("hand", "tricks", "odd"))
    target, known = rng.choice((3, 5, 13)), rng.random() < 0.5
    table = Table(Header("german-whist", NAMES, dealer, {"target": target, "scoring": scoring}))
    scores, compared = [0, 0], 0
    while not table.over:
        agree("dealer", table.view().dealer, dealer, table)
        won = play_deal(rng, table, dealer, known, other)
        compared += len(STANDARD_DECK)
        for seat in (0, 1):
            odd = max(won[seat] - 6, 0)
            scores[seat] += {"hand": int(odd > 0), "tricks": won[seat], "odd": odd}[scoring]
        agree("scores", list(table.scores), scores, table)
        agree("end", table.over, max(scores) >= target and scores[0] != scores[1], table)
        dealer = 1 - dealer
    agree("winner", table.winners, (scores.index(max(scores)),), table)
    return compared


def play_deal(rng: random.Random, table: Table, dealer: int, known: bool, other: Foregame | None) -> list[int]:
    """Deal and play to the last card on both sides; return the tricks that count in this file's game."""
    eldest = 1 - dealer
    deal = Deal(rng.sample(STANDARD_DECK.cards, len(STANDARD_DECK)), eldest)
    if known:
        for seat, hand in enumerate(deal.hands):
            table.do(Action("deal", seat, cards=tuple(hand)))
    table.do(Action("turn", card=deal.stock[-1]))
    if other:
        other.deal(deal.hands[eldest], deal.hands[dealer], deal.stock[-1])
    agree("trumps", table.view().trump, deal.trump, table)
    while deal.hands[0] or deal.hands[1]:
        seat, legal = deal.turn, deal.legal()
        agree("turn", table.turn, seat, table)
        ours = {action.card for action in table.legal_actions() if action.do == "play"}
        agree("legal plays", ours if known else ours.issuperset(legal), set(legal) if known else True, table)
        if other and not other.over:
            agree("turn in OpenSpiel", seat, (eldest, dealer)[other.player], table)
            agree("legal plays in OpenSpiel", ours if known else {*legal}, other.legal, table)
        card = rng.choice(legal)
        drawn = deal.play(card)
        if other and not other.over:
            for each in (card, drawn, *deal.stock[-1:]) if drawn else (card,):
                other.next(each)
            agree("stock in OpenSpiel", other.over, not deal.stock, table)
        table.do(Action("play", seat, card))
        if drawn and known:
            table.do(Action("deal", 1 - deal.leader, cards=(drawn,)))
        if deal.stock and drawn:
            table.do(Action("turn", card=deal.stock[-1]))
        if deal.hands[0] or deal.hands[1]:
            agree("sizes", [hand.size for hand in table.view().hands][deal.leader], len(deal.hands[deal.leader]), table)
            agree("tricks that count", list(table.view().won), deal.won, table)
    return deal.won
