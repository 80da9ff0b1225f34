"""Trick games in which one side, the takers, must make more points than the others, or as many as it has bid.

If the takers fail, or a side has revoked, that side has lost the hand: the other scores the points of all tricks, and
what both have scored besides. A contract is scored by the side that wins it. If both sides have made the same without
a contract (`litige`), the points of the takers are held for the side that wins the next hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import ClassVar, Final

from engine.cards import SUITS, Card, Deck
from engine.games.belote.bidding import PointBidGame, TakingGame
from engine.games.belote.scoring import BELOTE, DECLARATIONS, PointTrickGame, RoyalPairGame
from engine.rules.bidding import CALLS
from engine.rules.game import Option, Rules
from engine.rules.penalties import REVOKE
from engine.rules.trick_game import TrumpingGame
from engine.rules.tricks import Ranking
from engine.rules.trumps import SUIT_OF, SUIT_WORDS, TAKE_UP
from engine.texts import Text, text
from engine.views import EventKind
from engine.words import Word

# The cards of Belote and its relatives: with trumps, without, or with all suits as trumps.

TRUMP_RANKS: Final = ("J", "9", "A", "10", "K", "Q", "8", "7")
PLAIN_RANKS: Final = ("A", "10", "K", "Q", "J", "9", "8", "7")
PLAIN: Final = {"A": 11, "10": 10, "K": 4, "Q": 3, "J": 2}
TRUMPS: Final = {"J": 20, "9": 14, "A": 11, "10": 10, "K": 4, "Q": 3}
NO_TRUMPS: Final = {**PLAIN, "A": 19}
ALL_TRUMPS: Final = {"J": 14, "9": 9, "A": 6, "10": 5, "K": 3, "Q": 1}
"""What a card counts, by its rank. All cards together count 152 in each kind of contract."""
DECK: Final = Deck(Card(rank, suit) for suit in SUITS for rank in PLAIN_RANKS)
NO_SUITS: Final = (Word("no-trumps", mark=154), Word("all-suits", mark=155))
"""The words for trumps besides the suits, for the `words` of a game."""


@cache
def ranking_of(trumps: str) -> Ranking:
    """Return how the cards rank if `trumps`, a word, was named."""
    suit = SUIT_OF.get(trumps)
    if suit is None:
        return Ranking(None, (), TRUMP_RANKS if trumps == "all-suits" else PLAIN_RANKS)
    return Ranking(suit, tuple(Card(rank, suit) for rank in TRUMP_RANKS), PLAIN_RANKS)


@cache
def points_of_cards(trumps: str) -> Mapping[Card, int]:
    """Return what each card counts if `trumps`, a word, was named."""
    suit, others = SUIT_OF.get(trumps), {"all-suits": ALL_TRUMPS, "no-trumps": NO_TRUMPS}.get(trumps, PLAIN)
    return {card: (TRUMPS if card.suit == suit else others).get(card.rank, 0) for card in DECK}


class JassCardsGame(PointTrickGame, TrumpingGame):
    """A trick game with these cards, which rank and count as trumps say.

    `trumps`: the word for trumps; "" before they are named.
    """

    deck = DECK

    def clear_tricks(self) -> None:
        """Begin a hand without trumps."""
        super().clear_tricks()
        self.trumps = ""

    def name_trumps(self, trumps: str) -> None:
        """Make `trumps`, a word, trumps: the cards rank and count so, and its suits must be beaten."""
        self.trumps, self.card_points = trumps, points_of_cards(trumps)
        ranking = ranking_of(trumps)
        self.rank(ranking)
        self.rising = SUITS if trumps == "all-suits" else (ranking.trump,) if ranking.trump else ()


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


# Belote, for four in partnerships: the rules in the order in which the rule book gives them.
#
# Two forms: classic Belote, in which the turn-up is taken, and contrée (coinche), with an auction. The rules followed,
# what clubs play differently, and the rulings are in docs/games/belote.md.

FIRST, DEALT = 5, 8
BIDS: Final = {**{str(value): value for value in range(80, 170, 10)}, "capot": 250}
"""What each bid is worth."""
FORMS: Final = ("classic", "always", "never")
"""When an option applies: in classic Belote only, in both forms, in neither."""


class Belote(TakingGame, RoyalPairGame, JassCardsGame, TakersGame):
    """Belote. See `Game` for the attributes and the coroutines."""

    name = "belote"
    title = "Belote"
    about = text("Make more points in tricks than the others, with trumps that one of you has chosen.")
    seats = range(4, 5)
    partners = (4,)
    words = (
        *(TAKE_UP, *CALLS, *SUIT_WORDS, *NO_SUITS, *DECLARATIONS, BELOTE, REVOKE),
        *(Word(bid, group="bid", mark=157 + place) for place, bid in enumerate(BIDS)),
    )
    reasons = ("dix-de-der", "capot")
    last_trick, every_trick = ("dix-de-der", 10), ("capot", 100)
    point_bids, every_trick_bid = BIDS, "capot"
    zones = ("play", "turn-up", "say", "show")
    face_down = ("stock", "turn-up")
    options = (
        Option.choice(
            "form", ("classic", "contree"), text("the turn-up is taken, or there is an auction"), text("Form")
        ),
        Option("target", 1000, text("points that win the game"), least=1, label=text("Game at")),
        RoyalPairGame.DECLARATIONS,
        RoyalPairGame.SAY_BELOTE,
        Option.choice("keep_belote", FORMS, text("a side that loses the hand keeps its belote"), text("Keep belote")),
        Option.choice(
            "undertrump", FORMS, text("without a higher trump, a lower one must be played"), text("Undertrump")
        ),
        JassCardsGame.SPARE_PARTNER,
        TakersGame.LITIGE,
        Option(
            "no_trumps",
            False,
            text("contrée can be played without trumps, or with all suits as trumps"),
            label=text("No and all trumps"),
        ),
        TakersGame.REDOUBLED,
        TakersGame.ROUNDED,
    )

    def next_seat(self, seat: int) -> int:
        """Return the seat on the right: dealing and play go counter-clockwise."""
        return (seat - 1) % len(self.players)

    def hand(self) -> Rules[None]:
        """Deal; find out who makes trumps; play the tricks; count."""
        self.clear_tricks()
        self.undertrumps = self.applies("undertrump")
        self.kept = ("belote",) if self.applies("keep_belote") else ()
        suits = (*SUIT_OF, *[word.name for word in NO_SUITS if self.values["no_trumps"]])
        classic = self.values["form"] == "classic"
        taken = yield from self.deal_and_take(FIRST, DEALT) if classic else self.auction(suits)
        if taken is None:
            self.report("passed")
            self.match.dealer = self.eldest
            return
        self.name_trumps(taken.trumps)
        yield from self.play_tricks(self.eldest)
        self.count_hand(taken.seat)

    def applies(self, option: str) -> bool:
        """Return whether a rule applies that may be one of classic Belote only; its option is one of `FORMS`."""
        return self.values[option] in ("always", self.values["form"])
