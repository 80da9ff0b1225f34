"""The controller: one observation in, actions found, stored in the journal, then shown.

The referee turns an observation into actions, which are done on the table. All actions of one observation are stored
together or not at all, so that a program that is killed in between never leaves half a correction behind. Only what
is stored is shown. `cardtable.table.game_loop` adds what people correct.
"""

from __future__ import annotations

import ctypes
import gc
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Final

from cardtable.journal.corrections import CannotCorrect, MadeCorrection, What
from cardtable.journal.file import JournalError
from cardtable.journal.games import Result
from cardtable.journal.journal import Change, Journal, ProcessedEvents
from cardtable.table.snapshot import (
    LogEntry,
    Places,
    Snapshot,
    SourceState,
    correction_entries,
    go_back_to,
    lying_details,
    no_places,
    placed_cards,
)
from cardtable.table.trace import Trace
from engine.actions import Action
from engine.corrections import Correction
from engine.observations import ActionCard, Back, Dealt, Hampered, LaidAway, Lost, Observation, Said, Scene, UndoAsked
from engine.referee.corrections import NamedCard, NamedCards, SeenCard
from engine.referee.observed_cards import SightingId
from engine.referee.prompts import Prompt
from engine.referee.referee import Referee
from engine.referee.table_or_record import DIFFERENCES, follow_table, moves
from engine.table import Outcome, Table
from engine.texts import Text, text

# Seats without a player, at a table that is wired for more players than the game has.


def without_empty_seats(observation: Observation, players: int) -> Observation | None:
    """Return the observation for a game of `players` seats; None if it is from a seat without a player.

    A card in a zone of such a seat lies outside every zone.
    """
    if isinstance(observation, Said):
        seats = (observation.seat, observation.against or 0)
        return observation if max(seats) < players else None
    if isinstance(observation, Dealt | LaidAway):
        return observation if observation.seat < players else None
    if isinstance(observation, Scene) and any(
        sighting.zone is not None and (sighting.zone.seat or 0) >= players for sighting in observation.sightings
    ):
        sightings = tuple(
            replace(sighting, zone=None) if sighting.zone and (sighting.zone.seat or 0) >= players else sighting
            for sighting in observation.sightings
        )
        return replace(observation, sightings=sightings)
    return observation


# The memory of the process between two games.


def return_free_memory() -> None:
    """Return memory that is no longer used to the system, if the C library can do that (glibc).

    Otherwise glibc keeps what the pictures of a game leave free between smaller pieces that are still in use: 150 to
    400 MB more with every game before a camera.
    """
    gc.collect()  # pictures that refer to each other
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


# A table whose actions are stored: all actions of one change are in the journal together, or none is done.


