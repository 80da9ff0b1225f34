"""The board's server: Starlette on uvicorn, in a thread of its own.

The controller's thread hands in what is shown and is handed observations; nothing else passes between the two.
A page that is slow to read gets the newest state when it is ready, never a queue of old ones.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from cardtable.board.guard import Guard
from cardtable.board.messages import MOST_BYTES, BadMessage, read_message
from cardtable.board.state import state_of
from cardtable.errors import CardtableError
from cardtable.languages import catalogue, translator
from cardtable.shown import Shown
from engine.observations import Said, UndoAsked
from engine.texts import in_language

PAGE: Final = Path(__file__).parent / "page"
MOST_PAGES: Final = 64
"""Pages that may be open at once; more are turned away."""
_START_SECONDS: Final = 10.0
_CLOSE_SECONDS: Final = 3.0


class Board:
    """Serves the board from when it is made until `close`. Raises `CardtableError` where it cannot.

    `say` is called, in the board's thread, with what people enter on the page, and how many actions there were for
    the page to show then. `picture` gives the camera's last frame as JPEG, or None. `port` 0 takes any free one;
    `url` says which. `language` is that of the page and of everything on it.
    """

    def __init__(
        self,
        title: str,
        say: Callable[[Said | UndoAsked, int], None],
        picture: Callable[[], bytes | None] = lambda: None,
        host: str = "127.0.0.1",
        port: int = 8015,
        hosts: Iterable[str] = (),
        language: str = "en",
    ) -> None:
        self._title = title
        self._translate = translator(language)
        texts = {"language": language, "texts": catalogue(language)}
        self._texts = json.dumps(texts, ensure_ascii=False)
        self._say = say
        self._picture = picture
        self._state = "{}"
        self._n = self._seats = 0
        self._pages: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready = threading.Event()
        listening = _listen(host, port)
        self.port: Final[int] = listening.getsockname()[1]
        self.url: Final = f"http://{f'[{host}]' if ':' in host else host}:{self.port}"
        config = uvicorn.Config(
            Guard(self._application(), host, hosts),
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="on",
            ws="websockets-sansio",
            ws_max_size=MOST_BYTES,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listening],), name="board", daemon=True)
        self._thread.start()
        if not self._ready.wait(_START_SECONDS):
            self.close()
            raise CardtableError("the board's server does not start: start the program again")

    def show(self, shown: Shown) -> None:
        """Show this on every open page; returns at once. Called from the controller's thread."""
        state = json.dumps(state_of(shown, self._title, self._translate), ensure_ascii=False)
        self._state, self._n, self._seats = state, shown.n, len(shown.view.players)
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has just been closed
                self._loop.call_soon_threadsafe(self._wake)

    def close(self) -> None:
        """Stop serving; open pages say that the connection is lost. May be called twice."""
        self._server.should_exit = True
        self._thread.join(_CLOSE_SECONDS)

    def _wake(self) -> None:
        for page in self._pages:
            page.set()

    def _application(self) -> Starlette:
        @contextlib.asynccontextmanager
        async def life(app: Starlette) -> AsyncIterator[None]:
            self._loop = asyncio.get_running_loop()
            self._ready.set()
            yield
            self._loop = None

        routes = [
            Route("/state.json", self._get_state),
            Route("/texts.json", self._get_texts),
            Route("/camera.jpg", self._get_picture),
            WebSocketRoute("/live", self._live),
            Mount("/", StaticFiles(directory=PAGE, html=True)),
        ]
        return Starlette(routes=routes, lifespan=life)

    async def _get_state(self, request: Request) -> Response:
        return Response(self._state, media_type="application/json")

    async def _get_texts(self, request: Request) -> Response:
        return Response(self._texts, media_type="application/json")

    async def _get_picture(self, request: Request) -> Response:
        picture = await asyncio.to_thread(self._picture)
        if picture is None:
            return Response("There is no picture now.", status_code=404, media_type="text/plain")
        return Response(picture, media_type="image/jpeg", headers={"cache-control": "no-store"})

    async def _live(self, page: WebSocket) -> None:
        if len(self._pages) >= MOST_PAGES:
            await page.close(1013, "too many pages are open")
            return
        await page.accept()
        changed = asyncio.Event()
        changed.set()
        self._pages.add(changed)
        listening = asyncio.create_task(self._listen(page))
        telling = asyncio.create_task(self._tell(page, changed))
        try:
            await asyncio.wait((listening, telling), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._pages.discard(changed)
            for task in (listening, telling):
                task.cancel()
            await asyncio.gather(listening, telling, return_exceptions=True)

    async def _tell(self, page: WebSocket, changed: asyncio.Event) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await changed.wait()
                changed.clear()
                await page.send_text(self._state)

    async def _listen(self, page: WebSocket) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, KeyError):
            while True:
                text = await page.receive_text()
                n = self._n
                try:
                    observation = read_message(text, time.monotonic(), n, self._seats)
                except BadMessage as error:
                    await page.send_text(json.dumps({"refused": in_language(str(error), self._translate)}))
                else:
                    self._say(observation, n)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise CardtableError(f"the board cannot be served at {host!r}: {error.strerror}") from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise CardtableError(
                f"port {port} is in use, perhaps by another cardtable: close that one, or choose another port, "
                f"for example --port {port + 1}"
            ) from error
        if error.errno == errno.EACCES:
            raise CardtableError(
                f"port {port} is only for the system's own programs: choose one above 1023, for example --port 8015"
            ) from error
        raise CardtableError(f"the board cannot be served at {host}:{port}: {error.strerror}") from error
    return listening
