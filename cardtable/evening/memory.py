"""The table's memory of its evenings, in the journal: players, the screen, and the choices in the lobby.

Methods raise `JournalError` if nothing could be stored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from cardtable.evening.lobby import Lobby
from cardtable.evening.states import Screen
from cardtable.history.statistics import PAUSE_S
from cardtable.journal.journal import Journal

MOST_REMEMBERED: Final = 60
"""Number of players that are remembered. Beyond that, those whose last game is oldest are forgotten."""
_SETTING: Final = "evening"


@dataclass(frozen=True, slots=True)
class Evening:
    """The state of an evening.

    `game`: the number of the game that is played, or whose result is shown. `since`: when the evening began, in seconds
    since 1970; None before its first game. `configured`: the `Memory.configured` with which it was stored.
    """

    screen: Screen = "lobby"
    lobby: Lobby = field(default_factory=Lobby)
    game: int | None = None
    since: float | None = None
    configured: str | None = None


class Memory:
    """The evening and the players, as the journal stores them."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.configured: str | None = None
        """The game and players in table.toml, as one line, which is stored with the evening."""

    def load(self) -> Evening | None:
        """Return the stored evening; None without one, or if it is damaged."""
        written = self._journal.setting(_SETTING)
        try:
            stored = json.loads(written) if written else None
        except (ValueError, RecursionError):
            return None
        if not isinstance(stored, dict):
            return None
        screen, game, since = stored.get("screen"), stored.get("game"), stored.get("since")
        return Evening(
            screen if screen in ("game", "result", "asleep") else "lobby",
            Lobby.from_json(stored.get("lobby")),
            game if isinstance(game, int) else None,
            since if isinstance(since, int | float) else None,
            stored.get("configured"),
        )

    def save(self, evening: Evening, seated: Iterable[str] = ()) -> None:
        """Store the evening. `seated`: players who have just sat down and are to be remembered.

        The end of an evening, when the table goes to sleep, is also stored for the history.
        """
        value = json.dumps(
            {
                "screen": evening.screen,
                "lobby": evening.lobby.to_json(),
                "game": evening.game,
                "since": evening.since,
                "configured": self.configured,
            },
            ensure_ascii=False,
        )
        with self._journal.writing() as database:
            database.execute("INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", (_SETTING, value))
            now = self._journal.now()
            if evening.screen == "asleep":
                database.execute("INSERT OR IGNORE INTO good_night VALUES (?)", (now,))
            database.executemany("INSERT OR REPLACE INTO player VALUES (?, ?)", [(name, now) for name in seated])
            database.execute(
                "DELETE FROM player WHERE name NOT IN (SELECT name FROM player ORDER BY last DESC, name LIMIT ?)",
                (MOST_REMEMBERED,),
            )

    def players(self) -> list[str]:
        """Return the remembered players, most recent first."""
        with self._journal.writing() as database:
            return [name for (name,) in database.execute("SELECT name FROM player ORDER BY last DESC, name")]

    def rename(self, name: str, to: str) -> None:
        """Remember a player under another name."""
        with self._journal.writing() as database:
            database.execute("UPDATE OR REPLACE player SET name = ? WHERE name = ?", (to, name))

    def forget(self, name: str) -> None:
        """Forget a player; stored games keep the name."""
        with self._journal.writing() as database:
            database.execute("DELETE FROM player WHERE name = ?", (name,))

    def begun(self, since: float | None) -> float:
        """Return when the evening began to which a new game belongs.

        This is `since`, unless it is None or no action has been stored for `PAUSE_S`: then another evening begins now.
        If the clock was ahead until it was set, the evening begins now, too; its games are those after the last that
        was begun before.
        """
        now = self._journal.now()
        if since is None:
            return now
        with self._journal.writing() as database:
            rows = database.execute("SELECT time FROM action ORDER BY game DESC, n DESC LIMIT 1").fetchall()
        last = max([since, *(time for (time,) in rows)])
        return now if now - last > PAUSE_S else min(since, now)
