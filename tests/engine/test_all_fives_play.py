"""All Fives from the first lead: tricks, counting, corrections, revokes, exposed cards."""

from __future__ import annotations

from engine.table import Table
from tests.engine.talk import action, all_fives, do, events, points, refusal


def hidden(players: int = 2, **options: object) -> Table:
    """Nothing known, clubs trumps, the seat left of seat 0 leads."""
    table = all_fives(players, **options)
    do(table, "turn 2C", "1 say stand")
    return table


def known(ann: str, bo: str, **options: object) -> Table:
    """Both hands known, clubs trumps, Bo leads."""
    table = all_fives(**options)
    do(table, f"0 deal {ann}", f"1 deal {bo}", "turn 2C", "1 say stand")
    return table


ANN = "AS KS 3H 4H 5C 6D"
BO = "QS JS AH KH AC AD"


# Tricks


def test_highest_trump_else_highest_of_the_suit_led() -> None:
    table = hidden(3)
    assert events(do(table, "1 play 9H", "2 play AS", "0 play 10H")) == ["trick 0"]
    assert table.turn == 0
    assert events(do(table, "0 play AH", "1 play 3C", "2 play 4C")) == ["trick 2"]


def test_a_known_hand_must_follow() -> None:
    table = known(ANN, BO)
    do(table, "1 play QS")
    assert refusal(table, "0 play 3H") == "must-follow-suit"
    assert refusal(table, "0 play 5C") == "must-follow-suit"  # trumping while able to follow
    assert refusal(table, "0 play 2S") == "not-in-hand"
    assert refusal(table, "0 play JS") == "already-seen"  # known in the other hand
    assert refusal(table, "0 play QS") == "already-seen"  # on the table
    assert refusal(table, "0 play 2C") == "already-seen"  # turned up
    assert refusal(table, "1 play JS") == "not-your-turn"
    assert refusal(table, "1 play 1S") == "no-such-card"
    assert {str(each.card) for each in table.legal_actions() if each.do == "play"} == {"AS", "KS"}
    do(table, "0 play KS", "0 play 3H", "1 play AH")


def test_words_of_the_play() -> None:
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
    assert table.view(None).dealer == 1


def test_points_come_in_seat_order_from_eldest() -> None:
    table = hidden(3)
    do(table, "1 play AC", "2 play JC", "0 play 3C", "1 play 2S", "2 play 3S", "0 play 10C")
    for rank, leader in zip("456", (0, 0, 0), strict=True):
        do(table, f"{leader} play {rank}H", f"1 play {rank}D", f"2 play {rank}S")
    outcome = do(table, "0 play KC", "1 play 8D", "2 play 9D")
    assert points(outcome) == [(1, 4, "ace"), (1, 1, "jack"), (0, 3, "king"), (0, 10, "ten")]


# Withdrawing and gathering


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


def test_a_complete_trick_is_open_until_gathered_or_led_to() -> None:
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


# Revokes


def test_a_hidden_hand_declares_itself_void_and_is_proved_wrong_once() -> None:
    table = hidden()
    assert events(do(table, "1 play AS", "0 play 3H")) == ["trick 1"]
    assert events(do(table, "1 play KS", "0 play 4H")) == ["trick 1"]  # fails again: one declaration
    assert events(do(table, "1 play AD", "0 play 9S")) == ["revoke-proven 0 9S", "trick 1"]
    assert events(do(table, "1 play KD", "0 play 8S")) == ["trick 1"]  # further spades prove nothing
    assert table.scores == (0, 0)


def test_a_new_failure_can_be_proved_anew() -> None:
    table = hidden()
    do(table, "1 play AS", "0 play 3H", "1 play AD", "0 play 9S")
    do(table, "1 play KS", "0 play 4H")
    assert events(do(table, "1 play KD", "0 play 8S")) == ["revoke-proven 0 8S", "trick 1"]


def test_one_card_can_prove_one_revoke_and_declare_another() -> None:
    table = hidden()
    do(table, "1 play AS", "0 play 3H")
    assert events(do(table, "1 play AD", "0 play 9S")) == ["revoke-proven 0 9S", "trick 1"]
    assert events(do(table, "1 play AH", "0 play 6D")) == ["revoke-proven 0 6D", "trick 1"]


