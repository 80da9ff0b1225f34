"""The connections of the server: its addresses, which requests it accepts, and how many connections a device may have.

uvicorn accepts any number of connections and waits for ever for a client that sends or reads nothing, so one client
could use up the program's file descriptors, and no page could be opened any more. Therefore

- each device in the network has a limited number of connections; a further one closes the device's idlest;
- if all connections of the network are taken, a further one closes the idlest of the device with the most, but none of
  a paired device, and a page only if there is nothing else;
- if all places for pages are taken, a paired device gets that of one that is not;
- this machine has its own connections, which no device in the network can take;
- a client must send a whole request within seconds, and go on reading the answer; the server may take longer.

A connection that begins with a TLS handshake is HTTPS, on the same port as HTTP.
"""

from __future__ import annotations

import asyncio
import fcntl
import ipaddress
import logging
import socket
import ssl
import struct
import termios
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, cast
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cardtable.table.messages import HERE, Identity

# The address at which a browser in the network finds this machine.

_SIOCGIFADDR = 0x8915
"""The request for the IPv4 address of a network interface (netdevice(7))."""


def url_of(host: str, port: int) -> str:
    """Return the URL of a server that listens at `host` and `port`, as a phone in the network can open it.

    `0.0.0.0` and `::` stand for all addresses of this machine; the URL has the one in the network, or the loopback
    address without a network.

    >>> url_of("127.0.0.1", 8015), url_of("::1", 8015)
    ('http://127.0.0.1:8015', 'http://[::1]:8015')
    """
    try:
        if ipaddress.ip_address(host).is_unspecified:
            host = next(own_addresses(), "127.0.0.1")
    except ValueError:  # a name
        pass
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def phone_url(host: str, port: int, page: str = "phone") -> str | None:
    """Return the URL of a page for phones on a server at `host` and `port`; None if no other device can open it.

    >>> phone_url("192.168.1.9", 8015), phone_url("127.0.0.1", 8015)
    ('http://192.168.1.9:8015/phone', None)
    """
    url = url_of(host, port)
    name = urlsplit(url).hostname or ""
    try:
        if ipaddress.ip_address(name).is_loopback:
            return None
    except ValueError:  # a name
        if name == "localhost":
            return None
    return f"{url}/{page}"


