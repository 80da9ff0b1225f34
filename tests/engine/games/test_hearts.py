"""Hearts: passing, the first trick, breaking hearts, the count, and what a revoke costs."""

from __future__ import annotations

import random

import pytest

from engine.actions import Action
from engine.cards import STANDARD_DECK, parse_card
from engine.errors import Refused
from engine.table import Table
from tests.engine.talk import do, events, play_honestly, points, refusal, table_of

SPADES, HEARTS, DIAMONDS, CLUBS = (
    [f"{rank}{suit}" for rank in ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")] for suit in "SHDC"
)


def dealt(*hands: list[str], **options: object) -> Table:
    """Hearts for four (or as many as there are hands); every hand is known, and nothing is passed by default."""
    table = table_of("hearts", len(hands), **({"passing": "none"} | options))
    for seat, hand in enumerate(hands):
        table.do(Action("deal", seat, cards=tuple(map(parse_card, hand))))
    return table


def play_out(table: Table, seats: str, cards: str) -> list[str]:
    """Play the cards in turn; return the events of the last one."""
    found = []
    for seat, card in zip(seats, cards.split(), strict=True):
        found = events(do(table, f"{seat} play {card}"))
    return found


def held(table: Table, seat: int) -> set[str]:
    return {str(card) for card in table.view(seat).hands[seat].cards}


@pytest.mark.parametrize(
    ("players", "removed", "count", "first"),
    [
        (3, "2D", 17, "2C"),
        (4, "", 13, "2C"),
        (5, "2D 2C", 10, "3C"),
        (6, "2D 2C 3D 3C", 8, "4C"),
        (7, "2D 2C 3D", 7, "3C"),
    ],
)
def test_cards_are_removed_until_the_pack_deals_out(players: int, removed: str, count: int, first: str) -> None:
    table = table_of("hearts", players)
    assert [hand.size for hand in table.view().hands] == [count] * players
    for card in removed.split():
        assert refusal(table, f"1 play {card}") == "no-such-card"
        assert parse_card(card).glyph in table.view().hint
    assert {str(action.card) for action in table.legal_actions() if action.do == "play"} == {first}
    assert refusal(table, "0 play AS") == "must-hold-back"


def test_cards_are_passed_left_right_across_and_not_at_all() -> None:
    rng, table = random.Random(4), table_of("hearts", 4)
    for to in (1, 3, 2, 0, 1):
        cards = rng.sample(STANDARD_DECK.cards, 52)
        hands = [cards[13 * seat : 13 * seat + 13] for seat in range(4)]
        for seat, hand in enumerate(hands):
            table.do(Action("deal", seat, cards=tuple(hand)))
        if to:
            assert table.phase == "discard"
            assert refusal(table, "0 play 2C") == "wrong-phase"
            for seat in (2, 0, 3, 1):
                assert held(table, (seat + to) % 4).isdisjoint(map(str, hands[seat][:3]))  # they are taken up together
                table.do(Action("discard", seat, cards=tuple(hands[seat][:3])))
        for seat, hand in enumerate(hands):
            passed = hands[(seat - to) % 4][:3] if to else hand[:3]
            assert held(table, seat) == set(map(str, [*hand[3:], *passed]))
        assert table.turn is None  # who holds the lowest club stays hidden
        while not table.between_hands:
            table.do(rng.choice([action for action in table.legal_actions() if action.do == "play"]))


def test_a_card_received_cannot_be_passed_on() -> None:
    table = dealt(SPADES, HEARTS, DIAMONDS, CLUBS, passing="left")
    do(table, "0 discard 2S 3S 4S")
    assert refusal(table, "1 discard 2S 3H 4H") == "already-seen"
    assert refusal(table, "1 discard 5S 3H 4H") == "already-seen"
    assert refusal(table, "1 discard 3H 4H") == "wrong-count"
    assert refusal(table, "1 discard") == "wrong-count"
    assert refusal(table, "0 discard 5S 6S 7S") == "wrong-phase"


def test_a_hand_is_hidden_once_it_receives_unnamed_cards() -> None:
    table = table_of("hearts", 4)
    do(table, "1 deal " + " ".join(CLUBS), "1 discard AC KC QC", "0 discard", "2 discard", "3 discard")
    assert held(table, 1) == set(CLUBS) - {"AC", "KC", "QC"}
    assert [hand.size for hand in table.view().hands] == [13] * 4
    do(table, "1 play 2C")
    assert refusal(table, "2 play 3D") == "must-follow-suit"  # it was passed three clubs
    do(table, "2 play AC", "3 play 5D", "0 play 6D", "2 play 7D")
    assert refusal(table, "3 play 8H") == ""  # hidden, and void in diamonds for all the table knows


def test_the_lowest_club_that_was_taken_back_is_led_again() -> None:
    table = dealt(CLUBS, DIAMONDS, SPADES, HEARTS)
    do(table, "0 play 2C", "0 withdraw 2C")
    assert refusal(table, "0 play 3C") == "must-hold-back"
    with pytest.raises(Refused, match="2♣ is led first"):
        do(table, "0 play 3C")
    do(table, "0 play 2C")


def test_hidden_hands_need_no_entry_before_the_lowest_club() -> None:
    table = table_of("hearts", 4)
    assert {action.seat for action in table.legal_actions()} == {0, 1, 2, 3}
    do(table, "2 play 2C")
    assert table.turn == 3


def test_the_first_trick_has_no_points_unless_the_hand_has_nothing_else() -> None:
    north, east = [*SPADES[:9], "JD", "QD", "KD", "AD"], [*HEARTS[:12], "QS"]
    south, west = ["AH", *CLUBS[1:]], ["2C", "JS", "KS", "AS", *DIAMONDS[:9]]
    table = dealt(north, east, south, west)
    assert refusal(table, "3 play JS") == "must-hold-back"
    do(table, "3 play 2C")
    assert refusal(table, "1 play 2H") == "not-your-turn"
    do(table, "0 play 2S")
    assert refusal(table, "1 play QS") == ""  # nothing but points
    do(table, "1 play 2H")
    assert refusal(table, "2 play AH") == "must-follow-suit"


def test_hearts_are_led_once_they_are_broken() -> None:
    hands = [["2C", *SPADES[:6], *HEARTS[:6]], ["3C", *SPADES[6:10], *HEARTS[6:], "2D"], [], []]
    hands[2] = [*CLUBS[2:8], *DIAMONDS[1:8]]
    hands[3] = sorted({*map(str, STANDARD_DECK)} - {*hands[0], *hands[1], *hands[2]})
    table = dealt(*hands)
    play_out(table, "0123", "2C 3C 9C AC")
    play_out(table, "30", "QS 2S")
    assert dict(table.view().facts)["hearts"] == "broken"  # by the queen
    other = dealt(*hands, queen_breaks=False)
    play_out(other, "0123", "2C 3C 9C 10C")
    play_out(other, "3012", "AD 2H 2D 3D")
    assert dict(other.view().facts)["hearts"] == "broken"
    plain = dealt(*hands)
    play_out(plain, "0123", "2C 3C 9C 10C")
    assert dict(plain.view().facts)["hearts"] == "not broken"
    play_out(plain, "3012", "KS 3S 8S 4D")
    assert plain.turn == 3


ONE_SUIT_EACH = (CLUBS, SPADES, HEARTS, DIAMONDS)
"""Seat 0 leads every trick: it takes all points."""


def shoot(**options: object) -> Table:
    table = dealt(*ONE_SUIT_EACH, target=30, **options)
    for cards in zip(*ONE_SUIT_EACH, strict=True):
        for seat, card in enumerate(cards):
            do(table, f"{seat} play {card}")
    return table


@pytest.mark.parametrize(
    ("options", "scores"),
    [
        ({}, (0, 26, 26, 26)),
        ({"moon": "shooter"}, (-26, 0, 0, 0)),
        ({"jack_of_diamonds": True}, (-10, 26, 26, 26)),
        ({"moon": "shooter", "jack_of_diamonds": True}, (-36, 0, 0, 0)),
    ],
)
def test_all_points_shoot_the_moon(options: dict[str, object], scores: tuple[int, ...]) -> None:
    table = shoot(**options)
    assert table.scores == scores
    assert not table.over


def test_the_lowest_score_wins_once_one_reaches_the_target() -> None:
    table = dealt(*ONE_SUIT_EACH, target=26)
    for cards in zip(*ONE_SUIT_EACH, strict=True):
        for seat, card in enumerate(cards):
            outcome = do(table, f"{seat} play {card}")
    assert points(outcome) == [(1, 26, "moon"), (2, 26, "moon"), (3, 26, "moon")]
    assert (table.over, table.winners) == (True, (0,))
    assert "hand-over" in events(outcome)


def test_a_revoke_that_is_called_takes_all_points() -> None:
    table = table_of("hearts", 4)
    do(table, "0 play 2C", "1 play 3C", "2 play 4D", "3 play 5C")
    assert events(do(table, "1 say revoke 2 KC")) == ["revoke-proven 2 KC"]
    finish(table)
    assert table.scores == (0, 0, 26, 0)


def test_a_revoke_that_a_later_card_proves_costs_the_same() -> None:
    """No player calls it: Cy did not follow clubs, and then leads one."""
    table = table_of("hearts", 4)
    do(table, "0 play 2C", "1 play 3C", "2 play 4D", "3 play 5C", "3 play 6D", "0 play 7D", "1 play 8D", "2 play AD")
    assert events(do(table, "2 play KC")) == ["revoke-proven 2 KC"]
    finish(table)
    assert table.scores == (0, 0, 26, 0)


def finish(table: Table) -> None:
    """Play the hand to its end, without another revoke."""
    rng = random.Random(1)
    while not table.between_hands:
        play_honestly(table, rng)


def test_a_hidden_hand_that_plays_a_point_early_holds_only_points() -> None:
    table = table_of("hearts", 4)
    do(table, "0 play 2C", "1 play 5H", "2 play 4C", "3 play AC")  # seat 1: no clubs, and nothing but points
    assert events(do(table, "3 play 9D", "0 play 8D", "1 play 7D")) == ["revoke-proven 1 7D"]
    table = table_of("hearts", 4)
    do(table, "0 play 2C", "1 play 5C", "2 play 4C", "3 play AC", "3 play 6H")  # not broken: seat 3 has only hearts
    do(table, "3 withdraw 6H")
    assert refusal(table, "3 play 6H") == ""
    do(table, "3 play 9D", "0 play 8D")
    assert events(do(table, "1 play 7D")) == []


@pytest.mark.parametrize("seed", range(2))
def test_what_is_counted_is_what_was_taken(seed: int) -> None:
    rng = random.Random(seed)
    table = table_of("hearts", 4, target=50, jack_of_diamonds=bool(seed % 2), passing="none")
    while not table.over:
        if table.phase == "deal":
            cards = rng.sample(STANDARD_DECK.cards, 52)
            for player in range(4):
                table.do(Action("deal", player, cards=tuple(cards[13 * player : 13 * player + 13])))
        table.do(rng.choice([each for each in table.legal_actions() if each.do in ("play", "gather")]))
        counted = table.view().counted
        if counted and table.phase == "deal":
            assert {card for hand in counted for card in hand.cards} == set(STANDARD_DECK)
            assert sum(len(hand.cards) for hand in counted) == 52
            total = sum(hand.total for hand in counted)
            assert total in ((26, 78, 16, 68) if seed % 2 else (26, 78))
    assert min(table.scores) == table.scores[table.winners[0]] and max(table.scores) >= 50
