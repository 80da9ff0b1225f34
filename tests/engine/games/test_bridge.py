"""Bridge: the dummy, revokes, vulnerability, and rubber, Chicago and duplicate by worked examples."""

from __future__ import annotations

from typing import Any, Final

import pytest

from engine.actions import Action
from engine.cards import RANKS, parse_card
from engine.games.bridge import Bridge, Standing
from engine.games.bridge.auction import Contract
from engine.observations import Zone
from engine.rules.tricks import Trick
from engine.table import Table
from engine.views import TableCard
from tests.engine.talk import card, do, events, refusal, rules_of, table_of

SPADES, HEARTS, DIAMONDS, CLUBS = ([f"{rank}{suit}" for rank in (*RANKS[1:], "A")] for suit in "SHDC")
ONE_SUIT_EACH: Final = (SPADES, HEARTS, DIAMONDS, CLUBS)


def dealt(*hands: list[str], **options: object) -> Table:
    table = table_of("bridge", 4, 0, **options)
    for seat, hand in enumerate(hands):
        table.do(Action("deal", seat, cards=tuple(map(parse_card, hand))))
    return table


def call(table: Table, calls: str) -> None:
    for word in calls.split():
        table.do(f"say {word}")


def scored(contract: Contract, tricks: int, vulnerable: bool = False, **options: object) -> list[tuple[int, int, str]]:
    """The points of one deal, with the seat of each."""
    game: Any = Bridge(("Ann", "Bo", "Cy", "Dee"), 0, options)
    game.tricks_after_revokes = lambda side: tricks
    game.vulnerable = lambda side: vulnerable
    game.match.more["standing"] = options.pop("standing", Standing())
    game.count_hand(contract)
    return [(point.seat, point.points, point.reason) for point in game.points]


# The auction, the dummy


def test_calls_that_are_not_allowed_are_refused() -> None:
    table = table_of("bridge", 4, 1)
    assert table.turn == 1
    assert refusal(table, "1 say double") == "no-such-word"
    assert refusal(table, "2 say pass") == "not-your-turn"
    do(table, "1 say 2h")
    assert refusal(table, "2 say 2d") == "no-such-word"
    assert refusal(table, "2 say 8c") == "no-such-word"
    do(table, "2 say double")
    assert table.view().calls == ((1, "2h"), (2, "double"))


def test_the_declarer_plays_from_the_dummy_which_is_known_card_by_card() -> None:
    table = dealt(*ONE_SUIT_EACH)
    call(table, "1s pass 2nt pass pass pass")
    assert (table.turn, table.view().actor) == (3, 3)  # Cy has bid no trumps first, Dee leads
    assert refusal(table, "0 expose 2S") == "wrong-phase"
    do(table, "3 play 2C")
    view = table.view()
    assert (view.turn, view.actor) == (0, 2)
    assert refusal(table, "1 expose 2H") == "wrong-phase"
    assert refusal(table, "0 expose 2H") == "already-seen"
    do(table, "0 expose 2S", "0 expose AS")
    assert table.view().hands[0].cards == (card("2S"), card("AS"))
    shown = [TableCard(card(text), Zone("show", 0)) for text in ("2S", "AS")]
    assert [each for each in table.lying if each.zone.name == "show"] == shown
    do(table, "0 play 2S")
    assert [each for each in table.lying if each.zone.name == "show"] == shown[1:]
    assert "Cy plays" not in table.view().hint and table.turn == 1
    table.undo()
    assert table.view().hands[0].cards == (card("2S"), card("AS"))


def test_a_hidden_dummy_is_known_when_all_its_cards_lie() -> None:
    table = table_of("bridge", 4, 0)
    call(table, "1nt pass pass pass")
    do(table, "1 play 2H")
    for text in ["3H", *SPADES[:11]]:
        do(table, f"2 expose {text}")
    do(table, "2 expose KS")
    assert refusal(table, "2 expose AS") == "wrong-phase"  # thirteen cards lie
    assert refusal(table, "2 play KS") == "must-follow-suit"
    assert refusal(table, "2 play AS") == "not-in-hand"
    do(table, "2 play 3H")
    assert refusal(table, "3 play KS") == "already-seen"


# Revokes


def law_64(winners: str, *revokes: tuple[int, int]) -> tuple[int, int]:
    """The tricks of both sides: `winners` by seat; the seat and the number of the trick of each revoke, from 0."""
    game: Any = Bridge(("Ann", "Bo", "Cy", "Dee"), 0, {})
    game.open_hand = 2
    for winner in winners:
        trick = Trick(0, 4, None)
        trick.winner = int(winner)
        trick.complete = True
        game.tricks.append(trick)
    game.revokes = {(seat, f"suit {number}"): game.tricks[number] for seat, number in revokes}
    return game.tricks_after_revokes(0), game.tricks_after_revokes(1)


