"""Serve a page and its state: Starlette on uvicorn, in a thread of its own.

Another thread passes in the newest state as text and receives what the pages send; the threads share nothing else. A
slow page gets the newest state when it is ready for it, never a queue of old ones.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import logging
import re
import socket
import threading
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import uvicorn
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from cardtable.errors import CardtableError, why
from cardtable.table.messages import MOST_BYTES, Identity, fault_in
from cardtable.web.connections import (
    Connections,
    Guard,
    Place,
    Places,
    device_of,
    is_loopback,
    own_addresses,
    policy,
    url_of,
)
from cardtable.web.https import Https
from engine.texts import Translate, in_language, text
from vision.frames import Image

# Requests with a JSON object, and their answers.

MOST_REQUEST_BYTES: Final = 1024
"""Default size limit of the JSON object of a request, in bytes."""
Body = TypeVar("Body")


class BadRequest(Exception):
    """A request that cannot be read. The text says why. `status`: the HTTP status."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def check_type(request: Request, media_type: str) -> None:
    """Raise `BadRequest` (415) unless the content is of `media_type`. Forms of other sites cannot send JSON or zip."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != media_type:
        raise BadRequest(415, text("The content of this request must be {kind}.", kind=media_type))


async def read_json(request: Request, kind: TypeAdapter[Body], most: int = MOST_REQUEST_BYTES) -> Body:
    """Return the JSON object of `request` as a value of `kind`.

    Raises `BadRequest`: 415 for another content type, 413 for more than `most` bytes, 400 if `kind` refuses the object.
    """
    check_type(request, "application/json")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise BadRequest(413, text("the message is too long"))
    try:
        return kind.validate_json(bytes(body))
    except ValidationError as error:
        raise BadRequest(400, fault_in(error)) from None


def small_jpeg(image: Image, most_width: int, quality: int) -> bytes | None:
    """Return `image`, at most `most_width` pixels wide, as JPEG of this quality (0 to 100); None if that fails."""
    import cv2  # not needed by safe mode

    height, width = image.shape[:2]
    scale = min(most_width / width, 1.0)
    size = max(round(width * scale), 1), max(round(height * scale), 1)
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return data.tobytes() if done else None


def json_answer(content: object, status: int = 200) -> Response:
    """Return `content` as JSON that no browser caches."""
    written = json.dumps(content, ensure_ascii=False)
    return Response(written, status, {"cache-control": "no-store"}, media_type="application/json")


def refusal(status: int, why: str, translate: Translate) -> Response:
    """Return an answer whose only key, `refused`, is the translated sentence `why`."""
    return json_answer({"refused": in_language(why, translate)}, status)


_STYLE_SHEET: Final = re.compile(r'<link rel="stylesheet" href="([^"]+)">\n')
_SCRIPT: Final = re.compile(r'<script src="([^"]+)" type="module">')
_IMPORT: Final = re.compile(r'^(?:import|\}) .*?from "\./([^"]+)";$', re.MULTILINE)
_FONT: Final = re.compile(r"url\((look/(?:besley-800|atkinson-next)\.woff2)\)")


def page(path: Path) -> HTMLResponse:
    """Return the HTML file at `path` with its style sheets, which lie beside it, in it: a phone asks less often.

    It names all modules, the texts and the fonts that it needs, so that a browser asks for them at once.
    """
    written = path.read_text("utf-8")
    style = "".join((path.parent / name).read_text("utf-8") for name in _STYLE_SHEET.findall(written))
    digest = b64encode(sha256(style.encode()).digest()).decode()
    needed = [f'<link rel="modulepreload" href="{name}">' for name in _modules(path.parent, _SCRIPT.findall(written))]
    needed += [
        f'<link rel="preload" href="{name}" as="font" crossorigin>' for name in dict.fromkeys(_FONT.findall(style))
    ]
    if needed:
        needed.append('<link rel="preload" href="texts.json" as="fetch" crossorigin>')
    head = "\n".join([*needed, f"<style>{style}</style>\n</head>"])
    return HTMLResponse(_STYLE_SHEET.sub("", written).replace("</head>", head), headers=policy(f"'sha256-{digest}'"))


def _modules(folder: Path, names: list[str]) -> list[str]:
    """Return these modules and all that they import; the imports of those in other folders are not followed."""
    for name in names:
        if (folder / name).is_file():
            names += [each for each in _IMPORT.findall((folder / name).read_text("utf-8")) if each not in names]
    return names


class _Files(StaticFiles):
    """The files of a page."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        answer = await super().get_response(path, scope)
        return (
            page(Path(answer.path)) if isinstance(answer, FileResponse) and answer.media_type == "text/html" else answer
        )