class StoredTable:
    """A table, its history and its journal.

    `table` is new; `past` are the actions that happened on it before, undos included. `journal` has begun or resumed
    the game; None if nothing is to be stored. Raises `JournalError` if the rules refuse `past`.
    """

    def __init__(self, table: Table, journal: Journal | None, past: Sequence[Action]) -> None:
        self.table: Final = table
        self._journal = journal
        self.n = 0
        """How many actions were accepted, undos included."""
        self.history: list[LogEntry] = []
        """The actions that stand."""
        self.news: list[LogEntry] = []
        """The actions accepted since it was emptied."""
        for action in past:
            self._replay(action)
        self.news.clear()
        self.corrections: list[MadeCorrection] = list(journal.corrections) if journal else []

    def _replay(self, action: Action) -> None:
        try:
            self.apply(action)
        except Exception as refusal:  # also a fault of the rules: it would end the program at every start
            message = text(
                "the stored game cannot be continued, because the rules refuse its line "
                "{line}: {why} Begin a new game with --new; the old one stays stored.",
                line=self.n + 2,
                why=str(refusal),
            )
            raise JournalError(message) from refusal

    def apply(self, action: Action) -> Outcome:
        """Do the action on the table and note it as news. Raises `Refused`."""
        outcome = self.table.do(action)
        self.n += 1
        entry = LogEntry(
            n=self.n + 1,
            action=action,
            points=outcome.points,
            events=outcome.events,
            scores=tuple(self.table.scores),
            turn=self.table.turn,
            phase=self.table.phase,
        )
        self.news.append(entry)
        if action.do == "undo":
            self.history.pop()
        else:
            self.history.append(entry)
        return outcome

    def change(
        self,
        change: Callable[[], None],
        processed: ProcessedEvents | None = None,
        correction: tuple[str, What] | None = None,
    ) -> None:
        """Call `change`, which applies actions, and store them all.

        `processed`: which events of a reader board are processed with it. `correction`: who corrects the record with
        these actions, and what. Raises `JournalError` if they cannot be stored; the table is then as before.
        """
        before, history, n = self.table.actions, list(self.history), self.n
        try:
            with self._journal.transaction(processed) if self._journal else nullcontext(Change()) as stored:
                change()
                stored.actions = [entry.action for entry in self.news]
                stored.correction = correction
                stored.over = self.table.over
                stored.result = Result.of(self.table, (event for entry in self.history for event in entry.events))
        except JournalError:
            go_back_to(self.table, before)
            self.history, self.n, self.news = history, n, []
            raise
        if correction:
            who, what = correction
            self.corrections.append(MadeCorrection(n, who, 0.0, what))


_LOG: Final = logging.getLogger(__name__)


