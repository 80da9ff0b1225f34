"""Who may talk to the board: requests that name this machine, from pages that this board has served.

The board listens on this machine alone unless configured otherwise. But any web page that someone opens here can make
the browser send requests to it, also under a name of its own that it has pointed here (DNS rebinding). So the
`Host` of every request must be one we are called by, and the `Origin`, where the browser names one, the same.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS: Final = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),  # no other page shows what the camera sees
    (b"cache-control", b"no-cache"),
)


def _name_of(authority: str) -> str:
    """The host in `host:port`, small letters, without brackets."""
    if authority.startswith("["):
        return authority[1:].partition("]")[0].lower()
    return authority.partition(":")[0].lower().rstrip(".")


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


class Guard:
    """ASGI middleware: refuses foreign hosts and origins, and adds the headers that keep the page to itself.

    `address`: what the board is bound to. `hosts`: further names that it is called by.
    """

    def __init__(self, app: ASGIApp, address: str, hosts: Iterable[str] = ()) -> None:
        self._app = app
        self._names = {"localhost", address.lower(), *(host.lower() for host in hosts)}
        self._loopback_only = _is_loopback(address)
        if not self._loopback_only:
            # No other web site can be called as this machine is called in its own network.
            own = socket.gethostname().lower()
            self._names |= {own, f"{own}.local"}

    def knows(self, authority: str) -> bool:
        """Whether a `Host` header names this board. A bare address cannot be rebound, a foreign name can."""
        name = _name_of(authority)
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback if self._loopback_only else True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        origin = headers.get("origin")
        if not self.knows(host):
            await _refuse(scope, receive, send, f"This board is not called {host!r}: open it by its address.")
        elif origin is not None and origin.partition("://")[2].lower() != host.lower():
            await _refuse(scope, receive, send, "The board answers only to its own page.")
        else:
            await self._app(scope, receive, _with_headers(send))


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *_HEADERS]
        await send(message)

    return sending


async def _refuse(scope: Scope, receive: Receive, send: Send, reason: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": reason[:120]})
    else:
        await PlainTextResponse(reason, status_code=403)(scope, receive, send)