def test_a_failure_taken_back_declares_nothing() -> None:
    table = hidden()
    do(table, "1 play AS", "0 play 3H", "0 withdraw 3H")
    assert events(do(table, "0 play 2S")) == ["trick 1"]


def test_taking_back_keeps_an_earlier_declaration() -> None:
    table = hidden()
    do(table, "1 play AS", "0 play 3H", "1 play KS", "0 play 4H", "0 withdraw 4H")
    assert events(do(table, "0 play 2S")) == ["revoke-proven 0 2S", "trick 1"]


def test_a_proof_taken_back_stays_a_proof() -> None:
    table = hidden()
    do(table, "1 play AS", "0 play 3H", "1 play KS", "0 play 2S", "0 withdraw 2S")
    assert refusal(table, "0 play 4H") == "must-follow-suit"
    assert events(do(table, "0 play 2S")) == ["trick 1"]


def revoked(**options: object) -> Table:
    """Cy, hidden, has played a diamond to Bo's spade; the trick is complete and Bo's."""
    table = hidden(3, **options)
    do(table, "1 play AS", "2 play 3D", "0 play KS")
    return table


def test_an_accepted_call_costs_three_and_turns_the_trick_over() -> None:
    table = revoked()
    outcome = do(table, "0 say revoke 2 9S")
    assert points(outcome) == [(2, -3, "revoke")]
    assert events(outcome) == ["revoke-proven 2 9S"]
    assert (table.scores, table.turn) == ((0, 0, -3), 1)
    assert refusal(table, "1 gather") == "wrong-phase"
    assert refusal(table, "0 withdraw KS") == "wrong-phase"
    assert refusal(table, "1 say revoke 2 8S") == "bad-call"  # a second call of the same revoke
    do(table, "1 play QS")
    assert refusal(table, "2 play 4H") == "must-follow-suit"  # the evidence binds
    assert events(do(table, "2 play 9S")) == []  # and proves nothing new


def test_the_call_may_come_after_the_gathering_until_the_next_lead() -> None:
    table = revoked()
    do(table, "1 gather")
    assert refusal(table, "0 say revoke 2 9S") == ""
    do(table, "1 play QS")
    assert refusal(table, "0 say revoke 2 9S") == "bad-call"
    do(table, "1 withdraw QS")
    assert refusal(table, "0 say revoke 2 9S") == "bad-call"


def test_wrong_calls() -> None:
    table = revoked()
    for wrong in (
        "2 say revoke 2 9S",  # himself
        "1 say revoke 0 9S",  # followed suit
        "1 say revoke 2 9H",  # another suit
        "1 say revoke 2 KS",  # played
        "1 say revoke 2",  # no evidence
        "1 say revoke",  # nobody
    ):
        assert refusal(table, wrong) == "bad-call", wrong
    assert refusal(table, "1 say revoke 2 1S") == "no-such-card"
    do(table, "0 withdraw KS")
    assert refusal(table, "1 say revoke 2 9S") == "bad-call"  # the trick is not complete
    assert refusal(table, "0 play KS") == ""


def test_evidence_that_is_known_to_lie_elsewhere() -> None:
    table = all_fives()
    do(table, "1 deal AS KS 3H 4H 5C 6D", "turn 2C", "1 say stand", "1 play AS", "0 play 3D")
    assert refusal(table, "1 say revoke 0 KS") == "bad-call"
    assert refusal(table, "1 say revoke 0 QS") == ""
    table = known(ANN, "QH JH AH KH AC AD")
    do(table, "1 play QH", "0 play 3H")
    do(table, "1 play AC", "0 play 5C", "1 play JH", "0 play 4H", "1 play KH", "0 play AS")
    assert refusal(table, "1 say revoke 0 9H") == "bad-call"  # the hand is known: it holds no heart


def test_two_revokes_in_one_trick_are_called_one_by_one() -> None:
    table = hidden(3)
    do(table, "1 play AS", "2 play 3D", "0 play 4D", "0 say revoke 2 9S")
    assert points(do(table, "1 say revoke 0 8S")) == [(0, -3, "revoke")]
    assert table.scores == (-3, 0, -3)


def test_the_bonus_goes_to_every_other_player() -> None:
    table = revoked(revoke_bonus=True)
    assert points(do(table, "0 say revoke 2 9S")) == [(0, 3, "revoke"), (1, 3, "revoke")]
    assert table.scores == (3, 3, 0)