def own_addresses() -> Iterator[str]:
    """Yield the IPv4 addresses of this machine, without loopback; the one used for the internet comes first."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address reserved for documentation; nothing is sent
            address = probe.getsockname()[0]
            if not ipaddress.ip_address(address).is_loopback:
                yield address
        except OSError:  # no route to the internet, as in a network that the Raspberry Pi itself provides
            pass
        for _, name in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(probe.fileno(), _SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
            except OSError:  # the interface has no address
                continue
            address = socket.inet_ntoa(answer[20:24])
            if not ipaddress.ip_address(address).is_loopback:
                yield address


# The guard accepts only requests that name this machine, from pages that this board has served.
#
# By default the board listens on this machine only. But any web page opened here can make the browser send requests to
# it, even under a foreign host name that resolves to this machine (DNS rebinding). Therefore the `Host` of each request
# must be a name of this board, and its `Origin`, if the browser sends one, must be the same.


def policy(styles: str = "") -> dict[str, str]:
    """Return the header that limits a page to the board's own files, and to `styles`: hashes of styles in the page."""
    return {
        "content-security-policy": f"default-src 'none'; script-src 'self'; style-src 'self' {styles}; "
        "img-src 'self' blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    }


_HEADERS: Final = (
    *((name.encode(), value.encode()) for name, value in policy().items()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),  # no other site can embed the camera's picture
    (b"cache-control", b"no-cache"),
)


def _name_of(authority: str) -> str:
    """Return the host of `host:port` in lower case, without brackets."""
    if authority.startswith("["):
        return authority[1:].partition("]")[0].lower()
    return authority.partition(":")[0].lower().rstrip(".")


TRUST_PATH: Final = "/trusted"
"""What a page that came over HTTP may ask for over HTTPS, to find out whether that works."""


def _is_own(origin: str, host: str, scope: Scope) -> bool:
    """Return whether a page of `origin` is one of this board's at `host`.

    Over HTTPS none that came over HTTP is, because anybody in the network could have changed it on the way.
    """
    scheme, _, authority = origin.lower().partition("://")
    secure = scope.get("scheme") in ("https", "wss") and scope["path"] != TRUST_PATH
    return authority == host.lower() and not (secure and scheme == "http")


def is_loopback(address: str) -> bool:
    """Return whether a server at `address` can be reached from its own machine only."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def host_name() -> str:
    """Return the name of this machine in its network, without a domain."""
    return socket.gethostname().lower().partition(".")[0]


HOME_DOMAINS: Final = ("local", "lan", "home", "fritz.box", "home.arpa", "internal", "localdomain")
"""What routers append to the names of machines; no website has a name in them."""


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
        """Also accept this machine's addresses and its name in the network."""
        self._loopback_only = False
        # No website outside this network can have the name of this machine, with or without a domain of home routers.
        name = host_name()
        self._names |= {name, *(f"{name}.{domain}" for domain in HOME_DOMAINS)}

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

    def _who_it_is(self, scope: Scope, host: str) -> str:
        address, port = scope.get("server") or ("127.0.0.1", 8015)
        return (
            f"This board is not called {_name_of(host)[:40]!a}: open {url_of(address, port)}, "
            "or add the name to hosts in [board]."
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request to the application, or refuse it with status 403."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        origin = headers.get("origin")
        if not self.knows(host):
            await _refuse(scope, receive, send, self._who_it_is(scope, host))
        elif origin is not None and not _is_own(origin, host, scope):
            await _refuse(scope, receive, send, "The board answers only to its own page.")
        else:
            await self._app(scope, receive, _with_headers(send))


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(header for header in _HEADERS if header[0] not in own)]
        await send(message)

    return sending


async def _refuse(scope: Scope, receive: Receive, send: Send, reason: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": reason[:120]})
    else:
        await PlainTextResponse(reason, status_code=403)(scope, receive, send)


# Places for open pages: how many the board serves, in all and to one device in the network.

MAX_PAGES: Final = 64
"""Pages that all devices in the network may have open; this machine may have as many again."""
MAX_PAGES_OF_DEVICE: Final = 16
"""Pages that one device in the network may have open."""


class Place:
    """The place of an open page. `changed` is set if there is a new state to send, `over` if the page must be closed.

    `identity`: who has opened the page. `page`: the name that the page has given itself, the same whenever it connects
    again; may be empty.
    """

    def __init__(self, device: str | None, identity: Identity = HERE, page: str = "") -> None:
        self.device: Final = device
        self.identity: Final = identity
        self.page: Final = page
        self.comes_first: Final = identity.phone is not None
        self.changed: Final = asyncio.Event()
        self.over: Final = asyncio.Event()


class Places:
    """The taken places, oldest first.

    The pages of this machine have separate places, so that no device in the network can take that of the table's
    display; if all of them are taken, the oldest page is closed. If all places of the network are taken, a paired
    device gets one of a device that is not; otherwise the device with the most pages loses its oldest to one that has
    fewer.
    """

    def __init__(self) -> None:
        self._taken: dict[Place, None] = {}

    def __iter__(self) -> Iterator[Place]:
        return iter(self._taken)

    def __len__(self) -> int:
        return len(self._taken)

    def phones(self) -> frozenset[int]:
        """Return the ids of the paired phones with an open page."""
        return frozenset(place.identity.phone for place in self._taken if place.identity.phone is not None)

    def take(self, device: str | None, identity: Identity = HERE, page: str = "") -> Place | None:
        """Return a place for a page of `device` (`device_of`), or None if the page must be turned away.

        The place that this `page` had before is given up: its connection has gone silent.
        """
        for place in self._taken:
            if page and place.page == page:
                place.over.set()
        taken = [place for place in self._taken if not place.over.is_set()]
        rivals = rivals_of(device, taken, identity.phone is not None)
        if rivals is None or (device is not None and rivals and rivals[0].device == device):
            return None
        if rivals:
            rivals[0].over.set()
        place = Place(device, identity, page)
        self._taken[place] = None
        return place

    def leave(self, place: Place) -> None:
        """Free a place."""
        self._taken.pop(place, None)


def rivals_of(device: str | None, taken: Sequence[Place], first: bool = False) -> Sequence[Place] | None:
    """Return the places of which one must be given up before `device` gets another; `first`: whether it comes first.

    Empty if there is room; None if the device must be turned away.
    """
    same = [each for each in taken if each.device == device]
    if len(same) >= (MAX_PAGES if device is None else MAX_PAGES_OF_DEVICE):
        return same
    others = [each for each in taken if each.device is not None]
    if device is None or len(others) < MAX_PAGES:
        return []
    later = [each for each in others if not each.comes_first]
    if first and later:
        giving: str | None = Counter(each.device for each in later).most_common(1)[0][0]
    else:
        later = others if first else later
        giving = crowded_out([each.device for each in later if each.device], device)
    return None if giving is None else [each for each in later if each.device == giving]


def crowded_out(devices: Sequence[str], newcomer: str) -> str | None:
    """Return the device that loses a place to `newcomer`; None if none has more than the newcomer would have.

    `devices`: the device of every taken place.

    >>> crowded_out(["a", "b", "b", "b"], "a"), crowded_out(["a", "b", "b"], "a")
    ('b', None)
    """
    counts = Counter(devices)
    most, count = max(counts.items(), key=lambda each: each[1], default=("", 0))
    return most if count > counts[newcomer] + 1 else None


def device_of(connection: HTTPConnection) -> str | None:
    """Return the device that a request comes from, or on which a page is open (see `device_at`)."""
    server, client = connection.scope.get("server"), connection.client
    return None if client is None else device_at(client.host, server[0] if server else None)


def device_at(client: str, server: str | None) -> str | None:
    """Return the device at the address `client`; None for this machine itself.

    `server`: the address of this machine to which the client is connected. A device is identified by its address, or
    for IPv6 outside this machine's own network by its network, in which a client can choose any number of addresses.
    """
    client, here = client.partition("%")[0], (server or "").partition("%")[0]
    if client == here:
        return None
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return client
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            network = ipaddress.ip_network((address, 64), strict=False)
            near = address.is_link_local or (":" in here and ipaddress.ip_address(here) in network)
            return None if address.is_loopback else str(address if near else network)
        address = address.ipv4_mapped
    return None if address.is_loopback else str(address)


_LOG: Final = logging.getLogger(__name__)


def _without_traceback(record: logging.LogRecord) -> bool:
    """Reduce uvicorn's report about a client that hangs up, or sends text that is not UTF-8, to one warning."""
    if record.exc_info and isinstance(record.exc_info[1], (UnicodeDecodeError, ClientDisconnect)):
        record.exc_info, record.levelno, record.levelname = None, logging.WARNING, "WARNING"
    return True


logging.getLogger("uvicorn.error").addFilter(_without_traceback)


MAX_CONNECTIONS: Final = 256
"""Connections of all devices in the network."""
MAX_CONNECTIONS_OF_DEVICE: Final = 64
"""Connections of one device in the network: its pages, and six for the requests of each browser."""
MAX_LOCAL_CONNECTIONS: Final = 256
"""Connections of this machine. A further one closes the idlest."""
REQUEST_S: Final = 10.0
"""Seconds within which a client must send a whole request, or `UPLOAD_BYTES` of one, from the connection or the last
response."""
UPLOAD_BYTES: Final = 65_536
READING_S: Final = 10.0
"""Seconds for which a client may leave data unread."""
CHECK_S: Final = 0.5
"""Seconds between two checks."""
_HANDSHAKE: Final = b"\x16"
"""The first byte of TLS, and of no HTTP request."""


class Connections:
    """The open connections of a server. Used in the thread of its event loop only.

    `tls` returns the TLS settings for connections to an address of this machine; without it there is no HTTPS.
    """

    def __init__(self, tls: Callable[[str], ssl.SSLContext] | None = None) -> None:
        self.tls: Final = tls
        self._open: dict[Connection, None] = {}
        """Oldest first."""

    def __len__(self) -> int:
        return len(self._open)

    def guarded(self, protocol: Callable[..., asyncio.Protocol]) -> Callable[..., asyncio.Protocol]:
        """Return a factory like `protocol` whose connections are counted and limited."""
        return lambda **options: Connection(protocol(**options), self)

    def admit(self, connection: Connection) -> bool:
        """Count a connection, and close another one if there are too many. Return False if it must itself be closed."""
        device, same = connection.device, [each for each in self._open if each.device == connection.device]
        connection.comes_first = any(each.comes_first for each in same)
        others = [each for each in self._open if each.device is not None]
        rivals = []
        if len(same) >= (MAX_LOCAL_CONNECTIONS if device is None else MAX_CONNECTIONS_OF_DEVICE):
            rivals = same
        elif device is not None and len(others) >= MAX_CONNECTIONS:
            rivals = [each for each in others if not each.comes_first]
            if not rivals:
                return False
        if rivals:
            counts = Counter(each.device for each in rivals)
            closed = min(rivals, key=lambda each: (each.upgraded, -counts[each.device], each.active_at))
            self.leave(closed)  # at once: others may come before it is lost
            closed.abort()
        self._open[connection] = None
        return True

    def favour(self, peer: object) -> None:
        """Let the device at the other end of a connection come first: it is paired. `peer`: its address and port."""
        for connection in self._open:
            connection.comes_first = connection.comes_first or connection.peer == peer

    def leave(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
        self._open.pop(connection, None)

    async def watch(self) -> None:
        """Close connections that are overdue, until cancelled."""
        now = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(CHECK_S)
            for connection in list(self._open):
                if connection.is_overdue(now()):
                    _LOG.info("a connection of %s is closed: no request, or nothing read", connection.address)
                    connection.abort()


class Connection(asyncio.Protocol):
    """A connection that passes everything on to the protocol `inner` and notes when it was last active.

    `comes_first`: whether the device is paired. `device`: see `device_at`. `peer`: its address and port. `upgraded`:
    whether it is a WebSocket, which uvicorn checks with pings. `active_at`: the time of the connection or of the last
    bytes of an answer, in seconds of the event loop's clock.
    """

    comes_first = False

    def __init__(self, inner: asyncio.Protocol, connections: Connections) -> None:
        self._new = True
        """Whether nothing has been received."""
        self._handshake: asyncio.Task[None] | None = None
        """The TLS handshake, while it lasts."""
        self._early = bytearray()
        """What was decrypted before the handshake was noticed to be over."""
        self.device: str | None = None
        self.address = "?"
        self.peer: tuple[str, int] | None = None
        self.upgraded = False
        self.active_at = 0.0
        self._inner = inner
        self._connections = connections
        self._transport: asyncio.Transport | None = None
        self._written = 0
        self._read = 0
        """Bytes that had left the write buffer at the last check."""
        self._read_at = 0.0
        """When that number last changed, or nothing was left to read."""
        self._received = 0
        """Bytes of a request since `active_at`."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Pass the connection on, or close it."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        peer, host = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        if peer:  # None if the client has already gone
            self.address, self.peer = str(peer[0]), peer[:2]
            self.device = device_at(self.address, host[0] if host else None)
        self.active_at = self._read_at = asyncio.get_running_loop().time()
        if self._connections.admit(self):
            self._inner.connection_made(cast(asyncio.Transport, _Transport(transport, self)))
        else:
            self._inner = asyncio.Protocol()  # which does nothing
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass it on."""
        self._connections.leave(self)
        self._inner.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass it on, or begin a TLS handshake."""
        if self._handshake is not None:
            self._early += data
            return
        if self._new and data.startswith(_HANDSHAKE) and self._connections.tls is not None and self._transport:
            self._transport.pause_reading()
            self._handshake = asyncio.create_task(self._secure(data, self._connections.tls))
            return
        self._new = False
        self._received += len(data)
        if self._received >= UPLOAD_BYTES:
            self._note_activity()
        self._inner.data_received(data)

    async def _secure(self, hello: bytes, tls: Callable[[str], ssl.SSLContext]) -> None:
        """Shake hands with a client whose first bytes are `hello`, then pass on what is decrypted."""
        plain, loop = self._transport, asyncio.get_running_loop()
        assert plain is not None
        try:
            context = tls(plain.get_extra_info("sockname")[0])
            starting = loop.create_task(loop.start_tls(plain, self, context, server_side=True))
            await asyncio.sleep(0)  # until asyncio's protocol is in place, which is given the bytes, too
            shaking: Any = plain.get_protocol()
            shaking.get_buffer(len(hello))[: len(hello)] = hello
            shaking.buffer_updated(len(hello))
            self._transport = await starting
        except (OSError, TypeError, RuntimeError) as error:  # no handshake, or closed meanwhile
            _LOG.info("no TLS handshake with %s: %s", self.address, error)
        if self._transport is plain or self._transport is None or plain.is_closing():
            plain.abort()
            self.connection_lost(None)
            return
        self._inner.connection_made(cast(asyncio.Transport, _Transport(self._transport, self)))
        self._new, self._handshake = False, None
        if self._early:
            self.data_received(bytes(self._early))

    def eof_received(self) -> bool | None:
        """Pass it on."""
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        """Pass it on."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Pass it on."""
        self._inner.resume_writing()

    def wrote(self, count: int) -> None:
        """Note that the server wrote `count` bytes."""
        self._written += count
        self._note_activity()

    def _note_activity(self) -> None:
        self.active_at, self._received = asyncio.get_running_loop().time(), 0

    def upgrade(self, inner: asyncio.Protocol) -> None:
        """Pass everything on to another protocol from now on."""
        self._inner, self.upgraded = inner, True

    def is_overdue(self, now: float) -> bool:
        """Return whether the client has not sent a request or read data for too long."""
        waiting = self._unread()
        if self._written - waiting != self._read:
            self._note_activity()  # it reads a long answer
        if not waiting or self._written - waiting != self._read:
            self._read, self._read_at = self._written - waiting, now
        busy = self.upgraded or waiting or self._is_answering()
        silent = not busy and now - self.active_at > REQUEST_S
        return silent or now - self._read_at > READING_S

    def _unread(self) -> int:
        """Return how many bytes the client has not read, here or in the system's buffer."""
        if self._transport is None:
            return 0
        connected = self._transport.get_extra_info("socket")
        try:
            queued = struct.unpack("i", fcntl.ioctl(connected.fileno(), termios.TIOCOUTQ, bytes(4)))[0]
        except (AttributeError, OSError):  # closed
            queued = 0
        return self._transport.get_write_buffer_size() + int(queued)

    def _is_answering(self) -> bool:
        """Return whether the server works on the answer to a whole request, as uvicorn's protocol knows."""
        cycle = getattr(self._inner, "cycle", None)
        return cycle is not None and not cycle.more_body and not cycle.response_complete

    def abort(self) -> None:
        """Close the connection at once; data that the client has not read is lost, even in the system's buffer."""
        if self._transport is not None:
            if (connected := self._transport.get_extra_info("socket")) is not None:
                connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._transport.abort()


class _Transport:
    """An `asyncio.Transport` that reports to a `Connection` what is written, and its new protocol."""

    def __init__(self, transport: asyncio.Transport, connection: Connection) -> None:
        self._transport = transport
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        self._transport.write(data)
        self._connection.wrote(len(data))

    def writelines(self, data: Iterable[bytes]) -> None:
        self.write(b"".join(data))

    def set_protocol(self, protocol: asyncio.Protocol) -> None:
        self._connection.upgrade(protocol)
