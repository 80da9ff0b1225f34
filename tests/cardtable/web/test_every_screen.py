"""The list of screens is complete, and docs/ has a small picture of each at each size."""

from __future__ import annotations

import re

from cardtable.web.server import PAGE, interface_schema
from engine.games import HOUSE
from tests.cardtable.web.every_screen import every_screen
from tests.cardtable.web.pictures import FOLDER, wanted_files

MOST_BYTES = 3_300_000


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


def test_there_is_a_picture_of_every_screen_at_every_size() -> None:
    wanted = wanted_files()
    files = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert set(files) == wanted, "run python -m tests.cardtable.web.pictures"
    assert sum(files.values()) < MOST_BYTES
