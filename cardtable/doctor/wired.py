"""Checks of the hardware: pins and buttons, displays, the voice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final

from cardtable.config.model import TableConfig
from cardtable.doctor.finding import Finding, good, trouble, warning
from cardtable.languages import translator
from engine.texts import plural, text
from hardware.errors import DisplayFailed, HardwareError
from hardware.pins import PinUse, check_pins, open_pins
from hardware.voice import ESPEAK, Voice

_SPOKEN_IN_S: Final = 25.0
"""Longer than the voice itself waits for one word, in seconds."""


def pins(config: TableConfig) -> Iterator[Finding]:
    """Check that every pin exists and is used once, and that no button is pressed."""
    uses = [use for seat in config.seat for use in seat.wiring.uses()]
    if config.buzzer:
        uses.append(PinUse(config.buzzer.pin, text("the buzzer")))
    on_displays = [display.wiring for display in config.display]
    if not uses and not any(wiring.needs_pins for wiring in on_displays):
        return
    uses += [use for wiring in on_displays for use in wiring.uses()]
    try:
        factory = open_pins()
        names = check_pins(factory, uses)
        closed = [seat.seat for seat in config.seat if seat.button is not None and _closed(factory, names[seat.button])]
    except HardwareError as error:
        yield trouble("pins", str(error), text("correct it in table.toml, or change the wires"))
        return
    except Exception as error:  # each pin library raises its own errors
        message = text("the pins cannot be used ({why})", why=str(error))
        yield trouble("pins", message, text("stop the table, if it runs, and try again"))
        return
    for seat in closed:
        advice = text(
            "release it; if nobody presses it, it is wired wrongly: connect one side to its pin, the other to ground"
        )
        yield warning("pins", text("the button of seat {seat} is pressed", seat=seat), advice)
    model = factory.board_info.model
    one = "{count} pin of this Raspberry Pi {model} is used, once"
    many = "{count} pins of this Raspberry Pi {model} are used, each once"
    yield good("pins", plural(one, many, len(names), model=model))


def _closed(factory: Any, pin: str) -> bool:
    from gpiozero import DigitalInputDevice

    with DigitalInputDevice(pin, pull_up=True, pin_factory=factory) as button:
        return bool(button.value)


def displays(config: TableConfig) -> Iterator[Finding]:
    """Check that every display answers. Displays in use go dark for a moment."""
    if not config.display:
        return
    try:
        from hardware.displays import Display
    except ImportError:
        return  # reported by the check of versions
    for entry in config.display:
        wiring = entry.wiring
        try:
            with closing(Display(wiring, open_pins() if wiring.needs_pins else None)) as display:
                display.open()
        except DisplayFailed as error:
            yield trouble("displays", str(error), text("see docs/displays.md"))
        except HardwareError as error:
            yield trouble("displays", str(error), text("correct it in table.toml"))
        else:
            yield good("displays", text("{what} answers", what=wiring.what))


def voice(config: TableConfig) -> Iterator[Finding]:
    """Check that the voice can say a word."""
    if config.voice.say == "off":
        return
    troubles: list[str | None] = []
    try:
        with closing(Voice(config.voice.command or ESPEAK, config.language)) as speaking:
            speaking.when_fault_changed = troubles.append
            speaking.say([translator(config.language)("king")])
            spoken = speaking.wait(_SPOKEN_IN_S)
    except HardwareError as error:
        yield trouble("voice", str(error), text("see docs/voice.md"))
        return
    if troubles and troubles[-1] is not None:
        yield trouble("voice", troubles[-1], text("see docs/voice.md"))
    elif not spoken:
        message = text("it has not said a word in {seconds} seconds", seconds=f"{_SPOKEN_IN_S:.0f}")
        yield trouble("voice", message, text("see docs/voice.md"))
    else:
        message = text("it has said a word; if you heard nothing, choose the loudspeaker with raspi-config")
        yield good("voice", message)
