"""The games of a journal: the list of them, and each with its actions.

Games are read one at a time, so that one that cannot be read does not hide the others. The list needs neither their
actions nor their rules.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cardtable.journal.aside import refuse_lone_log
from cardtable.journal.file import (
    ADVICE,
    JournalError,
    UnreadableGame,
    as_journal_errors,
    at,
    is_damaged,
)
from cardtable.journal.schema import APPLICATION_ID, check_version
from engine.actions import HIDING, NAMING, Action
from engine.names import guests_in, plain_name
from engine.texts import text

if TYPE_CHECKING:  # lists and statistics need neither the rules nor records, which are slow to load
    from engine.record import Header
    from engine.table import Outcome, Table
    from engine.views import Event


_CONTROL: Final = re.compile(r"[\x00-\x1f]")
"""What commands a terminal. JSON escapes it, so that only a journal that was changed by hand holds it."""


# Opening a journal for reading, beside the program that writes it.


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the journal at `path` for reading. Writes nothing; works while the journal is in use.

    Raises `JournalError`.
    """
    refuse_lone_log(path)
    if not path.is_file():
        raise JournalError(at(path, text("there is no such journal; name it with --journal")))
    with as_journal_errors(path):
        database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    with closing(database):
        with as_journal_errors(path):
            if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise JournalError(at(path, ADVICE["SQLITE_NOTADB"]))
            check_version(database)
        yield database


# The list of games, with a summary of each.
#
# A summary is stored in the same transaction as the actions that it sums up. A game without one, whose result was not
# known then, gets it when the journal is opened for writing. Nothing here needs the rules, so a list loads quickly.


class Result(NamedTuple):
    """The score of each side, the sides that have won, and the revokes of each seat, after the last action of a game.

    `revokes` is empty if there were none.
    """

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    revokes: tuple[int, ...] = ()

    @classmethod
    def of(cls, table: Table, events: Iterable[Event] = ()) -> Result:
        """Return the present result of the game on `table`. `events`: the events of the actions that stand."""
        revokers = [event.seat for event in events if event.revoked]
        revokes = tuple(map(revokers.count, range(len(table.header.players)))) if revokers else ()
        return cls(tuple(table.scores), tuple(table.winners), revokes)


class Summary(NamedTuple):
    """The summary of a game.

    `game`: its number. `header`: JSON. `actions`: how many it has. `ended`: the time of the last one, in seconds since
    1970; None without any.
    """

    game: int
    header: str
    actions: int
    ended: float | None
    over: bool
    result: Result


class GameEntry(NamedTuple):
    """A game in the list of games, without its actions.

    `name` and `players`: from the header, empty if that is damaged. `actions`: how many are stored. `ended`: the time
    of the last one, None without any; times are in seconds since 1970. `result`: None if it is not stored. `guests`:
    their seats.
    """

    id: int
    name: str
    players: tuple[str, ...]
    started: float
    ended: float | None
    actions: int
    over: bool
    result: Result | None
    guests: tuple[int, ...] = ()


class Choice(NamedTuple):
    """A filter for the list of games: by a player, by the name of the game, or by both; None: all.

    With a filter, games without a summary are left out.
    """

    player: str | None = None
    name: str | None = None


ALL: Final = Choice()


class GameList:
    """The list of the games in the journal at `path`, read with `database`. Methods raise `JournalError`."""

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        self.database: Final = database
        self.path: Final = path
        # Text that is not UTF-8 would abort the whole query. Decoded like this it spoils one game at most.
        database.text_factory = lambda text: _CONTROL.sub("\ufffd", text.decode("utf-8", "replace"))

    def numbers(self) -> list[int]:
        """Return the numbers of all games, oldest first."""
        with as_journal_errors(self.path):
            return [number for (number,) in self.database.execute("SELECT id FROM game ORDER BY id")]

    def without_summary(self) -> list[int]:
        """Return the numbers of the games that have actions and no summary."""
        with as_journal_errors(self.path):
            query = """SELECT id FROM game WHERE id NOT IN (SELECT game FROM summary)
                AND EXISTS (SELECT * FROM action WHERE game = id)"""
            return [number for (number,) in self.database.execute(query)]

    def entries(
        self,
        choice: Choice = ALL,
        before: int | None = None,
        most: int | None = None,
        newest: bool = False,
        over: bool | None = None,
        since: float | None = None,
        played: bool = False,
        numbers: Sequence[int] | None = None,
    ) -> list[GameEntry]:
        """Return games, oldest first; with `newest`, newest first.

        `before`: only games with a smaller number. `most`: how many at most. `over`: only those that are over, or that
        are not. `since`: only those after the last one that was begun before this time. `played`: only those with an
        action. `numbers`: only these games.
        """
        wanted: list[tuple[str, object]] = []
        for condition, value in (
            ("g.id IN (SELECT game FROM seat WHERE player = ?)", choice.player),
            ("s.name = ?", choice.name),
            ("g.id < ?", before),
            ("g.over = ?", over),
            ("g.id > (SELECT coalesce(max(id), 0) FROM game WHERE started < ?)", since),
            (f"{_ACTIONS} > ?", 0 if played else None),
            ("g.id IN (SELECT value FROM json_each(?))", None if numbers is None else json.dumps(numbers)),
        ):
            if value is not None:
                wanted.append((condition, value))
        return self._select(wanted, newest, most)

    def entry(self, number: int) -> GameEntry | None:
        """Return one game of the list; None if there is none with this number."""
        return next(iter(self._select([("g.id = ?", number)])), None)

    def _select(
        self, wanted: Sequence[tuple[str, object]], newest: bool = False, most: int | None = None
    ) -> list[GameEntry]:
        with as_journal_errors(self.path):
            conditions = " AND ".join(condition for condition, _ in wanted)
            rows = self.database.execute(
                f"SELECT g.id, g.header, g.started, g.over, {_ACTIONS}, {_ENDED}, s.value "
                f"FROM game AS g LEFT JOIN summary AS s ON s.game = g.id "
                f"{f'WHERE {conditions}' if conditions else ''} ORDER BY g.id {'DESC' if newest else ''} LIMIT ?",
                [*(value for _, value in wanted), -1 if most is None else most],
            ).fetchall()
        return [_entry(*row) for row in rows]


