"""The table of a game in progress, whose actions are stored in the journal: all actions of a change, or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Final

from cardtable.journal.corrections import MadeCorrection, What
from cardtable.journal.file import JournalError
from cardtable.journal.games import Result
from cardtable.journal.journal import Change, Journal, ProcessedEvents
from cardtable.table.snapshot import LogEntry
from engine.actions import Action
from engine.referee.referee import Done
from engine.table import Table
from engine.texts import text


class StoredTable:
    """A table and the journal that stores its actions.

    `table` is new; `past` are the actions that happened on it before, undos included, as the journal gives them.
    `journal` has begun or resumed this game; None if nothing is to be stored. Raises `JournalError` if the rules refuse
    `past`.
    """

    def __init__(self, table: Table, journal: Journal | None = None, past: Sequence[Action] = ()) -> None:
        self.table: Final = table
        self.n = 0
        """The number of accepted actions, undos included."""
        self.history: list[LogEntry] = []
        """The actions that stand."""
        self.news: list[LogEntry] = []
        """The actions accepted since `forget_news`."""
        self._journal = journal
        self._replay(past)
        self.corrections: Final = list(journal.corrections) if journal else []
        """The corrections that people have made, oldest first."""

    def _replay(self, past: Sequence[Action]) -> None:
        for action in past:
            try:
                self.note(Done.of(self.table, action))
            except Exception as refusal:  # also a fault of the rules, which would end the program at every start
                message = text(
                    "the stored game cannot be continued, because the rules refuse its line "
                    "{line}: {why} Begin a new game with --new; the old one stays stored.",
                    line=self.n + 2,
                    why=str(refusal),
                )
                raise JournalError(message) from refusal
        self.forget_news()

    def note(self, *done: Done) -> None:
        """Add actions that were done on the table to the history and to the news."""
        for each in done:
            self.n += 1
            outcome = each.outcome
            entry = LogEntry(
                self.n + 1, each.action, outcome.points, outcome.events, each.scores, each.turn, each.phase
            )
            self.news.append(entry)
            if each.action.do == "undo":
                self.history.pop()
            else:
                self.history.append(entry)

    def forget_news(self) -> None:
        """Start a new list of news."""
        self.news = []

    @contextmanager
    def change(
        self, event: ProcessedEvents | None = None, correction: tuple[str, What] | None = None
    ) -> Iterator[None]:
        """Store everything that is noted in the block, in one transaction.

        `event`: the events of a reader board that are processed with it. `correction`: who corrects the record, and
        how. Raises `JournalError` if nothing could be stored; the table is then as it was before the block.
        """
        before, history, n = self.table.actions, list(self.history), self.n
        try:
            with self._journal.transaction(event) if self._journal else nullcontext(Change()) as change:
                yield
                change.actions = [entry.action for entry in self.news]
                change.correction = correction
                change.over = self.table.over
                change.result = Result.of(self.table, (event for entry in self.history for event in entry.events))
        except JournalError:
            self._go_back_to(before)
            self.history, self.n, self.news = history, n, []
            raise
        if correction:
            who, what = correction
            self.corrections.append(MadeCorrection(n, who, 0.0, what))

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

    def check_place(self) -> None:
        """Raise `JournalError` if the journal is no longer where it was."""
        if self._journal:
            self._journal.check_place()

    def check(self) -> None:
        """Raise `JournalError` if nothing could be stored now; see `Journal.check`."""
        if self._journal:
            self._journal.check()
