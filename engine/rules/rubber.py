"""Rubbers: the side that first wins two games wins the rubber."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from engine.rules.game import Game, Option
from engine.texts import text
from engine.views import EventKind

GAMES: Final = 2
"""The games that win a rubber."""
BONUS: Final = 2
"""The rubber points for winning the rubber, besides those for its games."""


class RubberGame(Game):
    """A game for two sides that may be played as a rubber (`RUBBER`, one of its options).

    A game of the rubber counts 3 rubber points if the losers have no score, 2 if they have less than half of the
    target, otherwise 1; the winners of the rubber have `BONUS` more. The scores begin at 0 in each game.
    """

    RUBBER: ClassVar = Option("rubber", False, text("the best of three games wins"), label=text("Rubber"))
    event_kinds: ClassVar = {
        "rubber-game": EventKind(lambda name, card: text("{name} and partner win a game of the rubber", name=name))
    }

    @property
    def games(self) -> tuple[tuple[int, int], ...]:
        """The winning side and the rubber points of each game that is over, in order."""
        games: tuple[tuple[int, int], ...] = self.match.more.get("games", ())
        return games

    def win_game(self, side: int) -> None:
        """End a game of the rubber won by `side`; if it was the last one, or no rubber is played, end it all."""
        loser = self.match.scores[1 - side]
        value = 3 if loser <= 0 else 2 if 2 * loser < self.values["target"] else 1
        self.match.more["games"] = games = (*self.games, (side, value))
        if not self.values["rubber"] or [winner for winner, _ in games].count(side) == GAMES:
            self.win(side)
            return
        self.report("rubber-game", self.sides()[side][0])
        self.match.scores = [0, 0]
        self.match.dealer = self.eldest

    def rubber_points(self) -> int:
        """Return the points by which the rubber was won."""
        won = self.match.winners[0]
        return BONUS + sum(value if side == won else -value for side, value in self.games)

    def result(self) -> dict[str, Any]:
        """Return `games`, those of the rubber that each side has won, and at its end `rubber`, its points."""
        if not self.values["rubber"]:
            return {}
        winners = [side for side, _ in self.games]
        end = {"rubber": self.rubber_points()} if self.match.over else {}
        return {"games": [winners.count(0), winners.count(1)]} | end

    def remarks(self) -> tuple[str, ...]:
        """Return by how many points the rubber was won."""
        if not (self.values["rubber"] and self.match.over):
            return ()
        return (text("The rubber is won by {points} points.", points=self.rubber_points()),)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the side that has won a game of the rubber."""
        games = self.games if self.values["rubber"] and not self.match.over else ()
        return (*super().facts(), *((text("game won by"), self.side_name(side)) for side, _ in games))
