"""All Fives: cards exposed and called."""

from __future__ import annotations

from tests.engine.games.all_fives_tables import ANN, BO, hidden, known
from tests.engine.talk import action, all_fives, do, events, refusal


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
    assert refusal(table, "2 say call 9H") == "bad-call"  # the caller's own
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
    assert refusal(table, "0 play 4D") == ""  # hidden, without a known heart


def test_an_exposed_card_may_be_played_without_a_call() -> None:
    table = hidden()
    do(table, "1 expose 9H")
    assert refusal(table, "1 play AS") == ""
    do(table, "1 play 9H")


def test_a_hidden_hand_is_called_off_suit_only_after_a_void() -> None:
    table = hidden()
    do(table, "0 expose 4D", "0 expose 5D", "1 play AH")
    assert refusal(table, "1 say call 4D") == "bad-call"
    do(table, "0 play 5D", "1 play KH")
    do(table, "1 say call 4D", "0 play 4D")


def test_a_known_hand_is_called_off_the_suit_led_only_without_that_suit() -> None:
    table = known(ANN, BO)
    do(table, "0 expose 6D", "1 play AH")
    assert refusal(table, "1 say call 6D") == "bad-call"
    do(table, "0 play 3H", "1 play KH", "0 play 4H", "1 play AC", "0 play 5C", "1 play AD")
    do(table, "1 withdraw AD", "1 play QS", "0 play KS", "0 play 6D", "1 play AD")


def test_a_withdrawal_cancels_the_call_of_the_winner_of_a_trick() -> None:
    table = hidden()
    do(table, "1 expose 9H", "1 play AS", "0 play 2S", "0 say call 9H")
    assert refusal(table, "1 play KS") == "must-play-called"
    do(table, "0 withdraw 2S", "0 play 3S")
    assert refusal(table, "1 play KS") == ""
    do(table, "0 say call 9H", "1 gather")
    assert refusal(table, "1 play KS") == "must-play-called"
    do(table, "1 play 9H")


def test_a_card_taken_back_is_no_longer_exposed() -> None:
    table = hidden()
    do(table, "1 expose 9H", "1 play 9H", "1 withdraw 9H")
    assert refusal(table, "0 say call 9H") == "bad-call"
    do(table, "1 expose 9H", "0 say call 9H")


def test_a_call_lapses_if_playing_the_card_would_now_revoke() -> None:
    table = hidden()
    do(table, "0 expose 4D", "1 play AH", "0 play 5S", "1 play KH", "1 say call 4D")
    assert events(do(table, "0 expose 9H")) == ["revoke-proven 0 9H"]
    assert refusal(table, "0 play 4D") == "must-follow-suit"
    do(table, "0 play 9H")


def test_the_call_of_a_card_that_is_laid_away_lapses() -> None:
    table = all_fives(discard_to_six=True)
    do(table, "turn 2C", "1 say beg", "0 say change", "turn 2H", "1 expose 9H", "0 say call 9H")
    assert refusal(table, "1 play AS") == "must-play-called"
    do(table, "1 discard 9H 3S 4S")
    assert refusal(table, "1 play 9H") == "already-seen"
    do(table, "1 play AS")


def test_an_exposed_card_does_not_bind_after_an_unnamed_discard() -> None:
    table = all_fives(discard_to_six=True)
    do(table, "turn 2C", "1 say beg", "0 say change", "turn 2H", "0 expose 9S", "0 expose 8D", "1 play AS")
    assert refusal(table, "0 play 3D") == ""
    assert refusal(table, "0 expose 9S") == ""  # it is still in the hand: now it binds again
    do(table, "1 say call 9S")
    assert refusal(table, "0 play 3D") == "must-play-called"
    do(table, "0 play 9S")
    assert refusal(table, "1 play 8D") == "already-seen"
