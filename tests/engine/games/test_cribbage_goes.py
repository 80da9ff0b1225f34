"""Cribbage: goes that are said or implied, and the start of the next count."""

from __future__ import annotations

from engine.table import Table
from tests.engine.games.cribbage_tables import dealt, hidden
from tests.engine.talk import do, events, legal, points, refusal, table_of


def test_after_every_go_the_last_to_play_scores_and_the_next_leads() -> None:
    table = dealt("KS QS JS 10S 2C 3C", "KH QH JH 10H 2D 3D", "AC")
    do(table, "1 play KH", "0 play KS", "1 play QH")
    assert refusal(table, "1 say go") == "not-your-turn"
    assert points(do(table, "0 say go")) == []
    assert table.turn == 1
    assert points(do(table, "1 say go")) == [(1, 1, "go")]
    assert table.turn == 0


def test_a_go_that_names_a_card_is_refused() -> None:
    table = dealt("KS QS JS 10S 2C 3C", "KH QH JH 10H 2D 3D", "AC")
    do(table, "1 play KH", "0 play KS", "1 play QH")
    assert refusal(table, "0 say go QS") == "no-such-card"
    assert (table.view(0).hands[0].size, table.turn) == (3, 0)


def test_a_player_who_can_play_must_play() -> None:
    table = dealt()
    assert refusal(table, "1 say go") == "must-play"
    do(table, "1 play QD", "0 play KD", "1 play 9H")
    assert legal(table) == ["say go"]
    assert refusal(table, "1 say go") == "not-your-turn"
    assert refusal(table, "0 say Go?") == "no-such-word"
    do(table, "0 say go")


def test_a_hidden_hand_cannot_go_while_every_card_fits() -> None:
    table = hidden()
    do(table, "1 play KH", "0 play KS", "1 play AH")  # 21: tens fit still
    assert refusal(table, "0 say go") == "must-play"
    assert table.view().words == ((), ())
    do(table, "0 play AS")
    assert "say go" in legal(table)
    assert table.view().words == ((), ("go",))


def test_every_go_may_be_left_out() -> None:
    table = dealt("KS QS JS 10S 2C 3C", "KH QH JH 10H 2D 3D", "AC")
    do(table, "1 play KH", "0 play KS", "1 play QH")
    assert points(do(table, "0 play QS")) == [(1, 1, "go")]
    assert points(do(table, "1 play JH")) == []


def test_a_play_implies_the_go_of_the_seat_that_it_skips() -> None:
    table = dealt("KS QS JS 10S 2C 3C", "KH QH AH 10H 2D 3D", "AC")
    do(table, "1 play KH", "0 play KS", "1 play QH")
    assert points(do(table, "1 play AH")) == [(1, 2, "thirty-one")]
    assert table.turn == 0


def test_a_known_hand_that_can_play_cannot_be_skipped() -> None:
    table = dealt("KS QS JS AS 2C 3C", "KH QH AH 10H 2D 3D", "AC")
    do(table, "1 play KH", "0 play KS", "1 play QH")
    assert refusal(table, "1 play AH") == "not-your-turn"
    assert refusal(table, "0 play QS") == "over-31"


def test_a_hidden_hand_cannot_be_skipped_while_every_card_fits() -> None:
    table = hidden()
    do(table, "1 play KH", "0 play 9S")
    assert refusal(table, "0 play 2S") == "not-your-turn"
    do(table, "1 play 3D")
    assert refusal(table, "1 play 2S") == ""


def test_the_seat_that_leads_next_may_begin_after_its_own_go() -> None:
    table = hidden(3)
    do(table, "1 play KH", "2 play KS", "0 play 9D", "1 say go")
    assert (table.turn, refusal(table, "0 play KC"), refusal(table, "2 play KC")) == (2, "over-31", "over-31")
    assert refusal(table, "2 play 2C") == "", "its turn"
    assert points(do(table, "1 play KC")) == [(0, 1, "go")]
    assert table.turn == 2


def test_the_seat_that_leads_next_may_begin_with_a_card_that_its_go_denied() -> None:
    table = table_of("cribbage", 2, 1)
    do(table, "turn AC", "0 play 10H", "1 play 10S", "0 play 3H")
    do(table, "1 say go", "0 play 2S")
    outcome = do(table, "1 play 5D")
    assert (points(outcome), events(outcome)) == ([(0, 1, "go")], ["revoke-proven 1 5D"])
    assert (dict(table.view().facts)["count"], table.turn) == ("5", 0)


def test_the_next_count_cannot_begin_while_a_known_hand_can_play() -> None:
    table = table_of("cribbage", 3, 2)
    do(table, "2 deal AS 2S 3S 4S 5S", "2 discard 5S", "turn 9C")
    do(table, "0 play KH", "1 play KS", "2 play 4S")
    assert refusal(table, "0 play QH") == "over-31"
    do(table, "0 say go")
    assert refusal(table, "0 play QH") == "not-your-turn"
    do(table, "1 say go", "2 play 3S")
    assert table.turn == 2


PLAYED_TO_28 = ("0 play KH", "1 play 8S", "2 play QS", "0 say go")


def known_dealer(dealt: str, *done: str) -> Table:
    """Three players after some plays; only the hand of the dealer, seat 2, is known."""
    table = table_of("cribbage", 3, 2)
    do(table, f"2 deal {dealt}", f"2 discard {dealt.split()[-1]}", "turn 9C", *done)
    return table


