"""Something that is done again and again, in a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final

_LOG: Final = logging.getLogger(__name__)


class Repeated:
    """Calls `step` every `every_s` seconds in a thread called `name`. What it raises is logged, and it goes on."""

    def __init__(self, step: Callable[[], None], every_s: float, name: str) -> None:
        self._step = step
        self._every_s = every_s
        self._name = name
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin."""
        self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop, and wait for the end of the present step. May be called twice."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                self._step()
            except Exception:  # whatever it is, the table goes on
                _LOG.exception("%s has failed", self._name)
            self._stop.wait(self._every_s)
