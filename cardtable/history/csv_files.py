"""Export games as CSV for spreadsheets: RFC 4180, UTF-8, with a heading line.

A text that a spreadsheet would take for a formula gets an apostrophe (OWASP, "CSV Injection"), also behind what some
spreadsheets take for the end of a cell. So does an apostrophe in such a place, so that every text can be restored.
"""

from __future__ import annotations

import csv
import io
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from cardtable.journal.games import GameEntry
from engine.actions import HIDING

if TYPE_CHECKING:
    from cardtable.history.replay import Replay, Step
    from engine.actions import Action

_FORMULA: Final = re.compile(r"((?:^|[;\t\r\n]) *)(?=['=+@\t\r\n\uff1d\uff0b\uff0d\uff20-])")
GAME_COLUMNS: Final = (
    "game", "started", "ended", "name", "over", "seat", "player", "side", "score", "won", "revokes",
)  # fmt: skip
STEP_COLUMNS: Final = ("line", "time", "seat", "player", "do", "cards", "word", "against", "points", "events")
"""They are followed by a score column for each side: `score 0`, `score 1`, and so on."""


def guarded(value: object) -> object:
    """Escape the value of a cell so that no spreadsheet takes it for a formula. Numbers are left alone.

    >>> guarded("=1+1"), guarded("Ann;=1+1"), guarded(-3)
    ("'=1+1", "Ann;'=1+1", -3)
    """
    return _FORMULA.sub(r"\1'", value) if isinstance(value, str) else value


def games_csv(entries: Iterable[GameEntry]) -> Iterator[str]:
    """Yield a heading and one line for each seat of each game, with times in UTC (ISO 8601).

    `score`, `won` and `revokes` are empty for a game that cannot be read.
    """
    return _lines(GAME_COLUMNS, (row for entry in entries for row in _seats(entry)))


def _seats(entry: GameEntry) -> Iterator[Sequence[object]]:
    about = (entry.id, iso(entry.started), iso(entry.ended), entry.name, int(entry.over))
    result = entry.result
    for seat, player in enumerate(entry.players):
        if result is None:
            yield (*about, seat, player, "", "", "", "")
            continue
        side = seat % max(len(result.scores), 1)
        score = result.scores[side] if side < len(result.scores) else ""
        revokes = result.revokes[seat] if seat < len(result.revokes) else 0
        yield (*about, seat, player, side, score, int(side in result.winners), revokes)


def steps_csv(replay: Replay, hands: bool) -> Iterator[str]:
    """Yield a heading and one line for each action that was not undone. `line` is its line in the game's record.

    Without `hands`, cards that were dealt or discarded are left out.
    """
    players = replay.header.players
    columns = (*STEP_COLUMNS, *(f"score {side}" for side in range(len(replay.table.scores))))
    return _lines(columns, (_step(step, players, hands) for step in replay.steps))


def _step(step: Step, players: Sequence[str], hands: bool) -> Sequence[object]:
    action, seat = step.entry.action, step.entry.action.seat
    return (
        step.entry.n,
        iso(step.time),
        "" if seat is None else seat,
        players[seat] if isinstance(seat, int) else "",
        action.do,
        " ".join(_cards(action, hands)),
        action.word or "",
        "" if action.against is None else action.against,
        "; ".join(f"{players[point.seat]} {point.points:+d} {point.reason}" for point in step.entry.points),
        "; ".join(_event(event.event, event.seat, players) for event in step.entry.events),
        *step.entry.scores,
    )


def _cards(action: Action, hands: bool) -> list[str]:
    if not hands and action.do in HIDING:
        return []
    return [str(card) for card in ((action.card,) if action.card else ()) + (action.cards or ())]


def _event(event: str, seat: int | None, players: Sequence[str]) -> str:
    return event if seat is None else f"{event} {players[seat]}"


def iso(seconds: float | None) -> str:
    """Format a time in seconds since 1970 as ISO 8601 in UTC. A missing or impossible time gives an empty string."""
    if seconds is None:
        return ""
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    except (ValueError, OverflowError, OSError):
        return ""


def _lines(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    out = io.StringIO(newline="")
    writer = csv.writer(out)  # RFC 4180: commas, quotes doubled, lines end with CR LF
    for row in ((*columns,), *rows):
        writer.writerow([guarded(value) for value in row])
        yield out.getvalue()
        out.seek(0)
        out.truncate()
