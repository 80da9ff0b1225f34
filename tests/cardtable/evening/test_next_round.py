"""The lobby shows the table's seats in the club's next round, and takes "we are ready"."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardtable_club.member.messages import Malformed, read_ready, read_seats
from tests.cardtable.evening.evenings import TestEvening


def test_ready_seats_the_players_of_the_round_and_says_so(tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening:
        seats = evening.host.services.next_round
        said: list[int] = []
        seats.say_ready = said.append
        assert evening.send("club-ready", round=3) == "The next round has changed: look again."
        seats.put(3, ["Ann", "Bo"], False)
        evening.turn()
        shown = evening.state(lambda state: state["next_round"] is not None)
        assert shown["next_round"] == {"round": 3, "players": ["Ann", "Bo"], "ready": False}
        assert evening.send("club-ready", round=2) is not None and said == []
        assert evening.send("club-ready", round=3) is None
        assert said == [3]
        evening.state(lambda state: state["players"] == ["Ann", "Bo"])
        seats.put(None, [], False)
        evening.turn()
        evening.state(lambda state: state["next_round"] is None)


@pytest.mark.parametrize(
    "message",
    [
        b"{}",
        b'{"v":1,"round":"3","players":[]}',
        b'{"v":1,"round":3,"players":"Ann"}',
        b'{"v":1,"round":3,"players":[""]}',
        b'{"v":1,"round":3,"players":["a\\nb"]}',
        b'{"v":1,"round":-1,"players":[]}',
    ],
)
def test_seats_that_are_malformed_are_refused(message: bytes) -> None:
    with pytest.raises(Malformed):
        read_seats(message)


def test_seats_are_read() -> None:
    assert read_seats('{"v":1,"round":3,"players":["Zoë"],"ready":true}'.encode()) == (3, ["Zoë"], True)
    assert read_seats(b'{"v":1,"round":null,"players":[]}') == (None, [], False)
    assert read_ready(b'{"v":1,"round":3}') == 3
    with pytest.raises(Malformed):
        read_ready(b'{"v":1,"round":true}')
