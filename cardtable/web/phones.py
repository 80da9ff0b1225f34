"""The HTTP requests that pair phones and make a device the director's; docs/how-to/phones.md lists them.

All of them are POST requests with a JSON object. The answer is also a JSON object. A refusal has one key, `refused`,
with a sentence, and the status 403, or 429 if waiting is the only remedy. A request that a device repeats with the same
header `Idempotency-Key` is carried out once, and has the same answer again.

    GET /app             the page that guides a phone through trusting the table's authority
    GET /card-table.crt  the certificate of this authority
    GET /trusted         {"now": seconds since 1970}; 404 without HTTPS. A page asks for it over HTTPS to try that.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from cardtable.config.model import LONGEST_NAME
from cardtable.errors import CardtableError
from cardtable.table.messages import Identity, Sender
from cardtable.web.access import Access, Asking, Choosing, Denied, Paired
from cardtable.web.connections import TRUST_PATH, device_of, host_name, phone_url, url_of
from cardtable.web.https import covers
from cardtable.web.serving import BadRequest, Pages, json_answer, page, read_json, refusal
from engine.texts import Translate, text

_COOKIE_S: Final = 400 * 24 * 3600
"""Lifetime of the cookie in seconds: the longest that browsers allow."""
_FORWARDED: Final = ("forwarded", "x-forwarded-for", "x-real-ip")
"""Headers of a proxy: the requests that a proxy on this machine forwards do not come from this machine."""
_MOST_REMEMBERED: Final = 256
"""Requests with a key whose answers are remembered."""
_MOST_KEY: Final = 64
"""Letters of a key."""
_DEVICES: Final = ("iPhone", "iPad", "Android", "Windows", "Macintosh", "Linux")
_APP: Final = Path(__file__).parent / "page" / "app.html"
Body = TypeVar("Body", bound="_Body")


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Nothing(_Body):
    """An empty object."""


class OfSeat(_Body):
    """A seat; None for all."""

    seat: int | None = Field(default=None, ge=0, le=15)


class WrittenCode(_Body):
    """A code as it was typed, and the player that was chosen for a code that is for all phones."""

    code: str = Field(max_length=32)
    player: str | None = Field(default=None, max_length=LONGEST_NAME)


class Answer(_Body):
    """The answer to a phone that asks for a place that has a phone already."""

    id: int
    allowed: bool


class OfPhone(_Body):
    """The id of a paired device."""

    id: int


class OfGame(_Body):
    """The number of a game."""

    id: int = Field(ge=0)


class WrittenPin(_Body):
    """A PIN as it was typed."""

    pin: str = Field(max_length=32)


class NewPin(_Body):
    """A new PIN; None removes it."""

    pin: str | None = Field(max_length=32)


BODIES: Final[Sequence[type[_Body]]] = (Nothing, OfSeat, WrittenCode, Answer, OfPhone, OfGame, WrittenPin, NewPin)


class AccessRoutes:
    """The routes for `access`.

    `players` returns the names at the table, in seat order, and `pages` what serves the board. `translate`: into the
    language of the board.
    """

    def __init__(
        self,
        access: Access,
        players: Callable[[], tuple[str, ...]],
        pages: Callable[[], Pages],
        translate: Translate,
    ) -> None:
        self._access = access
        self._players = players
        self._pages = pages
        self._translate = translate
        self._asked: dict[tuple[str | None, str, str], asyncio.Future[dict[str, Any]]] = {}
        """The requests with a key, by device, path and key; oldest first."""

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            Route("/phone/code", self._post(OfSeat, self._make_code), methods=["POST"]),
            Route("/phone/hide", self._post(OfSeat, self._hide_code), methods=["POST"]),
            Route("/phone/pair", self._post(WrittenCode, self._pair), methods=["POST"]),
            Route("/phone/answer", self._post(Answer, self._answer_phone), methods=["POST"]),
            Route("/phone/leave", self._post(Nothing, self._leave), methods=["POST"]),
            Route("/phone/remove", self._post(OfPhone, self._remove), methods=["POST"]),
            Route("/phone/network", self._post(Nothing, self._let_network_in), methods=["POST"]),
            Route("/phone/app", self._post(Nothing, self._show_app), methods=["POST"]),
            Route("/phone/screens", self._post(Nothing, self._show_screens), methods=["POST"]),
            Route("/phone/keepsake", self._post(OfGame, self._show_keepsake), methods=["POST"]),
            Route("/phone/secure", self._post(Nothing, self._secure), methods=["POST"]),
            Route("/app", self._get_app_page, middleware=[Middleware(GZipMiddleware)]),
            Route("/card-table.crt", self._get_authority),
            Route(TRUST_PATH, self._get_trusted),
            Route("/director", self._post(WrittenPin, self._enter_pin), methods=["POST"]),
            Route("/director/pin", self._post(NewPin, self._set_pin), methods=["POST"]),
        ]

    def identify(self, connection: HTTPConnection, device: str | None) -> Identity:
        """Return the identity of a connection, from its cookie.

        A browser on this machine is the board, even with the cookie of a phone, unless it asks for `?as=phone`. With
        `?as=spectator`, as walls and overlays ask, it only watches.
        """
        wanted = connection.query_params.get("as")
        if wanted == "spectator":
            return self._access.identify(False, None)
        here = device is None and not any(name in connection.headers for name in _FORWARDED)
        token = self._token(connection) if wanted == "phone" or not here else None
        return self._access.identify(here, token)

    @property
    def _cookie(self) -> str:
        return f"cardtable-{self._pages().address[1]}"  # browsers do not keep ports apart

    @property
    def _secure_cookie(self) -> str:
        return f"__Host-{self._cookie}"  # which browsers accept and send over HTTPS only

    def _token(self, connection: HTTPConnection) -> str | None:
        """Return what the cookie of a device says; over HTTPS also that from before it trusted the table."""
        secure = connection.cookies.get(self._secure_cookie) if _is_secure(connection) else None
        return secure or connection.cookies.get(self._cookie)

    def _post(
        self, kind: type[Body], do: Callable[[Body, Request, Identity], dict[str, Any]]
    ) -> Callable[[Request], Awaitable[Response]]:
        adapter = TypeAdapter(kind)

        async def endpoint(request: Request) -> Response:
            try:
                wanted = await read_json(request, adapter)
            except BadRequest as bad:
                return refusal(bad.status, str(bad), self._translate)
            try:
                done = await self._once(request, lambda: do(wanted, request, self._phone_of(request)))
            except Denied as denied:
                return refusal(429 if denied.wait else 403, str(denied), self._translate)
            except CardtableError as error:
                return refusal(503, str(error), self._translate)
            return self._answer(dict(done), _is_secure(request))

        return endpoint

    async def _once(self, request: Request, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return what `work` returns, which is called in a thread unless that has been done for this request."""
        key = request.headers.get("idempotency-key", "")[:_MOST_KEY]
        if not key:
            return await asyncio.to_thread(work)
        same = device_of(request), request.url.path, key
        if same not in self._asked:
            self._asked[same] = asyncio.ensure_future(asyncio.to_thread(work))
            if len(self._asked) > _MOST_REMEMBERED:
                del self._asked[next(iter(self._asked))]
        return await asyncio.shield(self._asked[same])

    def _phone_of(self, request: Request) -> Identity:
        """Return the identity of the sender of a request."""
        return self.identify(request, device_of(request))

    def _answer(self, done: dict[str, Any], secure: bool) -> Response:
        token = done.pop("token", None)
        response = json_answer(done)
        if token is not None:
            cookies = {self._cookie: "" if secure else token} | ({self._secure_cookie: token} if secure else {})
            for name, value in cookies.items():
                age, only_secure = _COOKIE_S if value else 0, name == self._secure_cookie
                response.set_cookie(name, value, age, path="/", secure=only_secure, httponly=True, samesite="strict")
        return response

    # The table as an app

    async def _get_app_page(self, request: Request) -> Response:
        """Answer with the guide, at an address that the authority can vouch for."""
        address, port = request.scope["server"]
        if covers(request.url.hostname or ""):
            return page(_APP)
        better = address if covers(address) else f"{host_name()}.local"
        return RedirectResponse(f"{url_of(better, port)}/app", headers={"cache-control": "no-store"})

    async def _get_authority(self, request: Request) -> Response:
        https = self._pages().https
        if https is None:
            return Response(status_code=404)
        return Response(https.certificate, media_type="application/x-x509-ca-cert")

    async def _get_trusted(self, request: Request) -> Response:
        answer = json_answer({"now": time.time()}, 200 if self._pages().https else 404)
        answer.headers["access-control-allow-origin"] = "*"
        return answer

    def _show_app(self, wanted: Nothing, request: Request, identity: Identity) -> dict[str, Any]:
        self._only(identity, "board", "director")
        url = phone_url(*self._pages().address, page="app")
        return {"url": url, "qr": _qr(url)}

    def _show_screens(self, wanted: Nothing, request: Request, identity: Identity) -> dict[str, Any]:
        """Return where a computer finds the page about streaming, and a large screen the wall."""
        self._only(identity, "board", "director")
        return {page: phone_url(*self._pages().address, page=page) for page in ("streaming", "wall")}

    def _show_keepsake(self, wanted: OfGame, request: Request, identity: Identity) -> dict[str, Any]:
        """Return where a phone finds the picture of the evening of a game."""
        self._only(identity, "board", "director")
        url = phone_url(*self._pages().address, page=f"history/keepsake.png?id={wanted.id}")
        return {"url": url, "qr": _qr(url)}

    def _secure(self, wanted: Nothing, request: Request, identity: Identity) -> dict[str, Any]:
        """Take over a device that was paired over HTTP, whose token anybody in the network may have seen."""
        passed = _is_secure(request) and self._secure_cookie not in request.cookies
        paired = self._access.renew(self._as_phone(request)) if passed else None
        return self._paired(paired) if paired else {}

    # Handling the requests

    def _sender(self, identity: Identity) -> Sender:
        return self._access.sender(identity, self._players())

    def _only(self, identity: Identity, *roles: Literal["board", "director"]) -> None:
        if self._sender(identity).role not in roles:
            if "director" in roles:
                raise Denied(text("This is for the board and the director only."))
            raise Denied(text("This is for the board only: do it at the table."))

    def _player(self, wanted: OfSeat, identity: Identity) -> str | None:
        self._only(identity, "board", "director")
        if wanted.seat is None:
            return None
        players = self._players()
        if wanted.seat >= len(players):
            raise Denied(text("Nobody sits there: choose another seat."))
        return players[wanted.seat]

    def _make_code(self, wanted: OfSeat, request: Request, identity: Identity) -> dict[str, Any]:
        player = self._player(wanted, identity)
        code = self._access.make_code(player, wanted.seat or 0)
        url = phone_url(*self._pages().address)
        link = None if url is None else f"{url}#{code.code}"
        return {
            "player": player,
            "code": code.code,
            "seconds": round(code.until - self._access.seconds()),
            "url": url,
            "qr": _qr(link),
        }

    def _hide_code(self, wanted: OfSeat, request: Request, identity: Identity) -> dict[str, Any]:
        self._access.withdraw_codes(self._player(wanted, identity))
        return {}

    def _pair(self, wanted: WrittenCode, request: Request, identity: Identity) -> dict[str, Any]:
        """Pair a phone; or say who sits at the table, or that the board is asked."""
        players, phone = self._players(), self._as_phone(request)
        chosen = next(((name, seat) for seat, name in enumerate(players) if name == wanted.player), None)
        try:
            return self._paired(self._access.pair(wanted.code, phone, device_of(request), _device(request), chosen))
        except Choosing:
            return {"seats": [{"name": name, "held": self._access.is_held(name, phone)} for name in players]}
        except Asking as asking:
            return {"ask": asking.secret}

    def _answer_phone(self, wanted: Answer, request: Request, identity: Identity) -> dict[str, Any]:
        self._only(identity, "board", "director")
        self._access.answer(wanted.id, wanted.allowed)
        return {}

    def _leave(self, wanted: Nothing, request: Request, identity: Identity) -> dict[str, Any]:
        phone = self._as_phone(request).phone
        if phone is not None:
            self._access.remove(phone)
        return {"token": ""}

    def _remove(self, wanted: OfPhone, request: Request, identity: Identity) -> dict[str, Any]:
        self._only(identity, "board", "director")
        self._access.remove(wanted.id)
        return {}

    def _let_network_in(self, wanted: Nothing, request: Request, identity: Identity) -> dict[str, Any]:
        self._only(identity, "board")
        self._pages().let_network_in()
        return {}

    def _enter_pin(self, wanted: WrittenPin, request: Request, identity: Identity) -> dict[str, Any]:
        phone = self._as_phone(request)
        guessing = identity if phone.phone is None else phone
        return self._paired(self._access.enter_pin(wanted.pin, guessing, device_of(request), _device(request)))

    def _set_pin(self, wanted: NewPin, request: Request, identity: Identity) -> dict[str, Any]:
        self._only(identity, "board")
        self._access.set_pin(wanted.pin)
        return {}

    def _as_phone(self, request: Request) -> Identity:
        """Return the identity of the phone whose cookie the request has, even on this machine."""
        return self._access.identify(False, self._token(request))

    def _paired(self, paired: Paired) -> dict[str, Any]:
        sender = self._sender(Identity(False, paired.phone))
        return {"token": paired.token, "role": sender.role, "seat": sender.seat, "name": sender.name}


def _is_secure(connection: HTTPConnection) -> bool:
    return connection.scope["scheme"] in ("https", "wss")


def _qr(link: str | None) -> list[list[int]] | None:
    from cardtable.paper.drawings import qr_pattern  # loads OpenCV, which safe mode must not need

    return None if link is None else [[int(dark) for dark in row] for row in qr_pattern(link)]


def _device(request: Request) -> str:
    """Return the system that the browser reports; empty if it is unknown."""
    agent = request.headers.get("user-agent", "")
    return next((name for name in _DEVICES if name in agent), "")
