"""A whole table, as `cardtable run` opens it, at a whole hub: its health, and what the director says on its board."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from cardtable.journal.journal import Journal
from cardtable.languages import translator
from cardtable_club.config import ClubConfig
from cardtable_club.hub.broker import mosquitto_program
from cardtable_club.hub.health import TableHealth
from cardtable_club.hub.service import Hub
from cardtable_club.member.link import Link
from club.tests.hub.test_service import hub as hub
from tests.waiting import lines_up_to, tries

pytestmark = [pytest.mark.slow, pytest.mark.skipif(mosquitto_program() is None, reason="needs mosquitto")]


TABLE = """
import sys
from cardtable.cli import main
from cardtable_club.member import link

link._HEALTH_S = 0.2
sys.exit(main(sys.argv[1:]))
"""
"""The program, which says how it is more often than every ten seconds."""


@pytest.fixture
def table(tmp_path: Path, hub: Hub) -> Iterator[str]:
    """A table of the club without its camera; the address of its board."""
    config = tmp_path / "table.toml"
    club = f'[club]\nname = "club"\ntable = "t1"\nport = {hub.config.broker.port}\n'
    config.write_text(f'source = "none.avi"\n[board]\nport = 0\n{club}', "utf-8")
    command = [sys.executable, "-c", TABLE, "run", "-c", str(config)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path) as process:
        try:
            line = lines_up_to(process, "the board: ")[-1]
            yield next(word for word in line.split() if word.startswith("http"))
        finally:
            process.kill()


def health_of(hub: Hub) -> TableHealth:
    for _ in tries("the health of the table", pause_s=0.05):
        found = [each for each in hub.health(translator("en")) if each["faults"]]
        if found:
            return found[0]
    raise AssertionError


def notice(address: str, shown: bool) -> str | None:
    for _ in tries("the notice", pause_s=0.05):
        notice: str | None = httpx.get(f"{address}/state.json", timeout=30).json()["notice"]
        if (notice is not None) == shown:
            return notice
    raise AssertionError


def test_a_table_says_how_it_is_and_shows_what_the_director_says(hub: Hub, table: str, tmp_path: Path) -> None:
    health = health_of(hub)
    assert health["name"] == "t1" and health["online"] and health["free"]
    assert any(fault.startswith("camera: ") and "none.avi" in fault for fault in health["faults"])
    assert hub.show_message(["t1"], "Please finish this game.") == {"t1": None}
    assert notice(table, shown=True) == "The director of the club: Please finish this game."
    assert hub.show_message(["t1"], "") == {"t1": None}
    assert notice(table, shown=False) is None
    Journal(tmp_path / "twin.sqlite").close()
    twin = ClubConfig(name="club", table="t1", port=hub.config.broker.port)
    with closing(Link(twin, tmp_path / "twin.sqlite").start()):
        assert str(notice(table, shown=True)).startswith('Another table of the club is called "t1", too: give one')
