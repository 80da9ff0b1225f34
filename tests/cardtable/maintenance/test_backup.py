"""A backup holds what people have made, and puts it back on another machine."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.config.decks import deck_file, keep_deck
from cardtable.config.load import read_config
from cardtable.config.writing import change_config
from cardtable.errors import CardtableError
from cardtable.journal.games import open_games
from cardtable.journal.journal import Journal
from cardtable.maintenance.backup import queue_restore, restore_backup, restore_waiting, waiting_path, write_backup
from engine.actions import Action
from engine.games import HOUSE, load_game
from engine.record import Header
from engine.table import Table
from tests.cardtable.history.past_games import some_games, store
from tests.cardtable.stored import read_games, seen_games
from tests.engine.properties.plays import NAMES, legal_action
from tests.programs import ROOT, Program
from tests.waiting import lines_up_to
from vision.decks.deck import LearnedDeck

FILE = 'source = "usb:7"\n'
PUBLIC = FILE.removeprefix("")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a table with games, a calibration, a deck, tags, paired phones and a key."""
    folder = tmp_path_factory.mktemp("made") / "table"
    for name in ("decks", "games"):
        (folder / name).mkdir(parents=True)
    (folder / "table.toml").write_text(FILE, "utf-8")
    store(folder / "journal.sqlite", some_games(1), since=1_763_800_000.0)
    for name in ("camera.calibration.json", "tags.json", "decks/mine.deck", "journal-phones.json", "table.key"):
        (folder / name).write_text(name, "utf-8")
    return folder


@pytest.fixture
def table(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "table"))


def test_a_backup_is_put_back_elsewhere(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    backup, other = tmp_path / "table.zip", tmp_path / "other"
    assert main(["backup", "-c", str(table / "table.toml"), "-o", str(backup)]) == 0
    assert backup.stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(backup) as packed:
        assert sorted(packed.namelist()) == [
            *("backup.json", "files/camera.calibration.json", "files/decks/mine.deck", "files/tags.json"),
            *("journal.sqlite", "table.toml"),
        ]
    other.mkdir()
    assert main(["backup", "-c", str(other / "table.toml"), "--restore", str(backup)]) == 0
    assert read_config(other / "table.toml").cameras[0].source == "usb:7"
    assert (other / "table.toml").read_text("utf-8") == PUBLIC
    assert seen_games(other / "journal.sqlite") == seen_games(table / "journal.sqlite")
    assert deck_file("mine", other).read_text() == "decks/mine.deck"
    assert "--restore" not in capsys.readouterr().err


def test_files_of_any_name_are_put_back_where_the_configuration_finds_them(tmp_path: Path) -> None:
    path, other = tmp_path / "here" / "table.toml", tmp_path / "there" / "table.toml"
    for each in (path, other, tmp_path / "else" / "x"):
        each.parent.mkdir()
    path.write_text(
        '[[cameras]]\nname = "left"\nsource = "usb:1"\ncalibration = "above.json"\n'
        f'[[cameras]]\nname = "right"\nsource = "usb:2"\ncalibration = "{tmp_path}/else/above.json"\n'
        'deck = "../else/Old.deck"\n[[reader]]\nzones = ["play 0"]\ntags = "cards.json"\n'
    )
    for file in ("here/above.json", "else/above.json", "else/Old.deck", "here/cards.json"):
        (tmp_path / file).write_text(file)
    write_backup(path, tmp_path / "table.zip")
    restore_backup(tmp_path / "table.zip", other)
    config = read_config(other)
    left, right = config.cameras
    assert [name and name.parent for name in (left.calibration, right.calibration)] == [other.parent] * 2
    found = [left.calibration, right.calibration, Path(right.deck or ""), config.reader[0].tags]
    assert [each and each.read_text() for each in found] == [
        *("here/above.json", "else/above.json", "else/Old.deck", "here/cards.json")
    ]


def test_what_was_there_is_kept(table: Path, tmp_path: Path) -> None:
    backup = tmp_path / "table.zip"
    write_backup(table / "table.toml", backup)
    games = seen_games(table / "journal.sqlite")
    (table / "table.toml").write_text('language = "en"\n', "utf-8")
    (table / "journal.sqlite").unlink()
    store(table / "journal.sqlite", some_games(2), since=1_763_900_000.0)
    newer = read_games(table / "journal.sqlite")
    kept = restore_backup(backup, table / "table.toml").kept
    assert [path.name for path in kept] == ["journal.sqlite.aside-1", "table.toml.aside-1"]
    assert (table / "table.toml").read_text("utf-8") == PUBLIC and seen_games(table / "journal.sqlite") == games
    assert kept[1].read_text("utf-8") == 'language = "en"\n' and read_games(kept[0]) == newer
    assert not [path for path in table.iterdir() if path.name.startswith(".restore-")]


def _without(packed: Path, name: str, content: str) -> None:
    with zipfile.ZipFile(packed, "w") as file:
        for each, written in {"backup.json": json.dumps({"backup": 1}), "table.toml": FILE, name: content}.items():
            file.writestr(each, written)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.write_bytes(b"PK"), "is not a backup of a table"),
        (lambda path: path.write_bytes(path.read_bytes()[:-200]), "is not a backup of a table"),
        (lambda path: _without(path, "files/../../evil.toml", "x"), "is not a backup of a table"),
        (lambda path: _without(path, "/etc/passwd", "x"), "is not a backup of a table"),
        (lambda path: _without(path, "files/table.key", "x"), "is not a backup of a table"),
        (lambda path: _without(path, "files/decks/a/b.deck", "x"), "is not a backup of a table"),
        (lambda path: _without(path, "backup.json", '{"backup": 2}'), "was written by a newer version"),
        (lambda path: _without(path, "table.toml", "language = 7"), "'language' is 7"),
        (lambda path: _without(path, "journal.sqlite", "no database"), "journal.sqlite"),
        (lambda path: path.unlink(), "cannot be restored"),
    ],
)
def test_a_damaged_backup_changes_nothing(
    table: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[Path], object],
    message: str,
) -> None:
    backup = tmp_path / "table.zip"
    write_backup(table / "table.toml", backup)
    before = {path: path.read_bytes() for path in table.rglob("*") if path.is_file() and "-shm" not in path.name}
    damage(backup)
    assert main(["backup", "-c", str(table / "table.toml"), "--restore", str(backup)]) in (1, 2)
    assert message in capsys.readouterr().err
    after = {path: path.read_bytes() for path in table.rglob("*") if path.is_file() and "-shm" not in path.name}
    assert after == before and not (tmp_path / "evil.toml").exists()


