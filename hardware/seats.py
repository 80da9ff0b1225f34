"""The seats' buttons, encoders and lights, and the table's buzzer, on the pins of a Raspberry Pi.

    seats = Seats(open_pins(), [SeatWiring(0, button=17, light=(27,))], buzzer=22)
    seats.show(view, prompts, events, camera_reads=True)     # whenever something has changed
    for word in seats.tick(): ...                            # every 50 ms or so

`show` and `tick` may be called from different threads. gpiozero calls back in its own thread when a contact changes;
this only notes the change with its time, and `tick` interprets it.
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
from engine.views import Event, Prompt, View
from hardware.buttons import Control, PressDetector, presses, words_of
from hardware.signals import (
    COLOURS,
    SOUNDS,
    WON_S,
    Beeper,
    LightState,
    Sound,
    brightness,
    has_won,
    light_state,
    sound_of,
)
from hardware.wiring import Pin, PinBusy, PinUse, SeatWiring, check_pins

SOURCE: Final = "buttons"


class _Seat:
    """The devices of one seat."""

    def __init__(self, wiring: SeatWiring, names: dict[Pin, str], factory: Any, stack: ExitStack, now: float) -> None:
        from gpiozero import PWMLED, DigitalInputDevice, RotaryEncoder

        self.wiring = wiring
        self.words: tuple[str, ...] = ()
        """What the seat can say now."""
        self.chosen = 0
        """Index in `words` of the encoder's selection."""
        self.detector = PressDetector()
        self.state: LightState = "off"
        self.since = now
        """When the light entered its state, seconds."""
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
        """Set the light for the time `now` (seconds)."""
        state, since = self.state, self.since
        if now < self.won_until:
            state, since = "won", self.won_until - WON_S
        bright = brightness(state, since, now, self.wiring.in_view, camera_reads)
        parts = COLOURS[state] if len(self.leds) == 3 else (1.0,)
        for led, part in zip(self.leds, parts, strict=False):
            if led.value != bright * part:
                led.value = bright * part


