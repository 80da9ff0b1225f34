"""The controller: the one loop that ties the rooms together.

An observation goes to the referee; the actions that the referee finds in it are done on the table; what was
accepted is stored in the journal; only then it is shown. All actions of one observation are stored together or not
at all, so that a program that is killed in between never leaves half a correction behind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cardtable.play.journal import Heard, Journal, JournalError
from cardtable.play.snapshot import LogEntry, Snapshot, SourceState
from engine.actions import Action
from engine.observations import Back, Lost, Observation, Scene
from engine.referee.referee import Referee
from engine.table import Outcome, Table
from engine.texts import text


class Controller:
    """Ties one table to its journal and its displays. One thread at a time calls it.

    `table` is new; `past` happened on it before (undos among them, as the journal gives them). `journal` has begun
    or resumed this game; None where nothing is to be kept. `show` is called at once, and after every observation
    that changed something. `sources`: those that must have shown what lies there, or be lost, before anything is
    judged. `recorded`: nobody can lay again what lies there at the start, so it counts. Raises `JournalError` where the
    rules do not allow `past`.
    """

    def __init__(
        self,
        table: Table,
        journal: Journal | None,
        show: Callable[[Snapshot], None],
        past: Sequence[Action] = (),
        sources: Sequence[str] = (),
        recorded: bool = False,
    ) -> None:
        self.table: Final = table
        self._journal = journal
        self._show = show
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
        self._referee = Referee(table, self._act, sources, watched=recorded)
        self.shown = self._state(0.0)
        show(self.shown)

    def _replay(self, past: Sequence[Action]) -> None:
        for action in past:
            try:
                self._act(action)
            except ValueError as refusal:
                told = text(
                    "the stored game cannot be gone on with, the rules say no to its line {line}: {why} "
                    "Begin a new game with --new; the old one stays stored.",
                    line=self._n + 2,
                    why=str(refusal),
                )
                raise JournalError(told) from refusal
        self._news.clear()

    def take(self, observation: Observation, heard: Heard | None = None) -> None:
        """Take one observation; store and show what follows from it.

        `heard`: how far its source's events are dealt with then. Stored unless there is `shown.trouble`.
        """
        if isinstance(observation, Lost):
            self._lost[observation.source] = observation
            self._sources[observation.source] = SourceState(observation.source, observation.reason)
        elif isinstance(observation, Back | Scene):
            self._sources[observation.source] = SourceState(observation.source)
            if self._lost.pop(observation.source, None) and isinstance(observation, Scene):
                self._referee.observe(Back(observation.time, observation.source))
        self.again()
        self._decide(observation, heard)
        self._tell(observation.time)

    def again(self) -> None:
        """Look whether storing works again, and catch up; to be called every second or so while `shown.trouble`."""
        if self._trouble is None or self._journal is None:
            return
        try:
            self._journal.check()
        except JournalError:
            return
        self._trouble = None
        waiting, self._unstored = self._unstored, {}
        for scene in waiting.values():
            self._decide(scene)
            self._tell(scene.time)
        self._tell(self.shown.time)

    def _decide(self, observation: Observation, heard: Heard | None = None) -> None:
        """All actions of the observation are done and stored, or none is."""
        if self._trouble is not None and not isinstance(observation, Lost | Back):
            # What lies on the table will be looked at again; what is said meanwhile must be said again.
            if isinstance(observation, Scene):
                self._unstored[observation.source] = observation
            return
        before, history, n = self.table.actions, list(self._history), self._n
        try:
            self._referee.observe(observation)
            if self._journal and (self._news or heard):
                self._journal.append([done.action for done in self._news], self.table.over, heard)
        except JournalError as error:
            self._go_back_to(before)
            self._history, self._n, self._news = history, n, []
            self._trouble = str(error)
            # The referee believes what was not stored; a new one will look at the whole table, once that can be.
            awaited = {name for name in self._awaited if name in self._scenes and name not in self._lost}
            self._referee = Referee(self.table, self._act, awaited, watched=self._referee.started)
            for lost in self._lost.values():
                self._referee.observe(lost)
            self._unstored, self._scenes = self._scenes, {}
            if isinstance(observation, Scene):
                self._unstored[observation.source] = observation
        else:
            if isinstance(observation, Scene):
                self._scenes[observation.source] = observation

    def _tell(self, time: float) -> None:
        shown = self._state(time)
        self._news = []
        if _differs(shown, self.shown):
            self.shown = shown
            self._show(shown)

    def _act(self, action: Action) -> Outcome:
        outcome = self.table.do(action)
        self._n += 1
        done = LogEntry(
            n=self._n + 1,
            action=action,
            points=outcome.points,
            events=outcome.events,
            scores=tuple(self.table.scores),
            turn=self.table.turn,
            phase=self.table.phase,
        )
        self._news.append(done)
        if action.do == "undo":
            self._history.pop()
        else:
            self._history.append(done)
        return outcome

    def _go_back_to(self, actions: Sequence[Action]) -> None:
        """Bring the table to where exactly `actions` stand, all of which it has accepted before."""
        now = self.table.actions
        common = 0
        while common < min(len(now), len(actions)) and now[common] == actions[common]:
            common += 1
        for _ in now[common:]:
            self.table.undo()
        for action in actions[common:]:
            self.table.do(action)

    def _state(self, time: float) -> Snapshot:
        return Snapshot(
            n=self._n,
            time=time,
            view=self.table.view(None),
            prompts=self._referee.prompts,
            news=tuple(self._news),
            history=tuple(self._history),
            sources=tuple(self._sources[name] for name in sorted(self._sources)),
            trouble=self._trouble,
        )


def _differs(new: Snapshot, old: Snapshot) -> bool:
    return bool(new.news) or (new.prompts, new.sources, new.trouble) != (old.prompts, old.sources, old.trouble)
