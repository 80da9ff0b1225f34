"""Which game is played: a header is checked, and a stored game is resumed or a new one begun."""

from __future__ import annotations

from cardtable.errors import UsageError
from cardtable.play.journal import Journal
from engine.actions import Action
from engine.errors import HeaderError
from engine.record import Header


def checked(header: Header) -> Header:
    """Return `header` if the game can be played with it. Raises `UsageError`."""
    try:
        header.check()
    except HeaderError as error:
        raise UsageError(str(error)) from error
    return header


def open_game(journal: Journal, header: Header, new: bool = False) -> tuple[Action, ...]:
    """Resume the last game with this header unless it is over, or begin one; return its actions so far.

    `new`: begin one even if the last is not over. The last one then stays in the journal as it is; one without any
    actions is used as the new game. Raises `JournalError` while another program plays the last one.
    """
    last = journal.last(header)
    if last is not None and not last.over:
        journal.resume(last)
        if not new or not last.actions:
            return last.actions
    journal.begin(header)
    return ()
