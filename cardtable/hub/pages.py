"""The pages of the hub: the wall, each table's board to look at, its next seats, history, and CSV."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from cardtable.board.access.access import Access
from cardtable.board.access.sender import Identity
from cardtable.board.json_requests import BadRequest, json_answer, read_json, refusal
from cardtable.board.server import PAGE
from cardtable.board.serving import Pages
from cardtable.history.csv_files import games_csv
from cardtable.history.statistics import statistics
from cardtable.hub.config import HubConfig
from cardtable.hub.director_pages import DirectorPages
from cardtable.hub.health import TableHealth
from cardtable.hub.mirror import Mirror, players_of
from cardtable.hub.no_board import no_board
from cardtable.hub.receiver import Receiver
from cardtable.hub.record import record_of
from cardtable.hub.store import Store, StoreError
from cardtable.hub.wall import sides_of, standings_of
from cardtable.languages import catalogue, translator
from engine.games import title_of
from engine.texts import Translate, in_language, text

WALL: Final = Path(__file__).parent / "page"
MOST_WATCHERS: Final = 300
"""Boards of tables that are open at once."""
_LOOK_S: Final = 0.2
_GAMES: Final = 100
_NO_TABLE: Final = 4404
"""The WebSocket close code for a table that the club does not have."""
_GUESS_S: Final = 0.3
_MOST_REQUEST: Final = 8_000
"""Size of the largest message that asks for a certificate, in bytes."""


class Ready(BaseModel):
    """What a table's page says when its players are ready for a round."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    table: str
    round: int


