"""What the hub sends about the next round, and what the table answers: malformed messages are refused."""

from __future__ import annotations

import pytest

from cardtable_club.member.messages import Malformed, read_ready, read_seats


@pytest.mark.parametrize(
    "message",
    [
        b"{}",
        b'{"v":1,"round":"3","players":[]}',
        b'{"v":1,"round":3,"players":"Ann"}',
        b'{"v":1,"round":3,"players":[""]}',
        b'{"v":1,"round":3,"players":["\\n"]}',
        b'{"v":1,"round":-1,"players":[]}',
    ],
)
def test_seats_that_are_malformed_are_refused(message: bytes) -> None:
    with pytest.raises(Malformed):
        read_seats(message)


def test_seats_are_read() -> None:
    assert read_seats('{"v":1,"round":3,"players":["Zoë"],"ready":true}'.encode()) == (3, ["Zoë"], True)
    assert read_seats(b'{"v":1,"round":null,"players":[]}') == (None, [], False)
    assert read_seats('{"v":1,"round":1,"players":["A\u202enn\u200b"]}'.encode()) == (1, ["Ann"], False)
    with pytest.raises(Malformed, match="look alike"):
        read_seats('{"v":1,"round":1,"players":["Ann","\u0410nn"]}'.encode())
    assert read_ready(b'{"v":1,"round":3}') == 3
    with pytest.raises(Malformed):
        read_ready(b'{"v":1,"round":true}')