def test_a_revoke_shown_by_an_exposed_card_can_still_be_called() -> None:
    table = revoked()
    assert events(do(table, "2 expose 9S")) == ["revoke-proven 2 9S"]
    assert points(do(table, "0 say revoke 2 9S")) == [(2, -3, "revoke")]


def barred(target: int, **options: object) -> Table:
    """Ann revokes in the first trick and is called; she wins all that counts afterwards, and it is 22 points."""
    table = hidden(target=target, **options)
    do(table, "1 play 2S", "0 play 4C", "1 say revoke 0 9S")
    do(table, "0 play AC", "1 play 10C", "0 play KC", "1 play 5C", "0 play QC", "1 play 6C")
    do(table, "0 play 9S", "1 play 3S", "0 play AH", "1 play 3H")
    return table


def test_the_revoker_cannot_win_on_this_hand() -> None:
    table = barred(10)
    assert events(do(table)) == []
    assert table.scores == (21, 0) and not table.over


def test_without_the_revoke_that_hand_would_have_won() -> None:
    table = hidden(target=10)
    do(table, "1 play 2S", "0 play 4C")
    do(table, "0 play AC", "1 play 10C", "0 play KC", "1 play 5C", "0 play QC", "1 play 6C")
    do(table, "0 play 9S", "1 play 3S")
    assert events(do(table, "0 play AH", "1 play 3H")) == ["trick 0", "hand-over", "game-over"]
    assert table.winners == (0,)


def test_the_bar_ends_with_the_hand_and_the_begs_point_wins() -> None:
    table = barred(10)
    do(table, "turn 3S", "0 say beg")
    assert events(do(table, "1 say take-one")) == ["game-over"]
    assert table.winners == (0,)


def test_another_at_the_target_wins_although_the_barred_seat_has_more() -> None:
    table = barred(3, revoke_bonus=True)
    assert table.scores == (24, 3)
    assert table.over and table.winners == (1,)


def test_level_scores_play_on_and_the_highest_wins() -> None:
    table = hidden(target=4)
    do(table, "1 play AC", "0 play 3C", "1 play 2S", "0 play KC", "0 play JC", "1 play 4C")
    do(table, "0 play 6C", "1 play 7C", "1 play 2H", "0 play 3H", "0 play 2D")
    outcome = do(table, "1 play 3D")
    assert points(outcome) == [(1, 4, "ace"), (0, 3, "king"), (0, 1, "jack")]
    assert events(outcome) == ["trick 1", "hand-over"]
    assert table.scores == (4, 4) and not table.over


# Exposed cards


def test_any_seat_with_cards_may_expose_from_the_first_lead_on() -> None:
    table = all_fives(3)
    do(table, "turn 2C")
    assert refusal(table, "1 expose AS") == "wrong-phase"
    do(table, "1 say stand", "2 expose AS")
    assert refusal(table, "2 expose AS") == "already-seen"
    assert refusal(table, "0 expose AS") == "already-seen"
    assert refusal(table, "0 expose 2C") == "already-seen"
    assert refusal(table, "0 expose 1C") == "no-such-card"
    assert refusal(table, "1 play AS") == "already-seen"
    table = known(ANN, BO)
    assert refusal(table, "0 expose 9H") == "not-in-hand"
    assert refusal(table, "0 expose QS") == "already-seen"
    do(table, "1 play QS", "0 play KS", "0 play 3H", "1 play KH", "1 play AC", "0 play 5C")
    do(table, "1 play AH", "0 play 4H", "1 play AD", "0 play 6D", "1 play JS")
    assert refusal(table, "1 expose AH") == "wrong-phase"  # no cards left
    assert refusal(table, "0 expose AS") == ""


def test_an_exposed_card_binds_and_can_be_called() -> None:
    table = hidden(3)
    do(table, "2 expose 9H", "0 expose 4D")
    assert refusal(table, "1 say call 9H") == "bad-call"  # not its owner's turn
    do(table, "1 play AH")
    assert refusal(table, "2 play 3S") == "must-follow-suit"
    assert refusal(table, "2 say call 9H") == "bad-call"  # his own
    assert refusal(table, "1 say call KH") == "bad-call"
    assert refusal(table, "1 say call 4D") == "bad-call"
    assert refusal(table, "1 say call 1D") == "no-such-card"
    assert refusal(table, "1 say call") == "bad-call"
    do(table, "1 say call 9H")
    assert refusal(table, "0 say call 9H") == "bad-call"  # called already
    assert refusal(table, "2 play KH") == "must-play-called"
    assert refusal(table, "2 play AH") == "already-seen"
    assert refusal(table, "0 play KH") == "not-your-turn"
    assert [each.card for each in table.legal_actions() if each.do == "play"] == [action("2 play 9H").card]
    do(table, "2 play 9H")
    assert refusal(table, "0 play 4D") == ""  # hidden, and no heart is known of it


