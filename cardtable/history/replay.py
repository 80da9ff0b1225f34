"""A stored game, action by action, as the board showed it.

Only the actions that stand are there: what was undone is not. A game that is not over shows what everybody at the table
could see; one that is over shows the hands, too, as far as the table knew them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, get_args

from cardtable.board.snapshot import LogEntry, Snapshot
from cardtable.play.stored_games import Games, StoredGame
from engine.actions import Action
from engine.cards import Card
from engine.record import Header
from engine.referee.prompts import Prompt
from engine.rules.wording import describe
from engine.table import Table
from engine.views import Ended, View


@dataclass(frozen=True, slots=True)
class Step:
    """An action that stands, with its effect. `time`: seconds since 1970. `ends`: what is complete after it.

    `moment`: the line of the record at which it happened. That is the line of its entry, unless a correction took the
    action back and gave it again, in the same moment and perhaps with another card.

    A trick is complete, too, if the next action clears cards away: after thirty-one or a “go” in cribbage, a capture.
    """

    entry: LogEntry
    time: float
    ends: Ended | None
    moment: int


class Replay:
    """One game of the journal. Raises `JournalError` if it cannot be read, or the rules refuse an action of it."""

    def __init__(self, games: Games, number: int) -> None:
        self.game: Final[StoredGame] = games.read(number)
        self.header: Final[Header] = self.game.header
        times = games.times(number)
        table = Table(self.header)
        steps: list[tuple[LogEntry, float, int]] = []
        lying: list[frozenset[Card]] = []
        taken_back = _TakenBack()
        for n, (action, outcome) in enumerate(games.replaying(self.game, table), start=2):  # the header is line 1
            if action.do == "undo":
                entry, _, moment = steps.pop()
                taken_back.add(entry.action, moment, times[n - 2])
                lying.pop()
                continue
            scores = tuple(table.scores)
            entry = LogEntry(n, action, outcome.points, outcome.events, scores, table.turn, table.phase)
            steps.append((entry, times[n - 2], taken_back.moment_of(action, n, times[n - 2])))
            lying.append(frozenset(card.card for card in table.lying if card.zone.name in ("play", "table")))
        cleared = [
            bool(before - after) and entry.action.do != "withdraw"
            for before, after, (entry, _, _) in zip(lying, lying[1:], steps[1:], strict=False)
        ]
        self.steps: Final[tuple[Step, ...]] = tuple(
            Step(entry, time, _ends(entry) or ("trick" if number < len(cleared) and cleared[number] else None), moment)
            for number, (entry, time, moment) in enumerate(steps)
        )
        """The actions that stand, in order."""
        self.table: Final = table
        """The table after the last action."""

    @property
    def view(self) -> View:
        """What everybody may see after the last action."""
        return self.table.view()

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions that stand."""
        return tuple(step.entry.action for step in self.steps)

    def snapshots(
        self, first: int, count: int, hands: bool = True
    ) -> Iterator[tuple[Snapshot, tuple[tuple[Card, ...], ...]]]:
        """Yield what the board shows after `first` actions, after the next one, and so on, `count` times at most.

        With each, the cards of every seat's hand that the table knew; empty without `hands`, or unless the game is
        over.
        """
        table = Table(self.header)
        last = min(first + count - 1, len(self.steps))
        for done in range(last + 1):
            if done:
                table.do(self.steps[done - 1].entry.action)
            if done >= first:
                yield self._snapshot(table, done), self._hands(table) if hands else ()

    def _hands(self, table: Table) -> tuple[tuple[Card, ...], ...]:
        if not self.game.over:
            return ()
        return tuple(table.view(seat).hands[seat].cards for seat in range(len(self.header.players)))

    def _snapshot(self, table: Table, done: int) -> Snapshot:
        history = tuple(step.entry for step in self.steps[:done])
        view = table.view()
        prompts: tuple[Prompt, ...] = ()
        if history:
            action = history[-1].action
            seat = action.seat if isinstance(action.seat, int) else None
            prompts = (Prompt("replay", seat, describe(action, view.players)),)
        return Snapshot(done, 0.0, view, prompts, history[-1:], history, ())


class _TakenBack:
    """The actions that a correction takes back, until it has given them again. All its lines have the same time."""

    def __init__(self) -> None:
        self._time: float | None = None
        self._actions: list[tuple[Action, int]] = []

    def add(self, action: Action, moment: int, time: float) -> None:
        """Note an action that was taken back at `time`: each one happened before those that are noted."""
        if time != self._time:
            self._time = time
            self._actions.clear()
        self._actions.append((action, moment))

    def moment_of(self, action: Action, line: int, time: float) -> int:
        """Return the line at which an action that was recorded in `line` at `time` happened."""
        if time != self._time:
            return line
        for at in reversed(range(len(self._actions))):
            before, moment = self._actions[at]
            if before == action:
                del self._actions[at:]
                return moment
        if self._actions and _is_like(self._actions[-1][0], action):
            return self._actions.pop()[1]
        return line


def _is_like(one: Action, two: Action) -> bool:
    """Return whether both are done by the same seat, in the same way."""
    return (one.do, one.seat) == (two.do, two.seat)


def last_tricks(steps: tuple[Step, ...], tricks: int = 2) -> int:
    """Return how many actions were done when the last `tricks` tricks began; one that is not complete counts."""
    found = 0
    for number in range(len(steps) - 1, 0, -1):
        if steps[number - 1].ends:
            found += 1
            if found == tricks:
                return number
    return 0


def _ends(entry: LogEntry) -> Ended | None:
    ends: list[Ended] = [event.ends for event in entry.events if event.ends]
    if entry.action.do == "take":
        ends.append("trick")
    return max(ends, key=get_args(Ended).index, default=None)
