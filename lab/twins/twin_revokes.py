"""What a revoke costs in nine games, here and written a second time in this file.

Each game here is one deal of one of these games, from hidden hands, in which players revoke, take back and call. The
penalties are written from the games' pages in docs/reference/games, and those of bridge from Law 64 of the Laws of
Duplicate Bridge (2017), by another hand than the engine's, and share no code with it. German Whist and Knock-out Whist
have twins of their own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from engine.actions import Action
from engine.cards import Card
from engine.record import Header
from engine.table import Table
from lab.benchmarks.agreement import agree
from lab.twins.revoking import RANKS, Hand, Plays, by_rank
from lab.twins.twin_rubber import bid, scored

NAMES: Final = ("North", "East", "South", "West")
PACK: Final = [Card(rank, suit) for suit in "SHDC" for rank in RANKS]
SHORT_RANKS: Final = ("7", "8", "9", "Q", "K", "10", "J", "A")
SAME_COLOUR: Final = {"S": "C", "C": "S", "H": "D", "D": "H"}
CLAIMS: Final = 0.4
"""Probability that a board of bridge ends with a claim."""
NOBODY: Final = 4
"""More than any seat, and even: a claimed trick is won by a side, not by a seat."""
WORDS: Final = {"S": "spade", "H": "heart", "D": "diamond", "C": "club"}

DIFFERENCES: Final = (
    ("the other implementation", "the engine", "this file: written from the rules by another hand"),
    ("options", "all", "only those that concern revokes; the others have their defaults, or are off"),
)


class Deal:
    """The first deal of a game, on both sides."""

    def __init__(self, rng: random.Random, game: str, seats: int = 4, **options: Any) -> None:
        self.rng = rng
        self.seats = seats
        self.dealer = rng.randrange(seats)
        self.table = Table(Header(game, NAMES[:seats], self.dealer, options))

    def hands(self, cards: int, pack: Sequence[Card] = PACK) -> tuple[dict[int, list[Card]], list[Card]]:
        """Return the cards of each seat, and those that are left."""
        mixed = self.rng.sample(pack, len(pack))
        return {seat: mixed[seat * cards : (seat + 1) * cards] for seat in range(self.seats)}, mixed[
            self.seats * cards :
        ]

    def hand(self, hands: dict[int, list[Card]], partners: bool, **rules: Any) -> Hand:
        """Return the hand to be played. `partners`: whether two play together."""
        return Hand(self.rng, self.table, hands, [seat % 2 if partners else seat for seat in range(4)], **rules)

    def play(self, hand: Hand, leader: int, step: int = 1) -> None:
        """Play all tricks; play goes to the left, or with a step of -1 to the right."""
        cards = max(map(len, hand.hands.values()))
        for number in range(cards):
            order = [(leader + step * place) % self.seats for place in range(self.seats)]
            leader = hand.play_trick([seat for seat in order if seat in hand.hands], number + 1 == cards)

    def say(self, seat: int, word: str) -> None:
        """Say a word at the table."""
        self.table.do(Action("say", seat, word=word))

    def scores(self, scores: Sequence[int]) -> int:
        """Compare the scores; return the number of actions."""
        agree("scores", list(self.table.scores), list(scores), self.table)
        return len(self.table.actions)


def whist(rng: random.Random) -> int:
    """Three tricks for each revoke, or points; the revoker's side does not win the game by this hand."""
    penalty, target = rng.choice(("tricks", "gain", "loss")), rng.choice((1, 3, 5, 10))
    deal = Deal(rng, "whist", target=target, revoke=penalty)
    hands, _ = deal.hands(13)
    turned = hands[deal.dealer][-1]
    deal.table.do(Action("turn", card=turned))
    hand = deal.hand(hands, True, trump=turned.suit, shown={deal.dealer: {turned}})
    deal.play(hand, (deal.dealer + 1) % 4)
    won, scores = [hand.won((0, 2)), hand.won((1, 3))], [0, 0]
    sides = {revoke.seat % 2 for revoke in hand.revokes}
    most = [target - 1 if side in sides else 99 for side in (0, 1)]
    for revoke in hand.revokes:
        side = revoke.seat % 2
        if penalty == "tricks":
            taken = min(won[side], 3)
            won[side] -= taken
            won[1 - side] += taken
        elif penalty == "gain" and max(scores) < target:
            scores[1 - side] = min(scores[1 - side] + 3, most[1 - side])
    for side in (0, 1) if max(scores) < target else ():
        scores[side] = min(scores[side] + max(won[side] - 6, 0), most[side])
    return deal.scores(scores)


