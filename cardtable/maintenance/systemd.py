"""Notifications to systemd: the service is ready, and it is alive.

systemd gives the address of a datagram socket in the environment (sd_notify(3)). Without it, for example if the program
is started by hand, nothing is sent.
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

# Whether a table runs on this machine, for commands that need its cameras or its files.

_ANSWER_S: Final = 2.0


def refuse_while_running(port: int, message: Text) -> None:
    """Raise `CardtableError` with `message` if a table answers at the board's port."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=_ANSWER_S) as answer:
            running = isinstance(json.load(answer), dict)
    except urllib.error.HTTPError as error:  # a table that has a trouble, which is status 503
        running = error.code == http.HTTPStatus.SERVICE_UNAVAILABLE
        error.close()
    except (OSError, ValueError):
        return
    if running:
        raise CardtableError(message)


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
