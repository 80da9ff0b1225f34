"""People who press a button or turn an encoder at a table with simulated pins."""

from __future__ import annotations

from tests.cardtable.evening.evenings import TestEvening
from tests.hardware.bench import Clock

BUTTON, ENCODER = 17, (5, 6)


class Hands:
    """People at seat 1 who press its button and turn its encoder."""

    def __init__(self, evening: TestEvening, factory: object, clock: Clock) -> None:
        self.evening = evening
        self.factory = factory
        self.clock = clock

    def press(self, seconds: float = 0.1) -> None:
        pin = self.factory.pin(BUTTON)  # type: ignore[attr-defined]
        pin.drive_low()
        self._pass(seconds)
        pin.drive_high()
        self._pass(1.0)

    def turn(self, steps: int) -> None:
        a, b = (self.factory.pin(pin) for pin in ENCODER)  # type: ignore[attr-defined]
        for _ in range(abs(steps)):
            for pin, low in (
                ((a, True), (b, True), (a, False), (b, False))
                if steps > 0
                else ((b, True), (a, True), (b, False), (a, False))
            ):
                pin.drive_low() if low else pin.drive_high()
        self._pass(0.1)

    def _pass(self, seconds: float) -> None:
        self.clock.now += seconds
        outputs = self.evening.host.services.outputs
        assert outputs is not None
        outputs.step()
        self.evening.turn()

    def choose(self, label: str, encoder: bool = False) -> None:
        """Move to the entry and take it; the menu is opened first."""
        if self.evening.shown()["menu"] is None:
            self.press()
        menu = self.evening.shown()["menu"]
        steps = (menu["entries"].index(label) - menu["chosen"]) % len(menu["entries"])
        if encoder:
            self.turn(min(steps, steps - len(menu["entries"]), key=abs))
            self.press()
            return
        for _ in range(steps):
            self.press()
        self.press(1.0)
