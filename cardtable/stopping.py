"""Requests to stop the program: Ctrl-C and the signal to terminate.

A handler of a signal raises an exception, wherever the main thread is. Python swallows it in a `__del__` or a callback
of the garbage collector, and a library may turn it into another. Therefore a request is remembered: `check` raises it
again, and what Python swallows is raised again at once.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

INTERRUPTED, TERMINATED = 130, 143
_AGAIN_S: Final = 0.01
"""Seconds until a swallowed request is raised again: Python must have left the place that swallows it."""

_status: int | None = None


def requested() -> int | None:
    """Return the exit status for the request to stop; None without one."""
    return _status


def check() -> None:
    """Raise `KeyboardInterrupt` or `SystemExit` if the program was asked to stop. Loops that never end call this."""
    if _status == INTERRUPTED:
        raise KeyboardInterrupt
    if _status is not None:
        raise SystemExit(_status)


@contextmanager
def on_signals() -> Iterator[None]:
    """Stop the program at Ctrl-C and at the signal to terminate. The request is forgotten at the end."""
    global _status
    _status = None
    swallowed = sys.unraisablehook

    def again(unraisable: sys.UnraisableHookArgs) -> None:
        if _status is not None and isinstance(unraisable.exc_value, (KeyboardInterrupt, SystemExit)):
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
        else:
            swallowed(unraisable)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _request)
    signal.signal(signal.SIGALRM, lambda number, frame: check())
    sys.unraisablehook = again
    try:
        yield
    finally:
        sys.unraisablehook = swallowed
        signal.setitimer(signal.ITIMER_REAL, 0)
        _status = None


def _request(number: int, frame: FrameType | None) -> None:
    global _status
    _status = INTERRUPTED if number == signal.SIGINT else TERMINATED
    check()
