"""Plug-ins: what one adds to the program, and what happens to one that is broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from cardtable.plugins import EXTRAS, VARIABLE, installed
from tests.waiting import lines_up_to, tries

LADDER = """
from pathlib import Path
from typing import ClassVar

from cardtable.plugins import Plugin
from engine.texts import text


class Ladder(Plugin):
    commands = {"ladder": "ladder_plugin.command"}
    locale = Path(__file__).parent
    lobby_link = text("Ladder…")

    def section(self):
        from cardtable.config.section import Section
        from pydantic import Field, model_validator

        class LadderConfig(Section):
            about: ClassVar = text("The ladder of the pub.")
            rungs: int = Field(default=10, ge=1, description=text("how many players it has"))
            file: Path | None = Field(default=None, strict=False, description=text("where it is kept"))

            @model_validator(mode="after")
            def _is_consistent(self):
                if self.rungs > 99 and self.file is None:
                    raise ValueError(text("so long a ladder needs a file"))
                return self

        return LadderConfig

    def step(self):
        from cardtable.setup.step import Question, Step

        class LadderStep(Step):
            name = "ladder"

            def question(self, site):
                return Question(text("Ladder…"), "", forward="Continue")

        return LadderStep
"""
COMMAND = """
from engine.texts import text

SUMMARY = text("show the ladder")
ACTIVITY = text("show the ladder")
EXAMPLE = "cardtable ladder"


def configure(parser):
    pass


def run(args):
    print("Ann, Bo")
    return 0
"""
FRENCH = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Language: fr\\n"
"Plural-Forms: nplurals=2; plural=(n > 1);\\n"

msgid "show the ladder"
msgstr "montrer l’échelle"
"""
LOOK = """
import contextlib, io, json
from pathlib import Path
from cardtable.cli import main
from cardtable.config.load import ConfigError, read_config
from cardtable.evening.lobby import Lobby, LobbyContent, lobby_state
from cardtable.setup.first_start import all_steps
from engine.texts import as_written

def check(written):
    path = Path("table.toml")
    path.write_text(written)
    try:
        return [str(value) for _, value in read_config(path).ladder]
    except ConfigError as error:
        return str(error)

def shown(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        main(arguments)
    return out.getvalue()

lobby = lobby_state(LobbyContent(Lobby()), [], [], as_written)
print(json.dumps({
    "written": shown("config"),
    "schema": shown("config", "--schema"),
    "good": check("[ladder]\\nfile = 'ladder.txt'\\n"),
    "wrong": check("[ladder]\\nrungs = 0\\n"),
    "inconsistent": check("game = 'cribbage'\\n[ladder]\\nrungs = 100\\n"),
    "steps": [step.name for step in all_steps()],
    "links": lobby["setup"],
}))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with the plug-in `ladder`, as pip would install it."""
    (tmp_path / "ladder_plugin").mkdir()
    (tmp_path / "ladder_plugin" / "__init__.py").write_text(LADDER, "utf-8")
    (tmp_path / "ladder_plugin" / "command.py").write_text(COMMAND, "utf-8")
    (tmp_path / "ladder_plugin" / "fr.po").write_text(FRENCH, "utf-8")
    info = tmp_path / "ladder-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ladder\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[cardtable.plugins]\nladder = ladder_plugin:Ladder\n", "utf-8")
    return tmp_path