def bridge(rng: random.Random) -> int:
    """Law 64 in a board of duplicate."""
    board = rng.randint(1, 16)
    table = Table(Header("bridge", NAMES, (board - 1) % 4, {"scoring": "duplicate", "first_board": board, "boards": 2}))
    deal = Deal(rng, "bridge")
    deal.table, deal.dealer = table, (board - 1) % 4
    hands, _ = deal.hands(13)
    contract = bid(rng, table, deal.dealer)
    if contract is None:
        return deal.scores((0, 0))
    hand = deal.hand(hands, True, trump=contract.strain.upper())
    side, dummy = contract.declarer % 2, (contract.declarer + 2) % 4
    play_or_claim(deal, hand, (contract.declarer + 1) % 4)
    winners = [trick.winner for trick in hand.tricks]
    if left := 13 - len(winners):
        claimant = rng.choice([seat for seat in range(4) if seat != dummy])
        claimed = rng.randint(0, left)
        deal.say(claimant, "claim")
        deal.say(claimant, str(claimed))
        for place in range(1, 4):
            if (claimant + place) % 4 != dummy:
                deal.say((claimant + place) % 4, "accept")
        winners += [NOBODY + claimant % 2] * claimed + [NOBODY + 1 - claimant % 2] * (left - claimed)
    tricks = sum(winner % 2 == side for winner in winners) + law_64(hand, winners, side, dummy)
    vulnerable = ((), (0,), (1,), (0, 1))[(board - 1 + (board - 1) // 4) % 4]
    below, above, down = scored(contract, side in vulnerable, tricks)
    game = 50 if below < 100 else 500 if side in vulnerable else 300
    scores = [0, 0]
    scores[side], scores[1 - side] = (below + above + game if below else 0), down
    return deal.scores(scores)


def play_or_claim(deal: Deal, hand: Hand, leader: int) -> None:
    """Play to the last card, or until a claim; in the trick that is not complete then, no revoke can be proved."""
    rng = deal.rng
    stop = rng.randint(1, 51) if rng.random() < CLAIMS else 52
    for number in range(13):
        trick: Plays = []
        for place in range(4):
            if 4 * number + place == stop:
                return
            hand.play_card((leader + place) % 4, trick)
        leader = hand.finish(trick, number == 12)


def law_64(hand: Hand, winners: Sequence[int], side: int, dummy: int) -> int:
    """Return how many tricks this side gains by the revokes of the other, or loses by its own.

    `winners` of all tricks: a seat, or of tricks that were claimed `NOBODY` plus the side.
    """
    sides = {revoke.seat % 2 for revoke in hand.revokes}
    if len(sides) != 1:
        return 0  # 64B7
    offenders = sides.pop()
    established = [revoke for revoke in hand.revokes if revoke.trick < 11]  # 64B6
    moved: set[int] = set()
    seen: set[tuple[int, str]] = set()
    for revoke in sorted(established, key=lambda revoke: revoke.trick):
        suit = hand.suit(hand.tricks[revoke.trick].cards[0][1])
        if revoke.seat == dummy or (revoke.seat, suit) in seen:
            continue  # 64B3, 64B2
        seen.add((revoke.seat, suit))
        later = [number for number in range(revoke.trick, 13) if winners[number] % 2 == offenders]
        later = [number for number in later if number not in moved]
        if winners[revoke.trick] == revoke.seat:
            moved.update(later[:2])  # 64A1
        else:
            moved.update(later[:1])  # 64A2
    return -len(moved) if offenders == side else len(moved)


def spades(rng: random.Random) -> int:
    """The bids of a side that has revoked fail."""
    helps = rng.random() < 0.5
    deal = Deal(rng, "spades", nil_helps=helps)
    hands, _ = deal.hands(13)
    bids: dict[int, int] = {}
    for place in range(1, 5):
        seat = (deal.dealer + place) % 4
        bids[seat] = rng.choice((0, 1, 2, 3, 4))
        deal.say(seat, str(bids[seat] or "nil"))

    def free(hand: Hand, seat: int, cards: list[Card], trick: Plays) -> list[Card]:
        broken = any(card.suit == "S" for each in hand.tricks for _, card in each.cards)
        return cards if trick or broken else [card for card in cards if card.suit != "S"] or cards

    hand = deal.hand(hands, True, trump="S", free=free)
    deal.play(hand, (deal.dealer + 1) % 4)
    scores = [0, 0]
    for side in (0, 1):
        revoked = any(revoke.seat % 2 == side for revoke in hand.revokes)
        seats = (side, side + 2)
        needed, taken = bids[side] + bids[side + 2], 0
        bags = 0
        for seat in seats:
            failed = not bids[seat] and (hand.won([seat]) > 0 or revoked)
            scores[side] += 0 if bids[seat] else -100 if failed else 100
            if bids[seat] or helps:
                taken += hand.won([seat])
            else:
                bags += hand.won([seat])
        made = taken >= needed and not revoked
        bags += taken - needed if made else 0
        scores[side] += 10 * needed if made else -10 * needed
        scores[side] += 0 if revoked else bags - 100 * (bags > 9)
    return deal.scores(scores)


def hearts(rng: random.Random) -> int:
    """Revokers score 26, the others nothing."""
    deal = Deal(rng, "hearts", passing="none")
    hands, _ = deal.hands(13)
    points = {card: 1 if card.suit == "H" else 13 for card in PACK if card.suit == "H" or str(card) == "QS"}

    def free(hand: Hand, seat: int, cards: list[Card], trick: Plays) -> list[Card]:
        if not hand.tricks:
            lowest = [card for card in cards if not trick and str(card) == "2C"]
            return lowest or [card for card in cards if card not in points] or cards
        broken = any(card in points for each in hand.tricks for _, card in each.cards)
        return cards if trick or broken else [card for card in cards if card.suit != "H"] or cards

    hand = deal.hand(hands, False, free=free)
    leader, first = next(seat for seat in hands if Card("2", "C") in hands[seat]), Plays()
    for place in range(4):  # the table does not say whose lead it is
        hand.play_card((leader + place) % 4, first)
    deal.play(hand, hand.finish(first, False))
    scores = [
        sum(points.get(card, 0) for t in hand.tricks if t.winner == seat for _, card in t.cards) for seat in hands
    ]
    if 26 in scores:
        scores = [26 - score for score in scores]
    revoked = {revoke.seat for revoke in hand.revokes}
    return deal.scores([26 if seat in revoked else 0 for seat in hands] if revoked else scores)


def oh_hell(rng: random.Random) -> int:
    """Ten points for each revoke."""
    cards, scoring = rng.randint(3, 10), rng.choice(("exact", "tricks", "penalty"))
    deal = Deal(rng, "oh-hell", rng.randint(3, 4), cards=cards, scoring=scoring, hook=False)
    hands, left = deal.hands(cards)
    deal.table.do(Action("turn", card=left[0]))
    bids = {}
    for place in range(1, deal.seats + 1):
        seat = (deal.dealer + place) % deal.seats
        bids[seat] = rng.randint(0, min(cards, 4))
        deal.say(seat, str(bids[seat]))
    hand = deal.hand(hands, False, trump=left[0].suit)
    deal.play(hand, (deal.dealer + 1) % deal.seats)
    scores = []
    for seat in hands:
        won = hand.won([seat])
        missed = {"exact": 0, "tricks": won, "penalty": -abs(won - bids[seat])}[scoring]
        fine = 10 * sum(revoke.seat == seat for revoke in hand.revokes)
        scores.append((10 + won if won == bids[seat] else missed) - fine)
    return deal.scores(scores)


def euchre(rng: random.Random) -> int:
    """Only the other side scores: 2, or 4 if one of them plays alone."""
    deal = Deal(rng, "euchre")
    hands, left = deal.hands(5, [card for card in PACK if card.rank in ("9", "10", "J", "Q", "K", "A")])
    turned, trump = left[0], left[0].suit
    deal.table.do(Action("turn", card=turned))
    maker, alone = rng.randint(1, 4), rng.random() < 0.3
    for place in range(1, maker):
        deal.say((deal.dealer + place) % 4, "pass")
    maker = (deal.dealer + maker) % 4
    deal.say(maker, "alone" if alone else "take-up" if maker == deal.dealer else "order-up")
    partner = (maker + 2) % 4
    if not (alone and partner == deal.dealer):
        hands[deal.dealer].append(turned)
        hands[deal.dealer].remove(rng.choice(hands[deal.dealer]))
    if alone:
        del hands[partner]

    def suit(card: Card) -> str:
        return trump if card.rank == "J" and card.suit == SAME_COLOUR[trump] else card.suit

    def rank(card: Card) -> int:
        return by_rank(card) if card.rank != "J" or suit(card) != trump else 20 + (card.suit == trump)

    hand = deal.hand(hands, True, trump=trump, suit=suit, rank=rank)
    leader = (deal.dealer + 1) % 4
    deal.play(hand, leader if leader in hands else (leader + 1) % 4)
    side, scores = maker % 2, [0, 0]
    won = hand.won((maker, partner))
    if won < 3:
        scores[1 - side] = 2
    else:
        scores[side] = 1 if won < 5 else 4 if alone else 2
    sides = {revoke.seat % 2 for revoke in hand.revokes}
    if sides:
        scores = [0, 0]
    if len(sides) == 1:
        scores[1 - min(sides)] = 4 if alone and sides == {1 - side} else 2
    return deal.scores(scores)


def skat(rng: random.Random) -> int:
    """The side that has revoked loses the game; if both have, the tricks decide."""
    deal = Deal(rng, "skat", 3)
    hands, left = deal.hands(10, [card for card in PACK if card.rank in SHORT_RANKS])
    declarer, game = (deal.dealer + 1) % 3, rng.choice(("grand", *WORDS))
    for place, word in ((2, "pass"), (3, "pass"), (1, "18")):
        deal.say((deal.dealer + place) % 3, word)
    deal.say(declarer, "hand")
    deal.say(declarer, WORDS.get(game, game))
    trump = game if game != "grand" else "J"
    trumps = [Card("J", suit) for suit in "CSHD"]
    trumps += [Card(rank, game) for rank in ("A", "10", "K", "Q", "9", "8", "7")] if game != "grand" else []
    held = {*hands[declarer], *left}
    tops = next((number for number, card in enumerate(trumps) if (card in held) != (trumps[0] in held)), len(trumps))

    def suit(card: Card) -> str:
        return trump if card.rank == "J" else card.suit

    def rank(card: Card) -> int:
        return 20 + "DHSC".index(card.suit) if card.rank == "J" else SHORT_RANKS.index(card.rank)

    hand = Hand(rng, deal.table, hands, [int(seat == declarer) for seat in hands], trump, suit, rank)
    deal.play(hand, declarer)
    eyes = {"A": 11, "10": 10, "K": 4, "Q": 3, "J": 2}
    won = [card for trick in hand.tricks if trick.winner == declarer for _, card in trick.cards] + left
    points = sum(eyes.get(card.rank, 0) for card in won)
    factor = tops + 2  # game and hand
    factor += points <= 30 or points >= 90
    factor += hand.won([declarer]) in (0, 10)
    sides = {revoke.seat == declarer for revoke in hand.revokes}
    wins = points > 60 if len(sides) != 1 else False in sides
    value = factor * {"grand": 24, "C": 12, "S": 11, "H": 10, "D": 9}[game]
    scores = [0, 0, 0]
    scores[declarer] = value if wins else -2 * value
    return deal.scores(scores)


def belote(rng: random.Random) -> int:
    """The others score 162; belote stays with its side. If both sides have revoked, neither scores."""
    deal = Deal(rng, "belote", declarations=False)
    hands, left = deal.hands(5, [card for card in PACK if card.rank in SHORT_RANKS])
    turned, trump = left.pop(), ""
    trump = turned.suit
    deal.table.do(Action("turn", card=turned))
    place = rng.randint(1, 4)
    for passing in range(1, place):
        deal.say((deal.dealer - passing) % 4, "pass")
    taker = (deal.dealer - place) % 4
    deal.say(taker, "take-up")
    for seat, cards in hands.items():
        cards += [turned] if seat == taker else []
        while len(cards) < 8:
            cards.append(left.pop())
    orders = ("7", "8", "9", "J", "Q", "K", "10", "A"), ("7", "8", "Q", "K", "10", "A", "9", "J")

    def rank(card: Card) -> int:
        return orders[card.suit == trump].index(card.rank)

    def free(hand: Hand, seat: int, cards: list[Card], trick: Plays) -> list[Card]:
        if not trick or all(card.suit == trick[0][1].suit != trump for card in cards):
            return cards
        winner, best = hand.best(trick)
        trumps = [card for card in cards if card.suit == trump]
        if not trumps or (trick[0][1].suit != trump and (winner - seat) % 4 == 2):
            return cards
        return [card for card in trumps if best.suit != trump or rank(card) > rank(best)] or trumps

    hand = deal.hand(hands, True, trump=trump, rank=rank, free=free, shown={taker: {turned}}, duties=2)
    royal = {Card("K", trump), Card("Q", trump)}
    belotes = [20 * any(royal <= {*hands[seat]} for seat in (side, side + 2)) for side in (0, 1)]
    deal.play(hand, (deal.dealer - 1) % 4, step=-1)
    made = belote_points(hand)
    side, sides = taker % 2, {revoke.seat % 2 for revoke in hand.revokes}
    scores = [made[0] + belotes[0], made[1] + belotes[1]]
    if len(sides) == 2:
        scores = [0, 0]
    elif sides:
        scores = list(belotes)
        scores[1 - min(sides)] += 162
    elif scores[side] < scores[1 - side]:
        scores = list(belotes)
        scores[1 - side] += 252 if hand.won((side, side + 2)) == 0 else 162
    elif scores[side] == scores[1 - side]:
        scores[side] = 0
    return deal.scores(scores)


def belote_points(hand: Hand) -> list[int]:
    """Return the card points that each side has made, with those for the last trick."""
    values, trumps = {"A": 11, "10": 10, "K": 4, "Q": 3, "J": 2}, {"J": 20, "9": 14}
    made = [0, 0]
    for trick in hand.tricks:
        for _, card in trick.cards:
            points = values | trumps if card.suit == hand.trump else values
            made[trick.winner % 2] += points.get(card.rank, 0)
    made[hand.tricks[-1].winner % 2] += 10 if 0 < hand.won((0, 2)) < 8 else 100
    return made


def all_fives(rng: random.Random) -> int:
    """A revoke costs three points if it is called, and the revoker does not win by this hand."""
    target, bonus = rng.choice((3, 10, 61)), rng.random() < 0.5
    deal = Deal(rng, "all-fives", rng.randint(2, 3), target=target, revoke_bonus=bonus)
    hands, left = deal.hands(6)
    deal.table.do(Action("turn", card=left[0]))
    eldest = (deal.dealer + 1) % deal.seats
    deal.say(eldest, "stand")
    hand = deal.hand(hands, False, trump=left[0].suit)
    deal.play(hand, eldest)
    values = {"A": 4, "K": 3, "Q": 2, "J": 1, "10": 10, "5": 5}
    scores, called = [0] * deal.seats, [revoke.seat for revoke in hand.revokes if revoke.called]
    for trick in hand.tricks:
        scores[trick.winner] += sum(values.get(card.rank, 0) for _, card in trick.cards if card.suit == hand.trump)
    for seat in called:
        for other in hands:
            scores[other] += 3 * (other != seat) if bonus else -3 * (other == seat)
    reached = [score for seat, score in enumerate(scores) if score >= target and seat not in called]
    best = [seat for seat, score in enumerate(scores) if reached and score == max(reached) and seat not in called]
    agree("winners", deal.table.winners, tuple(best) if len(best) == 1 else (), deal.table)
    return deal.scores(scores)


GAMES: Final[Mapping[str, Callable[[random.Random], int]]] = {
    each.__name__: each for each in (whist, bridge, spades, hearts, oh_hell, euchre, skat, belote, all_fives)
}


def play(seed: int) -> int:
    """Play a deal of the game of this seed on both sides. Return the number of actions compared."""
    return list(GAMES.values())[seed % len(GAMES)](random.Random(seed))
