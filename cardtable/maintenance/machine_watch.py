"""Faults of the machine while the table runs: each new one is shown on the board by its name.

What the doctor finds of power, kernel, clock and disk is looked at every `EVERY_S` seconds, in a thread of its own. A
new fault is shown as the trouble of a source, such as `power`, for `SHOWN_S` seconds; a game that begins meanwhile
shows it too. The doctor's page lists it until it is gone.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

from cardtable.config.model import TableConfig
from cardtable.doctor import Finding, Machine, system
from cardtable.evening.host import Host
from cardtable.evening.playing import Playing
from cardtable.evening.waiting import Waiting
from engine.observations import Back, Hampered, Observation
from engine.texts import text

# Something that is done again and again, in a thread of its own.

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


EVERY_S: Final = 20.0
SHOWN_S: Final = 30.0

Enter = Callable[[Observation], None]


def faults(config: TableConfig, machine: Machine) -> Iterator[Finding]:
    """Yield what is wrong with the machine now, and cannot wait until the doctor is opened."""
    for finding in (*system.power(machine), *system.kernel(machine), *system.clock(machine)):
        # Players cannot mend a clock that nothing has set yet during a game.
        if finding.state == "trouble" or (finding.state == "warning" and finding.check == "power"):
            yield finding
    yield from (finding for finding in system.disk(config, machine) if finding.state != "good")


def entrance(host: Host) -> Enter | None:
    """Return what takes observations of the stage that `host` shows now; None while there is none."""
    stage = host.stage
    if isinstance(stage, Playing):
        return stage.enter
    return stage.idle_sources.enter if isinstance(stage, Waiting) else None


class MachineWatch:
    """Looks at the machine, and shows what is new. `enter`: returns what takes observations now, as `entrance`.

    `clock`: seconds. `step` looks once; `start` does so again and again, until `close`.
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
        """The faults that are known, and since when."""
        self._shown: dict[str, Finding] = {}
        """The faults that are shown now, by the name of their check."""
        self._entered: Enter | None = None
        self._repeated = Repeated(self.step, EVERY_S, "machine")

    @property
    def found(self) -> list[Finding]:
        """The faults that the last look has found, those that are no longer shown included. In any thread."""
        return list(self._since)

    def step(self) -> None:
        """Look at the machine once, and show what has changed."""
        now = self._clock()
        found = list(faults(self._config, self._machine))
        self._since = {finding: self._since.get(finding, now) for finding in found}
        fresh: dict[str, Finding] = {}
        for finding in found:  # of several by one name, the first
            if now - self._since[finding] < SHOWN_S:
                fresh.setdefault(finding.check, finding)
        enter = self._enter()
        if enter is None:
            return
        if enter != self._entered:  # another game, which knows of nothing yet
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
        """Look again and again, in a thread."""
        self._repeated.start()

    def close(self) -> None:
        """Stop looking. May be called twice."""
        self._repeated.close()