def test_after_all_hidden_hands_go_the_leader_begins_with_any_card() -> None:
    table = known_dealer("QS KS JS 10S 9S", *PLAYED_TO_28)
    assert refusal(table, "1 play 2H") == "", "its turn"
    do(table, "1 say go")
    assert (table.turn, legal(table)) == (2, ["say go"])  # the known hand may still say it
    assert refusal(table, "1 play 2H") == "not-your-turn"  # seat 0 leads next
    assert refusal(table, "2 play KS") == "over-31"
    outcome = do(table, "0 play 2H")
    assert (points(outcome), events(outcome)) == ([(2, 1, "go")], ["revoke-proven 0 2H"])
    assert (dict(table.view().facts)["count"], table.turn) == ("2", 1)
    assert events(do(table, "1 play 4H")) == []  # it has denied threes and lower
    assert events(do(table, "2 play KS", "0 play 7H", "1 play 3H")) == ["revoke-proven 1 3H"]


def test_the_next_count_may_begin_with_a_card_that_passes_31() -> None:
    table = known_dealer("QS KS JS 10S 9S", *PLAYED_TO_28, "1 say go")
    outcome = do(table, "0 play 9H")
    assert (points(outcome), events(outcome), table.turn) == ([(2, 1, "go")], [], 1)


def test_a_known_hand_that_can_play_keeps_the_count_going() -> None:
    table = known_dealer("QS KS JS AS 9S", *PLAYED_TO_28, "1 say go")
    assert refusal(table, "0 play 2H") == "not-your-turn"
    assert refusal(table, "0 play 9H") == "not-your-turn"
    assert points(do(table, "2 play AS")) == []
    assert points(do(table, "0 play 2H")) == [(2, 1, "go")]


def test_the_point_for_an_implied_go_may_end_the_game() -> None:
    table = table_of("cribbage", 3, 2, target=1)
    do(table, "2 deal QS KS JS 10S 9S", "2 discard 9S", "turn 9C", *PLAYED_TO_28, "1 say go")
    outcome = do(table, "0 play 2H")
    assert (points(outcome), events(outcome)) == ([(2, 1, "go")], ["game-over"])


def test_of_two_players_the_one_who_said_go_begins_the_next_count() -> None:
    table = table_of("cribbage", 2, 0)
    do(table, "0 deal KS QS JS 6S 2C 3C", "0 discard 2C 3C", "turn AC")
    do(table, "1 play KH", "0 play KS", "1 play 2H", "0 play 6S", "1 say go")
    assert table.turn == 0
    assert refusal(table, "1 play 3C") == "already-seen"  # laid away by name
    outcome = do(table, "1 play 3H")  # it would have made 31
    assert (points(outcome), events(outcome)) == ([(0, 1, "go")], ["revoke-proven 1 3H"])
    assert (dict(table.view().facts)["count"], table.turn) == ("3", 0)


def test_a_seat_without_cards_is_skipped_and_may_score_the_go() -> None:
    table = dealt("AS 2S 3S 4S 5S 6S", "KH QH JH 10H 5C 6C", "9C")
    do(table, "1 play KH", "0 play AS", "1 play QH", "0 play 2S", "1 say go", "0 play 3S")
    outcome = do(table, "0 play 4S")
    assert points(outcome) == [(0, 3, "run"), (0, 1, "go")]
    assert table.turn == 1
    do(table, "1 play JH")
    assert points(do(table, "1 play 10H"))[0] == (1, 1, "last-card")


def test_a_card_denied_by_a_go_proves_a_revoke_without_a_penalty() -> None:
    table = hidden(target=121)
    do(table, "1 play KH", "0 play KS", "1 play 2H", "0 say go")  # at 22: no nine or lower
    outcome = do(table, "1 play 9H", "0 play 9S")
    assert events(outcome) == ["revoke-proven 0 9S"]
    assert table.scores == (2, 2)
    assert events(do(table, "1 play 4C", "0 play 3S")) == ["revoke-proven 0 3S"]


def test_an_implied_go_denies_cards_too() -> None:
    table = hidden()
    do(table, "1 play KH", "0 play KS", "1 play 5H", "1 play 6H", "0 play 7C")
    assert refusal(table, "1 play 7D") == ""
    assert events(do(table, "1 play 10D", "0 play 5C")) == ["revoke-proven 0 5C"]


def test_a_go_denies_cards_only_in_its_own_deal() -> None:
    table = hidden()
    do(table, "1 play KH", "0 play KS", "1 play 2H", "0 say go", "1 play 9H")
    do(table, "0 play QD", "1 play QS", "0 play QC", "0 play JD")
    assert table.phase == "show"
    do(table, "crib show 4C 4D 4H 4S", "turn AC", "0 play 3C")
    assert table.view().events == ()


def test_the_card_is_not_counted_if_the_implied_go_ends_the_game() -> None:
    table = dealt("KS QS JS 10S 2C 3C", "KH QH JH 10H 2D 3D", "AC", target=3)
    do(table, "1 play KH")
    assert points(do(table, "0 play KS")) == [(0, 2, "pair")]
    do(table, "1 play QH")
    table = dealt("KS QS JS 10S 2C 3C", "KH QH JH 10H 2D 3D", "AC", target=1)
    do(table, "1 play JH", "0 play KS", "1 play 10H")
    outcome = do(table, "0 play QS")
    assert (points(outcome), events(outcome)) == ([(1, 1, "go")], ["game-over"])
    assert table.scores == (0, 1)
