"""Statistics of players and evenings, from the summaries of finished games.

An evening is a series of games, up to a “good night” or a pause of more than six hours. A game belongs to the evening
in which it ended. Guests count in the tally of their evening only.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import dropwhile, groupby, islice
from typing import Final, NamedTuple

from cardtable.journal.file import as_journal_errors
from cardtable.journal.games import ALL, Choice, GameEntry, GameList

PAUSE_S: Final = 6 * 3600.0
"""Seconds without a game after which a new evening begins."""


# Evenings.


class PlayerTally(NamedTuple):
    """One player's games of an evening. `shared`: wins shared with another side."""

    player: str
    played: int
    won: int
    shared: int


class PastEvening(NamedTuple):
    """The finished games of an evening. Times are in seconds since 1970; the most successful player comes first."""

    began: float
    ended: float
    games: int
    players: tuple[PlayerTally, ...]


class _Game(NamedTuple):
    id: int
    started: float
    ended: float


class Meeting(NamedTuple):
    """A finished game in which two sides met. `won`: 1 if only the first has won it, -1 if only the other, else 0."""

    game: int
    won: int


_GAMES: Final = """
    SELECT g.id, g.started, coalesce(s.ended, g.started) AS ended FROM game AS g JOIN summary AS s ON s.game = g.id
    WHERE s.over ORDER BY ended DESC, g.id DESC
"""
_CHOSEN: Final = """
    SELECT game FROM summary AS m WHERE (?2 IS NULL OR name = ?2)
    AND (?1 IS NULL OR EXISTS (SELECT 1 FROM seat WHERE game = m.game AND player = ?1))
"""


def evenings(games: GameList, limit: int | None = None) -> list[PastEvening]:
    """Return the last evenings, newest first, no more than `limit`. Raises `JournalError`."""
    return [evening for evening, _ in evenings_with_games(games, limit)]


def evenings_with_games(
    games: GameList, limit: int | None = None, before: int = 0, choice: Choice = ALL
) -> list[tuple[PastEvening, list[int]]]:
    """Return the last evenings, newest first, each with its finished games, newest first. Raises `JournalError`.

    `before`: only those before the evening of this game. `choice`: only those games.
    """
    with as_journal_errors(games.path):
        nights = _good_nights(games)
        groups = _groups(games, nights)
        if choice != ALL:
            chosen = {game for (game,) in games.database.execute(_CHOSEN, choice)}
            groups = filter(None, ([game for game in group if game.id in chosen] for group in groups))
        if before:
            groups = dropwhile(lambda group: all(game.id != before for game in group), groups)
            next(groups, None)
        return [(_evening(games, group, nights), [game.id for game in group]) for group in islice(groups, limit)]


def evening_of(games: GameList, number: int) -> tuple[PastEvening, list[int]] | None:
    """Return the evening of a finished game, and its finished games, newest first. Raises `JournalError`."""
    with as_journal_errors(games.path):
        nights = _good_nights(games)
        for group in _groups(games, nights):
            numbers = [game.id for game in group]
            if number in numbers:
                return _evening(games, group, nights), numbers
    return None


def _groups(games: GameList, nights: list[float]) -> Iterator[list[_Game]]:
    """Yield the finished games of each evening, newest first."""
    group: list[_Game] = []
    for game in map(_Game._make, games.database.execute(_GAMES)):
        if group and _apart(game, group[-1], nights):
            yield group
            group = []
        group.append(game)
    if group:
        yield group


def _good_nights(games: GameList) -> list[float]:
    """Return the times of all good nights, in order."""
    return [time for (time,) in games.database.execute("SELECT time FROM good_night ORDER BY time")]


def _apart(earlier: _Game, later: _Game, nights: list[float]) -> bool:
    """Return whether two consecutive games belong to different evenings."""
    return later.started - earlier.ended > PAUSE_S or _night_between(earlier.ended, later.ended, nights)


def _night_between(start: float, end: float, nights: list[float]) -> bool:
    following = bisect_left(nights, start)
    return following < len(nights) and nights[following] < end


def _evening(games: GameList, group: list[_Game], nights: list[float]) -> PastEvening:
    # A game that was resumed after a good night began in an earlier evening.
    starts = [game.started for game in group if not _night_between(game.started, game.ended, nights)]
    began = min(starts, default=group[-1].ended)
    tallies = player_tallies(games.entries(numbers=[game.id for game in group]))
    return PastEvening(began, group[0].ended, len(group), tallies)


