"""The games of this project and of other packages.

A package adds a game with an entry point in the group `cardtable.games`, whose name is the game's and whose value is
its class: `my-game = "my_package.my_game:MyGame"`. A program adds one by `add_game`, such as those that files describe
(`engine.toml_games`). This project's own games are listed here as well, because a search through every installed
package takes longer than replaying a record.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

from engine.errors import HeaderError, guess_or_all
from engine.rules.game import Game
from engine.texts import text, word_text
from engine.words import TABLE_LABELS, TABLE_MARKS, marks_of, rare_marks

GROUP: Final = "cardtable.games"

HOUSE: Final = {
    "all-fives": "engine.games.all_fives:AllFives",
    "belote": "engine.games.belote:Belote",
    "bridge": "engine.games.bridge:Bridge",
    "cribbage": "engine.games.cribbage:Cribbage",
    "euchre": "engine.games.euchre:Euchre",
    "fifteen": "engine.games.fifteen:Fifteen",
    "german-whist": "engine.games.german_whist:GermanWhist",
    "hearts": "engine.games.hearts:Hearts",
    "its-15": "engine.games.its_15:ItsFifteen",
    "knock-out-whist": "engine.games.knock_out_whist:KnockOutWhist",
    "le-quinze": "engine.games.le_quinze:LeQuinze",
    "oh-hell": "engine.games.oh_hell:OhHell",
    "skat": "engine.games.skat:Skat",
    "spades": "engine.games.spades:Spades",
    "whist": "engine.games.whist:Whist",
}
"""This project's games: module and class by name."""

GAME_MARKS: Final = {
    "all-fives": 90,
    "cribbage": 91,
    "fifteen": 92,
    "its-15": 93,
    "le-quinze": 94,
    "hearts": 95,
    "oh-hell": 96,
    "whist": 97,
    "spades": 98,
    "euchre": 99,
    "knock-out-whist": 189,
    "belote": 190,
    "skat": 191,
    "german-whist": 192,
    "bridge": 193,
}
"""The ArUco ids of the action cards that choose one of this project's games. Cards are printed with them, so they must
not change. The card of another package's game has a QR code only.

The words of these games have 100 to 119, and from 249 down: the numbers 13 to 0, the words of Euchre, 193 to 232 for
Bridge, 188 for Knock-out Whist, 150 to 166 for Belote, and 123 to 149 for Skat."""

CHOICE_MARKS: Final = TABLE_MARKS | GAME_MARKS
"""The ArUco ids of the action cards that choose what is played next. No game's word can have one of them."""

DEFAULT_GAME: Final = "all-fives"
"""The game that is played if none is named."""

_added: Final[dict[str, type[Game]]] = {}


def add_game(kind: type[Game]) -> None:
    """Add a game to those installed, until the program ends. One added earlier under the same name is replaced.

    Raises `HeaderError` if an installed game has the name.
    """
    if kind.name not in _added and kind.name in game_names():
        raise HeaderError(text("there is a game {name!r} already", name=kind.name), "game")
    _added[kind.name] = kind


def remove_added_games() -> None:
    """Remove the games that `add_game` has added."""
    _added.clear()


def game_names() -> tuple[str, ...]:
    """Return the names of all installed games, in alphabetical order."""
    from importlib.metadata import entry_points  # slow to load, and rarely needed

    return tuple(sorted({*HOUSE, *_added, *(entry.name for entry in entry_points(group=GROUP))}))


def word_marks(game: str | None = None) -> dict[str, int]:
    """Return the ArUco ids of the action cards of all installed games and of the table, by the name of the word.

    `game`: the game that is played. Its words come first and have the ids with which `cardtable print actions` prints
    them, those of rare words too, which may be ids of other games' words after them; without `game`, two games of other
    packages can claim the same id (see `engine.words.marks_of`). Raises `HeaderError` if it is not installed.
    """
    names = [game] if game is not None else []
    names += [name for name in (*HOUSE, *game_names()) if name not in names]
    table = CHOICE_MARKS.values()
    marks = marks_of([word for name in names for word in load_game(name).words], table)
    rare = {} if game is None else rare_marks(load_game(game).words, marks, table)
    return CHOICE_MARKS | rare | marks


def table_words() -> tuple[str, ...]:
    """Return the words on the table's own action cards: what to do next, then the name of each installed game."""
    return (*TABLE_LABELS, *game_names())


def card_label(word: str) -> str:
    """Return what stands on the action card of `word` for people."""
    if word in TABLE_LABELS:
        return word_text(TABLE_LABELS[word])
    return load_game(word).title if word in game_names() else word_text(word)


def title_of(name: str) -> str:
    """Return the name for people of the game called `name`, or `name` itself if it is not installed."""
    try:
        return load_game(name).title
    except HeaderError:
        return name


def lowest_wins(name: str) -> bool:
    """Return whether the lowest score wins the game called `name`; False if it is not installed."""
    try:
        return load_game(name).lowest_wins
    except HeaderError:
        return False


def plays_boards(name: str) -> bool:
    """Return whether the deals of the game called `name` are boards; False if it is not installed."""
    try:
        return load_game(name).plays_boards
    except HeaderError:
        return False


def load_game(name: str) -> type[Game]:
    """Return the class of the game called `name`. Raises `HeaderError` if it is not installed."""
    if name in HOUSE:
        return _load_own(name)
    if name in _added:
        return _added[name]
    from importlib.metadata import entry_points

    entry = next(iter(entry_points(group=GROUP, name=name)), None)
    if entry is None:
        known = game_names()
        guess = guess_or_all(name, known)
        raise HeaderError(text("there is no game {name!r}{guess}", name=name, guess=guess), "game")
    found = entry.load()
    if not (isinstance(found, type) and issubclass(found, Game)):
        raise HeaderError(text("the game {name!r} is not a class of games: {found!r}", name=name, found=found), "game")
    return found


@cache
def _load_own(name: str) -> type[Game]:
    module, _, attribute = HOUSE[name].partition(":")
    found: type[Game] = getattr(import_module(module), attribute)
    return found
