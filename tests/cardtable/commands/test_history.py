"""`cardtable history`: the games of a journal, and each as a record."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.play.journal import Journal
from engine.actions import Action
from engine.record import Header
from tests.engine.talk import action

ACTIONS = (action("turn 4H"), action("1 say beg"), Action("undo"), action("1 say beg"), action("0 say take-one"))


@pytest.fixture
def journal(tmp_path: Path) -> str:
    path = tmp_path / "journal.sqlite"
    with closing(Journal(path, clock=lambda: 86400.0)) as journal:
        journal.begin(Header("all-fives", ("Ann", "Bö"), 0, {"target": 1}))
        journal.append(ACTIONS, over=True)
        journal.begin(Header("all-fives", ("Cy", "Di", "Ed"), 1))
    return str(path)


def test_games_for_people(journal: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "--journal", journal]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.split()[0] == "1" and "all-fives" in first and "Ann, Bö" in first and first.endswith("0–1  over")
    assert second.endswith("0–0–0  not over, 0 actions")


def test_games_for_programs(journal: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "--journal", journal, "--json"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first.pop("started").startswith("1970-01-0")
    assert first == {
        "id": 1,
        "game": "all-fives",
        "players": ["Ann", "Bö"],
        "actions": 5,
        "over": True,
        "winners": [1],
        "scores": [0, 1],
    }
    assert (second["id"], second["over"], second["winners"]) == (2, False, [])


def test_a_game_as_a_record(journal: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "1", "--journal", journal]) == 0
    record = tmp_path / "game.jsonl"
    record.write_text(capsys.readouterr().out, "utf-8")
    assert main(["replay", str(record), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["winners"] == [1]


@pytest.mark.parametrize(
    ("argv", "status", "message"),
    [
        (["3"], 2, "there is no game 3 in"),
        (["x"], 2, "history: N: 'x' is not a whole number"),
        (["--journal", "none.sqlite"], 1, "none.sqlite: there is no such journal; name it with --journal"),
        (["--journal", __file__], 1, "is not a journal"),
    ],
)
def test_errors(argv: list[str], status: int, message: str, journal: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "--journal", journal, *argv]) == status
    captured = capsys.readouterr()
    assert captured.out == "" and message in captured.err and captured.err.count("\n") == 1
