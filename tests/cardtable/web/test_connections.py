"""Clients that hold connections and do nothing with them, over real sockets: they are closed, and others come in."""

from __future__ import annotations

import asyncio
import json
import logging
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import httpx
import pytest
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Route
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from cardtable.table.messages import HERE, Identity
from cardtable.web import connections
from cardtable.web.connections import Places, device_at
from cardtable.web.serving import Pages
from tests.waiting import tries

SOON = 30.0
"""Seconds within which the server must have closed a connection; its own limits are shorter."""


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Set limits of connections for the test."""

    def limit(**limits: float) -> None:
        for name, value in limits.items():
            monkeypatch.setattr(connections, name, value)

    return limit


async def large(request: Request) -> Response:
    return Response(b"x" * (16 << 20))


def pages(tmp_path: Path) -> Pages:
    """A server whose page is `hello` and that has 16 MB at `/large`."""
    (tmp_path / "index.html").write_text("hello")
    return Pages(tmp_path, lambda message, sender: None, lambda name: None, port=0, routes=[Route("/large", large)])


@pytest.fixture
def strict(tmp_path: Path, limit: Callable[..., None]) -> Iterator[Pages]:
    limit(REQUEST_S=0.2, READING_S=0.2, CHECK_S=0.02)
    with closing(pages(tmp_path)) as served:
        yield served


def client(served: Pages, address: str = "127.0.0.1") -> socket.socket:
    """A connection from an address of this machine."""
    return socket.create_connection(("127.0.0.1", served.port), SOON, source_address=(address, 0))


def ends(connection: socket.socket) -> bool:
    """Whether the server closes the connection soon. Nothing is read."""
    waiting = select.poll()
    waiting.register(connection, select.POLLRDHUP)
    return bool(waiting.poll(SOON * 1000))


def is_open(connection: socket.socket, header: str = "accept: */*") -> bool:
    """Whether the server answers a request over this connection."""
    with suppress(OSError):
        connection.sendall(f"GET / HTTP/1.1\r\nhost: localhost\r\n{header}\r\n\r\n".encode())
        return connection.recv(100).startswith(b"HTTP/1.1 200")
    return False


@pytest.mark.parametrize(
    "sent",
    [b"", b"G", b"GET / HTTP/1.1\r\nhost: loc", b"GET / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\nhal"],
)
def test_a_client_that_sends_no_whole_request_is_closed(strict: Pages, sent: bytes) -> None:
    with client(strict) as silent:
        silent.sendall(sent)
        assert ends(silent)


def test_a_client_that_sends_half_of_a_second_request_is_closed(tmp_path: Path, limit: Callable[..., None]) -> None:
    limit(REQUEST_S=2.0, CHECK_S=0.02)  # long enough for the first request on a busy machine
    with closing(pages(tmp_path)) as served, client(served) as silent:
        assert is_open(silent)
        silent.sendall(b"GET / HT")
        assert ends(silent)


def test_a_client_that_reads_nothing_is_closed(strict: Pages) -> None:
    with client(strict) as deaf:
        deaf.sendall(b"GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert ends(deaf)


def test_a_client_that_reads_slowly_gets_everything(tmp_path: Path, limit: Callable[..., None]) -> None:
    limit(REQUEST_S=5.0, READING_S=5.0, CHECK_S=0.001)  # many checks while it reads
    with closing(pages(tmp_path)) as served, client(served) as slow:
        slow.sendall(b"GET /large HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        count = 0
        while data := slow.recv(65536):
            count += len(data)
        assert count > 16 << 20


def test_what_takes_long_is_not_cut_off(tmp_path: Path, limit: Callable[..., None]) -> None:
    """A backup over slow Wi-Fi, in both directions, and an answer that a slow USB stick delays."""
    limit(REQUEST_S=2.0, CHECK_S=0.02)
    begun, steps = time.monotonic(), 8

    async def late(request: Request) -> Response:
        await asyncio.sleep(2.5)
        return Response(b"late")

    async def upload(request: Request) -> Response:
        return Response(str(len(await request.body())).encode())

    routes = [Route("/late", late), Route("/upload", upload, methods=["POST"]), Route("/large", large)]
    with (
        closing(Pages(tmp_path, lambda message, sender: None, lambda name: None, port=0, routes=routes)) as served,
        client(served) as reading,
        client(served) as sending,
        client(served) as waiting,
    ):
        ask = "{} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n\r\n"
        for connection, what, length in (
            (reading, "GET /large", 0),
            (sending, "POST /upload", steps << 17),
            (waiting, "GET /late", 0),
        ):
            connection.sendall(ask.format(what, length).encode())
        answer = reading.makefile("rb")
        for step in range(1, steps + 1):
            select.select([], [], [], max(begun + 0.3 * step - time.monotonic(), 0))
            assert len(answer.read(2 << 20)) == 2 << 20
            sending.sendall(b"x" * (1 << 17))
        assert 0 < len(answer.read()) < 1000  # the header comes on top of the 16 MB
        for connection, end in ((sending, str(steps << 17).encode()), (waiting, b"late")):
            assert connection.makefile("rb").read().endswith(end)


def test_invalid_utf_8_ends_the_connection_without_a_logged_error(
    strict: Pages, caplog: pytest.LogCaptureFixture
) -> None:
    with connect(f"ws://127.0.0.1:{strict.port}/live", origin=Origin(f"http://127.0.0.1:{strict.port}")) as page:
        page.recv()
        page.send(b"\xff\xfe", text=True)
        with pytest.raises(ConnectionClosed):
            page.recv(SOON)
    assert [record.levelname for record in caplog.records if record.name == "uvicorn.error"] == ["WARNING"]
    assert "Traceback" not in caplog.text


def test_a_client_that_hangs_up_within_a_request_is_one_line_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def post(request: Request) -> Response:
        return Response(await request.body())

    routes = [Route("/post", post, methods=["POST"])]
    with closing(Pages(tmp_path, lambda message, sender: None, lambda name: None, port=0, routes=routes)) as served:
        with client(served) as leaving:
            leaving.sendall(b"POST /post HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{")
        for _ in tries("the report about it"):
            if "ASGI" in caplog.text:
                break
    assert [record.levelname for record in caplog.records if record.name == "uvicorn.error"] == ["WARNING"]
    assert "Traceback" not in caplog.text


def test_a_page_may_be_silent(strict: Pages) -> None:
    strict.show(lambda identity: "one")
    with client(strict) as silent, connect(f"ws://127.0.0.1:{strict.port}/live", proxy=None) as page:
        assert page.recv(timeout=SOON) == "one"
        assert ends(silent), "the time for a request is over"
        strict.show(lambda identity: "two")
        assert page.recv(timeout=SOON) == "two"


def test_a_page_that_waits_for_an_answer_does_not_delay_the_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The program may end before it has answered a message."""
    asked = threading.Event()

    async def never(message: str, identity: Identity) -> str | None:
        asked.set()
        await asyncio.Event().wait()
        return None

    (tmp_path / "index.html").write_text("hello")
    served = Pages(tmp_path, never, lambda name: None, port=0)
    with connect(f"ws://127.0.0.1:{served.port}/live", proxy=None) as page:
        assert page.recv(timeout=SOON) == "{}"
        page.send("good night")
        assert asked.wait(SOON)
        served.close()
        with pytest.raises(ConnectionClosed, match="1012"):
            page.recv(timeout=SOON)
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_silent_clients_block_no_place(tmp_path: Path, limit: Callable[..., None]) -> None:
    """Also on this machine itself: the idlest connection makes room, and never a page."""
    limit(MAX_LOCAL_CONNECTIONS=20)
    with closing(pages(tmp_path)) as served, ExitStack() as stack:
        served.show(lambda identity: "one")
        page = stack.enter_context(connect(f"ws://127.0.0.1:{served.port}/live", proxy=None))
        assert page.recv(timeout=SOON) == "one"
        silent = [stack.enter_context(client(served)) for _ in range(60)]
        assert httpx.get(f"{served.url}/", timeout=SOON).text == "hello"
        assert ends(silent[0])
        assert is_open(silent[-1])
        served.show(lambda identity: "two")
        assert page.recv(timeout=SOON) == "two"


