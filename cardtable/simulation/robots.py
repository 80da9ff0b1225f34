"""The robots there are: those of this house, and those that other packages bring.

A package adds robots for its game with an entry point in the group `cardtable.robots`, whose name is the game's and
whose value a subclass of `Players`: `my-game = "my_package.robots:MyGame"`.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Final

from cardtable.errors import UsageError, suggestion
from cardtable.simulation.all_fives import AllFives
from cardtable.simulation.cribbage import Cribbage
from cardtable.simulation.fifteen import Fifteen
from cardtable.simulation.its_15 import ItsFifteen
from cardtable.simulation.le_quinze import LeQuinze
from cardtable.simulation.players import Players
from engine.games import game_names
from engine.texts import text

GROUP: Final = "cardtable.robots"

ROBOTS: Final[dict[str, type[Players]]] = {
    "all-fives": AllFives,
    "fifteen": Fifteen,
    "cribbage": Cribbage,
    "le-quinze": LeQuinze,
    "its-15": ItsFifteen,
}
"""Who plays which game of the house; `acts` gives what the players do, one thing after another."""


def robot_names() -> tuple[str, ...]:
    """The games that robots play, those of the house first."""
    others = {entry.name for entry in entry_points(group=GROUP)} & set(game_names())
    return (*ROBOTS, *sorted(others - ROBOTS.keys()))


def load_robots(game: str) -> type[Players]:
    """Who plays `game`. Raises `UsageError` where there are no robots for it."""
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
    found: object = next(iter(entry_points(group=GROUP, name=game))).load()
    if not (isinstance(found, type) and issubclass(found, Players)):
        raise UsageError(
            text(
                "the players of {game!r} are not a class of players (cardtable.simulation.players): {found!r}",
                game=game,
                found=found,
            )
        )
    return found
