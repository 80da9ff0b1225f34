"""What is wired to the table, kept up to date: lights, buzzer, displays and voice show it, buttons are heard.

`Play` tells it of every change and gives it a way to report what was said. Whatever goes wrong here is told at the
table as a lost source, and tried again; it never holds up the game. Two threads: one listens to the buttons and
drives the lights, the other the displays, some of which take a tenth of a second for a picture.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cardtable.config.model import TableConfig
from cardtable.errors import CardtableError, UsageError
from cardtable.languages import translate_prompts, translator
from cardtable.play.snapshot import Snapshot
from cardtable.play.watchdog import Watchdog
from engine.observations import Back, Lost, Observation
from engine.referee.prompts import Prompt
from engine.texts import text
from engine.views import View
from hardware.display_wiring import DisplayWiring
from hardware.errors import DisplayFailed, HardwareError, NoSuchDisplay, NoSuchPin, NoVoice, PinUsedTwice
from hardware.pins import check_pins, open_pins
from hardware.screen import screen_of
from hardware.seats import SOURCE as BUTTONS
from hardware.seats import Seats
from hardware.speech import Speech
from hardware.texts import Translate, as_written
from hardware.voice import ESPEAK, Voice

if TYPE_CHECKING:
    from hardware.displays import Display

_TICK_S: Final = 0.05
"""How often buttons and lights are looked after: blinking and sounds are no finer than this."""
_TRY_AGAIN_S: Final = 5.0
"""How long a display that has failed is left alone."""
VOICE: Final = "voice"


class _Now(NamedTuple):
    """What displays are to show: the view of each place that has a display, made in the playing thread."""

    prompts: tuple[Prompt, ...]
    views: dict[int | None, View]


class HardwareOutputs:
    """Everything wired to one table. `clock`: seconds; lights blink and presses are long by it.

    `stepped`: for a simulated table, which calls `step` for each frame; there are no threads then.

    Any of the three may be missing. It owns them from now on: `close` lets them go.
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
        self._report: Callable[[Observation], None] = lambda observation: None
        self._progress: Watchdog | None = None
        self._stop = threading.Event()
        self._stale = threading.Event()
        self._now: _Now | None = None
        self._failed: dict[Display, tuple[float, str]] = {}
        self._dead: set[str] = set()
        self._threads: list[threading.Thread] = []
        if seats:
            seats.when_turned = self._stale.set
        if voice:
            voice.when_troubled = self._voice_troubled

    def start(self, report: Callable[[Observation], None], progress: Watchdog | None = None) -> None:
        """Begin to listen; `report` is called in other threads. `progress` is told of every look at the buttons."""
        self._report = report
        self._progress = progress
        loops = [(BUTTONS, self._listen, self._seats), ("displays", self._draw, self._displays)]
        for name, loop, wanted in loops:
            if wanted and not self._stepped:
                self._threads.append(threading.Thread(target=self._run, args=(name, loop), name=name, daemon=True))
                self._threads[-1].start()

    def step(self) -> None:
        """Where it is `stepped`: hear buttons, look after lights, and show on the displays what has changed."""
        if self._stepped and BUTTONS not in self._dead:
            self._hear()
        if self._stepped and self._stale.is_set():
            self._stale.clear()
            self._draw_all()

    def close(self) -> None:
        """Lights off, displays dark, nobody speaks. May be called twice."""
        self._stop.set()
        self._stale.set()
        for thread in self._threads:
            thread.join()
        self._threads.clear()
        if self._seats:
            with suppress(Exception):  # pins that have failed may fail once more
                self._seats.close()
        for display in self._displays:
            display.close()
        if self._voice:
            self._voice.close()

    def show(self, shown: Snapshot, view_of: Callable[[int | None], View], camera_reads: bool) -> None:
        """The table has changed. `view_of` is asked here and now, for the seats that have a display."""
        events = [event for done in shown.news for event in done.events]
        prompts = translate_prompts(shown.prompts, self._translate)
        if self._seats and BUTTONS not in self._dead:
            try:
                self._seats.show(shown.view, prompts, events, camera_reads)
            except Exception as error:
                self._give_up(BUTTONS, error)
        if self._displays:
            places = {display.wiring.seat for display in self._displays}
            self._now = _Now(prompts, {place: view_of(place) for place in places})
            self._stale.set()
        if self._voice and self._speech:
            points = [point for done in shown.news for point in done.points]
            self._voice.say(self._speech.news(shown.n, shown.view, prompts, points, events))

    def _voice_troubled(self, text: str | None) -> None:
        now = self._clock()
        self._report(Back(now, VOICE) if text is None else Lost(now, VOICE, text))

    def _run(self, name: str, loop: Callable[[], None]) -> None:
        try:
            loop()
        except Exception as error:
            self._give_up(name, error)

    def _give_up(self, name: str, error: Exception) -> None:
        """Each pin library and driver has errors of its own; the game goes on, and a button nobody hears is told."""
        self._dead.add(name)
        if self._progress:
            self._progress.over(name)
        told = "The buttons have failed ({why}): check their wires, and start the table again."
        if name != BUTTONS:
            told = "The displays have failed ({why}): check their wires, and start the table again."
        reason = text(told, why=str(error))
        self._report(Lost(self._clock(), name, reason))

    def _listen(self) -> None:
        while BUTTONS not in self._dead and not self._stop.wait(_TICK_S):
            self._hear()
            if self._progress:
                self._progress.made(BUTTONS)

    def _hear(self) -> None:
        for said in self._seats.tick() if self._seats else ():
            self._report(said)

    def _draw(self) -> None:
        while not self._stop.is_set():
            self._stale.wait(_TRY_AGAIN_S if self._failed else None)
            self._stale.clear()
            if not self._stop.is_set():
                self._draw_all()

    def _draw_all(self) -> None:
        now = self._now
        for display in self._displays if now else ():
            failed = self._failed.get(display)
            if now and (failed is None or self._clock() - failed[0] >= _TRY_AGAIN_S):
                self._draw_on(display, now)

    def _draw_on(self, display: Display, now: _Now) -> None:
        seat = display.wiring.seat
        chosen = self._seats.chosen(seat) if self._seats and seat is not None else None
        try:
            display.show(screen_of(now.views[seat], now.prompts, seat, chosen, self._translate))
        except HardwareError as error:
            if self._failed.get(display, (0.0, ""))[1] != str(error):
                self._report(Lost(self._clock(), display.wiring.what, text("{what}.", what=str(error))))
            self._failed[display] = (self._clock(), str(error))
        else:
            if self._failed.pop(display, None):
                self._report(Back(self._clock(), display.wiring.what))


def open_wired(
    config: TableConfig,
    pins: Callable[[], Any] = open_pins,
    clock: Callable[[], float] = time.monotonic,
    stepped: bool = False,
) -> HardwareOutputs | None:
    """What the configuration says is wired to the table, in its language; None where nothing is.

    `pins`: opens gpiozero's pin factory, where pins are needed; `clock`, `stepped`: as `HardwareOutputs`. A display that does not
    answer is waited for. Raises `UsageError` for a mistake in the configuration,
    `CardtableError` for what this machine does not have.
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
        stack.pop_all()  # from here on they are the caller's
        return seats, displays, voice


def _displays(wirings: Sequence[DisplayWiring], factory: Any) -> list[Display]:
    if not wirings:
        return []
    try:
        from hardware.displays import Display  # a table without displays needs no drivers
    except ImportError as error:
        raise CardtableError(text("displays need luma: install the program with its extra 'displays'")) from error
    return [Display(wiring, factory) for wiring in wirings]
