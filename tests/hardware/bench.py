"""A test bench for wired devices: gpiozero's mock pins, a clock that the test sets, a real game."""

from __future__ import annotations

from collections.abc import Sequence

from gpiozero.pins.mock import MockFactory, MockPWMPin

from engine.actions import Action
from engine.record import Header
from engine.referee.prompts import turn
from engine.table import Table
from engine.views import Event, Prompt, View
from hardware.seats import Seats

PI_3, PI_4, PI_5 = "a02082", "c03112", "c04170"


class Clock:
    """A clock, in seconds, that only the test advances."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def board(revision: str = PI_4) -> MockFactory:
    return MockFactory(revision=revision, pin_class=MockPWMPin)


def all_fives(players: int = 2) -> Table:
    """The start of a game: seat 0 deals and the turn-up is on the table, so that seat 1 may stand or beg."""
    table = Table(Header("all-fives", ("Ann", "Bo", "Cy")[:players], 0))
    table.do(Action.from_json({"do": "turn", "card": "4H"}))
    return table


def do(table: Table, **what: object) -> tuple[Event, ...]:
    return table.do(Action.from_json(what)).events


def waits(view: View) -> list[Prompt]:
    """The prompt of a referee if nothing is wrong."""
    return [turn(view)]


def levels(factory: MockFactory, pin: int) -> list[float]:
    """Every level that an output pin has had, in order."""
    return [state.state for state in factory.pin(pin).states]


class Finger:
    """Presses a button that closes pin `pin` to ground; ticks the seats as the loop does."""

    def __init__(self, factory: MockFactory, seats: Seats, clock: Clock, pin: int) -> None:
        self._pin = factory.pin(pin)
        self._seats = seats
        self._clock = clock
        self.words: list[tuple[int, str]] = []

    def history(self, changes: Sequence[tuple[float, int]], rest: float = 1.0) -> list[tuple[int, str]]:
        """Play a recorded history: (seconds since the last change, level of the pin); then `rest` seconds more."""
        self.words = []
        for wait, level in changes:
            self._pass(wait)
            (self._pin.drive_high if level else self._pin.drive_low)()
        self._pass(rest)
        return self.words

    def _pass(self, seconds: float) -> None:
        end = self._clock.now + seconds
        while self._clock.now < end:
            self._clock.now = min(self._clock.now + 0.05, end)
            self.words += [(word.seat, word.word) for word in self._seats.tick()]
