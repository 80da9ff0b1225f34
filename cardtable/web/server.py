"""The server of the board: sends the state to every page, and passes on what people enter there.

The main thread passes states in and receives observations and messages; the threads share nothing else. One server
serves all games of an evening: `watch` sets the cameras whose pictures it serves, `show` and `show_screen` the state.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from pydantic import ConfigDict, Field, TypeAdapter
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from cardtable.config.model import BoardConfig
from cardtable.languages import catalogue, translator
from cardtable.table.messages import (
    MESSAGE,
    SPECTATOR,
    BadMessage,
    CorrectionMessage,
    EveningMessage,
    Identity,
    MisfitState,
    Misread,
    Refusal,
    Role,
    Sender,
    read_message,
)
from cardtable.table.snapshot import Snapshot
from cardtable.table.sources import NO_GAME, Received
from cardtable.web.access import Access, Deed
from cardtable.web.connections import Places, device_of
from cardtable.web.https import Https
from cardtable.web.integrations import CameraCounts, Integrations
from cardtable.web.phones import AccessRoutes
from cardtable.web.rules import rules_page
from cardtable.web.screens import (
    AskState,
    AsleepState,
    Common,
    GameScreen,
    LobbyState,
    Menu,
    Result,
    ResultState,
    State,
    TableState,
)
from cardtable.web.serving import Pages, page, small_jpeg
from cardtable.web.state import Announced, HistoryLines, Rendering, announced_in, phone_states, state_of
from engine.observations import Said, UndoAsked
from engine.texts import Translate, in_language, text
from engine.views import View

if TYPE_CHECKING:
    from vision.camera_pipeline import CameraPipeline

ResultOf = Callable[[Snapshot], Result | None]
"""Returns the result of a finished game; None if it cannot be shown."""


_WIDTH: Final = 960
"""Largest width of a camera's picture on the page, pixels."""


class CameraPictures:
    """The pictures and figures of `cameras`. Called in any thread.

    `title`, `options`: the name and the options of the game that is played before them; empty between two games.
    """

    def __init__(
        self, cameras: Sequence[CameraPipeline], title: str = "", options: Mapping[str, object] | None = None
    ) -> None:
        self.title: Final = title
        self.options: Final = options or {}
        self.camera_names: Collection[str] = [camera.name for camera in cameras]
        self._cameras = tuple(cameras)

    def picture(self, name: str) -> bytes | None:
        """Return the last frame of the camera `name` as JPEG; None if there is none.

        An empty `name` stands for any camera, preferably one that misses corner marks.
        """
        named = (camera for camera in self._cameras if name in ("", camera.name))
        found = sorted(named, key=lambda camera: not camera.missing_marks)
        frame = next((camera.frame for camera in found if camera.frame is not None), None)
        return None if frame is None else small_jpeg(frame.image, _WIDTH, 80)

    def counts(self) -> list[CameraCounts]:
        """Return the figures of each camera."""
        return [
            CameraCounts(
                camera.name,
                camera.processed,
                camera.tracker.reads,
                len(camera.places),
                getattr(camera.source, "restarts", 0),
            )
            for camera in self._cameras
        ]


# The JSON Schema of what the board sends and accepts, at `/schema.json`. It is generated from the models of the
# messages (`cardtable.table.messages`) and the shapes of the states (`cardtable.web.screens`).

STATE: Final[TypeAdapter[Any]] = TypeAdapter(
    Annotated[State, Field(discriminator="screen")], config=ConfigDict(defer_build=True)
)
REFUSAL: Final = TypeAdapter(Refusal)


@cache
def interface_schema() -> dict[str, Any]:
    """Return the JSON Schema, draft 2020-12. `$defs` has every shape, `properties` the three kinds of messages."""
    schemas, shared = TypeAdapter.json_schemas(
        [("state", "validation", STATE), ("refusal", "validation", REFUSAL), ("message", "validation", MESSAGE)]
    )
    for base in (Common, TableState):  # pydantic does not read the docstrings of inherited keys
        inherited = TypeAdapter(base).json_schema()["properties"]
        for reference in schemas["state", "validation"]["oneOf"]:
            shape = shared["$defs"][reference["$ref"].rpartition("/")[2]]
            for key in shape["properties"].keys() & inherited.keys():
                about = inherited[key].get("description")
                if about:
                    shape["properties"][key].setdefault("description", about)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The board's interface",
        "description": "`state` and `refusal`: what the board sends; `message`: what it accepts.",
        "type": "object",
        "properties": {name: schema for (name, _), schema in schemas.items()},
        "$defs": shared["$defs"],
    }


