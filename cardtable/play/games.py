"""Which game is played: a header is checked, and a stored game is resumed or a new one begun."""

from __future__ import annotations

from collections.abc import Callable

from cardtable.errors import UsageError
from cardtable.play.journal import Journal
from cardtable.play.journal_errors import UnreadableGame
from engine.actions import Action
from engine.errors import HeaderError
from engine.record import Header
from engine.texts import Text, text


def checked(header: Header) -> Header:
    """Return `header` if the game can be played with it. Raises `UsageError`."""
    try:
        header.check()
    except HeaderError as error:
        raise UsageError(str(error)) from error
    return header


def open_game(
    journal: Journal, header: Header, new: bool = False, report: Callable[[Text], None] = lambda message: None
) -> tuple[Action, ...]:
    """Resume the last game with this header unless it is over, or begin one; return its actions so far.

    `new`: begin one even if the last is not over. The last one then stays in the journal as it is; one without any
    actions is used as the new game. A game that cannot be read, or that the rules refuse, stays stored and is not
    resumed: `report` gets a message, and a new game begins. So it does if the newest game cannot be read, whatever its
    header: that may be what is damaged. No other game is read. Raises `JournalError` while another program plays the
    last one.
    """
    if journal.notice is not None:
        report(journal.notice)
    number, newest = journal.games.last(header), journal.games.last()
    if newest is not None and not new and (newest != number or journal.games.over(newest)):
        try:
            journal.games.check(newest)
        except UnreadableGame as error:
            report(error.args[0])
    if number is not None and not journal.games.over(number):
        journal.resume(number)
        try:
            past = journal.games.replayed(number)[0].actions
        except UnreadableGame as error:
            if not new:
                report(text("{error}. A new game begins.", error=str(error)))
        else:
            if not new or not past:
                return past
    journal.begin(header)
    return ()