class Worker:
    """A thread that answers requests, one at a time.

    A request whose client has gone is left out, and only one of a stranger waits among the others. So nobody can keep
    the players waiting with requests.
    """

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(1, name)
        self._turn, self._strangers = asyncio.Lock(), asyncio.Lock()

    async def answer(self, request: Request, stranger: bool, work: Callable[[], Response]) -> Response:
        """Return what `work` returns, which is called in the thread."""
        async with self._strangers if stranger else contextlib.nullcontext(), self._turn:
            if await request.is_disconnected():
                return Response()
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def close(self) -> None:
        """End the thread once it has answered."""
        self._pool.shutdown(cancel_futures=True)


_SOCKET_SCRIPT: Final = Path(__file__).parent / "page" / "socket.js"
_START_SECONDS: Final = 10.0
_CLOSE_SECONDS: Final = 3.0
_TRY_AGAIN_LATER: Final = 1013
"""The WebSocket close code for a page that is turned away."""
_RESTARTS: Final = 1012
"""The WebSocket close code at the end of the server; the page connects again."""
BEAT_S: Final = 2.0
"""Seconds after which a page that asks for beats hears from the server even if nothing has changed."""
_BEAT: Final = "{}"
_UNKNOWN: Final = '{"pressed": null}'
_PING_S: Final = 5.0
"""Seconds between two pings of a page."""
_PONG_S: Final = 10.0
"""Seconds within which a page's browser must answer a ping. After that the page has no place any more."""
_MOST_NAME: Final = 64
"""Letters of the name of a page."""
_MOST_REMEMBERED: Final = 256
"""Pages whose last press and its answer are remembered, also after their connection has ended."""
_SLOW_S: Final = 2.0
"""Seconds after which a page that has not read a state is logged as slow."""

_LOG: Final = logging.getLogger(__name__)


class _Press(BaseModel):
    """A message with its number, or None, and all other keys."""

    model_config = ConfigDict(extra="allow", strict=True)

    press: int | None = Field(default=None, ge=1)


class _Heard:
    """A message with a `number` that was heard from a page. `hearing` ends with the answer to it."""

    def __init__(self, number: int, hearing: asyncio.Future[str | None] | None = None) -> None:
        self.number: Final = number
        self._hearing = hearing

    async def answer(self) -> str:
        """Return the answer with its number, once there is one."""
        given = None
        if self._hearing is not None:
            await asyncio.wait([self._hearing])  # which goes on if the page leaves
            if not self._hearing.cancelled() and not self._hearing.exception():
                given = self._hearing.result()
        return json.dumps({**json.loads(given or "{}"), "pressed": self.number})


def _numbered(message: str) -> tuple[int | None, str]:
    """Return the number of a message, and the message without it. A page counts what it sends with the key `press`."""
    try:
        press = _Press.model_validate_json(message)
    except ValidationError:
        return None, message
    return press.press, message if press.press is None else press.model_dump_json(exclude={"press"})


