"""The routes of the director's page: the tournament, the director's orders, messages to tables, and result files.

The machine of the hub may do everything. Any other device needs the PIN once, and then has a cookie that scripts cannot
read.
"""

from __future__ import annotations

import asyncio
import csv
import io
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Annotated, Final, Protocol

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from cardtable.errors import CardtableError
from cardtable.history.csv_files import guarded
from cardtable.web.access import Access
from cardtable.web.connections import device_of
from cardtable.web.phones import AccessRoutes
from cardtable.web.serving import BadRequest, Pages, json_answer, read_json, refusal
from cardtable_club.hub.director import DIRECTIVE, DirectorState, TournamentLog, direct, director_state
from cardtable_club.hub.health import TableHealth
from cardtable_club.hub.store import GameResult, Store, StoreError
from cardtable_club.member.link import LONGEST
from cardtable_club.member.messages import NAME
from cardtable_club.tournament.results import usebio
from cardtable_club.tournament.standings import standings
from cardtable_club.tournament.state import Tournament
from engine.formats.pbn import write_pbn
from engine.texts import Translate, text

FORMS: Final = ("csv", "usebio", "pbn")
"""Result files: the standings as CSV, bridge results as USEBIO, boards of bridge as PBN."""


def exported(form: str, log: TournamentLog, games: Iterable[GameResult], club: str) -> Iterator[str]:
    """Yield the text of a file in one of `FORMS`, in parts. Raises `TournamentError` if there is nothing to write."""
    tournament = log.tournament()
    if form == "usebio":
        yield usebio(tournament, club, date.today().strftime("%d/%m/%Y"))
    elif form == "pbn":
        yield from pbn_lines(log, games)
    else:
        yield from standings_csv(tournament)


def standings_csv(tournament: Tournament) -> Iterator[str]:
    """Yield the lines of the file. Raises `TournamentError` before the tournament has begun."""
    yield _row(["rank", "field", "entrant", "score", "more"])
    for row in standings(tournament):
        yield _row([row.rank, row.field, guarded(row.entrant), row.score, row.more])


def pbn_lines(log: TournamentLog, games: Iterable[GameResult]) -> Iterator[str]:
    """Return the lines of a file with every board whose result came from the record of a table, in order."""
    tournament = log.tournament()
    setup = tournament.begun
    by_number = {game.id: game for game in games}
    boards = []
    for (_, board, _), details in sorted(tournament.details.items()):
        game = by_number.get(int(details.get("record", 0)))
        if game is not None:
            boards += [
                replace(each, event=setup.name, scoring="IMP" if setup.scoring == "imps" else "MP")
                for each in log.boards(game)
                if each.number == board
            ]
    return (f"{line}\n" for line in write_pbn(sorted(boards, key=lambda board: board.number)))


def _row(values: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(values)
    return line.getvalue()


MOST_BYTES: Final = 200_000
"""Size of the largest request, in bytes: enough for 500 names."""
_PIN: Final = ("/director", "/director/pin")
_TYPES: Final = {"csv": "text/csv", "usebio": "application/xml", "pbn": "application/x-pbn"}
_ENDINGS: Final = {"csv": "csv", "usebio": "xml", "pbn": "pbn"}


class Directed(Protocol):
    """What the director's page needs from the hub."""

    @property
    def store(self) -> Store:
        """The database of the hub."""
        ...

    def health(self, translate: Translate) -> list[TableHealth]:
        """Return the state of the tables, with sentences in the language of `translate`."""
        ...

    def show_message(self, tables: Sequence[str], message: str) -> dict[str, str | None]:
        """Show a message on the boards of tables; return for each why that failed, or None."""
        ...


class Message(BaseModel):
    """A message of the director to tables; an empty text removes the last one."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    tables: list[Annotated[str, Field(pattern=f"^{NAME}$")]] = Field(min_length=1, max_length=3_000)
    text: str = Field(max_length=LONGEST, pattern=r"^[^\x00-\x1f\x7f]*$")


_MESSAGE: Final = TypeAdapter(Message)


class DirectorPages:
    """The routes of the director's page."""

    def __init__(
        self, club: str, hub: Directed, access: Access, pages: Callable[[], Pages], translate: Translate
    ) -> None:
        self._club = club
        self._hub = hub
        self._store = store = hub.store
        self._log = TournamentLog(store)
        self._lock = threading.Lock()
        self._access = access
        self._translate = translate
        self._pin = AccessRoutes(access, lambda: (), pages, translate)  # the hub has no seats

    def routes(self) -> Sequence[BaseRoute]:
        """Return the routes."""
        return [
            *(route for route in self._pin.routes() if route.path in _PIN),
            Route("/director.json", self._get_state),
            Route("/director/do", self._post, methods=["POST"]),
            Route("/director/message", self._post_message, methods=["POST"]),
            Route("/director/results", self._get_results),
        ]

    def role(self, request: Request) -> str:
        """Return the role of the sender of a request."""
        return self._access.sender(self._pin.identify(request, device_of(request)), ()).role

    async def _get_state(self, request: Request) -> Response:
        try:
            return json_answer(await asyncio.to_thread(self._state, self.role(request)))
        except StoreError:
            return self._refuse(text("The database cannot be read now: try again in a minute."), 503)

    def _state(self, role: str) -> DirectorState:
        with self._lock:
            if role == "spectator":
                return director_state(role, self._access.has_pin, [])
            health = self._hub.health(self._translate)
            return director_state(role, self._access.has_pin, health, self._log.tournament())

    async def _post(self, request: Request) -> Response:
        role = self.role(request)
        if role == "spectator":
            return self._refuse(text("This is for the director only: enter the PIN."), 403)
        try:
            wanted = await read_json(request, DIRECTIVE, MOST_BYTES)
        except BadRequest as bad:
            return self._refuse(str(bad), bad.status)

        def direct_and_show() -> DirectorState:
            with self._lock:
                direct(wanted, self._log, self._store)
            return self._state(role)

        try:
            return json_answer(await asyncio.to_thread(direct_and_show))
        except CardtableError as error:
            return self._refuse(str(error), 409)
        except StoreError:
            return self._refuse(text("Nothing can be stored now: try again in a minute."), 503)

    async def _post_message(self, request: Request) -> Response:
        if self.role(request) == "spectator":
            return self._refuse(text("This is for the director only: enter the PIN."), 403)
        try:
            wanted = await read_json(request, _MESSAGE, MOST_BYTES)
        except BadRequest as bad:
            return self._refuse(str(bad), bad.status)
        reasons = await asyncio.to_thread(self._hub.show_message, wanted.tables, wanted.text)
        return json_answer({"why": reasons})

    def holds_back(self, request: Request, game: GameResult) -> bool:
        """Return whether a spectator asks for a game with boards that other pairs have yet to play.

        Raises `StoreError`.
        """
        with self._lock:
            return self.role(request) == "spectator" and self._log.holds_back(game)

    async def _get_results(self, request: Request) -> Response:
        if self.role(request) == "spectator":
            return self._refuse(text("This is for the director only: enter the PIN."), 403)
        form = request.query_params.get("as", "csv")
        if form not in FORMS:
            return self._refuse(text("There is no such file."), 404)

        def written() -> str:
            with self._lock:
                return "".join(exported(form, self._log, self._store.results(), self._club))

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
