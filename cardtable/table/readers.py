"""A reader board as a source: its events become observations, and are acknowledged once their effect is stored.

`RfidSource.step` reads the reader board, in a separate thread unless the board is simulated. All other methods are
called in the thread of the game loop; the next step sends what they ask for.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from cardtable.config.devices import ReaderConfig
from cardtable.errors import CardtableError
from cardtable.journal.file import JournalError
from cardtable.journal.journal import Journal, ProcessedEvents
from cardtable.table.sources import Received
from engine.observations import Back, Lost, Observation, Said, Swipe, Swiped, UndoAsked
from engine.texts import Text, text
from firmware_bridge.bridge import Bridge, Port, Trouble, stepped_bridge
from firmware_bridge.link import Checkpoint, Connected
from firmware_bridge.messages import EventKind, Hello, ReaderStatus, State, TagEvent
from firmware_bridge.tags import TagsError, TagTable, TagTracker

WAIT_S: Final = 0.04
"""How long one `step` waits for the reader board, seconds: the longest delay until a settled tag is noticed."""
RESTARTS: Final = 3
"""A reader board that restarts this often within `RESTARTS_S` is in trouble."""
RESTARTS_S: Final = 60.0
_OF_BUTTONS: Final = (EventKind.PRESSED, EventKind.RELEASED)

_LOG: Final = logging.getLogger(__name__)


class RfidSource:
    """The readers of one reader board.

    `clock` returns seconds, the times of its observations. `live`: the reader board keeps its own time and needs a
    thread; otherwise the game loop calls `step`. `remember` stores the serial number of the reader board, for the next
    start.
    """

    def __init__(
        self,
        config: ReaderConfig,
        tags: TagTable,
        bridge: Bridge,
        clock: Callable[[], float] = time.monotonic,
        live: bool = True,
        remember: Callable[[str], None] = lambda number: None,
    ) -> None:
        self.live: Final = live
        self.ended: Final = False
        self.stuck: Final = False
        self.retry_in: Final = 0.0
        self.name: Final = config.name
        self._bridge = bridge
        self._remember = remember
        self._remembered = bridge.number
        self._clock = clock
        self.places: Final = config.places
        self.chips: tuple[int, ...] = ()
        """The identification numbers of the readers' chips, reported by the reader board when it connects."""
        self._buttons = config.buttons
        self.lights: Final = config.lights
        self._wanted_lights = self._sent_lights = (0, 0)
        self._tracker = TagTracker(config.name, self.places, tags, start=clock())
        self._pending_events: deque[tuple[TagEvent, float, Observation | None]] = deque()
        self._stored_events: deque[ProcessedEvents] = deque()
        self._lost = False
        self._connected = False
        """Whether the reader board has been connected before."""
        self._restarts: deque[float] = deque(maxlen=RESTARTS)
        """Times of the last restarts that the table has seen, seconds."""
        self._why_restarted = ""
        self._troubles: dict[str, Text] = {}
        self._swipes: tuple[Swipe, ...] = ()

    def step(self) -> list[Received]:
        """Read the reader board, waiting up to `WAIT_S`; return what is new. Called in the reading thread."""
        while self._stored_events:
            self._bridge.stored(self._stored_events.popleft())
        if self._wanted_lights != self._sent_lights:
            self._sent_lights = self._wanted_lights
            self._bridge.link.set_lights(*self._sent_lights)
        observations: list[Observation] = []
        for news in self._bridge.step():
            now = self._clock()
            match news:
                case Connected():
                    _LOG.info("%s: connected, boot %d: %s", self.name, news.hello.boot, news.hello.why_started)
                    if news.restarted and self._connected:
                        self._restarts.append(now)
                        self._why_restarted = news.hello.why_started
                    self._connected = True
                    self.chips = news.hello.chips
                    observations += self._back(now)
                    self._report_missing_readers(news.hello, now)
                case Trouble():
                    self._lost = True
                    observations.append(Lost(now, self.name, news.reason))
                case TagEvent():
                    self._pending_events.append((news, now - news.age, self._pressed(news, now)))
                    if news.kind not in _OF_BUTTONS:
                        self._tracker.event(news, now)
                case State():
                    self._tracker.state(news, now)
        now = self._clock()
        if scene := self._tracker.scene(now):
            observations.append(scene)
        observations += self._trouble_changes(now)
        if self._tracker.swipes != self._swipes:
            self._swipes = self._tracker.swipes
            observations.append(Swiped(now, self.name, self._swipes))
        return self._received(observations, now)

    def _received(self, observations: Sequence[Observation], now: float) -> list[Received]:
        """Return the observations of a step, each with the last event that is fully processed with it.

        An acknowledgement covers all earlier events. A press of a button therefore waits until the tags before it have
        settled, at most `SETTLE_S`, so that it is never stored without its number.
        """
        received = [Received(observation, self) for observation in observations]
        while self._pending_events:
            event, happened, pressed = self._pending_events[0]
            if event.kind not in _OF_BUTTONS and not self._tracker.settled(happened, now):
                break
            self._pending_events.popleft()
            if pressed is not None or not received:
                received.append(Received(pressed, self))
            done = ProcessedEvents(self.name, event.boot, (event.number + 1) & 0xFFFF)
            received[-1] = replace(received[-1], event=done)
        return received

    def _back(self, now: float) -> list[Observation]:
        lost, self._lost = self._lost, False
        return [Back(now, self.name)] if lost else []

    def _report_missing_readers(self, hello: Hello, now: float) -> None:
        """Report readers that the configuration names and the reader board does not have, as broken."""
        for index in self.places:
            if index >= hello.readers:
                self._tracker.state(State(hello.boot, hello.next, index, ReaderStatus.BROKEN, ()), now)

    def _pressed(self, event: TagEvent, now: float) -> Observation | None:
        """Return the observation for a pressed button; None for any other event, and for a button without a word."""
        if event.kind is not EventKind.PRESSED or event.index >= len(self._buttons):
            return None
        if (button := self._buttons[event.index]) is None:
            return None
        word, seat = button
        return UndoAsked(now - event.age, self.name) if seat is None else Said(now - event.age, self.name, seat, word)

    def _trouble_changes(self, now: float) -> list[Observation]:
        """Report readers that fail or work again, a reader board that keeps restarting, and tags that belong to no card
        and for which laying them again would not help. Each is a separate source, because the others go on working.
        """
        troubles: dict[str, Text] = {}
        if len(self._restarts) == RESTARTS and now - self._restarts[0] < RESTARTS_S:
            message = (
                "{board} has restarted {count} times within a minute: {cause}. "
                "Check its power supply and its cable; a supply that it shares with lights is often too weak."
            )
            restarts = text(message, board=self.name, count=RESTARTS, cause=self._why_restarted)
            troubles[f"{self.name}, restarts"] = restarts
        for index, zone in self._tracker.broken.items():
            message = "Reader {number} ({zone}) of {board} does not answer: check its wires. The others work."
            troubles[f"{self.name}, reader {index}"] = text(message, number=index, zone=zone, board=self.name)
        for uid, index in self._tracker.unknown.items():
            message = (
                "The tag {uid} on reader {number} of {board} is not known: take it away, or "
                "stop the table and learn the tag: cardtable tags learn."
            )
            troubles[f"{self.name}, tag {uid}"] = text(message, uid=uid, number=index, board=self.name)
        news: list[Observation] = [Lost(now, each, troubles[each]) for each in troubles if each not in self._troubles]
        news += [Back(now, each) for each in self._troubles if each not in troubles]
        self._troubles = troubles
        return news

    # Called in the thread of the game loop

    def set_lights(self, on: int, blinking: int) -> None:
        """Switch the lights on whose bits are set in `on`; let those blink whose bits are set in `blinking`."""
        self._wanted_lights = on, blinking

    def now(self) -> float:
        """Return the time on the clock of its observations, seconds."""
        return self._clock()

    def acknowledge(self, event: ProcessedEvents) -> None:
        """Tell the reader board that the effect of its events, up to this one, is stored."""
        self._stored_events.append(event)
        number = self._bridge.number
        if number is not None and number != self._remembered:
            self._remembered = number
            self._remember(number)

    def close(self) -> None:
        """Close the port; in the reading thread, or after it has ended."""
        self._bridge.close()


