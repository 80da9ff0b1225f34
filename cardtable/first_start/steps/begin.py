"""The first game: what is played by that many; begins it."""

from __future__ import annotations

from typing import ClassVar, Final

from cardtable.board.messages import Begin, ChooseGame, SetDealer
from cardtable.evening.states import EventRefused
from cardtable.first_start.question import Choice, Question, doubtful
from cardtable.first_start.step import Site, Step, Unfit
from engine.games import game_names, load_game
from engine.texts import plural, text

_LOBBY: Final = "lobby"


class BeginStep(Step):
    """Asks for the game; with it the first start is over."""

    name: ClassVar[str] = "begin"

    def question(self, site: Site) -> Question:
        """Return the games for the players at the table."""
        count = len(site.lobby().players)
        fitting = [name for name in game_names() if count in load_game(name).seats]
        choices = [Choice(name, load_game(name).title) for name in fitting]
        one, many = "no game is for {count} player", "no game is for {count} players"
        found = [] if fitting else [doubtful(plural(one, many, count), text("go back and name the players"))]
        return Question(
            text("Begin"),
            text("Everything is ready. What do you play first? Other games and options are on the board."),
            found,
            [*choices, Choice(_LOBBY, text("Open the board without a game"))],
        )

    def answer(self, site: Site, value: str) -> bool:
        """Begin the game, or open the lobby."""
        if value == _LOBBY:
            return True
        if value not in game_names():
            raise Unfit(text("There is no such game: choose one that is shown."))
        site.ask_lobby(ChooseGame(do="choose-game", game=value))
        try:
            site.lobby().header()
        except EventRefused:  # a game that is not cut for
            site.ask_lobby(SetDealer(do="set-dealer", seat=0))
        site.ask_lobby(Begin(do="begin"))
        return True
