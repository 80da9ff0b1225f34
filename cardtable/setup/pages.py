"""The first start on the board's server: `/start` and what its page asks for. Everything runs in one thread.

Only pages on the table's own machine and the director's devices may see and answer the questions.

    GET  /start               the page; with ?only=STEP, here and below, it asks the step of a plug-in alone
    GET  /start/state.json    the question, or {"over": true}; {"refused": sentence} if it cannot be asked now
    POST /start/do            {"do": "answer", "step": "language", "value": "fr"}; answers as the state, or with
                              {"opening": true} if the table is opened again first, with what has changed
    GET  /start/mat.jpg       the first camera's picture with marks, zones and cards
    GET  /start/NAME.pdf      a sheet to print
    GET  /start/backup.zip    a backup; not during a game, whose hidden hands are in the journal
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeVar

import cv2
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from cardtable.errors import CardtableError
from cardtable.evening.equipment import lobby_mat
from cardtable.evening.host import Host
from cardtable.languages import translator
from cardtable.paper.drawings import qr_pattern
from cardtable.setup.first_start import Event, FirstStart
from cardtable.setup.sites import BoardSite
from cardtable.setup.without_display import DisplayWatch, is_in_own_network
from cardtable.table.messages import Role
from cardtable.web.connections import device_of
from cardtable.web.server import PAGE
from cardtable.web.serving import BadRequest, json_answer, read_json, refusal
from engine.games import load_game
from engine.texts import Text, in_language, text

Answer = TypeVar("Answer")

_WIDTH: Final = 960
"""Width of the picture of the mat, pixels."""
_BACKUP: Final = "cardtable-backup-%Y%m%d.zip"
_FORBIDDEN, _NOT_NOW = 403, 409


class Wanted(BaseModel):
    """What a page asks for."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    do: Event
    step: str = Field(max_length=32)
    value: str = Field(default="", max_length=200)


_WANTED: Final = TypeAdapter(Wanted)


