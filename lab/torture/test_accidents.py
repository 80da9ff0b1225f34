"""The short form of the accidents, and the judge of their records."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.record import Header
from lab.torture.accidents import ACCIDENTS, GAMES, Tally, play
from lab.torture.accidents_judge import difference
from tests.engine.talk import action

HEADER = Header("all-fives", ("Ann", "Bo"), 0)
BEGIN = ["turn 2H", "1 say stand"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("game", "players"), GAMES[::4])
def test_no_record_is_silently_wrong_after_accidents(game: str, players: int) -> None:
    tally = Tally()
    play(game, players, 7, ACCIDENTS, tally, acts=120)
    assert tally.failures == []
    assert tally.happened.total() > 10


def test_every_accident_happens() -> None:
    tally = Tally()
    for number, (game, players) in enumerate((("all-fives", 2), ("cribbage", 2))):
        play(game, players, number, ACCIDENTS, tally, acts=200)
    assert tally.failures == []
    assert tally.happened.keys() == {accident.__name__ for accident in ACCIDENTS} | {"dealt_in_another_order"}


@pytest.mark.parametrize(
    ("record", "script", "found"),
    [
        (["1 play 3D", "0 play 9D"], ["1 play 3D", "0 play 9D"], None),
        (["1 play 3D", "1 withdraw 3D", "1 play 3D"], ["1 play 3D"], None),
        (["1 play 3D", "0 play 9D", "0 gather"], ["1 play 3D", "0 play 9D"], None),
        (["1 play 3D"], ["1 play 4D"], "number 3 was play 1 4D, the record has play 1 3D"),
        (["1 play 3D"], ["1 play 3D", "0 play 9D"], "only done: play 0 9D"),
        (["1 play 3D", "0 play 9D"], ["1 play 3D"], "only recorded: play 0 9D"),
    ],
)
def test_the_judge(record: list[str], script: list[str], found: str | None) -> None:
    ours, theirs = ([action(text) for text in (*BEGIN, *actions)] for actions in (record, script))
    assert difference(HEADER, ours, theirs) == found


def test_the_tally_counts_accidents_only() -> None:
    tally = Tally()
    play("its-15", 2, 1, (), tally, acts=20)
    assert tally.happened == Counter()
