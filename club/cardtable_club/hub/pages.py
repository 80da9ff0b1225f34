"""The pages of the hub: the wall, the board and next seats of each table, history, and CSV files."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from html import escape
from pathlib import Path
from typing import Final, Protocol, TypedDict

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from cardtable.history.csv_files import games_csv
from cardtable.history.statistics import statistics
from cardtable.journal.games import decoded
from cardtable.languages import catalogue, translator
from cardtable.table.messages import Identity
from cardtable.web.access import Access
from cardtable.web.server import PAGE
from cardtable.web.serving import BEAT_S, BadRequest, Pages, Worker, json_answer, page, read_json, refusal
from cardtable_club.hub.config import HubConfig
from cardtable_club.hub.director_pages import DirectorPages
from cardtable_club.hub.games import Mirror, players_of, record_of
from cardtable_club.hub.health import TableHealth
from cardtable_club.hub.receiver import BoardScores, Receiver
from cardtable_club.hub.store import GameResult, Key, Seat, Store, StoreError
from cardtable_club.tournament.standings import standings
from cardtable_club.tournament.state import Tournament
from engine.games import title_of
from engine.texts import Translate, in_language, text
from engine.views import side_names

_AGAIN_S: Final = 5
_PAGE: Final = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="dark">{again}
<title>{title}</title>
<link rel="stylesheet" href="../../club.css">
</head>
<body class="table">
<header><h1>{title}</h1><nav><a href="../../">{back}</a></nav></header>
<main><h2 role="alert">{reason}</h2></main>
</body>
</html>
"""


def board_unavailable(reason: str, translate: Translate, language: str, again: bool = False) -> Response:
    """Return a page with status 404 that says why a board cannot be shown, and links to all tables.

    `again`: whether the page reloads itself. `language`: the language of `translate`.
    """
    values = {"title": text("Board"), "back": text("All tables"), "reason": reason}
    refresh = f'\n<meta http-equiv="refresh" content="{_AGAIN_S}">' if again else ""
    written = {key: escape(in_language(value, translate)) for key, value in values.items()}
    return HTMLResponse(_PAGE.format(language=language, again=refresh, **written), 404, {"cache-control": "no-store"})


# What the wall of the club shows: tables and scores, standings, who waits, the seats of the next round

PRESENT_S: Final = 12 * 3600.0
"""Seconds after the last line of a game during which its players count as present."""


class SideState(TypedDict):
    """A side of a game, its score, and whether it has won."""

    name: str
    score: int
    won: bool


class TableState(TypedDict):
    """A table. `game`: the number of its last game at the hub; None before the first.

    `conflict`: its journal contradicts the lines at the hub. `double`: two tables seem to share this name.
    """

    name: str
    online: bool
    board: bool
    conflict: bool
    double: bool
    game: int | None
    title: str
    sides: list[SideState]
    over: bool


class StandingState(TypedDict):
    """A player in the standings; `played`: the number of finished games."""

    rank: int
    player: str
    played: int
    won: int


class PlaceState(TypedDict):
    """A table's seats in the next round, in seat order; `ready`: whether the players said so."""

    table: str
    players: list[str]
    ready: bool


class PlaceInTournament(TypedDict):
    """An entrant's place; `more`: the tie-breaks; `field`: NS, EW, or "" with one winner."""

    rank: int
    entrant: str
    score: str
    more: str
    field: str


class TournamentState(TypedDict):
    """A tournament. `rows`: its standings. `open`: the number of games without a result."""

    name: str
    round: int
    open: int
    rows: list[PlaceInTournament]


class WallState(TypedDict):
    """What the wall shows.

    `broker`: whether the broker is connected. `trouble`: whether the database is unusable. `twin`: whether another hub
    of this club is running.
    """

    club: str
    broker: bool
    trouble: bool
    twin: bool
    tables: list[TableState]
    standings: list[StandingState]
    waiting: list[str]
    round: int | None
    places: list[PlaceState]
    tournament: TournamentState | None


