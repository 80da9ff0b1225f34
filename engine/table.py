"""The table: one game in progress, checked at every step.

>>> from engine.actions import Action
>>> from engine.cards import parse_card
>>> from engine.record import Header
>>> table = Table(Header("all-fives", ("Ann", "Bo"), dealer=0))
>>> table.phase, table.turn
('deal', None)
>>> table.do(Action("turn", card=parse_card("10H"))).events
()
>>> table.turn, [action.word for action in table.legal_actions()]
(1, ['stand', 'beg'])
>>> table.do(Action("say", 0, word="beg"))
Traceback (most recent call last):
    ...
engine.errors.Refused: It is Bo who must say now. (not-your-turn)
>>> table.undo().points, table.phase
((), 'deal')
"""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

from engine.actions import Action, BadAction
from engine.errors import Refused
from engine.games import load_game
from engine.record import Header
from engine.rules.game import Rules
from engine.rules.match import Match
from engine.rules.questions import NOTHING, Question
from engine.texts import text
from engine.views import Event, Point, View

__all__ = ["Outcome", "Refused", "Table"]


class Outcome(NamedTuple):
    """What one action led to: points in the order scored, and other news."""

    points: tuple[Point, ...] = ()
    events: tuple[Event, ...] = ()


_QUIET = Outcome()


class Table:
    """A game from its first action to where it stands now. Nothing illegal gets in.

    Undo replays the actions since the start of the hand; there is no other way back, and no state is stored.
    """

    def __init__(self, header: Header) -> None:
        """Set the table. Raises `HeaderError` where the game cannot be played like this."""
        header.check()
        self.header = header
        self._kind = load_game(header.game)
        self._seats = frozenset((None, "crib", *range(len(header.players))))
        self._actions: list[Action] = []
        self._ask: Question = NOTHING
        self._start()
        # For every hand begun: how many actions came before it, and the match as it was.
        self._hands: list[tuple[int, Match]] = [(0, self._game.match.copy())]

    # Acting

    def do(self, action: Action) -> Outcome:
        """Do `action`, and return what it led to. Raises `Refused` where the rules say no, and changes nothing."""
        if action.do == "undo":
            return self.undo()
        if action.seat not in self._seats or (action.against is not None and action.against not in self._seats):
            self._refuse_seat(action)
        self._ask.check(action)
        game = self._game
        points, events = game.points, game.events
        if points:
            points.clear()
        if events:
            events.clear()
        try:
            self._ask = self._rules.send(action)
        except StopIteration:
            self._ask = NOTHING
        self._actions.append(action)
        if game.match.hands >= len(self._hands):
            self._hands.append((len(self._actions), game.match.copy()))
        return Outcome(tuple(points), tuple(events)) if points or events else _QUIET

    def undo(self) -> Outcome:
        """The last accepted action never happened. Raises `Refused` (`nothing-to-undo`) where there is none."""
        if not self._actions:
            raise Refused("nothing-to-undo", text("Nothing has happened yet that could be undone."))
        self._actions.pop()
        # Back to the start of the hand in which the last action that stands was done: its news are shown again.
        while len(self._hands) > 1 and self._hands[-1][0] >= len(self._actions):
            self._hands.pop()
        done, match = self._hands[-1]
        self._start(match.copy())
        again = self._actions[done:]
        del self._actions[done:]
        for action in again:
            self.do(action)
        return _QUIET

    def can(self, action: Action) -> bool:
        """Whether `do(action)` would be accepted now."""
        if action.do == "undo":
            return bool(self._actions)
        if action.seat not in self._seats or action.against not in self._seats:
            self._refuse_seat(action)
        try:
            self._ask.check(action)
        except Refused:
            return False
        return True

    def legal_actions(self) -> list[Action]:
        """What the table would accept now, but for `undo`, `deal`, `show`, `expose` and discards."""
        return self.ask.actions()

    # Looking

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions accepted and not undone, in order."""
        return tuple(self._actions)

    @property
    def ask(self) -> Question:
        """What the table waits for."""
        return self._ask

    @property
    def phase(self) -> str:
        """One of `cut deal discard turn say play bid show over`."""
        return self._ask.phase

    @property
    def turn(self) -> int | None:
        """The one seat that must act next, or None."""
        return self._ask.turn

    @property
    def drawing_says(self) -> str | None:
        """The word that drawing a card says, in games where it says one."""
        return self._kind.drawing_says

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores, by seat, or by side where partners share one."""
        return tuple(self._game.match.scores)

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self._game.match.over

    @property
    def winners(self) -> tuple[int, ...]:
        """Who has won (seats, or sides); nobody while the game goes on."""
        return self._game.match.winners

    @property
    def result(self) -> dict[str, Any]:
        """What this game says of its result beyond scores and winners (`skunk`)."""
        return self._game.result()

    def view(self, seat: int | None) -> View:
        """The table as `seat` may see it; with None, as everybody may."""
        return self._game.view(self._ask, seat)

    # Running the rules

    def _start(self, match: Match | None = None) -> None:
        """From the beginning, or from where `match` stands."""
        self._game = self._kind(self.header.players, self.header.dealer, self.header.options)
        if match is not None:
            self._game.match = match
        self._rules: Rules[None] = self._game.run()
        self._ask = next(self._rules)

    def _refuse_seat(self, action: Action) -> NoReturn:
        seat = action.against if action.seat in self._seats else action.seat
        raise BadAction(
            text("there is no seat {seat}: the seats are 0 to {last}", seat=seat, last=len(self.header.players) - 1)
        )