class Controller:
    """One table with its referee, its journal and its displays. One thread at a time calls it.

    `table` is new; `past` are the actions that happened on it before, undos included, as the journal gives them.
    `journal` has begun or resumed this game; None if nothing is to be stored. `show` is called at once, and after every
    observation that changed something. `sources`: names of the sources that must have reported a scene, or be lost,
    before anything is judged. `recorded`: the cards that lie there at the start count, because a recording cannot be
    asked to lay them again. `trace`: where each observation and its effect are written. `places`: where cameras see the
    cards. Raises `JournalError` if the rules refuse `past`.
    """

    def __init__(
        self,
        table: Table,
        journal: Journal | None,
        show: Callable[[Snapshot], None],
        past: Sequence[Action] = (),
        sources: Sequence[str] = (),
        recorded: bool = False,
        trace: Trace | None = None,
        places: Places = no_places,
    ) -> None:
        self.table: Final = table
        self._journal = journal
        self._show = show
        self._trace = trace
        self._places = places
        self._shown_places = places()
        self._stored = StoredTable(table, journal, past)
        self._announcement: Prompt | None = None
        self.named = NamedCards()
        self._scenes: dict[str, Scene] = {}
        self._unstored: dict[str, Scene] = {}
        self._lost: dict[str, Lost] = {}
        self._sources: dict[str, SourceState] = {}
        self._trouble: str | None = None
        self._awaited = tuple(sources)
        self._referee = self._new_referee(sources, watched=recorded)
        self.snapshot = self._make_snapshot(0.0)
        """What was shown last."""
        show(self.snapshot)

    def _new_referee(self, awaited: Iterable[str], watched: bool) -> Referee:
        trace = self._trace.judgement if self._trace else None
        return Referee(self.table, self._stored.apply, awaited, watched, trace)

    def take(self, observation: Observation, processed: ProcessedEvents | None = None) -> None:
        """Process one observation: do, store and show what follows from it.

        `processed`: which events of a reader board are processed with it. It is stored unless `snapshot.trouble` is set
        afterwards.
        """
        _LOG.debug("%s", _without_hands(observation))
        if isinstance(observation, UndoAsked) and observation.is_stale(self.snapshot.n):
            # The page has refused it already, unless an action was added while it was on its way.
            _LOG.info("ignored an undo of action %s: there are %d now", observation.actions, self.snapshot.n)
            return
        if isinstance(observation, Lost):
            _LOG.warning("%s is lost: %s", observation.source, observation.reason)
            self._lost[observation.source] = observation
            self._sources[observation.source] = SourceState(
                observation.source, observation.reason, isinstance(observation, Hampered)
            )
        elif isinstance(observation, Back | Scene) and not (
            isinstance(observation, Scene) and isinstance(self._lost.get(observation.source), Hampered)
        ):
            self._sources[observation.source] = SourceState(observation.source)
            if self._lost.pop(observation.source, None):
                _LOG.warning("%s is back", observation.source)
                if isinstance(observation, Scene):
                    self._referee.observe(Back(observation.time, observation.source))
        self.retry_store()
        self._process(self.named.see(observation) if isinstance(observation, Scene) else observation, processed)

    def check_store(self) -> None:
        """Check that the journal is where it was, or whether storing works again; to be called every second or so."""
        if self._journal is None:
            return
        if self._trouble is not None:
            self.retry_store()
            return
        try:
            self._journal.check_place()
        except JournalError as error:
            self._stop_storing(error)
            self._show_changes(self.snapshot.time)

    def pass_time(self, source: str, time: float) -> None:
        """Show which prompts have become urgent at `time` on the clock of `source`; call it several times a second.

        After the start, what is missing on the table is judged when nothing new was reported for some time.
        """
        scene = self._scenes.get(source)
        if scene is not None and self._trouble is None and self._referee.is_due(source, time):
            self._process(replace(scene, time=time))
        before = self._referee.prompts
        self._referee.pass_time(source, time)
        if self._referee.prompts != before or self._places() != self._shown_places:
            self._show_changes(time)

    def retry_store(self) -> None:
        """Check whether storing works again, and catch up."""
        if self._trouble is None or self._journal is None:
            return
        try:
            self._journal.check()
        except JournalError as error:
            _LOG.info("storing still fails: %s", error)
            return
        _LOG.warning("storing works again")
        self._trouble = None
        waiting, self._unstored = self._unstored, {}
        for scene in waiting.values():
            self._process(scene)
        self._show_changes(self.snapshot.time)

    def _process(self, observation: Observation, processed: ProcessedEvents | None = None) -> None:
        """Do and store all actions of the observation, or none; show and trace what follows."""
        if self._trace:
            self._trace.observation(observation)
        self._do_and_store(observation, processed)
        if self._trace:
            if self._trouble is None:
                self._trace.actions(self._stored.news, self.table.over)
            elif not isinstance(observation, Lost | Back):
                self._trace.not_stored(self._trouble)
            self._trace.write()
        self._show_changes(observation.time)

    def _do_and_store(self, observation: Observation, processed: ProcessedEvents | None) -> None:
        if self._trouble is not None and not isinstance(observation, Lost | Back):
            # The table will be looked at again; words said meanwhile must be repeated.
            if isinstance(observation, Scene):
                self._unstored[observation.source] = observation
            else:
                _LOG.warning("ignored while nothing can be stored: %s", _without_hands(observation))
            return
        try:
            self._store_together(lambda: self._referee.observe(observation), processed)
        except JournalError:
            if isinstance(observation, Scene):
                self._unstored[observation.source] = observation
        else:
            if isinstance(observation, Scene):
                self._scenes[observation.source] = observation

    def _store_together(
        self,
        change: Callable[[], None],
        processed: ProcessedEvents | None = None,
        correction: tuple[str, What] | None = None,
    ) -> None:
        """Do the `change` and store all actions that follow from it. Raises `JournalError` and takes them back."""
        try:
            self._stored.change(change, processed, correction)
        except JournalError as error:
            self._stop_storing(error)
            raise
        if self._stored.news:
            self._announcement = None
        if correction:
            self._announcement = Prompt("corrected", None, correction[1].sentence(self.table.header.players))

    def _stop_storing(self, error: JournalError) -> None:
        """Report that nothing can be stored. The table is as stored; what it shows is judged again later."""
        _LOG.error("nothing can be stored: %s", error)
        self._trouble = str(error)
        # The referee has counted what was not stored. A new one judges the whole table once storing works.
        awaited = {name for name in self._awaited if name in self._scenes and name not in self._lost}
        self._referee = self._new_referee(awaited, watched=self._referee.started)
        for lost in self._lost.values():
            self._referee.observe(lost)
        self._unstored, self._scenes = self._scenes, {}

    def _show_changes(self, time: float) -> None:
        snapshot = self._make_snapshot(time)
        self._stored.news = []
        if _differs(snapshot, self.snapshot):
            self.snapshot = snapshot
            self._show(snapshot)

    def _prompts(self) -> tuple[Prompt, ...]:
        return (*((self._announcement,) if self._announcement else ()), *self._referee.prompts)

    def _make_snapshot(self, time: float) -> Snapshot:
        seen, self._shown_places = self._referee.seen(), self._places()
        return Snapshot(
            n=self._stored.n,
            time=time,
            view=self.table.view(),
            prompts=self._prompts(),
            news=tuple(self._stored.news),
            history=tuple(self._stored.history),
            sources=tuple(self._sources[name] for name in sorted(self._sources)),
            trouble=self._trouble,
            between_hands=self.table.between_hands,
            corrections=correction_entries(self._stored.corrections, self.table.header.players),
            placed=placed_cards(seen, self._shown_places, self._stored.history),
            lying=lying_details(self.table, seen, self._stored.history),
        )