def run(package: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a Python program that finds the plug-in."""
    root = Path(__file__).parents[2]
    variables = {name: value for name, value in os.environ.items() if name != VARIABLE} | environment
    variables["PYTHONPATH"] = os.pathsep.join([str(package), str(root)])
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=False, cwd=package, env=variables
    )


def cardtable(package: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run(package, "-m", "cardtable", *arguments, **environment)


def test_a_command_and_its_texts(package: Path) -> None:
    assert cardtable(package, "ladder").stdout == "Ann, Bo\n"
    assert "  ladder " in cardtable(package, "--help").stdout
    assert "montrer l’échelle" in cardtable(package, "--help", LANG="fr_FR.UTF-8").stdout
    (package / "ladder_plugin" / "fr.po").unlink()
    assert "show the ladder" in cardtable(package, "--help", LANG="fr_FR.UTF-8").stdout


def test_a_section_a_step_and_a_link(package: Path) -> None:
    looked = run(package, "-c", LOOK)
    assert looked.returncode == 0, looked.stderr
    found = json.loads(looked.stdout)
    assert "# The ladder of the pub.\n# [ladder]\n# rungs = 10  # how many players it has\n" in found["written"]
    schema = json.loads(found["schema"])
    assert schema["$defs"]["LadderConfig"]["properties"]["rungs"]["minimum"] == 1
    assert found["good"] == ["10", "ladder.txt"]
    assert found["wrong"] == "table.toml, line 2: 'ladder.rungs' is 0: it should be 1 or more"
    assert found["inconsistent"] == "table.toml, line 2: so long a ladder needs a file"
    assert found["steps"].index("ladder") == found["steps"].index("camera") - 1
    assert {"step": "ladder", "label": "Ladder…"} in found["links"]


def test_all_plugins_can_be_hidden(package: Path) -> None:
    assert "ladder" not in cardtable(package, "--help", **{VARIABLE: "off"}).stdout
    assert installed() == {}


def test_a_broken_plugin_is_named(package: Path) -> None:
    broken = LADDER.replace("def section(self):", "def section(self):\n        raise SystemExit(3)")
    for written, why in (("import xyzzy", "No module named 'xyzzy'"), (broken, "3")):
        (package / "ladder_plugin" / "__init__.py").write_text(f"{written}\n", "utf-8")
        done = cardtable(package, "config")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"cardtable: the plug-in 'ladder' has failed ({why}): install it again")


@pytest.mark.parametrize("fault", ["raise SystemExit(3)", "return None", "import time; time.sleep(3600)"])
def test_the_doctor_names_a_plugin_whose_check_fails(package: Path, fault: str) -> None:
    broken = f"{LADDER}\n    def check(self, config):\n        {fault}\n"
    (package / "ladder_plugin" / "__init__.py").write_text(broken, "utf-8")
    skipped = "from cardtable.doctor import *; from cardtable.config.load import bare_config; "
    skipped += "import cardtable.plugins as plugins; plugins.ANSWER_S = 0.2; "
    looked = run(package, "-c", f"{skipped}print(*(f.text for f in examine(bare_config(), Machine(), CHECKS)))")
    assert "the plug-in 'ladder' has failed (" in looked.stdout, looked.stderr


GUEST = """
    def join(self, table):
        return Guest()


class Guest:
    def show(self, state):
        {fault}

    def close(self):
        import time

        time.sleep(3600)
"""
TABLE = """
import sys
from cardtable import plugins
from cardtable.cli import main
from cardtable.maintenance import machine_watch

plugins.ANSWER_S = plugins._CLOSE_S = machine_watch.PERIOD_S = 0.2
sys.exit(main(sys.argv[1:]))
"""
"""The program, which waits for plug-ins less long."""


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ("import time; time.sleep(3600)", "the plug-in 'ladder' does not answer: the table goes on without it"),
        pytest.param(
            "raise SystemExit(3)",
            "the plug-in 'ladder' has failed (3): the table goes on without it",
            marks=pytest.mark.long,
        ),
    ],
)
def test_the_table_goes_on_without_a_guest_that_fails(package: Path, fault: str, named: str) -> None:
    (package / "ladder_plugin" / "__init__.py").write_text(LADDER + GUEST.format(fault=fault), "utf-8")
    (package / "table.toml").write_text('source = "none.avi"\n[board]\nport = 0\n', "utf-8")
    variables = {name: value for name, value in os.environ.items() if name != VARIABLE}
    variables["PYTHONPATH"] = os.pathsep.join([str(package), str(Path(__file__).parents[2])])
    command = [sys.executable, "-c", TABLE, "run", "-c", "table.toml"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=package, env=variables) as process:
        try:
            line = lines_up_to(process, "the board: ")[-1]
            url = next(word for word in line.split() if word.startswith("http"))
            for _ in tries("the board to name it", pause_s=0.05):
                sources = httpx.get(f"{url}/state.json").json()["sources"]
                checks = [check["text"] for each in sources if each["name"] == "ladder" for check in each["checks"]]
                if any(text.startswith(named) for text in checks):
                    break
            found = httpx.get(f"{url}/doctor/findings.json", timeout=30).json()["findings"]
            assert named in [each["text"] for each in found if each["check"] == "ladder"]
            process.terminate()
            assert process.wait(30) == 143
        finally:
            process.kill()


@pytest.mark.parametrize("name", EXTRAS)
def test_a_section_of_an_extra_says_what_to_install(name: str, package: Path) -> None:
    (package / "table.toml").write_text(f'game = "cribbage"\n[{name}]\nname = "north"\n', "utf-8")
    done = cardtable(package, "config", "--check", "table.toml", **{VARIABLE: "off"})
    assert done.returncode == 2
    assert f"table.toml, line 2: [{name}] needs a plug-in: pip install 'cardtable[{name}]'" in done.stderr
