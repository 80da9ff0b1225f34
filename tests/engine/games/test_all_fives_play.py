"""All Fives from the first lead: tricks, counting, corrections, revokes, exposed cards."""

from __future__ import annotations

from engine.table import Table
from tests.engine.games.all_fives_tables import ANN, BO, barred, hidden, known
from tests.engine.talk import do, events, points, refusal


def test_highest_trump_else_highest_of_the_suit_led() -> None:
    table = hidden(3)
    assert events(do(table, "1 play 9H", "2 play AS", "0 play 10H")) == ["trick 0"]
    assert table.turn == 0
    assert events(do(table, "0 play AH", "1 play 3C", "2 play 4C")) == ["trick 2"]


def test_a_known_hand_must_follow_suit() -> None:
    table = known(ANN, BO)
    do(table, "1 play QS")
    assert refusal(table, "0 play 3H") == "must-follow-suit"
    assert refusal(table, "0 play 5C") == "must-follow-suit"  # trumping when able to follow
    assert refusal(table, "0 play 2S") == "not-in-hand"
    assert refusal(table, "0 play JS") == "already-seen"  # known in the other hand
    assert refusal(table, "0 play QS") == "already-seen"  # on the table
    assert refusal(table, "0 play 2C") == "already-seen"  # turned up
    assert refusal(table, "1 play JS") == "not-your-turn"
    assert refusal(table, "1 play 1S") == "no-such-card"
    assert {str(each.card) for each in table.legal_actions() if each.do == "play"} == {"AS", "KS"}
    do(table, "0 play KS", "0 play 3H", "1 play AH")


def test_words_that_may_be_said_during_the_play() -> None:
    table = hidden()
    assert refusal(table, "1 say stand") == "no-such-word"
    assert refusal(table, "1 say hello") == "no-such-word"
    assert refusal(table, "0 say stand") == "no-such-word"
    for foreign in ("1 give AS", "1 take AS", "1 bid AS", "1 show AS", "turn AS", "1 cut AS"):
        assert refusal(table, foreign) == "wrong-phase"


def test_the_hand_is_counted_at_its_last_card() -> None:
    table = known("AS KS 3H 4H 5C 10C", "QS JS AH KH AC QC")
    do(table, "1 play QS", "0 play KS", "0 play 5C", "1 play QC", "1 play AC", "0 play 10C")
    do(table, "1 play AH", "0 play 3H", "1 play KH", "0 play 4H", "1 play JS")
    assert table.turn == 0
    outcome = do(table, "0 play AS")
    assert events(outcome) == ["trick 0", "hand-over"]
    assert points(outcome) == [(1, 4, "ace"), (1, 2, "queen"), (1, 10, "ten"), (1, 5, "five")]
    assert (table.scores, table.phase, table.turn) == ((0, 21), "deal", None)
    assert table.view().dealer == 1


def test_points_are_listed_in_seat_order_from_eldest() -> None:
    table = hidden(3)
    do(table, "1 play AC", "2 play JC", "0 play 3C", "1 play 2S", "2 play 3S", "0 play 10C")
    for rank, leader in zip("456", (0, 0, 0), strict=True):
        do(table, f"{leader} play {rank}H", f"1 play {rank}D", f"2 play {rank}S")
    outcome = do(table, "0 play KC", "1 play 8D", "2 play 9D")
    assert points(outcome) == [(1, 4, "ace"), (1, 1, "jack"), (0, 3, "king"), (0, 10, "ten")]


def test_the_card_last_played_may_be_taken_back() -> None:
    table = hidden(3)
    assert refusal(table, "1 withdraw AS") == "wrong-phase"
    do(table, "1 play AS")
    assert refusal(table, "1 withdraw KS") == "wrong-phase"
    assert refusal(table, "1 withdraw 1S") == "no-such-card"
    assert refusal(table, "2 withdraw AS") == "not-your-turn"
    do(table, "2 play 3H")
    assert refusal(table, "1 withdraw AS") == "not-your-turn"
    do(table, "2 withdraw 3H")
    assert table.turn == 2
    do(table, "1 withdraw AS")  # and then the lead
    assert table.turn == 1
    assert refusal(table, "1 withdraw AS") == "wrong-phase"
    assert refusal(table, "2 play AS") == "not-your-turn"


def test_a_trick_may_be_changed_until_gathered_or_the_next_lead() -> None:
    table = hidden()
    assert events(do(table, "1 play AS", "0 play 3H")) == ["trick 1"]
    assert refusal(table, "0 gather") == "not-your-turn"
    assert refusal(table, "1 gather") == ""
    do(table, "0 withdraw 3H")
    assert events(do(table, "0 play 4C")) == ["trick 0"]
    do(table, "0 gather")
    assert refusal(table, "0 gather") == "wrong-phase"
    assert refusal(table, "0 withdraw 4C") == "wrong-phase"
    do(table, "0 play 5H")
    do(table, "0 withdraw 5H")
    assert refusal(table, "0 gather") == "wrong-phase"  # the lead has turned the trick over
    assert refusal(table, "0 withdraw 5H") == "wrong-phase"


def test_a_card_taken_back_stays_known() -> None:
    table = hidden(3)
    do(table, "1 play AS", "2 play 3H", "2 withdraw 3H", "2 play KS")
    assert refusal(table, "0 play 3H") == "already-seen"
    do(table, "0 play 4S", "1 play AH")
    assert refusal(table, "2 play 9C") == "must-follow-suit"
    assert refusal(table, "2 play KH") == ""


def test_the_last_trick_may_be_gathered_until_the_next_deal() -> None:
    def over() -> Table:
        table = known("AS KS 3H 4H 5C 6C", "QS JS AH KH AC QC")
        do(table, "1 play QS", "0 play KS", "0 play 5C", "1 play QC", "1 play AC", "0 play 6C")
        do(table, "1 play AH", "0 play 3H", "1 play KH", "0 play 4H", "1 play JS", "0 play AS")
        return table

    table = over()
    assert refusal(table, "0 withdraw AS") == "wrong-phase"
    assert refusal(table, "1 gather") == "not-your-turn"
    assert refusal(table, "0 expose AS") == "wrong-phase"
    assert refusal(table, "1 say revoke 0 AH") == "bad-call"
    do(table, "0 gather")
    assert refusal(table, "0 gather") == "wrong-phase"
    for later in ("turn 3S", "0 deal AS KS QS JS 10S 9S"):
        table = over()
        do(table, later)
        assert refusal(table, "0 gather") == "wrong-phase"


def test_undo_from_the_end_of_the_game_to_its_start() -> None:
    table = barred(3, revoke_bonus=True)
    done = len(table.actions)
    assert table.over
    for left in range(done - 1, -1, -1):
        assert points(do(table, "undo")) == []
        assert len(table.actions) == left and not table.over
    assert (table.phase, table.scores) == ("deal", (0, 0))
    assert refusal(table, "undo") == "nothing-to-undo"
