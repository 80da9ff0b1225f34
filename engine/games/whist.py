"""Whist, for four in partnerships: the rules in the order in which the rule book gives them.

The laws followed, and the rulings where clubs differ, are in docs/reference/games/whist.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from engine.cards import Card
from engine.rules.dealing import DealtOutGame
from engine.rules.game import Option, Rules
from engine.rules.penalties import CALL, REVOKE, PenaltyTrickGame
from engine.rules.tricks import Trick
from engine.texts import Text, text
from engine.views import EventKind, FeatKind, Tally

GAMES: Final = 2
"""The games that win a rubber."""
BONUS: Final = 2
"""The rubber points for winning the rubber, besides those for its games."""
BOOK: Final = 6
"""The tricks of a side that do not count."""
HONOURS: Final = ("A", "K", "Q", "J")
HONOURS_SCORE: Final = {3: 2, 4: 4}
"""By the number of honours in trumps that a side was dealt: what they score."""
PENALTY: Final = 3
COSTS: Final = {
    "tricks": text("the others take {count} of their tricks", count=PENALTY),
    "gain": text("the others score {count}", count=PENALTY),
    "loss": text("they lose {count} points", count=PENALTY),
}
"""What a revoke costs, by the option `revoke`."""


class Whist(DealtOutGame, PenaltyTrickGame):
    """Whist. See `Game` for the attributes and the coroutines.

    In a rubber the side that first wins two games wins. A game counts 3 rubber points if the losers have no score, 2 if
    they have less than half of the target, otherwise 1; the winners of the rubber have `BONUS` more. The scores begin
    at 0 in each game.
    """

    name = "whist"
    title = "Whist"
    about = text("Win tricks with your partner; each trick beyond six scores a point.")
    seats = range(4, 5)
    partners = (4,)
    words = (REVOKE, CALL)
    reasons = ("odd-tricks", "honours", "revoke")
    event_kinds: ClassVar = {
        "rubber-game": EventKind(lambda name, card: text("{name} and partner win a game of the rubber", name=name))
    }
    feat_kinds: ClassVar = {
        "tricks": FeatKind(text("Most tricks in a hand")),
        "honours": FeatKind(text("Four honours"), counted=True),
        "rubber": FeatKind(text("Biggest rubber")),
    }
    zones = ("play", "turn-up", "say", "show")
    options = (
        Option(
            "target",
            5,
            text("points that win: 5 short, 7 American, 10 long"),
            least=1,
            label=text("Play to"),
            usual=(5, 7, 10),
        ),
        Option("honours", False, text("three or four honours in trumps score"), label=text("Honours")),
        Option("rubber", False, text("the best of three games wins"), label=text("Rubber")),
        Option.choice("revoke", ("tricks", "gain", "loss"), text("what a revoke costs"), text("Revoke")),
    )

    # The hand

    def hand(self) -> Rules[None]:
        """Deal all cards, the last one face up for trumps; play the tricks; count."""
        self.clear_tricks()
        turned = yield from self.deal_and_turn_last()
        self.turn_trumps(turned)
        yield from self.play_tricks(self.eldest)
        self.count_hand()

    def play(self, trick: Trick, card: Card) -> None:
        """Also let the dealer take the turn-up into the hand before playing first."""
        if trick.turn == self.dealer:
            self.match.turn_up = None
        super().play(trick, card)

    def count_hand(self) -> None:
        """Score penalties, then odd tricks, then honours; the side that reaches the target first wins the game."""
        scores, target = self.match.scores, self.values["target"]
        tricks = [self.tricks_of(0), self.tricks_of(1)]
        if not self.revokers:
            self.note_feat_of_side("tricks", tricks.index(max(tricks)), max(tricks))
        for side, points, reason, cards in self.scored():
            if len(cards) == len(HONOURS):
                self.note_feat_of_side("honours", side, cards=cards)
            if side in self.revoked_sides:
                points = min(points, target - 1 - scores[side])  # no side wins by a hand in which it revoked
            if points and max(scores) < target:
                self.score(seat := self.sides()[side][0], points, reason)
                self.add_count(seat, cards, [(points, reason, cards)], name=self.side_name(side))
        self.report("hand-over")
        if max(scores) >= target:
            self.win_game(scores.index(max(scores)))
        else:
            self.match.dealer = self.eldest

    def scored(self) -> Iterator[tuple[int, int, str, list[Card]]]:
        """Yield side, points, reason and cards of all that scores in this hand, in the order of the laws."""
        scores, start, tricks = self.match.scores, (*self.match.scores,), [self.tricks_of(0), self.tricks_of(1)]
        for revoker in map(self.side_of, self.revokers):
            if self.values["revoke"] == "tricks":
                taken = min(PENALTY, tricks[revoker])
                tricks = [count - taken if side == revoker else count + taken for side, count in enumerate(tricks)]
            elif self.values["revoke"] == "gain":
                yield 1 - revoker, PENALTY, "revoke", []
            else:
                yield revoker, -min(PENALTY, scores[revoker]), "revoke", []
        yield tricks.index(max(tricks)), max(tricks) - BOOK, "odd-tricks", []
        trumps = [play for trick in self.tricks for play in trick.plays if play.card.suit == self.trump]
        for side in (0, 1) if self.values["honours"] else ():
            held = [card for seat, card in trumps if self.side_of(seat) == side and card.rank in HONOURS]
            if start[side] < self.values["target"] - 1:  # at that score honours do not count
                yield side, HONOURS_SCORE.get(len(held), 0), "honours", held

    def revoke_costs(self, revoker: int) -> Text:
        """Return what the option `revoke` says, and that the revoker's side cannot win by this hand."""
        template = "{name} should have followed suit: {costs}, and their side cannot win on this hand."
        return text(template, name=self.players[revoker], costs=COSTS[self.values["revoke"]])

    # The rubber, its result, and views

    @property
    def games(self) -> tuple[tuple[int, int], ...]:
        """The winning side and the rubber points of each game that is over, in order."""
        games: tuple[tuple[int, int], ...] = self.match.more.get("games", ())
        return games

    def win_game(self, side: int) -> None:
        """End a game won by `side`, and with it the rubber if that is won or none is played."""
        loser = self.match.scores[1 - side]
        value = 3 if loser <= 0 else 2 if 2 * loser < self.values["target"] else 1
        self.match.more["games"] = games = (*self.games, (side, value))
        if not self.values["rubber"] or [winner for winner, _ in games].count(side) == GAMES:
            self.win(side)
            if self.values["rubber"]:
                self.note_feat_of_side("rubber", side, self.rubber_points())
            return
        self.report("rubber-game", self.sides()[side][0])
        self.match.scores = [0, 0]
        self.match.dealer = self.eldest

    def rubber_points(self) -> int:
        """Return the points by which the rubber was won."""
        won = self.match.winners[0]
        return BONUS + sum(value if side == won else -value for side, value in self.games)

    def result(self) -> dict[str, Any]:
        """Return `games`, the games of the rubber that each side has won, and at its end `rubber`, its points."""
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

    def tallies(self) -> tuple[Tally, ...]:
        """Return the tricks of both sides; the first one beyond six scores."""
        return self.trick_tallies(BOOK + 1, BOOK + 1)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the side that has won a game of the rubber."""
        games = self.games if self.values["rubber"] and not self.match.over else ()
        return (*super().facts(), *((text("game won by"), self.side_name(side)) for side, _ in games))
