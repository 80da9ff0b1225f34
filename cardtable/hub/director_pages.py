"""The requests of the director's page: the tournament, what the director does, result files.

The machine of the hub may do everything. Any other device needs the PIN once, and keeps a cookie that no script reads.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from cardtable.board.access.access import Access
from cardtable.board.access.routes import AccessRoutes, Seating
from cardtable.board.json_requests import BadRequest, json_answer, read_json, refusal
from cardtable.board.places import device_of
from cardtable.errors import CardtableError
from cardtable.hub.desk import Desk
from cardtable.hub.directing import DIRECTIVE, direct
from cardtable.hub.director_state import DirectorState, director_state
from cardtable.hub.results_files import FORMS, exported
from cardtable.hub.store import GameResult, Store, StoreError
from engine.texts import Translate, text

MOST_BYTES: Final = 200_000
"""Size of the largest request, in bytes: 500 names."""
_PIN: Final = ("/director", "/director/pin")
_TYPES: Final = {"csv": "text/csv", "usebio": "application/xml", "pbn": "application/x-pbn"}
_ENDINGS: Final = {"csv": "csv", "usebio": "xml", "pbn": "pbn"}


class DirectorPages:
    """The routes of the director's page. `tables`: returns the names of the tables that the club knows."""

    def __init__(
        self,
        club: str,
        store: Store,
        access: Access,
        seating: Seating,
        translate: Translate,
        tables: Callable[[], list[str]],
    ) -> None:
        self._club = club
        self._store = store
        self._desk = Desk(store)
        self._lock = threading.Lock()
        self._access = access
        self._translate = translate
        self._tables = tables
        self._pin = AccessRoutes(access, seating, translate, device_of)

    def routes(self) -> Sequence[BaseRoute]:
        """Return the routes."""
        return [
            *(route for route in self._pin.routes() if route.path in _PIN),
            Route("/director.json", self._get_state),
            Route("/director/do", self._post, methods=["POST"]),
            Route("/director/results", self._get_results),
        ]

    def _role(self, request: Request) -> str:
        return self._access.sender(self._pin.identify(request, device_of(request)), ()).role

    async def _get_state(self, request: Request) -> Response:
        try:
            return json_answer(await asyncio.to_thread(self._state, self._role(request)))
        except StoreError:
            return self._refuse(text("The database cannot be read now: try again in a minute."), 503)

    def _state(self, role: str) -> DirectorState:
        with self._lock:
            tournament = None if role == "spectator" else self._desk.tournament()
            return director_state(role, self._access.has_pin, self._tables(), tournament)

    async def _post(self, request: Request) -> Response:
        role = self._role(request)
        if role == "spectator":
            return self._refuse(text("This is for the director only: enter the PIN."), 403)
        try:
            wanted = await read_json(request, DIRECTIVE, MOST_BYTES)
        except BadRequest as bad:
            return self._refuse(str(bad), bad.status)

        def done() -> DirectorState:
            with self._lock:
                direct(wanted, self._desk, self._store)
            return self._state(role)

        try:
            return json_answer(await asyncio.to_thread(done))
        except CardtableError as error:
            return self._refuse(str(error), 409)
        except StoreError:
            return self._refuse(text("Nothing can be stored now: try again in a minute."), 503)

    def holds_back(self, request: Request, game: GameResult) -> bool:
        """Return whether a spectator asks for a game with boards that others have still to play.

        Raises `StoreError`.
        """
        with self._lock:
            return self._role(request) == "spectator" and self._desk.holds_back(game)

    async def _get_results(self, request: Request) -> Response:
        if self._role(request) == "spectator":
            return self._refuse(text("This is for the director only: enter the PIN."), 403)
        form = request.query_params.get("as", "csv")
        if form not in FORMS:
            return self._refuse(text("There is no such file."), 404)

        def written() -> str:
            with self._lock:
                return "".join(exported(form, self._desk, self._store.results(), self._club))

        try:
            content = await asyncio.to_thread(written)
        except CardtableError as error:
            return self._refuse(str(error), 409)
        except StoreError:
            return self._refuse(text("The database cannot be read now: try again in a minute."), 503)
        headers = {"content-disposition": f'attachment; filename="results.{_ENDINGS[form]}"'}
        return Response(content, media_type=_TYPES[form], headers=headers)

    def _refuse(self, why: str, status: int) -> Response:
        return refusal(status, why, self._translate)
