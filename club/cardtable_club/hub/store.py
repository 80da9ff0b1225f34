"""The database of the hub, in PostgreSQL or SQLite: the lines of all tables, the results of games, and tournaments.

Nothing is lost because of `Store.take`: it inserts a line only after the one before it, and returns only what is
committed. A stored line never changes.
"""

from __future__ import annotations

import json
import os
import threading
import time
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import sqlalchemy as sql
from sqlalchemy import Boolean, Column, Float, Integer, MetaData, String, Table, Text, UniqueConstraint
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Engine

from cardtable.errors import UsageError
from cardtable_club.member.messages import Line, checksum
from engine.texts import text


def open_database(url: str) -> Engine:
    """Return the engine for a database URL of SQLAlchemy, such as `sqlite:///club.sqlite`.

    A new SQLite file gets mode 0600; an existing one is closed to users outside its group. Raises `UsageError` for a
    URL that SQLAlchemy does not understand.
    """
    try:
        parsed = sql.make_url(url)
        name = parsed.get_backend_name()
        if name == "postgresql" and parsed.drivername == "postgresql":
            parsed = parsed.set(drivername="postgresql+psycopg")
        if name not in ("sqlite", "postgresql"):
            raise ValueError(name)
        waiting: dict[str, Any] = {"timeout": 5.0} if name == "sqlite" else {"connect_timeout": 5}
        engine = sql.create_engine(parsed, connect_args=waiting, pool_pre_ping=True)
    except (sql.exc.ArgumentError, ValueError, ImportError) as error:
        message = "{url!r} is not a database for the hub: write sqlite:///club.sqlite, or postgresql://USER@HOST/club"
        raise UsageError(text(message, url=url_without_password(url))) from error
    if name == "sqlite":
        sql.event.listen(engine, "connect", _durable)
        if parsed.database and not parsed.database.startswith((":memory:", "file:")):
            _close_to_others(Path(parsed.database))
    return engine


def _close_to_others(path: Path) -> None:
    with suppress(OSError):  # opening the database reports a missing folder or permission
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        mode = path.stat().st_mode & 0o777
        if mode & 0o007:
            path.chmod(mode & ~0o007)


def _durable(connection: Any, record: Any) -> None:
    """Make SQLite as durable as the journal of a table."""
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def url_without_password(url: str) -> str:
    """Return the URL of a database without its password, to be shown."""
    try:
        return sql.make_url(url).render_as_string()
    except sql.exc.ArgumentError:
        return json.dumps(url.partition("@")[2] or url, ensure_ascii=False).strip('"')


MOST_SUMS: Final = 1_000
"""How many streams have their checksums kept; others are computed again."""


class PrefixChecksums:
    """Prefix checksums that detect a diverged journal, by table and game. For one thread."""

    def __init__(self, most: int = MOST_SUMS) -> None:
        self._most = most
        self._sums: OrderedDict[tuple[str, str], array[int]] = OrderedDict()

    def of(self, stream: tuple[str, str], count: int, read: Callable[[], Iterable[str]]) -> array[int]:
        """Return the checksums of the first 0, 1, … `count` lines. `read` returns all lines of the stream."""
        sums = self._sums.get(stream)
        if sums is None or len(sums) != count + 1:
            sums = self._sums[stream] = array("L", [0])
            for _, line in zip(range(count), read(), strict=False):
                sums.append(checksum(line, sums[-1]))
        self._sums.move_to_end(stream)
        while len(self._sums) > self._most:
            self._sums.popitem(last=False)
        return sums

    def add(self, stream: tuple[str, str], line: str) -> None:
        """Add a line at the end of a stream."""
        if (sums := self._sums.get(stream)) is not None:
            sums.append(checksum(line, sums[-1]))

    def clear(self) -> None:
        """Forget everything."""
        self._sums.clear()


# The tables of the database. Times are in seconds since 1970.

METADATA: Final = MetaData()

LINE: Final = Table(
    "line",
    METADATA,
    Column("table", String(40), primary_key=True),
    Column("game", String(60), primary_key=True),
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("line", Text, nullable=False),
    Column("time", Float(53), nullable=False),
    Column("received", Float(53), nullable=False),
)
"""Every line of every stream; rows never change. `time`: by the table's clock. `received`: by the hub's."""

CURSOR: Final = Table(
    "cursor",
    METADATA,
    Column("table", String(40), primary_key=True),
    Column("game", String(60), primary_key=True),
    Column("count", Integer, nullable=False),
    Column("changed", Float(53), nullable=False),
)
"""The number of lines of each stream, updated in the transaction that inserts the lines."""

