"""Whole games on RFID readers alone: the real firmware on simulated reader boards, the program killed on the way.

The reader boards are stepped, so a game is the same on any machine; only the moment at which it is killed differs.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge import NotBuilt
from firmware_bridge.building import build_firmware, build_simulator
from tests.programs import Program


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    try:
        build_simulator()
        build_firmware()
    except NotBuilt as error:
        if "missing" in str(error):
            pytest.skip(str(error))
        raise


def demo(state: Path, game: str, seed: int, *options: str) -> Program:
    command = ("demo", "--reader", "simavr", "--headless", "--fast", "--whole", "--json")
    environment = {**os.environ, "XDG_STATE_HOME": str(state)}
    return Program(*command, "--game", game, "--seed", str(seed), *options, env=environment)


def played(process: Program) -> dict[str, Any]:
    """Return the summary of a game that was finished, read without errors, and agrees with the record."""
    out, err = process.communicate()
    assert process.returncode == 0, (out, err)
    summary: dict[str, Any] = json.loads(out)
    assert (summary["agree"], summary["difference"]) == (True, None)
    assert summary["cards"]["missed"] == summary["cards"]["wrong"] == summary["laid_again"] == 0
    assert summary["winners"]
    return summary


def stored(state: Path) -> int:
    """Return the number of actions in the journal."""
    for journal in (state / "cardtable").glob("demo-*.sqlite"):
        try:
            database = sqlite3.connect(f"file:{journal}?mode=ro", uri=True)
            try:
                return int(database.execute("SELECT count(*) FROM action").fetchone()[0])
            finally:
                database.close()
        except sqlite3.OperationalError:  # it is being created
            continue
    return 0


def killed_after(actions: int, process: Program, state: Path) -> None:
    try:
        while stored(state) < actions:
            try:
                raise AssertionError(f"it ended with {process.wait(timeout=0.05)}: {process.communicate()[1]}")
            except subprocess.TimeoutExpired:
                continue
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("game", "seed", "kills"),
    [
        pytest.param("all-fives", 134, (60,), marks=pytest.mark.long),
        pytest.param("fifteen", 20, (25,), marks=pytest.mark.long),
        pytest.param("cribbage", 34, (9, 40), marks=pytest.mark.long),
        pytest.param("le-quinze", 65, (18, 50), marks=pytest.mark.long),
        pytest.param("its-15", 43, (20,), marks=pytest.mark.long),
    ],
)
def test_readers_play_every_game_and_continue_after_kill_9(
    game: str, seed: int, kills: tuple[int, ...], tmp_path: Path
) -> None:
    for actions in kills:
        killed_after(actions, demo(tmp_path, game, seed), tmp_path)
    played(demo(tmp_path, game, seed))


@pytest.mark.long
@pytest.mark.parametrize(("game", "seed"), [("fifteen", 267), ("cribbage", 39)])
def test_with_known_hands_a_revoke_is_refused_at_once(game: str, seed: int, tmp_path: Path) -> None:
    """A revoke, and a “go” of a player who could play: the table knows the hands and the cards laid away."""
    assert played(demo(tmp_path, game, seed, "--known"))["refused"] > 0


@pytest.mark.long
def test_a_stepped_game_is_deterministic(tmp_path: Path) -> None:
    frames = [played(demo(tmp_path / folder, "its-15", 23))["frames"] for folder in ("one", "two")]
    assert frames[0] == frames[1]


def test_known_hands_need_readers(tmp_path: Path) -> None:
    process = demo(tmp_path, "its-15", 1, "--known")
    assert "leave --known out" in process.communicate()[1]
    assert process.returncode == 2
