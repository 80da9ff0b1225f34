"""A board in a network of addresses 127.0.0.x: 127.0.0.1 is the table's own machine, the others are devices."""

from __future__ import annotations

import json
import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect

from cardtable.table.messages import EveningMessage, Sender
from cardtable.web.server import Board
from engine.observations import Said, UndoAsked
from tests.waiting import tries

HERE = "127.0.0.1"
PHONE = "127.0.0.20"
State = dict[str, Any]
Heard = queue.SimpleQueue[tuple[Said | UndoAsked | EveningMessage, Sender]]


def make_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every address but 127.0.0.1 be another device."""
    monkeypatch.setattr(
        "cardtable.web.connections.device_at", lambda client, server: None if client == HERE else client
    )


class Device:
    """A device at `address`, with the cookies that a browser there would keep."""

    def __init__(self, board: Board, address: str = PHONE) -> None:
        self.board = board
        self.address = address
        self.url = f"http://127.0.0.1:{board.port}"
        self.http = httpx.Client(base_url=self.url, transport=httpx.HTTPTransport(local_address=address), timeout=20)

    def post(self, path: str, **body: object) -> httpx.Response:
        return self.http.post(path, json=body)

    def pair(self, seat: int) -> State:
        """Pair with the code that the board makes."""
        code = httpx.post(f"{self.url}/phone/code", json={"seat": seat}).json()["code"]
        answer: State = self.post("/phone/pair", code=code).json()
        return answer

    def state(self) -> State:
        state: State = self.http.get("/state.json").json()
        return state

    def open(self, query: str = "", origin: str | None = None) -> ClientConnection:
        """Open a page with the cookies of this device."""
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.http.cookies.jar)
        headers = {"Cookie": cookies, "Origin": origin or self.url} if cookies else {}
        return connect(
            f"ws://127.0.0.1:{self.board.port}/live{query}",
            additional_headers=headers,
            proxy=None,
            source_address=(self.address, 0),
        )


@contextmanager
def device(board: Board, address: str = PHONE) -> Iterator[Device]:
    """Return a device, closed at the end."""
    each = Device(board, address)
    with each.http:
        yield each


def heard(page: ClientConnection, wanted: Callable[[State], bool] = lambda state: True) -> State:
    """Return the next message for which `wanted` is true."""
    for _ in tries("a message of the table"):
        message: State = json.loads(page.recv(timeout=10))
        if wanted(message):
            return message


def refused(page: ClientConnection, **message: object) -> str:
    """Send a message, and return the sentence that refuses it."""
    page.send(json.dumps(message))
    return str(heard(page, lambda answer: "refused" in answer)["refused"])
