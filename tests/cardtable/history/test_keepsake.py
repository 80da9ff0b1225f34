"""The keepsake of an evening: a picture for anybody, of games that are over, without what was hidden."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cardtable.history.highlights import best_moments, highlights_of
from cardtable.history.pages import Answers, NotThere, Query
from cardtable.journal.games import open_games
from cardtable.languages import Language, translator
from engine.actions import Action
from engine.record import Header
from engine.table import Table
from tests.cardtable.history.past_games import store

NAMES = ("<b>Ann</b>", "Bo & Co", "Cy", "Dee")


def moon() -> tuple[Header, tuple[Action, ...]]:
    """Return a game of Hearts of one hand, in which one player takes every trick."""
    header = Header("hearts", NAMES, 0, {"target": 26})
    table = Table(header)
    suits = ("C", "S", "H", "D")
    for rank in ("2", *"3456789", "10", *"JQKA"):
        for seat, suit in enumerate(suits):
            table.do(Action.parse(f"{seat} play {rank}{suit}"))
    assert table.over
    return header, table.actions


def words(svg: bytes) -> str:
    return " ".join(ElementTree.fromstring(svg).itertext())


def picture(path: Path, number: int = 1, language: Language = "en") -> str:
    return words(
        Answers(path, translator(language), lambda: None).answer("keepsake.svg", Query({"id": str(number)})).content
    )


def stored(folder: Path, games: Sequence[tuple[Header, tuple[Action, ...]]]) -> Path:
    path = folder / "journal.sqlite"
    store(path, games)
    return path


def test_it_shows_who_won_the_scores_and_the_best_moments(tmp_path: Path) -> None:
    path = stored(tmp_path, [moon()])
    shown = picture(path)
    assert "<b>Ann</b>’s evening" in shown and re.search(r"\d{4}-\d\d-\d\d", shown)
    assert "Hearts: <b>Ann</b> 0–26–26–26" in shown
    assert "<b>Ann</b> shoots the moon" in shown
    assert "décroche la lune" in picture(path, language="fr")
    with open_games(path) as games:
        assert [each.moment.kind for each in best_moments(highlights_of(games, 1).moments, 9)] == ["moon", "slam"]


def test_it_has_the_games_of_its_evening_that_are_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header, actions = moon()
    monkeypatch.setattr("tests.cardtable.history.past_games.DAY", 60.0)
    path = stored(tmp_path, [(header, actions), (header, actions[:-1]), (header, actions)])
    assert picture(path, 1) == picture(path, 3)
    assert picture(path, 1).count("Hearts: <b>Ann</b>") == 2
    with pytest.raises(NotThere, match="not over"):
        picture(path, 2)
