"""The server of the board: sends the state to every page, and passes on what people enter there.

The main thread passes states in and gets observations and messages; the threads share nothing else. One server stays
over all games of an evening: `feed` says what it shows from now on.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Final, cast

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from cardtable.board.access.sender import BOARD, SPECTATOR, Identity, Sender
from cardtable.board.interface import interface_schema
from cardtable.board.makers.routes import Makers
from cardtable.board.messages import BadMessage, EveningMessage, read_message
from cardtable.board.rendering import Rendering
from cardtable.board.screen_game import GameState, Result, ResultState
from cardtable.board.screen_lobby import LobbyState
from cardtable.board.screen_parts import Menu
from cardtable.board.screens import AsleepState, Refusal, State
from cardtable.board.serving import Pages
from cardtable.board.snapshot import Snapshot
from cardtable.board.state import state_of
from cardtable.languages import catalogue, translator
from engine.observations import Said, UndoAsked
from engine.texts import in_language, text
from engine.views import View

PAGE: Final = Path(__file__).parent / "page"

Say = Callable[[Said | UndoAsked, Sender], None]
"""Takes what was entered on a page, and who entered it."""
Picture = Callable[[str], bytes | None]
Manage = Callable[[EveningMessage, Sender], "Future[str | None]"]
"""Takes a message for the evening, and who sent it; the result is None once it is done, or the text that refuses it."""

_LOG: Final = logging.getLogger(__name__)


class Board:
    """Serves the board until `close`. Raises `CardtableError` if the address or port cannot be used.

    `say` is called in the server's thread with each observation that people enter on a page, and who entered it.
    `picture` returns the last frame of the camera with this name (an empty name: of any camera) as JPEG, or None.
    `cameras`: the names of the cameras. `port`: 0 for any free port; `url` has the one taken. `language`: that of the
    page. `manage` is called in the server's thread with each message for the evening, and who sent it; without it they
    are refused. `overlay_hands_s`: after how many seconds the overlay shows known hands; None: never.
    `more`: further routes.
    """

    def __init__(
        self,
        title: str,
        say: Say | None,
        picture: Picture = lambda name: None,
        host: str = "127.0.0.1",
        port: int = 8015,
        hosts: Iterable[str] = (),
        language: str = "en",
        cameras: Collection[str] = (),
        manage: Manage | None = None,
        overlay_hands_s: float | None = None,
        more: Sequence[BaseRoute] = (),
    ) -> None:
        self._translate = translator(language)
        texts = {"language": language, "texts": catalogue(language)}
        self._texts = json.dumps(texts, ensure_ascii=False)
        self._manage = manage
        self._version = self._n = self._seats = 0
        self._screen: State | None = None
        self._hands: tuple[tuple[str, ...], ...] = ()
        self._sending = threading.Lock()
        self._notice: str | None = None
        self._menu: Menu | None = None
        self.makers: Final = Makers(lambda: self._screen, self._translate, PAGE / "overlay.html", overlay_hands_s)
        self.feed(title, say, picture, cameras)
        routes = [
            Route("/texts.json", self._get_texts),
            Route("/schema.json", self._get_schema),
            Route("/files.json", self._get_files),
            *self.makers.routes,
            *more,
        ]
        counted = self.makers.measures.pages.set
        self._pages = Pages(
            PAGE, self._hear, lambda name: self._picture(name), host, port, hosts, routes, counted=counted
        )
        self.port: Final = self._pages.port
        self.url: Final = self._pages.url

    def feed(
        self,
        title: str,
        say: Say | None,
        picture: Picture = lambda name: None,
        cameras: Collection[str] = (),
        result_of: Callable[[Snapshot], Result | None] = lambda shown: None,
    ) -> None:
        """Show another game from now on, or none (`say` is None); the arguments are those of the constructor.

        `result_of` returns the result of a game that is over, if the page can choose what comes next.
        """
        self._title = title
        self._say = say
        self._picture = picture
        self._cameras = frozenset(cameras)
        self._result_of = result_of

    def show(self, shown: Snapshot, seat_view: Callable[[int], View] | None = None) -> None:
        """Show a snapshot on every open page. Returns at once. Called from the controller's thread.

        `seat_view` returns what a seat may see: only a phone at that seat gets the hand that is in it.
        """
        state: GameState | ResultState = state_of(shown, self._title, self._translate, self._cameras)
        if shown.view.over and (result := self._result_of(shown)) is not None:
            state = cast(ResultState, {**state, "screen": "result", "result": result})
        self._n, self._seats = shown.n, len(shown.view.players)
        hands = [seat_view(seat).hands[seat].cards for seat in range(self._seats)] if seat_view else []
        self._show(state, tuple(tuple(map(str, cards)) for cards in hands))

    def show_screen(self, state: LobbyState | GameState | ResultState | AsleepState) -> None:
        """Show this state, in the language of the board. Called from the main thread."""
        self._show(state, ())

    def _show(self, state: State, hands: tuple[tuple[str, ...], ...]) -> None:
        with self._sending:
            self._screen, self._hands = state, hands
            self.makers.hands.note(hands)
            self._send()

    def announce(self, notice: str | None, menu: Menu | None) -> None:
        """Show a notice and a menu on whatever screen is shown; None for none. Called from the main thread."""
        notice = None if notice is None else in_language(notice, self._translate)
        if (notice, menu) != (self._notice, self._menu):
            with self._sending:
                self._notice, self._menu = notice, menu
                self._send()

    def close(self) -> None:
        """Stop serving; open pages say that the connection is lost. May be called twice."""
        self._pages.close()

    def _send(self) -> None:
        if self._screen is not None:
            self._version += 1
            self.makers.measures.states.inc()
            common = {"version": self._version, "notice": self._notice, "menu": self._menu}
            rendering = Rendering({**self._screen, **common}, self._hands)
            self._pages.show(lambda identity: rendering.text_for(self._sender(identity)))

    def _sender(self, identity: Identity) -> Sender:
        return BOARD if identity.here else SPECTATOR

    async def _get_texts(self, request: Request) -> Response:
        return Response(self._texts, media_type="application/json")

    async def _get_files(self, request: Request) -> Response:
        files = sorted(path.relative_to(PAGE).as_posix() for path in PAGE.rglob("*") if path.is_file())
        return Response(json.dumps({"files": ["./", "texts.json", *files]}), media_type="application/json")

    async def _get_schema(self, request: Request) -> Response:
        return Response(json.dumps(interface_schema()), media_type="application/json")

    async def _hear(self, message: str, identity: Identity) -> str | None:
        answer = await self._answer(message, self._sender(identity))
        self.makers.measures.messages.labels("accepted" if answer is None else "refused").inc()
        return answer

    async def _answer(self, message: str, sender: Sender) -> str | None:
        try:
            wanted = read_message(message, time.monotonic(), self._n, self._seats)
        except BadMessage as error:
            return self._refuse(str(error))
        if isinstance(wanted, Said | UndoAsked):
            if self._say is None:
                return self._refuse(text("No game is being played now."))
            self._say(wanted, sender)
            return None
        if self._manage is None:
            return self._refuse(text("This table plays one game only: start it with cardtable run."))
        refusal = await asyncio.wrap_future(self._manage(wanted, sender))
        return None if refusal is None else self._refuse(refusal)

    def _refuse(self, why: str) -> str:
        _LOG.info("ignored a message of a page: %s", why)
        refusal: Refusal = {"refused": in_language(why, self._translate)}
        return json.dumps(refusal)