def tables_of(
    online: Mapping[str, bool],
    boards: Mapping[str, BoardScores | None],
    conflicts: Set[str],
    duplicates: Set[str],
    mirror: Mirror,
    translate: Translate,
    knew_hands: Callable[[Key], bool] = lambda key: False,
) -> list[TableState]:
    """Return the tables by name. `boards`: those that have sent a state; `conflicts`: those whose lines changed.

    `duplicates`: names that two tables seem to share. The score of a game whose hands are known only at the table
    (`knew_hands`) is taken from its board.
    """
    latest = mirror.latest()
    for name, game in latest.items():
        board = boards.get(name)
        if board and not game.over and (game.value is None or knew_hands(Key(game.table, game.game))):
            latest[name] = _with_board_scores(board, game)
    found = [
        _table(name, online.get(name, False), name in boards, latest.get(name), translate)
        for name in sorted({*online, *latest}, key=_natural)
    ]
    for table in found:
        table["conflict"], table["double"] = table["name"] in conflicts, table["name"] in duplicates
    return found


def _with_board_scores(board: BoardScores, game: GameResult) -> GameResult:
    """Return the game with the scores on the board, if that shows the same game."""
    header = decoded(game.header)
    if not isinstance(header, dict) or (header.get("game"), players_of(game)) != (board.game, list(board.players)):
        return game
    return game._replace(value=json.dumps([board.scores, board.winners, []]), over=board.over)


def _table(name: str, online: bool, board: bool, game: GameResult | None, translate: Translate) -> TableState:
    sides = sides_of(game, translate) if game else []
    header = decoded(game.header) if game else None
    title = title_of(str(header.get("game"))) if isinstance(header, dict) else ""
    return {
        "name": name,
        "online": online,
        "board": board,
        "conflict": False,
        "double": False,
        "game": game.id if game else None,
        "title": in_language(title, translate),
        "sides": sides,
        "over": bool(game and game.over),
    }


def sides_of(game: GameResult, translate: Translate) -> list[SideState]:
    """Return the sides of a game; none if its lines cannot be replayed."""
    players, value = players_of(game), decoded(game.value)
    if not isinstance(value, list) or not players:
        return []
    scores, winners = value[0], value[1]
    names = side_names(tuple(players), len(scores))
    return [
        {"name": in_language(name, translate), "score": score, "won": side in winners}
        for side, (name, score) in enumerate(zip(names, scores, strict=False))
    ]


def standings_of(mirror: Mirror, most: int | None = None) -> list[StandingState]:
    """Return the players, those with the most games won first; equal players share a rank."""
    found: list[StandingState] = []
    rows = sorted((-wins.won, wins.played, player) for player, wins in mirror.wins().items())
    for not_won, played, player in rows[:most]:
        same = found and (found[-1]["won"], found[-1]["played"]) == (-not_won, played)
        rank = found[-1]["rank"] if same else len(found) + 1
        found.append({"rank": rank, "player": player, "played": played, "won": -not_won})
    return found


def waiting_of(mirror: Mirror, seats: list[Seat], now: float | None = None) -> list[str]:
    """Return the players who are present (`PRESENT_S`) or have seats, and are not in an unfinished game."""
    since = (time.time() if now is None else now) - PRESENT_S
    latest = mirror.latest().values()
    busy = {player for game in latest if not game.over and mirror.heard(game) >= since for player in players_of(game)}
    present = {player for player, at in mirror.seen().items() if at >= since} | {seat.player for seat in seats}
    return sorted(present - busy)


def tournament_of(tournament: Tournament, most: int, translate: Translate) -> TournamentState | None:
    """Return what the wall shows of a tournament; None before it has begun."""
    if tournament.setup is None:
        return None
    rows: list[PlaceInTournament] = [
        {
            "rank": row.rank,
            "entrant": row.entrant,
            "score": in_language(row.score, translate),
            "more": in_language(row.more, translate),
            "field": row.field,
        }
        for row in standings(tournament)[:most]
    ]
    return {
        "name": tournament.setup.name,
        "round": tournament.round,
        "open": len(tournament.open_games()),
        "rows": rows,
    }