def player_tallies(entries: Iterable[GameEntry]) -> tuple[PlayerTally, ...]:
    """Return the tally of each player of games, guests among them, the best first."""
    played, won, shared = Counter[str](), Counter[str](), Counter[str]()
    for entry in entries:
        if entry.result is None:
            continue
        sides, winners = max(len(entry.result.scores), 1), entry.result.winners
        best = {player for seat, player in enumerate(entry.players) if seat % sides in winners}
        played.update({*entry.players})
        won.update(best)
        shared.update(best if len(winners) > 1 else ())
    tallies = [PlayerTally(player, played[player], won[player], shared[player]) for player in played]
    return tuple(sorted(tallies, key=lambda each: (-each.won, each.played, each.player)))


# Players.


class PlayerStatistics(NamedTuple):
    """One player's finished games of the kind `name`, or of all kinds if `name` is None.

    `played`, `won` and `shared` are numbers of games; a shared win also counts as won. `average` and `best` are scores
    of the player's side, None over all kinds; `best` is the lowest score where the lowest score wins. `revokes` is the
    number of proven revokes, `run` the longest run of consecutive wins.
    """

    player: str
    name: str | None
    played: int
    won: int
    shared: int
    average: float | None
    best: int | None
    revokes: int
    run: int


class Against(NamedTuple):
    """A player's games against an opponent. `won`: only the player won; `lost`: only the opponent won."""

    player: str
    other: str
    played: int
    won: int
    lost: int


# A player with two seats in a game has played it once; the row of the better seat comes first. ?3: the games in which
# the lowest score wins, as a JSON array.
_SEATS: Final = """
    SELECT s.game, s.player, m.name, s.won, s.shared, s.score, s.revokes
    FROM summary AS m JOIN seat AS s ON s.game = m.game
    WHERE m.over AND (?1 IS NULL OR s.player = ?1) AND (?2 IS NULL OR m.name = ?2)
    ORDER BY m.game, s.player, s.won DESC, CASE WHEN m.name IN (SELECT value FROM json_each(?3)) THEN s.score
        ELSE -s.score END
"""
_AGAINST: Final = """
    SELECT a.player, b.player, count(DISTINCT a.game), sum(a.won AND NOT b.won), sum(b.won AND NOT a.won)
    FROM seat AS a JOIN seat AS b ON b.game = a.game AND b.side <> a.side AND b.player <> a.player
    JOIN summary AS m ON m.game = a.game
    WHERE m.over AND (?1 IS NULL OR a.player = ?1) AND (?2 IS NULL OR m.name = ?2)
    GROUP BY a.player, b.player ORDER BY count(*) DESC, a.player, b.player
"""


# The games that were won with the lowest score more often than with the highest. The rules also know, but loading them
# takes longer than counting, and the rules of a plug-in may no longer be installed.
_LOWEST: Final = """
    SELECT name FROM (
        SELECT m.name, max(s.score) FILTER (WHERE s.won) AS won, max(s.score) AS high, min(s.score) AS low
        FROM summary AS m JOIN seat AS s ON s.game = m.game WHERE m.over GROUP BY m.game
    ) WHERE low < high GROUP BY name HAVING sum(won = low) > sum(won = high)
"""


class _Count:
    """Count the games of one player, in the order in which they began.

    `better` is `max` or `min`, for the best score.
    """

    __slots__ = ("best", "better", "now", "played", "revokes", "run", "shared", "sum", "won")

    def __init__(self, better: Callable[[int, int], int]) -> None:
        self.better = better
        self.played = self.won = self.shared = self.sum = self.revokes = self.run = self.now = 0
        self.best: int | None = None

    def add(self, won: int, shared: int, score: int, revokes: int, again: bool) -> None:
        """Count a seat. `again`: it is the player's second seat in the same game."""
        self.revokes += revokes
        if again:
            return
        self.played += 1
        self.won += won
        self.shared += shared
        self.sum += score
        self.best = score if self.best is None else self.better(self.best, score)
        self.now = self.now + 1 if won else 0
        if self.now > self.run:
            self.run = self.now


def statistics(games: GameList, choice: Choice = ALL) -> list[PlayerStatistics]:
    """Return the statistics of each player, sorted by the number of wins.

    A player's first entry covers all kinds of games, and one entry for each kind follows. If `choice` names a kind,
    only the entry for that kind is returned. Raises `JournalError`.
    """
    with as_journal_errors(games.path):
        lowest = [name for (name,) in games.database.execute(_LOWEST)]
        rows = games.database.execute(_SEATS, (*choice, json.dumps(lowest))).fetchall()
    counts: dict[tuple[str, str | None], _Count] = {}
    last: tuple[int, str] | None = None
    for game, player, name, won, shared, score, revokes in rows:
        again = (game, player) == last
        last = game, player
        for key in ((player, name), (player, None)) if choice.name is None else ((player, name),):
            count = counts.get(key)
            if count is None:
                count = counts[key] = _Count(min if name in lowest else max)
            count.add(won, shared, score, revokes, again)
    found = [
        PlayerStatistics(
            player,
            name,
            count.played,
            count.won,
            count.shared,
            None if name is None else count.sum / count.played,
            None if name is None else count.best,
            count.revokes,
            count.run,
        )
        for (player, name), count in counts.items()
    ]
    first = {each.player: each for each in reversed(found) if each.name is None or choice.name is not None}

    def order(each: PlayerStatistics) -> tuple[object, ...]:
        whole = first[each.player]
        return -whole.won, whole.played, each.player, each.name is not None, -each.played, each.name or ""

    return sorted(found, key=order)


