"""A light that is dimmed by switching it on and off, many times a second."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Dimmer:
    """Switches a light `frequency` times a second, so that it is on for `part` of the time, until `close`.

    `switch` is called with True for on and False for off, in a thread of the dimmer's; while the light is whole on or
    off, only when that changes. `part`, 0 to 1, may be set at any time.
    """

    def __init__(self, switch: Callable[[bool], None], frequency: float, part: float = 0.0) -> None:
        self.frequency = frequency
        self._switch = switch
        self._part = part
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="dimmer", daemon=True)
        self._thread.start()

    @property
    def part(self) -> float:
        """The part of the time for which the light is on."""
        return self._part

    @part.setter
    def part(self, value: float) -> None:
        with self._changed:
            self._part = value
            self._changed.notify()

    def close(self) -> None:
        """Switch the light off and end the thread. May be called twice."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        period = 1 / self.frequency
        while not self._closed:
            part = self._part
            self._switch(part > 0)
            if 0 < part < 1:
                self._wait(part * period)
                self._switch(False)
                self._wait((1 - part) * period)
            else:
                self._wait(None, part)
        self._switch(False)

    def _wait(self, seconds: float | None, until_not: float | None = None) -> None:
        """Wait for `seconds`, or until the part is another than `until_not`; not longer than until `close`."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._closed or (until_not is not None and self._part != until_not), timeout=seconds
            )
