"""Actions that are stored without a table, and games that are read back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cardtable.journal.corrections import What
from cardtable.journal.file import UnreadableGame
from cardtable.journal.games import Games, Result, StoredGame, open_games
from cardtable.journal.journal import Journal, ProcessedEvents
from engine.actions import Action


def append(
    journal: Journal,
    actions: Sequence[Action],
    over: bool = False,
    event: ProcessedEvents | None = None,
    result: Result | None = None,
    correction: tuple[str, What] | None = None,
) -> None:
    """Store actions of the game that is played, in one transaction."""
    with journal.transaction(event) as change:
        change.actions += actions
        change.over, change.result, change.correction = over, result, correction


def readable(games: Games) -> list[StoredGame]:
    """Return every game that can be read, oldest first."""
    found = []
    for number in games.numbers():
        try:
            found.append(games.read(number))
        except UnreadableGame:
            continue
    return found


def read_games(path: Path) -> list[StoredGame]:
    """Return every game of the journal at `path` that can be read, oldest first."""
    with open_games(path) as games:
        return readable(games)


def seen_games(path: Path) -> list[list[str]]:
    """Return the records of these games as everybody may see them: with hands only if the game is over."""
    with open_games(path) as games:
        return [game.record() if game.over else games.record_without_hands(game) for game in readable(games)]
