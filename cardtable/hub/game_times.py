"""When a game began by the clock of the hub. The clocks of tables may be wrong, and lines may come long afterwards."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sql

from cardtable.hub.store import GameResult, Store
from cardtable.hub.tables import LINE

RECENT_S: Final = 86_400.0
"""Seconds around the game in which lines of its table are compared with the clock of the hub."""
STEADY_S: Final = 2.0
"""Seconds by which lines that come at once may come later than others."""
LIVE_S: Final = 10.0
"""Seconds over which such lines must have come to show that the table was connected then."""


def began(store: Store, game: GameResult) -> float:
    """Return when the first line of a game was written, in seconds since 1970 by the clock of the hub.

    The least time from a line's writing to its arrival is how far the table's clock is behind. That counts if the table
    was connected: if it is ahead, or if lines came as quickly over some seconds. Otherwise the lines were all kept and
    sent later, and the table's clock is believed. Raises `StoreError`.
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
