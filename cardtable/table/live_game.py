"""A game in progress: observations and corrections in, actions stored, a snapshot shown.

The referee turns an observation into actions, which it does on the table. All actions of one observation, or of one
correction that people make, are in the journal together or not at all, so that a program that is killed in between
never leaves half of them behind. Only what is stored is shown.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from typing import Final

from cardtable.journal.corrections import CannotCorrect, MadeCorrection, What
from cardtable.journal.file import JournalError
from cardtable.journal.games import Result
from cardtable.journal.journal import Change, Journal, ProcessedEvents
from cardtable.table.corrections import CORRECTION_ERRORS, Plan, check_current, plan, refusal_of
from cardtable.table.messages import CorrectionMessage, RecordIsRight, Refusal, Sender, TableIsRight
from cardtable.table.snapshot import (
    LogEntry,
    Output,
    Places,
    Snapshot,
    SourceState,
    correction_entries,
    lying_details,
    placed_cards,
)
from cardtable.table.sources import Received, Source
from cardtable.table.trace import Trace
from engine.actions import Action
from engine.cards import Card
from engine.corrections import Correction
from engine.observations import ActionCard, Back, Hampered, Lost, Observation, Said, Scene, Swiped, UndoAsked
from engine.referee.corrections import NamedCards
from engine.referee.hidden_cards import FaceDown, Swipes
from engine.referee.observed_cards import SightingId
from engine.referee.referee import Done, Referee
from engine.referee.table_or_record import DIFFERENCES, follow_table, moves
from engine.table import Table
from engine.texts import Text, text
from engine.views import Prompt

_AGREES: Final = text("The table agrees with the record again.")

Corrected = Callable[[SightingId, Card], None]
"""Takes a sighting and the card that a person says it is, before the card is renamed."""

_LOG: Final = logging.getLogger(__name__)


class LiveGame:
    """A game in progress: its table, its referee and its journal. All methods are called in one thread.

    `table` is new; `past` are the actions that happened on it before, undos included, as the journal gives them.
    `journal` has begun or resumed this game; None if nothing is to be stored. `outputs` show the game at once, and
    after every change. `sources`: the sources that must have reported a scene, or be lost, before anything is judged.
    `recorded`: cards that lie on the table at the start count, because a recording cannot be asked to lay them again.
    `trace`: where observations and their effects are written. `places`: where cameras see the cards. `corrected`: see
    `Corrected`. Raises `JournalError` if the rules refuse `past`.
    """

    def __init__(
        self,
        table: Table,
        journal: Journal | None = None,
        outputs: Iterable[Output] = (),
        past: Sequence[Action] = (),
        sources: Sequence[str] = (),
        recorded: bool = False,
        trace: Trace | None = None,
        places: Places = dict,
        corrected: Corrected = lambda sighting, card: None,
    ) -> None:
        self.table: Final = table
        self._journal = journal
        self._n = 0  # the number of accepted actions, undos included
        self._history: list[LogEntry] = []  # the actions that stand
        self._news: list[LogEntry] = []  # the actions accepted since the last snapshot
        self._replay(past)
        self._corrections = list(journal.corrections) if journal else []  # oldest first
        self._outputs = tuple(outputs)
        self._trace = trace
        self._places = places
        self._corrected = corrected
        self._shown_places = places()
        self._announcement: Prompt | None = None
        self._named = NamedCards()
        self._face_down = FaceDown()
        self._swipes = Swipes()  # the effect of the swipes that are stored
        self._unstored_swipes: dict[str, Swiped] = {}
        self._processed: dict[str, tuple[Source, ProcessedEvents]] = {}  # the last events that are not acknowledged
        self._lost: dict[str, Lost] = {}
        self._sources: dict[str, SourceState] = {}
        self._trouble: str | None = None  # why nothing can be stored
        self._moves: Sequence[Text] = ()  # what players still have to move until the table agrees with the record
        self._awaited = tuple(sources)
        self._referee = self._new_referee(sources, watched=recorded)
        self.snapshot = self._make_snapshot(0.0)
        """The snapshot that was shown last."""
        self._show()

    def _new_referee(self, awaited: Iterable[str], watched: bool) -> Referee:
        trace = self._trace.judgement if self._trace else None
        return Referee(self.table, awaited, watched, trace, swipes=self._swipes)

    def process(self, received: Received) -> Refusal | None:
        """Process an observation or a correction; return why a correction is refused."""
        refusal = None
        if isinstance(received.what, CorrectionMessage):
            refusal = self.correct(received.what, received.sender)
        elif isinstance(received.what, Observation):
            observation = without_empty_seats(received.what, len(self.table.header.players))
            if observation is not None:
                self.take(observation, received.event)
        if received.event and received.source:
            self._processed[received.event.source] = received.source, received.event
            self._acknowledge()
        return refusal

    def _acknowledge(self) -> None:
        """Acknowledge the events that are processed, once their numbers are stored. Some have had no effect."""
        for source, event in self._processed.values():
            if self._trouble is None and self._journal and self._journal.processed_events(event.source) != event:
                try:
                    with self._journal.transaction(event):
                        pass
                except JournalError as error:
                    self._stop_storing(error)
                    self._show_changes(self.snapshot.time)
            if self._trouble is not None:
                _LOG.info("%s: event %d is not stored, so not acknowledged", event.source, event.number)
                return
            source.acknowledge(event)
        self._processed = {}

    # Observations

    def take(self, observation: Observation, event: ProcessedEvents | None = None) -> None:
        """Process one observation: do and store the actions that follow from it, and show the result.

        `event`: the events of a reader board that are processed with it. They are stored unless `snapshot.trouble` is
        set afterwards.
        """
        if isinstance(observation, Scene) and observation.through_backs:
            observation = self._face_down.without(observation, self.table.view())
        _LOG.debug("%s", _without_hands(observation))
        if isinstance(observation, UndoAsked) and observation.is_stale(self.snapshot.n):
            # The page refuses such an undo itself, unless an action was added while the message was on its way.
            _LOG.info("ignored an undo of action %s: there are %d now", observation.actions, self.snapshot.n)
            return
        self._note_source(observation)
        self.retry_store()
        self._process(self._named.see(observation) if isinstance(observation, Scene) else observation, event)

    def pass_time(self, source: str, time: float) -> None:
        """Show the prompts that have become urgent by `time` on the clock of `source`; call it several times a second.

        After the start, missing cards are judged once nothing new has been reported for some time.
        """
        scene = self._named.last(source)
        if scene is not None and self._trouble is None and self._referee.is_due(source, time):
            self._process(replace(scene, time=time))
        before = self._referee.prompts
        self._referee.pass_time(source, time)
        if self._referee.prompts != before or self._places() != self._shown_places:
            self._show_changes(time)

    def _note_source(self, observation: Observation) -> None:
        """Note whether the source of the observation works."""
        name = observation.source
        if isinstance(observation, Lost):
            _LOG.warning("%s is lost: %s", name, observation.reason)
            self._lost[name] = observation
            self._sources[name] = SourceState(name, observation.reason, isinstance(observation, Hampered))
            return
        is_scene = isinstance(observation, Scene)
        if isinstance(observation, Back) or (is_scene and not isinstance(self._lost.get(name), Hampered)):
            self._sources[name] = SourceState(name)
            if self._lost.pop(name, None):
                _LOG.warning("%s is back", name)
                if is_scene:
                    self._referee.observe(Back(observation.time, name))

    def _process(self, observation: Observation, event: ProcessedEvents | None = None) -> None:
        """Do and store all actions that follow from the observation, or none; show and trace the effect."""
        if not (self._moves and isinstance(observation, Scene)):  # while cards are put back, scenes are only compared
            if self._trace:
                self._trace.observation(observation)
            self._do_and_store(observation, event)
            self._trace_effect(observation)
            self._show_changes(observation.time)
        if self._moves:
            with suppress(JournalError):  # the cards are judged once storing works again
                self._compare(self._named.again())
            self._end_correction()

    def _do_and_store(self, observation: Observation, event: ProcessedEvents | None) -> None:
        if self._trouble is None or isinstance(observation, Lost | Back):
            with suppress(JournalError):
                with self._change(event):
                    self._note(*self._referee.observe(observation))
                self._swipes = self._referee.swipes
                return
        # The cards on the table will be looked at again. Words must be repeated.
        if isinstance(observation, Swiped):
            self._unstored_swipes[observation.source] = observation
        elif not isinstance(observation, Scene):
            _LOG.warning("ignored while nothing can be stored: %s", _without_hands(observation))

    # Storing

    def _replay(self, past: Sequence[Action]) -> None:
        for action in past:
            try:
                self._note(Done.of(self.table, action))
            except Exception as refusal:  # also a fault of the rules, which would end the program at every start
                message = text(
                    "the stored game cannot be continued, because the rules refuse its line "
                    "{line}: {why} Begin a new game with --new; the old one stays stored.",
                    line=self._n + 2,
                    why=str(refusal),
                )
                raise JournalError(message) from refusal
        self._news = []

    def _note(self, *done: Done) -> None:
        """Add actions that were done on the table to the history and to the news."""
        for each in done:
            self._n += 1
            outcome = each.outcome
            entry = LogEntry(
                self._n + 1,
                each.action,
                outcome.points,
                outcome.events,
                each.scores,
                each.turn,
                each.phase,
                outcome.moments,
            )
            self._news.append(entry)
            if each.action.do == "undo":
                self._history.pop()
            else:
                self._history.append(entry)

    def check_store(self) -> None:
        """Check that the journal is where it was, or whether storing works again; call it about once a second."""
        if self._trouble is not None:
            self.retry_store()
            return
        try:
            if self._journal:
                self._journal.check_place()
        except JournalError as error:
            self._stop_storing(error)
            self._show_changes(self.snapshot.time)

    def retry_store(self) -> None:
        """If nothing could be stored, check whether that works again, and judge what was seen meanwhile."""
        if self._trouble is None or self._journal is None:
            return
        try:
            self._journal.check()
        except JournalError as error:
            _LOG.info("storing still fails: %s", error)
            return
        _LOG.warning("storing works again")
        self._trouble = None
        waiting: tuple[Observation, ...] = (*self._unstored_swipes.values(), *self._named.again())
        self._unstored_swipes = {}
        for observation in waiting:
            _, event = self._processed.get(observation.source, (None, None))
            self._process(observation, event)
        self._acknowledge()
        self._show_changes(self.snapshot.time)

    @contextmanager
    def _change(
        self, event: ProcessedEvents | None = None, correction: tuple[str, What] | None = None
    ) -> Iterator[None]:
        """Store everything that is noted in the block, in one transaction.

        `event`: the events of a reader board that are processed with it. `correction`: who corrects the record, and
        how. Raises `JournalError` if nothing could be stored; the table is then as it was before the block, and reports
        it.
        """
        before, history, n, named = self.table.actions, list(self._history), self._n, self._named.copy()
        try:
            with self._journal.transaction(event) if self._journal else nullcontext(Change()) as change:
                yield
                change.actions = [entry.action for entry in self._news]
                change.correction = correction
                change.over = self.table.over
                change.result = Result.of(self.table, (event for entry in self._history for event in entry.events))
        except JournalError as error:
            self._go_back_to(before)
            self._history, self._n, self._news, self._named = history, n, [], named
            self._stop_storing(error)
            raise
        if self._news:
            self._announcement = None
        if correction:
            who, what = correction
            self._corrections.append(MadeCorrection(n, who, 0.0, what))
            self._announcement = Prompt("corrected", None, what.sentence(self.table.header.players))

    def _go_back_to(self, actions: Sequence[Action]) -> None:
        """Undo and redo until exactly `actions` stand; the table has accepted all of them before."""
        now = self.table.actions
        common = 0
        while common < min(len(now), len(actions)) and now[common] == actions[common]:
            common += 1
        for _ in now[common:]:
            self.table.undo()
        for action in actions[common:]:
            self.table.do(action)

    def _stop_storing(self, error: JournalError) -> None:
        """Report that nothing can be stored. The last scenes are judged again later."""
        _LOG.error("nothing can be stored: %s", error)
        self._trouble = str(error)
        # The referee has counted actions that are not stored. A new one judges the whole table once storing works.
        awaited = {name for name in self._awaited if self._named.last(name) and name not in self._lost}
        self._referee = self._new_referee(awaited, watched=self._referee.started)
        for lost in self._lost.values():
            self._referee.observe(lost)

    # Corrections that people make

    def correct(self, message: CorrectionMessage, sender: Sender) -> Refusal | None:
        """Correct the game as `message` from `sender` asks, and show the change; return why it is refused, if it is."""
        try:
            match message:
                case RecordIsRight():
                    self._restore(message.on, sender.name)
                case TableIsRight():
                    check_current(message.n, self.snapshot.n)
                    self._follow_table(sender.name)
                case _:
                    check_current(message.n, self.snapshot.n)
                    planned = plan(message, self.table, self._referee.seen(), self._history)
                    self._carry_out(planned, sender.name)
        except CORRECTION_ERRORS as error:
            return refusal_of(error, self.table)
        return None

    def _carry_out(self, planned: Plan, who: str) -> None:
        self._check_storing()
        for sighting, card in planned.readings:
            self._corrected(sighting, card)
        faces = {sighting: name for sighting, name in planned.named.items() if name is not None}
        try:
            with self._change(correction=(who, planned.what)):
                self._named.name(planned.named)
                if planned.unseen is not None and self._named.has_sources():
                    self._named.add(planned.unseen)
                correction = planned.correction
                self._note(*self._referee.rewrite(correction.kept, correction.redone, faces))
                for scene in self._named.again():
                    self._note(*self._referee.observe(scene))
        finally:
            self._end_correction()

    def _follow_table(self, who: str) -> None:
        """Make the smallest correction of the record after which it agrees with the table."""
        self._check_storing()
        scenes = self._visible_scenes()
        if not any(prompt.kind in DIFFERENCES for prompt in self._referee.prompts):
            raise CannotCorrect(text("The table and the record already agree."))
        found = follow_table(self.table.header, self.table, self._referee.seen(), scenes)
        if found is None:
            message = "No single correction explains what lies there: correct the cards one by one."
            raise CannotCorrect(text(message))
        correction, rest = found
        try:
            with self._change(correction=(who, What("table-right"))):
                self._start_again(correction, rest)
        finally:
            self._end_correction()

    def _restore(self, on: bool, who: str) -> None:
        """Guide the players, card by card, until the table agrees with the record; stop that unless `on`.

        Meanwhile no card that is laid or taken up counts.
        """
        if not on:
            if self._moves:
                self._moves, self._announcement = (), None
                for scene in self._named.again():
                    self._process(scene)
            return
        self._check_storing()
        scenes = self._visible_scenes()
        try:
            with self._change(correction=(who, What("record-right"))):
                pass
            self._compare(scenes)
        finally:
            self._end_correction()

    def _compare(self, scenes: Sequence[Scene]) -> None:
        """Find the cards that are still to be moved. Once the table agrees with the record, go on from there."""
        self._moves = moves(self.table, scenes)
        if not self._moves:
            with self._change():
                self._start_again(Correction(self.table.actions, self.table.actions), scenes)
            self._announcement = Prompt("corrected", None, _AGREES)

    def _start_again(self, correction: Correction, scenes: Sequence[Scene]) -> None:
        """Correct the record, and let a new referee judge `scenes`; cards that they leave out are ignored from now on.

        Action cards on the table have had their effect.
        """
        cards = {(scene.source, each.card_id): each for scene in scenes for each in scene.sightings}
        kept = {sighting for sighting, card in cards.items() if not isinstance(card.face, ActionCard)}
        everything = {(scene.source, each.card_id) for scene in self._named.again() for each in scene.sightings}
        self._named.name(dict.fromkeys(everything - kept))
        undone = [Action("undo")] * (len(self.table.actions) - correction.kept)
        for action in (*undone, *correction.redone):
            self._note(Done.of(self.table, action))
        now = self._named.again()
        self._referee = self._new_referee([scene.source for scene in now], watched=True)
        for lost in self._lost.values():
            self._referee.observe(lost)
        for scene in now:
            self._note(*self._referee.observe(scene))

    def _check_storing(self) -> None:
        self.retry_store()
        if self._trouble is not None:
            raise JournalError(self._trouble)

    def _visible_scenes(self) -> list[Scene]:
        """Return the last scene of every source that works. Raises `CannotCorrect` if there is none."""
        scenes = [scene for scene in self._named.again() if scene.source not in self._lost]
        if not scenes:
            raise CannotCorrect(text("No camera or reader sees the table now."))
        return scenes

    def _end_correction(self) -> None:
        self._trace_effect()
        self._show_changes(self.snapshot.time)

    # What is shown

    def _trace_effect(self, observation: Observation | None = None) -> None:
        if self._trace:
            if self._trouble is None or observation is None:
                self._trace.actions(self._news, self.table.over)
            elif not isinstance(observation, Lost | Back):
                self._trace.not_stored(self._trouble)
            self._trace.write()

    def _show_changes(self, time: float) -> None:
        snapshot = self._make_snapshot(time)
        self._news = []
        if _differs(snapshot, self.snapshot):
            self.snapshot = snapshot
            self._show()

    def _show(self) -> None:
        for output in self._outputs:
            output.show(self.snapshot, self.table.view)

    def _prompts(self) -> tuple[Prompt, ...]:
        prompts = self._referee.prompts
        if self._announcement:
            prompts = (self._announcement, *prompts)
        if not self._moves:
            return prompts
        move, more = self._moves[0], len(self._moves) - 1
        sentence = text("{move} Then {count} more.", move=move, count=more) if more else move
        return Prompt("restore", None, sentence), prompts[-1]

    def _make_snapshot(self, time: float) -> Snapshot:
        seen, self._shown_places = self._referee.seen(), self._places()
        return Snapshot(
            n=self._n,
            time=time,
            view=self.table.view(),
            prompts=self._prompts(),
            news=tuple(self._news),
            history=tuple(self._history),
            sources=tuple(self._sources[name] for name in sorted(self._sources)),
            trouble=self._trouble,
            between_hands=self.table.between_hands,
            corrections=correction_entries(self._corrections, self.table.header.players),
            placed=placed_cards(seen, self._shown_places, self._history),
            lying=lying_details(self.table, seen, self._history),
            restoring=len(self._moves) or None,
            seen=any(name not in self._lost for name in self._awaited),
        )


def _differs(new: Snapshot, old: Snapshot) -> bool:
    shown = [(each.prompts, each.sources, each.trouble, each.placed) for each in (new, old)]
    return bool(new.news) or shown[0] != shown[1]


def _without_hands(observation: Observation) -> str:
    """Return the observation as text for the log, which must not name cards of hands."""
    if isinstance(observation, Swiped):
        return f"Swiped: {len(observation.swipes)} cards, by {observation.source}"
    return str(observation)


def without_empty_seats(observation: Observation, players: int) -> Observation | None:
    """Return the observation for a game of `players` seats; None if it comes from a seat without a player.

    At a table that is wired for more players than the game has, a card in a zone of such a seat is outside every zone.
    """
    if isinstance(observation, Said):
        seats = (observation.seat, observation.against or 0)
        return observation if max(seats) < players else None
    if isinstance(observation, Swiped):
        return replace(observation, swipes=tuple(swipe for swipe in observation.swipes if swipe.seat < players))
    if isinstance(observation, Scene) and any(
        sighting.zone is not None and (sighting.zone.seat or 0) >= players for sighting in observation.sightings
    ):
        sightings = tuple(
            replace(sighting, zone=None) if sighting.zone and (sighting.zone.seat or 0) >= players else sighting
            for sighting in observation.sightings
        )
        return replace(observation, sightings=sightings)
    return observation
