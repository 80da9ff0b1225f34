"""The games: those of this project (`HOUSE`), those of other packages, and those that a program adds.

A package adds a game with an entry point in the group `cardtable.games`, whose name is the game's and whose value is
its class: `my-game = "my_package.my_game:MyGame"`. A program adds one with `add_game`, such as a game that a file
describes (`engine.toml_games`).
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.errors import HeaderError, guess_or_all
from engine.rules.game import Game
from engine.texts import text, word_text
from engine.words import TABLE_LABELS, TABLE_MARKS, marks_of, rare_marks

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.metadata import EntryPoint

    from engine.views import FeatKind

GROUP: Final = "cardtable.games"


class HouseGame(NamedTuple):
    """The class and the action card of a game of this project.

    `path`: module and class. `mark`: the ArUco id of the action card that chooses the game. Cards are printed with it,
    so it must not change.
    """

    path: str
    mark: int


HOUSE: Final = {
    "all-fives": HouseGame("engine.games.all_fives:AllFives", 90),
    "belote": HouseGame("engine.games.belote:Belote", 190),
    "bridge": HouseGame("engine.games.bridge:Bridge", 193),
    "cribbage": HouseGame("engine.games.cribbage:Cribbage", 91),
    "euchre": HouseGame("engine.games.euchre:Euchre", 99),
    "fifteen": HouseGame("engine.games.fifteen:Fifteen", 92),
    "german-whist": HouseGame("engine.games.german_whist:GermanWhist", 192),
    "hearts": HouseGame("engine.games.hearts:Hearts", 95),
    "its-15": HouseGame("engine.games.its_15:ItsFifteen", 93),
    "knock-out-whist": HouseGame("engine.games.knock_out_whist:KnockOutWhist", 189),
    "le-quinze": HouseGame("engine.games.le_quinze:LeQuinze", 94),
    "oh-hell": HouseGame("engine.games.oh_hell:OhHell", 96),
    "skat": HouseGame("engine.games.skat:Skat", 191),
    "spades": HouseGame("engine.games.spades:Spades", 98),
    "whist": HouseGame("engine.games.whist:Whist", 97),
}
"""This project's games by name. Add a new game here and nowhere else; tests and documents take the list from here.

A game is imported when it is first used. The games are listed here rather than as entry points of the package, because
searching every installed package takes longer than replaying a record.

The words of these games have the marks 100 to 119 and, from 249 down, the numbers 13 to 0, the words of Euchre, 193 to
232 for Bridge, 188 for Knock-out Whist, 150 to 166 for Belote, and 123 to 149 for Skat. The action card of a game in
another package has only a QR code."""

CHOICE_MARKS: Final = TABLE_MARKS | {name: game.mark for name, game in HOUSE.items()}
"""The ArUco ids of the action cards that choose what is played next. No game's word may have one of them."""

DEFAULT_GAME: Final = "all-fives"
"""The game that is played if none is named."""

_added: Final[dict[str, type[Game]]] = {}


def add_game(kind: type[Game]) -> None:
    """Add a game until the program ends, replacing one that was added under the same name.

    Raises `HeaderError` if an installed game has the name.
    """
    if kind.name not in _added and kind.name in game_names():
        raise HeaderError(text("there is a game {name!r} already", name=kind.name), "game")
    _added[kind.name] = kind


def remove_added_games() -> None:
    """Remove the games that `add_game` has added."""
    _added.clear()


def game_names() -> tuple[str, ...]:
    """Return the names of all games, in alphabetical order."""
    return tuple(sorted({*HOUSE, *_added, *_installed_games(tuple(sys.path))}))


@cache
def _installed_games(path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """Return the games of the packages that are found on `path`, which is `sys.path`."""
    from importlib.metadata import entry_points  # slow to load, and rarely needed

    return {entry.name: entry for entry in entry_points(group=GROUP)}


def load_game(name: str) -> type[Game]:
    """Return the class of the game called `name`. Raises `HeaderError` if there is no such game."""
    if name in HOUSE:
        return _load_house_game(name)
    if name in _added:
        return _added[name]
    entry = _installed_games(tuple(sys.path)).get(name)
    if entry is None:
        guess = guess_or_all(name, game_names())
        raise HeaderError(text("there is no game {name!r}{guess}", name=name, guess=guess), "game")
    found = entry.load()
    if not (isinstance(found, type) and issubclass(found, Game)):
        raise HeaderError(text("the game {name!r} is not a class of games: {found!r}", name=name, found=found), "game")
    return found


@cache
def _load_house_game(name: str) -> type[Game]:
    module, _, attribute = HOUSE[name].path.partition(":")
    found: type[Game] = getattr(import_module(module), attribute)
    return found


def title_of(name: str) -> str:
    """Return the title of the game called `name`; `name` itself if there is no such game."""
    kind = _find_game(name)
    return name if kind is None else kind.title


def lowest_wins(name: str) -> bool:
    """Return whether the lowest score wins the game called `name`; False if there is no such game."""
    kind = _find_game(name)
    return kind is not None and kind.lowest_wins


def feat_kinds_of(name: str) -> Mapping[str, FeatKind]:
    """Return the records that are kept of the game called `name`; none if there is no such game."""
    kind = _find_game(name)
    return {} if kind is None else kind.feat_kinds


def version_of(name: str) -> str:
    """Return the version of the package that has the game called `name`; "" if it is one of this package."""
    entry = None if name in HOUSE else _installed_games(tuple(sys.path)).get(name)
    return entry.dist.version if entry and entry.dist else ""


def plays_boards(name: str) -> bool:
    """Return whether the deals of the game called `name` are boards; False if there is no such game."""
    kind = _find_game(name)
    return kind is not None and kind.plays_boards


def _find_game(name: str) -> type[Game] | None:
    try:
        return load_game(name)
    except HeaderError:
        return None


def table_words() -> tuple[str, ...]:
    """Return the words on the table's own action cards: what to do next, then the name of each game."""
    return (*TABLE_LABELS, *game_names())


def card_label(word: str) -> str:
    """Return the text that the action card of `word` shows to people."""
    if word in TABLE_LABELS:
        return word_text(TABLE_LABELS[word])
    return load_game(word).title if word in game_names() else word_text(word)


def word_marks(game: str | None = None) -> dict[str, int]:
    """Return the ArUco ids of the action cards of the table and of all games, by word.

    `game`: the game that is played. Its words have the ids with which `cardtable print actions` prints them, even if
    another game's words claim the same ids; its rare words have ids too. Without `game`, words of two other packages
    may claim the same id (see `engine.words.marks_of`). Raises `HeaderError` if there is no such game.
    """
    names = [game] if game is not None else []
    names += [name for name in (*HOUSE, *game_names()) if name not in names]
    table = CHOICE_MARKS.values()
    marks = marks_of([word for name in names for word in load_game(name).words], table)
    rare = {} if game is None else rare_marks(load_game(game).words, marks, table)
    return CHOICE_MARKS | rare | marks
