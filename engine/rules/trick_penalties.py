"""Trick games in which a revoke costs the side tricks, as in Law 64 of duplicate bridge (2017).

If the player who revoked won the trick of the revoke, the side loses it, and one of the tricks that it won later;
otherwise one of those that it won from then on. A side that won none of them loses none. A second revoke of the same
player in the same suit costs nothing more.
"""

from __future__ import annotations

from engine.rules.penalties import PenaltyTrickGame
from engine.rules.tricks import Trick
from engine.texts import Text, text


class TrickPenaltyGame(PenaltyTrickGame):
    """A trick game in which a revoke costs one or two tricks. `revokes`: the trick of each, by seat and suit."""

    def clear_tricks(self) -> None:
        """Begin a hand without revokes."""
        super().clear_tricks()
        self.revokes: dict[tuple[int, str], Trick] = {}

    def punish_revoke(self, revoker: int) -> None:
        """Note the tricks to which `revoker` did not follow, in a suit in which it was proven not to be void."""
        for trick in self.begun_tricks:
            if trick.led and trick.failed(revoker) and not self.hands[revoker].declared_void(trick.led):
                self.revokes.setdefault((revoker, trick.led), trick)

    def revoke_costs(self, revoker: int) -> Text:
        """Return what `punish_revoke` does."""
        return text("{name} should have followed suit: it costs one or two tricks.", name=self.players[revoker])

    def tricks_after_revokes(self, side: int) -> int:
        """Return the number of tricks of `side`, one of two sides, after those that revokes cost."""
        tricks = [self.tricks_of(0), self.tricks_of(1)]
        for (seat, _), trick in self.revokes.items():
            if trick in self.tricks:
                offender = self.side_of(seat)
                before = self.tricks[: self.tricks.index(trick)]
                since = self.tricks_of(offender) - sum(self.side_of(each.winner) == offender for each in before)
                cost = min(tricks[offender], since, 2 if trick.winner == seat else 1)
                tricks[offender] -= cost
                tricks[1 - offender] += cost
        return tricks[side]
