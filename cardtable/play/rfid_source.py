"""RFID readers in the game: what the board's bridge tells becomes observations, and is acknowledged when stored.

The bridge is read by a thread of its own (`RfidSource.step`); everything else happens in the thread that plays. An event
of the board is acknowledged only after the controller has stored what followed from it, together with its number.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from cardtable.config.readers import UNDO, ReaderConfig, parse_button, parse_light
from cardtable.errors import CardtableError
from cardtable.play.controller import Controller
from cardtable.play.journal import Heard, Journal
from cardtable.play.snapshot import Snapshot
from engine.actions import Action
from engine.cards import Card
from engine.observations import Back, Dealt, LaidAway, Lost, Observation, Said, UndoAsked
from engine.texts import text
from firmware_bridge.bridge import Bridge, Trouble, stepped_bridge
from firmware_bridge.link import Checkpoint, Connected
from firmware_bridge.messages import Event, EventKind, Hello, ReaderStatus, State
from firmware_bridge.ports import Port
from firmware_bridge.tag_tracker import SETTLE_S, TagTracker
from firmware_bridge.tags import TagsError, TagTable
from hardware.lights import mood as mood_of

WAIT_S: Final = 0.04
"""A tag that has settled is noticed after so long at the latest."""
_NO_ROUND: Final = ("deal", "discard", "gather")
"""What is done while cards are dealt. Anything else means that the next cards dealt are another deal's."""
Passed = tuple[tuple[int, tuple[tuple[int, Card], ...]], ...]
"""For each seat, the cards that passed the reader of its deal last, numbered as they came."""


@dataclass(frozen=True, slots=True)
class Report:
    """What the reading thread tells the playing one. `acked_event`: the last event whose effect is told with this.

    `passed`: where that has changed.
    """

    observation: Observation | None = None
    acked_event: Event | None = None
    passed: Passed | None = None


