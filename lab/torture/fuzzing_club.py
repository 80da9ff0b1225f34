"""The parsers of what reaches a hub: lines, acknowledgements, commands, boards, and a director's orders."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import ec
from pydantic import ValidationError

from cardtable.errors import CardtableError, UsageError
from cardtable_club.hub.director import DIRECTIVE, read_pairings
from cardtable_club.hub.games import LiveGame, with_hands
from cardtable_club.hub.health import Commands, Healths
from cardtable_club.hub.receiver import read_board
from cardtable_club.hub.store import Key
from cardtable_club.member.enrolment import Code, checked, read_code
from cardtable_club.member.home_assistant import read_health
from cardtable_club.member.link import answer
from cardtable_club.member.messages import Ack, Line, Malformed, read_ack, read_line, read_ready, read_seats
from cardtable_club.member.outbox import public_line

_HEADER: Final = '{"game":"cribbage","players":["Ann","Bo"],"dealer":0}'
CLUB: Final = (
    Line("1000-0badcafe", 1, '{"do":"deal","seat":0}', 1000.0).to_bytes(),
    Line("1000-0badcafe", 0, _HEADER, 1000.0).to_bytes(),
    Ack("a", {"1000-0badcafe": 3, "1000-0badcafe+hands": -1}).to_bytes(),
    b'{"v":1,"id":"7","expires":2000,"do":"report"}',
    b'{"v":1,"id":"7","expires":2000,"do":"show","text":"Please finish this game."}',
    b'{"v":1,"time":1000.5,"waiting":3,"trouble":"","faults":["dark"],"temperature":61.5,"free":9,"version":"1"}',
    b'{"do":"begin","kind":"swiss","entrants":["Ann","Bo"],"tables":["t"]}',
    b'{"seats":[{"name":"Ann","score":3}],"sides":1,"winners":[],"game":"whist","over":false}',
    b"round,table,seat 0,seat 1\n1,table-1,Ann,Bo\n",
)


def club_message(data: bytes) -> None:
    """Parse `data` as each kind of message."""
    with suppress(Malformed):
        line = read_line(data)
        game = LiveGame(Key("t", line.game))
        game.add([Line(line.game, 0, _HEADER if line.n else line.line, 0.0)])
        if line.n:
            game.add([Line(line.game, 1, line.line, line.time)])
        game.result()
        with_hands([Line(line.game, 1, line.line, 0.0)], [Line(f"{line.game}+hands", 0, line.line, 0.0)])
    with suppress(Malformed):
        read_ack(data)
    with suppress(Malformed):
        answer(data, 1000.0, lambda: None, 0)
    with suppress(Malformed):
        Healths().put("t", read_health(data))
    with suppress(Malformed):
        Commands(lambda table, command: None).replied("t", data)
    with suppress(Malformed):
        read_seats(data)
    with suppress(Malformed):
        read_ready(data)
    with suppress(CardtableError):
        checked(_json(data), Code("A" * 12, "B" * 12), ec.generate_private_key(ec.SECP256R1()), "http://hub")
    text = data.decode("utf-8", "replace")
    read_code(text)
    public_line(text)
    read_board(text)
    with suppress(ValidationError):
        DIRECTIVE.validate_json(data)
    with suppress(UsageError):
        read_pairings(text.splitlines(), "seats.csv")


def _json(data: bytes) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(data)
    return None
