"""What the lines of a game say: its players, its score, whether it is over. Every line is replayed once."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

from cardtable.club.messages import HANDS, Line
from cardtable.hub.hands import with_hands
from cardtable.hub.store import GameResult, Key
from cardtable.play.summaries import Result
from engine.actions import Action
from engine.record import Header
from engine.table import Outcome, Table

MOST: Final = 1_000
"""Games that are kept replayed; one that is continued later is replayed from its first line."""


class LiveGame:
    """A game as far as its lines are known; `add` takes them in their order.

    The rules replay it as the record of a table that sees no hands, without what was dealt or laid away, until the
    lines have these cards.
    """

    def __init__(self, key: Key) -> None:
        self.key: Final = key
        self.lines = 0
        self.fault: str | None = None
        """Why the lines cannot be replayed; None if they can."""
        self.table: Table | None = None
        self.knew_hands = False
        """Whether hands were dealt to the table whose cards the lines do not have."""
        self._header = "{}"
        self._started = 0.0
        self._ended: float | None = None
        self._standing: list[Outcome | None] = []
        """The outcomes of the actions that stand; None for one that was not given to the rules."""

    def add(self, lines: Sequence[Line]) -> None:
        """Add the lines that follow."""
        for line in lines:
            assert line.n == self.lines, "lines are added in their order"
            self.lines += 1
            if line.n == 0:
                self._header, self._started = line.line, line.time
            else:
                self._ended = line.time
            if self.fault is None:
                try:
                    self._add(line)
                except Exception as error:  # also a fault of the rules: it concerns this game only
                    self.fault = str(error) or repr(error)
                    self.table = None

    def _add(self, line: Line) -> None:
        value = json.loads(line.line)
        if line.n == 0:
            self.table = Table(Header.from_json(value))
            return
        assert self.table is not None
        if value.get("do") == "deal" and not value.get("cards"):
            self.knew_hands = True
            self._standing.append(None)
            return
        action = Action.from_json(value)
        if action.do == "discard" and not self.table.can(action):
            self._standing.append(None)  # without its cards it may come too late: the play has shown that it happened
            return
        if action.do != "undo":
            self._standing.append(self.table.do(action))
        elif self._standing.pop() is not None:
            self.table.undo()

    def result(self) -> GameResult:
        """Return what the lines say; its `id` is 0."""
        value, over = None, False
        if self.table is not None:
            events = (event for outcome in self._standing if outcome for event in outcome.events)
            value, over = json.dumps(Result.of(self.table, events), separators=(",", ":")), self.table.over
        about = self._header, self._started, self._ended
        return GameResult(0, self.key.table, self.key.game, self.lines, *about, over, value)


class LiveGames:
    """The games that change now. `read` returns the lines of a stream from a line on. One thread at a time uses it.

    `forget` must be called when hands of a game have come.
    """

    def __init__(self, read: Callable[[Key, int], Sequence[Line]], most: int = MOST) -> None:
        self._read = read
        self._most = most
        self._games: OrderedDict[Key, LiveGame] = OrderedDict()

    def grown(self, key: Key, lines: Sequence[Line] = ()) -> GameResult:
        """Return what is known of a game that has grown; `lines`: what was added, if it is there already."""
        game = self._games.get(key) or LiveGame(key)
        if not lines or lines[0].n != game.lines:
            lines = self._read(key, game.lines)
            if game.lines == 0:
                lines = with_hands(lines, self._read(Key(key.table, key.game + HANDS), 0)) or lines
        game.add(lines)
        self._games[key] = game
        self._games.move_to_end(key)
        while len(self._games) > self._most:
            self._games.popitem(last=False)
        return game.result()

    def forget(self, key: Key) -> None:
        """Replay a game from its first line when it is asked for again."""
        self._games.pop(key, None)

    def knew_hands(self, key: Key) -> bool:
        """Return whether hands were dealt to the table in this game, and the lines do not have them yet."""
        game = self._games.get(key)
        return game is not None and game.knew_hands