def open_readers(
    configs: Sequence[ReaderConfig],
    journal: Journal | None,
    clock: Callable[[], float] = time.monotonic,
    stepped: Callable[[str], Port] | None = None,
) -> list[RfidSource]:
    """Open the configured reader boards, each from the event after the last one that the journal has of it.

    `stepped` opens the port of a simulated reader board, which does not keep its own time. Such readers are not live
    (`RfidSource`), use only `clock`, and never wait. Raises `CardtableError` for a tag file that cannot be read.
    """
    readers = []
    for config in configs:
        try:
            tags = TagTable(config.tags)
        except TagsError as error:
            raise CardtableError(str(error)) from error
        processed = journal.processed_events(config.name) if journal else None
        checkpoint = Checkpoint(processed.boot, processed.next) if processed else None
        known = _KnownBoard(config, journal)
        if stepped is None:
            bridge = Bridge(config.port, checkpoint, WAIT_S, number=known.number())
        else:
            bridge = stepped_bridge(config.port, checkpoint, clock, stepped, number=known.number())
        readers.append(RfidSource(config, tags, bridge, clock, live=stepped is None, remember=known.remember))
    return readers


class _KnownBoard:
    """The serial number of the reader board that was last used as `config` says, kept in the journal.

    If the journal fails, the board is still found at its port.
    """

    def __init__(self, config: ReaderConfig, journal: Journal | None) -> None:
        self._journal = journal
        self._setting = (
            f"reader {config.name} at {config.port}"  # at another port of the configuration there is another board
        )

    def number(self) -> str | None:
        with suppress(JournalError):
            return self._journal.setting(self._setting) if self._journal is not None else None
        return None

    def remember(self, number: str) -> None:
        if self._journal is not None:
            with suppress(JournalError):
                self._journal.store_setting(self._setting, number)
