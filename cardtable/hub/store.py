"""What the hub keeps, in PostgreSQL or SQLite: the lines of all tables, what they say of each game, the pairings.

That nothing is lost depends on `Store.take`: a line is inserted only after the one before it, and what `take` returns
was committed before. A line that is there already is left as it is.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

import sqlalchemy as sql
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Engine

from cardtable.club.messages import Line
from cardtable.hub.database import open_database
from cardtable.hub.prefixes import Prefixes
from cardtable.hub.tables import ASSIGNMENT, CURSOR, LINE, METADATA, RESULT, TABLE


class StoreError(Exception):
    """The database cannot be used now; nothing of this transaction was stored."""


class Received(NamedTuple):
    """A line, and the table that has sent it."""

    table: str
    line: Line


class Ready(NamedTuple):
    """A table that is ready for a round."""

    table: str
    round: int


class Key(NamedTuple):
    """A stream of a table."""

    table: str
    game: str


class Stored(NamedTuple):
    """What `Store.take` has done: by stream how many lines are committed, and the keys that grew.

    `conflicts`: the streams of which a table has other lines than those that are stored; nothing of them was stored.
    """

    counts: dict[Key, int]
    grown: tuple[Key, ...]
    conflicts: tuple[Key, ...]


class GameResult(NamedTuple):
    """What the lines of a game say. `id`: its number at the hub; 0 for one that is not stored yet.

    `lines`: how many of its lines it is made from. `header`: JSON. `value`: scores, winners and revokes as JSON, None
    if the rules refuse a line.
    """

    id: int
    table: str
    game: str
    lines: int
    header: str
    started: float
    ended: float | None
    over: bool
    value: str | None


class Seat(NamedTuple):
    """A player's seat in a round. `ready`: when the table said that it is, in seconds since 1970."""

    round: int
    table: str
    seat: int
    player: str
    ready: float | None = None


