"""Notifications to systemd: the service is ready, and it is alive.

systemd gives the address of a datagram socket in the environment (sd_notify(3)). Without it, for example if the program
is started by hand, nothing is sent.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Callable, Mapping


class Service:
    """Sends notifications. `environment`: as `os.environ`; `clock`: seconds."""

    def __init__(
        self, environment: Mapping[str, str] = os.environ, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        # Twice as often as required, as sd_watchdog_enabled(3) recommends.
        self._every = int(environment.get("WATCHDOG_USEC", "0")) / 2e6
        self._clock = clock
        self._next = 0.0

    def ready(self, status: str) -> None:
        """Notify that the table is ready. `status`: one line for `systemctl status`."""
        self._send(f"READY=1\nSTATUS={status}")

    def alive(self) -> None:
        """Notify that everything makes progress; calls more frequent than needed send nothing."""
        now = self._clock()
        if self._every and now >= self._next:
            self._next = now + self._every
            self._send("WATCHDOG=1")

    def _send(self, text: str) -> None:
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.sendto(text.encode(), address)
