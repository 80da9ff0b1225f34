"""What players say on their phones: that the table has misread a card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.texts import Translate, in_language, text

MISREAD: Final = "misread-claim"
"""The kind of the prompt; the referee has a kind `misread` of its own."""


class Misreads:
    """The seats that say so now. What a seat says holds until the next action is accepted."""

    def __init__(self) -> None:
        self._at: dict[int, int] = {}
        """By seat, the number of actions when it said so."""

    def note(self, seat: int, n: int, over: bool) -> None:
        """Note that `seat` says so after `n` actions, or takes it back (`over`)."""
        self._at.pop(seat, None)
        if not over:
            self._at[seat] = n

    def added_to(self, state: Mapping[str, Any], translate: Translate) -> dict[str, Any]:
        """Return the state of a game with a prompt for each seat that says so."""
        if "prompts" not in state:
            return dict(state)
        asking = "{name}: the table has misread a card. Compare the cards that lie with those on the screen."
        prompts = [
            {"kind": MISREAD, "seat": seat, "text": said, "urgent": False, "spoken": said}
            for seat, n in sorted(self._at.items())
            if n == state["n"] and seat < len(state["seats"])
            for said in [in_language(text(asking, name=state["seats"][seat]["name"]), translate)]
        ]
        return {**state, "prompts": [*prompts, *state["prompts"]]}
