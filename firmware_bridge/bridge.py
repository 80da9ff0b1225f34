"""The bridge to a board: opens its port, finds it, keeps the link, and opens it again after whatever happens.

One thread calls `step` again and again; it never raises for what happens on the line.
"""

from __future__ import annotations

import contextlib
import math
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.texts import spaced, text
from firmware_bridge.fault_texts import cannot_open, connection_lost, foreign
from firmware_bridge.link import DEAD_S, Checkpoint, Connected, Disconnected, Incompatible, Link, LinkUpdate
from firmware_bridge.messages import Event, State
from firmware_bridge.ports import AUTO, Port, candidate_ports, open_port
from firmware_bridge.raw import Recorder

RETRY_S: Final = 0.5
"""Between two tries to open the port."""
HELLO_TIMEOUT_S: Final = 5.0
"""A port on which no board has greeted for so long is another device's. (A board starts for two seconds first.)"""
_READ_MAX: Final = 4096
_ACK_WAIT_S: Final = 0.003


@dataclass(frozen=True, slots=True)
class Trouble:
    """The board cannot be reached, or used: `reason` says why, and what to do. It is tried again all the time."""

    reason: str


BridgeUpdate = Connected | Event | State | Trouble


class Bridge:
    """The board at `spec`: a device, an address for pyserial's `serial_for_url`, or `auto` to look for it.

    `checkpoint`: what is stored already (`link.Checkpoint`). `wait`: seconds that `step` waits for something to come.
    `record`: gets everything that goes over the line. `found`, `opener`, `clock`, `sleep`, `session`: how ports are
    looked for and opened, time passes, and a connection gets its number.
    """

    def __init__(
        self,
        spec: str = AUTO,
        checkpoint: Checkpoint | None = None,
        wait: float = 0.1,
        record: Recorder | None = None,
        found: Callable[[str], Sequence[str]] = candidate_ports,
        opener: Callable[[str, float], Port] = open_port,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        session: Callable[[], int] = lambda: secrets.randbelow(0xFFFF) + 1,
    ) -> None:
        self.spec: Final = spec
        self.link: Final = Link(checkpoint)
        self.address: str | None = None
        """Where the board is, or was last looked for."""
        self._wait = wait
        self._record = record
        self._found = found
        self._opener = opener
        self.clock: Final = clock
        self._sleep = sleep
        self._session = session
        self._port: Port | None = None
        self._opened_at = 0.0
        self._retry_at = clock()
        self._trouble: str | None = None
        self._last: str | None = None
        self._tried: dict[str, str] = {}
        self._left = False
        self._met_at: str | None = None

    def step(self) -> list[BridgeUpdate]:
        """Read, answer, and give what happened: at once if something did, otherwise after `wait` seconds."""
        if self._port is None and not self._open():
            self._sleep(self._wait)
            return self._told()
        assert self._port is not None
        try:
            self._port.timeout = min(_ACK_WAIT_S, self._wait) if self.link.ack_pending else self._wait
            data = self._port.read(1)
            if data and (more := self._port.in_waiting):
                data += self._port.read(min(more, _READ_MAX))
            now = self.clock()
            if data and self._record:
                self._record.came(now, data)
            news = [self._judge(item) for item in self.link.receive(data, now)]
            self._send()
        except OSError:
            self._drop(connection_lost(self.address))
            return self._told()
        if self.link.hello is None and self.clock() - self._opened_at > HELLO_TIMEOUT_S:
            self._give_up()
        return [item for item in news if item is not None] + self._told()

    def stored(self, event: Event) -> None:
        """`event` and all before it are stored: the board may forget them."""
        self.link.stored(event)
        self.flush()

    def flush(self) -> None:
        """Send now what the link has to say; what fails is noticed by the next `step`."""
        try:
            self._send()
        except OSError:
            self._drop(connection_lost(self.address))

    def close(self) -> None:
        """Acknowledge what is stored, and let the port go. May be called twice."""
        if self._port is not None:
            with contextlib.suppress(OSError):  # it may be gone
                self._send(parting=True)
        self._let_go()

    def _let_go(self) -> None:
        if self._port is not None:
            self._port.close()
            self._port = None

    def _open(self) -> bool:
        now = self.clock()
        if now < self._retry_at:
            return False
        self._retry_at = now + RETRY_S
        # Where it was is looked first: another device would hold things up for seconds.
        addresses = sorted(self._found(self.spec), key=lambda address: address != self._met_at)
        if not addresses:
            self._trouble = text("No board is plugged in: connect the readers' USB cable.")
            self._left = False
            return False
        if all(address in self._tried for address in addresses):
            self._tried.clear()
        self.address, *rest = (address for address in addresses if address not in self._tried)
        self._left = bool(rest)
        try:
            self._port = self._opener(self.address, self._wait)
        except (OSError, ValueError) as error:
            self._fails(cannot_open(self.address, error))
            return False
        self._trouble = None
        self._opened_at = now
        session = self._session()
        self.link.opened(session, now)
        if self._record:
            self._record.opened(now, session, self.link.checkpoint)
        return True

    def _send(self, parting: bool = False) -> None:
        out = self.link.outgoing(math.inf if parting else self.clock())
        if out and self._port is not None:
            self._port.write(out)
            if self._record:
                self._record.went(self.clock(), out)

    def _judge(self, news: LinkUpdate) -> BridgeUpdate | None:
        match news:
            case Connected():
                self._tried.clear()
                self._met_at = self.address
                self._trouble = self._last = None
                self._left = False
                return news
            case Disconnected():
                told = "The board does not answer ({port}): look at its cable, or press its reset button."
                self._trouble = text(told, port=self.address)
                self._opened_at = self.clock()
                return None
            case Incompatible():
                self._trouble = foreign(news, self.address)
                return None
        return news

    def _give_up(self) -> None:
        """Nobody greets here: the next port is tried, or this one anew."""
        self._let_go()
        self._retry_at = self.clock() + RETRY_S
        told = "Nothing answers at {port}: is it the board, and is the firmware on it (docs/rfid.md)?"
        self._fails(self._trouble or text(told, port=self.address))

    def _fails(self, reason: str) -> None:
        """There is no board at this port. With several that it may be at, that is told when none has it."""
        assert self.address is not None
        self._tried[self.address] = reason
        reasons = list(self._tried.values())
        self._trouble = reason if len(reasons) == 1 else text("No board is found. {reasons}", reasons=spaced(reasons))

    def _drop(self, reason: str) -> None:
        self._trouble, self._left = reason, False
        self._let_go()
        self._retry_at = self.clock() + RETRY_S

    def _told(self) -> list[BridgeUpdate]:
        """The trouble, when it is new, and not that of one port among others that are still to be tried."""
        if self._trouble is None or self._trouble == self._last or self._left:
            return []
        self._last = self._trouble
        return [Trouble(self._trouble)]


def stepped_bridge(
    spec: str, checkpoint: Checkpoint | None, clock: Callable[[], float], opener: Callable[[str], Port], **settings: Any
) -> Bridge:
    """A bridge to a board that stands still between two steps: it goes by `clock`, waits for nothing, draws no lots."""

    def opened(address: str, wait: float) -> Port:
        return opener(address)

    def pass_over(seconds: float) -> None:
        pass

    def session() -> int:
        return int(clock() * 1000) % 0xFFFF + 1

    return Bridge(spec, checkpoint, 0.0, opener=opened, clock=clock, sleep=pass_over, session=session, **settings)


__all__ = ["DEAD_S", "Bridge", "BridgeUpdate", "Trouble", "stepped_bridge"]
