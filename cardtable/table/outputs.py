"""The hardware at the seats: lights, buzzer, displays and voice show the game, buttons enter words.

It shows every snapshot, and adds words, presses and failures to the queue of the table. A failure is reported as a lost
source and tried again; it never holds up the game. There are two threads: one reads the buttons and drives the lights,
the other drives the displays, some of which need 0.1 s for a picture.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Final

from cardtable.config.model import TableConfig
from cardtable.errors import CardtableError, UsageError
from cardtable.languages import translate_prompts, translator
from cardtable.table.readers import RfidSource
from cardtable.table.snapshot import Snapshot, fact_sentences, news_sentences
from cardtable.table.sources import Received, Watchdog
from engine.observations import Back, Lost, Observation
from engine.texts import Translate, as_written, text
from engine.views import View
from hardware.screen import Screen, screen_of
from hardware.seats import SOURCE as BUTTONS
from hardware.seats import Seats
from hardware.signals import light_state
from hardware.voice import ESPEAK, Speech, Voice, speakable
from hardware.wiring import (
    DisplayFailed,
    DisplayWiring,
    HardwareError,
    NoSuchDisplay,
    NoSuchPin,
    NoVoice,
    PinUsedTwice,
    check_pins,
    open_pins,
)

if TYPE_CHECKING:
    from hardware.displays import Display


_TICK_S: Final = 0.05
"""Period in which buttons are read and lights driven, seconds: the resolution of blinking and sounds."""
_RETRY_DISPLAY_S: Final = 5.0
"""Seconds before a failed display is tried again."""
VOICE: Final = "voice"

_LOG: Final = logging.getLogger(__name__)


class ReaderLights:
    """The lights at the seats that are wired to a reader board."""

    def __init__(self, reader: RfidSource) -> None:
        self._reader = reader
        self._seats = reader.lights

    def show(self, snapshot: Snapshot, view_of: Callable[[int | None], View]) -> None:
        """Switch on the light of the seat on turn; let the lights of seats blink that must correct something."""
        on = blinking = 0
        for number, seat in enumerate(self._seats):
            state = "off" if seat is None else light_state(snapshot.view, snapshot.prompts, seat)
            on |= (state != "off") << number
            blinking |= (state in ("take-back", "waiting")) << number
        self._reader.set_lights(on, blinking)


_Shown = Callable[[int | None, str | None], Screen]
"""Returns what the display at a seat (None: for everyone) shows while the seat's encoder selects a word."""


