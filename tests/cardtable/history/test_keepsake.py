"""The keepsake of an evening: a picture for anybody, of games that are over, without what was hidden."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from cardtable.history import keepsake
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


def picture(path: Path, number: int = 1, language: Language = "en") -> str:
    """Return the words of the picture."""
    written: list[str] = []
    write = keepsake._Sheet.text

    def noted(sheet: keepsake._Sheet, words: str, *about: Any, **more: Any) -> float:
        written.extend([words] if len(words) > 2 or words.isdigit() else [])  # without those of the cards
        return write(sheet, words, *about, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keepsake._Sheet, "text", noted)
        answers = Answers(path, translator(language), lambda: None)
        data = answers.answer("keepsake.png", Query({"id": str(number)})).content
    drawn = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert drawn is not None and drawn.shape[1] == keepsake.WIDTH < drawn.shape[0] < 2 * keepsake.WIDTH
    return " ".join(written)


def stored(folder: Path, games: Sequence[tuple[Header, tuple[Action, ...]]]) -> Path:
    path = folder / "journal.sqlite"
    store(path, games)
    return path


def test_it_shows_who_won_the_scores_and_the_best_moments(tmp_path: Path) -> None:
    path = stored(tmp_path, [moon()])
    shown = picture(path)
    assert "<b>Ann</b>’s evening" in shown and re.search(r"\d{4}-\d\d-\d\d", shown)
    assert "Hearts <b>Ann</b> 0–26–26–26" in shown
    assert "What decided Hearts <b>Ann</b> shoots the moon · Bo & Co +26 · Cy +26 · Dee +26" in shown
    assert shown.count("moon") == 1
    assert "décroche la lune" in picture(path, language="fr")
    with open_games(path) as games:
        assert [each.moment.kind for each in best_moments(highlights_of(games, 1).moments, 9)] == [
            "moon",
            "slam",
            "taken",
        ]


def test_it_has_the_games_of_its_evening_that_are_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header, actions = moon()
    monkeypatch.setattr("tests.cardtable.history.past_games.DAY", 60.0)
    path = stored(tmp_path, [(header, actions), (header, actions[:-1]), (header, actions)])
    assert picture(path, 1) == picture(path, 3)
    assert picture(path, 1).count("Hearts <b>Ann</b> 0") == 2
    with pytest.raises(NotThere, match="not over"):
        picture(path, 2)


def test_letters_that_the_fonts_of_the_board_lack_and_long_names(tmp_path: Path) -> None:
    header, actions = moon()
    names = ("Łucja Ωmega", "Дарья", "W" * 40, "Q♠")
    assert "Łucja Ωmega" in picture(stored(tmp_path, [(replace(header, players=names), actions)]))
