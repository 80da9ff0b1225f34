"""What is told in the terminal while something is set up: for people in the language of the table, or as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from cardtable.languages import translator
from engine.texts import in_language


class Teller:
    """Prints what happens. `as_json`: whether as JSON, whose texts are English."""

    def __init__(self, as_json: bool, language: str = "en") -> None:
        self._json = as_json
        self._translate = translator(language)

    def tell(self, said: str, entry: dict[str, Any]) -> None:
        """Something that happened."""
        told = in_language(said, self._translate)
        print(json.dumps(entry, ensure_ascii=False) if self._json else told, flush=True)

    def say(self, said: str) -> None:
        """What to do now."""
        print(in_language(said, self._translate), file=sys.stderr if self._json else sys.stdout, flush=True)

    def warn(self, said: str) -> None:
        """What could be better."""
        print(in_language(said, self._translate), file=sys.stderr, flush=True)