@pytest.mark.parametrize(
    ("winners", "revokes", "tricks"),
    [
        ("0123", [(1, 1)], (4, 0)),  # the trick itself, and one later
        ("3100", [(1, 1)], (3, 1)),  # it has won no other since: one trick; the one before it stands
        ("0003", [(1, 1)], (4, 0)),  # another trick since
        ("0300", [(1, 1)], (4, 0)),  # the partner won the trick of the revoke
        ("3000", [(1, 1)], (3, 1)),  # none since: nothing
        ("01313", [(1, 1)], (3, 2)),  # two at most, however many it has won since
        ("01313", [(2, 0)], (1, 4)),  # the dummy's
        ("0001000100013", [(1, 3), (3, 7)], (12, 1)),  # two revokes of a side
        ("0111031133332", [(0, 10), (0, 2), (2, 4)], (1, 12)),  # no trick is lost twice, nor one won before
        ("0001000000011", [(1, 11)], (10, 3)),  # in the twelfth trick
        ("0001000000011", [(1, 10)], (11, 2)),  # in the eleventh
        ("0001000000011", [(1, 3), (0, 0)], (10, 3)),  # both sides
        ("0001000000011", [(1, 3), (2, 0)], (10, 3)),  # both sides, the dummy's among them
        ("0001000000011", [(1, 3), (0, 11)], (10, 3)),  # both, also if one of them did in the twelfth trick
    ],
)
def test_law_64(winners: str, revokes: list[tuple[int, int]], tricks: tuple[int, int]) -> None:
    assert law_64(winners, *revokes) == tricks


def test_a_later_card_proves_a_revoke_and_the_dummys_is_free() -> None:
    table = table_of("bridge", 4, 0)
    call(table, "1nt pass pass pass")
    do(table, "1 play 2H", "2 play 2S", "3 play 2D", "0 play 3H")
    do(table, "0 play 4H", "1 play 5H", "2 play 6H")  # the dummy had a heart
    game = rules_of(table)
    assert [*game.revokes] == [(2, "H")]
    assert events(do(table, "3 play 7H")) == ["revoke-proven 3 7H", "trick 3"]
    assert [*game.revokes] == [(2, "H"), (3, "H")]


# Scores


@pytest.mark.parametrize(
    ("contract", "tricks", "vulnerable", "points"),
    [
        (Contract(2, "h", 1, 1), 9, False, [(1, 60, "contract"), (1, 30, "overtricks")]),
        (Contract(3, "nt", 0, 1), 9, False, [(0, 100, "contract")]),
        (Contract(4, "s", 0, 2), 10, True, [(0, 240, "contract"), (0, 50, "insult")]),
        (Contract(6, "d", 0, 1), 12, True, [(0, 120, "contract"), (0, 750, "slam")]),
        (Contract(5, "c", 3, 2), 8, False, [(0, 500, "undertricks")]),
    ],
)
def test_rubber_points(contract: Contract, tricks: int, vulnerable: bool, points: list[tuple[int, int, str]]) -> None:
    """Examples of the scoring table in the Laws of Rubber Bridge."""
    assert scored(contract, tricks, vulnerable, scoring="rubber") == points


def test_part_scores_add_up_to_a_game_and_two_games_win_the_rubber() -> None:
    game: Any = Bridge(("Ann", "Bo", "Cy", "Dee"), 0, {"scoring": "rubber"})
    made = iter([10, 8, 9, 10, 9])
    game.tricks_after_revokes = lambda side: next(made)
    standings = []
    for contract in (
        Contract(2, "s", 0, 1),
        Contract(2, "c", 0, 1),
        Contract(3, "nt", 1, 1),
        Contract(4, "h", 0, 1),
    ):
        game.count_hand(contract)
        game.end_or_go_on(redeal=False)
        standings.append(tuple(game.standing))
    assert standings == [(1, (0, 0), (60, 0)), (2, (1, 0), (0, 0)), (3, (1, 1), (0, 0)), (4, (2, 1), (0, 0))]
    assert game.match.scores == [60 + 60 + 40 + 120 + 500, 100]
    assert game.match.over and game.match.winners == (0,)


def test_a_rubber_won_without_a_game_of_the_others_scores_700() -> None:
    standing = Standing(3, (1, 0))
    game: Any = Bridge(("Ann", "Bo", "Cy", "Dee"), 0, {"scoring": "rubber"})
    game.match.more["standing"] = standing
    assert game.bonus(Contract(3, "nt", 0, 1), 0, True) == (700, "rubber")


@pytest.mark.parametrize(
    ("deals", "below", "contract", "bonus"),
    [
        (0, (0, 0), Contract(3, "nt", 0, 1), (300, "game")),
        (1, (40, 0), Contract(2, "s", 0, 1), (300, "game")),
        (1, (0, 40), Contract(2, "s", 0, 1), (0, "part-score")),
        (3, (0, 0), Contract(1, "nt", 0, 1), (100, "part-score")),
        (3, (60, 0), Contract(1, "nt", 0, 1), (300, "game")),
    ],
)
def test_chicago(deals: int, below: tuple[int, int], contract: Contract, bonus: tuple[int, str]) -> None:
    """The rules of four-deal bridge in the Laws of Contract Bridge."""
    game: Any = Bridge(("Ann", "Bo", "Cy", "Dee"), 0, {})
    game.match.more["standing"] = Standing(deals, (0, 0), below)
    assert game.bonus(contract, 0, vulnerable=False) == bonus


