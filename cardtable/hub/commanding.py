"""Commands of the hub to tables, and their replies."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from cardtable.club.messages import VERSION, Malformed, read_object

VALID_S: Final = 10.0
"""Seconds for which a command is valid."""
REPLY_S: Final = VALID_S
"""Seconds for which a reply is waited for."""


class Commands:
    """Gives commands. `publish` sends a command to a table; `behind`: how far the clock of a table is behind, seconds.

    Its methods may be called in any thread; `give` not in the one that calls `replied`.
    """

    def __init__(
        self, publish: Callable[[str, dict[str, object]], None], behind: Callable[[str], float] = lambda table: 0.0
    ) -> None:
        self._publish = publish
        self._behind = behind
        self._replies: dict[tuple[str, str], dict[str, Any] | None] = {}
        """By table and id, the replies to the commands that are under way; None before the reply."""
        self._came = threading.Condition()

    def give(self, tables: Iterable[str], within_s: float = REPLY_S, **command: object) -> dict[str, str | None]:
        """Give tables a command; return for each why it was not done: None if it was, empty if it has not replied."""
        given = {(table, secrets.token_hex(8)) for table in tables}
        with self._came:
            self._replies.update(dict.fromkeys(given))
        try:
            for table, number in given:
                # A table compares with its own clock.
                expires = time.time() - self._behind(table) + VALID_S
                self._publish(table, {"v": VERSION, "id": number, "expires": expires, **command})
            with self._came:
                self._came.wait_for(lambda: all(self._replies[each] is not None for each in given), within_s)
                return {table: _why(self._replies[table, number]) for table, number in sorted(given)}
        finally:
            with self._came:
                for each in given:
                    del self._replies[each]

    def replied(self, table: str, message: bytes) -> None:
        """Take a message of `cmd/reply`; one that is not waited for is ignored. Raises `Malformed`."""
        found = read_object(message)
        number = found.get("id")
        if not isinstance(number, str):
            raise Malformed("'id' is missing")
        with self._came:
            if (table, number) in self._replies:
                self._replies[table, number] = found
                self._came.notify_all()


def _why(reply: dict[str, Any] | None) -> str | None:
    if reply is None:
        return ""
    return None if reply.get("done") is True else str(reply.get("why") or "refused")[:100]
