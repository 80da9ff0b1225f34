"""What is known of a stored game without replaying it: a summary of each game, for lists and statistics.

A summary is stored in the same transaction as the actions that it sums up. A game of an older version has none until it
has been replayed once (`cardtable.history.summary_backfill`). Nothing here needs the rules, so a list loads quickly.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cardtable.play.journal_errors import as_journal_errors
from cardtable.play.journal_schema import SUMMARIES_SINCE, has_temporary_summaries, version_of

if TYPE_CHECKING:
    from engine.table import Table
    from engine.views import Event


class Result(NamedTuple):
    """The score of each side, the sides that have won, and the revokes of each seat, after the last action of a game.

    `revokes` is empty if there were none.
    """

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    revokes: tuple[int, ...] = ()

    @classmethod
    def of(cls, table: Table, events: Iterable[Event] = ()) -> Result:
        """Return the result of the game on `table`, as it stands; `events`: those of the actions that stand."""
        revokers = [event.seat for event in events if event.revoked]
        revokes = tuple(map(revokers.count, range(len(table.header.players)))) if revokers else ()
        return cls(tuple(table.scores), tuple(table.winners), revokes)


class Summary(NamedTuple):
    """What is stored of a game: its number, its header as JSON, how many actions it has, the time of the last one in
    seconds since 1970, whether it is over, and its result.
    """

    game: int
    header: str
    actions: int
    ended: float | None
    over: bool
    result: Result


class GameEntry(NamedTuple):
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


class Choice(NamedTuple):
    """Which games are wanted: those of a player, of a game by its name, or both; None: all.

    A game without a summary is left out if a player or a game is named.
    """

    player: str | None = None
    name: str | None = None


ALL: Final = Choice()


class GameList:
    """The list of the games in the journal at `path`, read with `database`. Methods raise `JournalError`."""

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        self.database: Final = database
        self.path: Final = path
        # Text that is not UTF-8 would end a whole query; like this it spoils one game at most.
        database.text_factory = lambda text: text.decode("utf-8", "replace")

    def numbers(self) -> list[int]:
        """Return the numbers of all games, oldest first."""
        with as_journal_errors(self.path):
            return [number for (number,) in self.database.execute("SELECT id FROM game ORDER BY id")]

    def without_summary(self) -> list[int]:
        """Return the numbers of the games that have no summary, newest first."""
        with as_journal_errors(self.path):
            if not self.has_summaries():
                return self.numbers()[::-1]
            query = "SELECT id FROM game WHERE id NOT IN (SELECT game FROM summary) ORDER BY id DESC"
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
    ) -> list[GameEntry]:
        """Return games, oldest first; with `newest`, newest first.

        `before`: only games with a smaller number. `most`: how many at most. `over`: only those that are over, or that
        are not. `since`: only those begun at this time or later. `played`: only those with an action.
        """
        wanted: list[tuple[str, object]] = []
        for condition, value in (
            ("g.id IN (SELECT game FROM seat WHERE player = ?)", choice.player),
            ("s.name = ?", choice.name),
            ("g.id < ?", before),
            ("g.over = ?", over),
            ("g.started >= ?", since),
            (f"{_ACTIONS} > ?", 0 if played else None),
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
            summaries = "summary" if self.has_summaries() else _NO_SUMMARIES
            if summaries is _NO_SUMMARIES:
                wanted = [(condition.replace("FROM seat", f"FROM {_NO_SEATS}"), value) for condition, value in wanted]
            conditions = " AND ".join(condition for condition, _ in wanted)
            rows = self.database.execute(
                f"SELECT g.id, g.header, g.started, g.over, {_ACTIONS}, {_ENDED}, s.value "
                f"FROM game AS g LEFT JOIN {summaries} AS s ON s.game = g.id "
                f"{f'WHERE {conditions}' if conditions else ''} ORDER BY g.id {'DESC' if newest else ''} LIMIT ?",
                [*(value for _, value in wanted), -1 if most is None else most],
            ).fetchall()
        return [_entry(*row) for row in rows]

    def has_summaries(self) -> bool:
        """Return whether the tables exist: in the file, or as temporary ones of this connection."""
        if version_of(self.database) >= SUMMARIES_SINCE:
            return True
        return has_temporary_summaries(self.database)


_ACTIONS: Final = "coalesce(s.actions, (SELECT max(n) + 1 FROM action WHERE game = g.id), 0)"
_ENDED: Final = (
    "CASE WHEN s.game IS NULL THEN (SELECT time FROM action WHERE game = g.id ORDER BY n DESC LIMIT 1) ELSE s.ended END"
)
_NO_SUMMARIES: Final = "(SELECT NULL AS game, NULL AS name, NULL AS actions, NULL AS ended, NULL AS value)"
_NO_SEATS: Final = "(SELECT NULL AS game, NULL AS player)"


def store_summaries(database: sqlite3.Connection, summaries: Iterable[Summary], seats: bool = True) -> None:
    """Store summaries, in the transaction that is open; `seats`: also what they say of each seat."""
    for summary in summaries:
        name, players = _about(decoded(summary.header))
        result = summary.result
        value = json.dumps(result, separators=(",", ":"))
        row = (summary.game, name, summary.actions, summary.ended, summary.over, value)
        database.execute("INSERT OR REPLACE INTO summary VALUES (?, ?, ?, ?, ?, ?)", row)
        if not seats:
            continue
        sides = max(len(result.scores), 1)
        rows = []
        for seat, player in enumerate(players):
            side = seat % sides
            won = side in result.winners
            score = result.scores[side] if side < len(result.scores) else 0
            revokes = result.revokes[seat] if seat < len(result.revokes) else 0
            rows.append((summary.game, seat, player, side, score, won, won and len(result.winners) > 1, revokes))
        database.executemany("INSERT OR REPLACE INTO seat VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)


def forget_summary(database: sqlite3.Connection, number: int) -> None:
    """Delete the summary of a game whose result is not known."""
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
    name, players = _about(decoded(header))
    result = None if value is None else _stored_result(value)
    return GameEntry(number, name, players, started or 0.0, ended, actions, bool(over), result)


def _about(header: object) -> tuple[str, tuple[str, ...]]:
    """Return the game's name and the players in a decoded header; empty if they are damaged."""
    about: dict[str, Any] = header if isinstance(header, dict) else {}
    name, players = about.get("game"), about.get("players")
    return (
        name if isinstance(name, str) else "",
        tuple(map(str, players)) if isinstance(players, list) else (),
    )


def _stored_result(value: str) -> Result | None:
    """Return a stored result; None if it is damaged: the game is then replayed."""
    match decoded(value):
        case [list(scores), list(winners), list(revokes)] if all(
            type(each) is int for each in (*scores, *winners, *revokes)
        ):
            return Result(tuple(scores), tuple(winners), tuple(revokes))
    return None


def decoded(stored: str | None) -> object:
    """Return what a JSON text of the journal says; None for a damaged one."""
    try:
        return json.loads(stored or "")
    except (ValueError, RecursionError):
        return None
