"""Actions that are stored without a table."""

from __future__ import annotations

from collections.abc import Sequence

from cardtable.journal.corrections import What
from cardtable.journal.games import Result
from cardtable.journal.journal import Journal, ProcessedEvents
from engine.actions import Action


def append(
    journal: Journal,
    actions: Sequence[Action],
    over: bool = False,
    event: ProcessedEvents | None = None,
    result: Result | None = None,
    correction: tuple[str, What] | None = None,
) -> None:
    """Store actions of the game that is played, in one transaction."""
    with journal.transaction(event) as change:
        change.actions += actions
        change.over, change.result, change.correction = over, result, correction
