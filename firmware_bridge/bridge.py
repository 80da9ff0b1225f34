"""The bridge to a reader board: finds and opens its port, runs the link, and reconnects after any failure.

One thread calls `Bridge.step` in a loop. Failures of the port or the line are returned as `Trouble`, never raised.
"""

from __future__ import annotations

import contextlib
import logging
import math
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.texts import spaced, text
from firmware_bridge.fault_texts import cannot_open, connection_lost, incompatible
from firmware_bridge.link import Checkpoint, Connected, Disconnected, Incompatible, Link, LinkUpdate
from firmware_bridge.messages import State, TagEvent
from firmware_bridge.ports import AUTO, Port, candidate_ports, open_port
from firmware_bridge.raw import Recorder

RETRY_S: Final = 0.5
"""Interval between attempts to open a port, seconds."""
HELLO_TIMEOUT_S: Final = 5.0
"""Time without a greeting after which a port is given up, seconds. (A reader board needs two seconds to start.)"""
_READ_MAX: Final = 4096
"""Most bytes that one step reads."""
_ACK_WAIT_S: Final = 0.003
"""How long a step waits for bytes while an acknowledgement is pending, seconds."""

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trouble:
    """The reader board cannot be reached or used. `reason`: why, and what to do about it. The bridge keeps trying."""

    reason: str


BridgeUpdate = Connected | TagEvent | State | Trouble


