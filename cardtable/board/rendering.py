"""A state as it is sent: the same for everybody, but for whom it is for and that seat's own hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cardtable.board.access.sender import Sender
from cardtable.board.screen_parts import You


@dataclass(frozen=True, slots=True)
class Rendering:
    """One state. `hands`: for each seat the cards of its hand that the table knows; empty if no game is played.

    Only the text for a sender at a seat contains the cards of that seat's hand.
    """

    state: Mapping[str, Any]
    hands: tuple[tuple[str, ...], ...] = ()
    _made: dict[Sender, str] = field(default_factory=dict)

    def text_for(self, sender: Sender) -> str:
        """Return the state for `sender` as JSON; made once for each role and seat."""
        if sender not in self._made:
            you: You = {"role": sender.role, "seat": sender.seat, "name": sender.name, "hand": self._hand(sender)}
            self._made[sender] = json.dumps({**self.state, "you": you}, ensure_ascii=False)
        return self._made[sender]

    def _hand(self, sender: Sender) -> list[str]:
        seat = sender.seat
        return list(self.hands[seat]) if seat is not None and seat < len(self.hands) else []
