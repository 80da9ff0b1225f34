"""Waiting in tests for what another thread or program does: never for ever."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from threading import Event, Timer
from typing import Final

from tests.programs import Program

LONGEST_S: Final = 90.0
"""Far more than a busy machine needs, so that only what never happens fails."""


def tries(what: str | Callable[[], str], seconds: float = LONGEST_S, pause_s: float = 0.0) -> Iterator[int]:
    """Yield the number of each try; the loop is left as soon as `what` has happened.

    `what`: a text, or what makes it at the end. `pause_s`: the time between two tries, which leaves the processor to
    others; 0 if a try waits itself. Raises `AssertionError`, which says what was waited for, after `seconds`.
    """
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        yield number
        number += 1
        if pause_s:
            Event().wait(pause_s)
    raise AssertionError(f"waited {seconds:g} s in vain for {what if isinstance(what, str) else what()}")


def lines_up_to(process: subprocess.Popen[str] | Program, words: str, seconds: float = LONGEST_S) -> list[str]:
    """Return what a program writes on standard error, up to the line with these words.

    The program is killed after `seconds`. Raises `AssertionError` with what it has written if it ends before.
    """
    assert process.stderr is not None
    lines: list[str] = []
    timer = Timer(seconds, process.kill)
    timer.start()
    try:
        for line in process.stderr:
            lines.append(line)
            if words in line:
                return lines
    finally:
        timer.cancel()
    raise AssertionError(f"the program has ended, or was killed after {seconds:g} s, without “{words}”: {lines}")
