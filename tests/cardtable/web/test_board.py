"""The board's server: what it sends, what it accepts, and which requests it refuses."""

from __future__ import annotations

import json
import queue
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from cardtable.errors import CardtableError
from cardtable.table.live_game import LiveGame
from cardtable.table.messages import MOST_BYTES, BadMessage, read_message
from cardtable.web.connections import url_of
from cardtable.web.server import Board
from engine.observations import Lost, Said, UndoAsked
from engine.record import Header
from engine.table import Table
from tests.cardtable.boards import board_for
from tests.cardtable.scenes import Scenes
from tests.waiting import tries

HEADER = Header("all-fives", ("Ann", "Bo"), 0)
PICTURE = b"\xff\xd8 a picture"
Entered = queue.SimpleQueue[Said | UndoAsked]


@pytest.fixture
def entered() -> Entered:
    return queue.SimpleQueue()


@pytest.fixture
def board(entered: Entered) -> Iterator[Board]:
    board = board_for(
        "All Fives",
        lambda message, sender: entered.put(message),
        lambda name: PICTURE if name in ("", "camera") else None,
        port=0,
    )
    yield board
    board.close()


@pytest.fixture
def scenes() -> Scenes:
    return Scenes()


@pytest.fixture
def game(board: Board, scenes: Scenes) -> LiveGame:
    game = LiveGame(Table(HEADER), None, [board])
    game.take(scenes.again())
    return game


def live(board: Board, **headers: str) -> ClientConnection:
    return connect(f"ws://127.0.0.1:{board.port}/live", additional_headers=headers, proxy=None)


def heard(page: ClientConnection, wanted: Callable[[dict[str, Any]], bool] = lambda state: True) -> dict[str, Any]:
    """Return the next message for which `wanted` is true."""
    for _ in tries("a message of the table"):
        message: dict[str, Any] = json.loads(page.recv(timeout=10))
        if wanted(message):
            return message


# What is sent


def test_a_page_gets_the_state_at_once_and_every_change(board: Board, game: LiveGame, scenes: Scenes) -> None:
    with live(board) as page:
        assert heard(page)["seats"][0]["name"] == "Ann"
        game.take(scenes.lay("4H", "turn-up"))
        state = heard(page, lambda state: state["n"] == 1)
    assert (state["trump"], state["turn"], state["phase"]) == ("H", 1, "say")
    assert state["lying"] == [{"card": "4H", "zone": "turn-up", "seat": None, "n": 2, "others": []}]
    assert {word["word"] for word in state["seats"][1]["words"]} == {"beg", "stand"}
    assert state["history"][0]["text"] == "4♥ is turned up"
    assert httpx.get(f"{board.url}/state.json").json() == state


def test_a_slow_page_gets_the_newest_state_only(board: Board, game: LiveGame) -> None:
    with live(board) as page:
        for seat in range(200):
            game.take(Lost(float(seat), "camera", f"reason {seat}"))
        last = heard(page, lambda state: bool(state["sources"]) and state["sources"][0]["trouble"] == "reason 199")
    assert last["prompts"][0]["text"] == "reason 199"


def test_many_pages_get_the_same_state(board: Board, game: LiveGame, scenes: Scenes) -> None:
    with live(board) as first, live(board) as second:
        game.take(scenes.lay("4H", "turn-up"))
        assert heard(first, lambda state: state["n"] == 1) == heard(second, lambda state: state["n"] == 1)


