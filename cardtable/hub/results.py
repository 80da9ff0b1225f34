"""The results of all games at the hub, kept up to date while their lines come."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final

from cardtable.club.messages import HANDS, Line
from cardtable.hub.games import LiveGames
from cardtable.hub.mirror import Mirror
from cardtable.hub.store import Key, Received, Store, Stored

MOST: Final = 50
"""Results that are stored in one transaction; a few, so that no line waits long for its acknowledgement."""


class Results:
    """The results of the games in `store`, which `mirror` gets too. One thread uses it.

    Methods raise `StoreError`; call them again later.
    """

    def __init__(self, store: Store, mirror: Mirror) -> None:
        self._store = store
        self._mirror = mirror
        self._games = LiveGames(store.lines)
        self._heard: dict[Key, float] = {}
        """By stream, when lines came last, by the clock of the hub."""
        self._grown: dict[Key, list[Line]] = {}
        """Games of which a result is still to be stored, with the lines that were added if they are known."""

    @property
    def waiting(self) -> bool:
        """Whether results are still to be stored."""
        return bool(self._grown)

    def load(self) -> None:
        """Read the results, and note the games of which one was not stored when the hub ended."""
        results = {Key(each.table, each.game): each for each in self._store.results()}
        self._heard = self._store.heard()
        self._mirror.put(results.values(), self._heard)
        for key, count in self._store.cursors():
            game = _game_of(key)
            known = results.get(game)
            if game == key:
                missing = known is None or known.lines < count
            else:  # hands come after the end of the game
                missing = known is None or not known.over or known.value is None
            if missing:
                self._grown[game] = []

    def note(self, received: Iterable[Received], stored: Stored) -> None:
        """Note the games that have grown by lines that were `received`."""
        now = time.time()
        for key in stored.grown:
            self._heard[key] = now
            if _game_of(key) == key:
                self._grown.setdefault(key, [])
        for each in received:
            key, line = Key(each.table, each.line.game), each.line
            new = self._grown.get(key)
            if new is not None and line.n < stored.counts[key] and (not new or line.n == new[-1].n + 1):
                new.append(line)
        for key in stored.grown:
            if _game_of(key) != key:  # hands: the game is read again, with them
                self._games.forget(_game_of(key))
                self._grown[_game_of(key)] = []

    def store(self) -> None:
        """Store what the games say that have grown."""
        keys = list(self._grown)[:MOST]
        results = [self._games.grown(key, self._grown[key]) for key in keys]
        self._mirror.put(self._store.keep_results(results), self._heard)
        for key in keys:
            del self._grown[key]

    def knew_hands(self, key: Key) -> bool:
        """Return whether the table knows hands of a game that goes on, so that its lines may not say the score."""
        return self._games.knew_hands(key)


def _game_of(key: Key) -> Key:
    return Key(key.table, key.game.removesuffix(HANDS))
