"""Who plays: the names in seat order; the lobby keeps them."""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import ValidationError

from cardtable.board.messages import AddPlayer, RemovePlayer
from cardtable.config.model import LONGEST_NAME
from cardtable.first_start.question import Choice, Entry, Question
from cardtable.first_start.step import Site, Step, Unfit
from engine.texts import text

_ADD: Final = "add:"
_REMOVE: Final = "remove:"
_FEWEST: Final = 2


class PlayersStep(Step):
    """Asks for names until all sit at the table."""

    name: ClassVar[str] = "players"

    def question(self, site: Site) -> Question:
        """Return who sits at the table, and who is remembered."""
        lobby = site.lobby()
        seated = {name.casefold() for name in lobby.players}
        choices = [
            Choice(f"{_REMOVE}{name}", name, text("seat {seat}; tap to take away", seat=seat), chosen=True)
            for seat, name in enumerate(lobby.players)
        ]
        choices += [Choice(f"{_ADD}{name}", name) for name in site.remembered() if name.casefold() not in seated]
        return Question(
            text("Who plays?"),
            text("Clockwise, the first at the lower edge of the mat."),
            choices=choices,
            entry=Entry(text("New player"), "text", _ADD),
            forward=text("That is all") if len(lobby.players) >= _FEWEST else None,
        )

    def answer(self, site: Site, value: str) -> bool:
        """Seat a player, or take one from the table."""
        try:
            if value.startswith(_ADD):
                site.ask_lobby(AddPlayer(do="add-player", name=value.removeprefix(_ADD)))
            elif value.startswith(_REMOVE):
                site.ask_lobby(RemovePlayer(do="remove-player", name=value.removeprefix(_REMOVE)))
            else:
                raise Unfit(text("There is nothing to choose here."))
        except ValidationError as error:
            message = text("A name has 1 to {most} characters: write another one.", most=LONGEST_NAME)
            raise Unfit(message) from error
        return False