def _without_hands(observation: Observation) -> str:
    """Return the observation for the log, which must not name the cards of hands."""
    if isinstance(observation, Dealt | LaidAway):
        return f"{type(observation).__name__} of {len(observation.cards)} cards, seat {observation.seat}"
    return str(observation)


def _differs(new: Snapshot, old: Snapshot) -> bool:
    shown = [(each.prompts, each.sources, each.trouble, each.placed) for each in (new, old)]
    return bool(new.news) or shown[0] != shown[1]


# The controller with what people correct: cards, the record as a whole, or what lies on the table.

_AGREES: Final = text("The table agrees with the record again.")


class CorrectingController(Controller):
    """A controller whose game people can correct. All methods show what they have changed.

    They raise `JournalError` if nothing can be stored; the table is then as before.
    """

    _moves: Sequence[Text] = ()
    """What the players still have to move so that the table agrees with the record."""

    def seen(self) -> tuple[SeenCard, ...]:
        """Return the cards that are observed on the table, except action cards."""
        return self._referee.seen()

    def correct(
        self,
        correction: Correction,
        what: What,
        who: str,
        named: Mapping[SightingId, NamedCard | None] | None = None,
        unseen: NamedCard | None = None,
    ) -> None:
        """Apply a correction that a person asks for; store it with `what` it is and `who` has made it.

        `named`: what people say about cards that sources see, by their sightings; None: nothing lies there. `unseen`: a
        card that lies there and that no source sees.
        """
        self._check_storing()
        cards = self.named.copy()
        named = named or {}
        self.named.name(named)
        if unseen is not None and self.named.has_sources():
            self.named.add(unseen)

        def change() -> None:
            faces = {each: name for each, name in named.items() if name is not None}
            self._referee.rewrite(correction.kept, correction.redone, faces)
            for scene in self.named.again():
                self._referee.observe(scene)

        try:
            self._store_together(change, correction=(who, what))
        except JournalError:
            self.named = cards
            raise
        else:
            self._scenes |= {scene.source: scene for scene in self.named.again()}
        finally:
            self._end_change()

    def follow_table(self, who: str) -> None:
        """Make the smallest correction after which nothing that lies on the table is wrong.

        Raises `CannotCorrect` if there is none, or if nothing is wrong.
        """
        self._check_storing()
        scenes = self._visible_scenes()
        if not any(prompt.kind in DIFFERENCES for prompt in self._referee.prompts):
            raise CannotCorrect(text("The table and the record agree already."))
        found = follow_table(self.table.header, self.table, self._referee.seen(), scenes)
        if found is None:
            message = "No single correction explains what lies there: correct the cards one by one."
            raise CannotCorrect(text(message))
        correction, rest = found
        try:
            self._store_together(lambda: self._start_again(correction, rest), correction=(who, What("table-right")))
        finally:
            self._end_change()

    def restore(self, on: bool, who: str) -> None:
        """Say which card goes where until the table agrees with the record; not `on`: no longer.

        Until then nothing that is laid or taken up counts. Raises `CannotCorrect` if no source sees the table.
        """
        if not on:
            if self._moves:
                self._moves, self._announcement = (), None
                for scene in self.named.again():
                    self._process(scene)
            return
        self._check_storing()
        scenes = self._visible_scenes()
        try:
            self._store_together(lambda: None, correction=(who, What("record-right")))
            self._moves = moves(self.table, scenes)
            if not self._moves:
                self._agree(scenes)
        finally:
            self._end_change()

    def _process(self, observation: Observation, processed: ProcessedEvents | None = None) -> None:
        if not self._moves:
            super()._process(observation, processed)
            return
        if not isinstance(observation, Scene):
            super()._process(observation, processed)
        else:
            self._scenes[observation.source] = observation
        scenes = self.named.again()
        self._moves = moves(self.table, scenes)
        if not self._moves:
            self._agree(scenes)
        self._end_change()

    def _agree(self, scenes: Sequence[Scene]) -> None:
        """Go on with the table as it lies, which agrees with the record."""
        now = Correction(self.table.actions, self.table.actions)
        self._store_together(lambda: self._start_again(now, scenes))
        self._announcement = Prompt("corrected", None, _AGREES)

    def _start_again(self, correction: Correction, scenes: Sequence[Scene]) -> None:
        """Correct the record, and let a new referee judge these scenes; what they leave out is ignored from now on.

        Action cards that lie there have had their effect.
        """
        kept = {(scene.source, each.card_id) for scene in scenes for each in scene.sightings}
        kept -= {
            (scene.source, each.card_id)
            for scene in scenes
            for each in scene.sightings
            if isinstance(each.face, ActionCard)
        }
        everything = {(scene.source, each.card_id) for scene in self.named.again() for each in scene.sightings}
        self.named.name(dict.fromkeys(everything - kept))
        while len(self.table.actions) > correction.kept:
            self._stored.apply(Action("undo"))
        for action in correction.redone:
            self._stored.apply(action)
        now = self.named.again()
        self._referee = self._new_referee([scene.source for scene in now], watched=True)
        for lost in self._lost.values():
            self._referee.observe(lost)
        for scene in now:
            self._referee.observe(scene)
            self._scenes[scene.source] = scene

    def _check_storing(self) -> None:
        self.retry_store()
        if self._trouble is not None:
            raise JournalError(self._trouble)

    def _visible_scenes(self) -> list[Scene]:
        """Return the last scene of every source that works."""
        scenes = [scene for scene in self.named.again() if scene.source not in self._lost]
        if not scenes:
            raise CannotCorrect(text("No camera or reader sees the table now."))
        return scenes

    def _end_change(self) -> None:
        if self._trace:
            self._trace.actions(self._stored.news, self.table.over)
            self._trace.write()
        self._show_changes(self.snapshot.time)

    def _prompts(self) -> tuple[Prompt, ...]:
        prompts = super()._prompts()
        if not self._moves:
            return prompts
        move, more = self._moves[0], len(self._moves) - 1
        said = text("{move} Then {count} more.", move=move, count=more) if more else move
        return Prompt("restore", None, said), prompts[-1]

    def _make_snapshot(self, time: float) -> Snapshot:
        return replace(super()._make_snapshot(time), restoring=len(self._moves) or None)
