"""Outputs of a game for tests."""

from __future__ import annotations

from collections.abc import Callable

from cardtable.table.snapshot import Snapshot
from engine.views import View


class Shown:
    """Calls `show` with each snapshot."""

    def __init__(self, show: Callable[[Snapshot], object]) -> None:
        self._show = show

    def show(self, snapshot: Snapshot, view_of: Callable[[int | None], View]) -> None:
        self._show(snapshot)
