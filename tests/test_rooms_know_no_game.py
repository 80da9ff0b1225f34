"""Only the games and their ready-made parts name a game or a word of one; every other room asks the game."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import engine
from cardtable.simulation import robots
from engine.games import HOUSE, load_game

ROOT = Path(engine.__file__).parents[1]
GAMES = ("engine/games/", "engine/rules/", "engine/toml_games/", "engine/formats/")
"""The formats of other programs are of one game each."""
ROOMS = ("engine", "cardtable", "hardware", "firmware_bridge", "vision")

ALLOWED = {
    "cardtable/simulation/robots.py": set(HOUSE),  # the registry of robots that play better than by chance
    "cardtable/config/model.py": {"all-fives"},  # an example in the schema
}
ROBOTS = {f"{kind.__module__.replace('.', '/')}.py" for kind in robots.ROBOTS.values()}
"""They play one game each, and say its words."""
OTHER_MEANINGS = {
    *("card", "hand", "call", "go", "change", "double", "claim", "pass", "accept", "stand", "hold"),
    *("club", "diamond", "heart", "spade", "hearts", "spades", "switch"),
}
"""Words that mean something else as well: a suit, a press of a button, a kind of option, a key of a message."""


def literals(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """The texts in the code, without docstrings."""
    comments = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in comments:
            yield node.value


def imports(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@cache
def texts_and_imports() -> dict[str, tuple[set[str], set[str]]]:
    """For each file outside the games: the texts in its code, and the modules that it imports from."""
    found = {}
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(GAMES):
                nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
                found[name] = {*literals(nodes)}, {*imports(nodes)}
    return found


def test_the_names_of_games_and_words_are_found() -> None:
    tree = ast.parse('"""bridge"""\nif game == "bridge":\n    from engine.games.bridge import Bridge\n')
    nodes = [*ast.walk(tree)]
    assert [*literals(nodes)] == ["bridge"] and [*imports(nodes)] == ["engine.games.bridge"]


def test_no_other_room_names_a_game() -> None:
    games = {*HOUSE} - OTHER_MEANINGS
    found = {name: games & texts - ALLOWED.get(name, set()) for name, (texts, _) in texts_and_imports().items()}
    assert {name: named for name, named in found.items() if named} == {}


def test_no_other_room_says_a_word_of_a_game() -> None:
    words = {word for name in HOUSE for word in load_game(name).vocabulary if not word[0].isdigit()}
    words -= OTHER_MEANINGS | {*HOUSE}
    found = {name: words & texts for name, (texts, _) in texts_and_imports().items() if name not in ROBOTS}
    assert {name: names for name, names in found.items() if names} == {}


def test_no_other_room_imports_a_game() -> None:
    """But the robots of a game."""
    found = {
        name
        for name, (_, modules) in texts_and_imports().items()
        if any(module.startswith("engine.games.") for module in modules) and name not in ROBOTS
    }
    assert found == set()
