"""Which parts of a journal's rows may leave the table: public lines while the game runs, hands once it is over.

A game has two streams, each numbered from 0 without a gap, to which lines are only added:

- the public stream: line 0 is the header, line k + 1 is action k. The cards of a `deal` or a `discard` are left out, so
  that a line does not depend on a hidden card;
- the hands: the whole lines of those actions, in their order, with the `n` of the public line that each completes. It
  is empty until the game is over and is not the one that is played: an undo could go on with that one.
"""

from __future__ import annotations

import json
from typing import Any, Final

from cardtable.club.messages import compact

HIDING: Final = ("deal", "discard")
"""The kinds of action whose cards only some players have seen (docs/record.md)."""
DAMAGED: Final = {"do": "damaged"}
"""Stands for a row that cannot be read: its text might name a card."""


def public_line(stored: str) -> str:
    """Return the public line for the header or an action as the journal stores it.

    >>> public_line('{"do":"deal","seat":1,"cards":["AS","KS"]}')
    '{"do":"deal","seat":1}'
    >>> public_line('{"do":"play","seat":1,"card":"AS"}')
    '{"card":"AS","do":"play","seat":1}'
    """
    found = _object(stored)
    if found is None:
        return compact(DAMAGED)
    if found.get("do") in HIDING:
        found = {key: value for key, value in found.items() if key in ("do", "seat")}
    return compact(found)


def hides(stored: str) -> bool:
    """Return whether the public line leaves out cards of an action."""
    found = _object(stored)
    return found is not None and found.get("do") in HIDING and bool(found.get("cards") or found.get("card"))


def hands_line(n: int, stored: str) -> str:
    """Return the line of the hands for public line `n`; `stored`: the action as the journal stores it."""
    return compact({"n": n, "line": json.loads(stored)})


def _object(stored: object) -> dict[str, Any] | None:
    if not isinstance(stored, str):
        return None
    try:
        found = json.loads(stored)
        compact(found)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
