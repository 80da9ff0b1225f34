"""Oh Hell: the deals, the bids with their hook, and the ways to score, as in docs/reference/games/oh-hell.md."""

from __future__ import annotations

import random

import pytest

from engine.actions import Action
from engine.cards import STANDARD_DECK
from engine.games.oh_hell import OhHell
from engine.table import Table
from tests.engine.talk import do, events, points, refusal, table_of

DOWN_UP = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def bid(table: Table, *bids: int) -> None:
    """Let the seats bid in turn; the first of them is on turn."""
    for number in bids:
        do(table, f"{table.turn} say {number}")


def deals(players: int, **options: object) -> list[int]:
    return OhHell(("Ann", "Bo", "Cy", "Dee", "Eve", "Flo", "Gus")[:players], 0, options).deals()


@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_deals_shrink_to_one_card_and_grow_again(players: int) -> None:
    assert deals(players) == DOWN_UP


def test_the_pack_and_the_highest_bid_limit_the_number_of_cards() -> None:
    assert deals(6) == [8, 7, 6, 5, 4, 3, 2, 1, 2, 3, 4, 5, 6, 7, 8]
    assert deals(7)[0] == 7
    assert deals(3, cards=17, course="down")[0] == 13
    assert deals(4, cards=13, course="down")[0] == 12  # one card is left to turn up


@pytest.mark.parametrize(
    ("course", "sizes"),
    [("down-up", [3, 2, 1, 2, 3]), ("up-down", [1, 2, 3, 2, 1]), ("down", [3, 2, 1]), ("up", [1, 2, 3])],
)
def test_the_course_of_the_deals(course: str, sizes: list[int]) -> None:
    rng, table = random.Random(3), table_of("oh-hell", 3, cards=3, course=course)
    for number, size in enumerate(sizes, start=1):
        assert table.view().dealer == (number - 1) % 3
        do(table, "turn 2C")
        assert [hand.size for hand in table.view().hands] == [size] * 3
        assert dict(table.view().facts)["round"] == f"{number} of {len(sizes)}"
        while not table.between_hands and not table.over:
            table.do(rng.choice([each for each in table.legal_actions() if each.do in ("play", "say")]))
    assert table.over
    assert set(table.winners) == {seat for seat in range(3) if table.scores[seat] == max(table.scores)}


def test_the_hint_says_how_many_cards_are_dealt() -> None:
    assert table_of("oh-hell", 3, cards=2, course="down").view().hint == (
        "Ann deals 2 cards each and turns the next one up."
    )


def test_eldest_bids_first_and_the_dealer_last() -> None:
    table = table_of("oh-hell", 4, dealer=2, cards=5)
    do(table, "turn KD")
    assert (table.phase, table.turn) == ("bid", 3)
    assert refusal(table, "0 say 1") == "not-your-turn"
    assert refusal(table, "3 say 6") == "no-such-word"
    assert refusal(table, "3 say 14") == "no-such-word"
    assert refusal(table, "3 play 2C") == "wrong-phase"
    bid(table, 1, 0, 2)
    assert table.turn == 2
    assert refusal(table, "2 say 2") == "no-such-word"  # 1 + 0 + 2 + 2 = 5
    assert "but not 2" in table.view().hint
    bid(table, 5)
    assert [what for name, what in table.view().facts if name == "bids"] == ["Dee: 1", "Ann: 0", "Bo: 2", "Cy: 5"]
    assert (table.phase, table.turn) == ("play", 3)


def test_without_the_hook_the_bids_may_add_up() -> None:
    table = table_of("oh-hell", 3, cards=1, hook=False)
    do(table, "turn KD")
    bid(table, 0, 0, 1)
    assert table.phase == "play"


def test_the_dealer_may_bid_anything_if_the_bids_are_over_already() -> None:
    table = table_of("oh-hell", 3, cards=2, course="down")
    do(table, "turn KD")
    bid(table, 2, 1)
    assert [action.word for action in table.legal_actions()] == ["0", "1", "2"]


def test_a_bid_is_taken_back_by_undo_only() -> None:
    table = table_of("oh-hell", 3, cards=2)
    do(table, "turn KD", "1 say 2")
    assert refusal(table, "1 say 1") == "not-your-turn"
    table.undo()
    assert table.turn == 1 and not [name for name, _ in table.view().facts if name == "bids"]


