"""The first start on the board's server.

Only the table's own display and the director's devices may see and answer the questions.

    GET  /start               the page; with ?only=STEP, here and below, it asks the step of a plug-in alone
    GET  /start/state.json    the question, or {"over": true}; {"refused": sentence} if it cannot be asked now
    POST /start/do            {"do": "answer", "step": "language", "value": "fr"}; answers as the state, or with
                              {"opening": true} if the table is going to be opened again first
    GET  /start/mat.jpg       the first camera's picture with marks, zones and cards
    GET  /start/NAME.pdf      a sheet to print
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

import cv2
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from cardtable.errors import CardtableError
from cardtable.evening.equipment import lobby_mat
from cardtable.evening.host import Host
from cardtable.languages import translator
from cardtable.maintenance.pages import FORBIDDEN, NOT_NOW, DirectorPages
from cardtable.paper.drawings import qr_pattern
from cardtable.setup.first_start import Event, FirstStart
from cardtable.setup.step import Site
from cardtable.table.messages import Role
from cardtable.web.server import PAGE
from cardtable.web.serving import BadRequest, Worker, json_answer, page, read_json
from engine.games import load_game
from engine.texts import Text, in_language, text

_PICTURE_WIDTH_PX: Final = 960


class StartRequest(BaseModel):
    """A request from the page: what to do in the step that it shows."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    do: Event
    step: str = Field(max_length=32)
    value: str = Field(default="", max_length=200)


_REQUEST: Final = TypeAdapter(StartRequest)


