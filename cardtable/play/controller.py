"""The controller: one observation in, actions found, stored in the journal, then shown.

The referee turns an observation into actions, which are done on the table. All actions of one observation are stored
together or not at all, so that a program that is killed in between never leaves half a correction behind. Only what
is stored is shown. `cardtable.play.correcting_controller` adds what people correct.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from cardtable.board.snapshot import Snapshot, SourceState
from cardtable.play.journal import Journal
from cardtable.play.journal_errors import JournalError
from cardtable.play.journal_game import ProcessedEvents
from cardtable.play.named_cards import NamedCards
from cardtable.play.shown_cards import (
    Places,
    correction_entries,
    lying_details,
    no_places,
    placed_cards,
)
from cardtable.play.stored_corrections import What
from cardtable.play.stored_table import StoredTable
from cardtable.play.trace import Trace
from engine.actions import Action
from engine.observations import Back, Dealt, Hampered, LaidAway, Lost, Observation, Scene, UndoAsked
from engine.referee.prompts import Prompt
from engine.referee.referee import Referee
from engine.table import Table

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
