"""Tournaments: who plays whom, and how the results are counted. Pure: no clock, file, thread, network or chance."""

from __future__ import annotations

from cardtable.errors import UsageError

# What a tournament refuses.


class TournamentError(UsageError):
    """An action that this tournament cannot take; the message says what the director can do."""
