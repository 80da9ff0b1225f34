"""The host's end of the line: bytes and times in, what happened and bytes out. It touches no port and no clock.

Every event of the board is handed out exactly once for each start of the board, in order, however much is lost or
damaged on the way; it is acknowledged when `stored` says so, and only then the board forgets it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from firmware_bridge.frames import Frame, FrameDecoder, FrameKind, InvalidFrame, encode
from firmware_bridge.messages import (
    PROTOCOL,
    Event,
    EventKind,
    Hello,
    ReaderStatus,
    State,
    read_event,
    read_hello,
    read_state,
)

HELLO_S: Final = 1.0
"""Seconds between greetings, both ways."""
DEAD_S: Final = 3.0
"""A board not heard for so long is gone."""
_HELLO_RETRY_S: Final = 0.15
_ACK_EVERY_S: Final = 0.006
"""One acknowledgement for all that came in so long; more would fill the line to the board."""
_ASK_RETRY_S: Final = 0.1
WINDOW: Final = 32
"""So many events the board keeps."""
READERS_MAX: Final = 8
"""So many readers can be asked for: a bit each, in a byte."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far the events of a board are stored: all of start `boot` with numbers before `next`."""

    boot: int
    next: int


@dataclass(frozen=True, slots=True)
class Connected:
    """The board is there. `restarted`: it has started since it was met last; what it had not told by then is lost."""

    hello: Hello
    restarted: bool


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The board has not been heard for `DEAD_S`."""


@dataclass(frozen=True, slots=True)
class Incompatible:
    """What answers speaks another protocol, or none of ours. `hello` is None where it is no card table's board."""

    hello: Hello | None


LinkUpdate = Connected | Disconnected | Incompatible | Event | State


