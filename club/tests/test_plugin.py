"""What the club adds to the program: commands, a section, a step, a link, and texts in French."""

from __future__ import annotations

import importlib
import re
import zipfile
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.config.load import ConfigError, read_config
from cardtable.config.model import table_model
from cardtable.config.writing import config_schema
from cardtable.languages import LANGUAGES, catalogue, read_catalogue, translator
from cardtable.maintenance.backup import restore_backup, write_backup
from cardtable.maintenance.transfer import adopted
from cardtable.plugins import installed
from cardtable.setup.first_start import all_steps
from cardtable.terminal.arguments import Parser
from cardtable_club.config import ClubConfig
from cardtable_club.plugin import ClubPlugin
from engine.texts import Text, in_language
from tests.cardtable.config.text_keys import text_keys
from tests.cardtable.marked_texts import ROOT, bare_texts, every_text
from tests.cardtable.terminal.test_error_messages import check_wrong_values
from tests.cardtable.test_files import check_pipe_and_device
from tests.cardtable.test_languages import fields

PACKAGE = ("club/cardtable_club",)
GUIDE = ROOT / "club" / "docs" / "club.md"
PAGES = (ROOT / "club" / "cardtable_club" / "hub" / "page",)


def test_it_is_installed() -> None:
    assert isinstance(installed().get("club"), ClubPlugin), "pip install --editable ./club"


def test_the_step_follows_those_of_the_network() -> None:
    names = [step.name for step in all_steps()]
    assert names[names.index("phone") + 1] == "club"