class Store:
    """The database at `url`, an address of SQLAlchemy such as `sqlite:///club.sqlite`.

    Its tables are made if they are missing. Raises `UsageError` for an address that SQLAlchemy does not understand. The
    other methods raise `StoreError`; they may be called in any thread.
    """

    def __init__(self, url: str) -> None:
        self._engine: Final[Engine] = open_database(url)
        self._insert = sqlite.insert if self._engine.name == "sqlite" else postgresql.insert
        self._counts: dict[Key, int] = {}
        """What is committed, or less; emptied after a fault."""
        self._prefixes = Prefixes()
        self._making = threading.Lock()
        self._made = False

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    def check(self) -> None:
        """Make the tables that are missing. Raises `StoreError` if the database cannot be used now."""
        with self.transaction():
            pass

    # Lines

    def take(self, received: Sequence[Received]) -> Stored:
        """Store the lines that follow on what is stored, in one transaction."""
        now = time.time()
        counts = dict(self._known({Key(each.table, each.line.game) for each in received}))
        before = dict(counts)
        new: dict[Key, list[Line]] = {}
        twice: list[Received] = []
        conflicts: set[Key] = set()
        for each in received:
            key, line = Key(each.table, each.line.game), each.line
            if not self._follows(key, line, new.get(key, ())):
                conflicts.add(key)
            elif line.n == counts[key] and not line.probe:
                new.setdefault(key, []).append(line)
                counts[key] += 1
                self._prefixes.add(key, line.line)
            elif line.n < before[key]:
                twice.append(each)
        if new or twice:
            with self.transaction() as database:
                conflicts |= _conflicts(database, twice)
                counts |= {key: before[key] for key in conflicts}
                rows = [
                    {"table": key.table, **_row(line), "received": now}
                    for key in new.keys() - conflicts
                    for line in new[key]
                ]
                if rows:
                    database.execute(self._insert(LINE).on_conflict_do_nothing(), rows)
                    self._put_cursors(database, new.keys() - conflicts, counts, now)
        self._counts.update(counts)
        return Stored(counts, tuple(key for key in new if key not in conflicts), tuple(conflicts))

    def _follows(self, key: Key, line: Line, new: Sequence[Line]) -> bool:
        """Return False if the lines before `line`, by its checksum, are others than the stored and the `new` ones."""
        count = self._counts[key] + len(new)
        if line.before is None or line.n > count:
            return True
        sums = self._prefixes.of(key, count, lambda: (each.line for each in (*self.lines(key), *new)))
        return line.n >= len(sums) or sums[line.n] == line.before

    def _put_cursors(self, database: Connection, grown: Iterable[Key], counts: dict[Key, int], now: float) -> None:
        statement = self._insert(CURSOR)
        greatest = sql.case((CURSOR.c.count > statement.excluded.count, CURSOR.c.count), else_=statement.excluded.count)
        statement = statement.on_conflict_do_update(
            index_elements=[CURSOR.c.table, CURSOR.c.game], set_={"count": greatest, "changed": now}
        )
        rows = [{"table": key.table, "game": key.game, "count": counts[key], "changed": now} for key in grown]
        database.execute(statement, rows)

    def _known(self, keys: set[Key]) -> Iterator[tuple[Key, int]]:
        unknown = [key for key in keys if key not in self._counts]
        if unknown:
            with self.transaction() as database:
                wanted = sql.tuple_(CURSOR.c.table, CURSOR.c.game).in_(unknown)
                found = {
                    Key(row.table, row.game): int(row[2]) for row in database.execute(sql.select(CURSOR).where(wanted))
                }
            self._counts.update({key: found.get(key, 0) for key in unknown})
        return ((key, self._counts[key]) for key in keys)

    def lines(self, key: Key, first: int = 0) -> list[Line]:
        """Return the lines of a stream from line `first`."""
        with self.transaction() as database:
            chosen = (LINE.c.table == key.table) & (LINE.c.game == key.game) & (LINE.c.n >= first)
            rows = database.execute(sql.select(LINE).where(chosen).order_by(LINE.c.n)).all()
        return [Line(row.game, row.n, row.line, row.time) for row in rows]

    def cursors(self) -> list[tuple[Key, int]]:
        """Return every stream and how many lines are committed, the one that changed last first."""
        with self.transaction() as database:
            rows = database.execute(sql.select(CURSOR).order_by(CURSOR.c.changed.desc())).all()
        return [(Key(row.table, row.game), int(row[2])) for row in rows]

    def heard(self) -> dict[Key, float]:
        """Return for every stream when lines came last, in seconds since 1970 by the clock of the hub."""
        with self.transaction() as database:
            rows = database.execute(sql.select(CURSOR.c.table, CURSOR.c.game, CURSOR.c.changed)).all()
        return {Key(row.table, row.game): row.changed for row in rows}

    def times(self) -> list[tuple[str, float, float]]:
        """Return for every line of a game its table, when it was written there, and when the hub received it."""
        with self.transaction() as database:
            rows = database.execute(
                sql.select(LINE.c.table, LINE.c.time, LINE.c.received).where(LINE.c.game.not_like("%+hands"))
            ).all()
        return [(row.table, row.time, row.received) for row in rows]

    # Results

    def keep_results(self, results: Iterable[GameResult]) -> list[GameResult]:
        """Store what the lines of games say; return it with the numbers of the games."""
        kept = []
        with self.transaction() as database:
            for each in results:
                values = {key: value for key, value in each._asdict().items() if key != "id"}
                statement = self._insert(RESULT).values(values)
                statement = statement.on_conflict_do_update(index_elements=[RESULT.c.table, RESULT.c.game], set_=values)
                number = database.execute(statement.returning(RESULT.c.id)).scalar_one()
                kept.append(each._replace(id=number))
        return kept

    def results(self) -> list[GameResult]:
        """Return what is stored of all games, in the order of their numbers."""
        with self.transaction() as database:
            rows = database.execute(sql.select(RESULT).order_by(RESULT.c.id)).all()
        return [GameResult(**row._asdict()) for row in rows]

    # Tables and pairings

    def note_table(self, name: str, online: bool) -> None:
        """Store that a table has come or gone."""
        values = {"name": name, "online": online, "seen": time.time()}
        with self.transaction() as database:
            statement = self._insert(TABLE).values(values)
            database.execute(statement.on_conflict_do_update(index_elements=[TABLE.c.name], set_=values))

    def tables(self) -> dict[str, bool]:
        """Return the names of all tables that have ever come, and whether they are there now."""
        with self.transaction() as database:
            return {row.name: row.online for row in database.execute(sql.select(TABLE).order_by(TABLE.c.name))}

    def assign(self, seats: Sequence[Seat]) -> None:
        """Store the seats of a round, instead of what was stored of that round."""
        with self.transaction() as database:
            for number in {each.round for each in seats}:
                database.execute(sql.delete(ASSIGNMENT).where(ASSIGNMENT.c.round == number))
            database.execute(sql.insert(ASSIGNMENT), [each._asdict() for each in seats])

    def assigned(self) -> list[Seat]:
        """Return the seats of the last round."""
        with self.transaction() as database:
            last = sql.select(sql.func.max(ASSIGNMENT.c.round)).scalar_subquery()
            chosen = sql.select(ASSIGNMENT).where(ASSIGNMENT.c.round == last)
            rows = database.execute(chosen.order_by(ASSIGNMENT.c.table, ASSIGNMENT.c.seat)).all()
        return [Seat(**row._asdict()) for row in rows]

    def ready(self, number: int, table: str) -> bool:
        """Store that a table is ready for the round; return whether it has seats in that round."""
        with self.transaction() as database:
            chosen = (ASSIGNMENT.c.round == number) & (ASSIGNMENT.c.table == table)
            changed = sql.update(ASSIGNMENT).where(chosen).values(ready=time.time())
            return bool(database.execute(changed).rowcount)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Run a transaction. Raises `StoreError`; then nothing of it is stored."""
        try:
            with self._making:
                if not self._made:
                    METADATA.create_all(self._engine)
                    self._made = True
            with self._engine.begin() as database:
                yield database
        except (sql.exc.SQLAlchemyError, OSError) as error:
            self._counts = {}
            self._prefixes.clear()
            raise StoreError(str(error).partition("\n")[0]) from error


def _row(line: Line) -> dict[str, object]:
    return {"game": line.game, "n": line.n, "line": line.line, "time": line.time}


def _conflicts(database: Connection, twice: Sequence[Received]) -> set[Key]:
    """Return the streams of lines that are stored with another content."""
    if not twice:
        return set()
    wanted = {(each.table, each.line.game, each.line.n): each.line.line for each in twice}
    chosen = sql.tuple_(LINE.c.table, LINE.c.game, LINE.c.n).in_(list(wanted))
    rows = database.execute(sql.select(LINE.c.table, LINE.c.game, LINE.c.n, LINE.c.line).where(chosen))
    return {Key(row.table, row.game) for row in rows if wanted[row.table, row.game, row.n] != row.line}
