"""Whist here and in whist-core: whole games, deal after deal, without honours, which whist-core lacks."""

from __future__ import annotations

import random
from functools import cache
from typing import Final

from whist_core.cards.card import Card as TheirCard
from whist_core.cards.card_container import OrderedCardContainer, UnorderedCardContainer
from whist_core.game.hand import Hand
from whist_core.game.legal_checker import LegalChecker
from whist_core.game.play_order import PlayOrder
from whist_core.game.player_at_table import PlayerAtTable
from whist_core.game.trick import Trick
from whist_core.scoring.score_calculator import ScoreCalculator
from whist_core.user.player import Player

from engine.actions import Action
from engine.cards import STANDARD_DECK, Card
from engine.record import Header
from engine.table import Table
from lab.benchmarks.agreement import agree

NAMES: Final = ("North", "East", "South", "West")
PLAYERS: Final = 4
CARDS: Final = 13

DIFFERENCES: Final = (
    ("deal", "from the dealer's left; the last card is the dealer's", "random cards; dealt there as here"),
    ("trump card", "turned up, and taken up by the dealer", "its suit only"),
    ("game", "points up to a target", "three hands won; a game there is one long series of hands here"),
    ("rubber", "two games won, with rubber points (option)", "always three games; not compared"),
    ("honours, revokes", "options and penalties", "none; not compared"),
    ("next trick", "a new trick", "its pile must be given, because all tricks share the default one; given here"),
)


@cache
def theirs(card: Card) -> TheirCard:
    """Return the card as whist-core names it."""
    suit = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}[card.suit]
    rank = {"J": "jack", "Q": "queen", "K": "king", "A": "ace"}.get(card.rank, card.rank)
    return next(each for each in TheirCard.all_cards() if (str(each.suit), str(each.rank)) == (suit, rank))


def number_of(seat: PlayerAtTable) -> int:
    """Return the number of the seat here."""
    return NAMES.index(seat.player.username)


def play(seed: int) -> int:
    """Play the game of this seed on both sides. Return the number of cards compared."""
    rng = random.Random(seed)
    dealer, target = rng.randrange(PLAYERS), rng.choice((1, 5, 7, 10))
    table = Table(Header("whist", NAMES, dealer, {"target": target}))
    empty = UnorderedCardContainer.empty()
    players = [Player(username=name, rating=1) for name in NAMES]
    seats = [PlayerAtTable(player=player, hand=empty, team=seat % 2) for seat, player in enumerate(players)]
    order = PlayOrder(play_order=[*seats[dealer + 1 :], *seats[: dealer + 1]], next_player=0)
    compared, scores = 0, [0, 0]
    while not table.over:
        agree("dealer", table.view().dealer, number_of(order.play_order[-1]), table)
        hand = play_deal(rng, table, order)
        compared += PLAYERS * CARDS
        scores = [old + new for old, new in zip(scores, ScoreCalculator.calc_score_raw(hand), strict=True)]
        agree("scores", list(table.scores), scores, table)
        order = order.next_order()
    agree("winner", table.winners, (scores.index(max(scores)),), table)
    agree("end", max(scores) >= target, True, table)
    return compared


def play_deal(rng: random.Random, table: Table, order: PlayOrder) -> Hand:
    """Deal and play to the last card on both sides; return the hand there. `order`: of play, eldest first."""
    cards = rng.sample(STANDARD_DECK.cards, PLAYERS * CARDS)
    held: dict[int, list[Card]] = {}
    for place, seat in enumerate(order.play_order):
        dealt = held[number_of(seat)] = cards[place * CARDS : (place + 1) * CARDS]
        seat.hand = UnorderedCardContainer.with_cards(*map(theirs, dealt))
        table.do(Action("deal", number_of(seat), cards=tuple(dealt)))
    table.do(Action("turn", card=cards[-1]))
    hand = Hand(tricks=[], trump=theirs(cards[-1]).suit)
    for _ in range(CARDS):
        trick = Trick(play_order=order.play_order, stack=OrderedCardContainer.empty(), trump=hand.trump)
        for seat in trick.play_order:
            step(rng, table, trick, seat, held[number_of(seat)])
        hand.tricks.append(trick)
        order = order.rotate(trick.winner)
        if len(hand.tricks) < CARDS:
            agree("turn after the trick", table.turn, number_of(trick.winner), table)
    return hand


def step(rng: random.Random, table: Table, trick: Trick, seat: PlayerAtTable, held: list[Card]) -> None:
    """Play one card on both sides, after comparing what may be played."""
    number = number_of(seat)
    ours = {(action.seat, action.card) for action in table.legal_actions() if action.do == "play"}
    legal = [card for card in held if LegalChecker.check_legal(seat.hand, theirs(card), trick.stack.first)]
    agree("legal plays", ours, {(number, card) for card in legal}, table)
    card = rng.choice(legal)
    held.remove(card)
    trick.play_card(seat, theirs(card))
    table.do(Action("play", number, card))
