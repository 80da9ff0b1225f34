"""Watch the machine while the table is running, and show new faults on the board.

A thread runs the doctor's checks of power, kernel, clock, disk and running plug-ins every `PERIOD_S` seconds. A new
fault is shown as the trouble of a source named after the check, such as `power`, for `SHOWN_S` seconds, also in a game
that begins meanwhile. The doctor's page lists the fault until it is gone.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

from cardtable.config.model import TableConfig
from cardtable.doctor import Finding, Machine, plugin_faults, system
from cardtable.evening.host import Host
from cardtable.evening.playing import Playing
from cardtable.evening.waiting import Waiting
from engine.observations import Back, Hampered, Observation
from engine.texts import text

PERIOD_S: Final = 20.0
SHOWN_S: Final = 30.0
_LOG: Final = logging.getLogger(__name__)

Enter = Callable[[Observation], None]
"""Passes an observation to the game or the lobby."""


class RepeatedTask:
    """Call `step` every `period_s` seconds in a thread called `name`. Its exceptions are logged and do not end it."""

    def __init__(self, step: Callable[[], None], period_s: float, name: str) -> None:
        self._step = step
        self._period_s = period_s
        self._name = name
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Wait for the current step, then end the thread. May be called twice."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                self._step()
            except Exception:  # the table must go on, whatever it is
                _LOG.exception("%s has failed", self._name)
            self._stop.wait(self._period_s)


def faults(config: TableConfig, machine: Machine) -> Iterator[Finding]:
    """Yield the faults of machine and plug-ins that a game must show at once, without the doctor's page."""
    yield from plugin_faults()
    for finding in (*system.power(machine), *system.kernel(machine), *system.clock(config, machine)):
        # A clock that has not been set yet does not have to interrupt a game.
        if finding.state == "trouble" or (finding.state == "warning" and finding.check == "power"):
            yield finding
    yield from (finding for finding in system.disk(config, machine) if finding.state != "good")


def enter_of(host: Host) -> Enter | None:
    """Return the function that passes observations to the current activity of `host`; None between two activities."""
    activity = host.activity
    if isinstance(activity, Playing):
        return activity.enter
    return activity.check.enter if isinstance(activity, Waiting) else None


class MachineWatch:
    """Check the machine regularly between `start` and `close`. `step` checks it once.

    `enter` returns the function that passes observations to the current activity (see `enter_of`). `clock` is in
    seconds.
    """

    def __init__(
        self,
        config: TableConfig,
        enter: Callable[[], Enter | None],
        machine: Machine | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._config = config
        self._enter = enter
        self._machine = machine or Machine()
        self._clock = clock
        self._since: dict[Finding, float] = {}
        """Known fault → the time when it was first seen."""
        self._begins = True
        """Whether nothing has been checked yet: what the kernel reported before the table started is for the doctor."""
        self._shown: dict[str, Finding] = {}
        """Name of a check → its fault that is on the board."""
        self._entered: Enter | None = None
        self._task = RepeatedTask(self.step, PERIOD_S, "machine")

    @property
    def found(self) -> list[Finding]:
        """The faults found by the last check, including those no longer on the board. May be used in any thread."""
        return list(self._since)

    def step(self) -> None:
        """Check the machine once, and show what has changed."""
        now = self._clock()
        found = list(faults(self._config, self._machine))
        for finding in found:
            self._since.setdefault(finding, -math.inf if finding.check == "kernel" and self._begins else now)
        self._since = {finding: self._since[finding] for finding in found}
        self._begins = False
        fresh: dict[str, Finding] = {}
        for finding in found:  # only the first of each check
            if now - self._since[finding] < SHOWN_S:
                fresh.setdefault(finding.check, finding)
        enter = self._enter()
        if enter is None:
            return
        if enter != self._entered:  # a new activity, which shows nothing yet
            self._entered, self._shown = enter, {}
        for check in self._shown.keys() - fresh.keys():
            enter(Back(now, check))
        for check, finding in fresh.items():
            if self._shown.get(check) != finding:
                _LOG.warning("%s: %s", check, finding.text)
                reason = text("{what}: {advice}", what=finding.text, advice=finding.advice)
                enter(Hampered(now, check, reason))
        self._shown = fresh

    def start(self) -> None:
        """Check the machine regularly in a thread."""
        self._task.start()

    def close(self) -> None:
        """Stop checking. May be called twice."""
        self._task.close()
