"""The whole table in the simulated game, with lights, buzzer, displays and voice attached."""

from __future__ import annotations

import sys
from pathlib import Path

import gpiozero
import pytest
from PIL import Image

from cardtable.app import Play, mat_for, readers_for
from cardtable.config import read_config
from cardtable.shown import Shown
from cardtable.simulation.source import Setting, SyntheticSource
from cardtable.wired import open_wired
from hardware.lights import DIMMED
from tests.hardware.bench import board
from vision.eye import Eye

CONFIG = """
game = "all-fives"
players = ["Ann", "Bo"]
[[seat]]
seat = 0
button = 17
light = 23
in_view = true
[[seat]]
seat = 1
button = 27
light = 24
in_view = true
[buzzer]
pin = 22
[[display]]
kind = "png"
file = "all.png"
[[display]]
kind = "png"
seat = 1
file = "bo.png"
[voice]
say = "everything"
command = ["{python}", "-c", "import sys; open(sys.argv[1], 'a').write(sys.argv[2] + chr(10))", "{said}", "{{text}}"]
"""


def test_a_simulated_game_with_everything_attached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pins = board()
    monkeypatch.setattr(gpiozero.Device, "pin_factory", pins)
    said = tmp_path / "said"
    (tmp_path / "table.toml").write_text(CONFIG.format(python=sys.executable, said=said), "utf-8")
    setting = Setting(players=2, seed=134, marks="aruco", pace="fast")
    eye = Eye(SyntheticSource(setting), mat_for(setting.header), readers_for([setting.marks]))
    lit: list[tuple[int | None, list[float]]] = []

    def look(shown: Shown) -> None:
        lit.append((shown.view.turn, [pins.pin(pin).state for pin in (23, 24)]))

    wired = open_wired(read_config(tmp_path / "table.toml"))
    with Play(setting.header, [eye], show=look, wired=wired) as play:
        play.run(until=lambda: len(play.controller.table.actions) >= 20)
        source = play.eyes[0].source
        assert isinstance(source, SyntheticSource)
        done = source.director.done
        assert list(play.controller.table.actions[: len(done)]) == done
    turns = [(turn, levels) for turn, levels in lit if turn is not None]
    assert len(turns) > 10
    # Whoever is on turn has his light on, dim, for the camera sees it; nobody's is ever bright.
    assert {levels[turn] for turn, levels in turns} == {DIMMED}
    assert {level for _, levels in lit for level in levels} == {0.0, DIMMED}
    assert {turn for turn, _ in turns} == {0, 1}
    for name in ("all.png", "bo.png"):
        assert Image.open(tmp_path / name).size == (250, 122)
    assert len(said.read_text("utf-8").splitlines()) > 3
    assert [pins.pin(pin).state for pin in (22, 23, 24)] == [0.0, 0.0, 0.0]
