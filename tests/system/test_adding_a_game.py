"""docs/adding-a-game.md: its code blocks make the package, and its commands are run."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from engine.games import game_names

DOCUMENT = Path(__file__).parents[2] / "docs" / "adding-a-game.md"
_FILE = re.compile(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OUTPUT = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Package:
    """The package that the document makes, installed in a folder of its own."""

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
        """The metadata that pip would write beside the package, for which it needs the network."""
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

    def command(self, begins: str) -> str:
        """The only command of the document that begins with these words."""
        (found,) = [line for line in self.commands if line.startswith(begins)]
        return found

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a line of the document in the package's folder."""
        program, *words = shlex.split(command)
        begin = [sys.executable] if program == "python" else [sys.executable, "-m", program]
        path = os.pathsep.join([str(self.folder), *filter(None, sys.path)])
        environment = {**os.environ, "PYTHONPATH": path, "XDG_STATE_HOME": str(self.folder / "state")}
        return subprocess.run([*begin, *words], cwd=self.folder, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return Package(tmp_path_factory.mktemp("club"))


def test_it_is_listed_with_its_players_options_words_and_zones(package: Package) -> None:
    done = package.run(package.command("cardtable games"))
    games = {game["game"]: game for game in map(json.loads, done.stdout.splitlines())}
    assert games["vingt-un"] == {
        "game": "vingt-un",
        "title": "Vingt-un",
        "players": [2, 3, 4, 5, 6],
        "cards": 52,
        "options": [{"name": "target", "default": 3, "about": "hands that win the game", "least": 1}],
        "words": ["stay"],
        "zones": ["play", "say"],
    }
    assert set(games) == {*game_names(), "vingt-un"}


def test_the_record_is_replayed_as_the_document_says(package: Package) -> None:
    plain, legal = [line for line in package.commands if line.startswith("cardtable replay")]
    done = package.run(plain)
    assert done.returncode == 1, done.stderr
    *lines, result = done.stdout.splitlines()
    assert result == _OUTPUT.findall(package.text)[0].strip()
    refused = {line["n"]: line["error"] for line in map(json.loads, lines) if not line["ok"]}
    assert refused == {2: "wrong-phase", 5: "not-your-turn", 7: "already-seen"}
    after_the_ace = json.loads(package.run(legal).stdout.splitlines()[2])
    cards = {action["card"] for action in after_the_ace["legal"] if action["do"] == "play"}
    assert len(cards) == 50
    assert not cards & {"7S", "AH"}
    assert [action for action in after_the_ace["legal"] if action["do"] != "play"] == [
        {"do": "say", "seat": 1, "word": "stay"}
    ]


def test_its_mat_and_its_action_cards_are_printed(package: Package) -> None:
    for command in package.commands:
        if command.startswith("cardtable print"):
            done = package.run(command)
            assert done.returncode == 0, done.stderr
            if "--zones" in command:
                zones = {(zone["name"], zone["seat"]) for zone in json.loads(done.stdout)["zones"]}
                assert zones == {(name, seat) for name in ("play", "say") for seat in range(6)}
    assert all((package.folder / name).read_bytes().startswith(b"%PDF") for name in ("mat.pdf", "words.pdf"))


def test_its_table_toml_is_a_configuration(package: Package) -> None:
    done = package.run(package.command("cardtable config"))
    assert done.returncode == 0, done.stderr
    path = package.folder / "table.toml"
    path.write_text(path.read_text("utf-8").replace("target = 5", "target = 0"), "utf-8")
    done = package.run(package.command("cardtable config"))
    assert done.returncode == 2 and "target" in done.stderr


def test_its_tests_pass(package: Package) -> None:
    done = package.run(package.command("python -m pytest") + " -q -p no:cacheprovider")
    assert done.returncode == 0, done.stdout
    assert "10 passed" in done.stdout


def test_robots_play_it_before_the_camera_and_the_record_agrees(package: Package) -> None:
    done = package.run(package.command("cardtable demo"))
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["agree"], summary["difference"]) == (True, None)
    assert max(summary["scores"]) == 3
    assert summary["cards"]["right"] == summary["cards"]["laid"] >= 20