def test_a_page_without_a_place_is_refused_until_another_page_closes(
    board: Board, game: LiveGame, scenes: Scenes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cardtable.web.connections.MAX_PAGES_OF_DEVICE", 2)
    monkeypatch.setattr("cardtable.web.serving.device_of", lambda page: "192.168.1.20")
    with live(board) as first, live(board) as second:
        heard(first)
        heard(second)
        with live(board) as third, pytest.raises(ConnectionClosed) as closed:
            third.recv(timeout=5)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1013
        game.take(scenes.lay("4H", "turn-up"))
        assert heard(first, lambda state: state["n"] == 1) == heard(second, lambda state: state["n"] == 1)
    for _ in tries("a free place"):  # the server notices the end a little later
        with suppress(ConnectionClosed), live(board) as first:
            assert heard(first)["n"] == 1
            break


def test_the_display_has_a_place_while_the_network_takes_all(
    board: Board, game: LiveGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cardtable.web.connections.MAX_PAGES", 3)
    guests = iter(["192.168.1.20", "192.168.1.21", "192.168.1.22", "192.168.1.23"])
    monkeypatch.setattr("cardtable.web.serving.device_of", lambda page: next(guests, None))
    with ExitStack() as pages:
        for _ in range(3):
            heard(pages.enter_context(live(board)))
        with pytest.raises(ConnectionClosed):
            heard(pages.enter_context(live(board)))
        displays = [pages.enter_context(live(board)) for _ in range(5)]
        for display in displays[-3:]:
            assert heard(display)["n"] == 0
        for display in displays[:2]:  # the oldest connections make room
            with pytest.raises(ConnectionClosed) as closed:
                while True:
                    display.recv(timeout=5)
            assert closed.value.rcvd is not None and closed.value.rcvd.code == 1013


def test_the_url_of_a_board_in_the_network_can_be_opened_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(board_for("All Fives", lambda message, sender: None, host="0.0.0.0", port=0)) as board:
        assert "0.0.0.0" not in board.url
        assert httpx.get(f"{board.url}/state.json").status_code == 200
    monkeypatch.setattr("cardtable.web.connections.own_addresses", lambda: iter(["192.168.1.9", "10.0.0.1"]))
    assert url_of("0.0.0.0", 8015) == url_of("::", 8015) == "http://192.168.1.9:8015"
    assert url_of("table.local", 8015) == "http://table.local:8015"
    monkeypatch.setattr("cardtable.web.connections.own_addresses", lambda: iter(()))
    assert url_of("0.0.0.0", 8015) == "http://127.0.0.1:8015"


def test_the_page_and_its_parts_are_served(board: Board) -> None:
    page = httpx.get(f"{board.url}/")
    assert page.status_code == 200 and "text/html" in page.headers["content-type"]
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff"
    assert httpx.get(f"{board.url}/camera.jpg").headers["cross-origin-resource-policy"] == "same-origin"
    assert "--wood" in page.text  # its style sheets
    for part in ("main.js", "icon.svg"):
        assert part in page.text
        assert httpx.get(f"{board.url}/{part}").status_code == 200
    assert "http" not in page.text.replace("http-equiv", "")
    assert httpx.get(f"{board.url}/../server.py").status_code == 404


def test_the_camera_picture(board: Board) -> None:
    answer = httpx.get(f"{board.url}/camera.jpg?123")
    assert (answer.content, answer.headers["content-type"]) == (PICTURE, "image/jpeg")
    assert httpx.get(f"{board.url}/camera.jpg?of=camera&123").content == PICTURE
    assert httpx.get(f"{board.url}/camera.jpg?of=voice").status_code == 404


# What is accepted


def test_words_and_corrections_come_from_the_page(
    board: Board, game: LiveGame, scenes: Scenes, entered: Entered
) -> None:
    game.take(scenes.lay("4H", "turn-up"))
    with live(board) as page:
        page.send('{"do": "say", "seat": 1, "word": "beg"}')
        message = entered.get(timeout=10)
        assert isinstance(message, Said) and (message.seat, message.word) == (1, "beg")
        page.send('{"do": "undo", "n": 1}')
        undo = entered.get(timeout=10)
        assert isinstance(undo, UndoAsked) and undo.actions == 1


def test_an_undo_of_what_is_no_longer_last_is_refused(
    board: Board, game: LiveGame, scenes: Scenes, entered: Entered
) -> None:
    game.take(scenes.lay("4H", "turn-up"))
    with live(board) as page:
        page.send('{"do": "undo", "n": 0}')
        assert "look again" in heard(page, lambda message: "refused" in message)["refused"]
    assert entered.empty()


@pytest.mark.parametrize(
    "text",
    [
        *("", "beg", "[]", "{}"),
        '{"do": "play", "seat": 0, "card": "QS"}',
        '{"do": "say", "seat": 0}',
        '{"do": "say", "seat": 2, "word": "beg"}',
        '{"do": "say", "seat": -1, "word": "beg"}',
        '{"do": "say", "seat": "0", "word": "beg"}',
        '{"do": "say", "seat": true, "word": "beg"}',
        '{"do": "say", "seat": 0, "word": "<b>"}',
        '{"do": "say", "seat": 0, "word": "revoke", "against": 7, "card": "QS"}',
        '{"do": "say", "seat": 0, "word": "call", "card": "Q"}',
        '{"do": "say", "seat": 0, "word": "beg", "more": 1}',
        '{"do": "undo"}',
        '{"do": "undo", "n": 1.5}',
        '{"do": "undo", "n": ' + "9" * 5000 + "}",
    ],
)
def test_other_messages_are_refused(text: str) -> None:
    with pytest.raises(BadMessage):
        read_message(text, 0.0, 1, 2)


def test_a_refused_message_does_not_end_the_connection(board: Board, game: LiveGame, entered: Entered) -> None:
    with live(board) as page:
        page.send("nonsense")
        heard(page, lambda message: "refused" in message)
        page.send('{"do": "say", "seat": 0, "word": "beg"}')
        assert isinstance(entered.get(timeout=10), Said)


def test_a_message_that_is_too_long_ends_the_connection(board: Board, game: LiveGame, entered: Entered) -> None:
    with live(board) as page:
        page.send("x" * (MOST_BYTES + 1))
        with pytest.raises(ConnectionClosed):
            heard(page, lambda message: False)
    assert entered.empty()
    assert httpx.get(f"{board.url}/state.json").status_code == 200


def test_a_binary_message_ends_the_connection(board: Board, game: LiveGame, entered: Entered) -> None:
    with live(board) as page, pytest.raises(ConnectionClosed):
        page.send(b"\x00\xff")
        heard(page, lambda message: False)
    assert entered.empty()
    assert httpx.get(f"{board.url}/state.json").status_code == 200


# Who is refused


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8015", "192.168.1.9", "127.0.0.1.evil.example", ""])
def test_a_foreign_host_is_refused(board: Board, host: str) -> None:
    assert httpx.get(f"{board.url}/state.json", headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1", "127.0.0.1:1", "[::1]:8015"])
def test_this_machine_may_be_called_by_its_names(board: Board, host: str) -> None:
    assert httpx.get(f"{board.url}/state.json", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "http://localhost"])
def test_a_page_of_another_origin_is_refused(board: Board, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        live(board, Origin=origin)
    assert refused.value.response.status_code == 403


def test_its_own_page_is_accepted(board: Board, game: LiveGame) -> None:
    with live(board, Origin=board.url) as page:
        assert heard(page)["game"] == "all-fives"


def test_a_port_in_use_is_an_error(board: Board) -> None:
    with pytest.raises(CardtableError, match=rf"port {board.port} is in use.*--port {board.port + 1}"):
        board_for("All Fives", lambda message, sender: None, port=board.port)


def test_the_port_is_free_again_after_close(board: Board) -> None:
    with live(board):
        board.close()
    board.close()
    with socket.create_server(("127.0.0.1", board.port)):
        pass