class Link:
    """All dealings with a board, over one connection after the other; `opened` begins each.

    `checkpoint`: what is stored already, of which nothing is handed out again; None where nothing is.
    """

    def __init__(self, checkpoint: Checkpoint | None = None) -> None:
        self._boot = checkpoint.boot if checkpoint else None
        self._next = self._stored = checkpoint.next if checkpoint else 0
        self._hello: Hello | None = None
        self._lights: bytes | None = None
        self._waiting: dict[int, Frame] = {}
        self._states: dict[int, State] = {}
        self._wanted: dict[int, float] = {}
        self._reader = FrameDecoder()
        self._out = bytearray()
        self._session = 0
        self._heard = self._greet_at = self._acknowledged_at = 0.0
        self._acknowledge = False
        self._came = self._ours = self._foreign = False

    def opened(self, session: int, now: float) -> None:
        """A connection is open. `session`: a number from 1 to 65535 that the last connections did not have."""
        self._session = session
        self._heard = self._greet_at = now
        self._acknowledged_at = 0.0
        self._hello = None
        self._came = self._ours = self._foreign = False
        self._reader = FrameDecoder()
        self._out.clear()

    # In

    def receive(self, data: bytes, now: float) -> list[LinkUpdate]:
        """What `data` (it may be empty: time passes) tells; to be called every 20 ms or so, `now` in seconds."""
        news: list[LinkUpdate] = []
        fresh = False
        self._came = self._came or bool(data)
        for frame in self._reader.take(data):
            if frame.kind == FrameKind.BOARD_HELLO:
                news += self._meet(frame, now)
            elif self._hello and frame.boot == self._hello.boot:
                self._heard = now
                try:
                    if frame.kind == FrameKind.EVENT:
                        fresh = self._keep(frame) or fresh
                    elif frame.kind == FrameKind.STATE:
                        self._take_state(read_state(frame))
                except InvalidFrame:
                    self._reader.bad += 1
        news += self._in_order()
        if fresh:
            self._acknowledge = True
        news += self._pass_time(now)
        return news

    def _meet(self, frame: Frame, now: float) -> list[LinkUpdate]:
        try:
            hello = read_hello(frame)
        except InvalidFrame:
            return []
        if hello.protocol != PROTOCOL:
            told, self._foreign = self._foreign, True
            return [] if told else [Incompatible(hello)]
        self._heard = now
        self._ours = True
        if hello.session != self._session:
            # It has started anew, or not heard of this connection yet and may still send what belongs to the last.
            self._greet_at = min(self._greet_at, now)
            return []
        known, self._hello = self._hello, hello
        # Numbers that go back are another board's, which happens to have counted as many starts.
        same = hello.boot == self._boot and _distance(self._next, hello.next) < 0x8000
        if known and same:
            return []
        if not same:
            self._waiting.clear()
        if not same or _distance(self._next, hello.oldest) < 0x8000:
            self._boot = hello.boot
            self._next = self._stored = hello.oldest
            # What came early and was acknowledged is not sent again by a board that knows this connection.
            self._waiting = {n: kept for n, kept in self._waiting.items() if _distance(self._next, n) < WINDOW}
        self._states.clear()
        self._wanted = dict.fromkeys(range(min(hello.readers, READERS_MAX)), now)
        self._acknowledge = True
        self._send_lights()
        return [Connected(hello, restarted=not same)]

    def _keep(self, frame: Frame) -> bool:
        """Keep an event until those before it are there; whether it belongs to what the board keeps."""
        read_event(frame)
        if _distance(self._next, frame.seq) < WINDOW:
            self._waiting[frame.seq] = frame
            return True
        return _distance(frame.seq, self._next) <= WINDOW  # it was sent again: its acknowledgement was lost

    def _in_order(self) -> list[LinkUpdate]:
        news: list[LinkUpdate] = []
        while (frame := self._waiting.pop(self._next, None)) is not None:
            self._next = (self._next + 1) & 0xFFFF
            event = read_event(frame)
            news.append(event)
            if event.kind is EventKind.WORKS and event.index < READERS_MAX:
                # If the board started while the reader did not answer, it knows nothing of what was lifted from it.
                self._wanted[event.index] = 0.0
                self._states.pop(event.index, None)
        # A state counts once all events before it were told; one that was overtaken by later ones is asked for anew.
        for index, state in tuple(self._states.items()):
            if state.next == self._next:
                del self._states[index]
                self._wanted.pop(index, None)
                news.append(state)
            elif _distance(state.next, self._next) <= WINDOW:
                del self._states[index]
        return news

    def _take_state(self, state: State) -> None:
        if state.status != ReaderStatus.SCANNING and state.index in self._wanted:
            self._states[state.index] = state

    def _pass_time(self, now: float) -> list[LinkUpdate]:
        news: list[LinkUpdate] = []
        if now - self._heard > DEAD_S and not self._foreign:
            if self._hello:
                self._hello = None
                news.append(Disconnected())
            elif self._came and not self._ours:
                self._foreign = True
                news.append(Incompatible(None))
        if now >= self._greet_at:
            self._greet_at = now + (HELLO_S if self._hello else _HELLO_RETRY_S)
            self._send(FrameKind.HELLO, payload=struct.pack("<BH", PROTOCOL, self._session), boot=0)
            if self._hello:
                self._acknowledge = True
                self._send_lights()
        due = [index for index, at in self._wanted.items() if now >= at and index not in self._states]
        if due and self._hello:
            self._wanted |= dict.fromkeys(due, now + _ASK_RETRY_S)
            self._send(FrameKind.ASK, payload=bytes((sum(1 << index for index in due),)))
        return news

    # Out

    def stored(self, event: Event) -> None:
        """`event` and all before it are stored: the board may forget them."""
        if self._hello and event.boot == self._hello.boot:
            self._stored = (event.number + 1) & 0xFFFF
            self._acknowledge = True

    def set_lights(self, shining: int, blinking: int = 0) -> None:
        """The lights that are to shine, and of these to blink, a bit each; sent again until the board is gone."""
        self._lights = struct.pack("<HH", shining, blinking)
        self._send_lights()

    def request_test_events(self, count: int) -> None:
        """Let the board send `count` events (`EventKind.TESTED`) as fast as the line takes them: a test of the line."""
        self._send(FrameKind.TEST, payload=struct.pack("<H", count))

    def outgoing(self, now: float) -> bytes:
        """What is to be sent now."""
        if self._acknowledge and now >= self._acknowledged_at + _ACK_EVERY_S:
            self._acknowledge, self._acknowledged_at = False, now
            self._send_acknowledgement()
        out = bytes(self._out)
        self._out.clear()
        return out

    @property
    def ack_pending(self) -> bool:
        """Whether there will be something to send within milliseconds."""
        return self._acknowledge

    @property
    def hello(self) -> Hello | None:
        """The board's last greeting; None while it is not there."""
        return self._hello

    @property
    def checkpoint(self) -> Checkpoint | None:
        """What is stored."""
        return None if self._boot is None else Checkpoint(self._boot, self._stored)

    @property
    def bad_frames(self) -> int:
        """Damaged frames that came here."""
        return self._reader.bad

    def _send_acknowledgement(self) -> None:
        """All before `_stored` may be forgotten; a bit each for what came after it and need not be sent again."""
        have = (1 << ((self._next - self._stored) & 0xFFFF)) - 1
        for number in self._waiting:
            have |= 1 << ((number - self._stored) & 0xFFFF)
        self._send(FrameKind.ACK, seq=self._stored, payload=struct.pack("<I", have & 0xFFFFFFFF))

    def _send_lights(self) -> None:
        if self._lights is not None:
            self._send(FrameKind.LIGHTS, payload=self._lights)

    def _send(self, kind: FrameKind, seq: int = 0, payload: bytes = b"", boot: int | None = None) -> None:
        if boot is None:
            if self._hello is None:
                return
            boot = self._hello.boot
        self._out += encode(Frame(kind, boot, seq, payload))


def _distance(first: int, second: int) -> int:
    """How many numbers `second` is after `first`, 0 to 65535."""
    return (second - first) & 0xFFFF
