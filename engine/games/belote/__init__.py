"""Belote, for four in partnerships: the rules in the order in which the rule book gives them.

Two forms: classic Belote, in which the turn-up is taken, and contrée (coinche), with an auction. The rules followed,
what clubs play differently, and the rulings are in docs/reference/games/belote.md. The module `bidding` settles
who makes trumps, and `declarations` has what is announced during the play.

The takers must make more points than the others, or as many as they have bid. If they fail, or a side has revoked, that
side has lost the hand: the other scores the points of all tricks, and what both have scored besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import ClassVar, Final

from engine.cards import SUIT_TEXTS, SUITS, Card, Deck
from engine.games.belote.bidding import BIDS, CAPOT, DEALT, ClassicGame, ContreeGame, PointContract, Taken
from engine.games.belote.declarations import BELOTE, DECLARATIONS, DeclarationGame
from engine.rules.bidding import CALLS
from engine.rules.game import Option, Rules
from engine.rules.hands import HeldBack
from engine.rules.penalties import REVOKE
from engine.rules.trick_game import must_beat, must_trump
from engine.rules.tricks import Ranking, Trick
from engine.rules.trumps import SUIT_OF, SUIT_WORDS, TAKE_UP
from engine.texts import Text, text, word_text
from engine.views import EventKind, FeatKind, Tally
from engine.words import Word

LAST_TRICK: Final = 10
"""The points for winning the last trick (`dix-de-der`)."""
EVERY_TRICK: Final = 100
"""The points for winning all tricks (`capot`), instead of those for the last one."""
BELOTE_POINTS: Final = 20
FORMS: Final = ("classic", "always", "never")
"""When an option applies: in classic Belote only, in both forms, in neither."""
TRUMP_RANKS: Final = ("J", "9", "A", "10", "K", "Q", "8", "7")
PLAIN_RANKS: Final = ("A", "10", "K", "Q", "J", "9", "8", "7")
PLAIN: Final = {"A": 11, "10": 10, "K": 4, "Q": 3, "J": 2}
TRUMPS: Final = {"J": 20, "9": 14, "A": 11, "10": 10, "K": 4, "Q": 3}
NO_TRUMPS: Final = {**PLAIN, "A": 19}
ALL_TRUMPS: Final = {"J": 14, "9": 9, "A": 6, "10": 5, "K": 3, "Q": 1}
"""What a card counts, by its rank. All cards together count 152 in each case."""
DECK: Final = Deck(Card(rank, suit) for suit in SUITS for rank in PLAIN_RANKS)
NO_SUITS: Final = (Word("no-trumps", mark=154), Word("all-suits", mark=155))
"""The words for trumps besides the suits, for the `words` of a game."""


@cache
def ranking_of(trumps: str) -> Ranking:
    """Return how the cards rank after `trumps` was named: the word for a suit, or one of `NO_SUITS`."""
    suit = SUIT_OF.get(trumps)
    if suit is None:
        return Ranking(None, (), TRUMP_RANKS if trumps == "all-suits" else PLAIN_RANKS)
    return Ranking(suit, tuple(Card(rank, suit) for rank in TRUMP_RANKS), PLAIN_RANKS)


@cache
def points_of_cards(trumps: str) -> Mapping[Card, int]:
    """Return what each card counts after `trumps` was named: the word for a suit, or one of `NO_SUITS`."""
    suit, others = SUIT_OF.get(trumps), {"all-suits": ALL_TRUMPS, "no-trumps": NO_TRUMPS}.get(trumps, PLAIN)
    return {card: (TRUMPS if card.suit == suit else others).get(card.rank, 0) for card in DECK}


class Belote(ClassicGame, ContreeGame, DeclarationGame):
    """Belote. See `Game` for the attributes and the coroutines.

    `card_points`: what each card counts in this hand. `undertrumps`: whether a player who must trump and cannot beat
    the highest trump must play a lower one. `match.more["held"]`: the points of litiges, for the side that wins the
    next hand.
    """

    name = "belote"
    title = "Belote"
    about = text("Make more points in tricks than the others, with trumps that one of you has chosen.")
    seats = range(4, 5)
    partners = (4,)
    deck = DECK
    words = (
        *(TAKE_UP, *CALLS, *SUIT_WORDS, *NO_SUITS, *DECLARATIONS, BELOTE, REVOKE),
        *(Word(bid, group="bid", mark=157 + place) for place, bid in enumerate(BIDS)),
    )
    reasons = (
        *("dix-de-der", "capot", "belote", "declarations"),
        *("contract", "all-points", "litige", "tricks", "rounding"),
    )
    event_kinds: ClassVar = {"litige": EventKind(lambda name, card: text("Both sides have the same: litige"))}
    feat_kinds: ClassVar = {
        "every-trick": FeatKind(text("Capots"), counted=True),
        "capot": FeatKind(text("Capots bid and made"), counted=True),
        "contract": FeatKind(text("Highest contract made")),
        "defeated": FeatKind(text("Doubled contracts defeated"), counted=True),
        "hand": FeatKind(text("Most points in a hand")),
        "declared": FeatKind(text("Best declaration")),
        "belote": FeatKind(text("Belotes and rebelotes"), counted=True),
    }
    zones = ("play", "turn-up", "say", "show")
    face_down = ("stock", "turn-up")
    fact_displays: ClassVar = {
        **DeclarationGame.fact_displays,
        "contract": "placed",
        "taker": "placed",
        "declared": "placed",
        "belote": "placed",
    }
    options = (
        Option.choice(
            "form", ("classic", "contree"), text("the turn-up is taken, or there is an auction"), text("Form")
        ),
        Option("target", 1000, text("points that win the game"), least=1, label=text("Play to")),
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
    card_points: Mapping[Card, int]
    undertrumps: bool = True

    def next_seat(self, seat: int) -> int:
        """Return the seat on the right: dealing and play go counter-clockwise."""
        return (seat - 1) % len(self.players)

    # The hand

    def hand(self) -> Rules[None]:
        """Deal; find out who makes trumps; play the tricks; count."""
        self.clear_tricks()
        self.undertrumps = self.applies("undertrump")
        taken: Taken | PointContract | None
        if self.values["form"] == "classic":
            taken = yield from self.deal_and_take()
        else:
            taken = yield from self.auction((*SUIT_OF, *[word.name for word in NO_SUITS if self.values["no_trumps"]]))
        if taken is None:
            self.report("passed")
            self.match.dealer = self.eldest
            return
        self.name_trumps(taken.trumps)
        suit = SUIT_TEXTS[self.trump] if self.trump else word_text(taken.trumps)
        self.add_moment(self.naming(taken.seat, suit))
        yield from self.play_tricks(self.eldest)
        self.count_hand(taken.seat)

    def applies(self, option: str) -> bool:
        """Return whether a rule applies that may be one of classic Belote only; its option is one of `FORMS`."""
        return self.values[option] in ("always", self.values["form"])

    def name_trumps(self, trumps: str) -> None:
        """Make `trumps`, a word, trumps: the cards rank and count so, and its suits must be beaten."""
        self.card_points = points_of_cards(trumps)
        ranking = ranking_of(trumps)
        self.rank(ranking)
        self.rising = SUITS if trumps == "all-suits" else (ranking.trump,) if ranking.trump else ()

    def held_back(self, trick: Trick) -> HeldBack | None:
        """Hold back the cards that do not beat the trick in a suit of trumps, or do not trump another suit."""
        best, ranking = trick.best, self.pack.ranking
        if trick.complete or best is None or ranking is None:
            return None
        if trick.led in self.rising:
            return must_beat(ranking, best, following=True)
        spared = self.values["spare_partner"] and trick.winner == self.partner_of(trick.turn)
        if ranking.trump is None or spared:
            return None
        if ranking.suit(best) == ranking.trump:
            return must_beat(ranking, best, following=False, undertrump=self.undertrumps)
        return must_trump(ranking)

    # The count

    def count_hand(self, taker: int) -> None:
        """Score the points of each side, or give all of them to one side if the other has lost the hand.

        If both sides have made the same points without a contract (litige), those of the takers are held over.
        """
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
        if not self.revokers:
            self.note_feats(takers, loser, points)
        self.report("hand-over")
        self.win_or_pass_deal()

    def note_feats(self, takers: int, loser: int | None, points: list[dict[str, int]]) -> None:
        """Note what the players did in this hand. `points`: those that each side scores, by reason."""
        best = max((0, 1), key=lambda side: sum(points[side].values()))
        self.note_feat_of_side("hand", best, sum(points[best].values()))
        for seat in self.belotes():
            self.note_feat("belote", seat)
        for seat, shown in self.shown.items() if self.values["declarations"] else ():
            highest = max(shown, key=lambda each: each.points)
            if self.side_of(seat) == self.best_declaration():
                self.note_feat("declared", seat, highest.points, highest.cards)
        if self.contract is None:
            return
        if loser != takers:
            self.note_feat_of_side("contract", takers, BIDS[self.contract.bid])
            if self.contract.bid == CAPOT:
                self.note_feat_of_side("capot", takers)
        elif self.contract.risk > 1:
            self.note_feat_of_side("defeated", 1 - takers)

    def points_of(self, side: int) -> dict[str, int]:
        """Return what `side` has made in this hand, by reason."""
        cards = [card for trick in self.tricks if self.side_of(trick.winner) == side for card in trick.cards]
        won_last = self.side_of(self.tricks[-1].winner) == side
        won_all = self.tricks_of(side) == len(self.tricks)
        return {
            "tricks": sum(self.card_points[card] for card in cards),
            "dix-de-der": LAST_TRICK if won_last and not won_all else 0,
            "capot": EVERY_TRICK if won_all else 0,
            "declarations": self.declaration_points(side),
            "belote": self.belote_points(side),
        }

    def loser(self, takers: int, made: list[int]) -> int | None:
        """Return the side that has lost the hand; None if both score. `made`: the points of each side.

        A side that revoked has lost. Otherwise the takers have if they have not made the contract, or, without one, not
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
        """Give the points of the whole deal to `winner`; the loser may keep its belote.

        The points for all tricks need no revoke, and with a contract only the takers can score them.
        """
        won, lost = points[winner], points[1 - winner]
        capot = won["capot"] > 0 and not self.revokers and (self.contract is None or winner == takers)
        kept = {"belote": lost["belote"]} if self.applies("keep_belote") else {}
        points[winner] = {"all-points": sum(self.card_points.values()) + (EVERY_TRICK if capot else LAST_TRICK)}
        for reason in ("declarations", "belote"):
            points[winner][reason] = won[reason] + lost[reason] - kept.get(reason, 0)
        points[1 - winner] = kept

    def score_side(self, side: int, reasons: Iterable[tuple[int, str]]) -> None:
        """Also round the score to tens, 5 upwards, with the option `rounded`."""
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

    def tallies(self) -> tuple[Tally, ...]:
        """Return the points that each side has made, and what it needs to make or to defeat the contract."""
        taken = self.contract or self.taken
        if self.trick is None or taken is None:
            return ()
        takers = self.side_of(taken.seat)
        if self.contract and self.contract.bid == CAPOT:
            return self.trick_tallies(*(DEALT if side == takers else 1 for side in (0, 1)))
        announced = [self.declaration_points(side) + self.belote_points(side) for side in (0, 1)]
        total = sum(self.card_points.values()) + LAST_TRICK + sum(announced)
        least = BIDS[self.contract.bid] if self.contract else total // 2 + 1
        tallies = self.trick_tallies(*(least if side == takers else max(total + 1 - least, 0) for side in (0, 1)))
        cards = [[card for seat in seats for card in self.cards_taken(seat)] for seats in self.sides()]
        made = [sum(self.card_points[card] for card in cards[side]) + announced[side] for side in (0, 1)]
        return tuple(tally._replace(figure=points) for tally, points in zip(tallies, made, strict=True))

    def belote_points(self, side: int) -> int:
        """Return what the belotes of `side` score."""
        return BELOTE_POINTS * sum(self.side_of(seat) == side for seat in self.belotes())

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the points held, and what was announced."""
        held = [(text("litige"), str(points))] if (points := self.match.more.get("held")) else []
        return (*super().facts(), *held, *self.announcements())
