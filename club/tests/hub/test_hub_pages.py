"""The hub's HTTP routes, with its real pages on a free port; no broker is needed for them."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from cardtable_club.hub.config import HubConfig
from cardtable_club.hub.games import Mirror
from cardtable_club.hub.health import Healths, TableHealth
from cardtable_club.hub.pages import Hub, HubPages
from cardtable_club.hub.store import GameResult, Seat, Store, StoreError
from cardtable_club.member.messages import compact
from engine.record import Header
from engine.texts import Translate


class FakeHub:
    """What the pages ask of a hub, without a broker: the store and the mirror are the real ones."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(f"sqlite:///{folder}/club.sqlite")
        self.mirror = Mirror()
        self.receiver = SimpleNamespace(states={"table-1": (1, '{"screen":"lobby"}')}, online={"t1": True, "t2": True})
        self.broken = False
        self.healths = Healths()
        self.messages: list[tuple[str, str]] = []
        self.duplicates: set[str] = set()

    def ready(self, table: str, number: int) -> bool:
        if self.broken:
            raise StoreError("away")
        return self.store.ready(number, table)

    def health(self, translate: Translate) -> list[TableHealth]:
        return self.healths.shown(self.receiver.online, self.duplicates, (), translate)

    def show_message(self, tables: list[str], message: str) -> dict[str, str | None]:
        self.messages += [(table, message) for table in tables]
        return {table: "" if table == "t2" else None for table in tables}


@pytest.fixture
def hub(tmp_path: Path) -> FakeHub:
    return FakeHub(tmp_path)


@pytest.fixture
def pages(hub: FakeHub) -> Iterator[HubPages]:
    header = compact(Header("cribbage", ("Ann", "=Bo")).to_json())
    result = GameResult(0, "table-1", "1-00000000", 1, header, 1000.0, 1100.0, True, "[[121,90],[0],[]]")
    hub.mirror.put(hub.store.keep_results([result]))
    hub.store.assign([Seat(1, "table-1", 0, "Ann")])
    with closing(HubPages(HubConfig(port=0), cast(Hub, hub))) as pages:
        yield pages


def test_every_route_answers(pages: HubPages, hub: FakeHub) -> None:
    with httpx.Client(base_url=pages.url) as client:
        assert "wall.js" in client.get("/").text
        assert client.get("/texts.json").json()["language"] == "en"
        [game] = client.get("/games.json").json()["games"]
        assert (game["table"], game["title"], game["players"]) == ("table-1", "Cribbage", ["Ann", "=Bo"])
        assert client.get("/statistics.json").json()["standings"][0]["player"] == "Ann"
        csv = client.get("/games.csv")
        assert csv.headers["content-type"].startswith("text/csv") and "attachment" in csv.headers["content-disposition"]
        assert "Ann" in csv.text and ",=Bo" not in csv.text
        assert client.get(f"/games/{game['id']}.jsonl").headers["content-type"] == "application/jsonl"
        assert client.get("/games/99.jsonl").status_code == 404
        assert client.get("/tables/table-1/").status_code == 200
        assert client.get("/tables/table-1/texts.json").json()["language"] == "en"
        for address in ("/tables/nosuch/", "/tables/nosuch/index.html", "/tables/<b>/"):
            missing = client.get(address)
            assert missing.status_code == 404 and missing.headers["content-type"].startswith("text/html")
            assert "There is no table " in missing.text and "<b>" not in missing.text
            assert '<a href="../../">All tables</a>' in missing.text
        silent = client.get("/tables/t1/")
        assert silent.status_code == 404 and "has not sent its board yet" in silent.text
        for address in ("/../hub.toml", "/%2e%2e/hub.toml", "/tables/table-1/..%2f..%2fhub.toml"):
            assert client.get(address).status_code == 404


def test_those_who_ask_and_hang_up_do_not_keep_others_waiting(
    pages: HubPages, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, go = list[None](), threading.Event()
    real = hub.mirror.read

    def read(question: Any) -> Any:
        go.wait()
        answers.append(None)
        return real(question)

    monkeypatch.setattr(hub.mirror, "read", read)
    for _ in range(60):
        with socket.create_connection(("127.0.0.1", pages.port)) as asking:
            asking.sendall(b"GET /games.csv HTTP/1.1\r\nHost: localhost\r\n\r\n")
    httpx.get(f"{pages.url}/texts.json")  # the server has seen them leave
    go.set()
    assert "Ann" in httpx.get(f"{pages.url}/games.csv").text
    assert len(answers) <= 3


def test_a_table_says_that_it_is_ready(pages: HubPages, hub: FakeHub) -> None:
    with httpx.Client(base_url=pages.url) as client:

        def post(content: Any) -> int:
            return client.post("/ready", content=content, headers={"content-type": "application/json"}).status_code

        assert post(json.dumps({"table": "table-1", "round": 1})) == 200
        assert hub.store.assigned()[0].ready is not None
        assert post(json.dumps({"table": "table-2", "round": 1})) == 404
        for wrong in (b"", b"[]", b'{"table":1,"round":1}', b'{"table":"t","round":true}', b"[" * 900, b"\xff"):
            assert post(wrong) == 400
        assert post(b"[" * 5000) == 413
        assert client.post("/ready", content=b'{"table":"table-1","round":1}').status_code == 415, "another site's form"
        hub.broken = True
        assert post(json.dumps({"table": "table-1", "round": 1})) == 503


def test_the_board_of_a_table_is_shown_as_it_changes(pages: HubPages, hub: FakeHub) -> None:
    address = pages.url.replace("http", "ws").rstrip("/") + "/tables/table-1/live"
    with connect(address) as page:
        assert json.loads(page.recv(timeout=5)) == {"screen": "lobby"}
        page.send('{"do":"undo","n":1}')  # ignored: to look at only
        hub.receiver.states["table-1"] = 2, '{"screen":"game"}'
        assert json.loads(page.recv(timeout=5)) == {"screen": "game"}


def test_a_table_that_does_not_exist_has_no_states(pages: HubPages) -> None:
    with (
        connect(pages.url.replace("http", "ws").rstrip("/") + "/tables/nosuch/live") as page,
        pytest.raises(ConnectionClosed) as closed,
    ):
        page.recv(timeout=5)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4404


def test_the_wall_gets_its_state(pages: HubPages) -> None:
    pages.show('{"tables":[]}')
    with connect(pages.url.replace("http", "ws").rstrip("/") + "/live") as wall:
        until = time.monotonic() + 5
        while json.loads(wall.recv(timeout=5)) != {"tables": []}:
            assert time.monotonic() < until
