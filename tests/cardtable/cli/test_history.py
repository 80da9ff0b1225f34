"""`cardtable history`: the games of a journal, and each as a record."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.journal.journal import Journal
from engine.actions import Action
from engine.record import Header
from tests.cardtable.history.past_games import some_games, store
from tests.cardtable.stored import append
from tests.engine.talk import action

ACTIONS = (action("turn 4H"), action("1 say beg"), Action("undo"), action("1 say beg"), action("0 say take-one"))


@pytest.fixture
def journal(tmp_path: Path) -> str:
    path = tmp_path / "journal.sqlite"
    with closing(Journal(path, clock=lambda: 86400.0)) as journal:
        journal.begin(Header("all-fives", ("Ann", "Bö"), 0, {"target": 1}))
        append(journal, ACTIONS, over=True)
        journal.begin(Header("all-fives", ("Cy", "Di", "Ed"), 1))
        append(journal, ACTIONS[:1])
        journal.begin(Header("all-fives", ("Flo", "Gus"), 1))  # left before its first action: not listed
    return str(path)


def test_games_for_people(journal: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "--journal", journal]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.split()[0] == "1" and "all-fives" in first and "Ann, Bö" in first and first.endswith("Bö won, 1–0")
    assert second.endswith("0–0–0  not over, 1 action")


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


def test_a_game_of_bridge_in_portable_bridge_notation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, boards = tmp_path / "journal.sqlite", tmp_path / "boards.pbn"
    with closing(Journal(path, clock=lambda: 86400.0)) as journal:
        journal.begin(Header("bridge", ("Ann", "Bö", "Cy", "Di"), 0, {"scoring": "duplicate", "boards": 2}))
        append(journal, [action(f"{seat} say pass") for seat in (0, 1, 2, 3, 1, 2, 3, 0)], over=True)
    assert main(["history", "1", "--pbn", "--journal", str(path), "-o", str(boards)]) == 0
    assert main(["replay", str(boards), "--board", "2", "--record"]) == 0
    header, *calls = map(json.loads, capsys.readouterr().out.splitlines())
    assert (header["players"], header["dealer"], len(calls)) == (["Ann", "Bö", "Cy", "Di"], 1, 4)
    assert main(["replay", str(boards), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["tricks"] == [None]
    assert main(["replay", str(boards), "--board", "3"]) == 2
    assert "there is no board 3, only 1, 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "status", "message"),
    [
        (["1", "--pbn"], 2, "only games of bridge can be written as PBN, not 'all-fives'"),
        (["--pbn"], 2, "--pbn needs a game"),
        (["9"], 2, "there is no game 9 in"),
        (["x"], 2, "history: N: 'x' is not a whole number"),
        (["--journal", "none.sqlite"], 1, "none.sqlite: there is no such journal; name it with --journal"),
        (["--journal", __file__], 1, "is not a journal"),
    ],
)
def test_errors(argv: list[str], status: int, message: str, journal: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "--journal", journal, *argv]) == status
    captured = capsys.readouterr()
    assert captured.out == "" and message in captured.err and captured.err.count("\n") == 1


# Statistics, and files to take away


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("played") / "played.sqlite"
    store(path, some_games(1))
    return path


@pytest.fixture
def played(stored: Path, tmp_path: Path) -> str:
    return str(shutil.copy(stored, tmp_path))


def printed(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["history", *argv]) == 0
    return capsys.readouterr().out


def test_statistics(played: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "--stats", "--journal", played).splitlines()
    assert lines[0].split() == [
        "player",
        "game",
        "played",
        "won",
        "shared",
        "average",
        "best",
        "revokes",
        "longest",
        "run",
    ]
    ann = json.loads(printed(capsys, "--stats", "--player", "Ann", "--journal", played, "--json").splitlines()[0])
    assert (ann["player"], ann["name"], ann["average"]) == ("Ann", None, None) and ann["played"] > ann["won"]
    row = next(line for line in lines if line.startswith("Ann") and "all games" in line)
    assert row.split()[3:6] == [str(ann[key]) for key in ("played", "won", "shared")]
    assert any(line.split()[:2] == ["Ann", "Bo"] for line in lines)
    fifteen = printed(capsys, "--stats", "--game", "fifteen", "--journal", played, "--json")
    assert {json.loads(line)["player"] for line in fifteen.splitlines()} == {"Ann", "Di"}


def test_evenings(played: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "--evenings", "--last", "2", "--journal", played).splitlines()
    assert len(lines) == 2 and all("1 game " in line for line in lines)
    evening = json.loads(printed(capsys, "--evenings", "--journal", played, "--json").splitlines()[0])
    assert evening["games"] == 1 and evening["began"] < evening["ended"] and evening["players"][0]["played"] == 1


def test_chosen_games(played: str, capsys: pytest.CaptureFixture[str]) -> None:
    every = printed(capsys, "--journal", played).splitlines()
    assert printed(capsys, "--last", "2", "--journal", played).splitlines() == every[-2:]
    chosen = printed(capsys, "--player", "Di", "--game", "cribbage", "--journal", played).splitlines()
    assert chosen == [line for line in every if "cribbage" in line and "Di" in line] and len(chosen) == 1


def test_games_and_actions_for_a_spreadsheet(played: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.csv"
    assert printed(capsys, "--csv", "-o", str(file), "--journal", played) == ""
    written = file.read_bytes()
    assert written.startswith(b"game,started,ended,name,over,seat,player") and written.count(b"\r\n") > 7
    steps = printed(capsys, "1", "--csv", "--journal", played)
    assert steps.splitlines()[0].startswith("line,time,seat,player,do,cards")
    game = json.loads(printed(capsys, "--journal", played, "--json").splitlines()[0])
    assert steps.splitlines()[-1].split(",")[-len(game["scores"]) :] == [str(score) for score in game["scores"]]


def test_the_course_of_the_score(played: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.svg"
    assert printed(capsys, "1", "--picture", "-o", str(file), "--journal", played) == ""
    assert file.read_text("utf-8").startswith("<svg ") and "game 1</title>" in file.read_text("utf-8")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--stats", "--csv"], "--stats and --csv are two different files: choose one"),
        (["--picture"], "--picture needs the number of a game"),
        (["--picture", "--player", "Ann"], "or --player and --game"),
        (["--picture", "--player", "Zoe", "--game", "fifteen"], "There are no scores of Zoe in fifteen"),
        (["1", "--stats"], "--stats is about all games"),
        (["--last", "0"], "--last: 0 is not a number of games"),
        (["--csv", "-o", "/nowhere/x"], "/nowhere/x cannot be written"),
    ],
)
def test_what_cannot_be_asked_for(
    argv: list[str], message: str, played: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", *argv, "--journal", played]) == 2
    assert message in capsys.readouterr().err


def test_a_list_loads_neither_the_rules_nor_the_page(played: str) -> None:
    """The start of Python is what a list takes longest for."""
    code = "import sys; from cardtable.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    for option in ("--stats", "--last=5"):
        command = [sys.executable, "-c", code, "history", option, "--journal", played]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        loaded = set(done.stderr.split())
        assert not loaded & {"engine.table", "engine.games", "pydantic", "cv2", "starlette", "asyncio", "babel"}
