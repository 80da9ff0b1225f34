"""The part of a prompt that lights, buzzer, displays and voice use."""

from __future__ import annotations

from typing import Final, Protocol


class PromptLike(Protocol):
    """A request to a player, for example an `engine.referee.prompts.Prompt`."""

    @property
    def kind(self) -> str:
        """Why it is shown: `turn`, `take-back`, `source`, …"""

    @property
    def seat(self) -> int | None:
        """The seat it is for; None for everyone."""

    @property
    def text(self) -> str:
        """What to do, for the players."""

    @property
    def urgent(self) -> bool:
        """Whether something is wrong and has been so for longer than a card takes to be laid."""


MISPLACED: Final = frozenset(("take-back", "put-back", "two-cards", "unclear", "misread", "unreadable", "outside"))
"""Kinds of prompts about cards in the wrong place, or that cannot be read where they lie."""
