"""The controller: one observation in, actions found, stored in the journal, then shown.

The referee turns an observation into actions, which are done on the table. All actions of one observation are stored
together or not at all, so that a program that is killed in between never leaves half a correction behind. Only what
is stored is shown.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from cardtable.board.snapshot import LogEntry, Snapshot, SourceState
from cardtable.play.journal import Journal
from cardtable.play.journal_errors import JournalError
from cardtable.play.journal_game import ProcessedEvents
from cardtable.play.stored_games import Result
from cardtable.play.trace import Trace
from engine.actions import Action
from engine.observations import Back, Dealt, Hampered, LaidAway, Lost, Observation, Scene, UndoAsked
from engine.referee.referee import Referee
from engine.table import Outcome, Table
from engine.texts import text

_LOG: Final = logging.getLogger(__name__)


class Controller:
    """One table with its referee, its journal and its displays. One thread at a time calls it.

    `table` is new; `past` are the actions that happened on it before, undos included, as the journal gives them.
    `journal` has begun or resumed this game; None if nothing is to be stored. `show` is called at once, and after every
    observation that changed something. `sources`: names of the sources that must have reported a scene, or be lost,
    before anything is judged. `recorded`: the cards that lie there at the start count, because a recording cannot be
    asked to lay them again. `trace`: where each observation and its effect are written. Raises `JournalError` if the
    rules refuse `past`.
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
    ) -> None:
        self.table: Final = table
        self._journal = journal
        self._show = show
        self._trace = trace
        self._history: list[LogEntry] = []
        self._news: list[LogEntry] = []
        self._n = 0
        self._replay(past)
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
        return Referee(self.table, self._apply, awaited, watched, trace)

    def _replay(self, past: Sequence[Action]) -> None:
        for action in past:
            try:
                self._apply(action)
            except Exception as refusal:  # also a fault of the rules: it would end the program at every start
                message = text(
                    "the stored game cannot be continued, because the rules refuse its line "
                    "{line}: {why} Begin a new game with --new; the old one stays stored.",
                    line=self._n + 2,
                    why=str(refusal),
                )
                raise JournalError(message) from refusal
        self._news.clear()

    def take(self, observation: Observation, processed: ProcessedEvents | None = None) -> None:
        """Process one observation: do, store and show what follows from it.

        `processed`: which events of an RFID board are processed with it. It is stored unless `snapshot.trouble` is set
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
            self._sources[observation.source] = SourceState(observation.source, observation.reason)
        elif isinstance(observation, Back | Scene) and not (
            isinstance(observation, Scene) and isinstance(self._lost.get(observation.source), Hampered)
        ):
            self._sources[observation.source] = SourceState(observation.source)
            if self._lost.pop(observation.source, None):
                _LOG.warning("%s is back", observation.source)
                if isinstance(observation, Scene):
                    self._referee.observe(Back(observation.time, observation.source))
        self.retry_store()
        self._process(observation, processed)

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
        if self._referee.prompts != before:
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
                self._trace.actions(self._news, self.table.over)
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
        before, history, n = self.table.actions, list(self._history), self._n
        try:
            self._referee.observe(observation)
            if self._journal and (self._news or processed):
                actions = [entry.action for entry in self._news]
                self._journal.append(actions, self.table.over, processed, Result.of(self.table))
        except JournalError as error:
            self._go_back_to(before)
            self._history, self._n, self._news = history, n, []
            self._stop_storing(error)
            if isinstance(observation, Scene):
                self._unstored[observation.source] = observation
        else:
            if isinstance(observation, Scene):
                self._scenes[observation.source] = observation

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
        self._news = []
        if _differs(snapshot, self.snapshot):
            self.snapshot = snapshot
            self._show(snapshot)

    def _apply(self, action: Action) -> Outcome:
        """Do the action on the table and note it as news. Raises `Refused`."""
        outcome = self.table.do(action)
        self._n += 1
        entry = LogEntry(
            n=self._n + 1,
            action=action,
            points=outcome.points,
            events=outcome.events,
            scores=tuple(self.table.scores),
            turn=self.table.turn,
            phase=self.table.phase,
        )
        self._news.append(entry)
        if action.do == "undo":
            self._history.pop()
        else:
            self._history.append(entry)
        return outcome

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

    def _make_snapshot(self, time: float) -> Snapshot:
        return Snapshot(
            n=self._n,
            time=time,
            view=self.table.view(),
            prompts=self._referee.prompts,
            news=tuple(self._news),
            history=tuple(self._history),
            sources=tuple(self._sources[name] for name in sorted(self._sources)),
            trouble=self._trouble,
            between_hands=self.table.between_hands,
        )


def _without_hands(observation: Observation) -> str:
    """Return the observation for the log, which must not name the cards of hands."""
    if isinstance(observation, Dealt | LaidAway):
        return f"{type(observation).__name__} of {len(observation.cards)} cards, seat {observation.seat}"
    return str(observation)


def _differs(new: Snapshot, old: Snapshot) -> bool:
    return bool(new.news) or (new.prompts, new.sources, new.trouble) != (old.prompts, old.sources, old.trouble)
