"""The findings of the doctor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.texts import in_language
from hardware.texts import Translate

State = Literal["good", "warning", "trouble"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check. `text`: what was found; `advice`: what to do, empty if nothing.

    `command`: what does it in a terminal; empty if nothing does. A page does not show it.
    `what`: the part of a camera's view that was checked: `picture`, `mat`, `light`, `focus`; empty for other checks.

    `good`: it works; `warning`: it works, but could be better; `trouble`: it does not work.
    """

    check: str
    state: State
    text: str
    advice: str = ""
    what: str = ""
    command: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the object that `doctor --json` prints."""
        return {**self.for_page(), "command": self.command}

    def for_page(self) -> dict[str, Any]:
        """Return the finding for people at the table, who have no terminal."""
        return {"check": self.check, "state": self.state, "text": self.text, "advice": self.advice}

    def in_language(self, translate: Translate) -> Finding:
        """Return the finding with its texts translated."""
        said, advice = in_language(self.text, translate), in_language(self.advice, translate)
        return replace(self, text=said, advice=advice)


def good(check: str, text: str) -> Finding:
    """Return a finding that needs no action."""
    return Finding(check, "good", text)


def warning(check: str, text: str, advice: str, command: str = "") -> Finding:
    """Return a finding of something that works, but could be better."""
    return Finding(check, "warning", text, advice, command=command)


def trouble(check: str, text: str, advice: str, command: str = "") -> Finding:
    """Return a finding of something that does not work."""
    return Finding(check, "trouble", text, advice, command=command)
