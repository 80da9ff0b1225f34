"""Access to the board: only requests that name this machine, from pages that this board has served.

By default the board listens on this machine only. But any web page opened here can make the browser send requests to
it, even under a foreign host name that resolves to this machine (DNS rebinding). Therefore the `Host` of each request
must be a name of this board, and its `Origin`, if the browser sends one, must be the same.
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
        b"manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),  # no other site can embed the camera's picture
    (b"cache-control", b"no-cache"),
)


def _name_of(authority: str) -> str:
    """Return the host in `host:port`, in lower case, without brackets."""
    if authority.startswith("["):
        return authority[1:].partition("]")[0].lower()
    return authority.partition(":")[0].lower().rstrip(".")


def is_loopback(address: str) -> bool:
    """Return whether a server at `address` can be reached from its own machine only."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


class Guard:
    """ASGI middleware: refuses foreign hosts and origins, and adds security headers to every response.

    `address`: the address the board is bound to. `hosts`: further names of the board.
    """

    def __init__(self, app: ASGIApp, address: str, hosts: Iterable[str] = ()) -> None:
        self._app = app
        self._names = {"localhost", address.lower(), *(host.lower() for host in hosts)}
        self._loopback_only = True
        if not is_loopback(address):
            self.let_network_in()

    def let_network_in(self) -> None:
        """Know this machine by its addresses and its name in the network, too."""
        self._loopback_only = False
        # No web site outside this network can have the name of this machine.
        own = socket.gethostname().lower()
        self._names |= {own, f"{own}.local"}

    def knows(self, authority: str) -> bool:
        """Return whether a `Host` header names this board. An IP address cannot be rebound; a foreign name can."""
        name = _name_of(authority)
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback if self._loopback_only else True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request to the application, or refuse it with status 403."""
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
