"""What the doctor says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from engine.texts import in_language
from hardware.texts import Translate

State = Literal["good", "warning", "trouble"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check. `text`: what is so; `advice`: what to do, empty where nothing is.

    `warning`: the table plays, but not as well as it could; `trouble`: a part of it does not work.
    """

    check: str
    state: State
    text: str
    advice: str = ""

    def to_json(self) -> dict[str, Any]:
        """The object that `doctor --json` prints."""
        return {"check": self.check, "state": self.state, "text": self.text, "advice": self.advice}

    def in_language(self, translate: Translate) -> Finding:
        """The same in the language of the table."""
        return Finding(self.check, self.state, in_language(self.text, translate), in_language(self.advice, translate))


def good(check: str, text: str) -> Finding:
    """Nothing is to be done."""
    return Finding(check, "good", text)


def warning(check: str, text: str, advice: str) -> Finding:
    """It could be better."""
    return Finding(check, "warning", text, advice)


def trouble(check: str, text: str, advice: str) -> Finding:
    """It does not work."""
    return Finding(check, "trouble", text, advice)
