"""A network between page and table that goes silent: connections stay open, but nothing is forwarded any more."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class SilentNetwork:
    """Forwards connections to `port` of this machine, from its own `port`, until it is told to go silent.

    What is not forwarded waits, as in a Wi-Fi that comes back.
    """

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._all: list[Way] = []
        self._new = Way()
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self, to_table: bool = True) -> None:
        """Forward nothing on the connections that are open; `to_table`: also not to the table."""
        for way in self._all:
            way.to_page.clear()
            if to_table:
                way.to_table.clear()

    def lead_to(self, port: int) -> None:
        """Forward new connections to another port."""
        self._to = port

    def stop_new(self) -> None:
        """Forward nothing on new connections either."""
        self._new.to_page.clear()
        self._new.to_table.clear()

    def resume_new(self) -> None:
        """Forward again, but only on connections that are new or were not forwarded from the start."""
        self._new.to_page.set()
        self._new.to_table.set()
        self._new = Way()

    def resume_all(self) -> None:
        """Forward everything, also what has waited."""
        for way in self._all:
            way.to_page.set()
            way.to_table.set()
        self.resume_new()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                page, _ = self._listening.accept()
                way = self._new if not self._new.to_table.is_set() else Way()
                self._all.append(way)
                threading.Thread(target=self._forward, args=(page, way), daemon=True).start()

    def _forward(self, page: socket.socket, way: Way) -> None:
        way.to_table.wait()
        with suppress(OSError):
            table = socket.create_connection(("127.0.0.1", self._to))
            threading.Thread(target=_copy, args=(table, page, way.to_page), daemon=True).start()
            _copy(page, table, way.to_table)


class Way:
    """Whether a connection is forwarded, in each direction."""

    def __init__(self) -> None:
        self.to_table, self.to_page = threading.Event(), threading.Event()
        self.to_table.set()
        self.to_page.set()


def _copy(source: socket.socket, target: socket.socket, forwarding: threading.Event) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            forwarding.wait()
            target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextmanager
def silent_network(port: int) -> Iterator[SilentNetwork]:
    """Return a network to `port`; at the end everything is forwarded."""
    network = SilentNetwork(port)
    yield network
    network.resume_all()
    network.close()
