"""The end of a demo: the board shows the screen `result`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx

from cardtable.cli.demo import DemoOptions
from cardtable.config.model import BoardConfig
from cardtable.evening.playing import Parts, one_game
from cardtable.journal.journal import Journal
from cardtable.web.server import STATE
from engine.actions import Action
from engine.record import Header
from tests.cardtable.stored import append


def test_the_board_shows_the_result_and_what_decided_it(tmp_path: Path) -> None:
    header = Header("all-fives", ("Ann", "Bo"), 0, {"target": 1})
    setting: Any = SimpleNamespace(header=header)
    actions = [Action("turn", card="4H"), Action("say", 1, word="beg"), Action("say", 0, word="take-one")]  # type: ignore[arg-type]
    with closing(Journal(tmp_path / "demo.sqlite")) as journal:
        journal.begin(header)
        append(journal, actions, over=True)
        options = DemoOptions(setting, journal, actions, BoardConfig(port=0), fast=True, whole=True, language="fr")
        with one_game(
            Parts(header, [], journal, actions, result_of=options.result_of), options.board, language="fr"
        ) as demo:
            assert demo.board is not None
            state = STATE.validate_python(httpx.get(f"{demo.board.url}/state.json").json())
    assert state["screen"] == "result"
    assert state["result"]["headline"] == "La partie est finie, gagnée par Bo, 1–0."
    assert state["result"]["decided"]["points"] == [{"seat": 1, "points": 1, "for": "beg"}]
    assert state["result"]["ways_on"] == []