class Seats:
    """The devices at all seats, and the table's buzzer.

    `factory`: a gpiozero pin factory. `buzzer`: its pin; `sounds`: the enabled ones. `others`: pins of other devices
    (displays), to be checked together with these. `clock`: seconds; the time of each `Said`.

    Raises `NoSuchPin`, `PinUsedTwice`, and `PinBusy` if another program uses a pin.
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
        self.when_rotated: Callable[[], None] = lambda: None
        """Called in gpiozero's thread after an encoder has selected another word."""
        self._menu = False
        self._controls: list[Control] = []
        self._lock = threading.Lock()
        self._stack = ExitStack()
        self._prompts: tuple[Prompt, ...] = ()
        self._camera_reads = False
        self._beeper: Beeper | None = None
        self._seats: list[_Seat] = []
        try:
            now = clock()
            self._seats += [_Seat(wiring, names, factory, self._stack, now) for wiring in wirings]
            if buzzer is not None:
                device = self._stack.enter_context(Buzzer(names[buzzer], pin_factory=factory))
                self._beeper = Beeper(lambda on: device.on() if on else device.off(), sounds)
        except Exception as error:  # each pin library has its own errors
            self._stack.close()
            message = (
                "the pins cannot be used ({why}): stop the other program that uses them, perhaps a second cardtable"
            )
            raise PinBusy(text(message, why=str(error))) from error
        for seat in self._seats:
            if seat.button:
                seat.button.when_activated = partial(self._contact_changed, seat, True)
                seat.button.when_deactivated = partial(self._contact_changed, seat, False)
            if seat.encoder:
                seat.encoder.when_rotated_clockwise = partial(self._rotated, seat, 1)
                seat.encoder.when_rotated_counter_clockwise = partial(self._rotated, seat, -1)

    def close(self) -> None:
        """Switch lights and buzzer off and release the pins. May be called twice."""
        self._stack.close()
        self._seats.clear()
        self._beeper = None

    def show(
        self, view: View, prompts: Sequence[Prompt], events: Sequence[Event] = (), camera_reads: bool = False
    ) -> None:
        """Show the table. `events`: those since the last call; `camera_reads`: whether a camera is in use."""
        with self._lock:
            now = self._clock()
            for seat in self._seats:
                words = words_of(view, seat.wiring.seat)
                if words != seat.words:
                    seat.words, seat.chosen = words, 0
                state = light_state(view, prompts, seat.wiring.seat)
                if state != seat.state:
                    seat.state, seat.since = state, now
                if has_won(view, events, seat.wiring.seat):
                    seat.won_until = now + WON_S
                seat.show(now, camera_reads)
            sound = sound_of(self._prompts, prompts, events)
            if sound and self._beeper:
                self._beeper.play(sound, now)
            self._prompts, self._camera_reads = tuple(prompts), camera_reads

    def choose(self, menu: bool) -> None:
        """Let buttons and encoders choose in a menu (`controls`) instead of saying words; or no longer."""
        with self._lock:
            self._menu = menu

    def rest(self) -> None:
        """Show no game: the lights go off, and the buttons choose in a menu."""
        with self._lock:
            now = self._clock()
            self._menu, self._prompts, self._camera_reads = True, (), False
            for seat in self._seats:
                seat.words, seat.chosen, seat.state, seat.won_until = (), 0, "off", now
                seat.show(now, False)

    def controls(self) -> list[Control]:
        """Return the presses and turns since the last call that did not say a word.

        Those are all in a menu. Without a menu, it is a long press at a seat that can say nothing, which asks for one.
        """
        with self._lock:
            controls, self._controls = self._controls, []
            return controls

    def tick(self) -> list[Said]:
        """Return what was said since the last tick, and update lights and buzzer."""
        with self._lock:
            now = self._clock()
            spoken = [word for seat in self._seats for word in self._spoken(seat, now)]
            for seat in self._seats:
                seat.show(now, self._camera_reads)
            if self._beeper:
                if spoken:
                    self._beeper.play("pressed", now)
                self._beeper.tick(now)
            return spoken

    def chosen(self, seat: int) -> str | None:
        """Return the word that the encoder of `seat` selects, for its display; None without an encoder or a word."""
        with self._lock:
            for each in self._seats:
                if each.wiring.seat == seat and each.encoder and each.words:
                    return each.words[each.chosen] or None
        return None

    def _spoken(self, seat: _Seat, now: float) -> list[Said]:
        out = []
        for press in seat.detector.presses(now):
            if self._menu or (press.kind == "long" and not press.words and not seat.words):
                self._controls.append(Control(seat.wiring.seat, press.kind, encoder=seat.encoder is not None))
                continue
            # A press means what it meant when the finger came down; if the words have changed since, ignore it.
            if press.words == self._sayable(seat):
                meaning = {"short": press.words[0]} if seat.encoder and press.words else presses(press.words)
                if word := meaning.get(press.kind):
                    out.append(Said(now, SOURCE, seat.wiring.seat, word))
        return out

    @staticmethod
    def _sayable(seat: _Seat) -> tuple[str, ...]:
        """Return the words that a press can say now: with an encoder, the selected one."""
        return seat.words[seat.chosen : seat.chosen + 1] if seat.encoder else seat.words

    def _contact_changed(self, seat: _Seat, closed: bool) -> None:
        """Note a change of a contact, in gpiozero's thread."""
        with self._lock:
            seat.detector.change(self._clock(), closed, self._sayable(seat))

    def _rotated(self, seat: _Seat, step: int) -> None:
        """Select the next or previous word, in gpiozero's thread."""
        with self._lock:
            if self._menu:
                self._controls.append(Control(seat.wiring.seat, "turn", step, encoder=True))
            elif seat.words:
                seat.chosen = (seat.chosen + step) % len(seat.words)
        self.when_rotated()
