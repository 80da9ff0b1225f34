"""Belote, for four in partnerships: the rules in the order in which the rule book gives them.

Two forms: classic Belote, in which the turn-up is taken, and contrée (coinche), with an auction. The rules followed,
what clubs play differently, and the rulings are in docs/games/belote.md.
"""

from __future__ import annotations

from typing import ClassVar, Final

from engine.actions import Action
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
from engine.rules.tricks import Trick
from engine.texts import Text, text
from engine.views import EventKind
from engine.words import Word

FIRST, DEALT = 5, 8
DIX_DE_DER, CAPOT_BONUS = 10, 100
ALL_POINTS, CAPOT_POINTS = 162, 252
BELOTE_POINTS: Final = 20
BIDS: Final = {**{str(value): value for value in range(80, 170, 10)}, "capot": 250}


class Belote(RoyalPairGame, TakingGame, PointBidGame):
    """Belote. See `Game` for the attributes and the coroutines.

    `taker`: the seat that took the turn-up or made the contract, or None. `trumps`: the word for trumps. `revokers`:
    the sides that revoked.
    """

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
        Option(
            "form",
            "classic",
            text("the turn-up is taken, or there is an auction"),
            None,
            ("classic", "contree"),
            text("Form"),
        ),
        Option("target", 1000, text("points that win the game"), least=1, label=text("Game at")),
        Option("declarations", True, text("sequences and four of a rank count"), label=text("Declarations")),
        Option("say_belote", False, text("belote counts only if it is said"), label=text("Say belote")),
        Option(
            "keep_belote",
            "classic",
            text("a side that loses the hand keeps its belote"),
            None,
            ("classic", "always", "never"),
            text("Keep belote"),
        ),
        Option(
            "undertrump",
            "classic",
            text("without a higher trump, a lower one must be played"),
            None,
            ("classic", "always", "never"),
            text("Undertrump"),
        ),
        Option(
            "spare_partner",
            True,
            text("a trick that the partner is winning need not be trumped"),
            label=text("Spare the partner"),
        ),
        Option(
            "litige",
            "held",
            text("what the takers’ points are if both sides have the same"),
            None,
            ("held", "lost"),
            text("Litige"),
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
        self.taker: int | None = None
        self.trumps = ""
        self.revokers: set[int] = set()

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
        yield from self.take() if self.classic else self.bid()
        if self.taker is None:
            self.report("passed")
            self.match.dealer = self.eldest
            return
        ranking = ranking_of(self.trumps)
        self.rank(ranking)
        self.rising = SUITS if self.trumps == "all-suits" else (ranking.trump,) if ranking.trump else ()
        yield from self.play_tricks(self.eldest)
        self.count_hand(self.taker)

    def take(self) -> Rules[None]:
        """Deal five each and turn a card up; one player takes it; deal the rest."""
        taken = yield from self.deal_and_take(FIRST, DEALT)
        if taken is not None:
            self.taker = taken.seat
            self.trumps = next(word for word, suit in SUIT_OF.items() if suit == taken.trump)

    def bid(self) -> Rules[None]:
        """Deal all cards and hold the auction."""
        contract = yield from self.auction(
            (*SUIT_OF, *(("no-trumps", "all-suits") if self.values["no_trumps"] else ()))
        )
        if contract is not None:
            self.taker, self.trumps = contract.seat, contract.trumps

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Also close the deal at the first word of the play."""
        if action.do == "say":
            self.rest.seats = ()
        super().meanwhile(trick, action)

    # The count

    def count_hand(self, taker: int) -> None:
        """Score the points of each side; or give all of them to one side, if the other has lost the hand."""
        takers = self.side_of(taker)
        points = [self.points_of(0), self.points_of(1)]
        totals = [sum(each.values()) for each in points]
        loser = self.loser(takers, totals)
        winner = takers if loser is None else 1 - loser
        if len(self.revokers) == len(points):
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
            self.score_side(side, points[side])
        self.report("hand-over")
        self.win_or_pass_deal()

    def points_of(self, side: int) -> dict[str, int]:
        """Return what `side` has made, by the reason. For all eight tricks 100 are scored instead of dix de der."""
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
            return min(self.revokers)
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

    def score_side(self, side: int, points: dict[str, int]) -> None:
        """Score `points` for `side`, rounded to tens if the option says so, and keep them to be shown."""
        total = sum(points.values())
        if self.values["rounded"]:
            points["rounding"] = (total + 5) // 10 * 10 - total
        scored = [(each, reason) for reason, each in points.items() if each]
        for each, reason in scored:
            self.score(side, each, reason)
        if scored:
            self.add_count(side, [], [(each, reason, []) for each, reason in scored], name=self.side_name(side))

    def punish_revoke(self, revoker: int) -> None:
        """Let the side that revoked lose the hand; if both did, neither scores."""
        self.revokers.add(self.side_of(revoker))

    def revoke_costs(self, revoker: int) -> Text:
        """Return what `punish_revoke` does."""
        return text(
            "{name} should have played another card: the others score the whole hand.", name=self.players[revoker]
        )

    # Views

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add who took the turn-up, and the points held over."""
        taker = [(text("taker"), self.players[self.taker])] if self.classic and self.taker is not None else []
        held = [(text("litige"), str(points))] if (points := self.match.more.get("held")) else []
        return (*taker, *super().facts(), *held)
