"""A journal with an action that an older version accepted and the rules refuse now: a go with a card, in cribbage."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.evening.playing import open_game
from cardtable.journal.journal import Journal
from engine.actions import Action
from engine.cards import parse_card
from engine.record import Header
from engine.texts import Text
from tests.cardtable.stored import append
from tests.engine.talk import action

CRIBBAGE = Header("cribbage", ("Ann", "Bo"), 0)
OTHER = Header("all-fives", ("Cy", "Di"), 0)
GO_WITH_A_CARD = Action("say", 0, parse_card("AS"), word="go")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal with a game of all fives, one of cribbage with that action, and another of all fives."""
    path = tmp_path / "journal.sqlite"
    with closing(Journal(path)) as journal:
        journal.begin(OTHER)
        append(journal, [action("turn 4H")])
        journal.begin(CRIBBAGE)
        append(journal, [action(each) for each in ("turn AC", "1 play KS", "0 play 9S", "1 play KD")])
        append(journal, [GO_WITH_A_CARD, action("1 play 2D")])
        journal.begin(OTHER)
        append(journal, [action("turn 5H"), action("1 say beg")])
    return path


def test_other_games_go_on(path: Path) -> None:
    with closing(Journal(path)) as journal:
        assert open_game(journal, OTHER) == (action("turn 5H"), action("1 say beg"))


@pytest.mark.parametrize("new", [False, True])
def test_the_game_is_set_apart_and_a_new_one_begins(path: Path, new: bool) -> None:
    reports: list[Text] = []
    with closing(Journal(path)) as journal:
        assert open_game(journal, CRIBBAGE, new, reports.append) == ()
        append(journal, [action("turn AH")])
    assert len(reports) == (0 if new else 1)
    for report in reports:
        assert f"{path}: game 2 cannot be read (the rules refuse its line 6: " in str(report)
        assert str(report).endswith("it stays stored. A new game begins.")
    with closing(Journal(path)) as journal:
        assert open_game(journal, CRIBBAGE) == (action("turn AH"),)


def stored_go(path: Path) -> str:
    with closing(Journal(path)) as journal:
        return journal.games.raw(2)[5]


def test_history_names_it(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "--journal", str(path), "--json"]) == 0
    first, second, third = map(json.loads, capsys.readouterr().out.splitlines())
    assert "error" not in first and "error" not in third
    assert second["error"].startswith("the rules refuse its line 6: ")
    assert main(["history", "3", "--journal", str(path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_its_record_is_printed_as_it_is_stored(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "2", "--journal", str(path)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 7 and json.loads(printed[5]) == json.loads(stored_go(path))