@pytest.mark.parametrize(
    ("scoring", "scored"),
    [("exact", (10, 10, 12)), ("tricks", (10, 10, 12)), ("penalty", (10, 10, 12))],
)
def test_bids_made_score_ten_and_the_tricks(scoring: str, scored: tuple[int, ...]) -> None:
    table = table_of("oh-hell", 3, cards=2, course="down", scoring=scoring, hook=False)
    do(table, "turn KD")
    bid(table, 0, 2, 0)
    do(table, "1 play 2S", "2 play 2D", "0 play 3S", "2 play 3D", "0 play 4S")
    assert points(do(table, "1 play 4C")) == [(1, 10, "made"), (2, 10, "made"), (2, 2, "tricks"), (0, 10, "made")]
    assert table.scores == (scored[0], scored[1], scored[2])


@pytest.mark.parametrize(("scoring", "scored"), [("exact", (0, 0, 0)), ("tricks", (0, 0, 5)), ("penalty", (-2, 0, -2))])
def test_missed_bids(scoring: str, scored: tuple[int, ...]) -> None:
    """Cy bids 3 and takes 5, Ann bids 2 and takes none, Bo makes a bid of none."""
    table = table_of("oh-hell", 3, cards=5, scoring=scoring, hook=False)
    do(table, "turn KD")
    bid(table, 0, 3, 2)
    do(table, "1 play 2S", "2 play 2D", "0 play 3S")
    for low, trump, other in (("5C", "3D", "5H"), ("6C", "4D", "6H"), ("7C", "5D", "7H"), ("8C", "6D", "8H")):
        outcome = do(table, f"2 play {trump}", f"0 play {low}", f"1 play {other}")
    assert table.scores == (scored[0], scored[1] + 10, scored[2])
    assert "hand-over" in events(outcome)
    missed = [(seat, -2, "missed") for seat in (2, 0) if scoring == "penalty"]
    assert [point for point in points(outcome) if point[2] == "missed"] == missed


def test_known_hands_must_follow_suit_and_hidden_hands_declare_a_void() -> None:
    table = table_of("oh-hell", 3, cards=2)
    do(table, "2 deal KS 2H", "turn KD")
    bid(table, 0, 0, 0)
    do(table, "1 play 2S")
    assert refusal(table, "2 play 2H") == "must-follow-suit"
    do(table, "2 play KS", "0 play 3H")
    assert ("void", "Ann: spades") in table.view().facts


def test_a_revoke_that_is_called_costs_ten_points() -> None:
    table = table_of("oh-hell", 3, cards=2)
    do(table, "turn KD")
    bid(table, 0, 0, 0)
    do(table, "1 play 2S", "2 play 3S", "0 play 3H")
    assert points(do(table, "1 say revoke 0 5S")) == [(0, -10, "revoke")]
    assert refusal(table, "2 say revoke 0 5S") == "bad-call"


def test_a_revoke_that_a_later_card_proves_costs_the_same() -> None:
    table = table_of("oh-hell", 3, cards=2)
    do(table, "turn KD")
    bid(table, 0, 0, 0)
    do(table, "1 play 2S", "2 play 3S", "0 play 3H", "2 play 4C", "0 play 4S")
    outcome = do(table, "undo", "0 play 4S")
    assert points(outcome) == [(0, -10, "revoke")] and events(outcome) == ["revoke-proven 0 4S"]


def test_the_turned_card_belongs_to_no_hand() -> None:
    table = table_of("oh-hell", 6)
    rng = random.Random(1)
    pack = rng.sample(STANDARD_DECK.cards, 52)
    for seat in range(6):
        table.do(Action("deal", seat, cards=tuple(pack[8 * seat : 8 * seat + 8])))
    assert refusal(table, f"turn {pack[0]}") == "already-seen"
    table.do(Action("turn", card=pack[50]))
    assert table.view().trump == pack[50].suit
    bid(table, *(0 for _ in range(6)))
    assert refusal(table, f"1 play {pack[50]}") == "already-seen"


def test_the_last_trick_is_gathered_between_the_hands() -> None:
    table = table_of("oh-hell", 3, cards=1, course="up", hook=False)
    do(table, "0 deal 2C", "1 deal AH", "2 deal 3C", "turn 5D")
    bid(table, 0, 0, 0)
    do(table, "1 play AH", "2 play 3C")
    assert not table.between_hands
    table = table_of("oh-hell", 3, cards=2, course="up", hook=False)
    do(table, "0 deal 2C", "1 deal AH", "2 deal 3C", "turn 5D")
    bid(table, 0, 0, 0)
    do(table, "1 play AH", "2 play 3C", "0 play 2C")
    assert table.between_hands
    do(table, "1 gather")
    assert table.between_hands
    do(table, "1 deal 7C 8C")
    assert not table.between_hands