class WantedCertificate(BaseModel):
    """What a table sends to be enrolled: the `request` to sign (PEM), and the proof that it knows the code (ASCII)."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    request: str
    proof: str = Field(pattern="^[ -~]*$")


_READY: Final = TypeAdapter(Ready)
_ENROLMENT: Final = TypeAdapter(WantedCertificate)


class Hub(Protocol):
    """What the pages show."""

    @property
    def store(self) -> Store:
        """What the hub keeps of the tables, in a database."""
        ...

    @property
    def mirror(self) -> Mirror:
        """The list of the games of all tables."""
        ...

    @property
    def receiver(self) -> Receiver:
        """What the tables send, and whether they can be reached."""
        ...

    def ready(self, table: str, number: int) -> bool:
        """Store that a table is ready; return whether it has seats in that round."""

    def health(self, translate: Translate) -> list[TableHealth]:
        """Return how the tables are, with sentences in the language of `translate`."""
        ...

    def show_message(self, tables: Sequence[str], message: str) -> dict[str, str | None]:
        """Show a message on the boards of tables; return for each why not, None if it is shown."""
        ...

    def enrol(self, request: bytes, proof: str, at: str) -> dict[str, object] | None:
        """Return the certificate of a table and what it needs besides; None if `proof` is not that of a valid code.

        `request`: the certificate signing request (PEM). `proof`: its HMAC with the enrolment code.
        `at`: the address of this machine at which the table has asked.
        """


class HubPages:
    """Serves the pages of `hub` until `close`. `access`: the director's PIN and devices; without it, kept in memory.

    Raises `CardtableError` if the address or port cannot be used.
    """

    def __init__(self, config: HubConfig, hub: Hub, access: Access | None = None) -> None:
        self._hub = hub
        self._language, self._translate = config.language, translator(config.language)
        texts = {"language": config.language, "texts": catalogue(config.language)}
        self._texts = json.dumps(texts, ensure_ascii=False)
        self._watchers = 0
        self._director = DirectorPages(config.name, hub, access or Access(), self, self._translate)
        routes: list[BaseRoute] = [
            *self._director.routes(),
            Route("/texts.json", self._get_texts),
            Route("/ready", self._post_ready, methods=["POST"]),
            Route("/enrol", self._post_enrol, methods=["POST"]),
            Route("/games.json", self._get_games),
            Route("/statistics.json", self._get_statistics),
            Route("/games.csv", self._get_csv),
            Route("/games/{number:int}.jsonl", self._get_record),
            WebSocketRoute("/tables/{name}/live", self._live),
            Route("/tables/{name}/texts.json", self._get_texts),
            Route("/tables/{name}/", self._get_board),
            Route("/tables/{name}/index.html", self._get_board),
            Mount("/tables/{name}/", StaticFiles(directory=PAGE)),
        ]
        self._pages = Pages(
            WALL, self._hear, lambda name: None, config.listens_at, config.port, (), routes, identify=_anyone
        )
        self.url: Final = self._pages.url
        self.port: Final = self._pages.port

    def players(self) -> tuple[str, ...]:
        """Return no name: the hub has no seats."""
        return ()

    def network(self) -> Pages:
        """Return what serves the pages."""
        return self._pages

    def show(self, state: str) -> None:
        """Show this state on every wall."""
        self._pages.show(lambda identity: state)

    def close(self) -> None:
        """Stop serving."""
        self._pages.close()

    async def _hear(self, message: str, identity: Identity) -> str | None:
        return None

    async def _get_texts(self, request: Request) -> Response:
        return Response(self._texts, media_type="application/json")

    async def _post_ready(self, request: Request) -> Response:
        try:
            wanted = await read_json(request, _READY)
        except BadRequest as bad:
            return self._refuse(str(bad), bad.status)
        try:
            known = await asyncio.to_thread(self._hub.ready, wanted.table, wanted.round)
        except StoreError:
            return self._refuse(text("Nothing can be stored now: try again in a minute."), 503)
        return json_answer({}) if known else self._refuse(text("This table has no seats in that round."), 404)

    async def _post_enrol(self, request: Request) -> Response:
        try:
            wanted = await read_json(request, _ENROLMENT, _MOST_REQUEST)
        except BadRequest as bad:
            return self._refuse(str(bad), bad.status)
        await asyncio.sleep(_GUESS_S)  # a code cannot be guessed quickly
        try:
            at = str((request.scope.get("server") or ("127.0.0.1",))[0])
            enrolled = await asyncio.to_thread(self._hub.enrol, wanted.request.encode(), wanted.proof, at)
        except StoreError:
            return self._refuse(text("Nothing can be stored now: try again in a minute."), 503)
        if enrolled is None:
            return self._refuse(text("The code was used, is too old, or mistyped."), 403)
        return json_answer(enrolled)

    def _refuse(self, why: str, status: int) -> Response:
        return refusal(status, why, self._translate)

    async def _get_games(self, request: Request) -> Response:
        entries = await asyncio.to_thread(self._hub.mirror.read, lambda games: games.entries(most=_GAMES, newest=True))
        found = [game for entry in entries if (game := self._hub.mirror.game(entry.id)) is not None]
        rows = [
            {
                "id": game.id,
                "table": game.table,
                "title": in_language(title_of(entry.name), self._translate),
                "players": players_of(game),
                "sides": sides_of(game, self._translate),
                "started": game.started,
                "over": game.over,
            }
            for entry, game in zip(entries, found, strict=True)
        ]
        return json_answer({"games": rows})

    async def _get_statistics(self, request: Request) -> Response:
        def rows() -> dict[str, object]:
            found = self._hub.mirror.read(lambda games: statistics(games))
            return {
                "standings": standings_of(self._hub.mirror),
                "rows": [row._asdict() | {"title": row.name and title_of(row.name)} for row in found],
            }

        return json_answer(await asyncio.to_thread(rows))

    async def _get_csv(self, request: Request) -> Response:
        content = await asyncio.to_thread(self._hub.mirror.read, lambda games: "".join(games_csv(games.entries())))
        headers = {"content-disposition": 'attachment; filename="games.csv"'}
        return Response(content, media_type="text/csv", headers=headers)

    async def _get_record(self, request: Request) -> Response:
        game = self._hub.mirror.game(request.path_params["number"])
        if game is None:
            return self._refuse(text("There is no such game."), 404)
        try:
            if await asyncio.to_thread(self._director.holds_back, request, game):
                return self._refuse(
                    text("Others have still to play these boards: the record can be read afterwards."), 403
                )
            lines = await asyncio.to_thread(record_of, self._hub.store, game)
        except StoreError:
            return self._refuse(text("The database cannot be read now: try again in a minute."), 503)
        headers = {"content-disposition": f'attachment; filename="game-{game.id}.jsonl"'}
        return Response("".join(f"{line}\n" for line in lines), media_type="application/jsonl", headers=headers)

    async def _get_board(self, request: Request) -> Response:
        """Answer with the board of a table to look at; with a page that says why not, if there is none."""
        name, receiver = request.path_params["name"], self._hub.receiver
        if name in receiver.states:
            return FileResponse(PAGE / "index.html")
        if name in receiver.online:
            message = "Table {table} has not sent its board yet. This page shows it as soon as it does."
            return no_board(text(message, table=name), self._translate, self._language, again=True)
        return no_board(text("There is no table {table} in this club.", table=name), self._translate, self._language)

    async def _live(self, page: WebSocket) -> None:
        """Send the states of a table as they come, to look at; what the page sends is ignored."""
        await page.accept()
        receiver = self._hub.receiver
        if page.path_params["name"] not in {*receiver.online, *receiver.states}:
            await page.close(_NO_TABLE, "there is no such table")
            return
        if self._watchers >= MOST_WATCHERS:
            await page.close(1013, "too many pages are open")
            return
        self._watchers += 1
        sending = asyncio.create_task(self._send_states(page, page.path_params["name"]))
        try:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError, KeyError):
                while True:
                    await page.receive_text()
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            self._watchers -= 1

    async def _send_states(self, page: WebSocket, name: str) -> None:
        shown = 0
        while True:
            number, state = self._hub.receiver.states.get(name, (0, ""))
            if number != shown:
                shown = number
                await page.send_text(state)
            await asyncio.sleep(_LOOK_S)


def _anyone(connection: object, device: str | None) -> Identity:
    """Everybody sees the same: a page of the hub has no rights."""
    return Identity(False)
