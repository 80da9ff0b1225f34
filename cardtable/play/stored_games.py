"""Reading the games of a journal, one at a time: a game that cannot be read does not stop the others.

The list of the games needs neither their actions nor their rules (`cardtable.play.summaries`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardtable.play.journal_checks import is_damaged, transactions_lost
from cardtable.play.journal_errors import UnreadableGame, as_journal_errors
from cardtable.play.journal_file import beside
from cardtable.play.journal_reading import opened
from cardtable.play.journal_schema import VERSION, version_of
from cardtable.play.summaries import GameList, Result, Summary, decoded, store_summaries
from engine.actions import Action
from engine.record import Header, write_record
from engine.table import Outcome, Table
from engine.texts import text

_CHECKSUMS_SINCE: Final = 4


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game in the journal.

    `id`: its number in the file; `actions`: everything accepted, undos included; `started`: seconds since 1970;
    `over`: whether it was played to its end.
    """

    id: int
    header: Header
    actions: tuple[Action, ...]
    started: float
    over: bool

    @property
    def names_hands(self) -> bool:
        """Whether the actions name cards of hands, as RFID readers know them."""
        return any(action.do == "deal" or (action.do == "discard" and action.cards) for action in self.actions)

    def record(self, hands: bool = True) -> list[str]:
        """Return the game as lines of a table record (docs/record.md), without line ends.

        Without `hands` it is the record of a table that cannot see them: no `deal`, no cards in a `discard`, and
        nothing that was undone.
        """
        return list(write_record(self.header, self.actions if hands else _without_hands(self.actions)))


class Games(GameList):
    """The games in a journal: their list, and each with its actions. Methods raise `JournalError`."""

    def last(self, header: Header | None = None) -> int | None:
        """Return the number of the game begun last, or of the last one with this `header`; None if there is none."""
        wanted = header and json.loads(json.dumps(header.to_json()))
        with as_journal_errors(self.path):
            for number, stored in self.database.execute("SELECT id, header FROM game ORDER BY id DESC"):
                if wanted is None or decoded(stored) == wanted:
                    return int(number)
        return None

    def over(self, number: int) -> bool:
        """Return whether the game was played to its end."""
        with as_journal_errors(self.path):
            row = self.database.execute("SELECT over FROM game WHERE id = ?", (number,)).fetchone()
            return row is not None and bool(row[0])

    def read(self, number: int) -> StoredGame:
        """Return one game. Raises `UnreadableGame` if its rows are damaged or its game cannot be played here."""
        header, started, over, rows = self.check(number)
        try:
            actions = tuple(Action.from_json(json.loads(row)) for row in rows)
            return StoredGame(number, Header.from_json(json.loads(header)), actions, started, over)
        except (ValueError, RecursionError) as error:
            raise UnreadableGame(self.path, number, str(error)) from error

    def check(self, number: int) -> tuple[str, float, bool, list[str]]:
        """Return the header, the start, whether it is over, and the actions of one game, as they are stored.

        Raises `UnreadableGame` if they are not what was stored.
        """
        header, started, over, rows = self._rows(number)
        if [n for n, _ in rows] != list(range(len(rows))):
            raise UnreadableGame(self.path, number, text("some of its actions are missing"))
        actions = [row for _, row in rows]
        with as_journal_errors(self.path):
            sums = version_of(self.database) >= _CHECKSUMS_SINCE
            if sums and is_damaged(self.database, number, header, actions, over):
                raise UnreadableGame(self.path, number, text("it was damaged on the disk"))
        return header, started, over, actions

    def replayed(self, number: int) -> tuple[StoredGame, Table]:
        """Return one game and a table on which it was replayed. Raises `UnreadableGame` if the rules refuse it."""
        game = self.read(number)
        table = Table(game.header)
        for _ in self.replaying(game, table):
            pass
        return game, table

    def replaying(self, game: StoredGame, table: Table) -> Iterator[tuple[Action, Outcome]]:
        """Do the actions of `game` on `table`, which is new; yield each one with its outcome, once it is done.

        Raises `UnreadableGame` if the rules refuse one.
        """
        for line, action in enumerate(game.actions, start=2):
            try:
                outcome = table.do(action)
            except Exception as error:  # a fault of the rules, too, concerns this game only
                why = str(error) if isinstance(error, ValueError) else repr(error)
                reason = text("the rules refuse its line {line}: {why}", line=line, why=why)
                raise UnreadableGame(self.path, game.id, reason) from error
            yield action, outcome

    def summary(self, number: int) -> Summary:
        """Return the summary of a game, found by replaying it. Raises `UnreadableGame`."""
        game = self.read(number)
        table = Table(game.header)
        standing: list[Outcome] = []
        for action, outcome in self.replaying(game, table):
            if action.do == "undo":
                standing.pop()
            else:
                standing.append(outcome)
        header, times = self.raw(number)[0], self.times(number)
        result = Result.of(table, (event for outcome in standing for event in outcome.events))
        return Summary(number, header, len(times), times[-1] if times else None, game.over, result)

    def times(self, number: int) -> list[float]:
        """Return the times of the actions of a game, in seconds since 1970."""
        with as_journal_errors(self.path):
            query = "SELECT time FROM action WHERE game = ? ORDER BY n"
            return [time for (time,) in self.database.execute(query, (number,))]

    def raw(self, number: int) -> list[str]:
        """Return the header and the actions of a game as they are stored, whether or not they can be read."""
        header, _, _, rows = self._rows(number)
        return [header, *(row for _, row in rows)]

    def readable(self) -> list[StoredGame]:
        """Return every game that can be read, oldest first."""
        games = []
        for number in self.numbers():
            try:
                games.append(self.read(number))
            except UnreadableGame:
                continue
        return games

    def _rows(self, number: int) -> tuple[str, float, bool, list[tuple[int, str]]]:
        with as_journal_errors(self.path):
            query = "SELECT header, started, over FROM game WHERE id = ?"
            game = self.database.execute(query, (number,)).fetchone()
            query = "SELECT n, action FROM action WHERE game = ? ORDER BY n"
            rows = self.database.execute(query, (number,)).fetchall()
        kinds = (str, int | float, int)
        if game is None or not all(map(isinstance, game, kinds)) or any(not isinstance(row, str) for _, row in rows):
            raise UnreadableGame(self.path, number, text("it was damaged on the disk"))
        header, started, over = game
        return header, started, bool(over), rows


