"""All Fives before the first lead: the cut, dealing, begging, running the cards, laying away."""

from __future__ import annotations

import pytest

from engine.errors import HeaderError
from engine.record import Header
from engine.table import Table
from tests.engine.talk import all_fives, do, events, points, refusal

SPADES = "AS KS QS JS 10S 9S"
HEARTS = "AH KH QH JH 10H 9H"


def test_highest_cut_deals_ace_high() -> None:
    table = all_fives(3, dealer=None)
    assert (table.phase, table.turn) == ("cut", None)
    do(table, "1 cut KH", "0 cut 2S", "2 cut AC")
    assert table.phase == "deal"
    assert table.view().dealer == 2


def test_players_who_tie_cut_again_from_the_whole_pack() -> None:
    table = all_fives(3, dealer=None)
    do(table, "1 cut KH", "0 cut 2S", "2 cut KC")
    assert refusal(table, "0 cut AS") == "not-your-turn"
    do(table, "2 cut KH")
    assert refusal(table, "2 cut AS") == "not-your-turn"
    assert refusal(table, "1 cut KH") == "already-seen"
    do(table, "1 cut 2S")
    assert table.view().dealer == 2
    do(table, "turn KH")


def test_invalid_cuts() -> None:
    table = all_fives(2, dealer=None)
    do(table, "0 cut KH")
    assert refusal(table, "0 cut 1S") == "no-such-card"
    assert refusal(table, "0 cut KH") == "not-your-turn"
    assert refusal(table, "1 cut KH") == "already-seen"
    for other in ("turn KH", f"0 deal {SPADES}", "0 play KH", "0 say stand", "0 gather", "0 expose AS", "0 show AS"):
        assert refusal(table, other) == "wrong-phase"
    assert refusal(table, "0 say revoke 1 AS") == "bad-call"
    assert refusal(table, "0 say call AS") == "bad-call"
    assert refusal(table, "0 say call 1S") == "no-such-card"


def test_there_is_no_cut_if_the_dealer_is_named() -> None:
    assert refusal(all_fives(), "0 cut AS") == "wrong-phase"


def test_each_seat_is_dealt_once_before_the_turn_up_in_any_order() -> None:
    table = all_fives()
    do(table, f"1 deal {SPADES}")
    assert refusal(table, f"1 deal {HEARTS}") == "wrong-phase"
    do(table, f"0 deal {HEARTS}")
    assert (table.phase, table.turn) == ("turn", None)
    assert refusal(table, "turn AS") == "already-seen"
    do(table, "turn 2C")
    assert refusal(table, "0 deal 2D 3D 4D 5D 6D 7D") == "wrong-phase"


def test_invalid_deals() -> None:
    table = all_fives()
    do(table, f"1 deal {SPADES}")
    assert refusal(table, "0 deal AH KH QH JH 10H") == "wrong-count"
    assert refusal(table, "0 deal AH KH QH JH 10H 9H 8H") == "wrong-count"
    assert refusal(table, "0 deal AH KH QH JH 10H 1H") == "no-such-card"
    assert refusal(table, "0 deal AH KH QH JH 1H") == "no-such-card"
    assert refusal(table, "0 deal AH KH QH JH 10H AH") == "already-seen"
    assert refusal(table, "0 deal AH KH QH JH 10H AS") == "already-seen"


def test_eldest_may_stand_or_beg() -> None:
    table = all_fives(3, dealer=1)
    do(table, "turn 2C")
    assert (table.phase, table.turn) == ("say", 2)
    assert refusal(table, "2 say change") == "no-such-word"
    assert refusal(table, "0 say change") == "not-your-turn"
    assert refusal(table, "0 say hello") == "no-such-word"
    assert refusal(table, "2 play AS") == "wrong-phase"
    assert refusal(table, "2 say revoke 1 AS") == "bad-call"
    do(table, "2 say stand")
    assert (table.phase, table.turn) == ("play", 2)


