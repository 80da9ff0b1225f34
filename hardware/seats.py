"""The seats' buttons, encoders and lights, and the table's buzzer, on the pins of a Raspberry Pi.

    seats = Seats(open_pins(), [SeatWiring(0, button=17, light=(27,))], buzzer=22)
    seats.show(view, prompts, events, camera_reads=True)     # whenever something has changed
    for said in seats.tick(): ...                            # every 50 ms or so

`show` and `tick` may be called from different threads. gpiozero calls from a thread of its own when a contact
changes: what it tells is only noted there, with its time, and understood in `tick`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, Final

from engine.observations import Said
from engine.texts import text
from engine.views import Event, View
from hardware.asks import Asks
from hardware.button import Presses
from hardware.errors import PinBusy
from hardware.lights import COLOURS, WON_S, Mood, has_won, level, mood
from hardware.pins import Pin, PinUse, SeatWiring, check_pins
from hardware.sounds import SOUNDS, Beeper, Sound, sound_of
from hardware.words import presses, words_of

SOURCE: Final = "buttons"


class _Seat:
    """One seat: what it hears and what it shows."""

    def __init__(self, wiring: SeatWiring, names: dict[Pin, str], factory: Any, stack: ExitStack, now: float) -> None:
        from gpiozero import PWMLED, DigitalInputDevice, RotaryEncoder

        self.wiring = wiring
        self.offer: tuple[str, ...] = ()
        self.chosen = 0
        """Which of the words on offer the encoder stands at."""
        self.presses = Presses()
        self.mood: Mood = "off"
        self.since = now
        self.won_until = now
        self.button = self.encoder = None
        if wiring.button is not None:
            pin = names[wiring.button]
            self.button = stack.enter_context(DigitalInputDevice(pin, pull_up=True, pin_factory=factory))
        if wiring.encoder is not None:
            a, b = (names[pin] for pin in wiring.encoder)
            self.encoder = stack.enter_context(RotaryEncoder(a, b, max_steps=0, pin_factory=factory))
        self.leds = [stack.enter_context(PWMLED(names[pin], pin_factory=factory)) for pin in wiring.light]

    def show(self, now: float, camera_reads: bool) -> None:
        """Put the light where it should be at `now`."""
        kind, since = self.mood, self.since
        if now < self.won_until:
            kind, since = "won", self.won_until - WON_S
        bright = level(kind, since, now, self.wiring.in_view, camera_reads)
        parts = COLOURS[kind] if len(self.leds) == 3 else (1.0,)
        for led, part in zip(self.leds, parts, strict=False):
            if led.value != bright * part:
                led.value = bright * part


class Seats:
    """Everything that is wired at the seats. `clock`: seconds; what is `Said` carries its time.

    `buzzer`: its pin; `sounds`: those it is to make. Raises `NoSuchPin` and `PinUsedTwice`; `others` are pins that
    are wired to something else (a display), checked with the rest. Raises `PinBusy` where another program has them.
    """

    def __init__(
        self,
        factory: Any,
        wirings: Sequence[SeatWiring],
        buzzer: Pin | None = None,
        sounds: Sequence[Sound] = SOUNDS,
        others: Sequence[PinUse] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        from gpiozero import Buzzer

        uses = [use for wiring in wirings for use in wiring.uses()]
        if buzzer is not None:
            uses.append(PinUse(buzzer, text("the buzzer")))
        names = check_pins(factory, [*uses, *others])
        self._clock = clock
        self.when_turned: Callable[[], None] = lambda: None
        """Called, in another thread, when an encoder stands at another word."""
        self._lock = threading.Lock()
        self._stack = ExitStack()
        self._prompts: tuple[Asks, ...] = ()
        self._camera_reads = False
        self._beeper: Beeper | None = None
        self._seats: list[_Seat] = []
        try:
            now = clock()
            self._seats += [_Seat(wiring, names, factory, self._stack, now) for wiring in wirings]
            if buzzer is not None:
                device = self._stack.enter_context(Buzzer(names[buzzer], pin_factory=factory))
                self._beeper = Beeper(lambda on: device.on() if on else device.off(), sounds)
        except Exception as error:  # each pin library has errors of its own
            self._stack.close()
            told = "the pins cannot be used ({why}): stop the other program that uses them, a second cardtable perhaps"
            raise PinBusy(text(told, why=str(error))) from error
        for seat in self._seats:
            if seat.button:
                seat.button.when_activated = partial(self._changed, seat, True)
                seat.button.when_deactivated = partial(self._changed, seat, False)
            if seat.encoder:
                seat.encoder.when_rotated_clockwise = partial(self._turned, seat, 1)
                seat.encoder.when_rotated_counter_clockwise = partial(self._turned, seat, -1)

    def close(self) -> None:
        """Lights and buzzer off, pins let go. May be called twice."""
        self._stack.close()
        self._seats.clear()
        self._beeper = None

    def show(
        self, view: View, prompts: Sequence[Asks], events: Sequence[Event] = (), camera_reads: bool = False
    ) -> None:
        """The table has changed. `events`: the news since the last call; `camera_reads`: a camera is at work."""
        with self._lock:
            now = self._clock()
            for seat in self._seats:
                offer = words_of(view, seat.wiring.seat)
                if offer != seat.offer:
                    seat.offer, seat.chosen = offer, 0
                kind = mood(view, prompts, seat.wiring.seat)
                if kind != seat.mood:
                    seat.mood, seat.since = kind, now
                if has_won(view, events, seat.wiring.seat):
                    seat.won_until = now + WON_S
                seat.show(now, camera_reads)
            sound = sound_of(self._prompts, prompts, events)
            if sound and self._beeper:
                self._beeper.play(sound, now)
            self._prompts, self._camera_reads = tuple(prompts), camera_reads

    def tick(self) -> list[Said]:
        """What was said since the last tick; lights and buzzer brought up to date."""
        with self._lock:
            now = self._clock()
            said = [word for seat in self._seats for word in self._heard(seat, now)]
            for seat in self._seats:
                seat.show(now, self._camera_reads)
            if self._beeper:
                if said:
                    self._beeper.play("pressed", now)
                self._beeper.tick(now)
            return said

    def chosen(self, seat: int) -> str | None:
        """The word at which the encoder of `seat` stands, for its display; None without an encoder, or a word."""
        with self._lock:
            for each in self._seats:
                if each.wiring.seat == seat and each.encoder and each.offer:
                    return each.offer[each.chosen]
        return None

    def _heard(self, seat: _Seat, now: float) -> list[Said]:
        out = []
        for press in seat.presses.found(now):
            # What the press meant when the finger came down; where that is not on offer any more, it means nothing.
            if press.offer == self._offer(seat):
                meaning = {"short": press.offer[0]} if seat.encoder and press.offer else presses(press.offer)
                if word := meaning.get(press.kind):
                    out.append(Said(now, SOURCE, seat.wiring.seat, word))
        return out

    @staticmethod
    def _offer(seat: _Seat) -> tuple[str, ...]:
        """What a press may mean now: with an encoder, the word at which it stands."""
        return seat.offer[seat.chosen : seat.chosen + 1] if seat.encoder else seat.offer

    def _changed(self, seat: _Seat, closed: bool) -> None:
        """Gpiozero's thread: a contact has closed or opened."""
        with self._lock:
            seat.presses.change(self._clock(), closed, self._offer(seat))

    def _turned(self, seat: _Seat, step: int) -> None:
        """Gpiozero's thread: an encoder was turned by one step."""
        with self._lock:
            if seat.offer:
                seat.chosen = (seat.chosen + step) % len(seat.offer)
        self.when_turned()
