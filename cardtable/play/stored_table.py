"""A table whose actions are stored: all actions of one change are in the journal together, or none is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cardtable.board.snapshot import LogEntry
from cardtable.play.journal import Journal
from cardtable.play.journal_errors import JournalError
from cardtable.play.journal_game import ProcessedEvents
from cardtable.play.shown_cards import go_back_to
from cardtable.play.stored_corrections import MadeCorrection, What
from cardtable.play.summaries import Result
from engine.actions import Action
from engine.table import Outcome, Table
from engine.texts import text


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
            change()
            if self._journal and (self.news or processed or correction):
                actions = [entry.action for entry in self.news]
                events = (event for entry in self.history for event in entry.events)
                result = Result.of(self.table, events)
                self._journal.append(actions, self.table.over, processed, result, correction)
        except JournalError:
            go_back_to(self.table, before)
            self.history, self.n, self.news = history, n, []
            raise
        if correction:
            who, what = correction
            self.corrections.append(MadeCorrection(n, who, 0.0, what))
