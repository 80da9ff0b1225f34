"""Reading the games of a journal, one at a time: a game that cannot be read does not stop the others.

The list of the games needs neither their actions nor their rules: each game's result is stored with it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from cardtable.play.journal_checks import is_damaged, transactions_lost
from cardtable.play.journal_errors import ADVICE, JournalError, UnreadableGame, as_journal_errors, at
from cardtable.play.journal_file import beside
from cardtable.play.journal_schema import APPLICATION_ID, VERSION, version_of
from engine.actions import Action
from engine.record import Header, write_record
from engine.table import Table
from engine.texts import text

_RESULTS_SINCE = 3
"""The version of the journal that has the table `result`."""
_CHECKSUMS_SINCE = 4


class Result(NamedTuple):
    """The score of each side, and the sides that have won, after the last action of a game."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]

    @classmethod
    def of(cls, table: Table) -> Result:
        """Return the result of the game on `table`, as it stands."""
        return cls(tuple(table.scores), tuple(table.winners))


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


@dataclass(frozen=True, slots=True)
class GameEntry:
    """A game in the list of games: what is known without reading its actions.

    `name` and `players`: from the header, empty if that is damaged. `actions`: how many are stored. `ended`: the time
    of the last one, None without any; times are in seconds since 1970. `result`: None if it is not stored.
    """

    id: int
    name: str
    players: tuple[str, ...]
    started: float
    ended: float | None
    actions: int
    over: bool
    result: Result | None


class Games:
    """The games in the journal at `path`, read with the connection `database`. Methods raise `JournalError`."""

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        self._database = database
        self._path = path
        # Text that is not UTF-8 would end a whole query; like this it spoils one game at most.
        database.text_factory = lambda text: text.decode("utf-8", "replace")

    def numbers(self) -> list[int]:
        """Return the numbers of all games, oldest first."""
        with as_journal_errors(self._path):
            return [number for (number,) in self._database.execute("SELECT id FROM game ORDER BY id")]

    def last(self, header: Header | None = None) -> int | None:
        """Return the number of the game begun last, or of the last one with this `header`; None if there is none."""
        wanted = header and json.loads(json.dumps(header.to_json()))
        with as_journal_errors(self._path):
            for number, stored in self._database.execute("SELECT id, header FROM game ORDER BY id DESC"):
                if wanted is None or _decoded(stored) == wanted:
                    return int(number)
        return None

    def over(self, number: int) -> bool:
        """Return whether the game was played to its end."""
        with as_journal_errors(self._path):
            row = self._database.execute("SELECT over FROM game WHERE id = ?", (number,)).fetchone()
            return row is not None and bool(row[0])

    def read(self, number: int) -> StoredGame:
        """Return one game. Raises `UnreadableGame` if its rows are damaged or its game cannot be played here."""
        header, started, over, rows = self.check(number)
        try:
            actions = tuple(Action.from_json(json.loads(row)) for row in rows)
            return StoredGame(number, Header.from_json(json.loads(header)), actions, started, over)
        except (ValueError, RecursionError) as error:
            raise UnreadableGame(self._path, number, str(error)) from error

    def check(self, number: int) -> tuple[str, float, bool, list[str]]:
        """Return the header, the start, whether it is over, and the actions of one game, as they are stored.

        Raises `UnreadableGame` if they are not what was stored.
        """
        header, started, over, rows = self._rows(number)
        if [n for n, _ in rows] != list(range(len(rows))):
            raise UnreadableGame(self._path, number, text("some of its actions are missing"))
        actions = [row for _, row in rows]
        with as_journal_errors(self._path):
            sums = version_of(self._database) >= _CHECKSUMS_SINCE
            if sums and is_damaged(self._database, number, header, actions, over):
                raise UnreadableGame(self._path, number, text("it was damaged on the disk"))
        return header, started, over, actions

    def replayed(self, number: int) -> tuple[StoredGame, Table]:
        """Return one game and a table on which it was replayed. Raises `UnreadableGame` if the rules refuse it."""
        game = self.read(number)
        table = Table(game.header)
        for line, action in enumerate(game.actions, start=2):
            try:
                table.do(action)
            except Exception as error:  # a fault of the rules, too, concerns this game only
                why = str(error) if isinstance(error, ValueError) else repr(error)
                reason = text("the rules refuse its line {line}: {why}", line=line, why=why)
                raise UnreadableGame(self._path, number, reason) from error
        return game, table

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

    def entries(self) -> list[GameEntry]:
        """Return the list of all games, oldest first."""
        with as_journal_errors(self._path):
            results = version_of(self._database) >= _RESULTS_SINCE
            stored = "r.actions, r.value" if results else "NULL, NULL"
            join = "LEFT JOIN result AS r ON r.game = g.id" if results else ""
            rows = self._database.execute(
                f"SELECT g.id, g.header, g.started, a.time, ifnull(a.n + 1, 0), g.over, {stored} FROM game AS g {join} "
                "LEFT JOIN action AS a ON a.game = g.id "
                "AND a.n = (SELECT max(n) FROM action WHERE game = g.id) ORDER BY g.id"
            ).fetchall()
        return [_entry(*row) for row in rows]

    def _rows(self, number: int) -> tuple[str, float, bool, list[tuple[int, str]]]:
        with as_journal_errors(self._path):
            query = "SELECT header, started, over FROM game WHERE id = ?"
            game = self._database.execute(query, (number,)).fetchone()
            query = "SELECT n, action FROM action WHERE game = ? ORDER BY n"
            rows = self._database.execute(query, (number,)).fetchall()
        kinds = (str, int | float, int)
        if game is None or not all(map(isinstance, game, kinds)) or any(not isinstance(row, str) for _, row in rows):
            raise UnreadableGame(self._path, number, text("it was damaged on the disk"))
        header, started, over = game
        return header, started, bool(over), rows


