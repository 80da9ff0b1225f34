"""Counting at cribbage, in the play and in the show."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest

from engine.cards import RANKS, STANDARD_DECK, SUITS, Card, parse_card
from engine.games.cribbage.counting import LIMIT, ORDER, VALUE, Reason, count_hand, count_play, count_ranks, spoken

BY_RANK = [Card(rank, suit) for rank in RANKS for suit in SUITS]


def cards(text: str) -> list[Card]:
    return [parse_card(word) for word in text.split()]


def in_short(reasons: list[tuple[int, str]]) -> str:
    return " ".join(f"{reason}:{points}" for points, reason in reasons)


def scored_by(played: list[Card]) -> list[Reason]:
    """The reasons of the points for the last of these cards."""
    return count_play([ORDER[card.rank] for card in played], sum(VALUE[card.rank] for card in played))


def score(text: str, crib: bool = False) -> int:
    *hand, starter = cards(text)
    return sum(reason.points for reason in count_hand(hand, starter, crib))


@pytest.mark.parametrize(
    ("text", "scored"),
    [
        ("5H", ""),
        ("7H 8S", "fifteen:2"),
        ("KH 5S", "fifteen:2"),
        ("7H 7S", "pair:2"),
        ("7H 7S 7D", "pair-royal:6"),
        ("7H 7S 7D 7C", "double-pair-royal:12"),
        ("5H 5S 5D", "fifteen:2 pair-royal:6"),
        ("10H JS", ""),  # both count ten, but are not a pair
        ("3H 4S 5D", "run:3"),  # the source's
        ("3H 4S 5D 6H", "run:4"),
        ("3H 4S 5D 2H", "run:4"),
        ("7H 9S 6D 8C", "run:4"),  # the source's example: not in order
        ("7H 9S 6D", ""),
        ("4H 5S 6D", "fifteen:2 run:3"),
        ("3H 4S 5D 5C", "pair:2"),
        ("3H 4S 4D 5C", ""),  # a pair in it breaks the run
        ("4H 4S 3D 5C", "run:3"),  # of the last three
        ("3H 7S 3D", ""),  # not consecutive
        ("8H 8S AD 7C 7H", "thirty-one:2 pair:2"),
        ("KH 9S JD AC AS", "thirty-one:2 pair:2"),
        ("10H 8S 6D 7C", "thirty-one:2 run:3"),  # 31 with a run
        ("QH 10S JD", "run:3"),
        ("AH 2S 3D 4C 5H 6S 7D", "run:7"),
        ("QH KS AD", ""),  # a run does not wrap around
        ("AH 4S 2D 3C 5H", "fifteen:2 run:5"),
    ],
)
def test_the_score_of_a_card_played(text: str, scored: str) -> None:
    assert in_short([*scored_by(cards(text))]) == scored


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("5S 5H 5D JC 5C", 29),
        ("5S 5H 5D 5C JC", 28),  # the jack is the starter: no nobs
        ("4S 4H 5D 5C 6H", 24),
        ("2H 4H 6H 8H 10S", 4),
        ("2H 4H 6H 8H KH", 5),
        ("2S 4H 6D 8C KH", 0),
        ("JH 2S 4D 8C 6H", 1),
        ("3S 4H 5D 5C 5H", 17),
        ("AS 2H 3D 4C 5H", 7),
        ("10S JH QD KC 9D", 5),
        ("KS KH KD KC 5H", 20),
    ],
)
def test_the_score_of_a_hand(text: str, points: int) -> None:
    assert score(text) == points


def test_reasons_are_listed_in_the_order_of_the_show() -> None:
    *hand, starter = cards("5H 6H JH 4H 5C")
    assert in_short([*count_hand(hand, starter)]) == (
        "fifteen:2 fifteen:2 fifteen:2 fifteen:2 pair:2 run:3 run:3 flush:4"
    )


def test_a_flush_of_four_counts_in_the_hand_but_not_in_the_crib() -> None:
    assert score("2H 4H 6H 8H QS") - score("2H 4H 6H 8D QS") == 4
    assert score("2H 4H 6H 8H QS", crib=True) == score("2H 4H 6H 8D QS", crib=True)


def test_three_of_a_suit_and_the_starter_are_not_a_flush() -> None:
    assert "flush" not in in_short([*count_hand(cards("2H 4H 6H 8D"), parse_card("QH"))])


def test_a_flush_of_five_counts_in_the_crib() -> None:
    assert score("2H 4H 6H 8H QH", crib=True) == score("2H 4H 6H 8H QS", crib=True) + 5


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("4S 5H 6D KC 8C", "fifteen-two, fifteen-four, and a run of three is seven"),
        ("2S 4H 6D 8C KH", "nothing"),
        ("2S 2H 6D 8C KH", "a pair is two"),
        ("5S QH 2D 8C 7H", "fifteen-two, fifteen-four, fifteen-six"),
        ("5S 5H 5D JC 5C", "fifteen-two, fifteen-four, fifteen-six, fifteen-eight, fifteen-ten, fifteen-twelve, "
         "fifteen-fourteen, fifteen-sixteen, a double pair royal, and one for his nob is twenty-nine"),
        ("3S 4H 4D 5C KH", "fifteen-two, a pair, and two runs of three is ten"),
        ("2H 4H 6H 8H QS", "a flush is four"),
        ("KS KH KD 2C 2H", "a pair royal and a pair is eight"),
    ],
)  # fmt: skip
def test_a_count_is_said_as_players_say_it(text: str, count: str) -> None:
    *hand, starter = cards(text)
    assert spoken(count_hand(hand, starter)) == count


def plainly(hand: list[Card], starter: Card) -> int:
    """A hand's score, computed by brute force over all sets of cards."""
    five = [*hand, starter]
    sets = [some for size in range(2, 6) for some in combinations(five, size)]
    points = 2 * sum(sum(VALUE[card.rank] for card in some) == 15 for some in sets)
    points += 2 * sum(len(some) == 2 and some[0].rank == some[1].rank for some in sets)
    for length in (5, 4, 3):
        orders = [sorted(ORDER[card.rank] for card in some) for some in sets if len(some) == length]
        runs = sum(order == list(range(order[0], order[0] + length)) for order in orders)
        if runs:
            points += length * runs
            break
    if len({card.suit for card in hand}) == 1:
        points += 5 if starter.suit == hand[0].suit else 4
    return points + any(card.rank == "J" and card.suit == starter.suit for card in hand)


