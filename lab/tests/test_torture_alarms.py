"""A short form of `lab.torture.alarms`: a game in which bids are laid card by card."""

from __future__ import annotations

from lab.torture.alarms import Alarms, play


def test_no_prompt_is_red_in_a_game_without_mistakes() -> None:
    alarms = Alarms()
    play("its-15", 2, 1, alarms)
    assert alarms.failures == []
    assert alarms.seconds > 20
    assert alarms.red == 0.0
