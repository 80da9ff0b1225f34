"""The wheel of cardtable alone, without the club: everything works, and no word of the club appears."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import numpy as np
import pytest

from cardtable.plugins import VARIABLE
from tests.waiting import lines_up_to

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CLUB = re.compile(r"\b(club|hub|tournament)s?\b", re.IGNORECASE)
STATE = """
import contextlib
import io
import json
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
print(json.dumps({
    "file": cardtable.__file__,
    "club": cardtable_club is not None,
    "shown": [shown(*arguments) for arguments in asked],
    "refused": [shown(*arguments) for arguments in old],
    "steps": [step.name for step in all_steps()],
    "next round": lobby["next_round"],
    "links": lobby["setup"],
    "sections": list(config_schema()["properties"]),
}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with cardtable alone, installed from its wheel, beside links to the other packages that it needs."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    subprocess.run(build, check=True, capture_output=True)
    (built,) = folder.glob("cardtable-*.whl")
    installed = folder / "installed"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", installed, built]
    subprocess.run(install, check=True, capture_output=True)
    for package in Path(np.__file__).parents[1].iterdir():
        if "cardtable" not in package.name and package.suffix != ".pth" and not (installed / package.name).exists():
            (installed / package.name).symlink_to(package)
    return installed


def command(wheel: Path, *arguments: str) -> tuple[list[str], dict[str, str]]:
    """Return a command that runs Python with this installation alone, and its environment."""
    environment = {name: value for name, value in os.environ.items() if name not in (VARIABLE, "PYTHONPATH")}
    # -S: without the packages, and the links to this tree, of the environment in which the tests run.
    return [sys.executable, "-S", *arguments], environment | {"PYTHONPATH": str(wheel)}


def test_no_word_of_the_club(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "old.toml").write_text('[club]\nname = "north"\ntable = "table-1"\n', "utf-8")
    program, environment = command(wheel, "-c", STATE)
    done = subprocess.run(program, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment)
    state = json.loads(done.stdout)
    assert Path(state["file"]).is_relative_to(wheel) and not state["club"]
    for shown in state["shown"]:
        assert len(shown) > 200
        assert not CLUB.search(shown.replace(wheel.as_posix(), "")), CLUB.search(shown)
    for refused in state["refused"]:
        assert refused.startswith("cardtable: old.toml, line 1: [club] needs a plug-in: pip install 'cardtable[club]'")
    assert state["steps"][:5] == ["language", "time-zone", "wifi", "phone", "camera"]
    assert (state["next round"], state["links"]) == (None, [])
    assert "club" not in state["sections"]


def test_the_pages_have_no_word_of_the_club(wheel: Path) -> None:
    for path in sorted((wheel / "cardtable" / "web").rglob("*")):
        if path.suffix in (".js", ".css", ".html"):
            source = re.sub(r"--clubs|C: t\(\"clubs\"\)", "", path.read_text("utf-8"))  # the suit
            assert not CLUB.search(source), path


def test_the_table_runs(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text("[board]\nport = 0\n", "utf-8")
    program, environment = command(wheel, "-m", "cardtable", "run", "-c", "table.toml")
    with subprocess.Popen(program, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment) as process:
        try:
            url = next(word for word in lines_up_to(process, "the board: ")[-1].split() if word.startswith("http"))
            assert httpx.get(f"{url}/").status_code == 200
            assert httpx.get(f"{url}/start/state.json").json()["step"] == "language"
            assert httpx.get(f"{url}/start/state.json?only=club").json()["refused"] == "There is no such question."
            assert not CLUB.search(re.sub("lowest club", "", httpx.get(f"{url}/schema.json").text))
        finally:
            process.kill()