def test_a_chicago_is_four_deals_and_a_passed_out_one_is_dealt_again() -> None:
    table = table_of("bridge", 4, 2)
    call(table, "pass pass pass pass")
    assert table.view().dealer == 2 and dict(table.view().facts)["deal"] == "1 of 4"
    vulnerable = []
    for _ in range(4):
        vulnerable.append(dict(table.view().facts)["vulnerable"])
        call(table, "1c pass pass pass")
        declarer = rules_of(table).contract.declarer  # type: ignore[attr-defined]
        leader, suit = table.turn, "SHDC"
        do(table, f"{leader} play 2{suit[0]}", f"{declarer} say claim", f"{declarer} say 7")
        do(table, f"{(declarer + 1) % 4} say accept", f"{(declarer + 3) % 4} say accept")
    assert vulnerable == ["nobody", "Bo and Dee", "Ann and Cy", "all"]
    assert table.over


STANDARD_VULNERABILITY: Final = "0123 1230 2301 3012".replace(" ", "")


def test_the_number_of_the_board_gives_dealer_and_vulnerability() -> None:
    table = table_of("bridge", 4, 0, scoring="duplicate", boards=16)
    names = {"nobody": 0, "Ann and Cy": 1, "Bo and Dee": 2, "all": 3}
    found = []
    for board in range(16):
        facts = dict(table.view().facts)
        assert (table.view().dealer, facts["board"]) == (board % 4, str(board + 1))
        found.append(str(names[facts["vulnerable"]]))
        call(table, "pass pass pass pass")
    assert "".join(found) == STANDARD_VULNERABILITY
    assert table.over and table.winners == (0, 1) and table.result == {"tricks": [None] * 16}


def scored_honours(scoring: str, strain: str) -> list[int]:
    """What the honours of seat 0 score in a contract at level 7 that it makes."""
    table = dealt(*ONE_SUIT_EACH, honours=True, scoring=scoring)
    call(table, f"7{strain} pass pass pass")
    game = rules_of(table)
    game.tricks_after_revokes = lambda side: 13
    game.count_hand(game.contract)
    return [point.points for point in game.points if (point.seat, point.reason) == (0, "honours")]


@pytest.mark.parametrize(("strain", "points"), [("s", {0: 150, 1: 0}), ("h", {0: 0, 1: 150}), ("nt", {0: 0, 1: 0})])
def test_honours(strain: str, points: dict[int, int]) -> None:
    table = dealt(*ONE_SUIT_EACH, honours=True)
    call(table, f"7{strain} pass pass pass")
    game = rules_of(table)
    assert {seat: game.honours(seat) for seat in points} == points
    assert scored_honours("chicago", strain) == [points[0]] * (points[0] > 0)
    assert scored_honours("duplicate", strain) == []


@pytest.mark.parametrize(
    ("options", "score"),
    [({}, 1510), ({"honours": True}, 1660), ({"scoring": "duplicate", "honours": True}, 1510)],
)
def test_honours_count_with_the_option_and_not_in_duplicate(options: dict[str, object], score: int) -> None:
    """Seven spades with every spade: 210, the grand slam 1000, the game 300, and honours 150."""
    table = dealt(*ONE_SUIT_EACH, **options)
    call(table, "7s pass pass pass")
    while table.scores == (0, 0):
        table.do(next(action for action in table.legal_actions() if action.do == "play"))
    assert table.scores == (score, 0)


def test_a_part_score_is_kept_for_the_side_that_made_it() -> None:
    game: Any = Bridge(("Ann", "Bo", "Cy", "Dee"), 0, {"scoring": "rubber"})
    game.match.more["standing"] = Standing(3, (0, 0), (40, 20))
    assert game.bonus(Contract(2, "c", 1, 1), 1, False) == (0, "part-score")  # no bonus in the fourth deal of a rubber
    assert game.standing.below == (40, 60)
    assert ("part-score", "40–60") in game.facts()


@pytest.mark.parametrize(
    ("options", "deals", "games", "over"),
    [
        ({"scoring": "rubber"}, 3, (1, 1), False),
        ({"scoring": "rubber"}, 2, (2, 0), True),
        ({"scoring": "chicago", "boards": 1}, 0, (0, 0), False),
        ({"scoring": "chicago", "boards": 9}, 3, (0, 0), True),
        ({"scoring": "duplicate", "boards": 1}, 0, (0, 0), True),
    ],
)
def test_when_the_game_ends(options: dict[str, object], deals: int, games: tuple[int, int], over: bool) -> None:
    game: Any = Bridge(("Ann", "Bo", "Cy", "Dee"), 0, options)
    game.match.more["standing"], game.made = Standing(deals, games), 7
    game.end_or_go_on(redeal=False)
    assert game.match.over is over
