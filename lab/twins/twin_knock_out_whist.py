"""Knock-out Whist here, and written a second time in this file.

No package was found with which the game can be played action by action (docs/reference/games/knock-out-whist.md has
what there is). So this file is written from that page and published rules alone, by another hand than the engine's, and
shares no code with it.
"""

from __future__ import annotations

import random
from typing import Final

from engine.actions import Action
from engine.cards import STANDARD_DECK, Card
from engine.record import Header
from engine.table import Table
from lab.benchmarks.agreement import agree
from lab.twins.revoking import RANKS, Hand

NAMES: Final = ("Ann", "Bo", "Cy", "Dee", "Eve", "Flo", "Gus")
SUITS: Final = {"spade": "S", "heart": "H", "diamond": "D", "club": "C"}
KNOCKS: Final = 0.5
"""Probability that a player who may knock does."""

DIFFERENCES: Final = (
    ("the other implementation", "the engine", "this file: written from the rules by another hand"),
    ("hands", "known or hidden, half of the games each", "always known; players revoke if hidden here"),
)


class Game:
    """One game on both sides. `players`: those still in; `dogs`: those of them who are dealt one card."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.seats = rng.randrange(2, 8)
        self.players = list(range(self.seats))
        self.dealer = rng.randrange(self.seats)
        self.cards = rng.choice((2, 3, 5, 7, 7, 7))
        self.life = rng.random() < 0.7
        self.known = rng.random() < 0.5
        options = {"cards": self.cards, "dogs_life": self.life}
        self.table = Table(Header("knock-out-whist", NAMES[: self.seats], self.dealer, options))
        self.scores = [0] * self.seats
        self.dogs: list[int] = []
        self.most: list[int] = []

    def after(self, seat: int) -> list[int]:
        """Return the players from the one after a seat on."""
        return sorted(self.players, key=lambda player: (player - seat - 1) % self.seats)

    def play(self) -> None:
        """Play the game on both sides."""
        while len(self.players) > 1:
            agree("dealer", self.table.view().dealer, self.dealer, self.table)
            self.judge(self.play_hand())
            for player in self.players:
                self.scores[player] += 1
            agree("scores", list(self.table.scores), self.scores, self.table)
            self.cards -= 1
            self.dealer = self.after(self.dealer)[0]
        agree("winner", (self.table.over, self.table.winners), (True, tuple(self.players)), self.table)

    def judge(self, hand: Hand) -> None:
        """Remove those who are out after a hand, and find who named trumps best."""
        won = {player: sum(trick.winner == player for trick in hand.tricks) for player in self.players}
        revoked = {revoke.seat for revoke in hand.revokes}
        inside = [player for player in self.players if won[player] and player not in revoked]
        without = [player for player in self.players if not won[player] and player not in revoked]
        self.dogs = []
        if not inside:  # only players who revoked have won tricks
            inside, without = without, []
        if not inside and not without:  # all have revoked: the tricks decide
            inside = [player for player in self.players if won[player]]
        if without and self.life and self.cards > 1:
            self.life, self.dogs = False, without
        self.players = [player for player in self.players if player in inside or player in self.dogs]
        best = max(won[player] for player in self.players)
        self.most = [player for player in self.players if won[player] == best]

    def play_hand(self) -> Hand:
        """Settle trumps and play a hand on both sides."""
        chooser = self.cut(self.most) if self.most else None
        pack = self.rng.sample(STANDARD_DECK.cards, 52)
        hands: dict[int, list[Card]] = {}
        for player in self.players:
            hands[player] = [pack.pop() for _ in range(1 if player in self.dogs else self.cards)]
            if self.known:
                self.table.do(Action("deal", player, cards=tuple(hands[player])))
        if chooser is None:
            trump = pack[-1].suit
            self.table.do(Action("turn", card=pack[-1]))
        else:
            agree("words", self.table.view().words[chooser], tuple(SUITS), self.table)
            word = self.rng.choice(list(SUITS))
            trump = SUITS[word]
            self.table.do(Action("say", chooser, word=word))
        agree("trumps", self.table.view().trump, trump, self.table)
        known = frozenset(hands if self.known else ())
        hand = Hand(self.rng, self.table, hands, range(self.seats), trump, known=known)
        leader = self.after(self.dealer)[0]
        for number in range(self.cards):
            leader = self.play_trick(hand, leader, number + 1 == self.cards)
        return hand

    def play_trick(self, hand: Hand, leader: int, last: bool) -> int:
        """Play a trick, in which dogs may knock, and return its winner."""
        trick: list[tuple[int, Card]] = []
        for player in self.after(leader - 1):
            if not hand.hands[player]:
                continue
            agree("turn", self.table.turn, player, self.table)
            may_knock = player in self.dogs and not last
            agree("knock", self.table.can(Action("say", player, word="knock")), may_knock, self.table)
            if may_knock and self.rng.random() < KNOCKS:
                self.table.do(Action("say", player, word="knock"))
            else:
                hand.play_card(player, trick)
        return hand.finish(trick, last)

    def cut(self, players: list[int]) -> int:
        """Let the players cut until one has the highest card, and return that player."""
        while len(players) > 1:
            agree("phase", self.table.phase, "cut", self.table)
            cuts = dict(zip(players, self.rng.sample(STANDARD_DECK.cards, len(players)), strict=True))
            for player, card in cuts.items():
                self.table.do(Action("cut", player, card))
            highest = max(RANKS.index(card.rank) for card in cuts.values())
            players = [player for player in players if RANKS.index(cuts[player].rank) == highest]
        return players[0]


def play(seed: int) -> int:
    """Play the game of this seed on both sides. Return the number of actions compared."""
    game = Game(random.Random(seed))
    game.play()
    return len(game.table.actions)