class Bridge:
    """The reader board at `spec`: a device, a URL for pyserial's `serial_for_url`, or `auto` to search the USB ports.

    `checkpoint`: which events are stored already. `wait`: how long `step` waits for bytes, seconds. `record`: records
    every byte on the line. For tests, `find_ports` (from `spec` to addresses), `opener` (from an address and the
    timeout to a port), `clock` (seconds), `sleep` and `new_session` (1 to 65535) can be replaced.
    """

    def __init__(
        self,
        spec: str = AUTO,
        checkpoint: Checkpoint | None = None,
        wait: float = 0.1,
        record: Recorder | None = None,
        find_ports: Callable[[str], Sequence[str]] = candidate_ports,
        opener: Callable[[str, float], Port] = open_port,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        new_session: Callable[[], int] = lambda: secrets.randbelow(0xFFFF) + 1,
    ) -> None:
        self.spec: Final = spec
        self.link: Final = Link(checkpoint)
        self.address: str | None = None
        """The port in use, or the last one tried."""
        self._wait = wait
        self._record = record
        self._find_ports = find_ports
        self._opener = opener
        self.clock: Final = clock
        self._sleep = sleep
        self._new_session = new_session
        self._port: Port | None = None
        self._opened_at = 0.0
        self._retry_at = clock()
        self._trouble: str | None = None
        self._reported: str | None = None
        self._failed_ports: dict[str, str] = {}
        """Ports without a reader board in the present round of the search, and why."""
        self._more_ports = False
        """Whether the present round has ports that were not tried yet."""
        self._last_address: str | None = None
        """Where the reader board was connected last."""

    def step(self) -> list[BridgeUpdate]:
        """Read and answer. Return what happened, at once if something did, otherwise after `wait` seconds."""
        if self._port is None and not self._open():
            self._sleep(self._wait)
            return self._new_trouble()
        assert self._port is not None
        try:
            self._port.timeout = min(_ACK_WAIT_S, self._wait) if self.link.ack_pending else self._wait
            data = self._port.read(1)
            if data and (more := self._port.in_waiting):
                data += self._port.read(min(more, _READ_MAX))
            now = self.clock()
            if data and self._record:
                self._record.received(now, data)
            updates = [self._process(update) for update in self.link.receive(data, now)]
            self._send()
        except OSError as error:
            self._drop(connection_lost(self.address, error))
            return self._new_trouble()
        if self.link.hello is None and self.clock() - self._opened_at > HELLO_TIMEOUT_S:
            self._give_up()
        return [update for update in updates if update is not None] + self._new_trouble()

    def stored(self, event: TagEvent) -> None:
        """Acknowledge `event` and all events before it: they are stored, and the reader board may forget them."""
        self.link.stored(event)
        self.flush()

    def flush(self) -> None:
        """Send what the link has to send. A failure is reported by the next `step`."""
        try:
            self._send()
        except OSError as error:
            self._drop(connection_lost(self.address, error))

    def close(self) -> None:
        """Send the last acknowledgement and close the port. May be called twice."""
        if self._port is not None:
            with contextlib.suppress(OSError):  # the port may have vanished
                self._send(closing=True)
        self._close_port()

    def _close_port(self) -> None:
        if self._port is not None:
            self._port.close()
            self._port = None

    def _open(self) -> bool:
        now = self.clock()
        if now < self._retry_at:
            return False
        self._retry_at = now + RETRY_S
        # Try the last address first: another device would cost seconds.
        addresses = sorted(self._find_ports(self.spec), key=lambda address: address != self._last_address)
        if not addresses:
            self._trouble = text("No reader board is plugged in: connect the readers' USB cable.")
            self._more_ports = False
            return False
        if all(address in self._failed_ports for address in addresses):
            self._failed_ports.clear()
        self.address, *rest = (address for address in addresses if address not in self._failed_ports)
        self._more_ports = bool(rest)
        try:
            self._port = self._opener(self.address, self._wait)
        except (OSError, ValueError) as error:
            self._fail_port(cannot_open(self.address, error))
            return False
        self._trouble = None
        self._opened_at = now
        session = self._new_session()
        self.link.opened(session, now)
        if self._record:
            self._record.opened(now, session, self.link.checkpoint)
        return True

    def _send(self, closing: bool = False) -> None:
        out = self.link.outgoing(math.inf if closing else self.clock())
        if out and self._port is not None:
            self._port.write(out)
            if self._record:
                self._record.sent(self.clock(), out)

    def _process(self, update: LinkUpdate) -> BridgeUpdate | None:
        match update:
            case Connected():
                _LOG.info("%s: connected", self.address)
                self._failed_ports.clear()
                self._last_address = self.address
                self._trouble = self._reported = None
                self._more_ports = False
                return update
            case Disconnected():
                _LOG.warning("%s: the reader board is silent", self.address)
                message = "The reader board does not answer ({port}): check its cable, or press its reset button."
                self._trouble = text(message, port=self.address)
                self._opened_at = self.clock()
                return None
            case Incompatible():
                self._trouble = incompatible(update, self.address)
                return None
        return update

    def _give_up(self) -> None:
        """Close a port at which no reader board answers; the next one is tried, or the same one again."""
        self._close_port()
        self._retry_at = self.clock() + RETRY_S
        message = "Nothing answers at {port}: is it the reader board, and is the firmware on it (docs/rfid.md)?"
        self._fail_port(self._trouble or text(message, port=self.address))

    def _fail_port(self, reason: str) -> None:
        """Note that the port has no reader board. Of several candidates, the trouble is reported after the last one."""
        assert self.address is not None
        _LOG.info("%s: no reader board: %s", self.address, reason)
        self._failed_ports[self.address] = reason
        reasons = list(self._failed_ports.values())
        several = text("No reader board is found. {reasons}", reasons=spaced(reasons))
        self._trouble = reason if len(reasons) == 1 else several

    def _drop(self, reason: str) -> None:
        _LOG.warning("%s: connection lost: %s", self.address, reason)
        self._trouble, self._more_ports = reason, False
        self._close_port()
        self._retry_at = self.clock() + RETRY_S

    def _new_trouble(self) -> list[BridgeUpdate]:
        """Return the trouble unless it was reported before, or there are other ports to try first."""
        if self._trouble is None or self._trouble == self._reported or self._more_ports:
            return []
        self._reported = self._trouble
        return [Trouble(self._trouble)]


def stepped_bridge(
    spec: str,
    checkpoint: Checkpoint | None,
    clock: Callable[[], float],
    opener: Callable[[str], Port],
    **settings: Any,
) -> Bridge:
    """Return a bridge to a simulated reader board that runs only between steps.

    It uses the reader board's clock (`clock`, seconds), never waits, and chooses its sessions without randomness.
    `settings`: further arguments of `Bridge`.
    """

    def opened(address: str, wait: float) -> Port:
        return opener(address)

    def no_sleep(seconds: float) -> None:
        pass

    def session() -> int:
        return int(clock() * 1000) % 0xFFFF + 1

    return Bridge(spec, checkpoint, 0.0, opener=opened, clock=clock, sleep=no_sleep, new_session=session, **settings)
