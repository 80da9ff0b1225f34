"""What a `table.toml` from elsewhere changes: no program, file or address; and what a backup tells of this one."""

from __future__ import annotations

import json
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cardtable.config.load import read_config
from cardtable.config.model import table_model
from cardtable.config.section import OWN, SECRET, section_in, transfer_of
from cardtable.maintenance.backup import queue_restore, restore_backup, restore_waiting, write_backup
from cardtable.maintenance.transfer import adopted
from tests.cardtable.config.text_keys import text_keys

EVIL = """\
source = "video:/etc/shadow"
journal = "/tmp/evil.sqlite"
corrected = "/tmp/evil"
language = "fr"

[board]
host = "0.0.0.0"
port = 1
hosts = ["evil.example"]

[voice]
say = "everything"
command = ["sh", "-c", "touch /tmp/evil"]

[camera]
python = "/tmp/evil.py"
deck = "../../evil.deck"
calibration = "/etc/evil.calibration.json"
fps = 25

[[reader]]
port = "socket://evil:1"
tags = "/etc/tags.json"
zones = ["play 0", "play 1"]

[[display]]
kind = "png"
file = "table.toml"

[[display]]
kind = "ssd1306"
"""
OURS = """\
# ours
journal = "games.sqlite"
source = "usb:4"

[voice]
command = ["espeak-ng", "--stdin"]

[board]
host = "192.168.1.4"
port = 8016
"""
KEPT = {
    "source": None,
    "journal": "games.sqlite",
    "corrected": None,
    "board": {"host": "192.168.1.4", "port": 8016, "hosts": None},
    "voice": {"command": ["espeak-ng", "--stdin"]},
    "camera": {"python": None, "deck": None, "calibration": None},
}


def packed(folder: Path, config: str) -> Path:
    """Return a backup with this configuration."""
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / "backup.zip", "w") as file:
        file.writestr("backup.json", json.dumps({"backup": 1}))
        file.writestr("table.toml", config)
    return folder / "backup.zip"


def table(folder: Path, config: str | None) -> Path:
    folder.mkdir()
    if config is not None:
        (folder / "table.toml").write_text(config, "utf-8")
    return folder / "table.toml"