class StartPages(DirectorPages):
    """The routes of the first start.

    `by_phone` returns how to set the table up with a phone, which the display also shows.
    """

    def __init__(
        self,
        path: Path,
        host: Callable[[], Host],
        role_of: Callable[[Request], Role],
        reopen: Callable[[], None],
        by_phone: Callable[[], Text | None] = lambda: None,
    ) -> None:
        super().__init__(path, host, role_of, reopen, "first start")
        self._by_phone = by_phone
        self._opened: FirstStart | None = None
        self._only: str | None = None
        """The name of the step that is asked alone; None for all steps."""
        self._first = False
        self._files = Worker("files to download")
        """Makes sheets, which takes seconds, while the questions go on."""

    def routes(self, first: bool) -> tuple[BaseRoute, ...]:
        """Return the routes. At the `first` start, the board's own page redirects here until it is over."""
        self._first = first
        zipped = [Middleware(GZipMiddleware)]
        board = [Route("/", self._get_board, middleware=zipped)] if first else []
        return (
            *board,
            Route("/start", self._get_page, middleware=zipped),
            Route("/start/state.json", self._get_state),
            Route("/start/do", self._post_request, methods=["POST"]),
            Route("/start/mat.jpg", self._get_picture),
            Route("/start/{name:str}.pdf", self._get_sheet),
        )

    def close(self) -> None:
        """End the threads, and close what the current step has opened."""
        self._files.close()
        self._pool.submit(lambda: self._opened.close() if self._opened else None)
        super().close()

    # Routes

    async def _get_board(self, request: Request) -> Response:
        over = self._opened is not None and self._opened.is_over and self._only is None
        asked = self._is_allowed(request) or self._host().services.board.access.setup_code is not None
        if not over and self._host().evening.screen == "lobby" and asked:
            return RedirectResponse("start", headers={"cache-control": "no-store"})
        return page(PAGE / "index.html")

    async def _get_page(self, request: Request) -> Response:
        return page(PAGE / "start.html")

    async def _get_state(self, request: Request) -> Response:
        if not self._is_allowed(request):
            return self._ask_code()
        is_display = self._role_of(request) == "board"
        only = request.query_params.get("only")
        return await self._in_thread(lambda: self._state(is_display, only))

    async def _post_request(self, request: Request) -> Response:
        if not self._is_allowed(request):
            return self._refuse_others()
        try:
            start_request = await read_json(request, _REQUEST)
        except BadRequest as bad:
            return self._refused(bad.status, str(bad))
        # The phone that began the first start with the code may set the first PIN.
        first = self._first and not self._host().services.board.access.has_pin
        may_set_pin = self._role_of(request) == "board" or first
        if start_request.step == "phone" and start_request.do == "answer" and not may_set_pin:
            return self._refused(FORBIDDEN, text("This is for the board only: do it at the table."))
        only = request.query_params.get("only")
        return await self._in_thread(lambda: self._carry_out(start_request, only))

    async def _get_picture(self, request: Request) -> Response:
        picture = await asyncio.to_thread(self._picture) if self._is_allowed(request) else None
        if picture is None:
            return Response("There is no picture now.", status_code=404, media_type="text/plain")
        return Response(picture, media_type="image/jpeg", headers={"cache-control": "no-store"})

    async def _get_sheet(self, request: Request) -> Response:
        name = f"{request.path_params['name']}.pdf"
        stranger = self._role_of(request) == "spectator"
        return await self._files.answer(request, stranger, lambda: self._sheet(name))

    def _ask_code(self) -> Response:
        """Refuse, and let the page ask for the code of the first start, if there is one."""
        services = self._host().services
        if services.board.access.setup_code is None:
            return self._refuse_others()
        asked = text("The code that the table says or shows, or that you have written on its memory card")
        label = in_language(asked, services.translate)
        return json_answer({"code": label, "language": services.config.language}, FORBIDDEN)

    # In the thread of the questions

    def _first_start(self, only: str | None) -> FirstStart:
        """Return the questions of all steps, or of the step `only`. Raises `CardtableError`."""
        if self._opened is None or self._opened.is_over or self._only != only:  # or asked again from the lobby
            from cardtable.setup.first_start import open_first_start  # most starts ask nothing

            opened = open_first_start(Site(self._host(), self._path), only)
            if self._opened is not None:
                self._opened.close()
            self._opened, self._only = opened, only
        return self._opened

    def _state(self, is_display: bool, only: str | None) -> Response:
        """Return the question. `is_display`: for the table's own display. `only`: the step that is asked alone."""
        if self._host().evening.screen in ("game", "result"):
            return self._refuse_during_game()
        try:
            first_start = self._first_start(only)
            language = first_start.site.config.language
            state = first_start.state(translator(language))
        except CardtableError as error:
            return self._refused(NOT_NOW, str(error))
        code = state["question"].pop("code")
        state["question"]["qr"] = qr_pattern(code).astype(int).tolist() if code else None
        services = self._host().services
        if is_display and state["first"] and services.board.access.setup_code and (hint := self._by_phone()):
            state["by_phone"] = in_language(hint, services.translate)
        return json_answer(state | {"language": language, "session": self._session})

    def _carry_out(self, request: StartRequest, only: str | None) -> Response:
        if self._host().evening.screen in ("game", "result"):
            return self._refuse_during_game()
        try:
            first_start = self._first_start(only)
            first_start.do(request.do, request.step, request.value)
        except CardtableError as error:
            return self._refused(NOT_NOW, str(error))
        if first_start.is_over and only is None:
            self._host().services.board.access.close_setup()
            return json_answer({"over": True})
        if first_start.site.reopening:
            self._reopen()
            return json_answer({"opening": True, "session": self._session})
        return json_answer({"over": True}) if first_start.is_over else self._state(False, only)

    # In other threads

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
        scale = min(_PICTURE_WIDTH_PX / width, 1.0)
        small = cv2.resize(drawn, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
        done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
        return data.tobytes() if done else None

    # In the thread of the files

    def _sheet(self, name: str) -> Response:
        from cardtable.setup.steps_camera import sheet_pdf  # slow to load

        pdf = sheet_pdf(name, self._host().services.translate)
        if pdf is None:
            return Response("There is no such sheet.", status_code=404, media_type="text/plain")
        headers = {"content-disposition": f'inline; filename="{name}"'}
        return Response(pdf, media_type="application/pdf", headers=headers)
