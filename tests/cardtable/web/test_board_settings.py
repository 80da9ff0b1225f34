"""What a board is given: a camera, a language, its names in the network."""

from __future__ import annotations

from contextlib import closing

import httpx
from starlette.applications import Starlette

from cardtable.web.connections import Guard
from tests.cardtable.boards import board_for


def test_a_missing_picture_is_reported() -> None:
    with closing(board_for("All Fives", lambda message, sender: None, port=0)) as board:
        assert httpx.get(f"{board.url}/camera.jpg").status_code == 404


def test_the_page_gets_its_texts_in_the_language_of_the_table() -> None:
    with closing(board_for("All Fives", lambda message, sender: None, port=0, language="fr")) as board:
        texts = httpx.get(f"{board.url}/texts.json").json()
    assert texts["language"] == "fr" and texts["texts"]["take one"] == "un point" and "" not in texts["texts"]
    with closing(board_for("All Fives", lambda message, sender: None, port=0)) as board:
        assert httpx.get(f"{board.url}/texts.json").json() == {"language": "en", "texts": {}}


def test_names_in_the_configuration_are_known_in_a_network() -> None:
    guard = Guard(Starlette(), "0.0.0.0", ["Table.local"])
    assert guard.knows("table.local:8015") and guard.knows("192.168.1.9:8015")
    assert not guard.knows("evil.example")
