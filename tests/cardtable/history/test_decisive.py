"""The play that decided a game."""

from __future__ import annotations

import pytest

from cardtable.history.decisive import decisive_play
from engine.actions import Action
from engine.record import Header
from tests.cardtable.history.test_keepsake import moon
from tests.engine.games import test_whist


def told(header: Header, actions: tuple[Action, ...]) -> tuple[int, int, list[str]] | None:
    found = decisive_play(header, actions)
    return found and (found.at, found.scored, [*map(str, found.cards)])


def test_the_trick_after_which_a_hand_at_whist_was_won() -> None:
    table = test_whist.slam(target=7)
    test_whist.play_out(table)
    assert table.over
    at, scored, cards = told(table.header, table.actions) or (0, 0, [])
    assert (scored - at, len(cards)) == (4 * 6, 4)  # the seventh of thirteen tricks


def test_the_last_trick_of_the_moon() -> None:
    header, actions = moon()
    assert told(header, actions) == (52, 52, ["AC", "AS", "AH", "AD"])


@pytest.mark.parametrize(
    ("target", "play", "decided"),
    [
        (5, "turn JC/1 play 5H/0 play 10H/1 play JH/0 play 6D", (3, 3, ["5H", "10H"])),  # of equal ones the last
        (5, "turn 4C/1 play 5H/0 play 5D/1 play 5S", (4, 4, ["5H", "5D", "5S"])),  # Bo was behind before
        (5, "turn 4C/1 play 5H/0 play 5D", None),
    ],
)
def test_the_play_that_moved_the_score_most(target: int, play: str, decided: object) -> None:
    header = Header("cribbage", ("Ann", "Bo"), 0, {"target": target})
    found = told(header, tuple(map(Action.parse, play.split("/"))))
    assert found == decided
