"""Reports of a longer command: text in the terminal's language, or JSON Lines."""

from __future__ import annotations

import json
import sys
from typing import Any

from cardtable.terminal.output import translated


class Reporter:
    """Prints what happens. `as_json`: print JSON objects, whose texts are English, instead of text."""

    def __init__(self, as_json: bool) -> None:
        self._json = as_json

    def report(self, message: str, entry: dict[str, Any]) -> None:
        """Print an event: `message`, or `entry` as JSON, on standard output."""
        print(json.dumps(entry, ensure_ascii=False) if self._json else translated(message), flush=True)

    def say(self, message: str) -> None:
        """Print what the user should do now: on standard error if standard output is JSON."""
        print(translated(message), file=sys.stderr if self._json else sys.stdout, flush=True)

    def warn(self, message: str) -> None:
        """Print a warning on standard error."""
        print(translated(message), file=sys.stderr, flush=True)
