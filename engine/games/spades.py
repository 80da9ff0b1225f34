"""Spades, for four in partnerships or for three: the rules in the order in which the rule book gives them.

The rulings, and what clubs play differently, are in docs/reference/games/spades.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from engine.cards import STANDARD_DECK, Card
from engine.rules.bidding import HIGHEST, NUMBERS, NumberBidGame
from engine.rules.dealing import DealtOutGame
from engine.rules.game import Option, Rules
from engine.rules.hands import HeldBack
from engine.rules.penalties import REVOKE, PenaltyTrickGame
from engine.rules.questions import Say
from engine.rules.state import sole_best
from engine.rules.trick_game import BrokenSuitGame
from engine.texts import Text, commas, plural, text, word_text
from engine.views import FactDisplay, FeatKind, Moment, SeatNote, Tally
from engine.words import Word

NIL: Final = {"nil": 100, "blind-nil": 200}
"""The bids to take no trick, and what each wins or loses."""
BEHIND: Final = 100
"""By how many points a side must be behind to bid blind nil."""
TRICK: Final = 10
BAGS: Final = 10
SPADES: Final = frozenset(card for card in STANDARD_DECK if card.suit == "S")


class Spades(DealtOutGame, NumberBidGame, BrokenSuitGame, PenaltyTrickGame):
    """Spades. See `Game` for the attributes and the coroutines.

    `nils`: by seat, the word of its bid to take no trick. Blind nil is said before the player looks at the cards; the
    table takes the player's word for it.
    """

    name = "spades"
    title = "Spades"
    about = text("Bid how many tricks you and your partner will take; spades are trumps.")
    seats = range(3, 5)
    partners = (4,)
    words = (*NUMBERS[1:], Word("nil", mark=113), Word("blind-nil", mark=114), REVOKE)
    reasons = ("bid", "bags", "ten-bags", "set", "nil", "blind-nil")
    zones = ("play", "say", "show")
    removable = (Card("2", "C"),)
    breaking = SPADES
    not_broken = HeldBack(SPADES, text("Spades may not be led before they are broken."))
    fact_displays: ClassVar[Mapping[str, FactDisplay]] = {
        **NumberBidGame.fact_displays,
        **dict.fromkeys(("bags", *map(word_text, NIL)), "placed"),
    }
    feat_kinds: ClassVar = {
        "nil": FeatKind(text("Nils made"), counted=True),
        "blind-nil": FeatKind(text("Blind nils made"), counted=True),
        "highest": FeatKind(text("Highest bid made")),
        "bid": FeatKind(text("Bids made without a bag"), counted=True),
    }
    options = (
        Option("target", 500, text("points that win the game"), least=1, label=text("Play to")),
        Option("limit", 200, text("points below zero that end the game; 0: none"), least=0, label=text("Lost at")),
        Option("bag_penalty", 100, text("what ten bags cost"), least=0, label=text("Ten bags")),
        Option("blind_nil", True, text("a side that is 100 behind may bid blind nil"), label=text("Blind nil")),
        Option(
            "nil_helps",
            False,
            text("tricks of a failed nil count for the partner"),
            label=text("Nil helps"),
            unsaid=True,
        ),
    )

    def clear_tricks(self) -> None:
        """Begin a hand without bids; spades are trumps."""
        super().clear_tricks()
        self.trump = "S"
        self.nils: dict[int, str] = {}

    # The hand

    def hand(self) -> Rules[None]:
        """Deal all cards; each seat bids, eldest first; play the tricks; count."""
        self.clear_tricks()
        eldest, *others = self.seats_from(self.eldest)
        first = yield from self.deal_out(self.bid_offer(eldest), then=self.ask_bid(eldest), turn=eldest)
        self.note_bid(eldest, first.word or "")
        for seat in others:
            self.note_bid(seat, (yield from self.ask(self.bid_offer(seat), self.ask_bid(seat))))
        yield from self.play_tricks(eldest)
        self.count_hand()

    def bid_offer(self, seat: int) -> Say:
        """Return the offer to bid. Partners bid `HIGHEST` tricks at most together."""
        partner, score = self.partner_of(seat), self.match.scores[self.side_of(seat)]
        most = HIGHEST - (0 if partner is None else self.bids.get(partner, 0))
        blind = self.values["blind_nil"] and max(self.match.scores) - score >= BEHIND
        return Say(self, seat, (*map(str, range(1, most + 1)), *(NIL if blind else ("nil",))))

    def ask_bid(self, seat: int) -> Text:
        """Return the request to bid."""
        return text("{name}: how many tricks?", name=self.players[seat])

    def note_bid(self, seat: int, word: str) -> None:
        """Note the bid of `seat`."""
        self.bids[seat] = 0 if word in NIL else int(word)
        if word in NIL:
            self.nils[seat] = word

    def count_hand(self) -> None:
        """Score each side. The best wins once it has reached the target, or a side is `limit` points below zero."""
        bags = list(self.bags)
        for seat, word in self.nils.items():
            if not self.tricks_won()[seat] and self.side_of(seat) not in self.revoked_sides:
                headline = text("{name} makes {what}", name=self.players[seat], what=word_text(word))
                self.add_moment(Moment("nil", headline, seat))
                self.note_feat(word, seat)
        for side, (seat, *_) in enumerate(self.sides()):
            scored = {reason: points for points, reason in self.scored(side) if points}
            if "bid" in scored:
                self.note_feat_of_side("highest", side, scored["bid"] // TRICK)
                if "bags" not in scored:
                    self.note_feat_of_side("bid", side)
            for points, reason in [scored for scored in self.scored(side) if scored[0]]:
                self.score(seat, points, reason)
                bags[side] += points if reason == "bags" else 0
        self.match.more["bags"] = tuple([count % BAGS for count in bags])
        self.report("hand-over")
        scores, limit = self.match.scores, self.values["limit"]
        best = sole_best(dict(enumerate(scores)))
        if best is not None and (scores[best] >= self.values["target"] or (limit and min(scores) <= -limit)):
            self.win(best)
        else:
            self.match.dealer = self.eldest

    def scored(self, side: int) -> Iterator[tuple[int, str]]:
        """Yield points and reasons: the nils of `side`, its bid, its bags, and the penalty for ten bags."""
        seats, won, revoked = self.sides()[side], self.tricks_won(), side in self.revoked_sides
        for seat in [seat for seat in seats if seat in self.nils]:
            worth = NIL[self.nils[seat]]
            yield -worth if won[seat] or revoked else worth, self.nils[seat]
        bid, tricks = sum(self.bids[seat] for seat in seats), self.tricks_of(side)
        counted = self.tricks_for_bid(side)
        made = not revoked and bid <= counted
        yield (TRICK * bid, "bid") if made else (-TRICK * bid, "set")
        if revoked:
            return
        bags = tricks - (bid if made else counted)
        yield bags, "bags"
        yield -self.values["bag_penalty"] * ((self.bags[side] + bags) // BAGS), "ten-bags"

    def tricks_for_bid(self, side: int) -> int:
        """Return the tricks of `side` that count for its bid: those of a failed nil only if `nil_helps`."""
        helps, won = self.values["nil_helps"], self.tricks_won()
        return sum(won[seat] for seat in self.sides()[side] if helps or seat not in self.nils)

    @property
    def bags(self) -> tuple[int, ...]:
        """The bags of each side since its last penalty."""
        bags: tuple[int, ...] = self.match.more.get("bags", (0,) * len(self.match.scores))
        return bags

    def revoke_costs(self, revoker: int) -> Text:
        """Return that the bids of the revoker's side fail."""
        return text("{name} should have followed suit: the bids of that side fail.", name=self.players[revoker])

    # Views

    def note(self, seat: int) -> SeatNote:
        """Return the nil that the seat has bid, or the bags of its side."""
        if seat in self.nils:
            return SeatNote(word_text(self.nils[seat]))
        bags = self.bags[self.side_of(seat)]
        return SeatNote(plural("{count} bag", "{count} bags", bags) if bags else "")

    def tallies(self) -> tuple[Tally, ...]:
        """Return the tricks of partners, with what they have bid together; three players see that beside each seat."""
        if self.trick is None or len(self.players) not in self.partners:
            return ()
        bids = [sum(self.bids[seat] for seat in seats) for seats in self.sides()]
        tallies = self.trick_tallies(*bids)
        return tuple(tally._replace(figure=self.tricks_for_bid(side)) for side, tally in enumerate(tallies))

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the bids of nil, and the bags."""
        nils = [(word_text(word), self.players[seat]) for seat, word in self.nils.items()]
        bags = [text("{name}: {what}", name=self.side_name(side), what=bags) for side, bags in enumerate(self.bags)]
        return (*super().facts(), *nils, (text("bags"), commas(bags)))
