"""Claims of bridge: who may claim and who answers, as in docs/reference/games/bridge.md."""

from __future__ import annotations

from engine.table import Table
from tests.engine.games.test_bridge import ONE_SUIT_EACH, call, dealt
from tests.engine.talk import do, events, refusal, table_of


def claimed(number: int) -> Table:
    table = dealt(*ONE_SUIT_EACH, scoring="duplicate", boards=1)
    call(table, "7s pass pass pass")
    do(table, "1 play 2H", "0 say claim", f"0 say {number}")
    return table


def test_a_claim_that_both_opponents_accept_ends_the_play() -> None:
    table = claimed(13)
    assert table.turn == 1 and refusal(table, "2 say accept") == "not-your-turn"
    do(table, "1 say accept")
    assert events(do(table, "3 say accept")) == ["claim 0", "hand-over", "game-over"]
    assert table.scores == (210 + 1000 + 300, 0)
    assert table.result == {"tricks": [13]}


def test_the_play_goes_on_if_an_opponent_does_not_accept() -> None:
    table = claimed(13)
    do(table, "1 say accept", "3 say play-on")
    assert table.turn == 2 and table.phase == "play"
    do(table, "2 play 2D", "3 play 2C", "0 play 2S")
    assert table.turn == 0
    do(table, "0 say claim", "0 say 12", "1 say accept", "3 say accept")
    assert table.result == {"tricks": [13]}


def test_claims_count_the_trick_being_played() -> None:
    table = claimed(0)
    assert refusal(table, "0 say 14") == "no-such-word"
    do(table, "1 say accept", "3 say accept")
    assert table.scores == (0, 13 * 50)


def test_a_defender_claims_and_the_partner_and_the_declarer_answer() -> None:
    table = dealt(*ONE_SUIT_EACH, scoring="duplicate", boards=1)
    call(table, "7s pass pass pass")
    do(table, "1 play 2H", "3 say claim", "3 say 0")
    assert table.turn == 0 and refusal(table, "1 say accept") == "not-your-turn"
    do(table, "0 say accept")
    assert table.turn == 1
    do(table, "1 say play-on")
    assert (table.turn, table.phase) == (2, "play")
    do(table, "1 say claim", "1 say 2", "3 say accept", "0 say accept")
    assert table.over and table.result == {"tricks": [11]}


def test_the_dummy_never_claims_and_nobody_before_the_first_lead() -> None:
    table = table_of("bridge", 4, 0)
    assert {refusal(table, f"{seat} say claim") for seat in range(4)} == {"bad-call"}
    call(table, "pass pass 1c pass pass pass")
    assert {refusal(table, f"{seat} say claim") for seat in range(4)} == {"bad-call"}
    do(table, "3 play 2H")
    assert [refusal(table, f"{seat} say claim") for seat in range(4)] == ["bad-call", "", "", ""]
    do(table, "2 say claim")
    assert refusal(table, "1 say claim") == "bad-call"
