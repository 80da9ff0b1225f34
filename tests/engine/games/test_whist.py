"""Whist: partners, the turned trump, odd tricks, honours, rubbers, and what a revoke costs."""

from __future__ import annotations

from typing import Final

import pytest

from engine.actions import Action
from engine.cards import RANKS, STANDARD_DECK, parse_card
from engine.table import Table
from tests.engine.talk import do, events, points, refusal, rules_of, table_of

SPADES, HEARTS, DIAMONDS, CLUBS = ([f"{rank}{suit}" for rank in (*RANKS[1:], "A")] for suit in "SHDC")
NORTH_TAKES_ALL: Final = (SPADES, HEARTS, DIAMONDS, CLUBS)
"""Spades are trumps if seat 0 deals."""


def dealt(*hands: list[str], turned: str = "2S", **options: object) -> Table:
    table = table_of("whist", 4, 0, **options)
    for seat, hand in enumerate(hands):
        table.do(Action("deal", seat, cards=tuple(map(parse_card, hand))))
    do(table, f"turn {turned}")
    return table


def play_out(table: Table) -> list[tuple[int, int, str]]:
    """Play the hand with the first legal card each time; return the points of the last card."""
    scored: list[tuple[int, int, str]] = []
    while not table.between_hands and not table.over:
        outcome = table.do(next(action for action in table.legal_actions() if action.do == "play"))
        scored = points(outcome) or scored
    return scored


def slam(**options: object) -> Table:
    """A hand in which seats 0 and 2 take all tricks and seat 0 has all honours."""
    return dealt(*NORTH_TAKES_ALL, **options)


def test_partners_sit_opposite_each_other_and_share_a_score() -> None:
    table = slam(target=10)
    assert play_out(table) == [(0, 7, "odd-tricks")]
    assert table.scores == (7, 0)
    assert table.view().side_scores() == (("Ann and Cy", 7), ("Bo and Dee", 0))


def test_the_dealers_last_card_makes_trumps_and_stays_in_the_hand() -> None:
    table = table_of("whist", 4, 0)
    do(table, "0 deal " + " ".join(SPADES), "1 deal " + " ".join(HEARTS))
    assert refusal(table, "turn 2H") == "already-seen"
    assert refusal(table, "turn 2C") == "not-in-hand"
    do(table, "turn AS")
    assert (table.view().trump, table.turn) == ("S", 1)
    assert [str(lying.card) for lying in table.lying] == ["AS"]
    do(table, "1 play 2H")
    assert [str(lying.card) for lying in table.lying if lying.zone.name == "turn-up"] == ["AS"]
    do(table, "2 play 2D", "3 play 2C", "0 play 2S")
    assert [str(lying.card) for lying in table.lying if lying.zone.name == "turn-up"] == []
    do(table, "0 play AS")


def test_of_a_hidden_hand_the_table_knows_the_card_turned_up() -> None:
    table = table_of("whist", 4, 3)
    do(table, "turn 9D", "0 play 4D", "1 play 5D", "2 play 6D")
    assert refusal(table, "3 play 4C") == "must-follow-suit"
    assert refusal(table, "3 play 9D") == ""


@pytest.mark.parametrize(
    ("honours", "scored"),
    [
        ("AS KS QS JS", [(0, 4, "honours")]),
        ("AS KS QS", [(0, 2, "honours")]),
        ("AS KS", []),
        ("AS", [(1, 2, "honours")]),
    ],
)
def test_four_honours_score_four_and_three_score_two(honours: str, scored: list[tuple[int, int, str]]) -> None:
    north, east = [*SPADES], [*HEARTS]
    for number, card in enumerate(card for card in ("AS", "KS", "QS", "JS") if card not in honours.split()):
        north[north.index(card)], east[number] = east[number], card
    table = dealt(north, east, DIAMONDS, CLUBS, honours=True, target=99)
    assert [each for each in play_out(table) if each[2] == "honours"] == scored


def test_tricks_are_scored_before_honours_and_end_the_game() -> None:
    table = slam(honours=True)
    assert play_out(table) == [(0, 7, "odd-tricks")]
    assert (table.over, table.winners) == (True, (0,))


def test_honours_do_not_count_one_point_below_the_target() -> None:
    table = slam(honours=True, target=5)
    do(table, "1 play 2H", "2 play 2D", "3 play 2C", "0 play 2S")
    game = rules_of(table)
    for score, reasons in ((3, ["odd-tricks", "honours", "honours"]), (4, ["odd-tricks", "honours"])):
        game.match.scores = [score, 0]
        assert [reason for _, _, reason, _ in game.scored()] == reasons


def test_a_rubber_is_the_best_of_three_games() -> None:
    table = slam(rubber=True)
    play_out(table)
    assert (table.over, table.scores, table.result) == (False, (0, 0), {"games": [1, 0]})
    assert ("game won by", "Ann and Cy") in table.view().facts
    for dealer in (1, 2):
        for seat in range(4):
            table.do(Action("deal", seat, cards=tuple(map(parse_card, NORTH_TAKES_ALL[(seat - dealer) % 4]))))
        do(table, "turn 2S")
        play_out(table)
    assert (table.over, table.winners) == (True, (0,))
    assert table.result == {"games": [2, 1], "rubber": 3 + 3 - 3 + 2}  # all trebles
    table.undo()
    assert table.result == {"games": [1, 1]}


def revoked(**options: object) -> Table:
    """All hands hidden, spades trumps: seat 1 leads a heart, and seat 2 discards although it has one."""
    table = table_of("whist", 4, 0, **options)
    do(table, "turn AS", "1 play 3H", "2 play 4C", "3 play 5H", "0 play 6H")
    return table


