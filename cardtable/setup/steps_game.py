"""The last steps of the first start: who plays, and the first game. The lobby stores the answers."""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import ValidationError

from cardtable.config.model import LONGEST_NAME
from cardtable.evening.states import EventRefused
from cardtable.setup.step import Choice, Entry, Question, Site, Step, Unfit, doubtful
from cardtable.table.messages import AddPlayer, Begin, ChooseGame, RemovePlayer, SetDealer
from engine.games import game_names, load_game
from engine.texts import plural, text

_LOBBY: Final = "lobby"
_DEALER: Final = "dealer:"
_CUT: Final = "cut"


class BeginStep(Step):
    """Ask for the game and then for the first dealer, and begin the game."""

    name: ClassVar[str] = "begin"

    def question(self, site: Site) -> Question:
        """Offer the games for this number of players, or the players as dealers."""
        players = site.lobby().players
        if self.answers:
            choices = [Choice(f"{_DEALER}{seat}", name) for seat, name in enumerate(players)]
            choices += [Choice(_CUT, text("The cut decides"))] if self._is_cut_for(site) else []
            game = load_game(self.answers[0])
            return Question(game.title, text("Who {does}?", does=game.first_does), choices=choices)
        fitting = [name for name in game_names() if len(players) in load_game(name).seats]
        choices = [Choice(name, load_game(name).title) for name in fitting]
        asked = text("Everything is ready. What do you play first? Other games and options are on the board.")
        found = []
        if not fitting:
            single, many = "no game is for {count} player", "no game is for {count} players"
            message = plural(single, many, len(players)) if players else text("no player is named yet")
            found = [doubtful(message, text("go back and name the players"))]
            asked = text("Name the players to begin the first game, or open the board and do it there.")
        board = Choice(_LOBBY, text("Open the board without a game"))
        return Question(text("Begin"), asked, found, [*choices, board])

    def answer(self, site: Site, value: str) -> bool:
        """Accept the game, then the dealer, and begin; or open the lobby."""
        if value == _LOBBY:
            return True
        if not self.answers:
            site.ask_lobby(ChooseGame(do="choose-game", game=value))
            self.answers.append(value)
            return False
        seat = None if value == _CUT else int(value.removeprefix(_DEALER))
        site.ask_lobby(SetDealer(do="set-dealer", seat=seat))
        site.ask_lobby(Begin(do="begin"))
        return True

    @staticmethod
    def _is_cut_for(site: Site) -> bool:
        """Return whether the game can begin without a dealer."""
        try:
            site.lobby().changed(SetDealer(do="set-dealer", seat=None)).header()
        except EventRefused:
            return False
        return True


_ADD: Final = "add:"
_REMOVE: Final = "remove:"
_MIN_PLAYERS: Final = 2


class PlayersStep(Step):
    """Ask for the players in seat order."""

    name: ClassVar[str] = "players"

    def question(self, site: Site) -> Question:
        """Show the seated players, and offer those of earlier evenings."""
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
            forward=text("That is all") if len(lobby.players) >= _MIN_PLAYERS else None,
        )

    def answer(self, site: Site, value: str) -> bool:
        """Seat or remove a player."""
        try:
            if value.startswith(_ADD):
                site.ask_lobby(AddPlayer(do="add-player", name=value.removeprefix(_ADD)))
            else:
                site.ask_lobby(RemovePlayer(do="remove-player", name=value.removeprefix(_REMOVE)))
        except ValidationError as error:
            message = text("A name has 1 to {most} characters: write another one.", most=LONGEST_NAME)
            raise Unfit(message) from error
        return False
