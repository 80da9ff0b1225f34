"""docs/how-to/adding-a-game.md: its code blocks make the package, and its commands are run."""

from __future__ import annotations

import json
import random
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardtable.cli import main
from engine.games import game_names
from engine.record import Header
from engine.table import Table

DOCUMENT = Path(__file__).parents[2] / "docs" / "how-to" / "adding-a-game.md"
GAME = "club-whist"
HOUSE_GAME = "knock-out-whist"
_FILE = re.compile(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OUTPUT = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Package:
    """The package that the document makes, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.text = DOCUMENT.read_text("utf-8")
        for name, content in _FILE.findall(self.text):
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(content, "utf-8")
        self.commands = [line for block in _COMMANDS.findall(self.text) for line in block.splitlines()]
        self._install()

    def _install(self) -> None:
        """Write the metadata that pip would write beside the package, for which it needs the network."""
        project = tomllib.loads((self.folder / "pyproject.toml").read_text("utf-8"))["project"]
        info = self.folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", "utf-8"
        )
        lines = []
        for group, entries in project["entry-points"].items():
            lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n", "utf-8")

    def run(self, begins: str) -> int:
        """Run the only command of the document that begins with these words; return its exit status."""
        (found,) = [line for line in self.commands if line.startswith(begins)]
        return main(shlex.split(found)[1:])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return Package(tmp_path_factory.mktemp("club"))


@pytest.fixture
def package(made: Package, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    """The package, installed for one test, whose current folder is the package's."""
    monkeypatch.syspath_prepend(made.folder)
    monkeypatch.chdir(made.folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(made.folder / "state"))
    yield made
    for name in [name for name in sys.modules if name.split(".")[0] == "club_whist"]:
        del sys.modules[name]


def test_it_is_listed_with_its_players_options_words_and_zones(
    package: Package, capsys: pytest.CaptureFixture[str]
) -> None:
    assert package.run("cardtable games") == 0
    games = {game["game"]: game for game in map(json.loads, capsys.readouterr().out.splitlines())}
    about = "cards each in the first hand, at most 7"
    assert games[GAME] == {
        "game": GAME,
        "title": "Knock-out Whist",
        "players": [2, 3, 4, 5, 6, 7],
        "cards": 52,
        "options": [{"name": "cards", "default": 7, "about": about, "least": 1}],
        "words": ["spade", "heart", "diamond", "club", "revoke"],
        "zones": ["play", "turn-up", "say", "show"],
    }
    assert set(games) == {*game_names()}


@pytest.mark.parametrize("players", [2, 4, 7])
def test_its_rules_are_those_of_the_house(package: Package, players: int) -> None:
    """In the same random game both accept the same actions and have the same scores; the dog's life is off."""
    rng = random.Random(players)
    names = tuple(f"P{seat}" for seat in range(players))
    house, written = (Table(Header(game, names, 0)) for game in (HOUSE_GAME, GAME))
    while not house.over:
        assert set(written.legal_actions()) == set(house.legal_actions())
        action = rng.choice([action for action in house.legal_actions() if action.do != "withdraw"])
        house.do(action)
        written.do(action)
        assert (written.turn, written.phase, written.scores) == (house.turn, house.phase, house.scores)
    assert written.over and written.view().winners == house.view().winners


def test_the_record_is_replayed_as_the_document_says(package: Package, capsys: pytest.CaptureFixture[str]) -> None:
    assert package.run("cardtable replay hand.jsonl --json --legal") == 1
    *lines, result = capsys.readouterr().out.splitlines()
    assert result == _OUTPUT.findall(package.text)[0].strip()
    refused = {line["n"]: line["error"] for line in map(json.loads, lines) if not line["ok"]}
    assert refused == {3: "not-your-turn", 9: "already-seen", 13: "not-your-turn", 15: "not-your-turn"}
    after_the_trick = json.loads(lines[4])["legal"]
    assert {action["do"] for action in after_the_trick} == {"play", "withdraw", "gather", "say"}
    assert {action["against"] for action in after_the_trick if action["do"] == "say"} == {2}


def test_its_mat_and_its_action_cards_are_printed(package: Package, capsys: pytest.CaptureFixture[str]) -> None:
    for command in package.commands:
        if command.startswith("cardtable print"):
            assert package.run(command) == 0
            if "--zones" in command:
                zones = {(zone["name"], zone["seat"]) for zone in json.loads(capsys.readouterr().out)["zones"]}
                assert zones == {(name, seat) for name in ("play", "say", "show") for seat in range(7)} | {
                    ("turn-up", None)
                }
            capsys.readouterr()
    assert all((package.folder / name).read_bytes().startswith(b"%PDF") for name in ("mat.pdf", "words.pdf"))


def test_its_table_toml_is_a_configuration(package: Package, capsys: pytest.CaptureFixture[str]) -> None:
    assert package.run("cardtable config") == 0
    path = package.folder / "table.toml"
    written = path.read_text("utf-8")
    path.write_text(written.replace("cards = 5", "cards = 0"), "utf-8")
    assert package.run("cardtable config") == 2
    path.write_text(written, "utf-8")
    assert "cards" in capsys.readouterr().err


def test_its_tests_pass(package: Package) -> None:
    (words,) = [shlex.split(line)[3:] for line in package.commands if line.startswith("python -m pytest")]
    # With its own root folder, so that it takes neither settings nor fixtures from this project.
    status = pytest.main([*words, "-q", "-p", "no:cacheprovider", "--rootdir", str(package.folder), "-c", "/dev/null"])
    assert status == pytest.ExitCode.OK


@pytest.mark.long
def test_robots_play_it_before_the_camera_and_the_record_agrees(
    package: Package, capsys: pytest.CaptureFixture[str]
) -> None:
    assert package.run("cardtable demo") == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["agree"], summary["difference"]) == (True, None)
    assert max(summary["scores"]) in (1, 2)
    assert summary["cards"]["right"] == summary["cards"]["laid"] >= 7