def test_take_one_scores_a_point_for_eldest_and_keeps_the_turn_up() -> None:
    table = all_fives()
    do(table, "turn 2C", "1 say beg")
    assert (table.phase, table.turn) == ("say", 0)
    assert refusal(table, "1 say take-one") == "not-your-turn"
    assert refusal(table, "0 say stand") == "no-such-word"
    assert points(do(table, "0 say take-one")) == [(1, 1, "beg")]
    assert (table.scores, table.phase, table.turn) == ((0, 1), "play", 1)
    assert table.view().trump == "C"


def test_the_point_for_the_beg_can_win_the_game() -> None:
    table = all_fives(target=1)
    outcome = do(table, "turn 2C", "1 say beg", "0 say take-one")
    assert events(outcome) == ["game-over"]
    assert (table.over, table.winners, table.phase, table.turn) == (True, (1,), "over", None)
    assert table.legal_actions() == []
    for late in ("1 play AS", "1 say hello", "0 say revoke 1 AS", "turn 1X", "1 gather", "1 expose AS"):
        assert refusal(table, late) == "wrong-phase"
    do(table, "undo")
    assert (table.over, table.phase, table.turn) == (False, "say", 0)


def test_cards_are_run_until_a_new_suit_is_turned_up() -> None:
    table = all_fives()
    do(table, "turn 2C", "1 say beg", "0 say change")
    assert (table.phase, table.turn) == ("deal", None)
    assert refusal(table, f"0 deal {HEARTS}") == "wrong-count"
    assert refusal(table, "turn 2C") == "already-seen"
    do(table, "turn 3C")
    assert table.turn is None
    do(table, "1 deal AH KH QH", "turn 4H")
    assert (table.phase, table.turn) == ("play", 1)
    assert table.view().trump == "H"
    assert [hand.size for hand in table.view().hands] == [12, 12]


@pytest.mark.parametrize(("players", "runs"), [(2, 5), (3, 3)])
def test_redeal_when_too_few_cards_remain(players: int, runs: int) -> None:
    table = all_fives(players)
    do(table, "turn 2C", "1 say beg", "0 say change")
    for rank in "34567"[: runs - 1]:
        assert events(do(table, f"turn {rank}C")) == []
    assert events(do(table, "turn KC")) == ["redeal"]
    assert (table.phase, table.turn) == ("deal", None)
    assert refusal(table, "0 deal AH KH QH") == "wrong-count"
    do(table, f"0 deal {HEARTS}", "turn KC")
    assert (table.phase, table.turn) == ("say", 1)
    assert table.view().dealer == 0


def test_the_last_run_may_still_settle_trumps() -> None:
    table = all_fives(3)
    do(table, "turn 2C", "1 say beg", "0 say change", "turn 3C", "turn 4C")
    assert events(do(table, "turn 5H")) == []
    assert [hand.size for hand in table.view().hands] == [15, 15, 15]


def changed(players: int = 2, **options: object) -> Table:
    """After `change`, nine cards each, hearts trumps."""
    table = all_fives(players, discard_to_six=True, **options)
    do(table, "turn 2C", "1 say beg", "0 say change", "turn 2H")
    return table


def test_hidden_hands_may_lay_away_until_the_first_lead() -> None:
    table = changed()
    assert (table.phase, table.turn) == ("play", 1)
    do(table, "1 discard")
    assert refusal(table, "1 discard") == "wrong-phase"
    assert refusal(table, "0 discard 3S 4S") == "wrong-count"
    assert refusal(table, "0 discard 3S 4S 2H") == "already-seen"
    assert refusal(table, "0 discard 3S 4S 3S") == "already-seen"
    assert refusal(table, "0 discard 3S 4S 1S") == "no-such-card"
    assert [hand.size for hand in table.view().hands] == [9, 6]
    do(table, "1 play AS")
    assert refusal(table, "0 discard") == "wrong-phase"
    assert [hand.size for hand in table.view().hands] == [6, 5]