class Pages:
    """Serves the page in `folder` until `close`. Raises `CardtableError` if the address or port cannot be used.

    The state is at `/state.json`, and each new state is sent over the WebSocket `/live`. `hear` is called in the
    server's thread with each text that a page sends and the identity of who has opened the page; it returns the
    answer, or None. `picture` returns a JPEG or None for `/camera.jpg?of=NAME`; without `of` the name is empty.
    `port`: 0 for any free port, which is then in `port` and `url`. `routes`: further routes. `identify` returns
    who has opened a connection, given the connection and its device (`device_of`). `counted` is called in the server's
    thread whenever a page has connected or disconnected. `https`: the certificates for HTTPS; None for HTTP alone.

    A page at `/live?page=NAME` gives up its earlier connection, which may be silent: what still comes over that one is
    not heard. It also gets an empty object at least every `BEAT_S` seconds. A message with a number (`press`) is heard
    once, and always answered with that number as `pressed`. Each connection begins with the answer to the last message
    that was heard: number 0 if there was none, null for a page that is new or has been forgotten.
    """

    def __init__(
        self,
        folder: Path,
        hear: Callable[[str, Identity], Awaitable[str | None]],
        picture: Callable[[str], bytes | None],
        host: str = "127.0.0.1",
        port: int = 8015,
        hosts: Iterable[str] = (),
        routes: Sequence[BaseRoute] = (),
        identify: Callable[[HTTPConnection, str | None], Identity] = lambda connection, device: Identity(
            device is None
        ),
        counted: Callable[[Places], None] = lambda places: None,
        https: Https | None = None,
    ) -> None:
        self.https: Final = https
        self._hear = hear
        self._counted = counted
        self._picture = picture
        self._pictures = Worker("pictures")
        self._identify = identify
        self._render: Callable[[Identity], str] = lambda identity: "{}"
        self._places = Places()
        self._connections = Connections(https.context if https else None)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready = threading.Event()
        self._closing = False
        self._heard: dict[str, _Heard] = {}
        """The last message that was heard from each page."""
        listening = _listen(host, port)
        self._hosts = [host]
        """The addresses at which it listens; those in the network come first."""
        self.port: Final[int] = listening.getsockname()[1]
        self.url: Final = url_of(host, self.port)
        self._guard = Guard(self._application(folder, routes), host, hosts)
        config = uvicorn.Config(
            self._guard,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="on",
            ws="websockets-sansio",
            ws_max_size=MOST_BYTES,
            ws_ping_interval=_PING_S,
            ws_ping_timeout=_PONG_S,
            timeout_graceful_shutdown=1,
        )
        config.load()
        cast(Any, config).http_protocol_class = self._connections.guarded(config.http_protocol_class)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listening],), name="board", daemon=True)
        self._thread.start()
        if not self._ready.wait(_START_SECONDS):
            self.close()
            raise CardtableError(text("the board's server did not start: start the program again"))

    def show(self, render: Callable[[Identity], str]) -> None:
        """Show a new state on every open page. Returns at once. Called from any thread.

        `render` returns the state for a page as JSON; it is called in the server's thread, for each page.
        """
        self._render = render
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has just been closed
                self._loop.call_soon_threadsafe(self._wake)

    @property
    def address(self) -> tuple[str, int]:
        """The address and the port of the pages; once the network is let in, the address in the network."""
        return self._hosts[0], self.port

    def let_network_in(self) -> None:
        """Also serve the pages to the network, until `close`. Called from any thread but the server's.

        Raises `CardtableError` if this machine is not connected to a network.
        """
        addresses = list(dict.fromkeys(own_addresses())) if is_loopback(self._hosts[-1]) else []
        if not addresses or self._loop is None:
            raise CardtableError(
                text("This table is not in a network: connect it to the network of your phone, then try again.")
            )
        for address in addresses:
            if address not in self._hosts:
                serving = self._serve_at(_listen(address, self.port))
                asyncio.run_coroutine_threadsafe(serving, self._loop).result(_START_SECONDS)
        self._guard.let_network_in()
        self._hosts = [*addresses, *(host for host in self._hosts if host not in addresses)]
        _LOG.info("devices in the network are let in at %s", ", ".join(addresses))

    async def _serve_at(self, listening: socket.socket) -> None:
        server: Any = self._server
        state = {"config": server.config, "server_state": server.server_state, "app_state": server.lifespan.state}
        more = await asyncio.get_running_loop().create_server(
            lambda: server.config.http_protocol_class(**state), sock=listening
        )
        server.servers.append(more)  # the server closes it with its own

    def close(self) -> None:
        """Stop serving; open pages say that the connection is lost. May be called twice."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has just been closed
                self._loop.call_soon_threadsafe(self._leave_pages)
        self._server.should_exit = True
        self._thread.join(_CLOSE_SECONDS)
        self._pictures.close()

    def _wake(self) -> None:
        for place in self._places:
            place.changed.set()

    def _leave_pages(self) -> None:
        """End the tasks of the pages, which may wait for an answer that the ending program never gives."""
        self._closing = True
        for place in self._places:
            place.over.set()

    def _application(self, folder: Path, routes: Sequence[BaseRoute]) -> ASGIApp:
        @contextlib.asynccontextmanager
        async def life(app: Starlette) -> AsyncIterator[None]:
            self._loop = asyncio.get_running_loop()
            watching = asyncio.create_task(self._connections.watch())
            self._ready.set()
            yield
            watching.cancel()
            self._loop = None

        async def favouring_paired(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "lifespan" and (connection := HTTPConnection(scope)).cookies:
                identity = self._identify(connection, device_of(connection))
                if identity.phone is not None:
                    self._connections.favour(connection.client)
            await pages(scope, receive, send)

        pages = Starlette(
            routes=[
                Route("/state.json", self._get_state),
                Route("/camera.jpg", self._get_picture),
                WebSocketRoute("/live", self._live),
                Route("/socket.js", _get_socket_script),
                *routes,
                Mount("/", GZipMiddleware(_Files(directory=folder, html=True))),
            ],
            lifespan=life,
        )
        return favouring_paired

    async def _get_state(self, request: Request) -> Response:
        return Response(self._render(self._identify(request, device_of(request))), media_type="application/json")

    async def _get_picture(self, request: Request) -> Response:
        def answer() -> Response:
            picture = self._picture(request.query_params.get("of", ""))
            if picture is None:
                return Response("There is no picture now.", status_code=404, media_type="text/plain")
            return Response(picture, media_type="image/jpeg", headers={"cache-control": "no-store"})

        identity = self._identify(request, device_of(request))
        return await self._pictures.answer(request, not identity.here and identity.phone is None, answer)

    async def _live(self, page: WebSocket) -> None:
        # It is accepted first: the code of a refused handshake never arrives.
        await page.accept()
        device = device_of(page)
        identity = self._identify(page, device)
        place = self._places.take(device, identity, page.query_params.get("page", "")[:_MOST_NAME])
        if place is None:
            _LOG.warning("page %s turned away: too many pages are open", _address(page))
            await page.close(_TRY_AGAIN_LATER, "too many pages are open")
            return
        place.changed.set()
        if self._closing:
            place.over.set()
        self._counted(self._places)
        _LOG.info("page %s connected", _address(page))
        tasks = [
            asyncio.create_task(work)
            for work in (self._listen(page, place), self._send_states(page, place), place.over.wait())
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if place.over.is_set():
                with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                    if self._closing:
                        await page.close(_RESTARTS, "the program ends")
                    else:
                        await page.close(_TRY_AGAIN_LATER, "too many pages are open")
        finally:
            self._places.leave(place)
            self._counted(self._places)
            _LOG.info("page %s disconnected", _address(page))
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _send_states(self, page: WebSocket, place: Place) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                try:
                    await asyncio.wait_for(place.changed.wait(), BEAT_S if place.page else None)
                except TimeoutError:
                    await page.send_text(_BEAT)
                    continue
                place.changed.clear()
                began = time.monotonic()
                await page.send_text(self._render(place.identity))
                if (took := time.monotonic() - began) > _SLOW_S:
                    _LOG.warning("page %s is slow: it took %.1f s to read the state", _address(page), took)

    async def _listen(self, page: WebSocket, place: Place) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, KeyError):
            if place.page:
                heard = self._heard.get(place.page)
                self._remember(place.page, heard or _Heard(0))
                await page.send_text(await heard.answer() if heard else _UNKNOWN)
            while True:
                number, message = _numbered(await page.receive_text())
                if place.over.is_set():
                    return
                if number is None:
                    answer = await self._hear(message, place.identity)
                else:
                    heard = self._heard.get(place.page) or _Heard(0)
                    if number > heard.number:
                        heard = _Heard(number, asyncio.ensure_future(self._hear(message, place.identity)))
                    self._remember(place.page, heard)
                    answer = await heard.answer()  # the page may connect again before it
                if answer is not None:
                    await page.send_text(answer)

    def _remember(self, page: str, heard: _Heard) -> None:
        """Remember a message as the last one of a page, and forget the page that has been quiet for longest."""
        if page:
            self._heard.pop(page, None)
            self._heard[page] = heard
        if len(self._heard) > _MOST_REMEMBERED:
            del self._heard[next(iter(self._heard))]


async def _get_socket_script(request: Request) -> Response:
    """Answer with the script that keeps a page connected, which all pages have in common."""
    return FileResponse(_SOCKET_SCRIPT)


def _address(page: WebSocket) -> str:
    return f"{page.client.host}:{page.client.port}" if page.client else "unknown"


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise CardtableError(
            text("the board cannot be served at {host!r}: {why}", host=host, why=why(error))
        ) from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise CardtableError(
                text(
                    "port {port} is in use, perhaps by another cardtable: close that one, or choose another port, "
                    "for example --port {other}",
                    port=port,
                    other=port + 1,
                )
            ) from error
        if error.errno == errno.EACCES:
            raise CardtableError(
                text(
                    "port {port} is reserved for the system: choose one above 1023, for example --port 8015",
                    port=port,
                )
            ) from error
        raise CardtableError(
            text("the board cannot be served at {host}:{port}: {why}", host=host, port=port, why=why(error))
        ) from error
    return listening