def play_hidden(table: Table) -> None:
    """Seat 0 takes the other twelve tricks with the spades; seat 3 has the two of spades."""
    others = [
        card for card in map(str, STANDARD_DECK) if card[-1] != "S" and card not in ("3H", "4C", "5H", "6H", "7H")
    ]
    discards = [others.pop(), "7H", "2S", *others]
    for number, trump in enumerate(reversed(SPADES[1:])):
        do(table, f"0 play {trump}")
        for seat, card in zip((1, 2, 3), discards[3 * number :], strict=False):
            do(table, f"{seat} play {card}")


@pytest.mark.parametrize(
    ("revoke", "scores"),
    [("tricks", (4, 0)), ("gain", (4, 3)), ("loss", (4, 0))],
)
def test_a_revoke_costs_three_tricks_or_points_and_never_wins(revoke: str, scores: tuple[int, int]) -> None:
    """Thirteen tricks less three are four odd tricks; the revoking side stops one short of five anyway."""
    table = revoked(revoke=revoke)
    assert refusal(table, "0 say revoke 2 7H") == "bad-call"  # partners
    assert events(do(table, "1 say revoke 2 7H")) == ["revoke-proven 2 7H"]
    play_hidden(table)
    assert table.between_hands and table.scores == scores


@pytest.mark.parametrize(
    ("revoke", "tricks", "scores", "scored"),
    [
        ("tricks", (8, 5), (0, 0), [(1, 2, "odd-tricks")]),
        ("tricks", (2, 11), (0, 0), [(1, 7, "odd-tricks")]),
        ("gain", (8, 5), (0, 0), [(1, 3, "revoke"), (0, 2, "odd-tricks")]),
        ("loss", (8, 5), (2, 0), [(0, -2, "revoke"), (0, 2, "odd-tricks")]),
    ],
)
def test_what_a_revoke_of_the_first_side_scores(
    revoke: str, tricks: tuple[int, int], scores: tuple[int, int], scored: list[tuple[int, int, str]]
) -> None:
    game = rules_of(table_of("whist", 4, 0, revoke=revoke))
    game.revokers, game.tricks_of, game.match.scores = [0], tricks.__getitem__, [*scores]
    game.tricks, game.trump = [], "S"
    assert [(side, points, reason) for side, points, reason, _ in game.scored()] == scored
    game.revokers, game.tricks_of, game.match.scores = [1], tricks[::-1].__getitem__, [*scores[::-1]]
    assert [(1 - side, points, reason) for side, points, reason, _ in game.scored()] == scored


@pytest.mark.parametrize(("loser", "value"), [(0, 3), (1, 2), (4, 2), (5, 1), (9, 1)])
def test_rubber_points_of_a_game(loser: int, value: int) -> None:
    """A treble, a double and a single game."""
    game = rules_of(table_of("whist", 4, 0, rubber=True, target=10))
    game.match.scores = [loser, 10]
    game.win_game(1)
    assert game.games == ((1, value),)
    assert [(event.event, event.seat) for event in game.events] == [("rubber-game", 1)]


def test_the_result_says_how_many_points_a_rubber_was_worth() -> None:
    game = rules_of(table_of("whist", 4, 0, rubber=True, target=10))
    for loser in (0, 9):
        game.match.scores = [10, loser]
        game.win_game(0)
    assert game.match.over and game.remarks() == ("The rubber is won by 6 points.",)


def test_what_was_counted_is_shown_with_the_names_of_the_side() -> None:
    table = slam(target=10)
    play_out(table)
    assert [(hand.seat, hand.name) for hand in table.view().counted] == [(0, "Ann and Cy")]


def test_a_revoke_that_a_later_card_proves_costs_the_penalty() -> None:
    table = revoked(revoke="gain")
    do(table, "0 play AS", "1 play 8C", "2 play 9C", "3 play 10C", "0 play 8S", "1 play JC")
    assert events(do(table, "2 play 9H")) == ["revoke-proven 2 9H"]


def test_partners_cannot_call_each_others_cards() -> None:
    table = table_of("whist", 4, 0)
    do(table, "turn 2S", "1 expose 9C")
    assert refusal(table, "3 say call 9C") == "bad-call"
    assert refusal(table, "2 say call 9C") == ""
    assert table.view().words[3] == () and "call" in table.view().words[0]


def test_the_last_trick_may_be_gathered_before_the_next_card_is_turned_up() -> None:
    table = slam(target=20)
    play_out(table)
    assert {action.do for action in table.legal_actions()} == {"gather", "turn"} and len(table.lying) == 4
    table.do(next(action for action in table.legal_actions() if action.do == "gather"))
    assert {action.do for action in table.legal_actions()} == {"turn"} and table.lying == ()
    do(table, "turn 9D")
    assert table.view().trump == "D"


@pytest.mark.parametrize(
    ("found", "before", "after"),
    [
        ([(0, 3, "odd-tricks")], [3, 1], [4, 1]),  # the revoker's side stops one point short of five
        ([(0, 1, "odd-tricks")], [1, 1], [2, 1]),
        ([(0, 1, "odd-tricks")], [4, 1], [4, 1]),
        ([(1, 4, "odd-tricks"), (0, 4, "honours")], [1, 1], [1, 5]),  # the side that scores first wins
        ([(1, 0, "odd-tricks"), (1, 2, "honours")], [0, 2], [0, 4]),
    ],
)
def test_a_side_that_revoked_stops_short_of_the_target(
    found: list[tuple[int, int, str]], before: list[int], after: list[int]
) -> None:
    game = rules_of(table_of("whist", 4, 0))
    game.match.scores, game.revokers = before, (2,)
    game.scored = lambda: ((*each, []) for each in found)
    game.count_hand()
    assert game.match.scores == after
    assert game.match.over is (max(after) == 5)