@pytest.mark.parametrize(("name", "module_name"), ClubPlugin.commands.items())
def test_the_help_of_every_command(name: str, module_name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module = importlib.import_module(module_name)
    parser = Parser(name, module.EXAMPLE, module.SUMMARY)
    module.configure(parser)
    french = translator("fr")
    for each in (parser.description, *(action.help for action in parser._actions)):
        assert isinstance(each, Text) and in_language(each, french) != each
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"cardtable {name}" in capsys.readouterr().out.partition("example:")[2]


@pytest.mark.parametrize("name", ClubPlugin.commands)
def test_the_guide_has_every_option_of_a_command(name: str) -> None:
    module = importlib.import_module(ClubPlugin.commands[name])
    parser = Parser(name, module.EXAMPLE, module.SUMMARY)
    module.configure(parser)
    guide = GUIDE.read_text("utf-8")
    for action in parser._actions:
        options = [option for option in action.option_strings if action.dest != "help"]
        assert not options or any(re.search(rf"{option}\b", guide) for option in options), options


@pytest.mark.parametrize(
    "command",
    [
        "hub -c",
        "hub --database sqlite:///hub.sqlite --pairings",
        "tournament show x -c",
        "tournament begin x --kind swiss --tables a,b --database sqlite:///t.sqlite --entrants",
    ],
)
def test_no_command_waits_for_a_pipe_or_reads_a_device_without_end(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check_pipe_and_device(command, tmp_path, monkeypatch, capsys)


def test_the_section_in_the_schema_and_the_template(capsys: pytest.CaptureFixture[str]) -> None:
    section = config_schema()["$defs"]["ClubConfig"]
    assert section["properties"].keys() == ClubConfig.model_fields.keys()
    assert all(key["description"] for key in section["properties"].values())
    assert main(["config"]) == 0
    assert "# The club that this table belongs to: club/docs/club.md.\n# [club]\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ('certificate = "table.crt"\n', "a certificate of the table needs all three"),
        ('ca = "ca.crt"\nkey = "table.key"\n', "a certificate of the table needs all three"),
        ('password = "secret"\n', "a password needs a user"),
    ],
)
def test_a_section_that_contradicts_itself(written: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(f'game = "cribbage"\n[club]\nname = "north"\ntable = "table-1"\n{written}', "utf-8")
    with pytest.raises(ConfigError, match=f"line 2: {fault}") as refused:
        read_config(path)
    assert "secret" not in str(refused.value)


def test_files_lie_beside_the_configuration(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text('[club]\nname = "north"\ntable = "table-1"\nca = "ca.crt"\n', "utf-8")
    section = read_config(path).section(ClubConfig)
    assert section is not None and section.ca == tmp_path / "ca.crt"


def test_every_wrong_value_has_a_translated_message() -> None:
    check_wrong_values(table_model(), {"club": {"name": "north", "table": "table-1"}})


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_the_catalogue_has_every_text_and_no_unused_one(language: str) -> None:
    assert ClubPlugin.locale is not None
    messages = read_catalogue(language, ClubPlugin.locale)
    entries = {message.id for message in messages} - {""}
    wanted = every_text(PACKAGE, PAGES) - {message.id for message in read_catalogue(language)}
    assert len(wanted) > 200
    assert sorted(map(str, wanted - entries)) == [], "these texts have no translation yet"
    assert sorted(map(str, entries - wanted)) == [], "these texts are not in the club any more"
    for message in messages:
        originals = [message.id] if isinstance(message.id, str) else list(message.id)
        forms = [message.string] if isinstance(message.string, str) else list(message.string or [])
        for form in forms if message.id else []:
            assert fields(form) == fields(originals[-1]), originals
            assert not re.search(r" [:;?!»]|« ", form), form


def test_no_message_for_people_is_a_plain_string() -> None:
    assert list(bare_texts(PACKAGE, ROOT / PACKAGE[0] / "commands", [f"{PACKAGE[0]}/config.py"])) == []


def test_pages_get_the_texts_of_the_club() -> None:
    assert catalogue("fr")["All tables"] == "Toutes les tables"


def test_every_key_with_text_says_what_may_come_from_elsewhere() -> None:
    keys = text_keys(table_model())
    assert {"club.host", "club.key", "club.password"} <= keys.keys()
    assert [key for key, decided in keys.items() if not decided] == []


def test_a_restored_table_keeps_its_broker_and_its_password(tmp_path: Path) -> None:
    path, backup = tmp_path / "table.toml", tmp_path / "backup.zip"
    ours = '[club]\nname = "north"\ntable = "t1"\nhost = "10.0.0.1"\nuser = "t1"\npassword = "geheim"\n'
    path.write_text(ours, "utf-8")
    write_backup(path, backup)
    with zipfile.ZipFile(backup) as packed:
        assert b"geheim" not in packed.read("table.toml")
    with zipfile.ZipFile(backup, "w") as packed:
        packed.writestr("backup.json", '{"backup": 1}')
        packed.writestr(
            "table.toml", '[club]\nname = "south"\ntable = "t2"\nhost = "evil"\nuser = "x"\npassword = "x"\n'
        )
    assert set(restore_backup(backup, path).own) == {
        f"club.{key}" for key in ("name", "table", "host", "user", "password")
    }
    restored = read_config(path).section(ClubConfig)
    assert restored is not None and (restored.name, restored.table) == ("north", "t1")
    assert (restored.host, restored.user, restored.password) == ("10.0.0.1", "t1", "geheim")
    with zipfile.ZipFile(backup, "w") as packed:
        packed.writestr("backup.json", '{"backup": 1}')
        packed.writestr("table.toml", 'language = "fr"\n')
    path.write_text(ours, "utf-8")
    assert restore_backup(backup, path).own == ("club",)
    kept = read_config(path).section(ClubConfig)
    assert kept is not None and kept.host == "10.0.0.1"


def test_a_table_keeps_its_name_when_the_backup_of_another_is_restored(tmp_path: Path) -> None:
    theirs = '[club]\nname = "north"\ntable = "table-1"\nhost = "192.168.1.9"\nhome_assistant = true\n'
    ours, empty = tmp_path / "table.toml", tmp_path / "new.toml"
    ours.write_text(theirs.replace("table-1", "table-2").replace("1.9", "1.7").replace("true", "false"), "utf-8")
    kept = adopted(theirs, ours)
    club = kept.config.section(ClubConfig)
    assert club is not None and (club.table, club.host, club.home_assistant) == ("table-2", "192.168.1.7", True)
    assert "club.table" in kept.own
    new = adopted(theirs, empty).config.section(ClubConfig)
    assert new is not None and new.table == "table-1"
