"""The history as text and as JSON Lines, for `cardtable history`. Needs neither the rules nor the page."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cardtable.history.evenings import PastEvening
from cardtable.history.statistics import Against, PlayerStatistics
from cardtable.play.summaries import GameEntry
from cardtable.terminal.output import translated
from engine.results import result_scores
from engine.texts import both, decimals, plural, text
from engine.views import side_names


def game_line(entry: GameEntry, fault: str | None) -> str:
    """Return one line about a game; `fault`: why it cannot be read."""
    when = local_time("%Y-%m-%d %H:%M", entry.started)
    line = f"{entry.id:>4}  {when}  {entry.name or '?':<10}  {', '.join(entry.players)}"
    if entry.result is None:
        return f"{line}  {translated(text('cannot be read: {why}', why=fault or ''))}"
    scores, winners = entry.result.scores, entry.result.winners
    if entry.over:
        sides = side_names(entry.players, len(scores))
        won = both([sides[side] for side in winners]) or text("nobody")
        shown = result_scores(scores, winners)
        return f"{line}  {translated(text('{names} won, {scores}', names=won, scores=shown))}"
    unfinished = plural("not over, {count} action", "not over, {count} actions", entry.actions)
    return f"{line}  {'–'.join(map(str, scores))}  {translated(unfinished)}"


def game_object(entry: GameEntry, fault: str | None) -> dict[str, Any]:
    """Return the object that `--json` prints; `error` instead of the result of a game that cannot be read."""
    about = {
        "id": entry.id,
        "started": local_time("%Y-%m-%dT%H:%M:%S%z", entry.started),
        "game": entry.name,
        "players": list(entry.players),
        "actions": entry.actions,
        "over": entry.over,
    }
    if entry.result is None:
        return about | {"error": fault}
    return about | {"winners": list(entry.result.winners), "scores": list(entry.result.scores)}


def statistics_lines(rows: Iterable[PlayerStatistics]) -> Iterator[str]:
    """Yield a table of the statistics: a line of headings, then a line for each player and game."""
    heads = (text("player"), text("game"), text("played"), text("won"), text("shared"))
    scores_of = (text("average"), text("best"), text("revokes"), text("longest run"))
    table = [[translated(head) for head in (*heads, *scores_of)]]
    for row in rows:
        scores = ["", ""] if row.average is None else [translated(decimals(row.average)), str(row.best)]
        name = row.name or translated(text("all games"))
        table.append(
            [row.player, name, str(row.played), str(row.won), str(row.shared), *scores, str(row.revokes), str(row.run)]
        )
    return _aligned(table, left=2)


def against_lines(rows: Iterable[Against]) -> Iterator[str]:
    """Yield a table of who won how often against whom."""
    heads = (text("player"), text("against"), text("played"), text("won"), text("lost"))
    table = [[translated(head) for head in heads]]
    table += [[row.player, row.other, str(row.played), str(row.won), str(row.lost)] for row in rows]
    return _aligned(table, left=2)


def evening_lines(evenings: Iterable[PastEvening]) -> Iterator[str]:
    """Yield a line for each evening: when, how many games, and the games that each player has won, of those played."""
    for evening in evenings:
        when = local_time("%Y-%m-%d %H:%M", evening.began)
        games = translated(plural("{count} game", "{count} games", evening.games))
        players = ", ".join(f"{each.player} {each.won}/{each.played}" for each in evening.players)
        yield f"{when}  {games:<10}  {players}"


def evening_object(evening: PastEvening) -> dict[str, Any]:
    """Return the object that `--json` prints."""
    return {
        "began": local_time("%Y-%m-%dT%H:%M:%S%z", evening.began),
        "ended": local_time("%Y-%m-%dT%H:%M:%S%z", evening.ended),
        "games": evening.games,
        "players": [each._asdict() for each in evening.players],
    }


def local_time(form: str, seconds: float) -> str:
    """Return the local time as `form` says; a question mark for a damaged one."""
    try:
        return time.strftime(form, time.localtime(seconds))
    except (ValueError, OverflowError, OSError):
        return "?"


def _aligned(table: Sequence[Sequence[str]], left: int) -> Iterator[str]:
    """Yield the lines of a table; the first `left` columns are texts, the others numbers."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = [
            f"{cell:<{width}}" if column < left else f"{cell:>{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
