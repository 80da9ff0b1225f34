"""All Fives, for two or three: the rules in the order in which the rule book gives them.

The source's rules, and the rulings where it is silent, are in docs/reference/games/all-fives.md; rulings that people
commonly play differently are options.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar, Final

from engine.cards import Card
from engine.rules.dealing import LayingAwayGame
from engine.rules.game import Option, Rules
from engine.rules.penalties import CALL, REVOKE, PenaltyTrickGame
from engine.rules.trumps import BEGGING, BeggingGame
from engine.texts import Text, both, plural, text
from engine.views import FeatKind, SeatNote

COUNTING: Final = (
    ("A", 4, "ace"),
    ("K", 3, "king"),
    ("Q", 2, "queen"),
    ("J", 1, "jack"),
    ("10", 10, "ten"),
    ("5", 5, "five"),
)
"""The trumps that score: rank, points, reason."""

DEALT: Final = 6
RUN: Final = 3
GIFT: Final = 1
PENALTY: Final = 3


def count_trumps(cards: Collection[Card], trump: str) -> list[tuple[int, str]]:
    """Return points and reasons for the trumps among the captured `cards`, in counting order.

    >>> from engine.cards import parse_card
    >>> count_trumps([parse_card("10H"), parse_card("AH"), parse_card("5C")], "H")
    [(4, 'ace'), (10, 'ten')]
    """
    return [(points, reason) for rank, points, reason in COUNTING if Card(rank, trump) in cards]


class AllFives(BeggingGame, LayingAwayGame, PenaltyTrickGame):
    """All Fives. See `Game` for the attributes and the coroutines.

    `barred`: the seats that cannot win on this hand.
    """

    name = "all-fives"
    title = "All Fives"
    about = text("Capture the ace, king, queen, jack, ten and five of trumps in tricks.")
    seats = range(2, 4)
    words = (*BEGGING, REVOKE, CALL)
    proof_costs = False
    reasons = ("ace", "king", "queen", "jack", "ten", "five", "beg", "revoke")
    zones = ("play", "turn-up", "say", "show")
    fact_displays: ClassVar = {**BeggingGame.fact_displays, "cannot win on this hand": "placed"}
    feat_kinds: ClassVar = {"hand": FeatKind(text("Best hand"))}
    options = (
        Option("target", 61, text("points that win the game"), least=1, label=text("Play to"), usual=(31, 61, 121)),
        Option(
            "discard_to_six",
            False,
            text("after the cards have been run, every player keeps six and lays the others away"),
            label=text("Lay away to six"),
        ),
        Option(
            "revoke_bonus",
            False,
            text("a revoke gives 3 points to every other player instead of costing 3"),
            label=text("Revoke pays the others"),
        ),
    )

    def clear_tricks(self) -> None:
        """Begin a hand on which every seat may win."""
        super().clear_tricks()
        self.barred: set[int] = set()

    # The hand

    def hand(self) -> Rules[None]:
        """Deal, settle trumps, lay away, play the tricks, count."""
        self.clear_tricks()
        yield from self.settle_trumps(DEALT, RUN, GIFT)
        if self.match.over:
            return
        if self.values["discard_to_six"]:
            yield from self.lay_away_to(DEALT)
        yield from self.play_tricks(self.eldest)
        self.count_hand()

    def count_hand(self) -> None:
        """Score the trumps, in order from eldest; then end the game or pass the deal to the left."""
        trump, rank = self.trump or "", {reason: rank for rank, _, reason in COUNTING}
        for seat in self.seats_from(self.eldest):
            won = self.won_by(seat)
            scored = count_trumps(won, trump)
            for points, reason in scored:
                self.score(seat, points, reason)
            counting = [Card(rank[reason], trump) for _, reason in scored]
            self.note_feat("hand", seat, sum([points for points, _ in scored]), counting)
            self.add_count(seat, won, [(*found, (Card(rank[found[1]], trump),)) for found in scored])
        self.report("hand-over")
        self.win_or_pass_deal(self.barred)

    def punish_revoke(self, revoker: int) -> None:
        """Bar the revoker from winning on this hand, and subtract 3 points or give `revoke_bonus` to the others."""
        self.barred.add(revoker)
        if not self.values["revoke_bonus"]:
            self.score(revoker, -PENALTY, "revoke")
            return
        for seat in self.every_seat:
            if seat != revoker:
                self.score(seat, PENALTY, "revoke")

    def revoke_costs(self, revoker: int) -> Text:
        """Return what `punish_revoke` does."""
        name = self.players[revoker]
        if not self.values["revoke_bonus"]:
            message = "{name} should have followed suit: {name} loses {points} points and cannot win on this hand."
            return text(message, name=name, points=PENALTY)
        others = [player for seat, player in enumerate(self.players) if seat != revoker]
        single = "{name} should have followed suit: {others} gets {points} points, and {name} cannot win on this hand."
        many = (
            "{name} should have followed suit: {others} get {points} points each, and {name} cannot win on this hand."
        )
        return plural(single, many, len(others), name=name, others=both(others), points=PENALTY)

    # Views

    def note(self, seat: int) -> SeatNote:
        """Return what the trumps that the seat has taken score, the best first; and whether a revoke bars it."""
        role = text("cannot win") if seat in self.barred else ""
        if self.trick is None or self.trump is None:
            return SeatNote(role)
        worth = {Card(rank, self.trump): points for rank, points, _ in COUNTING}
        cards = sorted(worth.keys() & {*self.cards_taken(seat)}, key=lambda card: -worth[card])
        return SeatNote(role, sum(worth[card] for card in cards), tuple(cards))

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the card called, and the players who cannot win on this hand."""
        facts = [*super().facts()]
        if self.called:
            facts.append((text("called"), self.called.glyph))
        facts += [(text("cannot win on this hand"), self.players[seat]) for seat in sorted(self.barred)]
        return tuple(facts)
