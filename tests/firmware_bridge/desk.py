"""A bridge to ports that the test controls, with a passed-in clock."""

from __future__ import annotations

import errno
import struct

from serial import SerialTimeoutException

from firmware_bridge.bridge import Bridge, BridgeUpdate, Trouble
from firmware_bridge.frames import FrameDecoder, FrameKind, SerialFrame, encode
from firmware_bridge.link import Checkpoint, Connected
from firmware_bridge.messages import EventKind
from firmware_bridge.recorder import Recorder

SESSION = 77


def greeting(session: int) -> bytes:
    """The reader board's greeting in a session, as it is sent."""
    payload = struct.pack("<BBBBBBBHHH", 1, 1, 0, 0, 0, 0, 1, session, 0, 0)
    return encode(SerialFrame(FrameKind.BOARD_HELLO, 5, 0, payload))


HELLO = greeting(SESSION)
EVENT = encode(SerialFrame(FrameKind.EVENT, 5, 0, bytes((EventKind.TESTED, 0, 0, 0))))


class FakePort:
    """A port that returns `incoming` and keeps what is written. `broken`: every operation fails."""

    def __init__(self) -> None:
        self.incoming = b""
        self.written = b""
        self.sizes: list[int] = []
        self.timeout: float | None = None
        self.broken = False
        self.blocked = False
        """Whether the port takes no data."""
        self.closed = 0

    def _check(self) -> None:
        if self.broken:
            raise OSError(errno.EIO, "gone")

    def read(self, size: int = 1, /) -> bytes:
        self._check()
        self.sizes.append(size)
        data, self.incoming = self.incoming[:size], self.incoming[size:]
        return data

    def write(self, data: bytes, /) -> int | None:
        self._check()
        if self.blocked:
            raise SerialTimeoutException("Write timeout")
        self.written += data
        return len(data)

    @property
    def in_waiting(self) -> int:
        return len(self.incoming)

    def close(self) -> None:
        self.closed += 1

    def kinds(self) -> list[int]:
        """The kinds of the frames written since the last call."""
        frames, self.written = FrameDecoder().feed(self.written), b""
        return [frame.kind for frame in frames]


class Desk:
    """A bridge to ports that the test controls. `working`: the addresses that can be opened."""

    def __init__(self, *addresses: str, record: Recorder | None = None, checkpoint: Checkpoint | None = None) -> None:
        self.now = 100.0
        self.addresses = list(addresses)
        self.ports = {address: FakePort() for address in addresses}
        self.working = set(addresses)
        self.opened: list[tuple[str, float]] = []
        self.slept: list[float] = []
        self.specs: list[str] = []
        self.bridge = Bridge(
            "auto",
            checkpoint,
            0.1,
            record,
            self._find,
            self._open,
            lambda: self.now,
            self.slept.append,
            lambda: SESSION,
        )

    def _find(self, spec: str) -> list[str]:
        self.specs.append(spec)
        return self.addresses

    def _open(self, address: str, wait: float) -> FakePort:
        self.opened.append((address, wait))
        if address not in self.working:
            raise FileNotFoundError(errno.ENOENT, "no such port")
        return self.ports[address]

    def step(self, seconds: float = 0.0, incoming: bytes = b"") -> list[BridgeUpdate]:
        self.now += seconds
        for port in self.ports.values():
            port.incoming += incoming
        return self.bridge.step()

    def reasons(self, seconds: float = 0.0) -> list[str]:
        return [update.reason for update in self.step(seconds) if isinstance(update, Trouble)]


def connected(record: Recorder | None = None) -> tuple[Desk, FakePort]:
    desk = Desk("/dev/a", record=record)
    assert [type(update) for update in desk.step(0.0, HELLO)] == [Connected]
    return desk, desk.ports["/dev/a"]
