"""TCP connections of the server: how many a device may have, and which are closed because they block a place.

uvicorn accepts any number of connections, and waits for ever for a client that sends nothing, or that reads nothing. So
one client could use up the file descriptors of the program, and no page could be opened any more. Here

- each device in the network has a number of connections; a further one closes the device's idlest;
- if the network has all of its connections, the device with the most gives one up to a device that has fewer;
- this machine has connections of its own, which no device in the network can take;
- a client must send a whole request, and read what it is sent, within seconds.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, cast

from cardtable.board.places import crowded_out, device_at

_LOG: Final = logging.getLogger(__name__)


def _without_traceback(record: logging.LogRecord) -> bool:
    """Leave one line of what uvicorn reports about text that is not UTF-8: the client's mistake, not the program's."""
    if record.exc_info and isinstance(record.exc_info[1], UnicodeDecodeError):
        record.exc_info, record.levelno, record.levelname = None, logging.WARNING, "WARNING"
    return True


logging.getLogger("uvicorn.error").addFilter(_without_traceback)


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Numbers and times of connections."""

    network: int = 256
    """Connections of all devices in the network."""
    device: int = 64
    """Connections of one device in the network: its pages, and six for requests of each browser."""
    own: int = 256
    """Connections of this machine. One more closes the idlest."""
    request_s: float = 10.0
    """Seconds within which a client must send a whole request, counted from the connection or the last response."""
    reading_s: float = 10.0
    """Seconds for which a client may read nothing of what it is sent."""
    check_s: float = 0.5
    """Seconds between two checks."""


DEFAULTS: Final = ConnectionLimits()


class Connections:
    """The open connections of a server. Used in the thread of its event loop only."""

    def __init__(self, limits: ConnectionLimits = DEFAULTS) -> None:
        self.limits: Final = limits
        self._open: dict[Connection, None] = {}
        """Oldest first."""

    def __len__(self) -> int:
        return len(self._open)

    def guarded(self, protocol: Callable[..., asyncio.Protocol]) -> Callable[..., asyncio.Protocol]:
        """Return a factory of protocols like `protocol`, whose connections are counted and limited."""
        return lambda **options: Connection(protocol(**options), self)

    def admit(self, connection: Connection) -> bool:
        """Count a connection, and close another one if there are too many. Return False if it must be closed itself."""
        limits, device = self.limits, connection.device
        own = [other for other in self._open if other.device is None]
        if device is None:
            if len(own) >= limits.own:
                _close_idlest(own)
        else:
            network = [other for other in self._open if other.device is not None]
            same = [other for other in network if other.device == device]
            if len(same) >= limits.device:
                _close_idlest(same)
            elif len(network) >= limits.network:
                giving = crowded_out([other.device for other in network if other.device], device)
                if giving is None:
                    return False
                _close_idlest(other for other in network if other.device == giving)
        self._open[connection] = None
        return True

    def leave(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
        self._open.pop(connection, None)

    async def watch(self) -> None:
        """Close connections that are overdue, until cancelled."""
        now = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(self.limits.check_s)
            for connection in list(self._open):
                if connection.is_overdue(now()):
                    _LOG.info("a connection of %s is closed: no request, or nothing read", connection.address)
                    connection.abort()


def _close_idlest(connections: Iterable[Connection]) -> None:
    """Close one of the connections: a page only if there is nothing else, and the one that was idle for longest."""
    min(connections, key=lambda connection: (connection.upgraded, connection.active_at)).abort()


class Connection(asyncio.Protocol):
    """A connection that passes everything on to the protocol `inner`, and knows when something came of it.

    `device`: see `device_at`. `upgraded`: whether it is a WebSocket, for which uvicorn's pings are responsible.
    `active_at`: time of the connection or of the last bytes written, in seconds of the event loop's clock.
    """

    def __init__(self, inner: asyncio.Protocol, connections: Connections) -> None:
        self.device: str | None = None
        self.address = "?"
        self.upgraded = False
        self.active_at = 0.0
        self._inner = inner
        self._connections = connections
        self._transport: asyncio.Transport | None = None
        self._written = 0
        self._read = 0
        """Bytes that had left the write buffer at the last check."""
        self._read_at = 0.0
        """When that number changed, or there was nothing to read."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Pass the connection on, or close it."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        peer, own = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        if peer:  # None if the client is gone already
            self.address = str(peer[0])
            self.device = device_at(self.address, own[0] if own else None)
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
        """Pass it on."""
        self._inner.data_received(data)

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
        self.active_at = asyncio.get_running_loop().time()

    def upgrade(self, inner: asyncio.Protocol) -> None:
        """Pass everything on to another protocol from now on."""
        self._inner, self.upgraded = inner, True

    def is_overdue(self, now: float) -> bool:
        """Return whether the client has sent no request, or read nothing, for too long."""
        limits, waiting = self._connections.limits, self._transport.get_write_buffer_size() if self._transport else 0
        if not waiting or self._written - waiting != self._read:
            self._read, self._read_at = self._written - waiting, now
        silent = not self.upgraded and now - self.active_at > limits.request_s
        return silent or now - self._read_at > limits.reading_s

    def abort(self) -> None:
        """Close the connection at once; what the client has not read is lost, even what the system buffers."""
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
