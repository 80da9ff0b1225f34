"""Which prompts are urgent: those about something that stays wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from engine.referee.prompts import Prompt

_WRONG_AT_ONCE: Final = frozenset(("refused", "source"))
"""The kinds of prompts that are urgent at once: they are about nothing that lies on the table."""

_WRONG_IF_IT_STAYS: Final = frozenset(
    ("take-back", "put-back", "unreadable", "outside", "unclear", "two-cards", "misread")
)
"""The kinds of prompts that become urgent."""


class Urgency:
    """Finds out which prompts are urgent: those about something that has been wrong for `urgent_s` seconds.

    Sources have clocks of their own, so the time that a prompt stands is measured by each source separately.
    """

    def __init__(self, urgent_s: float) -> None:
        self._urgent_s = urgent_s
        self._standing: dict[Prompt, dict[str, float]] = {}

    def mark(self, prompts: Iterable[Prompt], source: str, time: float) -> tuple[Prompt, ...]:
        """Return these prompts, which stand now, at `time` on the clock of `source`, the urgent ones marked."""
        before = self._standing
        self._standing = {prompt: before.get(prompt, {}) for prompt in prompts}
        return tuple(replace(prompt, urgent=self._is_urgent(prompt, source, time)) for prompt in self._standing)

    def _is_urgent(self, prompt: Prompt, source: str, time: float) -> bool:
        since = self._standing[prompt]
        if prompt.kind in _WRONG_IF_IT_STAYS and time - since.setdefault(source, time) >= self._urgent_s:
            since[""] = 0.0  # it stays urgent, whichever source reports next
        return prompt.kind in _WRONG_AT_ONCE or "" in since
