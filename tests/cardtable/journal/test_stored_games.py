"""Games that cannot be read, games whose hands are hidden, and journals with very many games."""

from __future__ import annotations

import json
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.config.load import read_config
from cardtable.doctor import Machine
from cardtable.evening.playing import open_game
from cardtable.journal.file import UnreadableGame
from cardtable.journal.games import Result, open_games
from cardtable.journal.journal import Journal
from cardtable.maintenance.support_bundle import parts
from engine.actions import Action
from engine.record import Header, read_record
from engine.table import Table, answers
from engine.texts import Text
from tests.cardtable.stored import append, read_games
from tests.engine.talk import action

OLD = Header("all-fives", ("Ann", "Bo"), 0)
HEADER = Header("cribbage", ("Cy", "Di"), 0)

BROKEN_ACTIONS = (
    '{"do": "play", "seat": 1, "card": "2C"}',  # the rules refuse it
    '{"do": "juggle"}',
    '{"do": "say", "seat": 0, "word": "stand", "card": "brown-1"}',
    '{"do": "say", "seat": 9, "word": "stand"}',
    '{"do": "say"',
    "[" * 100_000,
    "17",
    "",
)
BROKEN_HEADERS = ('{"record":1,"game":"pinochle","players":["Ann","Bo"]}', '{"record":1,"game":"all-fives"}', "{", "[]")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal with an old game that is not over, which the tests break, and a later one of others."""
    path = tmp_path / "journal.sqlite"
    with closing(Journal(path)) as journal:
        journal.begin(OLD)
        append(journal, [action("turn 4H"), action("1 say beg")])
        journal.begin(HEADER)
        append(journal, [action("0 discard"), action("1 discard")])
    return path


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement, values)


def broken(path: Path, kind: str, content: str) -> None:
    if kind == "action":
        change(path, "UPDATE action SET action = ? WHERE game = 1 AND n = 1", content)
    else:
        change(path, "UPDATE game SET header = ? WHERE id = 1", content)
    change(path, "DELETE FROM summary")
    change(path, "DELETE FROM checksum")


BROKEN = [*(("action", content) for content in BROKEN_ACTIONS), *(("header", content) for content in BROKEN_HEADERS)]


@pytest.mark.parametrize(("kind", "content"), BROKEN, ids=str)
def test_a_game_that_cannot_be_read_does_not_affect_the_others(
    path: Path, kind: str, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    broken(path, kind, content)
    assert main(["history", "--journal", str(path)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.split()[0] == "1" and "cannot be read: " in first
    assert "Cy, Di" in second and second.endswith("0–0  not over, 2 actions")
    assert main(["history", "--journal", str(path), "--json"]) == 0
    about = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert about[0]["error"] and "scores" not in about[0] and about[1]["scores"] == [0, 0]
    assert main(["history", "2", "--journal", str(path)]) == 0
    assert capsys.readouterr().out.count("\n") == 3
    for header, new in ((HEADER, False), (HEADER, True), (OLD, True)):
        with closing(Journal(path)) as journal:
            past = open_game(journal, header, new)
            assert len(past) == (0 if new else 2)


@pytest.mark.parametrize("content", BROKEN_ACTIONS)
def test_an_unreadable_game_is_named_and_a_new_one_begins(path: Path, content: str) -> None:
    broken(path, "action", content)
    reports: list[Text] = []
    with closing(Journal(path)) as journal:
        assert open_game(journal, OLD, report=reports.append) == ()
        assert len(reports) == 1 and "game 1 cannot be read" in reports[0] and "it stays stored" in reports[0]
        append(journal, [action("turn 6H")])
        assert open_game(journal, OLD, report=reports.append) == (action("turn 6H"),)
    assert len(reports) == 1


def test_a_game_on_which_the_rules_crash(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(table: Table, action: Action) -> None:
        raise KeyError("brown-1")

    monkeypatch.setattr(Table, "do", crash)
    with open_games(path) as games, pytest.raises(UnreadableGame, match=r"its line 2: .*brown-1"):
        games.replayed(1)


def test_missing_actions_are_noticed(path: Path) -> None:
    change(path, "DELETE FROM action WHERE game = 1 AND n = 0")
    with open_games(path) as games, pytest.raises(UnreadableGame, match="some of its actions are missing"):
        games.read(1)
    assert [game.header for game in read_games(path)] == [HEADER]


def test_text_that_is_not_utf_8_affects_only_its_game(path: Path) -> None:
    change(path, "UPDATE action SET action = CAST(x'7bff7d' AS TEXT) WHERE game = 1 AND n = 1")
    assert [game.header for game in read_games(path)] == [HEADER]


# Very many games: only what is asked for is read and replayed


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Every action that is read from a journal, and every action that is done on a table."""
    done: list[str] = []
    read, do = Action.from_json.__func__, Table.do  # type: ignore[attr-defined]
    monkeypatch.setattr(Action, "from_json", classmethod(lambda cls, value: done.append("read") or read(cls, value)))
    monkeypatch.setattr(Table, "do", lambda table, each: done.append("do") or do(table, each))
    yield done