_ACTIONS: Final = "coalesce(s.actions, (SELECT max(n) + 1 FROM action WHERE game = g.id), 0)"
_ENDED: Final = (
    "CASE WHEN s.game IS NULL THEN (SELECT time FROM action WHERE game = g.id ORDER BY n DESC LIMIT 1) ELSE s.ended END"
)


def store_summaries(database: sqlite3.Connection, summaries: Iterable[Summary], seats: bool = True) -> None:
    """Store summaries in the open transaction. `seats`: also the rows of the seats, but for those of guests."""
    for summary in summaries:
        name, players, guests = _about(decoded(summary.header))
        result = summary.result
        value = json.dumps(result, separators=(",", ":"))
        row = (summary.game, name, summary.actions, summary.ended, summary.over, value)
        database.execute("INSERT OR REPLACE INTO summary VALUES (?, ?, ?, ?, ?, ?)", row)
        if not seats:
            continue
        sides = max(len(result.scores), 1)
        rows = []
        for seat, player in enumerate(players):
            if seat in guests:
                continue
            side = seat % sides
            won = side in result.winners
            score = result.scores[side] if side < len(result.scores) else 0
            revokes = result.revokes[seat] if seat < len(result.revokes) else 0
            rows.append((summary.game, seat, player, side, score, won, won and len(result.winners) > 1, revokes))
        database.executemany("INSERT OR REPLACE INTO seat VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)


def forget_summary(database: sqlite3.Connection, number: int) -> None:
    """Delete the summary of a game whose result is unknown."""
    database.execute("DELETE FROM summary WHERE game = ?", (number,))
    database.execute("DELETE FROM seat WHERE game = ?", (number,))


def _entry(
    number: int,
    header: str | None,
    started: float | None,
    over: int,
    actions: int,
    ended: float | None,
    value: str | None,
) -> GameEntry:
    name, players, guests = _about(decoded(header))
    result = None if value is None else _stored_result(value)
    return GameEntry(number, name, players, started or 0.0, ended, actions, bool(over), result, guests)


def _about(header: object) -> tuple[str, tuple[str, ...], tuple[int, ...]]:
    """Return the game's name, the players and the guests in a decoded header; empty if they are damaged."""
    about: dict[str, Any] = header if isinstance(header, dict) else {}
    name, players = about.get("game"), about.get("players")
    return (
        plain_name(name) if isinstance(name, str) else "",
        tuple(plain_name(str(name)) for name in players) if isinstance(players, list) else (),
        guests_in(about),
    )


def _stored_result(value: str) -> Result | None:
    """Return a stored result; None if it is damaged, so that the game is replayed."""
    match decoded(value):
        case [list(scores), list(winners), list(revokes)] if all(
            type(each) is int for each in (*scores, *winners, *revokes)
        ):
            return Result(tuple(scores), tuple(winners), tuple(revokes))
    return None


def decoded(stored: str | None) -> object:
    """Return the value of a JSON text in the journal; None if it is damaged."""
    try:
        return json.loads(stored or "")
    except (ValueError, RecursionError):
        return None


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game in the journal.

    `id`: its number in the file. `actions`: all accepted actions, including undos. `started`: seconds since 1970.
    `over`: whether it was played to its end.
    """

    id: int
    header: Header
    actions: tuple[Action, ...]
    started: float
    over: bool

    @property
    def names_hands(self) -> bool:
        """Whether the actions name cards of hands, which only RFID readers can know."""
        return any(action.do in HIDING and action.cards for action in self.actions)

    def record(self) -> list[str]:
        """Return the game as lines of a table record (docs/reference/record.md), without line ends."""
        from engine.record import write_record

        return list(write_record(self.header, self.actions))


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
        from engine.record import Header

        header, started, over, rows = self.check(number)
        try:
            actions = tuple(Action.from_json(json.loads(row)) for row in rows)
            return StoredGame(number, Header.from_json(json.loads(header)), actions, started, over)
        except (ValueError, RecursionError) as error:
            raise UnreadableGame(self.path, number, str(error)) from error

    def check(self, number: int) -> tuple[str, float, bool, list[str]]:
        """Return the stored header, start, `over` and actions of one game.

        Raises `UnreadableGame` if they are no longer as they were stored.
        """
        header, started, over, rows = self._rows(number)
        if [n for n, _ in rows] != list(range(len(rows))):
            raise UnreadableGame(self.path, number, text("some of its actions are missing"))
        actions = [row for _, row in rows]
        with as_journal_errors(self.path):
            if is_damaged(self.database, number, header, actions, over):
                raise UnreadableGame(self.path, number, text("it was damaged on the disk"))
        return header, started, over, actions

    def replayed(self, number: int) -> tuple[StoredGame, Table]:
        """Return one game and a table on which it was replayed. Raises `UnreadableGame` if the rules refuse it."""
        from engine.table import Table

        game = self.read(number)
        table = Table(game.header)
        for _ in self.replaying(game, table):
            pass
        return game, table

    def record_without_hands(self, game: StoredGame, of_all_deals: bool = False) -> list[str]:
        """Return the record of a table that cannot see the hands of the present deal, or of any.

        Raises `UnreadableGame`, also if the rules do not allow the game with hidden hands.
        """
        from engine.record import write_record
        from engine.table import Table

        if not game.names_hands:
            return game.record()
        table = Table(game.header)
        for _ in self.replaying(game, table):
            pass
        actions, whole = with_hidden_hands(table, 0 if of_all_deals else table.hand_starts[-1])
        if not whole:
            why = text("it cannot be replayed without the hands that the table knows: take it when it is over")
            raise UnreadableGame(self.path, game.id, why)
        return list(write_record(table.header, actions))

    def replaying(self, game: StoredGame, table: Table) -> Iterator[tuple[Action, Outcome]]:
        """Do the actions of `game` on the new `table`; yield each action with its outcome, once it is done.

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
        from engine.table import Table

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

    def with_result(self, entry: GameEntry) -> tuple[GameEntry, str | None]:
        """Return the entry with its result, which is found by replaying the game if it is not stored.

        A game that cannot be read gets no result; then also return why.
        """
        if entry.result is not None:
            return entry, None
        try:
            return entry._replace(result=self.summary(entry.id).result), None
        except UnreadableGame as error:
            return entry, error.reason

    def times(self, number: int) -> list[float]:
        """Return the times of the actions of a game, in seconds since 1970."""
        with as_journal_errors(self.path):
            query = "SELECT time FROM action WHERE game = ? ORDER BY n"
            return [time for (time,) in self.database.execute(query, (number,))]

    def raw(self, number: int) -> list[str]:
        """Return the stored header and actions of a game, whether or not they can be read."""
        header, _, _, rows = self._rows(number)
        return [header, *(row for _, row in rows)]

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


NEWEST: Final = "SELECT max(started) FROM game UNION SELECT max(ended) FROM summary ORDER BY 1 DESC LIMIT 1"
"""Selects when the newest game began or ended."""


def newest_time(path: Path) -> float | None:
    """Return when the newest game in the journal began or ended, in seconds since 1970; None if there is none."""
    with suppress(JournalError), opened(path) as database, as_journal_errors(path):
        found = database.execute(NEWEST).fetchone()[0]
        return float(found) if isinstance(found, int | float) else None
    return None


def with_hidden_hands(table: Table, begun: int) -> tuple[tuple[Action, ...], bool]:
    """Return the actions on `table` as if it could not see hands after the first `begun`. They can be replayed.

    Also return whether they are all: if the rules do not allow them with hidden hands, they end before that.
    """
    hidden = type(table)(table.header)
    for done, action in enumerate(table.actions):
        if done >= begun and action.do in NAMING:
            continue
        if done >= begun and action.do == "discard":
            action = Action("discard", seat=action.seat)
        if hidden.can(action):
            hidden.do(action)
        elif action.do not in ("discard", "say"):  # which only a known hand is asked for, or may do
            return hidden.actions, False
    return hidden.actions, True
