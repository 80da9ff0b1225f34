"""The commands that a hub may give a table: each has an id, which the reply repeats, and a time when it expires."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from cardtable.club.messages import Malformed, read_object

LONGEST: Final = 200
"""Letters of a message of the director at most."""


def answer(
    message: bytes,
    now: float,
    resend: Callable[[], None],
    waiting: int,
    say: Callable[[int, str], bool] | None = None,
    show: Callable[[str], None] = lambda message: None,
) -> dict[str, object]:
    """Do the command in `message` and return the reply. `now`: seconds since 1970. Raises `Malformed` without an id.

    `report`: the reply has how many lines wait. `resend`: the table asks the hub about every game again. `say`: a word
    of a seat, with the function `say`, if table.toml lets Home Assistant do so. `show`: a message of the director on
    the board, with the function `show`; an empty one takes the last one back. A command that has expired, or is
    unknown, is refused: a table that comes back does not do what was meant for an hour ago.
    """
    wanted = read_object(message)
    number, expires = wanted.get("id"), wanted.get("expires")
    if not isinstance(number, str) or not 0 < len(number) <= 64:
        raise Malformed("'id' is missing")
    if not isinstance(expires, int | float) or isinstance(expires, bool):
        return {"id": number, "done": False, "why": "'expires' is missing"}
    if now > expires:
        return {"id": number, "done": False, "why": "expired"}
    match wanted.get("do"):
        case "report":
            return {"id": number, "done": True, "waiting": waiting}
        case "say" if say is not None:
            seat, word = wanted.get("seat"), wanted.get("word")
            if type(seat) is int and isinstance(word, str) and re.fullmatch(r"[a-z0-9-]{1,32}", word):
                return {"id": number, "done": say(seat, word)}
            return {"id": number, "done": False, "why": "'seat' or 'word' is missing"}
        case "show":
            said = wanted.get("text")
            if isinstance(said, str) and len(said) <= LONGEST and said.isprintable():
                show(said)
                return {"id": number, "done": True}
            return {"id": number, "done": False, "why": "'text' is not a line of text"}
        case "resend":
            resend()
            return {"id": number, "done": True}
    return {"id": number, "done": False, "why": "unknown"}
