"""All Fives: declared voids, proven and called revokes, and their penalties."""

from __future__ import annotations

from engine.table import Table
from tests.engine.games.all_fives_tables import ANN, BO, barred, hidden, known
from tests.engine.talk import all_fives, do, events, points, refusal


def test_a_false_declaration_of_a_void_is_proved_once() -> None:
    table = hidden()
    assert events(do(table, "1 play AS", "0 play 3H")) == ["trick 1"]
    assert events(do(table, "1 play KS", "0 play 4H")) == ["trick 1"]  # fails again: still one declaration
    assert events(do(table, "1 play AD", "0 play 9S")) == ["revoke-proven 0 9S", "trick 1"]
    assert events(do(table, "1 play KD", "0 play 8S")) == ["trick 1"]  # further spades prove nothing
    assert table.scores == (0, 0)


def test_a_second_failure_to_follow_can_be_proved_again() -> None:
    table = hidden()
    do(table, "1 play AS", "0 play 3H", "1 play AD", "0 play 9S")
    do(table, "1 play KS", "0 play 4H")
    assert events(do(table, "1 play KD", "0 play 8S")) == ["revoke-proven 0 8S", "trick 1"]


def test_one_card_can_prove_one_revoke_and_declare_another() -> None:
    table = hidden()
    do(table, "1 play AS", "0 play 3H")
    assert events(do(table, "1 play AD", "0 play 9S")) == ["revoke-proven 0 9S", "trick 1"]
    assert events(do(table, "1 play AH", "0 play 6D")) == ["revoke-proven 0 6D", "trick 1"]


def test_a_failure_that_is_taken_back_declares_no_void() -> None:
    table = hidden()
    do(table, "1 play AS", "0 play 3H", "0 withdraw 3H")
    assert events(do(table, "0 play 2S")) == ["trick 1"]


def test_taking_back_keeps_an_earlier_declaration() -> None:
    table = hidden()
    do(table, "1 play AS", "0 play 3H", "1 play KS", "0 play 4H", "0 withdraw 4H")
    assert events(do(table, "0 play 2S")) == ["revoke-proven 0 2S", "trick 1"]


def test_taking_back_the_proof_of_a_revoke_does_not_cancel_it() -> None:
    table = hidden()
    do(table, "1 play AS", "0 play 3H", "1 play KS", "0 play 2S", "0 withdraw 2S")
    assert refusal(table, "0 play 4H") == "must-follow-suit"
    assert events(do(table, "0 play 2S")) == ["trick 1"]


def revoked(**options: object) -> Table:
    """Cy, whose hand is hidden, has played a diamond to Bo's spade; Bo has won the complete trick."""
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


def test_a_revoke_may_be_called_until_the_next_lead() -> None:
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
        "2 say revoke 2 9S",  # the caller
        "1 say revoke 0 9S",  # followed suit
        "1 say revoke 2 9H",  # another suit
        "1 say revoke 2 KS",  # played
        "1 say revoke 2",  # no evidence
        "1 say revoke",  # without a seat
    ):
        assert refusal(table, wrong) == "bad-call", wrong
    assert refusal(table, "1 say revoke 2 1S") == "no-such-card"
    do(table, "0 withdraw KS")
    assert refusal(table, "1 say revoke 2 9S") == "bad-call"  # the trick is not complete
    assert refusal(table, "0 play KS") == ""


def test_evidence_that_is_known_to_be_elsewhere_is_refused() -> None:
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


def test_what_a_revoke_costs_is_said_of_one_opponent_and_of_several() -> None:
    table = all_fives(2, revoke_bonus=True)
    do(table, "turn 2H", "1 say stand", "1 play AS", "0 play 3D")
    (cost,) = table.view().accused["revoke"].values()
    assert cost == "Ann should have followed suit: Bo gets 3 points, and Ann cannot win on this hand."
    (cost,) = revoked(revoke_bonus=True).view().accused["revoke"].values()
    assert cost == "Cy should have followed suit: Ann and Bo get 3 points each, and Cy cannot win on this hand."


def test_a_revoke_shown_by_an_exposed_card_can_still_be_called() -> None:
    table = revoked()
    assert events(do(table, "2 expose 9S")) == ["revoke-proven 2 9S"]
    assert points(do(table, "0 say revoke 2 9S")) == [(2, -3, "revoke")]


def test_the_revoker_cannot_win_on_this_hand() -> None:
    table = barred(10)
    assert events(do(table)) == []
    assert table.scores == (21, 0) and not table.over


def test_the_same_hand_without_the_revoke_wins() -> None:
    table = hidden(target=10)
    do(table, "1 play 2S", "0 play 4C")
    do(table, "0 play AC", "1 play 10C", "0 play KC", "1 play 5C", "0 play QC", "1 play 6C")
    do(table, "0 play 9S", "1 play 3S")
    assert events(do(table, "0 play AH", "1 play 3H")) == ["trick 0", "hand-over", "game-over"]
    assert table.winners == (0,)


def test_the_bar_ends_with_the_hand() -> None:
    table = barred(10)
    do(table, "turn 3S", "0 say beg")
    assert events(do(table, "1 say take-one")) == ["game-over"]
    assert table.winners == (0,)


def test_another_player_at_the_target_wins_over_the_barred_one() -> None:
    table = barred(3, revoke_bonus=True)
    assert table.scores == (24, 3)
    assert table.over and table.winners == (1,)


def test_equal_scores_play_another_hand_and_then_the_highest_wins() -> None:
    table = hidden(target=4)
    do(table, "1 play AC", "0 play 3C", "1 play 2S", "0 play KC", "0 play JC", "1 play 4C")
    do(table, "0 play 6C", "1 play 7C", "1 play 2H", "0 play 3H", "0 play 2D")
    outcome = do(table, "1 play 3D")
    assert points(outcome) == [(1, 4, "ace"), (0, 3, "king"), (0, 1, "jack")]
    assert events(outcome) == ["trick 1", "hand-over"]
    assert table.scores == (4, 4) and not table.over


def offered(table: Table) -> set[str]:
    """The cards that the page offers as evidence of a revoke."""
    return {str(card) for card in table.view().choices("revoke")}


def test_only_unseen_cards_of_the_led_suit_are_offered_as_evidence() -> None:
    table = hidden()
    do(table, "1 play 2S", "0 play 4S", "0 play KC", "1 play 3S", "0 play 9C")
    assert {card[-1] for card in offered(table)} == {"C"}
    do(table, "1 play 5S", "0 play QC", "1 play 6S")
    clubs = {f"{rank}C" for rank in ("3", "4", "5", "6", "7", "8", "10", "J", "A")}  # without 2C, the turn-up
    assert offered(table) == clubs
    do(table, "0 gather")  # now the trick is no longer on the table
    assert offered(table) == clubs
    assert {str(action.card) for action in table.legal_actions() if action.word == "revoke"} == clubs


def test_a_known_hand_is_not_revealed_by_the_cards_offered_as_evidence() -> None:
    table = known(ANN, BO)
    do(table, "1 play QS", "0 play AS")
    assert {"JS", "KS"} <= offered(table)
