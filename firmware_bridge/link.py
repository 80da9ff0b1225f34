"""The host's end of the protocol (docs/reference/protocol.md), without I/O: bytes and times in, updates and bytes out.

Each event of the reader board is returned exactly once per start of the board, in order, however many bytes are lost or
damaged on the line. It is acknowledged only after `Link.stored`, and until then the board keeps it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final, Protocol

from firmware_bridge.frames import FrameDecoder, FrameKind, InvalidFrame, SerialFrame, encode
from firmware_bridge.messages import (
    PROTOCOL,
    EventKind,
    Hello,
    ReaderStatus,
    State,
    TagEvent,
    read_event,
    read_hello,
    read_state,
)

HELLO_S: Final = 1.0
"""Interval between greetings in both directions, seconds."""
DEAD_S: Final = 2.5
"""Silence after which the reader board counts as disconnected, seconds."""
_HELLO_RETRY_S: Final = 0.15
"""Interval between greetings until the reader board answers, seconds."""
_ACK_EVERY_S: Final = 0.006
"""Shortest interval between acknowledgements, seconds; more frequent ones would saturate the line."""
_ASK_RETRY_S: Final = 0.1
"""Interval between requests for a reader's state until it arrives, seconds."""
WINDOW: Final = 32
"""Number of unacknowledged events that the reader board can keep."""
READERS_MAX: Final = 8
"""Number of readers whose state can be requested: one bit each, in one byte."""


class Numbered(Protocol):
    """What names an event: the boot of its reader board, and its number since then."""

    @property
    def boot(self) -> int:
        """The number of the boot."""

    @property
    def number(self) -> int:
        """The number of the event."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Which events of a reader board are stored: all of start `boot` with numbers before `next`."""

    boot: int
    next: int