def test_a_known_hand_must_lay_away_before_the_lead() -> None:
    table = all_fives(discard_to_six=True)
    do(table, f"0 deal {SPADES}", "turn 2C", "1 say beg", "0 say change", "0 deal 2S 3S 4S", "turn 2H")
    assert (table.phase, table.turn) == ("discard", None)
    assert refusal(table, "1 play AH") == "wrong-phase"
    assert refusal(table, "1 expose AH") == "wrong-phase"
    assert refusal(table, "1 say stand") == "wrong-phase"
    assert refusal(table, "1 say revoke 0 AS") == "bad-call"
    assert refusal(table, "0 discard") == "wrong-count"
    assert refusal(table, "0 discard 2S 3S AH") == "not-in-hand"
    assert refusal(table, "0 discard 2S 3S 2C") == "already-seen"
    assert refusal(table, "1 discard 2S 3S 4C") == "already-seen"
    do(table, "1 discard 3C 4C 5C")
    assert table.phase == "discard"
    do(table, "0 discard 2S 3S 4S")
    assert (table.phase, table.turn) == ("play", 1)
    assert refusal(table, "1 play 3C") == "already-seen"
    assert refusal(table, "1 expose 2S") == "already-seen"


def test_hands_are_laid_away_only_with_the_option_and_more_than_six_cards() -> None:
    table = all_fives(discard_to_six=True)
    do(table, "turn 2C", "1 say stand")
    assert refusal(table, "1 discard") == "wrong-phase"
    table = all_fives()
    do(table, "turn 2C", "1 say beg", "0 say change", "turn 2H")
    assert refusal(table, "1 discard 3S 4S 5S") == "wrong-phase"


def test_an_unnamed_discard_clears_the_known_cards_of_a_hidden_hand() -> None:
    def dealt() -> Table:
        table = all_fives(discard_to_six=True)
        do(table, "turn 2C", "1 say beg", "0 say change", "0 deal 2S 3S 4S", "turn 2H")
        return table

    table = dealt()
    do(table, "1 play AS")
    assert refusal(table, "0 play AD") == ""  # no discard was recorded: six unknown cards
    table = dealt()
    do(table, "0 discard", "1 play AS")
    assert refusal(table, "0 play AD") == ""
    table = dealt()
    do(table, "0 discard 5S 6S 4S", "1 play AS")
    assert refusal(table, "0 play AD") == "must-follow-suit"
    assert refusal(table, "0 play 4S") == "already-seen"
    assert refusal(table, "0 play 2S") == ""


def test_a_hand_is_hidden_if_one_round_of_dealing_was_not_named() -> None:
    table = all_fives()
    do(table, f"1 deal {HEARTS}", "turn 2C", "1 say beg", "0 say change", "turn 2H")
    assert refusal(table, "1 play AS") == ""
    assert refusal(table, "0 play AH") == "not-your-turn"
    do(table, "1 play AS")
    assert refusal(table, "0 play AH") == "already-seen"  # known to be in the other hand


@pytest.mark.parametrize(
    ("header", "word"),
    [
        (Header("all-fives", ("Ann",)), "2 or 3"),
        (Header("all-fives", ("Ann", "Bo", "Cy", "Di")), "2 or 3"),
        (Header("all-fives", ("Ann", "Bo"), dealer=2), "0 to 1"),
        (Header("all-fives", ("Ann", "Bo"), options={"goal": 3}), "goal"),
        (Header("all-fives", ("Ann", "Bo"), options={"target": 0}), "from 1"),
        (Header("all-fives", ("Ann", "Bo"), options={"target": True}), "from 1"),
        (Header("all-fives", ("Ann", "Bo"), options={"target": "61"}), "from 1"),
        (Header("all-fives", ("Ann", "Bo"), options={"revoke_bonus": 1}), "true or false"),
        (Header("old-maid", ("Ann", "Bo")), "all-fives"),
    ],
)
def test_invalid_headers(header: Header, word: str) -> None:
    with pytest.raises(HeaderError, match=word):
        Table(header)
