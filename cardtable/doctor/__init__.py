"""The doctor: checks everything that a table needs, one check after the other, and gives advice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from cardtable.config.model import TableConfig
from cardtable.doctor.finding import Finding
from cardtable.doctor.machine import Machine

__all__ = ["CHECKS", "Finding", "Machine", "examine"]

CHECKS: Final = (
    "versions", "power", "clock", "disk", "journal", "port", "devices", "pins", "displays", "voice",
    "readers", "cameras",
)  # fmt: skip
"""The names of the checks, in the order in which they run."""


def examine(config: TableConfig, machine: Machine, skip: Sequence[str] = ()) -> Iterator[Finding]:
    """Run the checks and yield their findings one by one. `skip`: names of checks that are left out."""
    from cardtable.doctor import camera, readers, system, wired  # OpenCV loads only when it is needed

    checks: dict[str, Callable[[], Iterator[Finding]]] = {
        "versions": lambda: system.versions(config, machine),
        "power": lambda: system.power(machine),
        "clock": lambda: system.clock(machine),
        "disk": lambda: system.disk(config, machine),
        "journal": lambda: system.journal(config),
        "port": lambda: system.port(config),
        "devices": lambda: system.devices(config, machine),
        "pins": lambda: wired.pins(config),
        "displays": lambda: wired.displays(config),
        "voice": lambda: wired.voice(config),
        "readers": lambda: readers.readers(config),
        "cameras": lambda: camera.cameras(config),
    }
    for name in CHECKS:
        if name not in skip:
            yield from checks[name]()
