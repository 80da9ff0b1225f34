"""Belote, for four in partnerships: the rules in the order in which the rule book gives them.

Two forms: classic Belote, in which the turn-up is taken, and contrée (coinche), with an auction. The rules followed,
what clubs play differently, and the rulings are in docs/games/belote.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Final

from engine.cards import SUITS, Card, Deck
from engine.rules.auction import CALLS
from engine.rules.contract_bids import REDOUBLED, PointBidGame
from engine.rules.declarations import DECLARATIONS
from engine.rules.game import Option, Rules
from engine.rules.jass_cards import PLAIN_RANKS, card_points, ranking_of
from engine.rules.making_trumps import TAKE_UP
from engine.rules.penalties import REVOKE
from engine.rules.royal_pairs import BELOTE, RoyalPairGame
from engine.rules.suit_words import SUIT_OF, SUIT_WORDS
from engine.rules.taking import TakingGame
from engine.texts import Text, text
from engine.views import EventKind
from engine.words import Word

FIRST, DEALT = 5, 8
DIX_DE_DER, CAPOT_BONUS = 10, 100
ALL_POINTS, CAPOT_POINTS = 162, 252
BELOTE_POINTS: Final = 20
FORMS: Final = ("classic", "always", "never")
"""When an option applies: in classic Belote only, in both forms, in neither."""
NO_SUITS: Final = ("no-trumps", "all-suits")
BIDS: Final = {**{str(value): value for value in range(80, 170, 10)}, "capot": 250}


class Belote(TakingGame, RoyalPairGame, PointBidGame):
    """Belote. See `Game` for the attributes and the coroutines. `trumps`: the word for trumps; "" before."""

    name = "belote"
    title = "Belote"
    about = text("Make more points in tricks than the others, with trumps that one of you has chosen.")
    seats = range(4, 5)
    partners = (4,)
    deck = Deck(Card(rank, suit) for suit in SUITS for rank in PLAIN_RANKS)
    words = (
        *(TAKE_UP, *CALLS, *SUIT_WORDS, Word("no-trumps", mark=154), Word("all-suits", mark=155)),
        *(*DECLARATIONS, BELOTE, REVOKE),
        *(Word(bid, group="bid", mark=157 + place) for place, bid in enumerate(BIDS)),
    )
    proof_costs = True
    reasons = (
        *("tricks", "dix-de-der", "capot", "belote", "declarations", "contract", "all-points", "litige", "rounding"),
    )
    zones = ("play", "turn-up", "say", "show")
    face_down = ("stock", "turn-up")
    event_kinds: ClassVar = {"litige": EventKind(lambda name, card: text("Both sides have the same: litige"))}
    options = (
        Option.choice(
            "form", ("classic", "contree"), text("the turn-up is taken, or there is an auction"), text("Form")
        ),
        Option("target", 1000, text("points that win the game"), least=1, label=text("Game at")),
        Option("declarations", True, text("sequences and four of a rank count"), label=text("Declarations")),
        Option("say_belote", False, text("belote counts only if it is said"), label=text("Say belote")),
        Option.choice("keep_belote", FORMS, text("a side that loses the hand keeps its belote"), text("Keep belote")),
        Option.choice(
            "undertrump", FORMS, text("without a higher trump, a lower one must be played"), text("Undertrump")
        ),
        Option(
            "spare_partner",
            True,
            text("a trick that the partner is winning need not be trumped"),
            label=text("Spare the partner"),
        ),
        Option.choice(
            "litige", ("held", "lost"), text("what the takers’ points are if both sides have the same"), text("Litige")
        ),
        Option(
            "no_trumps",
            False,
            text("contrée can be played without trumps, or with all suits as trumps"),
            label=text("No and all trumps"),
        ),
        Option("surcoinche", 4, text("what a redoubled contract is multiplied by"), least=2, label=text("Redoubled")),
        Option("rounded", False, text("scores are rounded to tens"), label=text("Rounded")),
    )
    point_bids = tuple(BIDS)

    def next_seat(self, seat: int) -> int:
        """Return the seat on the right: dealing and play go counter-clockwise."""
        return (seat - 1) % len(self.players)

    def clear_tricks(self) -> None:
        """Begin a hand without trumps."""
        super().clear_tricks()
        self.trumps = ""

    @property
    def classic(self) -> bool:
        """Whether this is not contrée."""
        form: str = self.values["form"]
        return form == "classic"

    def applies(self, option: str) -> bool:
        """Return whether a rule applies that may be one of classic Belote only."""
        return self.values[option] == "always" or (self.values[option] == "classic" and self.classic)

    # The hand

    def hand(self) -> Rules[None]:
        """Deal; find out who makes trumps; play the tricks; count."""
        self.clear_tricks()
        self.declares, self.spares_partner = self.values["declarations"], self.values["spare_partner"]
        self.undertrumps, self.must_say = self.applies("undertrump"), self.values["say_belote"]
        suits = (*SUIT_OF, *(NO_SUITS if self.values["no_trumps"] else ()))
        taken = yield from self.deal_and_take(FIRST, DEALT) if self.classic else self.auction(suits)
        if taken is None:
            self.report("passed")
            self.match.dealer = self.eldest
            return
        self.trumps = taken.trumps
        ranking = ranking_of(self.trumps)
        self.rank(ranking)
        self.rising = SUITS if self.trumps == "all-suits" else (ranking.trump,) if ranking.trump else ()
        yield from self.play_tricks(self.eldest)
        self.count_hand(taken.seat)

    # The count

    def count_hand(self, taker: int) -> None:
        """Score the points of each side; or give all of them to one side, if the other has lost the hand."""
        takers = self.side_of(taker)
        points = [self.points_of(0), self.points_of(1)]
        totals = [sum(each.values()) for each in points]
        loser = self.loser(takers, totals)
        winner = takers if loser is None else 1 - loser
        if len(self.revoked_sides) == len(points):
            points = [{}, {}]
        elif loser is None and self.classic and totals[0] == totals[1]:
            self.report("litige")
            points[takers] = {}
            self.match.more["held"] = self.match.more.get("held", 0) + totals[takers]
        else:
            if loser is not None:
                self.give_all(points, winner, takers)
            points[winner]["contract"] = self.contract_points()
            points[winner]["litige"] = self.match.more.pop("held", 0)
        for side in (0, 1):
            self.score_side(side, [(each, reason) for reason, each in points[side].items()])
        self.report("hand-over")
        self.win_or_pass_deal()

    def points_of(self, side: int) -> dict[str, int]:
        """Return what `side` has made, by reason. For all eight tricks 100 are scored instead of dix de der."""
        cards = [card for trick in self.tricks if self.side_of(trick.winner) == side for card in trick.cards]
        last, capot = self.side_of(self.tricks[-1].winner) == side, self.tricks_of(side) == DEALT
        return {
            "tricks": sum(card_points(card, self.trumps) for card in cards),
            "dix-de-der": DIX_DE_DER if last and not capot else 0,
            "capot": CAPOT_BONUS if capot else 0,
            "declarations": self.declaration_points(side),
            "belote": BELOTE_POINTS * sum(self.side_of(seat) == side for seat in self.belotes()),
        }

    def loser(self, takers: int, totals: list[int]) -> int | None:
        """Return the side that has lost the hand; None if both score. `totals`: what each side has made.

        A side that revoked has lost. Otherwise the takers have if they have not made more than the others (classic) or
        not the contract. After a double one of the sides has lost.
        """
        if self.revokers:
            return min(self.revoked_sides)
        contract, mine, theirs = self.contract, totals[takers], totals[1 - takers]
        if contract is None:
            spared = mine > theirs or (mine == theirs and self.values["litige"] == "held")
            return None if spared else takers
        made = self.tricks_of(takers) == DEALT if contract.bid == "capot" else mine >= BIDS[contract.bid]
        if not made:
            return takers
        return 1 - takers if contract.risk > 1 else None

    def give_all(self, points: list[dict[str, int]], winner: int, takers: int) -> None:
        """Give the points of the whole deal to `winner`; the other side keeps at most its belote."""
        won, lost = points[winner], points[1 - winner]
        kept = lost["belote"] if self.applies("keep_belote") else 0
        capot = won["capot"] and not self.revokers and (self.classic or winner == takers)
        points[winner] = {
            "all-points": CAPOT_POINTS if capot else ALL_POINTS,
            "declarations": won["declarations"] + lost["declarations"],
            "belote": won["belote"] + lost["belote"] - kept,
        }
        points[1 - winner] = {"belote": kept}

    def contract_points(self) -> int:
        """Return what the contract adds; 0 in classic Belote."""
        if self.contract is None:
            return 0
        risk = self.values["surcoinche"] if self.contract.risk == REDOUBLED else self.contract.risk
        return int(BIDS[self.contract.bid] * risk)

    def score_side(self, side: int, reasons: Iterable[tuple[int, str]]) -> None:
        """Also round the score to tens, if the option says so."""
        scored = [*reasons]
        total = sum(points for points, _ in scored)
        rounding = (total + 5) // 10 * 10 - total if self.values["rounded"] else 0
        super().score_side(side, [*scored, (rounding, "rounding")])

    def revoke_costs(self, revoker: int) -> Text:
        """Return that the side that revoked loses the hand; if both did, neither scores."""
        return text(
            "{name} should have played another card: the others score the whole hand.", name=self.players[revoker]
        )

    # Views

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the points held over."""
        held = [(text("litige"), str(points))] if (points := self.match.more.get("held")) else []
        return (*super().facts(), *held)