class HardwareOutputs:
    """Buttons and lights (`seats`), `displays` and `voice` of one table; any of them may be missing.

    It owns them: `close` closes them. `speech` makes the sentences for the voice. `clock` returns seconds; it times
    reports of failures and retries of displays. `stepped`: there are no threads; the game loop calls `step` instead.
    """

    def __init__(
        self,
        seats: Seats | None = None,
        displays: Sequence[Display] = (),
        voice: Voice | None = None,
        speech: Speech | None = None,
        translate: Translate = as_written,
        clock: Callable[[], float] = time.monotonic,
        stepped: bool = False,
    ) -> None:
        self._seats = seats
        self._displays = tuple(displays)
        self._voice = voice
        self._speech = speech
        self._translate = translate
        self._clock = clock
        self._stepped = stepped
        self._put: Callable[[Received], None] = lambda received: None
        self._watchdog: Watchdog | None = None
        self._stop = threading.Event()
        self._stale = threading.Event()
        self._shown: _Shown | None = None
        self._failed: dict[Display, tuple[float, str]] = {}
        self._given_up: set[str] = set()
        self._announced: str | None = None
        self._facts: list[str] = []
        self._threads: list[threading.Thread] = []
        if seats:
            seats.when_rotated = self._stale.set
        if voice:
            voice.when_fault_changed = self._voice_troubled

    def start(self, put: Callable[[Received], None], watchdog: Watchdog | None = None) -> None:
        """Start the threads. They call `put`, and tell `watchdog` of each reading of the buttons.

        A further call starts no threads; it only replaces `put` and `watchdog`.
        """
        self._put = put
        self._watchdog = watchdog
        if self._threads:
            return
        loops = [(BUTTONS, self._button_loop, self._seats), ("displays", self._display_loop, self._displays)]
        for name, loop, wanted in loops:
            if wanted and not self._stepped:
                self._threads.append(threading.Thread(target=self._run, args=(name, loop), name=name, daemon=True))
                self._threads[-1].start()

    def step(self) -> None:
        """Read buttons, drive lights and update displays once. Does nothing unless `stepped`."""
        if self._stepped and BUTTONS not in self._given_up:
            self._read_buttons()
        if self._stepped and self._stale.is_set():
            self._stale.clear()
            self._draw_all()

    def close(self) -> None:
        """Stop the threads, switch lights and displays off, end the voice. May be called twice."""
        self._stop.set()
        self._stale.set()
        for thread in self._threads:
            thread.join()
        self._threads.clear()
        if self._seats:
            with suppress(Exception):  # pins that have failed may fail again
                self._seats.close()
        for display in self._displays:
            display.close()
        if self._voice:
            self._voice.close()

    def show(self, snapshot: Snapshot, view_of: Callable[[int | None], View]) -> None:
        """Show `snapshot`. `view_of` gives the view of a seat, or the public view for None; it is called at once."""
        news = snapshot.new_events
        events = [event for entry in news for event in entry.events]
        prompts = translate_prompts(snapshot.prompts, self._translate)
        if self._seats and BUTTONS not in self._given_up:
            try:
                reads = snapshot.seen and not snapshot.view.over  # docs/how-to/wired-hardware.md
                self._seats.show(snapshot.view, prompts, events, reads)
            except Exception as error:
                self._give_up(BUTTONS, error)
        if self._displays:
            seats = {display.wiring.seat for display in self._displays}
            views = {seat: view_of(seat) for seat in seats}
            self._draw_later(lambda seat, chosen: screen_of(views[seat], prompts, seat, chosen, self._translate))
        if self._voice and self._speech:
            points = [point for entry in news for point in entry.points]
            sentences = news_sentences(snapshot, self._translate) if self._speech.amount == "full" else []
            facts = fact_sentences(snapshot.view, self._translate)
            sentences += [fact for fact in facts if sentences and fact not in self._facts]
            self._facts = facts
            self._voice.say(self._speech.news(snapshot.n, snapshot.view, prompts, points, events, sentences))

    def announce(self, sentence: str, then: bool = False) -> None:
        """Speak a sentence of the lobby, a result or a menu, unless it is empty or was announced last.

        `then`: speak it after the sentences that are still waiting.
        """
        if self._voice and sentence != self._announced:
            self._announced = sentence
            if sentence:
                self._voice.say([speakable(sentence, self._translate)], then)

    def choose(self, menu: bool) -> None:
        """Let buttons and encoders choose in a `menu`, or else say words."""
        if self._seats:
            self._seats.choose(menu)

    def rest(self) -> None:
        """Show no game: lights off, buttons choose in a menu."""
        if self._seats and BUTTONS not in self._given_up:
            try:
                self._seats.rest()
            except Exception as error:
                self._give_up(BUTTONS, error)

    def show_screen(self, screen_of_seat: Callable[[int | None], Screen]) -> None:
        """Show another screen than the game on each display. `screen_of_seat`: by seat; None for everyone."""
        self._draw_later(lambda seat, chosen: screen_of_seat(seat))

    def _draw_later(self, shown: _Shown) -> None:
        if self._displays:
            self._shown = shown
            self._stale.set()

    def _voice_troubled(self, text: str | None) -> None:
        now = self._clock()
        self._report(Back(now, VOICE) if text is None else Lost(now, VOICE, text))

    def _run(self, name: str, loop: Callable[[], None]) -> None:
        try:
            loop()
        except Exception as error:
            self._give_up(name, error)

    def _give_up(self, name: str, error: Exception) -> None:
        """Report that buttons or displays have failed; the game goes on without them.

        Each pin library and driver has its own exceptions, so all are caught.
        """
        _LOG.error("%s given up", name, exc_info=error)
        self._given_up.add(name)
        if self._watchdog:
            self._watchdog.finished(name)
        message = "The buttons have failed ({why}): check their wires, and start the table again."
        if name != BUTTONS:
            message = "The displays have failed ({why}): check their wires, and start the table again."
        self._report(Lost(self._clock(), name, text(message, why=str(error))))

    def _report(self, observation: Observation) -> None:
        self._put(Received(observation))

    def _button_loop(self) -> None:
        while BUTTONS not in self._given_up and not self._stop.wait(_TICK_S):
            self._read_buttons()
            if self._watchdog:
                self._watchdog.progressed(BUTTONS)

    def _read_buttons(self) -> None:
        for observation in self._seats.tick() if self._seats else ():
            self._report(observation)
        for control in self._seats.controls() if self._seats else ():
            self._put(Received(control))

    def _display_loop(self) -> None:
        while not self._stop.is_set():
            self._stale.wait(_RETRY_DISPLAY_S if self._failed else None)
            self._stale.clear()
            if not self._stop.is_set():
                self._draw_all()

    def _draw_all(self) -> None:
        shown = self._shown
        for display in self._displays if shown else ():
            failed = self._failed.get(display)
            if shown and (failed is None or self._clock() - failed[0] >= _RETRY_DISPLAY_S):
                self._draw_on(display, shown)

    def _draw_on(self, display: Display, shown: _Shown) -> None:
        seat = display.wiring.seat
        chosen = self._seats.chosen(seat) if self._seats and seat is not None else None
        try:
            display.show(shown(seat, chosen))
        except HardwareError as error:
            if self._failed.get(display, (0.0, ""))[1] != str(error):
                self._report(Lost(self._clock(), display.wiring.what, text("{what}.", what=str(error))))
            self._failed[display] = (self._clock(), str(error))
        else:
            if self._failed.pop(display, None):
                self._report(Back(self._clock(), display.wiring.what))


