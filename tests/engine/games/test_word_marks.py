"""The ids of the action cards of all games, with a game from another package that claims one of them."""

from __future__ import annotations

import importlib
import sys
from itertools import product
from pathlib import Path

import pytest

from engine.errors import HeaderError
from engine.games import CHOICE_MARKS, HOUSE, load_game, word_marks
from engine.words import Word

LOW_CARD = """
from engine.rules.game import Game
from engine.words import Word


class LowCard(Game):
    name = "low-card"
    title = "Low Card"
    seats = range(2, 5)
    words = (Word("stand", mark=199), Word("swap"))
"""


@pytest.fixture(autouse=True)
def _low_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another installed package that adds the game `low-card`."""
    (tmp_path / "low_games.py").write_text(LOW_CARD)
    info = tmp_path / "low_games-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: low-games\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[cardtable.games]\nlow-card = low_games:LowCard\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    monkeypatch.setitem(sys.modules, "low_games", importlib.import_module("low_games"))


def test_every_word_of_every_game_has_an_id() -> None:
    ours = {word.name: word.mark for name in HOUSE for word in load_game(name).words}
    marks = word_marks()
    assert {word: mark for word, mark in ours.items() if mark is not None}.items() <= marks.items()
    assert {"swap", *(word.name for name in HOUSE for word in load_game(name).words if not word.rare)} <= marks.keys()
    assert len({*marks.values()}) == len(marks)


@pytest.mark.parametrize("game", HOUSE)
def test_the_words_of_the_game_that_is_played_have_different_ids(game: str) -> None:
    ids, words = word_marks(game), load_game(game).vocabulary
    assert words.keys() <= ids.keys() - CHOICE_MARKS.keys()
    assert len({ids[word] for word in words}) == len(words)
    assert {ids[word] for word in words}.isdisjoint(CHOICE_MARKS.values())
    assert [next(each for each in ids if ids[each] == ids[word]) for word in words] == [*words]  # which one is read


def test_the_game_that_is_played_has_the_ids_that_it_declares() -> None:
    marks = word_marks()
    assert marks["stand"] != 199
    assert word_marks("low-card") == marks | {"stand": 199}
    assert word_marks("cribbage") == marks


def test_a_game_that_is_not_installed_has_no_ids() -> None:
    with pytest.raises(HeaderError, match="mah-jongg"):
        word_marks("mah-jongg")


def test_no_word_of_another_game_has_the_id_of_a_card_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    words = tuple(Word("word-" + "".join(letters)) for letters in product("abcdefgh", repeat=2))
    monkeypatch.setattr(load_game("low-card"), "words", words)
    marks = word_marks()
    used = {marks[word.name] for word in words if word.name in marks}
    assert used and used.isdisjoint(CHOICE_MARKS.values())
