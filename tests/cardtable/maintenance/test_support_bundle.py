"""`cardtable bundle`: complete, from a running or a stopped table, and without secrets."""

from __future__ import annotations

import json
import time
import zipfile
from contextlib import closing
from pathlib import Path

import cv2
import numpy as np
import pytest

from cardtable.cli import main
from cardtable.config.model import BoardConfig
from cardtable.doctor import Machine
from cardtable.evening.playing import Parts, one_game
from cardtable.journal.journal import Journal
from cardtable.maintenance.support_bundle import FRAMES, parts, without_secrets
from engine.record import Header, read_record
from tests.cardtable.limits import full_disk
from tests.cardtable.stored import append
from tests.engine.talk import action
from tests.vision.drawn_table import DrawnTable

HEADER = Header("all-fives", ("Ann", "Bo"), 0)
HEAD = 'game = "all-fives"\nplayers = ["Ann", "Bo"]\ndealer = 0\nmarks = ["aruco"]\n'
ADDRESS = "url:http://ann:geheim@127.0.0.1:9/video?auth=77"


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    table = DrawnTable()
    for number in range(FRAMES + 1):
        frame = table.read()
        assert frame is not None
        cv2.imwrite(str(folder / f"{number}.png"), frame.image)
    return folder


@pytest.fixture
def folder(tmp_path: Path, pictures: Path) -> Path:
    """A table with a journal that holds a game, and a camera that is a folder of pictures."""
    (tmp_path / "pictures").symlink_to(pictures)
    (tmp_path / "table.toml").write_text(HEAD + 'source = "dir:pictures"\n[board]\nport = 0\n', "utf-8")
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        journal.begin(HEADER)
        append(journal, [action("turn 4H"), action("1 say beg")])
    return tmp_path


def test_everything_is_packed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bundle", "-c", str(folder / "table.toml"), "-o", str(folder / "r.zip")]) == 0
    assert "look before you send it" in capsys.readouterr().out
    with zipfile.ZipFile(folder / "r.zip") as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    pictures = [f"cameras/camera-{number}.png" for number in range(1, FRAMES + 1)]
    assert list(files) == ["table.toml", "log.txt", "game.jsonl", "doctor.jsonl", *pictures]
    assert files["table.toml"] == (folder / "table.toml").read_bytes()
    (folder / "game.jsonl").write_bytes(files["game.jsonl"])
    with (folder / "game.jsonl").open("rb") as lines:
        record = read_record(lines)
    assert (record.header, record.actions) == (HEADER, (action("turn 4H"), action("1 say beg")))
    findings = [json.loads(line) for line in files["doctor.jsonl"].splitlines()]
    assert {"versions", "journal", "camera"} <= {finding["check"] for finding in findings}
    first = cv2.imdecode(np.frombuffer(files[pictures[0]], np.uint8), cv2.IMREAD_COLOR)
    assert np.array_equal(first, cv2.imread(str(folder / "pictures" / "0.png")))


def test_from_a_table_that_runs(folder: Path) -> None:
    with one_game(Parts(HEADER, [], None, (action("turn 4H"),)), BoardConfig(port=0)) as playing:
        assert playing.board is not None
        text = HEAD + f'source = "dir:pictures"\n[board]\nport = {playing.board.port}\n'
        (folder / "table.toml").write_text(text, "utf-8")
        files = dict(parts(folder / "table.toml", Machine()))
    assert json.loads(files["board/state.json"])["trump"] == "H"
    assert not [name for name in files if name.startswith("cameras/")]  # they are in use
    assert b'"check": "camera"' not in files["doctor.jsonl"]


def test_no_secret_leaves_the_table(folder: Path) -> None:
    (folder / "table.toml").write_text(HEAD + f'source = "{ADDRESS}"\n[board]\nport = 0\n', "utf-8")
    log = Machine(run=lambda command: f"opening {ADDRESS}\npassword=geheim" if command[0] == "journalctl" else None)
    files = dict(parts(folder / "table.toml", log))
    assert b"opening url:http://HIDDEN@127.0.0.1:9/video?HIDDEN" in files["log.txt"]
    assert "cameras/camera.error.txt" in files
    for name, content in files.items():
        assert b"geheim" not in content and b"auth=77" not in content, name


