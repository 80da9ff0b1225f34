"""Who may say, accuse, undo, correct and host, by the `[access]` section of `table.toml`."""

from __future__ import annotations

from typing import Final, Literal, get_args

from cardtable.board.access.sender import Role, Sender
from cardtable.config.access import AccessConfig, Who
from engine.texts import Text, either, text

Deed = Literal["say", "accuse", "undo", "correct", "host"]
"""What a message asks for."""
DEEDS: Final[tuple[Deed, ...]] = get_args(Deed)
_WHO_FOR: Final[dict[Role, Who]] = {"board": "board", "director": "director"}


class Permissions:
    """The permissions of `config`."""

    def __init__(self, config: AccessConfig) -> None:
        self._config = config

    def may(self, sender: Sender, deed: Deed, seat: int | None = None) -> bool:
        """Return whether `sender` may do this.

        `seat`: whose word or accusation it is, or whose action is taken back; None if it concerns no seat.
        """
        allowed: tuple[Who, ...] = getattr(self._config, deed)
        if "spectator" in allowed or _WHO_FOR.get(sender.role) in allowed:
            return True
        if sender.seat is None:
            return False
        own = deed in ("correct", "host") or sender.seat == seat
        return "seats" in allowed or ("seat" in allowed and own)

    def refusal(self, sender: Sender, deed: Deed, seat: int | None = None, name: str = "") -> Text | None:
        """Return None if `sender` may do this, otherwise a sentence that says who may. `name`: of the seat's player."""
        if self.may(sender, deed, seat):
            return None
        where = self._where(deed, seat, name)
        match deed:
            case "say":
                return text("{name}’s words cannot be said here. They can be said on {where}.", name=name, where=where)
            case "accuse":
                return text("{name} cannot accuse here. That is possible on {where}.", name=name, where=where)
            case "undo":
                return text("This action cannot be taken back here. That is possible on {where}.", where=where)
            case "correct":
                return text("The record cannot be corrected here. That is possible on {where}.", where=where)
            case "host":
                return text("This cannot be chosen here. That is possible on {where}.", where=where)

    def _where(self, deed: Deed, seat: int | None, name: str) -> str:
        allowed: tuple[Who, ...] = getattr(self._config, deed)
        places: list[str] = []
        if "board" in allowed:
            places.append(text("the board"))
        if "director" in allowed:
            places.append(text("the director’s device"))
        if "seats" in allowed or ("seat" in allowed and deed in ("correct", "host")):
            places.append(text("a player’s phone"))
        elif "seat" in allowed and seat is not None and name:
            places.append(text("{name}’s phone", name=name))
        return either(places) if places else text("no device: the section [access] of table.toml forbids it")