def test_a_running_table_is_left_alone(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On whatever port, with whatever journal, and whatever has replaced its configuration since."""
    config, restore = table / "table.toml", ["--restore", str(tmp_path / "table.zip")]
    config.write_text('source = "none.avi"\n', "utf-8")
    write_backup(config, tmp_path / "table.zip")
    with Program("run", "-c", str(config), "--port", "0", "--journal", str(tmp_path / "other.sqlite")) as running:
        lines_up_to(running, "(Ctrl-C")
        change_config(config, {("language",): "en"})
        assert main(["backup", "-c", str(config), *restore]) == 1
        assert "the table is running: stop it first" in capsys.readouterr().err
        queue_restore(tmp_path / "table.zip", config)
        assert main(["run", "-c", str(config), "--port", "0"]) == 1
        assert "another table runs with the same configuration" in capsys.readouterr().err
        assert waiting_path(config).exists()
    assert main(["backup", "-c", str(config), *restore]) == 0


@pytest.mark.parametrize("times", [60, pytest.param(400, marks=pytest.mark.long)])
def test_no_flipped_byte_ends_with_a_traceback(tmp_path: Path, times: int) -> None:
    """Found by fuzzing: bad compressed data, a file that says it is encrypted, a place before the beginning."""
    backup, whole, rng = tmp_path / "table.zip", io.BytesIO(), random.Random(5)
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in (("backup.json", '{"backup": 1}'), ("table.toml", 'language = "en"\n')):
            packed.writestr(name, content)
    refused = 0
    for _ in range(times):
        damaged = bytearray(whole.getvalue())
        for _ in range(rng.choice((1, 2, 6))):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        backup.write_bytes(damaged)
        try:
            restore_backup(backup, tmp_path / "table.toml")
        except CardtableError:
            refused += 1
    assert times / 2 < refused < times


SUSPENDED = (
    *("1 deal KS QS 2S 3D 4D JD", "undo", "1 deal KS QS 2S 3D 4D AH", "0 deal 5C 6C 7C 8C 9C 10C"),
    *("1 discard 4D AH", "0 discard 5C 6C", "turn 2H", "1 play KS"),
)


def test_hands_of_a_game_that_is_not_over_are_in_no_backup(tmp_path: Path) -> None:
    path, backup, other = tmp_path / "table.toml", tmp_path / "table.zip", tmp_path / "other" / "table.toml"
    path.write_text(FILE, "utf-8")
    header, actions = Header("cribbage", ("Ann", "Bo"), 0), [Action.parse(action) for action in SUSPENDED]
    store(tmp_path / "journal.sqlite", [(header, actions)])
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as database, database:
        database.execute("""INSERT INTO correction VALUES (1, 1, 8, 'board', 0, '{"cards": ["8C"]}')""")
    write_backup(path, backup)
    other.parent.mkdir()
    restore_backup(backup, other)
    (game,) = read_games(other.parent / "journal.sqlite")
    assert [str(action) for action in game.actions] == ["1 discard", "0 discard", "turn 2H", "1 play KS"]
    assert seen_games(other.parent / "journal.sqlite") == seen_games(tmp_path / "journal.sqlite")
    here, there = ((folder / "journal.sqlite").read_bytes() for folder in (tmp_path, other.parent))
    for card in ("QS", "2S", "3D", "4D", "JD", "AH", "5C", "6C", "7C", "8C", "9C", "10C"):
        assert f'"{card}"'.encode() in here and f'"{card}"'.encode() not in there
    with closing(Journal(other.parent / "journal.sqlite")) as journal:
        assert journal.games.replayed(1)[1].actions == game.actions


def suspended(game: str) -> Table:
    """Play with known hands to the middle of a deal that is not the first."""
    rng, table = random.Random(1), Table(Header(game, NAMES[: load_game(game).seats[0]], 0, {}))
    while len(table.hand_starts) < 2 or len(table.actions) < table.hand_starts[-1] + 4:
        table.do(legal_action(table, rng.randrange(1 << 24), naming=1.0))
    return table


def test_a_suspended_game_goes_on_with_hidden_hands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played = [suspended(game) for game in HOUSE]
    path, other = tmp_path / "table.toml", tmp_path / "other" / "table.toml"
    path.touch()
    store(tmp_path / "journal.sqlite", [(table.header, table.actions) for table in played])
    assert write_backup(path, tmp_path / "table.zip").warnings() == []
    other.parent.mkdir()
    restore_backup(tmp_path / "table.zip", other)
    with open_games(other.parent / "journal.sqlite") as games:
        there = [games.replayed(number)[1] for number in games.numbers()]
    for known, hidden in zip(played, there, strict=True):
        begun = known.hand_starts[-1]
        assert hidden.header == known.header and hidden.hand_starts == known.hand_starts
        assert hidden.scores == known.scores and hidden.actions[:begun] == known.actions[:begun]
        assert not [
            each for each in hidden.actions[begun:] if each.do == "deal" or (each.do == "discard" and each.cards)
        ]
        assert [each for each in hidden.actions if each.card] == [each for each in known.actions if each.card]
    assert any(action.do == "deal" for table in there for action in table.actions)


def test_a_card_that_only_a_known_hand_may_hold_is_left_out(tmp_path: Path) -> None:
    """The deal goes on before it. Bo has named two of the cards laid away that were never seen in his hand."""
    deal = "1 deal 10D 7C QC AS 8H QH KC 8C 9D JD,1 say 216,0 say pass,2 say pass,1 say take-up,1 say heart,"
    deal += "1 discard JC QD,0 play 7H,1 play KH,2 play 9H,1 play KC,2 play QS,0 play 10H,0 play 9C,1 play 7C,"
    deal += "2 play KS,0 play 10C,1 play QC,2 play JH,2 play 9S,0 play 8S,1 play AS,1 play QH,1 withdraw QH,1 play 8C,"
    deal += "2 play JS,0 play AC,2 play AH,0 play AD,1 play 8H,2 play KD,0 play 10S,1 play 9D,2 play 8D,0 play 7S,"
    deal += "1 play 10D,1 play JD"
    actions = [Action.parse(action) for action in deal.split(",")]
    path, other = tmp_path / "table.toml", tmp_path / "other" / "table.toml"
    path.touch()
    store(tmp_path / "journal.sqlite", [(Header("skat", NAMES[:4], 3), actions)])
    assert [str(each) for each in write_backup(path, tmp_path / "table.zip").warnings()] == [
        "Left out of the backup: the last actions of game 1, which the rules allow with known hands only."
    ]
    other.parent.mkdir()
    restore_backup(tmp_path / "table.zip", other)
    (game,) = read_games(other.parent / "journal.sqlite")
    assert [each for each in game.actions if each.card] == [each for each in actions if each.card][:-1]


def test_a_damaged_game_that_may_show_hands_is_left_out(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = table / "journal.sqlite"
    games = read_games(journal)
    wrong = next(game.id for game in games if not game.over)
    with closing(sqlite3.connect(journal)) as database, database:
        database.execute("UPDATE action SET time = 1, action = '{' WHERE game = ? AND n = 0", (wrong,))
    assert main(["backup", "-c", str(table / "table.toml"), "-o", str(tmp_path / "table.zip")]) == 0
    assert f"Left out of the backup: {journal}: game {wrong} cannot be read" in capsys.readouterr().err
    (tmp_path / "other").mkdir()
    restore_backup(tmp_path / "table.zip", tmp_path / "other" / "table.toml")
    restored = read_games(tmp_path / "other" / "journal.sqlite")
    assert [game.id for game in restored] == [game.id for game in games if game.id != wrong]


@pytest.mark.parametrize("year", [-60, 1970, 1979, 2108, 9000])
def test_files_and_clocks_of_any_year_break_no_backup(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, year: int
) -> None:
    now = (year - 1970) * 31_556_952.0
    for path in table.rglob("*.json"):
        os.utime(path, (now, now))
    monkeypatch.setattr(time, "time", lambda: now)
    write_backup(table / "table.toml", tmp_path / "table.zip")
    keep_deck(table / "decks" / "new.deck", LearnedDeck("new"))
    assert main(["bundle", "-c", str(table / "table.toml"), "-o", str(tmp_path / "report.zip")]) == 0
    (tmp_path / "other").mkdir()
    restore_backup(tmp_path / "table.zip", tmp_path / "other" / "table.toml")
    assert (tmp_path / "other" / "tags.json").stat().st_mode & 0o777 == 0o600


def test_a_table_on_another_port_is_noticed_too(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    backup, journal = tmp_path / "table.zip", table / "journal.sqlite"
    write_backup(table / "table.toml", backup)
    before = (table / "table.toml").read_bytes()
    opened = "import sys, pathlib; from cardtable.journal.journal import Journal;"
    opened += " opened = Journal(pathlib.Path(sys.argv[1]));"
    command = [sys.executable, "-c", f"{opened} print('open', flush=True); sys.stdin.read()", str(journal)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as other:
        assert other.stdin is not None and other.stdout is not None and other.stdout.readline() == b"open\n"
        assert main(["backup", "-c", str(table / "table.toml"), "--restore", str(backup)]) == 1
        assert "the table is running: stop it first" in capsys.readouterr().err
        queue_restore(backup, table / "table.toml")
        assert "the table is running" in str(restore_waiting(table / "table.toml"))
    assert (table / "table.toml").read_bytes() == before and not list(table.glob("*.aside-1"))
    assert str(restore_waiting(table / "table.toml")).startswith("the backup was restored")
    assert main(["backup", "-c", str(table / "table.toml"), "--restore", str(backup)]) == 0


def test_a_journal_that_would_run_something_is_refused(table: Path, tmp_path: Path) -> None:
    backup, journal = tmp_path / "table.zip", table / "journal.sqlite"
    with closing(sqlite3.connect(journal)) as database:
        database.execute("CREATE TRIGGER evil AFTER INSERT ON action BEGIN DELETE FROM game; END")
    write_backup(table / "table.toml", backup)
    (tmp_path / "other").mkdir()
    with pytest.raises(CardtableError, match="is not a journal"):
        restore_backup(backup, tmp_path / "other" / "table.toml")
    assert not list((tmp_path / "other").iterdir())


def test_a_journal_restored_twice_takes_no_log_of_its_twin(tmp_path: Path) -> None:
    """A journal without games is known by its identity alone."""
    configs = [tmp_path / name / "table.toml" for name in ("made", "one", "two")]
    for config in configs:
        config.parent.mkdir()
        config.touch()
    Journal(tmp_path / "made" / "journal.sqlite").close()
    write_backup(configs[0], tmp_path / "table.zip")
    for config in configs[1:]:
        restore_backup(tmp_path / "table.zip", config)
    with closing(Journal(tmp_path / "one" / "journal.sqlite")) as journal:
        journal.begin(Header("all-fives", ("Ann", "Bo")))
        shutil.copy(tmp_path / "one" / "journal.sqlite-wal", tmp_path / "two")
    with closing(Journal(tmp_path / "two" / "journal.sqlite")) as journal:
        assert journal.notice is not None and "belonged to another journal" in journal.notice
    assert read_games(tmp_path / "two" / "journal.sqlite") == []


def lie(packed: zipfile.ZipFile) -> None:
    packed.writestr("files/tags.json", bytes(9000))
    packed.infolist()[-1].file_size = 5


def repeat(packed: zipfile.ZipFile) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        packed.writestr("table.toml", "")


def lock(packed: zipfile.ZipFile) -> None:
    packed.infolist()[-1].flag_bits |= 1


@pytest.mark.parametrize(
    ("attack", "message"),
    [
        (lambda packed: packed.writestr("files/decks/bomb.deck", bytes(70_000_000)), "is not a backup"),
        (lambda packed: [packed.writestr(f"files/decks/{n}.deck", "") for n in range(9000)], "is not a backup"),
        (lambda packed: packed.writestr(f"files/decks/{'x' * 300}.deck", ""), "cannot be restored: File name too long"),
        (lie, "is not a backup"),
        (repeat, "is not a backup"),
        (lock, "is not a backup"),
    ],
    ids=["bomb", "many", "long", "lying size", "twice", "encrypted"],
)
def test_an_archive_that_attacks_changes_nothing(
    attack: Callable[[zipfile.ZipFile], object], message: str, tmp_path: Path
) -> None:
    backup, config = tmp_path / "attack.zip", tmp_path / "table" / "table.toml"
    config.parent.mkdir()
    config.write_text(FILE, "utf-8")
    with zipfile.ZipFile(backup, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("backup.json", '{"backup": 1}')
        packed.writestr("table.toml", "")
        attack(packed)
    with pytest.raises(CardtableError, match=message):
        restore_backup(backup, config)
    assert [path.name for path in config.parent.iterdir()] == ["table.toml"] and config.read_text("utf-8") == PUBLIC


def test_a_link_in_an_archive_is_a_file(table: Path, tmp_path: Path) -> None:
    link = zipfile.ZipInfo("files/tags.json")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as packed:
        packed.writestr("backup.json", '{"backup": 1}')
        packed.writestr("table.toml", "")
        packed.writestr(link, "/etc/passwd")
    restore_backup(tmp_path / "link.zip", table / "table.toml")
    assert not (table / "tags.json").is_symlink() and (table / "tags.json").read_text("utf-8") == "/etc/passwd"


def test_a_backup_of_a_newer_version_says_so(tmp_path: Path) -> None:
    """Whatever else is in it."""
    with zipfile.ZipFile(tmp_path / "newer.zip", "w") as packed:
        packed.writestr("backup.json", '{"backup": 2}')
        packed.writestr("table.toml", "later = 1")
        packed.writestr("files/new/kind.bin", "")
    with pytest.raises(CardtableError, match="was written by a newer version: update this table first"):
        restore_backup(tmp_path / "newer.zip", tmp_path / "table.toml")
