"""`cardtable config`: the file that it writes is valid and has every key with its default; mistakes are explained."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.config.devices import BuzzerConfig, VoiceConfig
from cardtable.config.load import read_config
from cardtable.config.model import BoardConfig, TableConfig
from cardtable.config.section import section_in
from cardtable.config.writing import config_text
from engine.games import HOUSE, load_game
from engine.record import Header
from hardware.voice import ESPEAK


def header(game: str) -> Header:
    players = ("Ann", "Élodie", 'Bo "the fox"', "Dee")[: load_game(game).seats[-1]]
    return Header.new(game, players, 0 if game == "its-15" else None, {})


def read(folder: Path, text: str) -> TableConfig:
    path = folder / "table.toml"
    path.write_text(text, "utf-8")
    return read_config(path)


@pytest.mark.parametrize("game", HOUSE)
def test_the_written_file_sets_only_defaults(tmp_path: Path, game: str) -> None:
    (tmp_path / "least.toml").write_text(config_text(header(game)).split("# marks")[0], "utf-8")
    config = read(tmp_path, config_text(header(game)))
    assert config.header == header(game)
    assert config == read_config(tmp_path / "least.toml")


@pytest.mark.parametrize("game", HOUSE)
def test_the_commented_lines_are_valid_too(tmp_path: Path, game: str) -> None:
    """Without the comment signs the file is still a configuration, and every default is the value given."""
    text = re.sub(r"^# (?=[a-z_]+ = |\[)", "", config_text(header(game)), flags=re.MULTILINE)
    text = re.sub(r'^source = "usb:0".*\n', "", text, count=1, flags=re.MULTILINE)  # it is under [camera] too
    config = read(tmp_path, text)
    assert dict(config.options) == {option.name: option.default for option in load_game(game).options}
    assert config.board == BoardConfig(overlay_hands_s=config.board.overlay_hands_s, overlay_key="choose-your-own")
    assert config.buzzer is not None and config.buzzer == BuzzerConfig(pin=22)
    assert (config.voice.say, config.voice.command) == (VoiceConfig().say, ESPEAK)


def test_every_key_is_written() -> None:
    shown = set(re.findall(r"^(?:# )?\[*([a-z_]+)(?:\]|\b = )", config_text(header("cribbage")), re.MULTILINE))
    sections = [section_in(field.annotation) for field in TableConfig.model_fields.values()]
    keys = {key for part in (TableConfig, *filter(None, sections)) for key in part.model_fields}
    assert keys - shown == {"cameras"}  # its keys are those of `camera`


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.toml"
    command = ["config", "--game", "cribbage", "--players", "Ann, Bo", "-o", str(path)]
    assert main(command) == 0
    assert read_config(path).header == Header("cribbage", ("Ann", "Bo"))
    assert main(command) == 2
    assert "exists already" in capsys.readouterr().err
    assert main(["config", "--check", str(path)]) == 0
    assert capsys.readouterr().out == f"{path} is correct: cribbage, Ann, Bo\n"
    assert main(["config"]) == 0
    assert capsys.readouterr().out == config_text(Header("all-fives", ("Ann", "Bo")))
    path.write_text(path.read_text("utf-8").replace("# dealer = 0", "dealr = 0"), "utf-8")
    assert main(["config", "--check", str(path)]) == 2
    assert "line 6: there is no key 'dealr'; did you mean 'dealer'?" in capsys.readouterr().err
    assert main(["config", "--game", "its-15"]) == 0
    assert capsys.readouterr().out == config_text(Header("its-15", ("Ann", "Bo"), 0))  # the rules have no cut
    assert main(["config", "--players", "Ann"]) == 2
    assert "players" in capsys.readouterr().err
    for names in ("Ann,", "Ann," + 41 * "B"):  # what is written can be read again
        assert main(["config", "--players", names]) == 2
        assert "is not a name: write 1 to 40 letters for each, like Ann,Bo" in capsys.readouterr().err
    assert main(["config", "--players", "Ann,Ann"]) == 2
    assert "Ann and Ann look alike" in capsys.readouterr().err
    path.write_text('game = "cribbage"\nplayers = ["Ann", "Bo"]\n[camera]\ndeck = "tarot"\n', "utf-8")
    assert main(["config", "--check", str(path)]) == 2
    assert "there is no deck 'tarot'" in capsys.readouterr().err
    assert main(["config", "-o", str(tmp_path / "no" / "table.toml")]) == 1
    assert "No such file or directory" in capsys.readouterr().err


def test_the_comments_are_in_the_language_of_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything except the comments is the same."""
    assert main(["config", "--game", "le-quinze"]) == 0
    english = capsys.readouterr().out
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    assert main(["config", "--game", "le-quinze"]) == 0
    french = capsys.readouterr().out
    assert tomllib.loads(french) == tomllib.loads(english)
    translated = 0
    for line, french_line in zip(english.splitlines(), french.splitlines(), strict=True):
        code, mark, _ = line.rpartition("  # ")
        assert french_line.startswith(code + mark)
        if mark or line.endswith("."):
            assert french_line != line, line
            translated += 1
        else:
            assert french_line == line
    assert translated > 60 and "points qui gagnent la partie" in french