def test_an_exposed_card_may_be_played_unasked() -> None:
    table = hidden()
    do(table, "1 expose 9H")
    assert refusal(table, "1 play AS") == ""
    do(table, "1 play 9H")


def test_off_the_suit_led_a_hidden_hand_is_called_only_when_declared_void() -> None:
    table = hidden()
    do(table, "0 expose 4D", "0 expose 5D", "1 play AH")
    assert refusal(table, "1 say call 4D") == "bad-call"
    do(table, "0 play 5D", "1 play KH")
    do(table, "1 say call 4D", "0 play 4D")


def test_off_the_suit_led_a_known_hand_is_called_only_without_that_suit() -> None:
    table = known(ANN, BO)
    do(table, "0 expose 6D", "1 play AH")
    assert refusal(table, "1 say call 6D") == "bad-call"
    do(table, "0 play 3H", "1 play KH", "0 play 4H", "1 play AC", "0 play 5C", "1 play AD")
    do(table, "1 withdraw AD", "1 play QS", "0 play KS", "0 play 6D", "1 play AD")


def test_the_winner_may_be_called_before_he_leads_and_a_withdrawal_cancels() -> None:
    table = hidden()
    do(table, "1 expose 9H", "1 play AS", "0 play 2S", "0 say call 9H")
    assert refusal(table, "1 play KS") == "must-play-called"
    do(table, "0 withdraw 2S", "0 play 3S")
    assert refusal(table, "1 play KS") == ""
    do(table, "0 say call 9H", "1 gather")
    assert refusal(table, "1 play KS") == "must-play-called"
    do(table, "1 play 9H")


def test_a_card_taken_back_lies_open_no_more() -> None:
    table = hidden()
    do(table, "1 expose 9H", "1 play 9H", "1 withdraw 9H")
    assert refusal(table, "0 say call 9H") == "bad-call"
    do(table, "1 expose 9H", "0 say call 9H")


def test_a_call_that_has_come_to_be_a_revoke_lapses() -> None:
    table = hidden()
    do(table, "0 expose 4D", "1 play AH", "0 play 5S", "1 play KH", "1 say call 4D")
    assert events(do(table, "0 expose 9H")) == ["revoke-proven 0 9H"]
    assert refusal(table, "0 play 4D") == "must-follow-suit"
    do(table, "0 play 9H")


def test_a_called_card_that_is_laid_away_is_called_no_more() -> None:
    table = all_fives(discard_to_six=True)
    do(table, "turn 2C", "1 say beg", "0 say change", "turn 2H", "1 expose 9H", "0 say call 9H")
    assert refusal(table, "1 play AS") == "must-play-called"
    do(table, "1 discard 9H 3S 4S")
    assert refusal(table, "1 play 9H") == "already-seen"
    do(table, "1 play AS")


def test_an_exposed_card_lies_open_still_after_an_unnamed_discard_but_binds_no_more() -> None:
    table = all_fives(discard_to_six=True)
    do(table, "turn 2C", "1 say beg", "0 say change", "turn 2H", "0 expose 9S", "0 expose 8D", "1 play AS")
    assert refusal(table, "0 play 3D") == ""
    assert refusal(table, "0 expose 9S") == ""  # it is still there: now it binds again
    do(table, "1 say call 9S")
    assert refusal(table, "0 play 3D") == "must-play-called"
    do(table, "0 play 9S")
    assert refusal(table, "1 play 8D") == "already-seen"


# Undo


def test_undo_after_the_game_and_back_to_the_start() -> None:
    table = barred(3, revoke_bonus=True)
    done = len(table.actions)
    assert table.over
    for left in range(done - 1, -1, -1):
        assert points(do(table, "undo")) == []
        assert len(table.actions) == left and not table.over
    assert (table.phase, table.scores) == ("deal", (0, 0))
    assert refusal(table, "undo") == "nothing-to-undo"
