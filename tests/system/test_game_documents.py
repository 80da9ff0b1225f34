"""docs/reference/games/*.md agree with the program: commands, configurations, zones, words and options."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.config.load import read_config
from cardtable.simulation.source import Setting, fewest_players, marks_for
from engine.games import HOUSE, load_game, title_of
from engine.games.bridge.auction import BIDS

DOCUMENTS = Path(__file__).parents[2] / "docs" / "reference" / "games"
README = Path(__file__).parents[2] / "README.md"
GAMES = sorted(HOUSE)


def text(game: str) -> str:
    return (DOCUMENTS / f"{game}.md").read_text("utf-8")


def block(game: str, language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", text(game), re.MULTILINE | re.DOTALL)
    return str(found)


def table(game: str, first: str) -> list[list[str]]:
    """The rows of the table whose first column is called `first`."""
    found = re.search(rf"^\| {first} \|.*\n\|[ |-]*\n((?:\|.*\n)+)", text(game), re.MULTILINE)
    assert found
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in found[1].splitlines()]


def test_every_game_of_the_project_has_a_document() -> None:
    pages = {path.stem for path in DOCUMENTS.glob("*.md")} - {"index"}
    assert {*GAMES} - pages == set(), "write docs/reference/games/NAME.md"
    assert pages - {*GAMES} == set()


def test_the_readme_lists_every_game_of_the_project() -> None:
    found = re.search(
        r"^## Games\n\n(.*?): \[how each is played\]", README.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert found
    assert re.split(r",\s|\sand\s", found[1]) == [title_of(game) for game in GAMES], "list it in README.md"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("game", GAMES)
def test_the_papers_it_names_can_be_printed(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    things = set()
    for line in block(game, "sh").splitlines():
        program, *words = shlex.split(line)
        assert program == "cardtable"
        assert main(words) == 0
        assert Path(words[-1]).read_bytes().startswith(b"%PDF")
        assert words[words.index("--game") + 1] == game
        things.add(words[1])
    assert things == {"mat", "deck"} | ({"actions"} if load_game(game).words else set())


@pytest.mark.parametrize("game", GAMES)
def test_its_table_toml_is_a_table_of_this_game(game: str, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(block(game, "toml"), "utf-8")
    config = read_config(path)
    config.header.check()
    assert config.game == game
    assert config.marks == (marks_for(game),)


@pytest.mark.parametrize("game", GAMES)
def test_its_demo_can_be_played(game: str) -> None:
    (line,) = re.findall(r"`cardtable demo (.*?)`", text(game))
    words = line.split()
    players = int(words[words.index("--players") + 1]) if "--players" in words else fewest_players(game)
    Setting(words[words.index("--game") + 1], players, 1, marks_for(game)).check()


@pytest.mark.parametrize("game", GAMES)
def test_its_zones_words_and_options_are_those_of_the_game(game: str) -> None:
    kind = load_game(game)
    zones = {row[0].split("*")[1]: row[1] for row in table(game, "zone")}
    assert set(zones) == set(kind.zones)
    assert words_in(zones.get("say", "")) == set(kind.vocabulary)
    options = {row[0].strip("`"): row[1].strip("`") for row in table(game, "option")}
    assert options == {option.name: _written(option.default) for option in kind.options}


def words_in(cell: str) -> set[str]:
    """Return the words named in a cell of a table; `0` to `13` are fourteen words, `1c` to `7nt` the bids of bridge."""
    words = set(re.findall(r"`([a-z0-9-]+)`", cell))
    if "`1c` to `7nt`" in cell:
        words |= {word.name for word in BIDS}
    if "the values of games" in cell:
        words |= {word for word in load_game("skat").vocabulary if word.isdigit()}
    for first, last in re.findall(r"`(\d+)` to `(\d+)`", cell):
        words |= {str(number) for number in range(int(first), int(last) + 1)}
    return words


def _written(default: object) -> str:
    return default if isinstance(default, str) else json.dumps(default)
