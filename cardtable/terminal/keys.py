"""Wait for any key without stopping the program."""

from __future__ import annotations

import os
import select
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def any_key(descriptor: int) -> Iterator[Callable[[], bool] | None]:
    """Yield a function that returns whether a key has been pressed; None if `descriptor` is not that of a terminal.

    Keys count without Enter and are not shown. Ctrl-C still raises `KeyboardInterrupt`.
    """
    if not os.isatty(descriptor):
        yield None
        return
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor, termios.TCSAFLUSH)
    try:
        yield lambda: bool(select.select([descriptor], [], [], 0)[0])
    finally:
        termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)
