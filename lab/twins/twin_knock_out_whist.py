"""Knock-out Whist here, and written a second time in this file.

No package was found with which the game can be played action by action (docs/reference/games/knock-out-whist.md has
what there is). So this file is written from the published rules and shares no code with the engine: here a hand is a
list, a trick a list of pairs, and the players who are still in are a list in the order of play.
"""

from __future__ import annotations

import random
from typing import Final

from engine.actions import Action
from engine.cards import STANDARD_DECK, Card
from engine.record import Header
from engine.table import Table
from lab.benchmarks.agreement import agree

NAMES: Final = ("Ann", "Bo", "Cy", "Dee", "Eve", "Flo", "Gus")
RANKS: Final = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
SUITS: Final = {"spade": "S", "heart": "H", "diamond": "D", "club": "C"}
KNOCKS: Final = 0.5
"""Probability that a player who may knock does."""

DIFFERENCES: Final = (
    ("the other implementation", "the engine", "this file: written from the rules, not by other people"),
    ("hands", "known or hidden, half of the games each", "always known; legal plays compared if known here"),
    ("revokes, taking back", "refused, called or allowed", "impossible; not compared"),
)


class Players:
    """Who is still in, in the order of play, and who has the dog's life. `first`: sits after the dealer."""

    def __init__(self, count: int, first: int, dogs_life: bool) -> None:
        self.inside = [(first + step) % count for step in range(count)]
        self.dogs_life = dogs_life
        self.dogs: list[int] = []
        self.best: list[int] = []

    def count(self, won: dict[int, int], cards: int) -> None:
        """Remove those who have taken no trick; the next player after the dealer deals."""
        without = [player for player in self.inside if not won[player]]
        self.dogs = without if self.dogs_life and cards > 1 else []
        if without:
            self.dogs_life = False
        self.inside = [player for player in self.inside if won[player] or player in self.dogs]
        self.best = [player for player in self.inside if won[player] == max(won.values())]
        self.inside.append(self.inside.pop(0))


def play(seed: int) -> int:
    """Play the game of this seed on both sides. Return the number of actions compared."""
    rng = random.Random(seed)
    count, cards, dogs_life = rng.randrange(2, 8), rng.choice((2, 3, 5, 7, 7, 7)), rng.random() < 0.7
    dealer, known = rng.randrange(count), rng.random() < 0.5
    table = Table(Header("knock-out-whist", NAMES[:count], dealer, {"cards": cards, "dogs_life": dogs_life}))
    players, scores = Players(count, (dealer + 1) % count, dogs_life), [0] * count
    while len(players.inside) > 1:
        agree("dealer", table.view().dealer, dealer, table)
        won = play_hand(rng, table, players, cards, known)
        following = players.inside
        players.count(won, cards)
        dealer = next(player for player in following if player in players.inside)
        for player in players.inside:
            scores[player] += 1
        agree("scores", list(table.scores), scores, table)
        cards -= 1
    agree("winner", (table.over, table.winners), (True, tuple(players.inside)), table)
    return len(table.actions)


def cut(rng: random.Random, table: Table, players: list[int]) -> int:
    """Let the players cut until one has the highest card, and return that player."""
    while len(players) > 1:
        agree("phase", table.phase, "cut", table)
        pack = rng.sample(STANDARD_DECK.cards, len(STANDARD_DECK))
        drawn = {player: pack.pop() for player in players}
        for player in rng.sample(players, len(players)):
            table.do(Action("cut", player, drawn[player]))
        highest = max(RANKS.index(card.rank) for card in drawn.values())
        players = [player for player in players if RANKS.index(drawn[player].rank) == highest]
    return players[0]


def play_hand(rng: random.Random, table: Table, players: Players, cards: int, known: bool) -> dict[int, int]:
    """Settle trumps and play a hand on both sides; return the tricks that each player has won."""
    chooser = cut(rng, table, players.best) if players.best else None
    pack = rng.sample(STANDARD_DECK.cards, len(STANDARD_DECK))
    hands = {}
    for player in players.inside:
        size = 1 if player in players.dogs else cards
        hands[player], pack = pack[:size], pack[size:]
        if known:
            table.do(Action("deal", player, cards=tuple(hands[player])))
    if chooser is None:
        trump = pack[0].suit
        table.do(Action("turn", card=pack[0]))
    else:
        agree("words", table.view().words[chooser], tuple(SUITS), table)
        word = rng.choice(list(SUITS))
        trump = SUITS[word]
        table.do(Action("say", chooser, word=word))
    agree("trumps", table.view().trump, trump, table)
    won, order = dict.fromkeys(players.inside, 0), players.inside
    for number in range(cards):
        winner = play_trick(rng, table, order, hands, trump, number + 1 == cards, known)
        won[winner] += 1
        if number + 1 < cards:
            agree("tricks", list(table.view().won), [won.get(seat, 0) for seat in range(len(table.scores))], table)
        start = order.index(winner)
        order = order[start:] + order[:start]
    return won


def play_trick(
    rng: random.Random,
    table: Table,
    order: list[int],
    hands: dict[int, list[Card]],
    trump: str,
    last: bool,
    known: bool,
) -> int:
    """Play one trick on both sides, and return its winner. `last`: no one may knock."""
    trick: list[tuple[int, Card]] = []
    most = max(map(len, hands.values()))
    for player in order:
        hand = hands[player]
        if not hand:
            continue
        agree("turn", table.turn, player, table)
        led = trick[0][1].suit if trick else None
        legal = [card for card in hand if card.suit == led] or hand
        may_knock = not last and len(hand) < most
        ours = table.legal_actions()
        plays = {action.card for action in ours if action.do == "play"}
        agree("legal plays", plays if known else plays.issuperset(legal), set(legal) if known else True, table)
        agree("knock", any(action.word == "knock" for action in ours), may_knock, table)
        if may_knock and rng.random() < KNOCKS:
            table.do(Action("say", player, word="knock"))
            continue
        card = rng.choice(legal)
        hand.remove(card)
        trick.append((player, card))
        table.do(Action("play", player, card))
    trumps = [(player, card) for player, card in trick if card.suit == trump]
    of_suit = [(player, card) for player, card in trick if card.suit == trick[0][1].suit]
    return max(trumps or of_suit, key=lambda played: RANKS.index(played[1].rank))[0]
