"""Checks of what is wired to the table: reader boards, pins and buttons, displays, and the voice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Final

from cardtable.config.devices import ReaderConfig
from cardtable.config.model import TableConfig
from cardtable.doctor.finding import Finding, good, trouble, warning
from cardtable.languages import translator
from engine.cards import Card
from engine.games import load_game
from engine.observations import ActionCard, Zone
from engine.texts import commas, plural, text
from firmware_bridge.bridge import Bridge, Trouble
from firmware_bridge.link import Connected
from firmware_bridge.messages import FIRMWARE, Hello, ReaderStatus, State
from firmware_bridge.tags import TagsError, TagTable
from hardware.voice import ESPEAK, Voice
from hardware.wiring import DisplayFailed, HardwareError, check_pins, open_pins
from vision.mat.layout import lay_out

BOARD_TIMEOUT_S: Final = 12.0
"""Longest wait for a reader board: it starts in two seconds, the link waits five, and `auto` tries several ports."""
GENUINE_CHIPS: Final = (0x91, 0x92)
"""Version numbers of a genuine MFRC522 (NXP, data sheet 9.3.4.8); copies report 0x12, 0x88, 0x89, 0xB2 …"""
_MAX_DAMAGED_FRAMES: Final = 2
_VOICE_TIMEOUT_S: Final = 25.0
"""Longer than the voice itself waits for one word."""


def readers(config: TableConfig) -> Iterator[Finding]:
    """Check each reader board of the configuration: its port, firmware and readers, and the tags of the cards.

    Stored events are not acknowledged, so the table still receives them.
    """
    yield from uncovered(config)
    for reader in config.reader:
        name = f"readers {reader.name}" if reader.name != "readers" else "readers"
        yield tags(reader, config.header.game, name)
        with closing(Bridge(reader.port)) as bridge:
            yield from check_board(bridge, reader, name)


def uncovered(config: TableConfig) -> Iterator[Finding]:
    """Warn of zones that neither a camera nor a reader covers, except those for stock and words, which need neither."""
    if config.cameras or not config.reader:
        return
    seen = {zone for reader in config.reader for zone in reader.places.values()}
    areas = lay_out(len(config.header.players), load_game(config.header.game).zones).areas
    missing = [str(zone) for zone in areas if zone.name not in ("stock", "say") and zone not in seen]
    if missing:
        message = text(
            "neither a camera nor a reader sees these zones of {game}: {zones}",
            game=config.header.game,
            zones=commas(missing),
        )
        advice = text("lay a reader there, and name its zone in zones (docs/how-to/rfid.md); or add a camera")
        yield warning("readers", message, advice)


def cards_without_tag(game: str, table: TagTable) -> list[Card | ActionCard]:
    """Return the cards of a game that lack a tag, once for each copy, followed by such action cards."""
    kind = load_game(game)
    lacking: list[Card | ActionCard] = []
    for card in kind.deck:
        lacking += [card] * (kind.deck.copies(card) - len(table.uids(card)))
    return lacking + [ActionCard(word) for word in kind.vocabulary if not table.uids(ActionCard(word))]


def tags(reader: ReaderConfig, game: str, name: str) -> Finding:
    """Check that every card of the game has a tag."""
    learn = f"cardtable tags learn --game {game} --tags {reader.tags}"
    try:
        table = TagTable(reader.tags)
    except TagsError as error:
        return trouble(name, str(error), text("correct it, or move it away and learn the tags again"), learn)
    lacking = cards_without_tag(game, table)
    words = [face.text for face in lacking if isinstance(face, ActionCard)]
    missing = len(lacking) - len(words)
    stored = plural("{count} tag in {file}", "{count} tags in {file}", len(table), file=reader.tags)
    if missing:
        cards = plural("{count} card of {game} has none", "{count} cards of {game} have none", missing, game=game)
        return trouble(name, text("{tags}; {cards}", tags=stored, cards=cards), text("learn the tags"), learn)
    if words and any(zone.name == "say" for zone in reader.places.values()):
        advice = text("learn their tags, or use the page or buttons")
        message = text("{tags}; no action card for {words}", tags=stored, words=commas(words))
        return warning(name, message, advice, learn)
    return good(name, text("{tags}: every card of {game} has one", tags=stored, game=game))


def check_board(bridge: Bridge, reader: ReaderConfig, name: str) -> Iterator[Finding]:
    """Check what a reader board reports about itself and its readers."""
    hello: Hello | None = None
    states: dict[int, ReaderStatus] = {}
    used = reader.places
    began = bridge.clock()
    while bridge.clock() < began + BOARD_TIMEOUT_S and not (
        hello and states.keys() >= {i for i in used if i < hello.readers}
    ):
        for news in bridge.step():
            match news:
                case Trouble():
                    yield _trouble(news.reason, name)
                    return
                case Connected():
                    hello = news.hello
                case State():
                    states[news.index] = news.status
    if hello is None:
        message = text("nothing answers at {address}", address=bridge.address)
        yield trouble(name, message, text("make sure that the reader board is plugged in and has the firmware"))
        return
    address, count, firmware = bridge.address, hello.readers, hello.firmware
    if firmware == FIRMWARE:
        single = "the reader board at {address} has {count} reader and firmware {firmware}"
        many = "the reader board at {address} has {count} readers and firmware {firmware}"
        yield good(name, plural(single, many, count, address=address, firmware=firmware))
    else:
        advice = text("put the firmware that came with this program on the reader board (docs/how-to/rfid.md)")
        single = (
            "the reader board at {address} has {count} reader and firmware {firmware}, this program comes with {new}"
        )
        many = (
            "the reader board at {address} has {count} readers and firmware {firmware}, this program comes with {new}"
        )
        yield warning(name, plural(single, many, count, address=address, firmware=firmware, new=FIRMWARE), advice)
    yield from _each(reader, hello, states, name)
    damaged = bridge.link.bad_frames + hello.bad
    if damaged > _MAX_DAMAGED_FRAMES:
        advice = text("use a shorter cable, away from others")
        single, many = "{count} frame was damaged on the cable", "{count} frames were damaged on the cable"
        yield warning(name, plural(single, many, damaged), advice, "cardtable tags test --line 500")


def _trouble(reason: str, name: str) -> Finding:
    if reason.startswith("Another program uses"):
        return warning(name, reason, text("if that is the table, nothing is wrong"))
    return trouble(name, reason, text("see docs/how-to/rfid.md"))


def _each(reader: ReaderConfig, hello: Hello, states: dict[int, ReaderStatus], name: str) -> Iterator[Finding]:
    working = []
    for index, zone in reader.places.items():
        if index >= hello.readers:
            message = text("the reader board has no reader {index} ({zone})", index=index, zone=str(zone))
            yield trouble(name, message, text("its readers are 0 to {last}: shorten zones", last=hello.readers - 1))
        elif states.get(index) is ReaderStatus.WORKING:
            working.append(f"{index} ({zone})")
        elif index in states:
            message = text("reader {index} ({zone}) does not answer, or hangs", index=index, zone=str(zone))
            advice = text(
                "check its wires: 3.3 V, ground, SCK, MOSI, MISO, RST, and its own SDA; then check the module"
            )
            yield trouble(name, message, advice)
        else:
            message = text("the reader board has not reported on reader {index} ({zone})", index=index, zone=str(zone))
            yield trouble(name, message, text("press the reader board's reset button, and try again"))
    answering = {index for index in reader.places if states.get(index) is ReaderStatus.WORKING}
    yield from copies({index: zone for index, zone in reader.places.items() if index in answering}, hello.chips, name)
    if working:
        single, many = "{count} of {all} readers answers: {which}", "{count} of {all} readers answer: {which}"
        message = plural(single, many, len(working), all=len(reader.places), which=", ".join(working))
        yield good(name, message)


def copies(places: Mapping[int, Zone], chips: Sequence[int], name: str) -> Iterator[Finding]:
    """Warn of each reader in `places` (index → zone) whose chip is a copy, according to its version number."""
    for index, zone in places.items():
        chip = chips[index] if index < len(chips) else 0  # 0: no answer
        if chip and chip not in GENUINE_CHIPS:
            template = "reader {index} ({zone}) has a copy of its chip (number {chip})"
            message = text(template, index=index, zone=str(zone), chip=f"0x{chip:02X}")
            advice = text(
                "copies have a shorter range and hang more often: if cards are missed there, use another reader"
            )
            yield replace(warning(name, message, advice), what="reader")


def pins(config: TableConfig) -> Iterator[Finding]:
    """Check that every pin exists and is used once, and that no button is pressed."""
    if not (config.seat or config.buzzer or any(display.wiring.needs_pins for display in config.display)):
        return
    try:
        factory = open_pins()
        names = check_pins(factory, [use for _, use in config.pins])
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
    single = "{count} pin of this Raspberry Pi {model} is used, once"
    many = "{count} pins of this Raspberry Pi {model} are used, each once"
    yield good("pins", plural(single, many, len(names), model=model))


def _closed(factory: Any, pin: str) -> bool:
    from gpiozero import DigitalInputDevice

    with DigitalInputDevice(pin, pull_up=True, pin_factory=factory) as button:
        return bool(button.value)


def displays(config: TableConfig) -> Iterator[Finding]:
    """Check that every display answers. A display in use goes dark for a moment."""
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
            yield trouble("displays", str(error), text("see docs/how-to/wired-hardware.md"))
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
            spoken = speaking.wait(_VOICE_TIMEOUT_S)
    except HardwareError as error:
        yield trouble("voice", str(error), text("see docs/how-to/wired-hardware.md"))
        return
    if troubles and troubles[-1] is not None:
        yield trouble("voice", troubles[-1], text("see docs/how-to/wired-hardware.md"))
    elif not spoken:
        message = text("it has not said a word in {seconds} seconds", seconds=f"{_VOICE_TIMEOUT_S:.0f}")
        yield trouble("voice", message, text("see docs/how-to/wired-hardware.md"))
    else:
        message = text("it has said a word; if you heard nothing, choose the loudspeaker with raspi-config")
        yield good("voice", message)
