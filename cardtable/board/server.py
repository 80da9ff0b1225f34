"""The server of the board: sends the state to every page, and turns what people enter there into observations.

The controller's thread passes snapshots in and gets observations; the threads share nothing else.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cardtable.board.messages import BadMessage, read_message
from cardtable.board.serving import Pages
from cardtable.board.snapshot import Snapshot
from cardtable.board.state import state_of
from cardtable.languages import catalogue, translator
from engine.observations import Said, UndoAsked
from engine.texts import in_language

PAGE: Final = Path(__file__).parent / "page"

_LOG: Final = logging.getLogger(__name__)


class Board:
    """Serves the board until `close`. Raises `CardtableError` if the address or port cannot be used.

    `say` is called in the server's thread with each observation that people enter on a page. `picture` returns the last
    frame of the camera with this name (an empty name: of any camera) as JPEG, or None. `cameras`: the names of the
    cameras. `port`: 0 for any free port; `url` has the one taken. `language`: that of the page.
    """

    def __init__(
        self,
        title: str,
        say: Callable[[Said | UndoAsked], None],
        picture: Callable[[str], bytes | None] = lambda name: None,
        host: str = "127.0.0.1",
        port: int = 8015,
        hosts: Iterable[str] = (),
        language: str = "en",
        cameras: Collection[str] = (),
    ) -> None:
        self._title = title
        self._cameras = frozenset(cameras)
        self._translate = translator(language)
        texts = {"language": language, "texts": catalogue(language)}
        self._texts = json.dumps(texts, ensure_ascii=False)
        self._say = say
        self._n = self._seats = 0
        self._pages = Pages(PAGE, self._hear, picture, host, port, hosts, [Route("/texts.json", self._get_texts)])
        self.port: Final = self._pages.port
        self.url: Final = self._pages.url

    def show(self, shown: Snapshot) -> None:
        """Show a snapshot on every open page. Returns at once. Called from the controller's thread."""
        state = json.dumps(state_of(shown, self._title, self._translate, self._cameras), ensure_ascii=False)
        self._n, self._seats = shown.n, len(shown.view.players)
        self._pages.show(state)

    def close(self) -> None:
        """Stop serving; open pages say that the connection is lost. May be called twice."""
        self._pages.close()

    async def _get_texts(self, request: Request) -> Response:
        return Response(self._texts, media_type="application/json")

    def _hear(self, text: str) -> str | None:
        try:
            observation = read_message(text, time.monotonic(), self._n, self._seats)
        except BadMessage as error:
            _LOG.info("ignored a message of a page: %s", error)
            return json.dumps({"refused": in_language(str(error), self._translate)})
        self._say(observation)
        return None
