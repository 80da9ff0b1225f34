"""The stored games that the lobby offers to continue, and the tally of the evening."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from cardtable.board.screen_lobby import UnfinishedGame, UnreadableGameEntry
from cardtable.board.screen_parts import Tally
from cardtable.play.journal_errors import UnreadableGame
from cardtable.play.stored_games import Games
from cardtable.play.summaries import GameEntry
from engine.games import title_of
from engine.texts import Translate, in_language

MOST_OFFERED: Final = 8
"""Unfinished games that the lobby lists; the history has all of them."""


@dataclass(frozen=True, slots=True)
class PastGames:
    """The games to continue, and those that cannot be continued, newest first."""

    unfinished: list[UnfinishedGame] = field(default_factory=list)
    unreadable: list[UnreadableGameEntry] = field(default_factory=list)


def past_games(games: Games, failed: Mapping[int, str], translate: Translate) -> PastGames:
    """Return the newest unfinished games, and the newest of those that cannot be read: `MOST_OFFERED` of each.

    `failed`: why games stopped since the program was started, by number. Raises `JournalError`.
    """
    found = PastGames()
    for entry in games.entries(over=False, newest=True):
        if len(found.unfinished) >= MOST_OFFERED:
            break
        if not entry.actions:
            continue
        try:
            if entry.id in failed:
                raise _Failed(failed[entry.id])
            stored, table = games.replayed(entry.id)
        except (UnreadableGame, _Failed) as error:
            if len(found.unreadable) >= MOST_OFFERED:
                continue
            found.unreadable.append(
                {
                    "id": entry.id,
                    "title": title_of(entry.name),
                    "players": list(entry.players),
                    "started": entry.started,
                    "reason": in_language(str(error), translate),
                }
            )
            continue
        found.unfinished.append(
            {
                "id": entry.id,
                "game": entry.name,
                "title": title_of(entry.name),
                "players": list(stored.header.players),
                "scores": list(table.scores),
                "started": entry.started,
                "last": entry.ended or entry.started,
                "actions": entry.actions,
            }
        )
    return found


def tally_of(games: Games, since: float | None) -> Tally:
    """Return the tally of the games begun from `since` on that are over. Raises `JournalError`."""
    played: Counter[str] = Counter()
    won: Counter[str] = Counter()
    shared: Counter[str] = Counter()
    count = 0
    for entry in games.entries(over=True, since=since) if since is not None else ():
        if entry.result is None:
            continue
        count += 1
        played.update(set(entry.players))
        for name in _winners(entry):
            won[name] += 1
            shared[name] += len(entry.result.winners) > 1
    names = sorted(played, key=lambda name: (-won[name], played[name], name))
    return {
        "games": count,
        "players": [{"name": name, "played": played[name], "won": won[name], "shared": shared[name]} for name in names],
    }


def _winners(entry: GameEntry) -> set[str]:
    assert entry.result is not None
    sides = max(len(entry.result.scores), 1)
    return {name for seat, name in enumerate(entry.players) if seat % sides in entry.result.winners}


class _Failed(Exception):
    """The game stopped because of a fault; the text says which."""