class RfidSource:
    """The readers of one board. `clock`: seconds, as all observations of this source have them.

    `overhear`: called with every observation before the controller gets it. `live`: the board keeps its own time, and
    is to be read by a thread; one that is not is read step by step by whoever plays.
    """

    def __init__(
        self,
        config: ReaderConfig,
        tags: TagTable,
        bridge: Bridge,
        clock: Callable[[], float] = time.monotonic,
        settle: float = SETTLE_S,
        overhear: Callable[[Observation], None] = lambda observation: None,
        live: bool = True,
    ) -> None:
        self.live: Final = live
        self.name: Final = config.name
        self._bridge = bridge
        self._clock = clock
        self._overhear = overhear
        self._zones = config.places
        self._buttons = config.buttons
        self._lights = tuple(parse_light(text) if text else None for text in config.lights)
        self._wished = self._shining = (0, 0)
        self._tracker = TagTracker(config.name, self._zones, tags, settle, began=clock())
        self._unsettled: deque[tuple[Event, float]] = deque()
        self._confirmed: deque[Event] = deque()
        self._lost = False
        self._broken: dict[int, str] = {}
        self._unknown: dict[str, int] = {}
        self._passed: Passed = ()
        # Of the cards that passed: in which deal, and up to which number they have been dealt or laid away.
        self._deal: dict[int, int] = {}
        self._used: dict[int, int] = {}

    def step(self) -> list[Report]:
        """Read what the board tells; waits a moment for it. In the reading thread."""
        while self._confirmed:
            self._bridge.stored(self._confirmed.popleft())
        if self._wished != self._shining:
            self._shining = self._wished
            self._bridge.link.set_lights(*self._shining)
        observations: list[Observation] = []
        for news in self._bridge.step():
            now = self._clock()
            match news:
                case Connected():
                    observations += self._is_back(now)
                    self._miss_readers(news.hello, now)
                case Trouble():
                    self._lost = True
                    observations.append(Lost(now, self.name, news.reason))
                case Event():
                    self._unsettled.append((news, now - news.age))
                    observations += self._happened(news, now)
                case State():
                    self._tracker.state(news, now)
        now = self._clock()
        if scene := self._tracker.scene(now):
            observations.append(scene)
        observations += self._news_of_readers(now) + self._news_of_tags(now)
        return self._reports(observations, now)

    def _reports(self, observations: Sequence[Observation], now: float) -> list[Report]:
        acked_event: Event | None = None
        while self._unsettled and self._tracker.settled(self._unsettled[0][1], now):
            acked_event = self._unsettled.popleft()[0]
        reports = [Report(observation) for observation in observations]
        passed = tuple((seat, tuple(cards.values())) for seat, cards in sorted(self._tracker.swiped.items()))
        if passed != self._passed:
            self._passed = passed
            reports.append(Report(passed=passed))
        if acked_event and reports:
            reports[-1] = Report(reports[-1].observation, acked_event, reports[-1].passed)
        elif acked_event:
            reports.append(Report(acked_event=acked_event))
        return reports

    def _is_back(self, now: float) -> list[Observation]:
        lost, self._lost = self._lost, False
        return [Back(now, self.name)] if lost else []

    def _miss_readers(self, hello: Hello, now: float) -> None:
        """Readers that the configuration names and the board has not: they would be waited for without a word."""
        for index in self._zones:
            if index >= hello.readers:
                self._tracker.state(State(hello.boot, hello.next, index, ReaderStatus.BROKEN, ()), now)

    def _happened(self, event: Event, now: float) -> list[Observation]:
        if event.kind is EventKind.PRESSED:
            text = self._buttons[event.index] if event.index < len(self._buttons) else ""
            if text == UNDO:
                return [UndoAsked(now - event.age, self.name)]
            if text:
                word, seat = parse_button(text)
                return [Said(now - event.age, self.name, seat, word)]
        elif event.kind is not EventKind.RELEASED:
            self._tracker.event(event, now)
        return []

    def _news_of_readers(self, now: float) -> list[Observation]:
        """A reader that fails is a source of its own: the others go on."""
        broken = {index: f"{self.name}, reader {index}" for index in self._tracker.broken}
        news: list[Observation] = []
        for index, source in broken.items():
            if index not in self._broken:
                zone = self._tracker.broken[index]
                told = "Reader {number} ({zone}) of {board} does not answer: look at its wires. The others work."
                news.append(Lost(now, source, text(told, number=index, zone=zone, board=self.name)))
        news += [Back(now, source) for index, source in self._broken.items() if index not in broken]
        self._broken = broken
        return news

    def _news_of_tags(self, now: float) -> list[Observation]:
        """A tag that is on no card is told as such: to lay its card again would not help."""
        unknown = self._tracker.unknown
        news: list[Observation] = []
        for uid, index in unknown.items():
            if uid not in self._unknown:
                told = (
                    "The tag {uid} on reader {number} of {board} is on no card: take it off; "
                    "cardtable tags learn teaches it while the table does not run."
                )
                news.append(Lost(now, self._tag(uid), text(told, uid=uid, number=index, board=self.name)))
        news += [Back(now, self._tag(uid)) for uid in self._unknown if uid not in unknown]
        self._unknown = unknown
        return news

    def _tag(self, uid: str) -> str:
        return f"{self.name}, tag {uid}"

    # In the thread that plays

    def show(self, shown: Snapshot) -> None:
        """Let the lights of the seats say what is shown: on for who is on turn, blinking where something is wrong."""
        shining = blinking = 0
        for number, seat in enumerate(self._lights):
            mood = "off" if seat is None else mood_of(shown.view, shown.prompts, seat)
            shining |= (mood != "off") << number
            blinking |= (mood in ("take-back", "waiting")) << number
        self._wished = shining, blinking

    def apply(self, report: Report, controller: Controller) -> None:
        """Give the controller what was reported, and acknowledge it when it is stored."""
        event = report.acked_event
        heard = Heard(self.name, event.boot, (event.number + 1) & 0xFFFF) if event else None
        if report.passed is not None:
            self._have_passed(report.passed, controller)
        if report.observation is not None:
            self._overhear(report.observation)
            controller.take(report.observation, heard)
        if event and not controller.shown.trouble:
            self._confirmed.append(event)

    def _have_passed(self, passed: Passed, controller: Controller) -> None:
        """As soon as a seat has been dealt all its cards, its hand is known; what comes back of it is laid away."""
        table = controller.table
        deal = sum(action.do not in _NO_ROUND for action in table.actions)
        # A card that slipped by leaves a hand too small: what has passed of it must not go into the next.
        self._deal = {number: self._deal.get(number, deal) for _, cards in passed for number, _ in cards}
        for seat, cards in passed:
            fresh = [(n, card) for n, card in cards if n > self._used.get(seat, 0) and self._deal[n] == deal]
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
            self._used[seat] = fresh[-1][0]

    def close(self) -> None:
        """Let the port go; in the reading thread, or after it."""
        self._bridge.close()


def open_readers(
    configs: Sequence[ReaderConfig],
    journal: Journal | None,
    clock: Callable[[], float] = time.monotonic,
    overhear: Callable[[Observation], None] = lambda observation: None,
    stepped: Callable[[str], Port] | None = None,
) -> list[RfidSource]:
    """The boards of the configuration; each goes on after what the journal has of it. Raises `CardtableError`.

    `stepped`: opens the port of a board that does not keep its own time. Its readers are not live (`RfidSource`), go by
    `clock` in everything, and wait for nothing.
    """
    readers = []
    for config in configs:
        try:
            tags = TagTable(config.tags)
        except TagsError as error:
            raise CardtableError(str(error)) from error
        heard = journal.heard(config.name) if journal else None
        mark = Checkpoint(heard.boot, heard.next) if heard else None
        if stepped is None:
            bridge = Bridge(config.port, mark, WAIT_S)
        else:
            bridge = stepped_bridge(config.port, mark, clock, stepped)
        readers.append(RfidSource(config, tags, bridge, clock, overhear=overhear, live=stepped is None))
    return readers