# Answers that do not depend on the game: the page's files, the page of a phone, the schema.

PAGE: Final = Path(__file__).parent / "page"


async def get_files(request: Request) -> Response:
    """Answer with the names of all files of the page, for its service worker."""
    files = sorted(path.relative_to(PAGE).as_posix() for path in PAGE.rglob("*") if path.is_file())
    return JSONResponse({"files": ["./", "phone", "texts.json", *files]})


async def get_schema(request: Request) -> Response:
    """Answer with the JSON Schema of the interface."""
    return JSONResponse(interface_schema())


async def get_wall(request: Request) -> Response:
    """Answer with the board's page, which at this address is a wall: large, and without buttons."""
    return page(PAGE / "index.html")


async def get_phone_page(request: Request) -> Response:
    """Answer with the page of a phone."""
    return page(PAGE / "phone.html")


MISREAD: Final = "misread-claim"
"""The kind of the prompt after a phone has reported a misread card; the referee's own kind is `misread`."""


class Misreads:
    """The seats whose phones report that the table has misread a card. A report ends with the next accepted action."""

    def __init__(self) -> None:
        self._at: dict[int, int] = {}
        """The number of actions when each seat reported it."""

    def note(self, seat: int, n: int, over: bool) -> None:
        """Note that `seat` reports a misread card after `n` actions, or withdraws its report (`over`)."""
        self._at.pop(seat, None)
        if not over:
            self._at[seat] = n

    def added_to(self, state: Mapping[str, Any], translate: Translate) -> dict[str, Any]:
        """Return the state of a game with a prompt for each report."""
        if "prompts" not in state:
            return dict(state)
        asking = "{name}: the table has misread a card. Compare the cards on the table with those on the screen."
        prompts = [
            {"kind": MISREAD, "seat": seat, "text": prompt, "urgent": False, "spoken": prompt}
            for seat, n in sorted(self._at.items())
            if n == state["n"] and seat < len(state["seats"])
            for prompt in [in_language(text(asking, name=state["seats"][seat]["name"]), translate)]
        ]
        return {**state, "prompts": [*prompts, *state["prompts"]]}


def deed_of(
    wanted: Said | UndoAsked | Misread | CorrectionMessage | EveningMessage, last: int | None
) -> tuple[Deed, int | None]:
    """Return what a message asks for, which decides who may send it, and the seat that it concerns, if any.

    `last`: the seat of the last action.
    """
    if isinstance(wanted, Said):
        return ("say" if wanted.against is None else "accuse"), wanted.seat
    if isinstance(wanted, Misread):
        return "say", wanted.seat
    if isinstance(wanted, UndoAsked):
        return "undo", last
    return ("correct" if isinstance(wanted, CorrectionMessage) else "host"), None


def refusal_in(why: str, misfit: MisfitState | None, translate: Translate) -> Refusal:
    """Return the translated answer to a refused message. `misfit`: the later action that does not fit a correction."""
    refusal: Refusal = {"refused": in_language(why, translate)}
    if misfit is not None:
        refusal["misfit"] = {
            "action": in_language(misfit["action"], translate),
            "reason": in_language(misfit["reason"], translate),
            "lost": [in_language(each, translate) for each in misfit["lost"]],
        }
    return refusal


_LOG: Final = logging.getLogger(__name__)