def test_a_device_takes_no_connection_of_another(
    tmp_path: Path, limit: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "cardtable.web.connections.device_at", lambda client, server: None if client == "127.0.0.1" else client
    )
    limit(MAX_CONNECTIONS=6, MAX_CONNECTIONS_OF_DEVICE=4, MAX_LOCAL_CONNECTIONS=3)
    with closing(pages(tmp_path)) as served, ExitStack() as stack:

        def several(address: str, count: int) -> list[socket.socket]:
            return [stack.enter_context(client(served, address)) for _ in range(count)]

        greedy = several("127.0.0.2", 5)
        assert ends(greedy[0]), "one more than a device may have"
        modest = several("127.0.0.3", 2)
        (third,) = several("127.0.0.4", 1)
        assert ends(greedy[1]), "the device with the most gives one up"
        assert all(map(is_open, [*greedy[2:], *modest, third]))
        several("127.0.0.4", 1)
        assert ends(greedy[2])
        several("127.0.0.3", 1)
        assert ends(greedy[3]), "the idlest of those with as many"
        assert all(map(is_open, several("127.0.0.1", 3))), "the display"


def test_a_stranger_with_many_addresses_keeps_nobody_out(
    tmp_path: Path, limit: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor takes a connection of a paired device, or a page."""
    monkeypatch.setattr("cardtable.web.connections.device_at", lambda client, server: client)
    limit(MAX_CONNECTIONS=8)

    def identify(connection: HTTPConnection, device: str | None) -> Identity:
        return Identity(False, 1 if connection.cookies.get("phone") == "paired" else None)

    (tmp_path / "index.html").write_text("hello")
    served = Pages(tmp_path, lambda message, sender: None, lambda name: None, port=0, identify=identify)
    with closing(served), ExitStack() as stack:

        def one(address: str) -> socket.socket:
            return stack.enter_context(client(served, address))

        url = f"ws://127.0.0.1:{served.port}/live"
        page = stack.enter_context(connect(url, proxy=None, source_address=("127.0.0.30", 0)))
        assert page.recv(timeout=SOON) == "{}"
        paired = [one("127.0.0.20")]
        assert is_open(paired[0], "cookie: phone=paired")
        paired += [one("127.0.0.20"), one("127.0.0.20")]
        strange = [one(f"127.0.0.{number}") for number in range(2, 8)]
        assert all(is_open(each) for each in strange[2:])
        assert all(map(ends, strange[:2])), "the idlest"
        assert all(is_open(one("127.0.0.21")) for _ in range(2)), "somebody else"
        assert all(map(is_open, paired[1:]))
        served.show(lambda identity: "two")
        assert page.recv(timeout=SOON) == "two"


def test_a_paired_device_comes_before_a_stranger_with_many_addresses() -> None:
    places = Places()
    strange = [places.take(f"192.168.1.{number}", Identity(False)) for number in range(64)]
    assert None not in strange
    assert places.take("192.168.1.200", Identity(False)) is None
    for phone in range(64):
        assert places.take(f"192.168.1.{100 + phone % 24}", Identity(False, phone)) is not None
    assert all(place is not None and place.over.is_set() for place in strange)
    assert places.take("192.168.1.200", Identity(False)) is None, "no stranger takes the place of a paired device"


def test_a_page_that_connects_again_gives_up_its_silent_connection() -> None:
    places = Places()
    first, other = places.take("192.168.1.20", HERE, "one"), places.take("192.168.1.20", HERE, "two")
    assert first and other and places.take("192.168.1.21", HERE, "one")
    assert (first.over.is_set(), other.over.is_set()) == (True, False)


def test_a_press_is_heard_once_and_its_answer_is_not_lost(tmp_path: Path) -> None:
    """Whatever connection it comes over, also if the answer is not yet known when the page connects again."""
    heard: list[str] = []
    known = threading.Event()

    async def hear(message: str, identity: Identity) -> str | None:
        heard.append(json.loads(message)["do"])
        await asyncio.to_thread(known.wait, SOON)
        return '{"refused": "No."}' if heard[-1] == "beg" else None

    def pressed(page: ClientConnection) -> object:
        for message in page:
            if "pressed" in (found := json.loads(message)):
                return found
        return None

    (tmp_path / "index.html").write_text("hello")
    with closing(Pages(tmp_path, hear, lambda name: None, port=0)) as served:
        url, beg = f"ws://127.0.0.1:{served.port}/live?page=one", '{"press": 1, "do": "beg"}'
        with connect(url, proxy=None) as first:
            assert pressed(first) == {"pressed": None}, "a new page"
            first.send(beg)
            for _ in tries("the press"):
                if heard:
                    break
            with connect(url, proxy=None) as second:
                known.set()
                assert pressed(second) == {"pressed": 1, "refused": "No."}
                second.send(beg)
                assert pressed(second) == {"pressed": 1, "refused": "No."}
                second.send('{"press": 2, "do": "pass"}')
                second.send('{"press": 3, "do": "pass"}')
                assert [pressed(second), pressed(second)] == [{"pressed": 2}, {"pressed": 3}]
        with connect(url, proxy=None) as third:
            assert pressed(third) == {"pressed": 3}
        assert heard == ["beg", "pass", "pass"]


def test_an_answer_that_takes_long_is_not_cut(tmp_path: Path, limit: Callable[..., None]) -> None:
    """Neither while the server works on it, nor while the client reads it slowly."""
    limit(REQUEST_S=0.2, CHECK_S=0.02)
    done = threading.Event()

    async def slow(request: Request) -> Response:
        await asyncio.to_thread(done.wait, SOON)
        return Response(b"x" * (4 << 20))

    (tmp_path / "index.html").write_text("hello")
    routes = [Route("/slow", slow)]
    with closing(Pages(tmp_path, lambda message, sender: None, lambda name: None, port=0, routes=routes)) as served:

        def let_time_pass() -> None:
            with client(served) as silent:
                assert ends(silent)

        with client(served) as waiting:
            waiting.sendall(b"GET /slow HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
            let_time_pass()
            done.set()
            count = len(waiting.recv(65536))
            let_time_pass()
            while data := waiting.recv(65536):
                count += len(data)
            assert count > 4 << 20


@pytest.mark.parametrize(
    ("client", "server", "device"),
    [
        ("127.0.0.1", "127.0.0.1", None),
        ("::1", "::1", None),
        ("::ffff:127.0.0.1", "::ffff:127.0.0.1", None),
        ("192.168.1.9", "192.168.1.9", None),  # this machine by its address in the network
        ("192.168.1.20", "192.168.1.9", "192.168.1.20"),
        ("::ffff:192.168.1.20", "::ffff:192.168.1.9", "192.168.1.20"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::9", "2001:db8:1:2:3:4:5:6"),
        ("2001:db8:1:3:ffff::", "2001:db8:1:2::9", "2001:db8:1:3::/64"),
        ("2001:db8:1:3:ffff::", None, "2001:db8:1:3::/64"),
        ("fe80::1%wlan0", "fe80::2%wlan0", "fe80::1"),
    ],
)
def test_the_device_at_an_address(client: str, server: str | None, device: str | None) -> None:
    assert device_at(client, server) == device
