"""Games in `games/*.toml`: found beside table.toml, listed, refused with the line; they play like those in Python."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.config.load import add_games, read_config, read_game
from cardtable.simulation.robots import load_robots
from engine.errors import HeaderError
from engine.games import game_names, load_game, remove_added_games
from engine.record import Header

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "docs" / "examples" / "games" / "black-maria.toml"
DOCUMENT = (ROOT / "docs" / "how-to" / "games-in-toml.md").read_text("utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with the example's game; afterwards the game is no longer installed."""
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "black-maria.toml").write_text(EXAMPLE.read_text("utf-8"), "utf-8")
    yield tmp_path
    remove_added_games()


def test_the_document_shows_the_example() -> None:
    assert re.findall(r"^```toml\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL) == [EXAMPLE.read_text("utf-8")]


def test_a_game_beside_the_configuration_can_be_chosen_and_has_options(folder: Path) -> None:
    path = folder / "table.toml"
    path.write_text('game = "black-maria"\nplayers = ["Ann", "Bo", "Cy"]\n[options]\ntarget = 50\n', "utf-8")
    assert read_config(path).header == Header("black-maria", ("Ann", "Bo", "Cy"), None, {"target": 50})
    assert "black-maria" in game_names()


def test_commands_find_games_in_the_current_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert main(["print", "mat", "--game", "black-maria", "--players", "3", "--zones"]) == 0
    (folder / "games" / "black-maria.toml").write_text(EXAMPLE.read_text("utf-8").replace('"2C", ', ""), "utf-8")
    capsys.readouterr()
    remove_added_games()
    assert main(["games"]) == 0
    shown = capsys.readouterr()
    assert "(black-maria)" not in shown.out and "(whist)" in shown.out
    assert shown.err == re.findall(r"^```text\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)[0]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("whist", EXAMPLE.read_text("utf-8"), "there is a game 'whist' already"),
        ("Black Maria", EXAMPLE.read_text("utf-8"), "lower-case letters"),
        ("pairs", 'title = "Pairs"\n\n[deal\n', "line 3 is not TOML"),
        (
            "pairs",
            'title = "Pairs"\nplayers = [\n  3,\n  8,\n]\n',
            "line 2: 'players' should be a whole number from 2 to 7",
        ),
        ("pairs", "\N{WHITE SMILING FACE}".encode("utf-16"), "not UTF-8"),
    ],
)
def test_a_file_that_is_wrong_leaves_its_game_out(folder: Path, name: str, content: str | bytes, words: str) -> None:
    data = content.encode() if isinstance(content, str) else content
    (folder / "games" / f"{name}.toml").write_bytes(data)
    (fault,) = add_games(folder)
    assert words in fault and name in fault
    assert "black-maria" in game_names() and "pairs" not in game_names()


def test_it_is_gone_when_the_games_are_removed(folder: Path) -> None:
    add_games(folder)
    add_games(folder)  # read again, as when the lobby begins another evening
    remove_added_games()
    with pytest.raises(HeaderError):
        load_game("black-maria")


def test_robots_play_it_to_its_end(folder: Path) -> None:
    add_games(folder)
    players = load_robots("black-maria")(
        Header("black-maria", ("Ann", "Bo", "Cy"), None, {"target": 30}), random.Random(4)
    )
    for _ in players.acts():
        pass
    assert players.table.over
    assert len(players.table.winners) == 1


def test_the_name_is_that_of_the_file() -> None:
    assert (read_game(EXAMPLE).name, read_game(EXAMPLE).title) == ("black-maria", "Black Maria")