RESULT: Final = Table(
    "result",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("table", String(40), nullable=False),
    Column("game", String(60), nullable=False),
    Column("lines", Integer, nullable=False),
    Column("header", Text, nullable=False),
    Column("started", Float(53), nullable=False),
    Column("ended", Float(53)),
    Column("over", Boolean, nullable=False),
    Column("value", Text),
    UniqueConstraint("table", "game"),
)
"""The result of each game after its first `lines` lines, from which it can be rebuilt."""

TABLE: Final = Table(
    "card_table",
    METADATA,
    Column("name", String(40), primary_key=True),
    Column("online", Boolean, nullable=False),
    Column("seen", Float(53), nullable=False),
)

ASSIGNMENT: Final = Table(
    "assignment",
    METADATA,
    Column("round", Integer, primary_key=True, autoincrement=False),
    Column("table", String(40), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("player", String(40), nullable=False),
    Column("ready", Float(53)),
)
"""Who sits where in a round."""

EVENT: Final = Table(
    "tournament_event",
    METADATA,
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("time", Float(53), nullable=False),
    Column("event", Text, nullable=False),
)
"""The events of the tournaments, in order, as JSON; rows never change."""

ENROLMENT: Final = Table(
    "enrolment",
    METADATA,
    Column("table", String(40), primary_key=True),
    Column("secret", String(40), nullable=False),
    Column("expires", Float(53), nullable=False),
)
"""Codes with which tables may enrol."""


class StoreError(Exception):
    """The database cannot be used now. Nothing of the transaction was stored."""


class Received(NamedTuple):
    """A line, and the table that sent it."""

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
    """The result of `Store.take`.

    `counts`: how many lines of each stream are committed. `grown`: the streams with new lines. `conflicts`: the streams
    whose stored lines differ from those of the table; nothing was added to them.
    """

    counts: dict[Key, int]
    grown: tuple[Key, ...]
    conflicts: tuple[Key, ...]


class GameResult(NamedTuple):
    """The result of a game so far. `id`: its number at the hub; 0 if it is not stored yet.

    `lines`: the number of lines that were replayed. `header`: JSON. `value`: scores, winners and revokes as JSON; None
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
    """A player's seat in a round. `ready`: when the table said that it is ready, in seconds since 1970."""

    round: int
    table: str
    seat: int
    player: str
    ready: float | None = None


class Store:
    """The database at `url`, a URL of SQLAlchemy such as `sqlite:///club.sqlite`.

    Missing tables are created. Raises `UsageError` for a URL that SQLAlchemy does not understand. The other methods
    raise `StoreError`, and are thread-safe.
    """

    def __init__(self, url: str) -> None:
        self._engine: Final[Engine] = open_database(url)
        self._insert = sqlite.insert if self._engine.name == "sqlite" else postgresql.insert
        self._counts: dict[Key, int] = {}
        """A lower bound of the committed lines of each stream; cleared after an error."""
        self._checksums = PrefixChecksums()
        self._making = threading.Lock()
        self._made = False

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    def check(self) -> None:
        """Create missing tables. Raises `StoreError` if the database cannot be used now."""
        with self.transaction():
            pass

    # Lines

    def take(self, received: Sequence[Received]) -> Stored:
        """Store, in one transaction, the lines that continue the stored ones."""
        now = time.time()
        counts = dict(self._known({Key(each.table, each.line.game) for each in received}))
        before = dict(counts)
        new: dict[Key, list[Line]] = {}
        repeated: list[Received] = []
        conflicts: set[Key] = set()
        for each in received:
            key, line = Key(each.table, each.line.game), each.line
            if not self._follows(key, line, new.get(key, ())):
                conflicts.add(key)
            elif line.n == counts[key] and not line.probe:
                new.setdefault(key, []).append(line)
                counts[key] += 1
                self._checksums.add(key, line.line)
            elif line.n < before[key]:
                repeated.append(each)
        if new or repeated:
            with self.transaction() as database:
                conflicts |= _conflicts(database, repeated)
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
        """Return whether the checksum in `line` matches the lines before it, stored or `new`; True if it has none."""
        count = self._counts[key] + len(new)
        if line.before is None or line.n > count:
            return True
        sums = self._checksums.of(key, count, lambda: (each.line for each in (*self.lines(key), *new)))
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
                condition = sql.tuple_(CURSOR.c.table, CURSOR.c.game).in_(unknown)
                found = {
                    Key(row.table, row.game): int(row[2])
                    for row in database.execute(sql.select(CURSOR).where(condition))
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
        """Return every stream with its number of committed lines, the last changed one first."""
        with self.transaction() as database:
            rows = database.execute(sql.select(CURSOR).order_by(CURSOR.c.changed.desc())).all()
        return [(Key(row.table, row.game), int(row[2])) for row in rows]

    def heard(self) -> dict[Key, float]:
        """Return for every stream when its last line arrived, in seconds since 1970."""
        with self.transaction() as database:
            rows = database.execute(sql.select(CURSOR.c.table, CURSOR.c.game, CURSOR.c.changed)).all()
        return {Key(row.table, row.game): row.changed for row in rows}

    def times(self) -> list[tuple[str, float, float]]:
        """Return the table of every public line, when it was written there, and when the hub received it."""
        with self.transaction() as database:
            rows = database.execute(
                sql.select(LINE.c.table, LINE.c.time, LINE.c.received).where(LINE.c.game.not_like("%+hands"))
            ).all()
        return [(row.table, row.time, row.received) for row in rows]

    # Results

    def keep_results(self, results: Iterable[GameResult]) -> list[GameResult]:
        """Store the results of games; return them with the numbers of the games."""
        stored = []
        with self.transaction() as database:
            for each in results:
                values = {key: value for key, value in each._asdict().items() if key != "id"}
                statement = self._insert(RESULT).values(values)
                statement = statement.on_conflict_do_update(index_elements=[RESULT.c.table, RESULT.c.game], set_=values)
                number = database.execute(statement.returning(RESULT.c.id)).scalar_one()
                stored.append(each._replace(id=number))
        return stored

    def results(self) -> list[GameResult]:
        """Return the stored results of all games, in the order of their numbers."""
        with self.transaction() as database:
            rows = database.execute(sql.select(RESULT).order_by(RESULT.c.id)).all()
        return [GameResult(**row._asdict()) for row in rows]

    # Tables and pairings

    def note_table(self, name: str, online: bool) -> None:
        """Store whether a table is online."""
        values = {"name": name, "online": online, "seen": time.time()}
        with self.transaction() as database:
            statement = self._insert(TABLE).values(values)
            database.execute(statement.on_conflict_do_update(index_elements=[TABLE.c.name], set_=values))

    def tables(self) -> dict[str, bool]:
        """Return the names of all tables that were ever online, and whether they are now."""
        with self.transaction() as database:
            return {row.name: row.online for row in database.execute(sql.select(TABLE).order_by(TABLE.c.name))}

    def assign(self, seats: Sequence[Seat]) -> None:
        """Store the seats of rounds, replacing those stored for the same rounds."""
        with self.transaction() as database:
            for number in {each.round for each in seats}:
                database.execute(sql.delete(ASSIGNMENT).where(ASSIGNMENT.c.round == number))
            database.execute(sql.insert(ASSIGNMENT), [each._asdict() for each in seats])

    def assigned(self) -> list[Seat]:
        """Return the seats in the last round."""
        with self.transaction() as database:
            last = sql.select(sql.func.max(ASSIGNMENT.c.round)).scalar_subquery()
            chosen = sql.select(ASSIGNMENT).where(ASSIGNMENT.c.round == last)
            rows = database.execute(chosen.order_by(ASSIGNMENT.c.table, ASSIGNMENT.c.seat)).all()
        return [Seat(**row._asdict()) for row in rows]

    def ready(self, number: int, table: str) -> bool:
        """Store that a table is ready for a round; return whether it has seats in it."""
        with self.transaction() as database:
            chosen = (ASSIGNMENT.c.round == number) & (ASSIGNMENT.c.table == table)
            changed = sql.update(ASSIGNMENT).where(chosen).values(ready=time.time())
            return bool(database.execute(changed).rowcount)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Run a transaction. If it raises `StoreError`, nothing was stored."""
        try:
            with self._making:
                if not self._made:
                    METADATA.create_all(self._engine)
                    self._made = True
            with self._engine.begin() as database:
                yield database
        except (sql.exc.SQLAlchemyError, OSError) as error:
            self._counts = {}
            self._checksums.clear()
            raise StoreError(str(error).partition("\n")[0]) from error


def _row(line: Line) -> dict[str, object]:
    return {"game": line.game, "n": line.n, "line": line.line, "time": line.time}


def _conflicts(database: Connection, repeated: Sequence[Received]) -> set[Key]:
    """Return the streams with a repeated line whose stored content differs."""
    if not repeated:
        return set()
    sent = {(each.table, each.line.game, each.line.n): each.line.line for each in repeated}
    chosen = sql.tuple_(LINE.c.table, LINE.c.game, LINE.c.n).in_(list(sent))
    rows = database.execute(sql.select(LINE.c.table, LINE.c.game, LINE.c.n, LINE.c.line).where(chosen))
    return {Key(row.table, row.game) for row in rows if sent[row.table, row.game, row.n] != row.line}