def many_games(path: Path, count: int) -> None:
    with closing(Journal(path)) as journal:
        for _ in range(count):
            table = Table(OLD)
            journal.begin(OLD)
            for each in (action("turn 4H"), action("1 say beg")):
                table.do(each)
                append(journal, [each], result=Result.of(table))


def test_a_start_reads_only_the_game_that_is_continued(tmp_path: Path, reads: list[str]) -> None:
    path = tmp_path / "journal.sqlite"
    many_games(path, 50)
    reads.clear()
    with closing(Journal(path)) as journal:
        assert len(open_game(journal, OLD)) == 2
        assert len(reads) == 4
        assert open_game(journal, HEADER) == ()
    assert len(reads) == 4


def test_the_list_of_games_reads_no_action(
    tmp_path: Path, reads: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "journal.sqlite"
    many_games(path, 50)
    reads.clear()
    assert main(["history", "--journal", str(path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 50
    assert reads == []


def test_a_record_reads_one_game(tmp_path: Path, reads: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "journal.sqlite"
    many_games(path, 50)
    reads.clear()
    assert main(["history", "7", "--journal", str(path)]) == 0
    assert reads == ["read", "read"]


def test_results_of_older_versions_are_stored_when_the_journal_is_opened(
    path: Path, reads: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The games of `path` were stored without results, as older versions did."""
    assert main(["history", "--journal", str(path)]) == 0
    first = capsys.readouterr().out
    assert reads == ["read", "read", "do", "do"] * 2
    Journal(path).close()
    reads.clear()
    assert main(["history", "--journal", str(path)]) == 0
    assert (capsys.readouterr().out, reads) == (first, [])


def test_a_result_is_out_of_date_when_actions_were_added(
    path: Path, reads: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", "--journal", str(path)]) == 0
    with closing(Journal(path)) as journal:
        journal.resume(1)
        append(journal, [action("0 say take-one")])
    capsys.readouterr()
    assert main(["history", "--journal", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith("0–1  not over, 3 actions")


# Hands


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_reads_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with closing(Journal(path)) as journal:
        journal.begin(OLD)
        assert {mode(each) for each in tmp_path.glob("journal.sqlite*") if each.stat().st_size} == {0o600}
    path.chmod(0o644)
    with closing(Journal(path)):
        assert {mode(path), mode(tmp_path / "journal.sqlite-wal"), mode(tmp_path / "journal.sqlite-shm")} == {0o600}


KNOWN = (
    "0 deal 2C 3C 4C 5C 6C 7C",
    "1 deal 2D 3D 4D 5D 6D 7D",
    "0 discard 2C 3C",
    "1 discard 2D 3D",
    "turn KS",
    "1 play 7D",
)
SECRET = ("2C", "3C", "4C", "5C", "6C", "7C", "2D", "3D", "4D", "5D", "6D")


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """A game with known hands, one of which was read wrong at first."""
    path = tmp_path / "journal.sqlite"
    table = Table(HEADER)
    with closing(Journal(path)) as journal:
        journal.begin(HEADER)
        for written in ("0 deal 2C 3C 4C 5C 6C 8C", "undo", *KNOWN):
            table.do(written)
            append(journal, [Action.parse(written)])
    return path


def test_a_running_game_is_printed_without_its_hands(known: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "1", "--journal", str(known)]) == 0
    out, err = capsys.readouterr()
    assert not [card for card in (*SECRET, "8C") if f'"{card}"' in out]
    assert "--hands" in err
    record = read_record(out.splitlines())
    assert all(answer["ok"] for answer in list(answers(record))[:-1])
    assert record.actions[-1] == action("1 play 7D")
    assert main(["history", "1", "--journal", str(known), "--hands"]) == 0
    out, err = capsys.readouterr()
    assert all(f'"{card}"' in out for card in SECRET) and err == ""


def test_a_finished_game_is_printed_whole(known: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(known, "UPDATE game SET over = 1")
    change(known, "DELETE FROM checksum")
    assert main(["history", "1", "--journal", str(known)]) == 0
    out = capsys.readouterr().out
    assert all(f'"{card}"' in out for card in SECRET)


def test_the_bundle_leaves_the_hands_of_a_running_game_out(known: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = known.with_name("table.toml")
    config.write_text('game = "cribbage"\nplayers = ["Cy", "Di"]\ndealer = 0\nmarks = ["aruco"]\n', "utf-8")
    assert read_config(config).journal == known
    machine = Machine(run=lambda command: None)
    record = dict(parts(config, machine))["game.jsonl"].decode()
    assert not [card for card in (*SECRET, "8C") if f'"{card}"' in record] and '"7D"' in record
    assert '"2C"' in dict(parts(config, machine, hands=True))["game.jsonl"].decode()
    bundle = known.with_name("r.zip")
    assert main(["bundle", "-c", str(config), "-o", str(bundle)]) == 0
    assert "the hands of a game that is not over are left out" in capsys.readouterr().out
    assert mode(bundle) == 0o600
    broken(known, "action", "{")
    assert "cannot be read" in dict(parts(config, machine))["game.jsonl.error.txt"].decode()
    assert "{\n" in dict(parts(config, machine, hands=True))["game.jsonl"].decode()
