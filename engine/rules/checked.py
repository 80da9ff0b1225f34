"""Checks of actions, from which the list of legal actions follows."""

from __future__ import annotations

from collections.abc import Iterator

from engine.actions import Action
from engine.errors import Refused


class NotNow(Exception):
    """The kind of action is impossible in this phase for the seat that acts: it is refused as `wrong-phase`."""


class Checked:
    """A check of actions: `check` is the only predicate, and the list of legal actions follows from it."""

    __slots__ = ()

    def check(self, action: Action) -> None:
        """Raise `NotNow` or `Refused` if `action` is not legal now."""
        raise NotImplementedError

    def candidates(self) -> Iterator[Action]:
        """Yield a superset of the legal actions; `check` decides which are legal."""
        raise NotImplementedError

    def actions(self) -> Iterator[Action]:
        """Yield every legal action."""
        return filter(self.allows, self.candidates())

    def allows(self, action: Action) -> bool:
        """Return whether `check` lets `action` pass."""
        try:
            self.check(action)
        except (NotNow, Refused):
            return False
        return True
