"""Checks of the boards with RFID readers: port, permission, firmware, every reader, and the tags of the cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Final

from cardtable.config import TableConfig
from cardtable.doctor.finding import Finding, good, trouble, warning
from cardtable.reader_config import ReaderConfig
from engine.games import load_game
from engine.observations import Word
from firmware_bridge.bridge import Bridge, Trouble
from firmware_bridge.link import Met
from firmware_bridge.messages import FIRMWARE, Hello, State, Status
from firmware_bridge.tags import TagsError, TagTable
from vision.mat import lay_out

LONGEST_S: Final = 12.0
"""A board starts for two seconds when its port is opened, and is waited for five; `auto` may try several ports."""
_DAMAGED: Final = 2


def readers(config: TableConfig, connect: Callable[[str], Bridge] = Bridge) -> Iterator[Finding]:
    """Each board of the configuration. Nothing that it has to tell is taken from it: the table gets that."""
    yield from uncovered(config)
    for reader in config.reader:
        name = f"readers {reader.name}" if reader.name != "readers" else "readers"
        yield tags(reader, config.game, name)
        with closing(connect(reader.port)) as bridge:
            yield from look(bridge, reader, name)


def uncovered(config: TableConfig) -> Iterator[Finding]:
    """Zones of the game that neither a camera nor a reader sees; stock and words do without."""
    if config.cameras or not config.reader:
        return
    seen = {zone for reader in config.reader for zone in reader.places.values()}
    areas = lay_out(len(config.players), load_game(config.game).zones).areas
    missing = [str(zone) for zone in areas if zone.name not in ("stock", "say") and zone not in seen]
    if missing:
        told = f"there is no camera, and no reader in the zones {', '.join(missing)} of {config.game}"
        yield warning("readers", told, "lay a reader there, and name its zone in zones (docs/rfid.md); or add a camera")


def tags(reader: ReaderConfig, game: str, name: str) -> Finding:
    """Whether every card of the game has its tag."""
    learn = f"cardtable tags learn --game {game} --tags {reader.tags}"
    try:
        table = TagTable(reader.tags)
    except TagsError as error:
        return trouble(name, str(error), f"put it right, or move it away and learn the tags anew: {learn}")
    kind = load_game(game)
    wanted = Counter({card: kind.deck.copies(card) for card in kind.deck})
    missing = sum(max(count - len(table.uids(card)), 0) for card, count in wanted.items())
    words = [word for word in kind.words if not table.uids(Word(word))]
    told = f"{len(table)} tags in {reader.tags}"
    if missing:
        return trouble(name, f"{told}; {missing} cards of {game} have none", learn)
    if words and any(zone.startswith("say ") for zone in reader.zones):
        return warning(name, f"{told}; no action card for {', '.join(words)}", f"{learn}, or use the page or buttons")
    return good(name, f"{told}: every card of {game} has one")


def look(bridge: Bridge, reader: ReaderConfig, name: str) -> Iterator[Finding]:
    """What one board says of itself and of its readers."""
    hello: Hello | None = None
    states: dict[int, Status] = {}
    used = reader.places
    began = bridge.clock()
    while bridge.clock() < began + LONGEST_S and not (
        hello and states.keys() >= {i for i in used if i < hello.readers}
    ):
        for news in bridge.step():
            match news:
                case Trouble():
                    yield _trouble(news.reason, name)
                    return
                case Met():
                    hello = news.hello
                case State():
                    states[news.index] = news.status
    if hello is None:
        yield trouble(name, f"nothing answers at {bridge.address}", "see that the board is plugged in, and flashed")
        return
    told = f"the board at {bridge.address} has {hello.readers} readers and firmware {hello.firmware}"
    if hello.firmware == FIRMWARE:
        yield good(name, told)
    else:
        advice = "put the firmware that came with this program on the board (docs/rfid.md)"
        yield warning(name, f"{told}, this program comes with {FIRMWARE}", advice)
    yield from _each(reader, hello, states, name)
    if bridge.link.damaged + hello.bad > _DAMAGED:
        advice = "take a shorter cable, away from others; cardtable tags test --line 500 counts what is damaged"
        yield warning(name, f"{bridge.link.damaged + hello.bad} frames came damaged over the cable", advice)


def _trouble(reason: str, name: str) -> Finding:
    several, _, reasons = reason.partition(". ")
    if several == "No board is found":  # `auto`, and several ports of which none has it
        return trouble(name, several, reasons)
    text, _, advice = reason.partition(": ")
    if text.startswith("Another program uses"):
        return warning(name, text, f"if that is the table, all is well; else {advice[:1].lower()}{advice[1:]}")
    return trouble(name, text, advice)


def _each(reader: ReaderConfig, hello: Hello, states: dict[int, Status], name: str) -> Iterator[Finding]:
    working = []
    for index, zone in reader.places.items():
        told = f"reader {index} ({zone})"
        if index >= hello.readers:
            yield trouble(name, f"the board has no {told}", f"it has 0 to {hello.readers - 1}: shorten zones")
        elif states.get(index) is Status.WORKING:
            working.append(f"{index} ({zone})")
        elif index in states:
            advice = "look at its wires: 3.3 V, ground, SCK, MOSI, MISO, RST, and its own SDA; then at the module"
            yield trouble(name, f"{told} does not answer, or hangs", advice)
        else:
            yield trouble(name, f"nothing is known of {told}", "press the board's reset button, and ask again")
    if working:
        yield good(name, f"{len(working)} of {len(reader.places)} readers answer: {', '.join(working)}")
