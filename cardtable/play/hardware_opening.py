"""Opening the hardware that the configuration names."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from cardtable.config.model import TableConfig
from cardtable.errors import CardtableError, UsageError
from cardtable.languages import translator
from cardtable.play.hardware_outputs import HardwareOutputs
from engine.texts import text
from hardware.display_wiring import DisplayWiring
from hardware.errors import DisplayFailed, HardwareError, NoSuchDisplay, NoSuchPin, NoVoice, PinUsedTwice
from hardware.pins import check_pins, open_pins
from hardware.seats import Seats
from hardware.speech import Speech
from hardware.voice import ESPEAK, Voice

if TYPE_CHECKING:
    from hardware.displays import Display


def open_outputs(
    config: TableConfig,
    pins: Callable[[], Any] = open_pins,
    clock: Callable[[], float] = time.monotonic,
    stepped: bool = False,
) -> HardwareOutputs | None:
    """Open the hardware that the configuration names, in the table's language; None if it names none.

    `pins` opens gpiozero's pin factory if pins are needed; `clock` and `stepped` as for `HardwareOutputs`. A display
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
