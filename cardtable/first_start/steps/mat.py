"""The mat: four corner marks on one sheet, or a whole mat, printed from a phone or another computer."""

from __future__ import annotations

from typing import ClassVar, Final

from cardtable.first_start.question import Choice, Question, Sheet
from cardtable.first_start.step import Site, Step, Unfit
from engine.errors import HeaderError
from engine.games import game_names, load_game
from engine.texts import plural, text

_MARKS: Final = "marks"
_MAT: Final = "mat"
_THERE: Final = "there"
_GAME: Final = "game:"
_PLAYERS: Final = "players:"
CORNERS: Final = "corners.pdf"


class MatStep(Step):
    """Asks what is printed; for a whole mat, for which game and how many players."""

    name: ClassVar[str] = "mat"

    def __init__(self) -> None:
        self._what = ""
        self._game = ""
        self._players = 0

    def begin(self, site: Site) -> None:
        """Ask from the beginning."""
        self._what, self._game, self._players = "", "", 0

    def question(self, site: Site) -> Question:
        """Return the question that is open."""
        title = text("The mat")
        if self._what == _MAT and not self._game:
            games = [Choice(f"{_GAME}{name}", load_game(name).title) for name in game_names()]
            return Question(
                title, text("For which game? Its places are printed on the mat."), choices=games, inner=True
            )
        if self._what == _MAT and not self._players:
            seats = load_game(self._game).seats
            one, many = "{count} player", "{count} players"
            choices = [Choice(f"{_PLAYERS}{count}", plural(one, many, count)) for count in seats]
            return Question(title, text("For how many?"), choices=choices, inner=True)
        if self._what:
            name = CORNERS if self._what == _MARKS else f"mat-{self._game}-{self._players}.pdf"
            label = text("The four marks, one A4 page") if self._what == _MARKS else text("The mat on A4 pages")
            return Question(
                title,
                text(
                    "Open it on a phone or computer, and print it at its true size (100 %). Then lay it on the table, "
                    "with all four marks in the camera’s picture."
                ),
                sheets=[Sheet(name, label)],
                picture="camera" if site.cameras() else None,
                forward=text("It lies on the table"),
                inner=True,
            )
        return Question(
            title,
            text("Four corner marks say where the cards lie. Which mat do you use?"),
            choices=[
                Choice(_MARKS, text("Marks only"), text("one A4 page, for every game, on any table")),
                Choice(_MAT, text("A whole mat"), text("with the places for the cards of one game")),
                Choice(_THERE, text("It lies on the table already")),
            ],
        )

    def answer(self, site: Site, value: str) -> bool:
        """Take what is printed, the game, or the number of players."""
        if not self._what and value in (_MARKS, _MAT, _THERE):
            self._what = value if value != _THERE else ""
            return value == _THERE
        if self._what == _MAT and not self._game and value.startswith(_GAME):
            name = value.removeprefix(_GAME)
            try:
                load_game(name)
            except HeaderError as error:
                raise Unfit(str(error)) from error
            self._game = name
            return False
        if self._game and not self._players and value.startswith(_PLAYERS):
            players = value.removeprefix(_PLAYERS)
            if players not in map(str, load_game(self._game).seats):
                raise Unfit(text("Choose a number that is shown."))
            self._players = int(players)
            return False
        raise Unfit(text("There is nothing to choose here."))

    def back(self) -> bool:
        """Return to the question before."""
        within = bool(self._what)
        if self._players:
            self._players = 0
        elif self._game:
            self._game = ""
        else:
            self._what = ""
        return within