def test_random_hands_score_the_same_by_brute_force() -> None:
    rng = random.Random(29)
    for _ in range(1500):
        *hand, starter = rng.sample(STANDARD_DECK.cards, 5)
        assert sum(reason.points for reason in count_hand(hand, starter)) == plainly(hand, starter)


def test_random_plays_score_the_same_by_brute_force() -> None:
    rng = random.Random(31)
    for _ in range(1500):
        played: list[Card] = []
        for card in rng.sample(STANDARD_DECK.cards, 12):
            if sum(VALUE[each.rank] for each in played) + VALUE[card.rank] > LIMIT:
                continue
            played.append(card)
            total, last = sum(VALUE[each.rank] for each in played), len(played)
            points = 2 * (total in (15, 31))
            alike = next((n for n in range(4, 1, -1) if n <= last and len({c.rank for c in played[-n:]}) == 1), 1)
            points += alike * (alike - 1)
            for length in range(last, 2, -1):
                orders = sorted(ORDER[each.rank] for each in played[-length:])
                if orders == list(range(orders[0], orders[0] + length)):
                    points += length
                    break
            assert sum(reason.points for reason in scored_by(played)) == points


def renamed(hand: tuple[Card, ...]) -> tuple[Card, ...]:
    """The same hand with its suits renamed: spades, hearts, diamonds, clubs in the order in which they appear."""
    names: dict[str, str] = {}
    return tuple([Card(card.rank, names.setdefault(card.suit, SUITS[len(names)])) for card in hand])


@pytest.mark.long
def test_all_12_994_800_hands_have_their_known_scores() -> None:
    """Every hand of four with every starter; hands that differ only by renamed suits are counted together. That
    renaming suits changes nothing is tested below; `python -m lab.benchmarks.cribbage --all` counts every hand.
    """
    scores: Counter[int] = Counter()
    for hand, alike in Counter(map(renamed, combinations(BY_RANK, 4))).items():
        for starter in STANDARD_DECK:
            if starter not in hand:
                scores[sum([points for points, _ in count_hand(hand, starter)])] += alike
    assert scores.total() == 12_994_800
    assert {points: scores[points] for points in (0, 24, 28, 29)} == {0: 1_009_008, 24: 3_680, 28: 76, 29: 4}
    assert sorted(scores) == [points for points in range(30) if points not in (19, 25, 26, 27)]
    assert round(sum(points * times for points, times in scores.items()) / 12_994_800, 4) == 4.7692


def test_the_names_of_the_suits_make_no_difference() -> None:
    rng = random.Random(52)
    for _ in range(700):
        suits = dict(zip(SUITS, rng.sample(SUITS, 4), strict=True))
        five = rng.sample(STANDARD_DECK.cards, 5)
        *others, other = [Card(card.rank, suits[card.suit]) for card in five]
        for crib in (False, True):
            assert count_hand(five[:4], five[4], crib) == count_hand(others, other, crib)


def test_ranks_without_suits_and_starter() -> None:
    pair, fifteen = Reason(2, "pair"), Reason(2, "fifteen")
    assert count_ranks(cards("5S JC 5H")) == (fifteen, fifteen, pair)
    assert count_ranks(cards("4S 5C 6H 6D")) == (fifteen, fifteen, pair, Reason(3, "run"), Reason(3, "run"))
    assert count_ranks([]) == ()