def test_a_wrong_configuration_is_packed_too(folder: Path) -> None:
    (folder / "table.toml").write_text(HEAD + f'sauce = "{ADDRESS}"  # hunter2\n"#1" = "#1"\n', "utf-8")
    files = dict(parts(folder / "table.toml", Machine(run=lambda command: None)))
    assert list(files) == ["table.toml", "log.txt", "configuration.error.txt"]
    assert b"hunter2" not in files["table.toml"] and b'"#1"' in files["table.toml"]
    assert b"line 5: there is no key 'sauce'" in files["configuration.error.txt"]
    assert b"started by hand" in files["log.txt"]


def test_without_a_journal_the_rest_is_packed(folder: Path) -> None:
    (folder / "journal.sqlite").write_bytes(b"This is a letter to my aunt, not a journal. " * 100)
    files = dict(parts(folder / "table.toml", Machine()))
    assert b"not a journal" in files["game.jsonl.error.txt"]
    assert "cameras/camera-1.png" in files


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ('source = "rtsp://u:p@cam/1"', 'source = "rtsp://HIDDEN@cam/1"'),
        ("see https://example.org/a?b=c d", "see https://example.org/a?HIDDEN d"),
        ('token = "abc def"', "token = HIDDEN"),
        ('source = "http://ann:p@ss/w@rd@cam/video"', 'source = "http://HIDDEN@cam/video"'),
        ("rtsp://cam:554/user=admin_password=tlJw_channel=1.sdp", "rtsp://cam:554/user=admin_password=HIDDEN"),
        ('{"wifi_password": "geheim", "n": 1}', '{"wifi_password": HIDDEN, "n": 1}'),
        ("# WLAN-Passwort: ganz geheim\nport = 1", "# WLAN-Passwort: HIDDEN\nport = 1"),
        ('command = ["say", "--api-key", "geheim", "{text}"]', 'command = ["say", "--api-key", HIDDEN, "{text}"]'),
        ('"-H", "Authorization: Bearer geheim"', '"-H", "Authorization: HIDDEN"'),
        ("curl --user ann:geheim", "curl --user HIDDEN"),
        ("my2key: geheim; --Token=x", "my2key: HIDDEN"),
        ("http://cam/a://u:p@cam?b c", "http://HIDDEN@cam?HIDDEN c"),
        ("MQTT_PWD='geheim'", "MQTT_PWD=HIDDEN"),
        ("there is no key 'sauce'; did you mean 'source'?", "there is no key 'sauce'; did you mean 'source'?"),
        ('{"do": "say", "word": "pass", "seat": 1}', '{"do": "say", "word": "pass", "seat": 1}'),
        ("Ann: take back K♠, it is Bo’s turn.", "Ann: take back K♠, it is Bo’s turn."),
        ('players = ["Ann", "Bo"]', 'players = ["Ann", "Bo"]'),
    ],
)
def test_secrets(text: str, clean: str) -> None:
    assert without_secrets(text) == clean


@pytest.mark.parametrize("piece", ["a-", "password", "://a", "-key", '"\\', "--token "])
def test_a_long_text_takes_no_long_time(tmp_path: Path, piece: str) -> None:
    """Nothing in it may take time that grows with the square of its length."""
    written, began = piece * (40_000 // len(piece)), time.process_time()
    (tmp_path / "table.toml").write_text(written, "utf-8")
    assert next(parts(tmp_path / "table.toml", Machine()))[1].decode() in (written, "--token HIDDEN")
    assert time.process_time() - began < 2


def test_wrong_arguments(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bundle", "-c", str(folder / "none.toml")]) == 2
    assert "there is no file" in capsys.readouterr().err
    assert main(["bundle", "-c", str(folder / "table.toml"), "-o", str(folder / "no" / "r.zip")]) == 1
    assert "cannot be written" in capsys.readouterr().err


def test_an_incomplete_bundle_is_deleted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with full_disk(2000):
        assert main(["bundle", "-c", str(folder / "table.toml"), "-o", str(folder / "report.zip")]) == 1
    assert "report.zip cannot be written" in capsys.readouterr().err
    assert not (folder / "report.zip").exists()
