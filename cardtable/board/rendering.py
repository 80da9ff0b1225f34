"""A state as it is sent: the same for everybody, except for each page's role, its hand, the words that it may say, and
the list of phones.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cardtable.board.access.permissions import DEEDS, Permissions
from cardtable.board.access.sender import Sender
from cardtable.board.access.store import Phone
from cardtable.board.screen_game import WordChoice
from cardtable.board.screen_parts import Menu, PhoneState, You
from cardtable.board.screens import State


@dataclass(frozen=True, slots=True)
class Rendering:
    """One state. `hands`: for each seat the cards of its hand that the table knows; empty if no game is played.

    Only the text for a sender at a seat contains the cards of that seat's hand. `last`: the seat of the last action.
    `phones`: for the board and the director only.
    """

    state: Mapping[str, Any]
    permissions: Permissions
    hands: tuple[tuple[str, ...], ...] = ()
    last: int | None = None
    phones: Sequence[PhoneState] = ()
    _made: dict[tuple[Sender, str | None], str] = field(default_factory=dict)

    def text_for(self, sender: Sender, player: str | None = None) -> str:
        """Return the state for `sender`, the phone of `player`, as JSON; made once for each."""
        key = sender, player
        if key not in self._made:
            you = self._you(sender, player)
            phones = self.phones if sender.role in ("board", "director") else ()
            own = {**self.state, "you": you, "phones": list(phones)}
            if "seats" in own:
                own["seats"] = [
                    {**each, "words": [word for word in each["words"] if self._may_say(sender, word, seat)]}
                    for seat, each in enumerate(own["seats"])
                ]
            self._made[key] = json.dumps(own, ensure_ascii=False)
        return self._made[key]

    def _may_say(self, sender: Sender, word: WordChoice, seat: int) -> bool:
        return self.permissions.may(sender, "accuse" if "against" in word["needs"] else "say", seat)

    def _you(self, sender: Sender, player: str | None) -> You:
        seat = sender.seat
        acting_seat = {"undo": self.last}
        return {
            "role": sender.role,
            "seat": seat,
            "name": sender.name,
            "player": player,
            "may": [deed for deed in DEEDS if self.permissions.may(sender, deed, acting_seat.get(deed, seat))],
            "hand": list(self.hands[seat]) if seat is not None and seat < len(self.hands) else [],
        }


@dataclass(frozen=True, slots=True)
class Announced:
    """What is shown on whatever screen: a notice, a menu, the players who are remembered, the club's message.

    All are in the language of the board; `said`: what its director says, empty for nothing. `asks`: whether the
    notice is a question.
    """

    notice: str | None = None
    menu: Menu | None = None
    remembered: tuple[str, ...] = ()
    said: str = ""
    asks: bool = False


def announced_in(state: State, announced: Announced, players: Sequence[str]) -> dict[str, Any]:
    """Return the keys of `state` with what was announced. `players`: who sits at the table."""
    notices = [each for each in (announced.notice, announced.said) if each]
    calm = announced.asks or bool(announced.said and not announced.notice)
    keys: dict[str, Any] = {"notice": " · ".join(notices) or None, "menu": announced.menu, "calm": calm}
    if state["screen"] == "game" and state["between_hands"]:
        seated = {name.casefold() for name in players}
        keys["remembered"] = [name for name in announced.remembered if name.casefold() not in seated]
    return keys


def phone_states(
    phones: Sequence[Phone], seat_of: Callable[[Phone], int | None], connected: frozenset[int]
) -> list[PhoneState]:
    """Return the list of phones for the board. `connected`: the numbers of those that have a page open."""
    return [
        {
            "id": phone.id,
            "player": phone.player,
            "seat": seat_of(phone),
            "director": phone.director,
            "device": phone.device,
            "connected": phone.id in connected,
        }
        for phone in phones
    ]
