"""Oh Hell, for three to seven: the rules in the order in which the rule book gives them.

The rulings are in docs/reference/games/oh-hell.md; what people commonly play differently is an option.
"""

from __future__ import annotations

from typing import ClassVar, Final

from engine.rules.bidding import HIGHEST, NUMBERS, NumberBidGame
from engine.rules.game import Option, Rules
from engine.rules.penalties import REVOKE, PenaltyTrickGame
from engine.texts import Text, text
from engine.views import FeatKind

BONUS: Final = 10
PENALTY: Final = 10


class OhHell(NumberBidGame, PenaltyTrickGame):
    """Oh Hell. See `Game` for the attributes and the coroutines."""

    name = "oh-hell"
    title = "Oh Hell"
    about = text("Bid how many tricks you will take, and take neither more nor fewer.")
    seats = range(3, 8)
    words = (*NUMBERS, REVOKE)
    reasons = ("made", "tricks", "missed", "revoke")
    feat_kinds: ClassVar = {
        "row": FeatKind(text("Most bids made in a row")),
        "bid": FeatKind(text("Bids made"), counted=True),
        "highest": FeatKind(text("Highest bid made")),
    }
    zones = ("play", "turn-up", "say", "show")
    options = (
        Option("cards", 10, text("cards each in the largest deal"), least=1, label=text("Cards"), usual=(7, 10)),
        Option.choice(
            "course", ("down-up", "up-down", "down", "up"), text("how the deals grow or shrink"), text("Deals")
        ),
        Option("hook", True, text("the bids may not add up to the tricks"), label=text("Hook")),
        Option.choice(
            "scoring", ("exact", "tricks", "penalty"), text("what counts if a bid is missed"), text("Missed bids")
        ),
    )

    # The hand

    def hand(self) -> Rules[None]:
        """Deal, turn a card up for trumps, bid, play the tricks, count. Eldest bids and leads first."""
        self.clear_tricks()
        self.new_pack()
        count = self.deals()[self.match.hands]
        turned = yield from self.deal_and_turn_up(count, self.deal_hint(count))
        self.turn_trumps(turned)
        for hand in self.hands:
            hand.counted = True
        yield from self.bid_in_turn(count)
        yield from self.play_tricks(self.eldest)
        self.count_hand()

    def deals(self) -> list[int]:
        """Return how many cards each seat is dealt, deal by deal; one card of the pack is left to turn up."""
        most = min(self.values["cards"], (len(self.deck) - 1) // len(self.players), HIGHEST)
        up = list(range(1, most + 1))
        down = up[::-1]
        return {"down-up": down + up[1:], "up-down": up + down[1:], "down": down, "up": up}[self.values["course"]]

    def has_hook(self) -> bool:
        """Return the option `hook`."""
        return bool(self.values["hook"])

    def count_hand(self) -> None:
        """Score 10 and a point for each trick if the bid was made; otherwise what the option `scoring` says."""
        rows = [*self.match.more.get("rows", [0] * len(self.players))]
        for seat in self.seats_from(self.eldest):
            taken = self.tricks_won()[seat]
            off, scored = abs(taken - self.bids[seat]), []
            if not off:
                scored.append((BONUS, "made"))
                rows[seat] += 1
                for feat, value in (("row", rows[seat]), ("bid", 1), ("highest", taken)):
                    self.note_feat(feat, seat, value)
            elif self.values["scoring"] == "penalty":
                scored.append((-off, "missed"))
            if taken and (not off or self.values["scoring"] == "tricks"):
                scored.append((taken, "tricks"))
            rows[seat] *= not off
            for points, reason in scored:
                self.score(seat, points, reason)
        self.match.more["rows"] = tuple(rows)
        self.report("hand-over")
        self.win_or_deal_again(len(self.deals()))

    def punish_revoke(self, revoker: int) -> None:
        """Subtract 10 points from the revoker."""
        self.score(revoker, -PENALTY, "revoke")

    def revoke_costs(self, revoker: int) -> Text:
        """Return what `punish_revoke` does."""
        message = "{name} should have followed suit: {name} loses {points} points."
        return text(message, name=self.players[revoker], points=PENALTY)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the number of the deal."""
        number = self.match.hands + (not self.match.over)
        deal = text("{number} of {all}", number=number, all=len(self.deals()))
        return ((text("round"), deal), *super().facts())
