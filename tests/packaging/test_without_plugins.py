"""The wheel of cardtable alone, without the club: everything works, and no word of the club appears."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx
import numpy as np
import pytest

from cardtable.plugins import VARIABLE
from tests.waiting import lines_up_to

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CLUB = re.compile(r"\b(club|hubs?|tournaments?)\b", re.IGNORECASE)
STATE = """
import contextlib
import io
import json
import sys
import cardtable
from cardtable.cli import main
from cardtable.config.writing import config_schema
from cardtable.evening.lobby import Lobby, LobbyContent, lobby_state
from cardtable.setup.first_start import all_steps
from engine.texts import as_written

def shown(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        with contextlib.suppress(SystemExit):
            main(arguments)
    return out.getvalue()

asked = (["--help"], ["config"], ["config", "--schema"], ["run", "--help"], ["setup", "--help"])
old = (["config", "--check", "old.toml"], ["run", "-c", "old.toml"])
try:
    import cardtable_club
except ModuleNotFoundError:
    cardtable_club = None
lobby = lobby_state(LobbyContent(Lobby()), [], [], as_written)
said = json.dumps({
    "file": cardtable.__file__,
    "club": cardtable_club is not None,
    "shown": [shown(*arguments) for arguments in asked],
    "refused": [shown(*arguments) for arguments in old],
    "steps": [step.name for step in all_steps()],
    "next round": lobby["next_round"],
    "links": lobby["setup"],
    "sections": list(config_schema()["properties"]),
})
with open("said.json", "w", encoding="utf-8") as file:
    file.write(said)
sys.exit(main(["run", "-c", "table.toml"]))
"""
"""Says what the program shows, then runs it."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with cardtable alone, installed from its wheel, beside links to the other packages that it needs."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    subprocess.run(build, check=True, capture_output=True)
    (built,) = folder.glob("cardtable-*.whl")
    installed = folder / "installed"
    with ZipFile(built) as packed:
        packed.extractall(installed)
    for package in Path(np.__file__).parents[1].iterdir():
        if "cardtable" not in package.name and package.suffix != ".pth" and not (installed / package.name).exists():
            (installed / package.name).symlink_to(package)
    return installed


@pytest.fixture(scope="module")
def table(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, Any], str]]:
    """What the program says about itself, and the address of its board, in this installation alone."""
    folder = tmp_path_factory.mktemp("table")
    (folder / "old.toml").write_text('[club]\nname = "north"\ntable = "table-1"\n', "utf-8")
    (folder / "table.toml").write_text("[board]\nport = 0\n", "utf-8")
    environment = {name: value for name, value in os.environ.items() if name not in (VARIABLE, "PYTHONPATH")}
    environment["PYTHONPATH"] = str(wheel)
    # -S: without the packages, and the links to this tree, of the environment in which the tests run.
    command = [sys.executable, "-S", "-c", STATE]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder, env=environment) as process:
        try:
            line = lines_up_to(process, "the board: ")[-1]
            said = json.loads((folder / "said.json").read_text("utf-8"))
            yield said, next(word for word in line.split() if word.startswith("http"))
        finally:
            process.kill()


def test_no_word_of_the_club(wheel: Path, table: tuple[dict[str, Any], str]) -> None:
    state, _ = table
    assert Path(state["file"]).is_relative_to(wheel) and not state["club"]
    for shown in state["shown"]:
        assert len(shown) > 200
        assert not CLUB.search(shown.replace(wheel.as_posix(), "")), CLUB.search(shown)
    for refused in state["refused"]:
        assert refused.startswith("cardtable: old.toml, line 1: [club] needs a plug-in: pip install 'cardtable[club]'")
    assert state["steps"][:5] == ["language", "time-zone", "wifi", "phone", "camera"]
    assert state["next round"] is None
    assert [link["step"] for link in state["links"]] == ["readers", "buttons"]
    assert "club" not in state["sections"]


def test_the_pages_have_no_word_of_the_club(wheel: Path) -> None:
    for path in sorted((wheel / "cardtable" / "web").rglob("*")):
        if path.suffix in (".js", ".css", ".html"):
            source = re.sub(r"--clubs|C: t\(\"clubs\"\)", "", path.read_text("utf-8"))  # the suit
            assert not CLUB.search(source), path


def test_the_table_runs(table: tuple[dict[str, Any], str]) -> None:
    _, url = table
    assert httpx.get(f"{url}/").status_code == 200
    assert httpx.get(f"{url}/start/state.json").json()["step"] == "language"
    assert httpx.get(f"{url}/start/state.json?only=club").json()["refused"] == "There is no such question."
    assert not CLUB.search(re.sub("lowest club", "", httpx.get(f"{url}/schema.json").text))