def places_of(seats: list[Seat]) -> list[PlaceState]:
    """Return the seats of a round by table."""
    found: dict[str, PlaceState] = {}
    for seat in sorted(seats, key=lambda seat: (_natural(seat.table), seat.seat)):
        place = found.setdefault(seat.table, {"table": seat.table, "players": [], "ready": True})
        place["players"].append(seat.player)
        place["ready"] = place["ready"] and seat.ready is not None
    return list(found.values())


def as_json(state: WallState) -> str:
    """Return the state as the JSON that is sent to a page."""
    return json.dumps(state, ensure_ascii=False)


def _natural(name: str) -> tuple[int, str, str]:
    """Sort key that puts `table-10` after `table-9`."""
    return len(name), name, ""


WALL: Final = Path(__file__).parent / "page"
MOST_WATCHERS: Final = 300
"""The most boards that may be open at once."""
_LOOK_S: Final = 0.2
"""Seconds between two looks at the state of a table."""
_GAMES: Final = 100
_NO_TABLE: Final = 4404
"""The WebSocket close code for a table that the club does not have."""
_GUESS_S: Final = 0.3
"""Seconds before an enrolment is answered, so that codes cannot be guessed quickly."""
_MOST_REQUEST: Final = 8_000
"""Size of the largest enrolment request, in bytes."""


class Ready(BaseModel):
    """Sent by the page of a table when its players are ready for a round."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    table: str
    round: int


class WantedCertificate(BaseModel):
    """Sent by a table to enrol: the signing `request` (PEM), and the proof that it knows the code (ASCII)."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    request: str
    proof: str = Field(pattern="^[ -~]*$")


_READY: Final = TypeAdapter(Ready)
_ENROLMENT: Final = TypeAdapter(WantedCertificate)


class Hub(Protocol):
    """What the pages need from the hub."""

    @property
    def store(self) -> Store:
        """The database of the hub."""
        ...

    @property
    def mirror(self) -> Mirror:
        """The games of all tables."""
        ...

    @property
    def receiver(self) -> Receiver:
        """The connection to the tables."""
        ...

    def ready(self, table: str, number: int) -> bool:
        """Store that a table is ready; return whether it has seats in that round."""

    def health(self, translate: Translate) -> list[TableHealth]:
        """Return the state of the tables, with sentences in the language of `translate`."""
        ...

    def show_message(self, tables: Sequence[str], message: str) -> dict[str, str | None]:
        """Show a message on the boards of tables; return for each why that failed, or None."""
        ...

    def enrol(self, request: bytes, proof: str, at: str) -> dict[str, object] | None:
        """Return the certificate and settings for a table; None if `proof` does not match a valid code.

        `request`: the certificate signing request (PEM). `proof`: its HMAC with the enrolment code. `at`: the address
        of this machine that the table used.
        """