class Board:
    """Serves the board that `config` describes until `close`. Raises `CardtableError` if the address cannot be used.

    `language`: the language of the page. `put` is called in the server's thread with everything that is entered on a
    page. `more`: further routes. `access`: who may do what, and the paired phones; without it, phones are forgotten
    when the program ends. `https`: the certificates for HTTPS. `url` has the address, also if the port in `config` is
    0, which stands for any free one.
    """

    def __init__(
        self,
        config: BoardConfig,
        language: str = "en",
        put: Callable[[Received], None] = lambda received: None,
        more: Sequence[BaseRoute] = (),
        access: Access | None = None,
        https: Https | None = None,
    ) -> None:
        self._translate = translator(language)
        self._history = HistoryLines(self._translate)
        texts = {"language": language, "texts": catalogue(language)}
        self._texts = json.dumps(texts, ensure_ascii=False)
        self._put = put
        self.access: Final = access or Access()
        self._players: tuple[str, ...] = ()
        self._last: int | None = None
        """The seat of the last action."""
        self._misreads = Misreads()
        self._connected: frozenset[int] = frozenset()
        """The ids of the paired phones with an open page."""
        self._version = self._n = self._seats = 0
        self._screen: State | None = None
        self._shown: Snapshot | None = None
        self._hands: tuple[tuple[str, ...], ...] = ()
        self._sending = threading.Lock()
        self._announced = Announced()
        self.integrations: Final = Integrations(
            lambda: self._screen, self._translate, PAGE, config.overlay_hands_s, config.overlay_key
        )
        self._listeners: list[Callable[[str], None]] = []
        self._watched: CameraPictures | None = None
        self._result_of: ResultOf | None = None
        phones = AccessRoutes(self.access, self.players, self.network, self._translate)
        self._identify = phones.identify
        routes: list[BaseRoute] = [
            Route("/texts.json", self._get_texts, middleware=[Middleware(GZipMiddleware)]),
            Route("/actions.json", self._get_actions),
            Route("/rules.json", self._get_rules),
            Route("/schema.json", get_schema),
            Route("/wall", get_wall, middleware=[Middleware(GZipMiddleware)]),
            Route("/phone", get_phone_page, middleware=[Middleware(GZipMiddleware)]),
            *phones.routes(),
            Route("/files.json", get_files),
            *self.integrations.routes,
            *more,
        ]
        self._pages = Pages(
            PAGE,
            self._hear,
            self._picture,
            config.listens_at,
            config.port,
            config.hosts,
            routes,
            identify=self._identify,
            counted=self._count,
            https=https,
        )
        self.port: Final = self._pages.port
        self.url: Final = self._pages.url
        self.access.changed = self._send_again

    def watch(self, watched: CameraPictures, result_of: ResultOf | None = None) -> None:
        """Serve the pictures and figures of these cameras; their `title` names the game in the next snapshots.

        `result_of` returns the result of a finished game, with which the page can choose what comes next.
        """
        self._watched = watched
        self._result_of = result_of
        self.integrations.measures.cameras = watched.counts

    def publish_to(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with each state that everybody may see, as JSON; it must return at once and raise nothing."""
        self._listeners.append(listener)

    def _picture(self, name: str) -> bytes | None:
        return self._watched.picture(name) if self._watched else None

    def show(self, snapshot: Snapshot, view_of: Callable[[int | None], View] | None = None) -> None:
        """Show a snapshot on every open page. Returns at once. Called in the thread of the game loop.

        `view_of` returns what a seat may see. Only a phone at that seat receives the hand in it.
        """
        self.integrations.measures.actions.inc(len(snapshot.news))
        watched = self._watched
        title, cameras = (watched.title, frozenset(watched.camera_names)) if watched else ("", frozenset[str]())
        state = state_of(snapshot, title, self._translate, cameras, self._history)
        result = self._result_of(snapshot) if self._result_of and snapshot.view.over else None
        ended = result and cast(ResultState, {**state, "screen": "result", "result": result})
        self._n, self._seats, self._shown = snapshot.n, len(snapshot.view.players), snapshot
        last = snapshot.history[-1].action.seat if snapshot.history else None
        self._last = last if isinstance(last, int) else None
        hands = [view_of(seat).hands[seat].cards for seat in range(self._seats)] if view_of else []
        self._show(ended or state, tuple(tuple(map(str, cards)) for cards in hands))

    def show_screen(self, state: LobbyState | GameScreen | ResultState | AsleepState) -> None:
        """Show a state whose texts are in the language of the board. Called from the main thread."""
        self._last = None
        self._shown = None
        self._show(state, ())

    def _show(self, state: State, hands: tuple[tuple[str, ...], ...]) -> None:
        with self._sending:
            self._screen, self._hands = state, hands
            self.integrations.hands.note(hands)
            if state["screen"] == "lobby":
                self._players = tuple(state["players"])
            elif state["screen"] != "asleep":
                self._players = tuple(seat["name"] for seat in state["seats"])
            self._send()

    def hear(self, source: str, seat: int, word: str) -> bool:
        """Accept a word that a seat has said at `source`; return whether that seat is playing. For any thread."""
        if self._shown is None or not 0 <= seat < self._seats:
            return False
        self._put(Received(Said(time.monotonic(), source, seat, word)))
        return True

    def players(self) -> tuple[str, ...]:
        """Return the names at the table, in seat order."""
        return self._players

    def role_of(self, request: HTTPConnection) -> Role:
        """Return the role of the sender of a request."""
        return self.access.sender(self._identify(request, device_of(request)), self._players).role

    def network(self) -> Pages:
        """Return what serves the board; it knows the address, and can let the network in."""
        return self._pages

    def announce(self, notice: str | None, menu: Menu | None, known: Iterable[str] = (), asks: bool = False) -> None:
        """Show a notice (a question if it `asks`) and a menu on any screen. Called from the main thread.

        `known`: the players who may join a game between two hands; those who already play are left out.
        """
        sentence = None if notice is None else in_language(notice, self._translate)
        self._announce(notice=sentence, menu=menu, remembered=tuple(known), asks=asks)

    def show_message(self, message: str) -> None:
        """Show a message from outside until the next one; an empty one removes it. For any thread."""
        self._announce(message=in_language(message, self._translate))

    def _announce(self, **changes: Any) -> None:
        with self._sending:
            announced = replace(self._announced, **changes)
            if announced != self._announced:
                self._announced = announced
                self._send()

    def close(self) -> None:
        """Stop serving; open pages say that the connection is lost. May be called twice."""
        self._pages.close()

    def _send(self) -> None:
        if self._screen is not None:
            self._version += 1
            self.integrations.measures.states.inc()
            players = self._players
            common = announced_in(self._screen, self._announced, players) | {"version": self._version}
            phones = phone_states(self.access.phones(), lambda phone: phone.seat_among(players), self._connected)
            state = self._misreads.added_to({**self._screen, **common}, self._translate)
            asks: list[AskState] = [{"id": a.id, "player": a.player, "device": a.about} for a in self.access.asks]
            rendering = Rendering(state, self.access.permissions, self._hands, self._last, phones, asks)

            def render(identity: Identity) -> str:
                return rendering.text_for(self.access.sender(identity, players), self.access.player_of(identity))

            self._pages.show(render)
            for listener in self._listeners:
                listener(rendering.text_for(SPECTATOR))

    def _send_again(self) -> None:
        """Send the state again because the phones or their reports have changed."""
        with self._sending:
            self._send()

    def _count(self, places: Places) -> None:
        self.integrations.measures.pages.set(len(places))
        connected = places.phones()
        if connected != self._connected:
            self._connected = connected
            self._send_again()

    async def _get_texts(self, request: Request) -> Response:
        return Response(self._texts, media_type="application/json")

    async def _get_actions(self, request: Request) -> Response:
        shown = self._shown
        return JSONResponse({"n": shown.n if shown else 0, "history": self._history.of(shown) if shown else []})

    async def _get_rules(self, request: Request) -> Response:
        game = request.query_params.get("game", "")
        try:
            page = rules_page(game, self._options_of(game), self._translate)
        except Exception as error:  # a package with games may be faulty in any way
            return JSONResponse({"refused": in_language(str(error), self._translate)}, 404)
        return JSONResponse(page) if page else Response(status_code=404)

    def _options_of(self, game: str) -> Mapping[str, object]:
        """Return the options of a game: those chosen in the lobby, or those with which it is played."""
        screen = self._screen
        if screen is not None and screen["screen"] == "lobby":
            chosen = next((each["options"] for each in screen["games"] if each["game"] == game), [])
            return {option["name"]: option["value"] for option in chosen}
        played = screen is not None and screen["screen"] != "asleep" and screen["game"] == game
        return self._watched.options if self._watched and played else {}

    async def _hear(self, message: str, identity: Identity) -> str | None:
        answer = await self._answer(message, self.access.sender(identity, self._players))
        self.integrations.measures.messages.labels("accepted" if answer is None else "refused").inc()
        return answer

    async def _answer(self, message: str, sender: Sender) -> str | None:
        try:
            wanted = read_message(message, time.monotonic(), self._n, self._seats)
        except BadMessage as error:
            return self._refuse(str(error))
        deed, seat = deed_of(wanted, self._last)
        name = self._players[seat] if seat is not None and seat < len(self._players) else ""
        refusal = self.access.permissions.refusal(sender, deed, seat, name)
        if refusal is not None:
            return self._refuse(refusal)
        if self._shown is None and not isinstance(wanted, EveningMessage):
            return self._refuse(NO_GAME)
        if isinstance(wanted, Misread):
            self._misreads.note(wanted.seat, self._n, wanted.over)
            self._send_again()
            return None
        future: Future[Refusal | None] = Future()
        self._put(Received(wanted, sender=sender, answer=future))
        # No page can send faster than the table works. What has been sent counts even if the page has gone.
        answer = await asyncio.shield(asyncio.wrap_future(future))
        return None if answer is None else self._refuse(answer["refused"], answer.get("misfit"))

    def _refuse(self, why: str, misfit: MisfitState | None = None) -> str:
        _LOG.info("ignored a message of a page: %s", why)
        return json.dumps(refusal_in(why, misfit, self._translate))