def head_to_head(games: GameList, choice: Choice = ALL) -> list[Against]:
    """Return the results of opponents against each other, most games first.

    Each pair appears twice, once for each player. Raises `JournalError`.
    """
    with as_journal_errors(games.path):
        return [Against(*row) for row in games.database.execute(_AGAINST, choice)]


def meetings(games: GameList, one: Collection[str], other: Collection[str], name: str | None) -> list[Meeting]:
    """Return the finished games of the kind `name` in which `one` met `other`, oldest first. Raises `JournalError`.

    All players of each must have sat on one side, partners if they are several.
    """
    with as_journal_errors(games.path):
        rows = games.database.execute(_MEETINGS, (json.dumps([*one, *other]), name)).fetchall()
    found: list[Meeting] = []
    for game, seats in groupby(rows, key=lambda row: row[0]):
        sides: dict[int, set[str]] = {}
        winners = set[int]()
        for _, player, side, won in seats:
            sides.setdefault(side, set()).add(player)
            if won:
                winners.add(side)
        mine = {side for side, players in sides.items() if players.issuperset(one)}
        theirs = {side for side, players in sides.items() if players.issuperset(other)} - mine
        if mine and theirs:
            found.append(Meeting(game, bool(mine & winners) - bool(theirs & winners)))
    return found


_MEETINGS: Final = """
    SELECT s.game, s.player, s.side, s.won FROM seat AS s JOIN summary AS m ON m.game = s.game
    WHERE m.over AND s.player IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR m.name = ?2)
    ORDER BY coalesce(m.ended, 0), s.game
"""


def known_sides(games: GameList) -> list[tuple[str, ...]]:
    """Return the players who were partners, those with most games first, at most 20. Raises `JournalError`."""
    with as_journal_errors(games.path):
        rows = games.database.execute(_SIDES).fetchall()
    return [tuple(json.loads(players)) for (players,) in rows]


_SIDES: Final = """
    SELECT players FROM (
        SELECT json_group_array(player) AS players FROM (SELECT DISTINCT game, side, player FROM seat ORDER BY player)
        GROUP BY game, side HAVING count(*) > 1
    ) GROUP BY players ORDER BY count(*) DESC, players LIMIT 20
"""


class BestScore(NamedTuple):
    """The best score with which a game of one kind was won, by players who shared it."""

    game: int
    players: tuple[str, ...]
    score: int


def best_score(games: GameList, name: str, lowest: bool) -> BestScore | None:
    """Return the best winning score of a kind of game, the oldest first; None if several games have it.

    Where the target ends a game, everybody wins with the same score, which is no record. Raises `JournalError`.
    """
    with as_journal_errors(games.path):
        order = "ASC" if lowest else "DESC"
        rows = games.database.execute(_BEST.format(order=order), (name,)).fetchall()
    best = [(game, player) for game, player, score in rows if score == rows[0][2]]
    if len({game for game, _ in best}) != 1:
        return None
    return BestScore(best[0][0], tuple(dict.fromkeys(player for _, player in best)), rows[0][2])


_BEST: Final = """
    SELECT s.game, s.player, s.score FROM seat AS s JOIN summary AS m ON m.game = s.game
    WHERE m.over AND m.name = ? AND s.won ORDER BY s.score {order}, s.game LIMIT 20
"""


def known_players(games: GameList) -> list[str]:
    """Return the players of all games with a summary, sorted by the number of games. Raises `JournalError`."""
    with as_journal_errors(games.path):
        query = "SELECT player FROM seat GROUP BY player ORDER BY count(*) DESC, player"
        return [player for (player,) in games.database.execute(query)]


def known_games(games: GameList) -> list[str]:
    """Return the kinds of all games with a summary, sorted by the number of games. Raises `JournalError`."""
    with as_journal_errors(games.path):
        query = "SELECT name FROM summary GROUP BY name ORDER BY count(*) DESC, name"
        return [name for (name,) in games.database.execute(query)]
