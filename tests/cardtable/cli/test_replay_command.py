"""`cardtable replay` and `cardtable games`: output, exit codes, messages."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from cardtable.cli import main

HEADER = '{"record": 1, "game": "all-fives", "players": ["Ann", "Bo"], "dealer": 0, "options": {"target": 1}}'
GOOD = (HEADER, '{"do": "turn", "card": "2C"}', '{"do": "say", "seat": 1, "word": "beg"}')
WIN = '{"do": "say", "seat": 0, "word": "take-one"}'


def written(folder: Path, *lines: str) -> str:
    path = folder / "game.jsonl"
    path.write_text("".join(line + "\n" for line in lines), "utf-8")
    return str(path)


def test_all_accepted_is_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", written(tmp_path, *GOOD, WIN), "--json"]) == 0
    out = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["n"] for answer in out[:-1]] == [2, 3, 4]
    assert out[-1]["winners"] == [1]


def test_some_refused_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", written(tmp_path, *GOOD, *GOOD[1:]), "--json", "--legal"]) == 1
    out = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer.get("error") for answer in out[:-1]] == [None, None, "wrong-phase", "not-your-turn"]
    assert out[0]["legal"][0]["word"] == "stand"


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(GOOD).encode())))
    assert main(["replay", "-"]) == 0
    assert "not over" in capsys.readouterr().out


def test_a_name_with_a_line_end_of_unicode_stays_on_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON Lines: one object a line, also for programs that end a line at U+0085, U+2028 and U+2029."""
    names = ["Zo\u00eb\u2028", "\u4e2d\u6587\u2029\x85\U0001f0a1"]
    header = json.dumps({"record": 1, "game": "all-fives", "players": names, "dealer": 0})
    path = written(tmp_path, header, GOOD[1], '{"do": "say", "seat": 0, "word": "stand"}')
    assert main(["replay", path, "--json"]) == 1
    out = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(out) == 3
    assert "\u4e2d\u6587 \U0001f0a1" in out[1]["message"]


def test_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", written(tmp_path, *GOOD, GOOD[2], WIN)]) == 1
    out = capsys.readouterr().out
    for words in (
        "Bo",
        "say beg",
        "REFUSED not-your-turn",
        "Bo +1 beg",
        "game-over",
        "Bo won, 1–0; 3 accepted, 1 refused",
    ):
        assert words in out


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((*GOOD, "nonsense"), "line 4"),
        ((*GOOD, '{"do": "play", "seat": 5, "card": "AS"}'), "no seat 5"),
        ((*GOOD[1:],), "header"),
        ((), "empty"),
    ],
)
def test_a_file_that_is_not_a_record_is_2_and_prints_nothing(
    lines: tuple[str, ...], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", written(tmp_path, *lines), "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err and err.count("\n") == 1


def test_a_missing_file_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(tmp_path / "none.jsonl")]) == 2
    assert main(["replay", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 2


def test_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "--json"]) == 0
    games = {game["game"]: game for game in map(json.loads, capsys.readouterr().out.splitlines())}
    fives = games["all-fives"]
    assert fives["players"] == [2, 3] and fives["cards"] == 52
    assert "take-one" in fives["words"] and "turn-up" in fives["zones"]
    assert {option["name"]: option["default"] for option in fives["options"]} == {
        "target": 61,
        "discard_to_six": False,
        "revoke_bonus": False,
    }
    assert main(["games"]) == 0
    assert "All Fives (all-fives), 2 or 3 players" in capsys.readouterr().out


def test_partners_win_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    four = (
        '{"record": 1, "game": "cribbage", "players": ["Ann", "Bo", "Cy", "Di"], "dealer": 0, "options": {"target": 1}}'
    )
    assert main(["replay", written(tmp_path, four, '{"do": "turn", "card": "JD"}')]) == 0
    assert "Ann and Cy won, 1–0" in capsys.readouterr().out