class StartPages:
    """The routes of the first start, for the configuration at `path`. `host`, `role_of`: of the running table.

    `reopen` is called when the configuration has changed in a way that needs the table to be opened again; the table
    does so soon, and these routes end with it. `by_phone`: returns how a phone sets the table up, shown on its display.
    """

    def __init__(
        self,
        path: Path,
        host: Callable[[], Host],
        role_of: Callable[[Request], Role],
        reopen: Callable[[], None],
        by_phone: Callable[[], Text | None] = lambda: None,
        display: DisplayWatch | None = None,
    ) -> None:
        self._path = path
        self._host = host
        self._role_of = role_of
        self._reopen = reopen
        self._by_phone = by_phone
        self._display = display or DisplayWatch()
        self._pool = ThreadPoolExecutor(1, "first start")
        self._opened: FirstStart | None = None
        self._only: str | None = None
        """The one step that is asked alone; None for all."""
        self._first = False
        self._session = secrets.token_hex(4)
        """Another one after the table was opened again, so that a page knows when that is done."""

    def routes(self, first: bool) -> tuple[BaseRoute, ...]:
        """Return the routes; if this is the `first` start, the board's own page leads here until it is over."""
        self._first = first
        zipped = [Middleware(GZipMiddleware)]
        board = [Route("/", self._get_board, middleware=zipped)] if first else []
        return (
            *board,
            Route("/start", self._get_page, middleware=zipped),
            Route("/start/state.json", self._get_state),
            Route("/start/do", self._do, methods=["POST"]),
            Route("/start/mat.jpg", self._get_picture),
            Route("/start/backup.zip", self._get_backup),
            Route("/start/{name:str}.pdf", self._get_sheet),
        )

    def close(self) -> None:
        """End the thread, and what the shown step has opened."""
        self._pool.submit(lambda: self._opened.close() if self._opened else None)
        self._pool.shutdown()

    # Routes

    async def _get_board(self, request: Request) -> Response:
        over = self._opened is not None and self._opened.is_over and self._only is None
        asked = self._allowed(request) or self._host().services.board.access.setup_code is not None
        if not over and self._host().evening.screen == "lobby" and asked:
            return RedirectResponse("start", headers={"cache-control": "no-store"})
        return FileResponse(PAGE / "index.html")

    async def _get_page(self, request: Request) -> Response:
        return FileResponse(PAGE / "start.html")

    async def _get_state(self, request: Request) -> Response:
        if not self._allowed(request):
            return await self._in_thread(lambda: self._ask_code(device_of(request)))
        here = self._role_of(request) == "board"
        if here:
            self._display.asked()
        only = request.query_params.get("only")
        return await self._in_thread(lambda: self._state(here, only))

    async def _do(self, request: Request) -> Response:
        if not self._allowed(request):
            return self._refused(_FORBIDDEN, text("This is for the board and the director only."))
        try:
            wanted = await read_json(request, _WANTED)
        except BadRequest as bad:
            return self._refused(bad.status, str(bad))
        # The phone that began the first start with a code may set the first PIN.
        first = self._first and not self._host().services.board.access.has_pin
        here = self._role_of(request) == "board" or first
        if wanted.step == "phone" and wanted.do == "answer" and not here:
            return self._refused(_FORBIDDEN, text("This is for the board only: do it at the table."))
        only = request.query_params.get("only")
        return await self._in_thread(lambda: self._done(wanted, only))

    async def _get_picture(self, request: Request) -> Response:
        picture = await asyncio.to_thread(self._picture) if self._allowed(request) else None
        if picture is None:
            return Response("There is no picture now.", status_code=404, media_type="text/plain")
        return Response(picture, media_type="image/jpeg", headers={"cache-control": "no-store"})

    async def _get_sheet(self, request: Request) -> Response:
        name = f"{request.path_params['name']}.pdf"
        pdf = await self._in_thread(lambda: self._sheet(name))
        if pdf is None:
            return Response("There is no such sheet.", status_code=404, media_type="text/plain")
        headers = {"content-disposition": f'inline; filename="{name}"'}
        return Response(pdf, media_type="application/pdf", headers=headers)

    async def _get_backup(self, request: Request) -> Response:
        if not self._allowed(request):
            return self._refused(_FORBIDDEN, text("This is for the board and the director only."))
        if self._host().evening.screen == "game":
            return self._refused(_NOT_NOW, text("A game is being played: end it first."))
        try:
            content = await self._in_thread(self._backup)
        except CardtableError as error:
            return self._refused(_NOT_NOW, str(error))
        headers = {
            "content-disposition": f'attachment; filename="{time.strftime(_BACKUP)}"',
            "cache-control": "no-store",
        }
        return Response(content, media_type="application/zip", headers=headers)

    async def _in_thread(self, work: Callable[[], Answer]) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def _allowed(self, request: Request) -> bool:
        return self._role_of(request) in ("board", "director")

    def _ask_code(self, device: str | None) -> Response:
        """Refuse, and let a page ask for the code of the first start.

        In the table's own network it need not, unless the display shows the code.
        """
        code = self._host().services.board.access.setup_code
        if code is None:
            return self._refused(_FORBIDDEN, text("This is for the board and the director only."))
        services = self._host().services
        label = in_language(text("The code that the table says or shows"), services.translate)
        known = code if not self._display.shows and is_in_own_network(device) else ""
        return json_answer({"code": label, "known": known, "language": services.config.language}, _FORBIDDEN)

    def _refused(self, status: int, why: str) -> Response:
        return refusal(status, why, self._host().services.translate)

    # In the thread

    def _first_start(self, only: str | None) -> FirstStart:
        """Return the questions; `only`: the name of the one step that is asked. Raises `CardtableError`."""
        if self._opened is None or self._opened.is_over or self._only != only:  # come back to later, from the lobby
            from cardtable.setup.first_start import open_first_start, open_one_step  # most starts ask nothing

            site = BoardSite(self._host(), self._path)
            opened = open_first_start(site) if only is None else open_one_step(site, only)
            if self._opened is not None:
                self._opened.close()
            self._opened, self._only = opened, only
        return self._opened

    def _state(self, here: bool = False, only: str | None = None) -> Response:
        """Return the question. `here`: for the table's own display. `only`: the one step that is asked."""
        if self._host().evening.screen in ("game", "result"):
            return self._refused(_NOT_NOW, text("A game is being played: end it first."))
        try:
            first_start = self._first_start(only)
            language = first_start.site.config.language
            state = first_start.state(translator(language))
        except CardtableError as error:
            return self._refused(_NOT_NOW, str(error))
        code = state["question"].pop("code")
        state["question"]["qr"] = qr_pattern(code).astype(int).tolist() if code else None
        if here and state["first"] and self._host().services.board.access.setup_code and (said := self._by_phone()):
            state["by_phone"] = in_language(said, self._host().services.translate)
        return json_answer(state | {"language": language, "session": self._session})

    def _done(self, wanted: Wanted, only: str | None) -> Response:
        if self._host().evening.screen in ("game", "result"):
            return self._refused(_NOT_NOW, text("A game is being played: end it first."))
        try:
            first_start = self._first_start(only)
            first_start.do(wanted.do, wanted.step, wanted.value)
        except CardtableError as error:
            return self._refused(_NOT_NOW, str(error))
        if first_start.is_over and only is None:
            self._host().services.board.access.close_setup()
            return json_answer({"over": True})
        if isinstance(first_start.site, BoardSite) and first_start.site.reopening:
            self._reopen()
            return json_answer({"opening": True, "session": self._session})
        return json_answer({"over": True}) if first_start.is_over else self._state(only=only)

    def _sheet(self, name: str) -> bytes | None:
        from cardtable.setup.steps_camera import sheet_pdf  # slow to load

        return sheet_pdf(name, self._host().services.translate)

    def _backup(self) -> bytes:
        from cardtable.maintenance.backup import write_backup

        with TemporaryDirectory() as folder:
            write_backup(self._path, Path(folder) / _BACKUP)
            return (Path(folder) / _BACKUP).read_bytes()

    def _picture(self) -> bytes | None:
        from cardtable.setup.calibration import calibration_picture

        host, opened = self._host(), self._opened
        cameras = opened.site.cameras() if opened is not None else ()
        if not cameras:
            return None
        lobby = host.evening.lobby
        mat = lobby_mat(load_game(lobby.game) if lobby.game else None, len(lobby.players))
        drawn = calibration_picture(cameras[0], mat, lobby.players, (), host.services.translate)
        if drawn is None:
            return None
        height, width = drawn.shape[:2]
        scale = min(_WIDTH / width, 1.0)
        small = cv2.resize(drawn, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
        done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
        return data.tobytes() if done else None