@contextmanager
def open_games(path: Path) -> Iterator[Games]:
    """Open the journal at `path` for reading. Writes nothing; works while the journal is in use.

    Raises `JournalError`.
    """
    with opened(path) as database:
        yield Games(database, path)


def read_games(path: Path) -> list[StoredGame]:
    """Return every game of the journal at `path` that can be read, oldest first. Raises `JournalError`."""
    with open_games(path) as games:
        return games.readable()


def keep_summaries(path: Path, summaries: Iterable[Summary]) -> bool:
    """Store summaries that had to be found by replaying, so that the next list of games need not find them again.

    One that is out of date by now is left out. Returns whether they were stored: a journal of an older version, or one
    that cannot be written, stays as it is.
    """
    if transactions_lost(beside(path)[0]):
        return False  # the table reports it when it opens the journal
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, timeout=0.1)) as database:
            if version_of(database) != VERSION:
                return False
            with database:
                database.execute("BEGIN IMMEDIATE")
                count = "SELECT count(*) FROM action WHERE game = ?"
                store_summaries(
                    database,
                    (each for each in summaries if database.execute(count, each[:1]).fetchone()[0] == each.actions),
                )
    except (sqlite3.Error, OSError):
        return False
    return True


def _without_hands(actions: Iterable[Action]) -> list[Action]:
    standing: list[Action] = []
    for action in actions:
        if action.do == "undo":
            del standing[-1:]
        else:
            standing.append(action)
    return [
        Action("discard", seat=action.seat) if action.do == "discard" else action
        for action in standing
        if action.do != "deal"
    ]
