"""What is told in the terminal while something is set up: for people in their language, or as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from cardtable.terminal.output import translated


class Reporter:
    """Prints what happens. `as_json`: whether as JSON, whose texts are English."""

    def __init__(self, as_json: bool) -> None:
        self._json = as_json

    def report(self, said: str, entry: dict[str, Any]) -> None:
        """Something that happened."""
        print(json.dumps(entry, ensure_ascii=False) if self._json else translated(said), flush=True)

    def say(self, said: str) -> None:
        """What to do now."""
        print(translated(said), file=sys.stderr if self._json else sys.stdout, flush=True)

    def warn(self, said: str) -> None:
        """What could be better."""
        print(translated(said), file=sys.stderr, flush=True)