def open_outputs(
    config: TableConfig,
    pins: Callable[[], Any] = open_pins,
    clock: Callable[[], float] = time.monotonic,
    stepped: bool = False,
) -> HardwareOutputs | None:
    """Open the configured hardware, in the table's language; return None if there is none.

    `pins` opens gpiozero's pin factory if pins are needed. `clock` and `stepped`: as for `HardwareOutputs`. A display
    that does not answer is tried again later. Raises `UsageError` for a mistake in the configuration, `CardtableError`
    for hardware or libraries that this machine does not have.
    """
    try:
        parts = _open_parts(config, pins, clock)
    except (NoSuchPin, PinUsedTwice, NoSuchDisplay, NoVoice) as error:
        raise UsageError(str(error)) from error
    except HardwareError as error:
        raise CardtableError(str(error)) from error
    if not any(parts):
        return None
    translate = translator(config.language)
    speech = Speech(config.voice.say, translate) if config.voice.say != "off" else None
    return HardwareOutputs(*parts, speech, translate, clock, stepped)


def _open_parts(
    config: TableConfig, pins: Callable[[], Any], clock: Callable[[], float]
) -> tuple[Seats | None, list[Display], Voice | None]:
    wirings = [display.wiring for display in config.display]
    others = [use for wiring in wirings for use in wiring.uses()]
    on_pins = bool(config.seat or config.buzzer)
    factory = pins() if on_pins or any(wiring.needs_pins for wiring in wirings) else None
    with ExitStack() as stack:
        seats = voice = None
        if on_pins:
            pin, sounds = (config.buzzer.pin, config.buzzer.sounds) if config.buzzer else (None, ())
            seats = Seats(factory, [seat.wiring for seat in config.seat], pin, sounds, others, clock)
            stack.callback(seats.close)
        elif factory is not None:
            check_pins(factory, others)
        displays = _displays(wirings, factory)
        for display in displays:
            stack.callback(display.close)
            with suppress(DisplayFailed):
                display.open()
        if config.voice.say != "off":
            voice = Voice(config.voice.command or ESPEAK, config.language)
        stack.pop_all()  # the caller closes them from here on
        return seats, displays, voice


def _displays(wirings: Sequence[DisplayWiring], factory: Any) -> list[Display]:
    if not wirings:
        return []
    try:
        from hardware.displays import Display  # a table without displays needs no drivers
    except ImportError as error:
        raise CardtableError(text("displays need luma: install the program with its extra 'displays'")) from error
    return [Display(wiring, factory) for wiring in wirings]
