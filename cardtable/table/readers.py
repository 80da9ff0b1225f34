"""A reader board as a source: its events become observations and are acknowledged once stored.

A thread of its own reads the reader board (`RfidSource.step`); everything else happens in the main thread. An event of
the reader board is acknowledged only after the controller has stored its effect together with the event's number.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cardtable.config.devices import UNDO, ReaderConfig, parse_button, parse_light
from cardtable.errors import CardtableError
from cardtable.journal.journal import Journal, ProcessedEvents
from cardtable.table.game_loop import GameLoop
from cardtable.table.snapshot import Snapshot
from engine.actions import Action
from engine.cards import Card
from engine.observations import Back, Dealt, LaidAway, Lost, Observation, Said, Scene, UndoAsked
from engine.texts import text
from engine.views import View
from firmware_bridge.bridge import Bridge, Port, Trouble, stepped_bridge
from firmware_bridge.link import Checkpoint, Connected
from firmware_bridge.messages import EventKind, Hello, ReaderStatus, State, TagEvent
from firmware_bridge.tags import SETTLE_S, TagsError, TagTable, TagTracker
from hardware.signals import light_state

# Cards that lie face down on an RFID reader: it reads them through their backs, and the table must not.
#
# In a zone for cards laid face down (`View.face_down`: the crib, the stock, the showing of It's 15) a reader reports
# nothing until cards must be shown. Those laid from then on are reported as long as they lie there.
#
# The card turned up is always reported: if it is turned over later, as in Euchre, everybody has seen it.

_TURN_UP: Final = "turn-up"
SHOWN_IN: Final = "show"
"""The phase in which the cards of these zones are laid open."""


class FaceDown:
    """Leaves the cards that lie face down out of the scenes of one board."""

    def __init__(self) -> None:
        self._open: frozenset[str] = frozenset()
        self._closed: frozenset[str] = frozenset()

    def without(self, scene: Scene, view: View) -> Scene:
        """Return `scene` without the cards that lie face down. `view`: the table before this scene."""
        zones = {name for name in view.face_down if name != _TURN_UP}
        concerned = frozenset(
            sighting.card_id for sighting in scene.sightings if sighting.zone and sighting.zone.name in zones
        )
        if view.phase == SHOWN_IN:
            self._open = concerned - self._closed
        else:
            self._open &= concerned
        self._closed = concerned - self._open
        return replace(scene, sightings=tuple(s for s in scene.sightings if s.card_id not in self._closed))


WAIT_S: Final = 0.04
"""How long one `step` waits for the reader board, seconds: the longest delay until a settled tag is noticed."""
_OF_BUTTONS: Final = (EventKind.PRESSED, EventKind.RELEASED)
_WHILE_DEALING: Final = ("deal", "discard", "gather")
"""Actions done while cards are dealt. After any other action, the next cards dealt belong to another deal."""
Passed = tuple[tuple[int, tuple[tuple[int, Card], ...]], ...]
"""For each seat, the cards that passed its deal reader last, numbered in order of arrival."""

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Report:
    """A message of the reading thread to the main thread.

    `last_event`: the last event whose effect is complete with this report. `passed`: set if it has changed.
    """

    observation: Observation | None = None
    last_event: TagEvent | None = None
    passed: Passed | None = None


class RfidSource:
    """The readers of one reader board.

    `clock`: seconds; the times of this source's observations. `settle`: seconds after which a tag lies still.
    `on_observation`: called with every observation before the controller gets it. `live`: the reader board keeps its
    own time and needs a thread; otherwise the main loop calls `step`.
    """

    def __init__(
        self,
        config: ReaderConfig,
        tags: TagTable,
        bridge: Bridge,
        clock: Callable[[], float] = time.monotonic,
        settle: float = SETTLE_S,
        on_observation: Callable[[Observation], None] = lambda observation: None,
        live: bool = True,
    ) -> None:
        self.live: Final = live
        self.name: Final = config.name
        self._bridge = bridge
        self._clock = clock
        self._on_observation = on_observation
        self.places: Final = config.places
        self.chips: tuple[int, ...] = ()
        """The numbers by which the readers' chips name themselves, as the reader board said when it connected."""
        self._buttons = config.buttons
        self._lights = tuple(parse_light(text) if text else None for text in config.lights)
        self._wanted_lights = self._sent_lights = (0, 0)
        self._tracker = TagTracker(config.name, self.places, tags, settle, start=clock())
        self._pending_events: deque[tuple[TagEvent, float, Observation | None]] = deque()
        self._stored_events: deque[TagEvent] = deque()
        self._lost = False
        self._broken: dict[int, str] = {}
        self._unknown_tags: dict[str, int] = {}
        self._passed: Passed = ()
        self._face_down = FaceDown()
        # For the cards that passed: the deal in which card number N passed, and for each seat the number of the last
        # card that was dealt or laid away.
        self._deal: dict[int, int] = {}
        self._dealt_upto: dict[int, int] = {}

    def step(self) -> list[Report]:
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
                    _LOG.info("%s: connected, boot %d", self.name, news.hello.boot)
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
        observations += self._reader_changes(now) + self._tag_changes(now)
        return self._reports(observations, now)

    def _reports(self, observations: Sequence[Observation], now: float) -> list[Report]:
        """Return the reports of a step.

        An acknowledgement covers all earlier events. A press of a button therefore waits until the tags before it have
        settled, at most `SETTLE_S`: it is stored together with its number, and never without it.
        """
        reports = [Report(observation) for observation in observations]
        passed = tuple((seat, tuple(cards.values())) for seat, cards in sorted(self._tracker.swiped.items()))
        if passed != self._passed:
            self._passed = passed
            reports.append(Report(passed=passed))
        while self._pending_events:
            event, happened, pressed = self._pending_events[0]
            if event.kind not in _OF_BUTTONS and not self._tracker.settled(happened, now):
                break
            self._pending_events.popleft()
            if pressed is not None or not reports:
                reports.append(Report(pressed))
            reports[-1] = replace(reports[-1], last_event=event)
        return reports

    def _back(self, now: float) -> list[Observation]:
        lost, self._lost = self._lost, False
        return [Back(now, self.name)] if lost else []

    def _report_missing_readers(self, hello: Hello, now: float) -> None:
        """Report readers that the configuration names and the reader board does not have, as broken."""
        for index in self.places:
            if index >= hello.readers:
                self._tracker.state(State(hello.boot, hello.next, index, ReaderStatus.BROKEN, ()), now)

    def _pressed(self, event: TagEvent, now: float) -> Observation | None:
        """Return what the button of `event` says; None for any other event, and for a button without a word."""
        if event.kind is not EventKind.PRESSED or event.index >= len(self._buttons):
            return None
        text = self._buttons[event.index]
        if text == UNDO:
            return UndoAsked(now - event.age, self.name)
        if not text:
            return None
        word, seat = parse_button(text)
        return Said(now - event.age, self.name, seat, word)

    def _reader_changes(self, now: float) -> list[Observation]:
        """Report readers that fail or work again; each is a source of its own, because the others go on."""
        broken = {index: f"{self.name}, reader {index}" for index in self._tracker.broken}
        news: list[Observation] = []
        for index, source in broken.items():
            if index not in self._broken:
                zone = self._tracker.broken[index]
                message = "Reader {number} ({zone}) of {board} does not answer: check its wires. The others work."
                news.append(Lost(now, source, text(message, number=index, zone=zone, board=self.name)))
        news += [Back(now, source) for index, source in self._broken.items() if index not in broken]
        self._broken = broken
        return news

    def _tag_changes(self, now: float) -> list[Observation]:
        """Report tags that belong to no card: laying the card again would not help."""
        unknown = self._tracker.unknown
        news: list[Observation] = []
        for uid, index in unknown.items():
            if uid not in self._unknown_tags:
                message = (
                    "The tag {uid} on reader {number} of {board} is not known: take it away, or "
                    "stop the table and learn the tag: cardtable tags learn."
                )
                news.append(Lost(now, self._tag(uid), text(message, uid=uid, number=index, board=self.name)))
        news += [Back(now, self._tag(uid)) for uid in self._unknown_tags if uid not in unknown]
        self._unknown_tags = unknown
        return news

    def _tag(self, uid: str) -> str:
        return f"{self.name}, tag {uid}"

    # Called in the main thread

    def show(self, snapshot: Snapshot) -> None:
        """Set the lights of the seats: on for the seat on turn, blinking for a seat that has to correct something."""
        on = blinking = 0
        for number, seat in enumerate(self._lights):
            mood = "off" if seat is None else light_state(snapshot.view, snapshot.prompts, seat)
            on |= (mood != "off") << number
            blinking |= (mood in ("take-back", "waiting")) << number
        self._wanted_lights = on, blinking

    def now(self) -> float:
        """Return the time on the clock of its observations, seconds."""
        return self._clock()

    def deliver(self, report: Report, controller: GameLoop) -> None:
        """Give the controller what was reported; acknowledge the events once their effect is stored."""
        event = report.last_event
        processed = ProcessedEvents(self.name, event.boot, (event.number + 1) & 0xFFFF) if event else None
        if report.passed is not None:
            self._deal_or_discard(report.passed, controller)
        if (observation := report.observation) is not None:
            if isinstance(observation, Scene):
                observation = self._face_down.without(observation, controller.snapshot.view)
            self._on_observation(observation)
            controller.take(observation, processed)
        if event and controller.snapshot.trouble:
            _LOG.info("%s: event %d is not stored, so not acknowledged", self.name, event.number)
        elif event:
            self._stored_events.append(event)

    def set_aside(self, report: Report, journal: Journal) -> None:
        """Acknowledge the events of a report while no game is played, so that the next one does not get them."""
        event = report.last_event
        if event:
            with journal.transaction(ProcessedEvents(self.name, event.boot, (event.number + 1) & 0xFFFF)):
                pass  # nothing else is stored
            self._stored_events.append(event)

    def _deal_or_discard(self, passed: Passed, controller: GameLoop) -> None:
        """Report `Dealt` once all cards of a seat have passed its reader, and `LaidAway` for those that come back."""
        table = controller.table
        deal = sum(action.do not in _WHILE_DEALING for action in table.actions)
        # If a card was missed, the hand stays incomplete: its cards must not be counted for the next deal.
        self._deal = {number: self._deal.get(number, deal) for _, cards in passed for number, _ in cards}
        for seat, cards in passed:
            fresh = [(n, card) for n, card in cards if n > self._dealt_upto.get(seat, 0) and self._deal[n] == deal]
            if not fresh:
                continue
            dealt = tuple(card for _, card in fresh)
            held = set(table.view(seat).hands[seat].cards)
            back = tuple(card for card in dealt if card in held)
            if table.can(Action("deal", seat, cards=dealt)):
                controller.take(Dealt(self._clock(), self.name, seat, dealt))
            elif back and table.can(Action("discard", seat, cards=back)):
                controller.take(LaidAway(self._clock(), self.name, seat, back))
            else:
                continue
            self._dealt_upto[seat] = fresh[-1][0]

    def close(self) -> None:
        """Close the port; in the reading thread, or after it has ended."""
        self._bridge.close()


def open_readers(
    configs: Sequence[ReaderConfig],
    journal: Journal | None,
    clock: Callable[[], float] = time.monotonic,
    on_observation: Callable[[Observation], None] = lambda observation: None,
    stepped: Callable[[str], Port] | None = None,
) -> list[RfidSource]:
    """Open the reader boards of the configuration, each after the last event that the journal has of it.

    `stepped` opens the port of a simulated reader board, which does not keep its own time: such readers are not live
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
        if stepped is None:
            bridge = Bridge(config.port, checkpoint, WAIT_S)
        else:
            bridge = stepped_bridge(config.port, checkpoint, clock, stepped)
        readers.append(RfidSource(config, tags, bridge, clock, on_observation=on_observation, live=stepped is None))
    return readers
