"""What a hand of a described game scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from engine.cards import Card
from engine.rules.described.description import Description
from engine.rules.number_bids import NumberBidGame
from engine.rules.penalties import PenaltyTrickGame
from engine.rules.state import sole_best
from engine.texts import Text, plural


class DescribedScores(NumberBidGame, PenaltyTrickGame):
    """The scores of a game of tricks, as its description says."""

    description: ClassVar[Description]
    reasons = ("cards", "tricks", "made", "missed", "sweep", "high", "low", "most", "beg", "revoke")

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        points = self.description.points
        self._scoring = frozenset(card for card, worth in points.items() if worth > 0 and card in self.deck)

    def count_hand(self) -> None:
        """Score what every side took, then the revokes; end the game or pass the deal."""
        game = self.description
        piles = [[card for seat in seats for card in self.won_by(seat)] for seats in self.sides()]
        for seat in dict.fromkeys(self.sides()[self.side_of(seat)][0] for seat in self.seats_from(self.eldest)):
            side = self.side_of(seat)
            scored = [(points, reason) for points, reason in self._scored(seat, piles) if points]
            for points, reason in scored:
                self.score(seat, points, reason)
            self.add_count(seat, piles[side], [(*found, ()) for found in scored], name=self.side_name(side))
        for seat in self.revokers:
            self.score(seat, game.revoke if self.lowest_wins else -game.revoke, "revoke")
        self.match.turn_up = None
        self.report("hand-over")
        if game.by_hand:
            self.win_or_deal_again(len(game.deals))
        else:
            self.win_or_pass_deal()

    def _scored(self, seat: int, piles: list[list[Card]]) -> Iterator[tuple[int, str]]:
        """Yield what the side of `seat` scores, perhaps 0, with the reason. `piles`: the cards that each side took."""
        game, side = self.description, self.side_of(seat)
        shooter = self._shooter(piles)
        if shooter is None or not game.sweep:
            yield sum(map(self._worth, piles[side])), "cards"
        elif (side == shooter) == (game.sweep_to == "shooter"):
            yield game.sweep, "sweep"
        tricks = self.tricks_of(side)
        yield game.tricks * max(tricks - game.above, 0), "tricks"
        if game.bids:
            off = abs(tricks - self.bids[seat])
            yield (game.missed * off, "missed") if off else (game.made + game.made_trick * tricks, "made")
        trumps = self._trumps_taken(piles)
        if trumps:
            yield game.high * (trumps[0] in piles[side]), "high"
            yield game.low * (trumps[-1] in piles[side]), "low"
        if game.most:
            counted = {each: self._counted(pile) for each, pile in enumerate(piles)}
            yield game.most * (sole_best(counted) == side), "most"

    def _shooter(self, piles: list[list[Card]]) -> int | None:
        """Return the side that took every card with points above 0; None if no side did, or if there are none."""
        if not self._scoring:
            return None
        return next((side for side, pile in enumerate(piles) if self._scoring <= {*pile}), None)

    def _worth(self, card: Card) -> int:
        """Return the points of `card` in this hand."""
        game = self.description
        plain = game.points.get(card, 0)
        return game.trump_points.get(card.rank, plain) if card.suit == self.trump else plain

    def _trumps_taken(self, piles: list[list[Card]]) -> list[Card]:
        """Return the trumps that were played in this hand, the highest first."""
        taken = {card for pile in piles for card in pile if card.suit == self.trump}
        return sorted(taken, key=lambda card: self.description.trump_ranks.index(card.rank))

    def _counted(self, pile: list[Card]) -> int:
        """Return what the cards that a side took count; the side with the most scores `most`."""
        return sum(self.description.counts.get(card, 0) for card in pile)

    def revoke_costs(self, revoker: int) -> Text:
        """Return the points that a revoke costs, by the description."""
        one = "{name} should have followed suit: it costs {count} point."
        many = "{name} should have followed suit: it costs {count} points."
        return plural(one, many, self.description.revoke, name=self.players[revoker])
