"""The whole program, from rendered frames to the record of a seeded game that is interrupted twice."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from cardtable.cli import main
from cardtable.config.load import read_config
from cardtable.config.model import BoardConfig
from cardtable.evening.playing import Parts, Playing, one_game
from cardtable.simulation.source import Setting, SyntheticSource, actions_of
from cardtable.table.cameras import card_readers, mat_for
from engine.cards import parse_card
from tests.programs import Program
from vision.camera_pipeline import CameraPipeline

SHORT = ("--headless", "--fast", "--whole", "--json", "--marks", "aruco", "--players", "2")
GAMES = {"all-fives": 134, "its-15": 43}
"""A seed for a short game. That of All Fives has a tied cut, cards run, a revoke called, cards exposed and called."""
INTERRUPTED = 130


class Demo:
    """`cardtable demo` in a process of its own, with a state folder of its own. What is wired goes to its `wired`."""

    def __init__(self, state: Path, game: str) -> None:
        self.journal = state / "cardtable" / f"demo-{game}-2-{GAMES[game]}-aruco.sqlite"
        self._options = (*SHORT, "--game", game, "--seed", str(GAMES[game]), "--wired", str(state / "wired"))
        self._environment = {**os.environ, "XDG_STATE_HOME": str(state)}

    def start(self) -> Program:
        return Program("demo", *self._options, env=self._environment)

    def stored(self) -> int:
        """How many actions the journal holds."""
        if not self.journal.exists():
            return 0
        try:
            database = sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True)
            try:
                return int(database.execute("SELECT count(*) FROM action").fetchone()[0])
            finally:
                database.close()
        except sqlite3.OperationalError:  # it is being created
            return 0

    def stop_after(self, actions: int, how: signal.Signals) -> int:
        """Start the demo, stop it after this many stored actions, and return its exit status."""
        process = self.start()
        while self.stored() < actions:
            try:
                raise AssertionError(f"it ended with {process.wait(timeout=0.1)}: {process.communicate()[1]}")
            except subprocess.TimeoutExpired:
                continue
        process.send_signal(how)
        return process.wait(60)


@pytest.mark.long
@pytest.mark.parametrize("game", ["all-fives", "its-15"])
def test_a_game_interrupted_and_killed_is_played_to_its_end_and_agrees(game: str, tmp_path: Path) -> None:
    demo = Demo(tmp_path, game)
    assert demo.stop_after(12, signal.SIGINT) == INTERRUPTED
    assert demo.stop_after(35, signal.SIGKILL) == -signal.SIGKILL
    before = demo.stored()
    process = demo.start()
    out, err = process.communicate()
    summary = json.loads(out)
    assert (summary["agree"], summary["difference"]) == (True, None)
    assert process.returncode == 0
    assert f"{before} actions so far" in err
    assert summary["winners"]
    assert summary["cards"]["missed"] == summary["cards"]["wrong"] == 0
    assert summary["cards"]["right"] == summary["cards"]["laid"] > 10
    wired = tmp_path / "wired"
    assert read_config(wired / "table.toml").seat[1].button == 27
    assert {path.name for path in wired.glob("*.png")} == {"everybody.png", "seat-0.png", "seat-1.png"}
    with (wired / "pins.csv").open(encoding="utf-8", newline="") as file:
        assert {"button of seat 0", "light of seat 1, green", "buzzer"} <= {row["what"] for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def playing() -> Iterator[Playing]:
    """The first cards of a game of printed faces, with the board that shows it."""
    setting = Setting(players=3, seed=343, marks="faces", pace="fast")
    source = SyntheticSource(setting)
    eye = CameraPipeline(source, mat_for(setting.header), card_readers([setting.marks]))
    with one_game(Parts(setting.header, [eye]), BoardConfig(port=0)) as playing:
        playing.run(until=lambda: playing.table.phase == "play" and len(playing.game.snapshot.view.lying) > 1)
        yield playing


def test_printed_faces_are_played_from_frames_to_the_page(playing: Playing) -> None:
    source, table = playing.cameras[0].source, playing.table
    assert isinstance(source, SyntheticSource)
    robots = source.director
    done = len(robots.done)
    assert list(table.actions[:done]) == robots.done
    assert len(table.actions) - done in (0, 1)  # the robots look up with the next frame
    assert playing.board is not None
    with httpx.Client(base_url=f"http://127.0.0.1:{playing.board.port}", trust_env=False) as page:
        assert page.get("/").status_code == 200
        state = page.get("/state.json").json()
        picture = page.get("/camera.jpg")
    assert state["n"] == len(table.actions)
    lying = {parse_card(entry["card"]) for entry in state["lying"]}
    assert lying == {entry.card for entry in playing.game.snapshot.view.lying}
    assert picture.content[:2] == b"\xff\xd8"


def test_a_demo_plays_one_hand_and_the_next_demo_the_next_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    command = ["demo", "--headless", "--fast", "--json", "--game", "its-15", "--seed", "4"]
    setting = Setting("its-15", seed=4, marks="aruco", pace="fast")
    for hands in (1, 2):
        assert main(command) == 0
        out, err = capsys.readouterr()
        summary = json.loads(out)
        assert (summary["agree"], summary["winners"]) == (True, [])
        assert summary["actions"] == actions_of(setting, hands) < actions_of(setting)
        assert ("continuing the game" in err) == (hands > 1)


@pytest.mark.long
def test_a_terminal_shows_how_far_the_demo_is(tmp_path: Path) -> None:
    leader, follower = os.openpty()
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "TERM": "xterm"}
    shown = b""
    with Program(
        "demo", "--headless", "--fast", "--game", "its-15", "--seed", "50", env=environment, terminal=follower
    ):
        os.close(follower)
        while b"\xe2\x96\x88" not in shown:
            shown += os.read(leader, 4096)
    os.close(leader)
    assert re.search("playing: █+░+ [0-9]+ of [0-9]+ actions", shown.decode())
