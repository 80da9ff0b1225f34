"""A watchdog over the sources and the journal: systemd is only notified while all of them make progress.

A source that reports an error makes progress: the board shows the error, and the source is tried again. A source that
reports nothing at all hangs, and only a restart of the program helps. The same goes for a journal that has stored
nothing for a while, for example because its disk was removed and attached again.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from typing import Final

STALLED_S: Final = 10.0
"""Seconds without a step after which a source counts as hanging."""
UNSTORED_S: Final = 60.0
"""Seconds without storing after which the journal counts as hanging. Until then the board reports the error."""

_LOG: Final = logging.getLogger(__name__)


class Watchdog:
    """Calls `alive` while every source makes progress. Sources report from their own threads.

    `clock` gives seconds.
    """

    def __init__(self, alive: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._alive = alive
        self._clock = clock
        self._lock = threading.Lock()
        self._steps: dict[str, float] = {}
        self._unstored: float | None = None
        self._hanging: set[str] = set()

    def progressed(self, source: str) -> None:
        """Note that `source` has started, or has completed a step."""
        with self._lock:
            self._steps[source] = self._clock()

    def finished(self, source: str) -> None:
        """Stop watching `source`: it has ended, or it has failed and the failure was reported."""
        with self._lock:
            self._steps[source] = math.inf

    def check(self, storing: bool) -> None:
        """Call `alive` if no source hangs; called once per iteration of the main loop.

        `storing`: whether the journal can store.
        """
        now = self._clock()
        if storing:
            self._unstored = None
        elif self._unstored is None:
            self._unstored = now
        with self._lock:
            hanging = {source for source, step in self._steps.items() if now - step >= STALLED_S}
        if self._unstored is not None and now - self._unstored >= UNSTORED_S:
            hanging.add("journal")
        for source in hanging - self._hanging:
            _LOG.error("%s hangs: systemd is not notified until it goes on", source)
        for source in self._hanging - hanging:
            _LOG.warning("%s goes on", source)
        self._hanging = hanging
        if not hanging:
            self._alive()
