"""The doctor: checks everything that a table needs, and advises what to do about each trouble.

`examine` runs the checks of a table one after the other. Each check is a generator of `Finding`s in `system`,
`devices` or `cameras`; `pages` shows the findings on the board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from cardtable.config.load import bare_config
from cardtable.config.model import TableConfig
from cardtable.doctor.finding import Finding, Machine, trouble
from cardtable.errors import CardtableError
from cardtable.plugins import Plugin, blamed, faults, in_time, installed
from engine.texts import text

__all__ = ["CHECKS", "Finding", "Machine", "examine", "examine_machine"]

CHECKS: Final = (
    "versions", "power", "kernel", "clock", "disk", "journal", "https", "port", "devices", "pins", "displays", "voice",
    "readers", "cameras",
)  # fmt: skip
"""The names of the table's own checks, in the order in which they run. Those of plug-ins follow, named after them."""

Begin = Callable[[str, int, int], None]
"""Called before each check with its name, its number from 1, and the number of checks."""


def _ignore(name: str, number: int, count: int) -> None:
    pass


def examine(
    config: TableConfig, machine: Machine, skip: Sequence[str] = (), begin: Begin = _ignore
) -> Iterator[Finding]:
    """Run the checks except those in `skip`, and yield their findings one by one."""
    from cardtable.doctor import cameras, devices, system  # OpenCV loads only when it is needed

    checks: dict[str, Callable[[], Iterable[Finding]]] = {
        "versions": lambda: system.versions(config, machine),
        "power": lambda: system.power(machine),
        "kernel": lambda: system.kernel(machine),
        "clock": lambda: system.clock(config, machine),
        "disk": lambda: system.disk(config, machine),
        "journal": lambda: system.journal(config),
        "https": lambda: system.https(config),
        "port": lambda: system.port(config),
        "devices": lambda: system.devices(config, machine),
        "pins": lambda: devices.pins(config),
        "displays": lambda: devices.displays(config),
        "voice": lambda: devices.voice(config),
        "readers": lambda: devices.readers(config),
        "cameras": lambda: cameras.cameras(config),
    }
    for name, plugin in installed().items():
        checks.setdefault(name, partial(_plugin, name, plugin, config))
    names = [name for name in checks if name not in skip]
    for number, name in enumerate(names, 1):
        begin(name, number, len(names))
        yield from checks[name]()


def _plugin(name: str, plugin: Plugin, config: TableConfig) -> Iterable[Finding]:
    yield from (fault for fault in plugin_faults() if fault.check == name)
    try:
        with blamed(name):
            yield from in_time(lambda: tuple(plugin.check(config)))
    except CardtableError as error:
        yield trouble(name, str(error), "")


def plugin_faults() -> Iterator[Finding]:
    """Yield what is wrong with the plug-ins at the table that runs in this program."""
    advice = text("start the table again; if that does not help, install the plug-in again, or uninstall it")
    yield from (trouble(name, fault, advice) for name, fault in faults().items())


def examine_machine(machine: Machine, skip: Sequence[str] = (), begin: Begin = _ignore) -> Iterator[Finding]:
    """Report the missing configuration, and run the checks for a table without any device."""
    message = text("there is no table.toml, so only the machine is checked")
    yield trouble("config", message, text("write one"), "cardtable config -o table.toml")
    yield from examine(bare_config(), machine, skip, begin)
