"""Hearts, for three to seven: the rules in the order in which the rule book gives them.

The rulings, and how cards are passed at this table, are in docs/reference/games/hearts.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from engine.cards import STANDARD_DECK, Card
from engine.rules.dealing import DealtOutGame, FirstLead
from engine.rules.game import Option, Rules
from engine.rules.hands import HeldBack
from engine.rules.penalties import REVOKE, PenaltyTrickGame
from engine.rules.trick_game import BrokenSuitGame
from engine.rules.tricks import HIGH_ACE, Trick
from engine.texts import Text, text
from engine.views import FeatKind, Moment, SeatNote

PASSED: Final = 3
MOON: Final = 26
JACK, QUEEN = frozenset([Card("J", "D")]), frozenset([Card("Q", "S")])
HEARTS: Final = frozenset(card for card in STANDARD_DECK if card.suit == "H")
POINTS: Final = HEARTS | QUEEN
WORTH: Final = {"hearts": (HEARTS, 1), "queen-of-spades": (QUEEN, 13), "jack-of-diamonds": (JACK, -10)}
"""By reason: the cards that count for it, and what each is worth."""
SHOT: Final = (*QUEEN, *(Card(rank, "H") for rank in "AKQJ"))
"""The cards that stand for the moon."""
NO_POINTS: Final = HeldBack(POINTS, text("Hearts and the queen of spades may not be played to the first trick."))
NOT_BROKEN: Final = HeldBack(HEARTS, text("Hearts may not be led before they are broken."))


class Hearts(DealtOutGame, BrokenSuitGame, PenaltyTrickGame):
    """Hearts. See `Game` for the attributes and the coroutines."""

    name = "hearts"
    title = "Hearts"
    about = text("Avoid hearts and the queen of spades, or take them all.")
    seats = range(3, 8)
    words = (REVOKE,)
    reasons = ("hearts", "queen-of-spades", "jack-of-diamonds", "moon", "revoke")
    zones = ("play", "say", "show")
    lowest_wins = True
    feat_kinds: ClassVar = {
        "moon": FeatKind(text("Moons shot"), counted=True),
        "clean": FeatKind(text("Hands without a point"), counted=True),
        "queen": FeatKind(text("Queens of spades caught"), counted=True),
    }
    not_broken = NOT_BROKEN
    removable = (Card("2", "D"), Card("2", "C"), Card("3", "D"), Card("3", "C"))
    options = (
        Option(
            "target",
            100,
            text("points that end the game; the lowest score wins"),
            least=1,
            label=text("Play to"),
            usual=(10, 50, 100, 150),
        ),
        Option.choice("passing", ("rotate", "left", "none"), text("where cards are passed"), text("Passing")),
        Option.choice("moon", ("others", "shooter"), text("who scores 26 if one takes all"), text("Moon")),
        Option("jack_of_diamonds", False, text("the jack of diamonds counts minus 10"), label=text("Jack of diamonds")),
        Option("queen_breaks", True, text("the queen of spades breaks hearts too"), label=text("Queen breaks hearts")),
        Option("early_points", False, text("points may be played to the first trick"), label=text("Early points")),
    )

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        self.first = next(card for card in self.deck if card.suit == "C" and card.rank in "234")
        others = frozenset(self.deck) - {self.first}
        self.not_first = HeldBack(others, text("{card} is led first.", card=self.first.glyph))
        self.breaking = POINTS if self.values["queen_breaks"] else HEARTS

    # The hand

    def hand(self) -> Rules[None]:
        """Deal all cards, pass three, lead the lowest club, play the tricks, count."""
        self.clear_tricks()
        then = text("Whoever has {card} leads.", card=self.first.glyph)
        to = self.pass_to(self.values["passing"])
        lead = yield from self.deal_out(FirstLead(self, self.first), PASSED, to, then)
        yield from self.play_tricks(self.hand_of(lead).seat, lead.card)
        self.count_hand()

    def held_back(self, trick: Trick) -> HeldBack | None:
        """Hold back all but the lowest club, then points in the first trick, then leads of hearts until one fell."""
        leads = trick.complete or not trick.plays
        if not self.tricks and not trick.complete:
            return self.not_first if leads else None if self.values["early_points"] else NO_POINTS
        return super().held_back(trick)

    def play(self, trick: Trick, card: Card) -> None:
        """Also show who takes a card that counts more than a heart."""
        super().play(trick, card)
        for reason, (counting, _) in WORTH.items() if trick.complete else ():
            if len(counting) == 1 and counting.intersection(trick.cards) and self.counts(reason, None):
                (taken,) = counting
                headline = text("{name} takes {cards}", name=self.players[trick.winner], cards=taken.glyph)
                self.add_moment(Moment("taken", headline, trick.winner, (taken,)))

    def count_hand(self) -> None:
        """Score what each seat took, or the moon if one took all points; after a revoke only the revoker scores."""
        piles = [self.won_by(seat) for seat in self.every_seat]
        shooter = next((seat for seat, pile in enumerate(piles) if POINTS.issubset(pile)), None)
        if shooter is not None:
            headline = text("{name} shoots the moon", name=self.players[shooter])
            self.add_moment(Moment("moon", headline, shooter, SHOT))
            self.note_feat("moon", shooter)
        for seat in self.seats_from(self.eldest):
            scored = []
            for reason, (counting, worth) in WORTH.items():
                if (cards := [card for card in piles[seat] if card in counting]) and self.counts(reason, shooter):
                    scored.append((worth * len(cards), reason, cards))
            if shooter is not None and (seat == shooter) == (self.values["moon"] == "shooter"):
                scored.append((-MOON if seat == shooter else MOON, "moon", []))
            if self.revokers:
                scored = [(MOON, "revoke", [])] if seat in self.revokers else []
            for points, reason, _ in scored:
                self.score(seat, points, reason)
            if shooter is None and not self.revokers:
                for feat, did in (("clean", POINTS.isdisjoint(piles[seat])), ("queen", QUEEN.issubset(piles[seat]))):
                    if did:
                        self.note_feat(feat, seat)
            self.add_count(seat, piles[seat], scored)
        self.report("hand-over")
        self.win_or_pass_deal()

    def counts(self, reason: str, shooter: int | None) -> bool:
        """Return whether the cards of `reason` count. `shooter`: the seat that took all points, or None."""
        return bool(self.values["jack_of_diamonds"]) if reason == "jack-of-diamonds" else shooter is None

    def note(self, seat: int) -> SeatNote:
        """Return the points of the cards that `seat` has taken in this hand, and those cards, the queen first."""
        worth = {card: worth for reason, (cards, worth) in WORTH.items() if self.counts(reason, None) for card in cards}
        cards = sorted(
            POINTS.union(worth).intersection(self.cards_taken(seat)),
            key=lambda card: (card.suit == "H", HIGH_ACE[card.rank]),
        )
        return SeatNote(gained=sum(worth[card] for card in cards), cards=tuple(cards))

    def revoke_costs(self, revoker: int) -> Text:
        """Return that the revoker scores all points of the hand; nothing else counts."""
        message = "{name} should have followed suit: {name} scores {points} points for this hand, the others none."
        return text(message, name=self.players[revoker], points=MOON)
