"""The part of a prompt that lights, sounds, displays and the voice look at."""

from __future__ import annotations

from typing import Final, Protocol


class Asks(Protocol):
    """A standing request to somebody at the table; `engine.referee.prompts.Prompt` is one."""

    @property
    def kind(self) -> str:
        """Why it stands: `turn`, `take-back`, `source`, …"""

    @property
    def seat(self) -> int | None:
        """Whom it concerns; None for everybody."""

    @property
    def text(self) -> str:
        """What to do, for people."""


WRONG: Final = frozenset(("take-back", "put-back", "two-cards", "unclear", "misread", "unreadable", "outside"))
"""Kinds of prompts about cards that lie where, or as, they should not."""
