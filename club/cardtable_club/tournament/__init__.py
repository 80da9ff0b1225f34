"""Tournaments: pairings, results and standings. Without clock, files, threads, network or randomness."""

from __future__ import annotations

from cardtable.errors import UsageError


class TournamentError(UsageError):
    """The tournament refuses an action; the message tells the director what to do instead."""