class HubPages:
    """Serves the pages of `hub` until `close`. `access`: the director's PIN and devices, by default in memory.

    Raises `CardtableError` if the address or port cannot be used.
    """

    def __init__(self, config: HubConfig, hub: Hub, access: Access | None = None) -> None:
        self._hub = hub
        self._language, self._translate = config.language, translator(config.language)
        texts = {"language": config.language, "texts": catalogue(config.language)}
        self._texts = json.dumps(texts, ensure_ascii=False)
        self._watchers = 0
        self._worker = Worker("history")
        self._director = DirectorPages(config.name, hub, access or Access(), lambda: self._pages, self._translate)
        routes: list[BaseRoute] = [
            *self._director.routes(),
            Route("/texts.json", self._get_texts),
            Route("/ready", self._post_ready, methods=["POST"]),
            Route("/enrol", self._post_enrol, methods=["POST"]),
            Route("/games.json", self._in_turn(self._get_games)),
            Route("/statistics.json", self._in_turn(self._get_statistics)),
            Route("/games.csv", self._in_turn(self._get_csv)),
            Route("/games/{number:int}.jsonl", self._in_turn(self._get_record)),
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

    def show(self, state: str) -> None:
        """Show this state on every wall."""
        self._pages.show(lambda identity: state)

    def close(self) -> None:
        """Stop serving."""
        self._pages.close()
        self._worker.close()

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
            has_seats = await asyncio.to_thread(self._hub.ready, wanted.table, wanted.round)
        except StoreError:
            return self._refuse(text("Nothing can be stored now: try again in a minute."), 503)
        return json_answer({}) if has_seats else self._refuse(text("This table has no seats in that round."), 404)

    async def _post_enrol(self, request: Request) -> Response:
        try:
            wanted = await read_json(request, _ENROLMENT, _MOST_REQUEST)
        except BadRequest as bad:
            return self._refuse(str(bad), bad.status)
        await asyncio.sleep(_GUESS_S)
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

    def _in_turn(self, answer: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
        """Return an endpoint that makes one answer at a time, in a thread of its own."""

        async def endpoint(request: Request) -> Response:
            stranger = self._director.role(request) == "spectator"
            return await self._worker.answer(request, stranger, lambda: answer(request))

        return endpoint

    def _get_games(self, request: Request) -> Response:
        entries = self._hub.mirror.read(lambda games: games.entries(most=_GAMES, newest=True))
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

    def _get_statistics(self, request: Request) -> Response:
        found = self._hub.mirror.read(lambda games: statistics(games))
        rows = [row._asdict() | {"title": row.name and title_of(row.name)} for row in found]
        return json_answer({"standings": standings_of(self._hub.mirror), "rows": rows})

    def _get_csv(self, request: Request) -> Response:
        content = self._hub.mirror.read(lambda games: "".join(games_csv(games.entries())))
        headers = {"content-disposition": 'attachment; filename="games.csv"'}
        return Response(content, media_type="text/csv", headers=headers)

    def _get_record(self, request: Request) -> Response:
        game = self._hub.mirror.game(request.path_params["number"])
        if game is None:
            return self._refuse(text("There is no such game."), 404)
        try:
            if self._director.holds_back(request, game):
                return self._refuse(
                    text("Others have still to play these boards: the record can be read afterwards."), 403
                )
            lines = record_of(self._hub.store, game)
        except StoreError:
            return self._refuse(text("The database cannot be read now: try again in a minute."), 503)
        headers = {"content-disposition": f'attachment; filename="game-{game.id}.jsonl"'}
        return Response("".join(f"{line}\n" for line in lines), media_type="application/jsonl", headers=headers)

    async def _get_board(self, request: Request) -> Response:
        """Answer with the board of a table, or with a page that says why it cannot be shown."""
        name, receiver = request.path_params["name"], self._hub.receiver
        if name in receiver.states:
            return page(PAGE / "index.html")
        if name in receiver.online:
            message = "Table {table} has not sent its board yet. This page shows it as soon as it does."
            return board_unavailable(text(message, table=name), self._translate, self._language, again=True)
        return board_unavailable(
            text("There is no table {table} in this club.", table=name), self._translate, self._language
        )

    async def _live(self, page: WebSocket) -> None:
        """Send the states of a table as they arrive; messages of the page are ignored."""
        await page.accept()
        receiver = self._hub.receiver
        if page.path_params["name"] not in {*receiver.online, *receiver.states}:
            await page.close(_NO_TABLE, "there is no such table")
            return
        if self._watchers >= MOST_WATCHERS:
            await page.close(1013, "too many pages are open")
            return
        self._watchers += 1
        beats = BEAT_S if page.query_params.get("page") else math.inf
        sending = asyncio.create_task(self._send_states(page, page.path_params["name"], beats))
        try:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError, KeyError):
                while True:
                    await page.receive_text()
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            self._watchers -= 1

    async def _send_states(self, page: WebSocket, name: str, beats: float) -> None:
        """Send new states, and an empty object after `beats` seconds without one, as `Pages` does."""
        shown, sent = 0, 0.0
        while True:
            number, state = self._hub.receiver.states.get(name, (0, ""))
            if number != shown or time.monotonic() - sent > beats:
                await page.send_text("{}" if number == shown else state)
                shown, sent = number, time.monotonic()
            await asyncio.sleep(_LOOK_S)


def _anyone(connection: object, device: str | None) -> Identity:
    """Identify every page as one without rights: everybody sees the same."""
    return Identity(False)
