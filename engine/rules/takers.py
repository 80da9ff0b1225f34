"""Trick games in which one side, the takers, must make more points than the others, or as many as it has bid.

If the takers fail, or a side has revoked, that side has lost the hand: the other scores the points of all tricks, and
what both have scored besides. A contract is scored by the side that wins it. If both sides have made the same without
a contract (`litige`), the points of the takers are held for the side that wins the next hand.
"""

from __future__ import annotations

from typing import ClassVar

from engine.rules.contract_bids import PointBidGame
from engine.rules.game import Option
from engine.rules.point_tricks import PointTrickGame
from engine.texts import Text, text
from engine.views import EventKind


class TakersGame(PointBidGame, PointTrickGame):
    """A trick game with takers, who may have a contract.

    `kept`: the reasons for points that a side keeps if it has lost the hand.
    """

    LITIGE: ClassVar = Option.choice(
        "litige", ("held", "lost"), text("what the takers’ points are if both sides have the same"), text("Litige")
    )
    event_kinds: ClassVar = {"litige": EventKind(lambda name, card: text("Both sides have the same: litige"))}
    reasons: ClassVar[tuple[str, ...]] = ("contract", "all-points", "litige")
    kept: tuple[str, ...] = ()

    def count_hand(self, taker: int) -> None:
        """Score the points of each side; or give all of them to one side, if the other has lost the hand."""
        takers, more = self.side_of(taker), self.match.more
        points = [self.points_of(0), self.points_of(1)]
        made = [sum(each.values()) for each in points]
        loser = self.loser(takers, made)
        if len(self.revoked_sides) == len(points):
            points = [{}, {}]
        elif loser is None and self.contract is None and made[0] == made[1]:
            self.report("litige")
            points[takers] = {}
            more["held"] = more.get("held", 0) + made[takers]
        else:
            winner = takers if loser is None else 1 - loser
            if loser is not None:
                self.give_all(points, winner, takers)
            points[winner] |= {"contract": self.contract_points(), "litige": more.pop("held", 0)}
        for side in (0, 1):
            self.score_side(side, [(each, reason) for reason, each in points[side].items()])
        self.report("hand-over")
        self.win_or_pass_deal()

    def loser(self, takers: int, made: list[int]) -> int | None:
        """Return the side that has lost the hand; None if both score. `made`: the points of each side.

        A side that revoked has lost. Otherwise the takers have, if they have not made the contract, or without one not
        more than the others. After a double one of the sides has lost.
        """
        if self.revokers:
            return min(self.revoked_sides)
        if self.contract is None:
            least = made[1 - takers] + (self.values["litige"] == "lost")
            return takers if made[takers] < least else None
        if not self.is_made(self.contract, made[takers]):
            return takers
        return 1 - takers if self.contract.risk > 1 else None

    def give_all(self, points: list[dict[str, int]], winner: int, takers: int) -> None:
        """Give the points of the whole deal to `winner`. Those for all tricks need no revoke, and with a contract only
        the takers can score them.
        """
        won, lost = points[winner], points[1 - winner]
        every = won[self.every_trick[0]] > 0 and not self.revokers and (self.contract is None or winner == takers)
        tricks = {"tricks", self.last_trick[0], self.every_trick[0]}
        kept = {reason: lost[reason] for reason in self.kept}
        besides = [reason for reason in won if reason not in tricks]
        points[winner] = {"all-points": self.points_of_all_tricks(every)}
        points[winner] |= {reason: won[reason] + lost[reason] - kept.get(reason, 0) for reason in besides}
        points[1 - winner] = kept

    def revoke_costs(self, revoker: int) -> Text:
        """Return that the side that revoked loses the hand; if both did, neither scores."""
        return text(
            "{name} should have played another card: the others score the whole hand.", name=self.players[revoker]
        )

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the points held."""
        held = [(text("litige"), str(points))] if (points := self.match.more.get("held")) else []
        return (*super().facts(), *held)
