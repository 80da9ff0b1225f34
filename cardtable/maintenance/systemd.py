"""The table as a systemd service: notifications that it is ready and alive, and whether a table is already running.

The address for notifications, a datagram socket, is in the environment (sd_notify(3)). If it is missing, because the
program was started by hand, nothing is sent.
"""

from __future__ import annotations

import contextlib
import http
import json
import os
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Final

from cardtable.errors import CardtableError
from engine.texts import Text

_TIMEOUT_S: Final = 2.0


def refuse_while_running(port: int, message: Text) -> None:
    """Raise `CardtableError` with `message` if a table on this machine answers at the board's port.

    Commands that need the cameras or files of the table call this first.
    """
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=_TIMEOUT_S) as answer:
            running = isinstance(json.load(answer), dict)
    except urllib.error.HTTPError as error:  # a table in trouble answers with 503
        running = error.code == http.HTTPStatus.SERVICE_UNAVAILABLE
        error.close()
    except (OSError, ValueError):
        return
    if running:
        raise CardtableError(message)


class Service:
    """Send notifications to systemd. `clock` is in seconds."""

    def __init__(
        self, environment: Mapping[str, str] = os.environ, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        # Half the required interval, as sd_watchdog_enabled(3) recommends.
        self._period_s = int(environment.get("WATCHDOG_USEC", "0")) / 2e6
        self._clock = clock
        self._next = 0.0

    def ready(self, status: str) -> None:
        """Notify that the table is ready. `status` is a line for `systemctl status`."""
        self._send(f"READY=1\nSTATUS={status}")

    def alive(self) -> None:
        """Notify that everything makes progress. Calls that are more frequent than necessary send nothing."""
        now = self._clock()
        if self._period_s and now >= self._next:
            self._next = now + self._period_s
            self._send("WATCHDOG=1")

    def _send(self, text: str) -> None:
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.sendto(text.encode(), address)
