"""Find the robots of a game: those of the five games, those of other packages, and `LegalPlayers` for all others.

A package adds robots for its game with an entry point in the group `cardtable.robots`. Its name is the name of the game
and its value a subclass of `Players`: `my-game = "my_package.robots:MyGame"`.
"""

from __future__ import annotations

import random
from importlib.metadata import entry_points
from typing import Final

from cardtable.errors import UsageError, suggestion
from cardtable.simulation.all_fives import AllFives
from cardtable.simulation.any_game import LegalPlayers
from cardtable.simulation.cribbage import Cribbage
from cardtable.simulation.fifteen import Fifteen
from cardtable.simulation.its_15 import ItsFifteen
from cardtable.simulation.le_quinze import LeQuinze
from cardtable.simulation.players import Players
from engine.errors import HeaderError
from engine.games import game_names, load_game
from engine.record import Header
from engine.texts import text

GROUP: Final = "cardtable.robots"

ROBOTS: Final[dict[str, type[Players]]] = {
    "all-fives": AllFives,
    "fifteen": Fifteen,
    "cribbage": Cribbage,
    "le-quinze": LeQuinze,
    "its-15": ItsFifteen,
}
"""The robots of the five games."""


def robot_names() -> tuple[str, ...]:
    """Return the games that robots play, which are all installed games; those of this program come first."""
    return (*ROBOTS, *(name for name in game_names() if name not in ROBOTS))


def load_robots(game: str) -> type[Players]:
    """Return the robots that play `game`. Raises `UsageError` for an unknown game."""
    if game in ROBOTS:
        return ROBOTS[game]
    names = robot_names()
    if game not in names:
        known = ", ".join(names)
        raise UsageError(
            text(
                "the simulated table has no players for {game!r}, only for: {names}{guess}",
                game=game,
                names=known,
                guess=suggestion(game, names),
            )
        )
    entry = next(iter(entry_points(group=GROUP, name=game)), None)
    if entry is None:
        return legal_players(game)
    found: object = entry.load()
    if not (isinstance(found, type) and issubclass(found, Players)):
        raise UsageError(
            text(
                "the players of {game!r} are not a class of players (cardtable.simulation.players): {found!r}",
                game=game,
                found=found,
            )
        )
    return found


def legal_players(game: str) -> type[LegalPlayers]:
    """Return robots for any installed game.

    They cut for the deal if the game allows a header without a dealer. They can deal across readers if the game has
    the action `deal`.
    """
    rules = load_game(game)
    names = tuple(f"player {seat}" for seat in range(rules.seats[0]))
    try:
        rules.check_header(names, None, {})
    except HeaderError:
        cut = False
    else:
        cut = True
    players = LegalPlayers(Header(game, names, None if cut else 0), random.Random(0))
    next(act for act in players.acts() if players.table.phase != "cut")
    deals = "deal" in players.table.question.offers
    return type("LegalPlayers", (LegalPlayers,), {"cut_for_deal": cut, "deals": deals})
