"""The hardware of the simulated table: a button and an RGB light at each seat, a buzzer, and displays.

The pins are gpiozero's mock pins of a Raspberry Pi 5; the displays are PNG files in a folder. The folder also holds the
configuration of the table, as it would be for a real one, and `pins.csv` with every change of a pin and its time.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TextIO

from cardtable.config.load import read_config
from cardtable.config.model import TableConfig
from cardtable.errors import CardtableError, why
from cardtable.simulation.director import Fingers
from cardtable.simulation.source import Setting
from engine.texts import text

PI_5: Final = "c04170"
"""Revision code of a Raspberry Pi 5 with 4 GB."""
BUTTONS: Final = (17, 27, 16, 26, 2, 3)
"""GPIO2 and GPIO3 have pull-up resistors on the board, so they are used for buttons only."""
LIGHTS: Final = ((5, 6, 13), (19, 20, 21), (22, 23, 24), (25, 8, 7), (9, 10, 11), (14, 15, 18))
BUZZER: Final = 4
_CONFIG: Final = "table.toml"
_PINS: Final = "pins.csv"


class SimulatedWiring:
    """The simulated pins and the configuration for them. Close it after everything that uses it.

    `folder`: where displays, configuration and `pins.csv` are written; it is created if necessary. `clock`: returns the
    time of the table in seconds. Raises `CardtableError` if the folder cannot be written.
    """

    def __init__(self, setting: Setting, folder: Path, clock: Callable[[], float], language: str = "en") -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / _CONFIG).write_text(_config_text(setting, language), "utf-8")
            self._list: TextIO = (folder / _PINS).open("w", encoding="utf-8", newline="")
        except OSError as error:
            raise CardtableError(text("{path} cannot be written: {why}", path=folder, why=why(error))) from error
        self.clock: Final = clock
        self._rows = csv.writer(self._list)
        self._rows.writerow(("seconds", "what", "pin", "level"))
        self.config: Final[TableConfig] = read_config(folder / _CONFIG)
        self.pins: Final = _pins(self._note)
        self._names = _names(self.config)
        self.fingers: Final = Fingers({seat.seat: self.pins.pin(seat.button) for seat in self.config.seat})

    def close(self) -> None:
        """Close `pins.csv`."""
        self._list.close()

    def _note(self, pin: int, level: float) -> None:
        if pin in self._names and not self._list.closed:
            self._rows.writerow((f"{self.clock():.3f}", self._names[pin], pin, f"{level:g}"))


def _config_text(setting: Setting, language: str) -> str:
    names = ", ".join(f'"{name}"' for name in setting.header.players)
    lines = [f'game = "{setting.game}"', f"players = [{names}]", f'language = "{language}"']
    if setting.header.dealer is not None:
        lines.append(f"dealer = {setting.header.dealer}")
    for seat in range(setting.players):
        lines += ["", "[[seat]]", f"seat = {seat}", f"button = {BUTTONS[seat]}", f"light = {list(LIGHTS[seat])}"]
    lines += ["", "[buzzer]", f"pin = {BUZZER}", "", "[[display]]", 'kind = "png"', 'file = "everybody.png"']
    for seat in range(setting.players):
        lines += ["", "[[display]]", 'kind = "png"', f"seat = {seat}", f'file = "seat-{seat}.png"']
    return "\n".join(lines) + "\n"


def _names(config: TableConfig) -> dict[int, str]:
    names: dict[int, str] = {}
    for seat in config.seat:
        names[int(seat.button or 0)] = f"button of seat {seat.seat}"
        colours = zip(seat.light, ("red", "green", "blue"), strict=True)
        names |= {pin: f"light of seat {seat.seat}, {colour}" for pin, colour in colours}
    if config.buzzer:
        names[config.buzzer.pin] = "buzzer"
    return names


def _pins(note: Callable[[int, float], None]) -> Any:
    try:
        from gpiozero.pins.mock import MockFactory, MockPWMPin
    except ImportError as error:
        message = "buttons and lights need gpiozero: install the program with the extra 'pi'"
        raise CardtableError(text(message)) from error

    class NotedPin(MockPWMPin):  # type: ignore[misc]  # gpiozero comes without types
        """A mock pin that reports every change to `note`."""

        def _change_state(self, value: float) -> bool:
            changed = bool(super()._change_state(value))
            if changed:
                note(int(self.info.name.removeprefix("GPIO")), float(value))
            return changed

    return MockFactory(revision=PI_5, pin_class=NotedPin)