@contextmanager
def open_games(path: Path) -> Iterator[Games]:
    """Open the journal at `path` for reading. Writes nothing; works while the journal is in use.

    Raises `JournalError`.
    """
    if not path.is_file():
        raise JournalError(at(path, text("there is no such journal; name it with --journal")))
    with as_journal_errors(path):
        database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    with closing(database):
        with as_journal_errors(path):
            if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise JournalError(at(path, ADVICE["SQLITE_NOTADB"]))
            version_of(database)
        yield Games(database, path)


def read_games(path: Path) -> list[StoredGame]:
    """Return every game of the journal at `path` that can be read, oldest first. Raises `JournalError`."""
    with open_games(path) as games:
        return games.readable()


def store_results(database: sqlite3.Connection, results: Iterable[tuple[int, int, Result]]) -> None:
    """Store results, each as (number of the game, number of actions after which it is the result, result)."""
    database.executemany(
        "INSERT OR REPLACE INTO result (game, actions, value) VALUES (?, ?, ?)",
        [(number, actions, json.dumps(result, separators=(",", ":"))) for number, actions, result in results],
    )


def keep_results(path: Path, results: Iterable[tuple[int, int, Result]]) -> bool:
    """Store results that had to be found by replaying, so that the next list of games need not find them again.

    Returns whether they were stored: a journal of an older version, or one that cannot be written, stays as it is.
    """
    if transactions_lost(beside(path)[0]):
        return False  # the table reports it when it opens the journal
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, timeout=0.1)) as database:
            if version_of(database) != VERSION:
                return False
            with database:
                store_results(database, results)
    except (sqlite3.Error, OSError):
        return False
    return True


def _entry(
    number: int,
    header: str | None,
    started: float | None,
    ended: float | None,
    actions: int,
    over: int,
    known: int | None,
    value: str | None,
) -> GameEntry:
    decoded = _decoded(header)
    about: dict[str, Any] = decoded if isinstance(decoded, dict) else {}
    name, players = about.get("game"), about.get("players")
    result = None
    if known == actions and value is not None:  # else actions were added by a version that stores no results
        result = _stored_result(value)
    return GameEntry(
        number,
        name if isinstance(name, str) else "",
        tuple(map(str, players)) if isinstance(players, list) else (),
        started or 0.0,
        ended,
        actions,
        bool(over),
        result,
    )


def _stored_result(value: str) -> Result | None:
    """Return a stored result; None if it is damaged: the game is then replayed."""
    match _decoded(value):
        case [list(scores), list(winners)] if all(type(each) is int for each in (*scores, *winners)):
            return Result(tuple(scores), tuple(winners))
    return None


def _decoded(stored: str | None) -> object:
    try:
        return json.loads(stored or "")
    except (ValueError, RecursionError):
        return None


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
