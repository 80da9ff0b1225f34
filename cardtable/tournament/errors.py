"""What a tournament refuses."""

from __future__ import annotations

from cardtable.errors import UsageError


class TournamentError(UsageError):
    """An action that this tournament cannot take; the message says what the director can do."""
