"""The games at the hub: their results from the lines that tables send, when they began, and their records."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar

import sqlalchemy as sql

from cardtable.journal.file import as_journal_errors
from cardtable.journal.games import GameList, Result, Summary, decoded, forget_summary, store_summaries
from cardtable.journal.schema import create_tables
from cardtable_club.hub.store import LINE, GameResult, Key, Received, Store, Stored
from cardtable_club.member.messages import HANDS, Line, compact
from engine.actions import NAMING, Action
from engine.names import plain_name
from engine.record import Header, write_record
from engine.table import Outcome, Table

RECENT_S: Final = 86_400.0
"""Seconds before and after a game in which lines of its table are compared with the clock of the hub."""
STEADY_S: Final = 2.0
"""Lines that are sent at once arrive within this many seconds of the fastest."""
LIVE_S: Final = 10.0
"""Such lines over this many seconds show that the table was connected."""


def began(store: Store, game: GameResult) -> float:
    """Return when the first line of a game was written, in seconds since 1970 on the clock of the hub.

    The clock of a table may be wrong, and lines may arrive long after they were written. The shortest time between the
    two is how far the table's clock is behind, provided that the table was connected: that its clock is ahead, or that
    lines arrived as quickly over several seconds. Otherwise the lines were stored and sent later, and the table's clock
    is trusted. Raises `StoreError`.
    """
    with store.transaction() as database:
        of_table = (LINE.c.table == game.table) & LINE.c.game.not_like("%+hands")
        chosen = sql.select(LINE.c.time, LINE.c.received).where(of_table)
        first = database.execute(chosen.where((LINE.c.game == game.game) & (LINE.c.n == 0))).one_or_none()
        if first is None:
            return game.started
        near = LINE.c.received.between(first.received - RECENT_S, first.received + RECENT_S)
        rows = database.execute(chosen.where(near)).all()
    behind = min(row.received - row.time for row in rows)
    steady = [row.received for row in rows if row.received - row.time <= behind + STEADY_S]
    connected = max(steady) - min(steady) >= LIVE_S
    return float(min(first.received, first.time + (behind if connected or behind < 0 else 0.0)))


def with_hands(lines: Sequence[Line], hands: Sequence[Line]) -> list[Line] | None:
    """Return `lines` with the hidden cards from the stream `hands`; None if that lacks a hand that was dealt.

    >>> dealt = [Line("g", 0, "{}", 0.0), Line("g", 1, '{"do":"deal","seat":0}', 1.0)]
    >>> with_hands(dealt, [])
    >>> hand = Line("g+hands", 0, '{"n":1,"line":{"do":"deal","seat":0,"cards":["AS"]}}', 1.0)
    >>> with_hands(dealt, [hand])[1].line
    '{"cards":["AS"],"do":"deal","seat":0}'
    """
    values = [_value(hand) for hand in hands]
    whole = {value["n"]: compact(value["line"]) for value in values if isinstance(value.get("line"), dict)}
    if not whole or any(line.n not in whole and _value(line).get("do") in NAMING for line in lines):
        return None
    return [Line(line.game, line.n, whole.get(line.n, line.line), line.time) for line in lines]


def _value(line: Line) -> dict[str, Any]:
    """Return the JSON object in a line, with its number as `n`; empty if the line or `n` is malformed."""
    try:
        value = json.loads(line.line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) and isinstance(value.setdefault("n", line.n), int) else {}


MOST_KEPT: Final = 1_000
"""How many replayed games are kept; any other is replayed from its first line when it goes on."""


class Wins(NamedTuple):
    """Numbers of finished games that a player has played and won, shared wins included."""

    played: int
    won: int


class LiveGame:
    """A game replayed up to its last known line; `add` takes the lines in order.

    As long as the lines lack the cards dealt and laid away, it is replayed like the record of a table that does not see
    hands.
    """

    def __init__(self, key: Key) -> None:
        self.key: Final = key
        self.lines = 0
        self.fault: str | None = None
        """Why the lines cannot be replayed; None if they can."""
        self.table: Table | None = None
        self.knew_hands = False
        """Whether the table knows hands that are not in the lines."""
        self._header = "{}"
        self._started = 0.0
        self._ended: float | None = None
        self._standing: list[Outcome | None] = []
        """The outcomes of the actions that are not undone; None for an action that was not replayed."""

    def add(self, lines: Sequence[Line]) -> None:
        """Add the lines that follow."""
        for line in lines:
            assert line.n == self.lines, "lines are added in their order"
            self.lines += 1
            if line.n == 0:
                self._header, self._started = line.line, line.time
            else:
                self._ended = line.time
            if self.fault is None:
                try:
                    self._add(line)
                except Exception as error:  # even a bug in the rules affects this game only
                    self.fault = str(error) or repr(error)
                    self.table = None

    def _add(self, line: Line) -> None:
        value = json.loads(line.line)
        if line.n == 0:
            self.table = Table(Header.from_json(value))
            return
        assert self.table is not None
        if value.get("do") in NAMING and not value.get("cards"):
            self.knew_hands = True
            self._standing.append(None)
            return
        action = Action.from_json(value)
        if action.do == "discard" and not self.table.can(action):
            self._standing.append(None)  # without its cards it may be too late: the play has shown that it happened
            return
        if action.do != "undo":
            self._standing.append(self.table.do(action))
        elif self._standing.pop() is not None:
            self.table.undo()

    def result(self) -> GameResult:
        """Return the result so far; its `id` is 0."""
        value, over = None, False
        if self.table is not None:
            events = (event for outcome in self._standing if outcome for event in outcome.events)
            value, over = json.dumps(Result.of(self.table, events), separators=(",", ":")), self.table.over
        times = self._started, self._ended
        return GameResult(0, self.key.table, self.key.game, self.lines, self._header, *times, over, value)


class LiveGames:
    """The games that are being played. `read` returns the lines of a stream from a given line on.

    Call `forget` when hands of a game have arrived. For one thread at a time.
    """

    def __init__(self, read: Callable[[Key, int], Sequence[Line]], most: int = MOST_KEPT) -> None:
        self._read = read
        self._most = most
        self._games: OrderedDict[Key, LiveGame] = OrderedDict()

    def grown(self, key: Key, lines: Sequence[Line] = ()) -> GameResult:
        """Return the result of a game that has grown; `lines`: the new lines, if they are at hand."""
        game = self._games.get(key) or LiveGame(key)
        if not lines or lines[0].n != game.lines:
            lines = self._read(key, game.lines)
            if game.lines == 0:
                lines = with_hands(lines, self._read(Key(key.table, key.game + HANDS), 0)) or lines
        game.add(lines)
        self._games[key] = game
        self._games.move_to_end(key)
        while len(self._games) > self._most:
            self._games.popitem(last=False)
        return game.result()

    def forget(self, key: Key) -> None:
        """Replay a game from its first line the next time."""
        self._games.pop(key, None)

    def knew_hands(self, key: Key) -> bool:
        """Return whether the table knows hands of this game that are not in the lines yet."""
        game = self._games.get(key)
        return game is not None and game.knew_hands


T = TypeVar("T")


class Mirror:
    """The games of all tables, in the form in which a table knows its own: for lists, statistics and CSV files.

    It is a SQLite database in memory with the tables of a journal, filled from the results at the hub. Thread-safe.
    """

    def __init__(self) -> None:
        self._database: Final = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        create_tables(self._database)
        self._lock = threading.Lock()
        self._games = GameList(self._database, Path("club"))
        self._results: dict[int, GameResult] = {}
        self._latest: dict[str, GameResult] = {}
        self._seen: dict[str, float] = {}
        self._heard: dict[int, float] = {}
        self._wins: dict[str, Wins] = {}

    def put(self, results: Iterable[GameResult], heard: Mapping[Key, float] = MappingProxyType({})) -> None:
        """Store the present results of games.

        `heard`: when the last line of each game arrived, in seconds since 1970; a game that is not in it: now.
        """
        with self._lock:
            changed: set[str] = set()
            for each in results:
                before = self._results.get(each.id)
                self._results[each.id] = each
                if (latest := self._latest.get(each.table)) is None or each.id >= latest.id:
                    self._latest[each.table] = each
                players = players_of(each)
                at = self._heard[each.id] = heard.get(Key(each.table, each.game), time.time())
                for player in players:
                    self._seen[player] = max(at, self._seen.get(player, at))
                if each.over or (before is not None and before.over):
                    changed.update(players)
                row = (each.id, each.header, each.started, each.over)
                self._database.execute(
                    "INSERT OR REPLACE INTO game (id, header, started, over) VALUES (?, ?, ?, ?)", row
                )
                match decoded(each.value):
                    case [list(scores), list(winners), list(revokes)]:
                        result = Result(tuple(scores), tuple(winners), tuple(revokes))
                        actions = max(each.lines - 1, 0)
                        summary = Summary(each.id, each.header, actions, each.ended, each.over, result)
                        store_summaries(self._database, [summary])
                    case _:
                        forget_summary(self._database, each.id)
            self._wins |= {player: _wins_of(self._games, player) for player in changed}

    def read(self, question: Callable[[GameList], T]) -> T:
        """Call `question` with the list of games, and return its result."""
        with self._lock:
            return question(self._games)

    def game(self, number: int) -> GameResult | None:
        """Return the game with this number at the hub; None if there is none."""
        with self._lock:
            return self._results.get(number)

    def all_games(self) -> list[GameResult]:
        """Return every game."""
        with self._lock:
            return list(self._results.values())

    def latest(self) -> dict[str, GameResult]:
        """Return the last game of each table."""
        with self._lock:
            return dict(self._latest)

    def wins(self) -> dict[str, Wins]:
        """Return for each player the numbers of finished games played and won, without players who finished none."""
        with self._lock:
            return {player: wins for player, wins in self._wins.items() if wins.played}

    def seen(self) -> dict[str, float]:
        """Return when the last line of a game of each player arrived, in seconds since 1970."""
        with self._lock:
            return dict(self._seen)

    def heard(self, game: GameResult) -> float:
        """Return when the last line of a game arrived, in seconds since 1970."""
        with self._lock:
            return self._heard[game.id]


def players_of(game: GameResult) -> list[str]:
    """Return the players of a game in seat order."""
    header = decoded(game.header)
    players: Any = header.get("players") if isinstance(header, dict) else None
    return [plain_name(str(player)) for player in players] if isinstance(players, list) else []


def record_of(store: Store, game: GameResult) -> list[str]:
    """Return the lines of a game as a record (docs/reference/record.md), without line ends; none if it is damaged.

    Until the hands have arrived, the record is that of a table that does not see hands. Raises `StoreError`.
    """
    key = Key(game.table, game.game)
    lines = store.lines(key)
    whole = with_hands(lines, store.lines(Key(game.table, game.game + HANDS))) if game.over else None
    standing: list[Action] = []
    try:
        values = [json.loads(line.line) for line in whole or lines]
        header = Header.from_json(values[0])
        for value in values[1:]:
            if value.get("do") == "undo":
                standing.pop()
            elif value.get("do") in NAMING and whole is None:
                standing.append(Action(value["do"]))
            else:
                standing.append(Action.from_json(value))
        return list(write_record(header, (each for each in standing if whole or each.do not in NAMING)))
    except (ValueError, LookupError):
        return []


MOST_RESULTS: Final = 50
"""The most results stored in one transaction: few, so that no line waits long for its acknowledgement."""


class Results:
    """Keeps the results of all games up to date, in `store` and in `mirror`. For one thread.

    Methods raise `StoreError`; call them again later.
    """

    def __init__(self, store: Store, mirror: Mirror) -> None:
        self._store = store
        self._mirror = mirror
        self._games = LiveGames(store.lines)
        self._heard: dict[Key, float] = {}
        """By stream: when its last line arrived."""
        self._grown: dict[Key, list[Line]] = {}
        """The games whose result is yet to be stored, with their new lines if they are at hand."""

    @property
    def waiting(self) -> bool:
        """Whether there are results yet to be stored."""
        return bool(self._grown)

    def load(self) -> None:
        """Read the results, and note the games whose result was not stored when the hub ended."""
        results = {Key(each.table, each.game): each for each in self._store.results()}
        self._heard = self._store.heard()
        self._mirror.put(results.values(), self._heard)
        for key, count in self._store.cursors():
            game = _game_of(key)
            result = results.get(game)
            if game == key:
                missing = result is None or result.lines < count
            else:  # hands arrive after the end of the game
                missing = result is None or not result.over or result.value is None
            if missing:
                self._grown[game] = []

    def note(self, received: Iterable[Received], stored: Stored) -> None:
        """Note the games that have grown by the lines `received`."""
        now = time.time()
        for key in stored.grown:
            self._heard[key] = now
            if _game_of(key) == key:
                self._grown.setdefault(key, [])
        for each in received:
            key, line = Key(each.table, each.line.game), each.line
            new = self._grown.get(key)
            if new is not None and line.n < stored.counts[key] and (not new or line.n == new[-1].n + 1):
                new.append(line)
        for key in stored.grown:
            if _game_of(key) != key:  # hands: the game is read again, with them
                self._games.forget(_game_of(key))
                self._grown[_game_of(key)] = []

    def store(self) -> None:
        """Store the results of games that have grown."""
        keys = list(self._grown)[:MOST_RESULTS]
        results = [self._games.grown(key, self._grown[key]) for key in keys]
        self._mirror.put(self._store.keep_results(results), self._heard)
        for key in keys:
            del self._grown[key]

    def knew_hands(self, key: Key) -> bool:
        """Return whether the table knows hands of this game that its lines lack, so that they may lack the score."""
        return self._games.knew_hands(key)


def _game_of(key: Key) -> Key:
    return Key(key.table, key.game.removesuffix(HANDS))


_WINS: Final = """
    SELECT count(*), coalesce(sum(won), 0) FROM (
        SELECT max(s.won) AS won FROM seat AS s JOIN summary AS m ON m.game = s.game
        WHERE m.over AND s.player = ? GROUP BY s.game
    )
"""


def _wins_of(games: GameList, player: str) -> Wins:
    """Return the games that a player has played and won, counted as in `cardtable.history.statistics`.

    Raises `JournalError`.
    """
    with as_journal_errors(games.path):
        return Wins(*games.database.execute(_WINS, (player,)).fetchone())
