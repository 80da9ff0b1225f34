"""The whole program on RFID readers alone: the real firmware on a simulated reader board, killed and started again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from itertools import islice
from pathlib import Path

import pytest

from cardtable.cli import main
from cardtable.journal.file import JournalError
from cardtable.simulation.source import ROBOTS, Setting
from engine.actions import Action
from engine.cards import parse_card
from firmware_bridge.simulated import SimulatedBoard
from firmware_bridge.tags import TagTable
from tests.cardtable.stored import read_games
from tests.programs import Program
from tests.system.test_run import Running

CONFIG = """
game = "all-fives"
players = ["Ann", "Bo"]
dealer = 0
[board]
port = 0
[[reader]]
port = "{port}"
zones = ["play 0", "play 1", "turn-up"]
buttons = ["stand 1"]
"""


def start(folder: Path) -> Running:
    return Running(Program("run", "-c", str(folder / "table.toml")))


def end(table: Running, how: signal.Signals) -> int:
    table.process.send_signal(how)
    return table.process.wait(30)


def stored(journal: Path) -> list[Action]:
    try:
        games = read_games(journal) if journal.exists() else []
    except JournalError:  # it is being created
        return []
    return list(games[-1].actions) if games else []


def test_cards_laid_while_the_program_was_killed_count_after_the_restart(board: SimulatedBoard, tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(CONFIG.format(port=board.port), "utf-8")
    tags = TagTable(tmp_path / "tags.json")
    for number, card in enumerate(("2H", "KS", "AS", "QS")):
        tags.learn(f"04aabb0{number}", parse_card(card))
    board.lay(2, "04aabb00")
    table = start(tmp_path)
    try:
        # Cards that are on the readers at the start may be left over.
        table.until(lambda state: any(prompt["kind"] == "take-back" for prompt in state["prompts"]))
        board.lift(2, "04aabb00")
        table.until(lambda state: all(prompt["kind"] == "turn" for prompt in state["prompts"]))
        board.lay(2, "04aabb00")
        table.until(lambda state: state["phase"] == "say")
        board.press(0, True)
        table.until(lambda state: state["phase"] == "play")
        board.press(0, False)
        board.lay(1, "04aabb01")
        table.until(lambda state: len(state["lying"]) == 2)
        assert end(table, signal.SIGKILL) == -signal.SIGKILL
        board.lay(0, "04aabb02")
        table = start(tmp_path)
        table.until(lambda state: len(state["lying"]) == 3)
        board.lift(0, "04aabb02")
        board.lift(1, "04aabb01")
        table.until(lambda state: len(state["lying"]) == 1)
        assert end(table, signal.SIGINT) == 130
    finally:
        table.process.kill()
        table.process.wait()
    assert stored(tmp_path / "journal.sqlite") == [
        Action("turn", card=parse_card("2H")),
        Action("say", 1, word="stand"),
        Action("play", 1, parse_card("KS")),
        Action("play", 0, parse_card("AS")),
        Action("gather", 0),
    ]


@pytest.mark.long
def test_robots_play_on_readers_and_continue_an_interrupted_game(board: SimulatedBoard, tmp_path: Path) -> None:
    setting = Setting(seed=134, marks="aruco", pace="fast")
    journal = tmp_path / "cardtable" / f"demo-{setting.name}.sqlite"
    options = ["--reader", "simavr", "--headless", "--fast", "--whole", "--marks", "aruco", "--seed", "134", "--json"]
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    for actions, how in ((2, signal.SIGKILL), (5, signal.SIGINT)):
        with Program("demo", *options, env=environment) as process:
            while len(stored(journal)) < actions:
                try:
                    raise AssertionError(f"it ended with {process.wait(timeout=0.1)}")
                except subprocess.TimeoutExpired:
                    continue
            process.send_signal(how)
            assert process.wait(30) == (130 if how is signal.SIGINT else -how)
    players = ROBOTS[setting.game](setting.header, random.Random("all-fives/2/134"))
    real = list(islice((act.action for act in players.acts() if act.action), 40))
    kept = stored(journal)
    assert len(kept) >= 5
    assert kept == real[: len(kept)]


def test_a_table_without_readers_or_camera_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "table.toml").write_text(CONFIG.format(port="/dev/none").replace("play 1", "plai 1"), "utf-8")
    assert main(["run", "-c", str(tmp_path / "table.toml")]) == 2
    refused = capsys.readouterr().err
    assert "reader.zones" in refused and "does not name a zone" in refused and refused.count("\n") == 1
