"""The list of screens is complete."""

from __future__ import annotations

import re

from cardtable.web.server import PAGE, interface_schema
from engine.games import HOUSE
from tests.cardtable.web.every_screen import every_screen


def test_every_kind_of_state_every_game_and_every_sheet_is_listed() -> None:
    screens = every_screen()
    assert len({screen.name for screen in screens}) == len(screens)
    shapes = interface_schema()["$defs"].values()
    kinds = {shape["properties"]["screen"]["const"] for shape in shapes if "screen" in shape.get("properties", {})}
    assert {screen.state["screen"] for screen in screens} == kinds
    assert {screen.state["game"] for screen in screens if screen.state["screen"] == "game"} >= set(HOUSE)
    sheets = set(re.findall(r'<dialog id="([\w-]+)"', (PAGE / "index.html").read_text("utf-8")))
    shown = " ".join(screen.shows for screen in screens)
    assert {sheet for sheet in sheets if f"#{sheet}[open]" not in shown} == set()