def get(values: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the `values` that are `wanted`."""
    return {
        name: get(values.get(name, {}), each) if isinstance(each, dict) else values.get(name)
        for name, each in wanted.items()
    }


def test_programs_files_and_addresses_stay_the_machines_own(tmp_path: Path) -> None:
    path = table(tmp_path / "table", OURS)
    queue_restore(packed(tmp_path, EVIL), path)
    message = restore_waiting(path)
    values = tomllib.loads(path.read_text("utf-8"))
    assert get(values, KEPT | {"source": "usb:4"}) == KEPT | {"source": "usb:4"}
    assert values["language"] == "fr" and values["camera"]["fps"] == 25 and values["voice"]["say"] == "everything"
    assert values["reader"] == [{"zones": ["play 0", "play 1"]}] and values["display"] == [{"kind": "ssd1306"}]
    assert message is not None
    for key in ("voice.command", "board.host", "journal", "camera.python", "reader.0.port", "source"):
        assert key in message
    assert "evil" not in path.read_text("utf-8")


def test_an_empty_machine_gets_none_of_them_either(tmp_path: Path) -> None:
    path = table(tmp_path / "table", None)
    restored = restore_backup(packed(tmp_path, EVIL), path)
    assert get(tomllib.loads(path.read_text("utf-8")), KEPT) == get({}, KEPT)
    assert "evil" not in path.read_text("utf-8") and "voice.command" in restored.own


@pytest.mark.parametrize(
    "config",
    [
        'voice = {command = ["sh"]}\nboard = {host = "0.0.0.0"}\n',
        '"voice"."command" = ["sh"]\n',
        '[voice]\n"comm\\u0061nd" = ["sh"]\n',
        'reader = [{port = "socket://evil:1", zones = ["play 0"]}]\n',
        '[[cameras]]\nsource = "url:http://evil/x"\n[[cameras]]\nname = "b"\nsource = "usb:1"\npython = "/tmp/evil"\n',
    ],
)
@pytest.mark.parametrize("ours", ["", OURS, 'source = "url:http://ours/video"\n'])
def test_however_it_is_written(tmp_path: Path, config: str, ours: str) -> None:
    path = table(tmp_path / "table", ours)
    before = tomllib.loads(ours)
    restore_backup(packed(tmp_path, config), path)
    after = read_config(path)
    assert after.voice.command == (("espeak-ng", "--stdin") if "voice" in before else None)
    assert after.board.host == before.get("board", {}).get("host", "127.0.0.1")
    assert all("evil" not in f"{camera.source} {camera.python}" for camera in after.cameras)
    assert all(reader.port == "auto" for reader in after.reader)


def test_cameras_and_readers_keep_their_own_sources_by_name(tmp_path: Path) -> None:
    def cameras(*sources: tuple[str, str]) -> str:
        return "".join(f'[[cameras]]\nname = "{name}"\nsource = "{source}"\n' for name, source in sources)

    path = tmp_path / "table.toml"
    path.write_text(cameras(("top", "url:http://10.0.0.1/a"), ("side", "url:http://10.0.0.2/b")), "utf-8")
    taken = tomllib.loads(adopted(cameras(("side", "usb:7"), ("top", "usb:8")), path).text)["cameras"]
    sources = {each["name"]: each["source"] for each in taken}
    assert sources == {
        "top": "url:http://10.0.0.1/a",
        "side": "url:http://10.0.0.2/b",
    }


def test_an_own_configuration_that_is_wrong_is_replaced(tmp_path: Path) -> None:
    for number, ours in enumerate(("language = 7\n[voice]\ncommand = 3\n", "no toml", "voice = 3\nreader = 4\n")):
        path = table(tmp_path / str(number), ours)
        restore_backup(packed(tmp_path, EVIL), path)
        config = read_config(path)
        assert config.language == "fr" and config.voice.command is None and config.board.host == "127.0.0.1"
        assert (path.parent / "table.toml.aside-1").read_text("utf-8") == ours


def test_every_key_with_text_says_what_may_come_from_elsewhere() -> None:
    """A new key is a path, a program or an address until its author says otherwise."""
    keys = text_keys(table_model())
    assert {"voice.command", "board.host", "reader.port", "camera.python", "journal"} <= keys.keys()
    assert [key for key, decided in keys.items() if not decided] == []


def test_every_other_key_may_come_from_elsewhere() -> None:
    """A key of a plug-in that says nothing stays the machine's own, unless it takes numbers or words of a list only."""
    sections = {name: section_in(field.annotation) for name, field in table_model().model_fields.items()}
    sections = {"": table_model()} | {name: section for name, section in sections.items() if section}
    own = [
        f"{place}.{name}"
        for place, section in sections.items()
        for name, field in section.model_fields.items()
        if section_in(field.annotation) is None and transfer_of(field) in (OWN, SECRET)
    ]
    assert own == [
        *(".journal", ".corrected", ".first_start"),
        *("board.network", "board.host", "board.port", "board.hosts", "board.overlay_key"),
        *("access.say", "access.accuse", "access.undo", "access.correct", "access.host"),
        *("camera.python", "cameras.python", "display.file", "voice.command"),
    ]


@pytest.mark.parametrize("ours", ["", "[board]\nnetwork = false\n", '[access]\nhost = ["director"]\n'])
def test_no_backup_opens_a_table_to_the_network(tmp_path: Path, ours: str) -> None:
    keys = ("say", "accuse", "undo", "correct", "host")
    access = "".join(f'{key} = ["board", "spectator"]\n' for key in keys)
    foreign = f"first_start = true\n[board]\nnetwork = true\n[access]\n{access}"
    path = table(tmp_path / "table", ours)
    before = read_config(path)
    restored = restore_backup(packed(tmp_path, foreign), path)
    after = read_config(path)
    assert (after.access, after.board, after.first_start) == (before.access, before.board, False)
    assert {"first_start", "board.network", *(f"access.{key}" for key in keys)} == {*restored.own}


def test_secrets_are_in_no_backup_and_stay_on_the_machine(tmp_path: Path) -> None:
    secret = """\
source = "url:http://ann:geheim@192.168.1.9/video?auth=geheim"  # once: rtsp://ann:geheim@192.168.1.8
# password = "geheim", and Ann's is geheim too
players = ["A # B", 'Bo']

[board]
overlay_key = "geheim-geheim"
"""
    path = table(tmp_path / "table", secret)
    path.chmod(0o600)
    write_backup(path, tmp_path / "backup.zip")
    with zipfile.ZipFile(tmp_path / "backup.zip") as archive:
        assert all(b"geheim" not in archive.read(name) for name in archive.namelist())
    path.write_text(secret + '[voice]\nsay = "off"\n', "utf-8")
    restore_backup(tmp_path / "backup.zip", path)
    config = read_config(path)
    assert config.players == ("A # B", "Bo")
    assert config.board.overlay_key == "geheim-geheim" and config.cameras[0].source.startswith("url:http://ann:geheim@")
    assert path.stat().st_mode & 0o777 == 0o600