@dataclass(frozen=True, slots=True)
class Connected:
    """The reader board has answered. `restarted`: it rebooted since the checkpoint; its unsent events are lost."""

    hello: Hello
    restarted: bool


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The reader board has been silent for `DEAD_S`."""


@dataclass(frozen=True, slots=True)
class Incompatible:
    """The device speaks another version of the protocol, or, if `hello` is None, something else entirely."""

    hello: Hello | None


LinkUpdate = Connected | Disconnected | Incompatible | TagEvent | State


class Link:
    """The protocol with one reader board, over any number of successive connections; `opened` begins each.

    `checkpoint`: which events are stored already; they are not returned again. Times (`now`) are seconds on any
    monotonic clock.

        link = Link()
        link.opened(session=1, now=0.0)
        port.write(link.outgoing(0.0))
        for update in link.receive(port.read(), 0.02):
            if isinstance(update, TagEvent):
                link.stored(update)
    """

    def __init__(self, checkpoint: Checkpoint | None = None) -> None:
        self._boot = checkpoint.boot if checkpoint else None
        self._next = self._stored = checkpoint.next if checkpoint else 0
        self._hello: Hello | None = None
        self._lights: bytes | None = None
        self._early: dict[int, SerialFrame] = {}
        """Events that arrived before an earlier one, by number."""
        self._states: dict[int, State] = {}
        """States that wait for the events before them, by reader."""
        self._wanted: dict[int, float] = {}
        """Readers whose state is wanted, and when to request it (again)."""
        self._decoder = FrameDecoder()
        self._out = bytearray()
        self._session = 0
        self._heard_at = self._hello_at = self._acked_at = 0.0
        self._ack_due = False
        self._any_bytes = self._is_board = self._reported_incompatible = False

    def opened(self, session: int, now: float) -> None:
        """Begin a connection. `session`: 1 to 65535, different from that of the previous connections."""
        self._session = session
        self._heard_at = self._hello_at = now
        self._acked_at = 0.0
        self._hello = None
        self._any_bytes = self._is_board = self._reported_incompatible = False
        self._decoder = FrameDecoder()
        self._out.clear()

    # In

    def receive(self, data: bytes, now: float) -> list[LinkUpdate]:
        """Process `data` from the port and return what it reports.

        Call this every 20 ms or so, with empty `data` if nothing has arrived, because time-outs are checked here too.
        """
        updates: list[LinkUpdate] = []
        self._any_bytes = self._any_bytes or bool(data)
        for frame in self._decoder.feed(data):
            if frame.kind == FrameKind.BOARD_HELLO:
                updates += self._receive_hello(frame, now)
            elif self._hello and frame.boot == self._hello.boot:
                self._heard_at = now
                try:
                    if frame.kind == FrameKind.EVENT:
                        self._receive_event(frame)
                    elif frame.kind == FrameKind.STATE:
                        self._receive_state(read_state(frame))
                except InvalidFrame:
                    self._decoder.bad += 1
        updates += self._in_order()
        updates += self._check_time(now)
        return updates

    def _receive_hello(self, frame: SerialFrame, now: float) -> list[LinkUpdate]:
        try:
            hello = read_hello(frame)
        except InvalidFrame:
            return []
        if hello.protocol != PROTOCOL:
            reported, self._reported_incompatible = self._reported_incompatible, True
            return [] if reported else [Incompatible(hello)]
        self._heard_at = now
        self._is_board = True
        if hello.session != self._session:
            # It has restarted or not heard of this connection yet; what it sends may belong to the last one.
            self._hello_at = min(self._hello_at, now)
            return []
        known, self._hello = self._hello, hello
        # If the numbers go back, this is another reader board that happens to have the same boot number.
        same = hello.boot == self._boot and _distance(self._next, hello.next) < 0x8000
        if known and same:
            return []
        if not same:
            self._early.clear()
        if not same or _distance(self._next, hello.oldest) < 0x8000:
            self._boot = hello.boot
            self._next = self._stored = hello.oldest
            # Early events were acknowledged as received; a reader board that knows this session does not resend them.
            self._early = {n: kept for n, kept in self._early.items() if _distance(self._next, n) < WINDOW}
        self._states.clear()
        self._wanted = dict.fromkeys(range(min(hello.readers, READERS_MAX)), now)
        self._ack_due = True
        self._send_lights()
        return [Connected(hello, restarted=not same)]

    def _receive_event(self, frame: SerialFrame) -> None:
        """Keep an event until those before it have arrived. A retransmission only means that its ACK was lost."""
        read_event(frame)
        if _distance(self._next, frame.seq) < WINDOW:
            self._early[frame.seq] = frame
            self._ack_due = True
        elif _distance(frame.seq, self._next) <= WINDOW:
            self._ack_due = True

    def _in_order(self) -> list[LinkUpdate]:
        """Return the events that are next in order, and the states that belong after them."""
        updates: list[LinkUpdate] = []
        while (frame := self._early.pop(self._next, None)) is not None:
            self._next = (self._next + 1) & 0xFFFF
            event = read_event(frame)
            updates.append(event)
            if event.kind is EventKind.WORKS and event.index < READERS_MAX:
                # If the reader board started while the reader did not answer, it cannot know what was lifted from it.
                self._wanted[event.index] = 0.0
                self._states.pop(event.index, None)
        # A state is valid once all events before it were returned. One that later events have overtaken is requested
        # again.
        for index, state in tuple(self._states.items()):
            if state.next == self._next:
                del self._states[index]
                self._wanted.pop(index, None)
                updates.append(state)
            elif _distance(state.next, self._next) <= WINDOW:
                del self._states[index]
        return updates

    def _receive_state(self, state: State) -> None:
        if state.status != ReaderStatus.SCANNING and state.index in self._wanted:
            self._states[state.index] = state

    def _check_time(self, now: float) -> list[LinkUpdate]:
        updates: list[LinkUpdate] = []
        if now - self._heard_at > DEAD_S and not self._reported_incompatible:
            if self._hello:
                self._hello = None
                updates.append(Disconnected())
            elif self._any_bytes and not self._is_board:
                self._reported_incompatible = True
                updates.append(Incompatible(None))
        if now >= self._hello_at:
            self._hello_at = now + (HELLO_S if self._hello else _HELLO_RETRY_S)
            self._send(FrameKind.HELLO, payload=struct.pack("<BH", PROTOCOL, self._session), boot=0)
            if self._hello:
                self._ack_due = True
                self._send_lights()
        due = [index for index, at in self._wanted.items() if now >= at and index not in self._states]
        if due and self._hello:
            self._wanted |= dict.fromkeys(due, now + _ASK_RETRY_S)
            self._send(FrameKind.ASK, payload=bytes((sum(1 << index for index in due),)))
        return updates

    # Out

    def stored(self, event: Numbered) -> None:
        """Acknowledge `event` and all events before it: they are stored, and the reader board may forget them."""
        if self._hello and event.boot == self._hello.boot:
            self._stored = (event.number + 1) & 0xFFFF
            self._ack_due = True

    def set_lights(self, shining: int, blinking: int = 0) -> None:
        """Switch the lights: bit masks of those that are on, and of those that blink. Repeated with each greeting."""
        self._lights = struct.pack("<HH", shining, blinking)
        self._send_lights()

    def request_test_events(self, count: int) -> None:
        """Let the reader board send `count` events (`EventKind.TESTED`) at full speed, to test the line."""
        self._send(FrameKind.TEST, payload=struct.pack("<H", count))

    def outgoing(self, now: float) -> bytes:
        """Return the bytes to be sent now."""
        if self._ack_due and now >= self._acked_at + _ACK_EVERY_S:
            self._ack_due, self._acked_at = False, now
            self._send_ack()
        out = bytes(self._out)
        self._out.clear()
        return out

    @property
    def ack_pending(self) -> bool:
        """Whether an acknowledgement is to be sent within milliseconds."""
        return self._ack_due

    @property
    def hello(self) -> Hello | None:
        """The reader board's last greeting; None while it is not connected."""
        return self._hello

    @property
    def checkpoint(self) -> Checkpoint | None:
        """Which events are stored; None before the first connection."""
        return None if self._boot is None else Checkpoint(self._boot, self._stored)

    @property
    def bad_frames(self) -> int:
        """Number of invalid frames received on this connection."""
        return self._decoder.bad

    def _send_ack(self) -> None:
        """Acknowledge all events before `_stored`, and mark each later one that has arrived with a bit."""
        received = (1 << ((self._next - self._stored) & 0xFFFF)) - 1
        for number in self._early:
            received |= 1 << ((number - self._stored) & 0xFFFF)
        self._send(FrameKind.ACK, seq=self._stored, payload=struct.pack("<I", received & 0xFFFFFFFF))

    def _send_lights(self) -> None:
        if self._lights is not None:
            self._send(FrameKind.LIGHTS, payload=self._lights)

    def _send(self, kind: FrameKind, seq: int = 0, payload: bytes = b"", boot: int | None = None) -> None:
        if boot is None:
            if self._hello is None:
                return
            boot = self._hello.boot
        self._out += encode(SerialFrame(kind, boot, seq, payload))


def _distance(first: int, second: int) -> int:
    """Return how many numbers `second` is after `first`, modulo 65536."""
    return (second - first) & 0xFFFF
