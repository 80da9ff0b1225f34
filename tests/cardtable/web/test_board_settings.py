"""What a board is given: a camera, a language, its names in the network."""

from __future__ import annotations

from contextlib import closing

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

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


def test_the_names_that_routers_give_are_accepted_and_a_refusal_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Table.example.org")
    app = Starlette(routes=[Route("/", lambda request: Response("hello"))])
    client = TestClient(Guard(app, "0.0.0.0"))
    for name in ("table", "table.local", "table.lan", "table.home", "table.fritz.box", "TABLE.home.arpa:8015"):
        assert client.get("/", headers={"host": name}).status_code == 200, name
    for name in ("other.fritz.box", "table.example.com", "fritz.box"):
        refused = client.get("/", headers={"host": name})
        assert refused.status_code == 403 and f"not called '{name}': open http://" in refused.text
        assert "hosts in [board]" in refused.text
