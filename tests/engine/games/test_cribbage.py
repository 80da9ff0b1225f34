"""Cribbage: the rulings, one by one, and the hard cases."""

from __future__ import annotations

import pytest

from tests.engine.games.cribbage_tables import ANN, BO, dealt, hidden
from tests.engine.talk import do, events, legal, points, refusal, table_of


def test_the_lowest_card_cut_deals_and_aces_are_low() -> None:
    table = table_of("cribbage", 3, None)
    do(table, "0 cut KS", "1 cut AS")
    assert refusal(table, "1 cut 2S") == "not-your-turn"
    assert refusal(table, "2 cut AS") == "already-seen"
    do(table, "2 cut AD")
    assert table.phase == "cut"
    assert refusal(table, "0 cut 2S") == "not-your-turn"
    do(table, "1 cut KS", "2 cut QS")
    assert (table.view().dealer, table.phase, table.turn) == (2, "deal", None)


@pytest.mark.parametrize(("players", "count", "away"), [(2, 6, 2), (3, 5, 1), (4, 5, 1)])
def test_the_numbers_of_cards_dealt_and_laid_away(players: int, count: int, away: int) -> None:
    table = table_of("cribbage", players)
    cards = ["AS", "2S", "3S", "4S", "5S", "6S", "7S"]
    for wrong in (count - 1, count + 1):
        assert refusal(table, f"1 deal {' '.join(cards[:wrong])}") == "wrong-count"
    do(table, f"1 deal {' '.join(cards[:count])}")
    for wrong in range(4):
        if wrong != away:
            assert refusal(table, f"1 discard {' '.join(cards[:wrong])}") == "wrong-count"
    do(table, f"1 discard {' '.join(cards[:away])}", "turn KH")
    assert [hand.size for hand in table.view().hands] == [4] * players


def test_each_hand_is_dealt_and_laid_away_from_once_in_any_order() -> None:
    table = table_of("cribbage")
    do(table, "1 discard")
    assert refusal(table, f"1 deal {BO}") == "wrong-phase"
    assert refusal(table, "1 discard") == "wrong-phase"
    do(table, f"0 deal {ANN}")
    assert refusal(table, f"0 deal {ANN}") == "wrong-phase"
    assert refusal(table, "0 discard") == "wrong-count"
    assert refusal(table, "0 discard 2C KH") == "not-in-hand"
    assert refusal(table, "0 discard 2C 2C") == "already-seen"
    assert refusal(table, "0 discard 2C 5X") == "no-such-card"
    do(table, "0 discard 2C 3C", "turn 5H")
    assert refusal(table, "0 discard 2C 3C") == "wrong-phase"


def test_only_known_hands_must_discard_before_the_starter() -> None:
    table = table_of("cribbage")
    do(table, f"0 deal {ANN}")
    assert refusal(table, "turn KH") == "wrong-phase"
    assert refusal(table, "1 play KH") == "wrong-phase"
    assert refusal(table, "1 say go") == "wrong-phase"
    do(table, "0 discard 2C 3C")
    assert refusal(table, "turn 2C") == "already-seen"
    assert refusal(table, "turn 4S") == "already-seen"
    do(table, "turn KH")
    assert (table.phase, table.turn) == ("play", 1)


def test_cards_that_a_hidden_hand_discards_by_name_cannot_be_played() -> None:
    table = table_of("cribbage")
    do(table, "1 discard 7H 8H", "turn AS")
    assert refusal(table, "1 play 7H") == "already-seen"
    assert "play 7H" not in legal(table)


def test_his_heels_score_two() -> None:
    table = table_of("cribbage", 3, 2)
    assert points(do(table, "turn JS")) == [(2, 2, "heels")]


def test_heels_win_the_game() -> None:
    table = table_of("cribbage", 2, 1, target=2)
    outcome = do(table, "turn JS")
    assert (points(outcome), events(outcome)) == ([(1, 2, "heels")], ["game-over"])
    assert (table.over, table.winners, table.phase, table.turn) == (True, (1,), "over", None)


def test_the_count_goes_to_31_and_begins_again_without_a_point_for_go() -> None:
    table = hidden()
    do(table, "1 play KH", "0 play 9S", "1 play 10H")
    assert points(do(table, "0 play 2S")) == [(0, 2, "thirty-one")]
    assert table.turn == 1
    assert dict(table.view().facts) == {"count": "0"}
    do(table, "1 play 5S")
    assert points(do(table, "0 play 5D")) == [(0, 2, "pair")]


def test_thirty_one_and_a_run_both_score() -> None:
    table = hidden()
    outcome = do(table, "1 play 10H", "0 play 8S", "1 play 6D", "0 play 7C")
    assert points(outcome) == [(0, 2, "thirty-one"), (0, 3, "run")]


def test_a_pair_does_not_span_two_counts() -> None:
    table = hidden()
    do(table, "1 play KH", "0 play KS", "1 play 10H", "0 play AS")
    assert table.turn == 1
    assert points(do(table, "1 play AD")) == []


def test_the_last_card_scores_unless_it_makes_31() -> None:
    table = dealt("AS 2S 3S 5S 9S 9D", "KH QH JH 10H 5C 6C", "9C")
    do(table, "1 play KH", "0 play AS", "1 play QH", "0 play 3S", "0 play 2S", "0 play 5S")
    assert table.turn == 1
    assert [point for point in points(do(table, "1 play JH", "1 play 10H")) if point[2] == "last-card"]
    table = dealt("KS QS AS 10S 9S 9D", "KH QH JH 10H 5C 6C", "9C")
    do(table, "1 play KH", "0 play KS", "1 play QH", "0 play AS", "1 play JH", "0 play QS", "1 play 10H")
    assert refusal(table, "0 play 10S") == ""


def test_no_score_goes_past_the_target() -> None:
    table = hidden(target=3)
    do(table, "1 play 10H", "0 play 8S", "1 play 6D")
    outcome = do(table, "0 play 7C")
    assert points(outcome) == [(0, 2, "thirty-one"), (0, 1, "run")]
    assert (table.scores, table.winners, events(outcome)) == ((3, 0), (0,), ["game-over"])


def test_cards_and_seats_that_are_refused() -> None:
    table = dealt()
    assert refusal(table, "1 play 5X") == "no-such-card"
    assert refusal(table, "0 play 5X") == "no-such-card"
    assert refusal(table, "0 play 7H") == "not-your-turn"
    assert refusal(table, "1 play 4S") == "already-seen"  # named in the other hand
    assert refusal(table, "1 play 2D") == "already-seen"  # in the crib by name
    assert refusal(table, "1 play JC") == "already-seen"  # the starter
    assert refusal(table, "1 play AH") == "not-in-hand"
    for elsewhere in ("1 withdraw 7H", "1 gather", "1 expose 7H", "1 take 7H", "1 give 7H", "1 bid 7H", "crib show 7H"):
        assert refusal(table, elsewhere) == "wrong-phase"


def test_the_legal_actions_are_cards_that_fit_and_a_possible_go() -> None:
    table = dealt("KS QS JS 2S 2C 3C", "KH QH JH 10H 2D 3D", "AC")
    assert legal(table) == ["play KH", "play QH", "play JH", "play 10H"]
    do(table, "1 play KH", "0 play KS", "1 play 10H")
    assert legal(table) == ["say go"]
