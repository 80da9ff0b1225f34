"""The lines of a game with the cards that were hidden while it was played."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from cardtable.club.messages import Line, compact


def with_hands(lines: Sequence[Line], hands: Sequence[Line]) -> list[Line] | None:
    """Return `lines` with the cards that the stream of the `hands` has; None if it lacks a hand that was dealt.

    >>> dealt = [Line("g", 0, "{}", 0.0), Line("g", 1, '{"do":"deal","seat":0}', 1.0)]
    >>> with_hands(dealt, [])
    >>> hand = Line("g+hands", 0, '{"n":1,"line":{"do":"deal","seat":0,"cards":["AS"]}}', 1.0)
    >>> with_hands(dealt, [hand])[1].line
    '{"cards":["AS"],"do":"deal","seat":0}'
    """
    values = [_value(hand) for hand in hands]
    whole = {value["n"]: compact(value["line"]) for value in values if isinstance(value.get("line"), dict)}
    if not whole or any(line.n not in whole and _value(line).get("do") == "deal" for line in lines):
        return None
    return [Line(line.game, line.n, whole.get(line.n, line.line), line.time) for line in lines]


def _value(line: Line) -> dict[str, Any]:
    """Return the JSON object in a line, with its number as `n`; empty if the line or `n` is not as it should be."""
    try:
        value = json.loads(line.line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) and isinstance(value.setdefault("n", line.n), int) else {}
