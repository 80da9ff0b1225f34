"""Trick games: playing tricks, taking a card back, gathering, and the views of the play."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import ClassVar, Final

from engine.actions import Action
from engine.cards import SUIT_GLYPHS, SUIT_TEXTS, Card
from engine.observations import Zone
from engine.rules.game import Game, Rules
from engine.rules.hands import LAID_AWAY, HeldBack
from engine.rules.offers import Gather, PlayToTrick, Withdraw
from engine.rules.questions import Offer, Question
from engine.rules.tricks import RankedTrick, Ranking, Trick
from engine.texts import commas, spaced, text
from engine.views import EventKind, FactDisplay, FeatKind, Moment, TableCard, Tally

ONE_OF: Final = {
    "S": text("a spade"),
    "H": text("a heart"),
    "D": text("a diamond"),
    "C": text("a club"),
    "J": text("a jack"),
}
"""A card of each suit, as the headline about a revoke names it."""
SLAM: Final = 3
"""The number of tricks in a hand from which it is remarkable to win them all."""


class TrickGame(Game):
    """A game in which tricks are played, following suit.

    `tricks`: those turned over in this hand. `trick`: the one being played, or just completed; None outside the play.
    `conceded`: the remaining tricks are not played, because the players agree who would win them.

    A game in which some cards may not be played yet returns them in `held_back`. A game in which more can happen during
    the play adds offers in `play_offers` (and a `play_hint`), and acts on them in `meanwhile`.
    """

    event_kinds: ClassVar = {
        "trick": EventKind(lambda name, card: text("{name} wins the trick", name=name), ends="trick", won=True)
    }
    feat_kinds: ClassVar = {"every-trick": FeatKind(text("Every trick of a hand"), counted=True)}
    fact_displays: ClassVar[Mapping[str, FactDisplay]] = {"trumps": "symbol", "void": "large"}
    trick: Trick | None = None
    conceded: bool = False

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        self.clear_tricks()

    def clear_tricks(self) -> None:
        """Begin a hand without tricks and trumps."""
        self.tricks: list[Trick] = []
        self.trick = None
        self.trump = None
        self.conceded = False
        self.sitting_out = ()

    def rank(self, ranking: Ranking) -> None:
        """Set trumps, and how the cards rank in the tricks of this hand, if the ace is not high in every suit."""
        self.trump = ranking.trump if ranking.trump in SUIT_GLYPHS else None  # a suit of jacks is not shown
        self.pack.rank(ranking)

    def sit_out(self, seat: int) -> None:
        """Let the others play this hand without `seat`, which lays away the cards that it was dealt, face down."""
        hand = self.hands[seat]
        hand.lay_away(tuple(hand.known) if hand.complete else None, hand.size, LAID_AWAY)
        self.sitting_out = (*self.sitting_out, seat)

    def new_trick(self, leader: int) -> Trick:
        """Begin and return a trick, led by `leader` or, if that seat does not play, by the next one that does."""
        without = self.seats_without_card()
        while leader in without:
            leader = self.next_seat(leader)
        if self.pack.ranking is None:
            trick = Trick(leader, len(self.players), self.trump, without, self.next_seat(0))
        else:
            trick = RankedTrick(leader, len(self.players), self.pack.ranking, without, self.next_seat(0))
        self.trick = trick
        return trick

    def seats_without_card(self) -> tuple[int, ...]:
        """Return the seats that do not play to the next trick, here those that sit out."""
        return self.sitting_out

    def play_tricks(self, leader: int, first: Card | None = None) -> Rules[None]:
        """Play all tricks: `leader` leads first, then the winner of each trick. `first`: the card already led, if any.

        A card may be taken back until its trick is over.
        """
        trick = self.new_trick(leader)
        if first:
            self.play(trick, first)
        while not self.conceded:
            action = yield self.play_question(trick)
            if action.do == "play" and action.card:
                if trick.complete:
                    trick = self.next_trick(trick)
                self.play(trick, action.card)
                if trick.complete and (self.decided(trick) or not any(hand.size for hand in self.hands)):
                    break
            elif action.do == "withdraw":
                self.withdraw(trick)
            elif action.do == "gather":
                trick.turned_over = True
            else:
                self.meanwhile(trick, action)
        if trick.complete:
            self.tricks.append(trick)
            if not self.conceded:
                self.add_moment(self.last_trick(trick))
        gathered = trick.complete and trick.turned_over
        self.trick, self.match.left, self.match.may_gather = None, None if gathered else trick, trick.complete

    def last_trick(self, trick: Trick) -> Moment:
        """Return the moment of the last trick of a hand, in which one side may have won every trick."""
        won = self.tricks_won()
        for side in range(len(self.match.scores)):
            if self.tricks_of(side) == sum(won) >= SLAM:
                self.note_feat_of_side("every-trick", side)
                return Moment("slam", text("Every trick for {names}", names=self.side_name(side)), None, trick.cards)
        headline = text("{name} takes the last trick", name=self.players[trick.winner])
        return Moment("last-trick", headline, trick.winner, trick.cards)

    def naming(self, seat: int, what: str) -> Moment:
        """Return the moment in which `seat` has chosen trumps, or the game. `what`: a text."""
        return Moment("trumps", text("{name} plays {what}", name=self.players[seat], what=what), seat)

    def play_question(self, trick: Trick) -> Question:
        """Return the question that is asked while `trick` is played."""
        return Question(self.play_phase(trick), trick.turn, self.play_offers(trick), self.play_hint(trick))

    def play_phase(self, trick: Trick) -> str:
        """Return the phase while `trick` is played."""
        return "play"

    def decided(self, trick: Trick) -> bool:
        """Return whether the hand ends with this complete trick although cards are left."""
        return False

    def play_offers(self, trick: Trick) -> dict[str, Offer]:
        """Return what may happen while `trick` is played."""
        turn = trick.turn
        led = None if trick.complete else trick.led
        offers: dict[str, Offer] = {"play": PlayToTrick(self, turn, led, held_back=self.held_back(trick))}
        if trick.plays and not trick.turned_over:
            offers["withdraw"] = Withdraw(self, *trick.plays[-1])
            if trick.complete:
                offers["gather"] = Gather(self, trick.winner)
        return offers

    def held_back(self, trick: Trick) -> HeldBack | None:
        """Return the cards that may not be played next while the hand holds another card.

        `trick`: the one being played; if it is complete, the next card leads to another.
        """
        return None

    def play_hint(self, trick: Trick) -> str:
        """Return the hint while `trick` is played."""
        return ""

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Act on an action during the play that is neither playing, taking back nor gathering.

        Raises `ValueError`: a game overrides this for its own offers.
        """
        raise ValueError(f"{self.title} offers {action.do!r} during the play and does not act on it")

    def play(self, trick: Trick, card: Card) -> None:
        """Play `card` for the seat on turn."""
        seat = trick.turn
        if self.hands[seat].lay(card, trick.led, held_back=self.held_back(trick)):
            self.revoke_proved(seat, card)
        trick.add(card)
        if trick.complete:
            self.report("trick", trick.winner)

    def revoke_proved(self, seat: int, card: Card) -> None:
        """Report that `card` proves an earlier revoke of `seat`."""
        self.report("revoke-proven", seat, card)
        self.add_moment(self.revoke(seat, card, self.costs_of_proof(seat)))

    def costs_of_proof(self, seat: int) -> str:
        """Return a sentence: what a revoke of `seat` costs that nobody has called; "" if the rules do not say."""
        return ""

    def revoke(self, seat: int, card: Card, follows: str) -> Moment:
        """Return the moment in which `card` has proved a revoke of `seat`: the card of the revoke, and this one."""
        name, suit = self.players[seat], self.hands[seat].suit(card)
        message = "Trick {number}: {name} still has {card}."
        proof = text(message, number=len(self.begun_tricks), name=name, card=card.glyph)
        for number, trick in reversed([*enumerate(self.begun_tricks, 1)]):
            failed = [play.card for play in trick.plays if play.seat == seat] if trick.failed(seat) else []
            if failed and trick.led == suit and suit in ONE_OF:
                leader = self.players[trick.leader]
                message = "Trick {number}: {leader} led {suit}, {name} played {card}."
                led = text(
                    message, number=number, leader=leader, suit=SUIT_TEXTS[suit], name=name, card=failed[0].glyph
                )
                headline = text("{name} had {card}", name=name, card=ONE_OF[suit])
                return Moment("revoke", headline, seat, (failed[0], card), (led, proof), follows)
        return Moment("revoke", text("{name} has revoked", name=name), seat, (card,), (proof,), follows)

    def withdraw(self, trick: Trick) -> None:
        """Take back the card played last."""
        led = trick.led
        play = trick.take_back()
        self.hands[play.seat].take_back(play.card, led)

    def next_trick(self, trick: Trick) -> Trick:
        """Turn the trick over, and return the next one, to which its winner leads."""
        trick.turned_over = True
        self.tricks.append(trick)
        return self.new_trick(trick.winner)

    @property
    def begun_tricks(self) -> tuple[Trick, ...]:
        """The tricks of this hand, with the one being played or just completed."""
        return (*self.tricks, *([self.trick] if self.trick else []))

    def won_by(self, seat: int) -> list[Card]:
        """Return the cards in the tricks that `seat` has won."""
        return [card for trick in self.tricks if trick.winner == seat for card in trick.cards]

    def cards_taken(self, seat: int) -> list[Card]:
        """Return the cards that `seat` has taken so far, also in the complete trick that still lies there."""
        return [card for trick in self.begun_tricks if trick.complete and trick.winner == seat for card in trick.cards]

    def tricks_of(self, side: int) -> int:
        """Return the number of tricks that the players of `side` have won together."""
        won = self.tricks_won()
        return sum(won[seat] for seat in self.sides()[side])

    # Views

    def lying(self) -> Iterable[TableCard]:
        """Add the trick until it is gathered. Its cards are firm until it is complete."""
        yield from super().lying()
        trick = self.trick
        if trick and not (trick.complete and trick.turned_over):
            for play in trick.plays:
                yield TableCard(play.card, Zone("play", play.seat), firm=not trick.complete)

    def suit_led(self) -> str | None:
        """Return the suit led, until the next lead."""
        return self.trick.led if self.trick else None

    def taker(self) -> int | None:
        """Return the seat that has won the trick, until it is gathered."""
        trick = self.trick
        return trick.winner if trick and trick.complete and not trick.turned_over else super().taker()

    def tricks_won(self) -> tuple[int, ...]:
        """Return the number of tricks that each seat has won."""
        tricks = [trick for trick in self.begun_tricks if trick.complete]
        return tuple(sum(trick.winner == seat for trick in tricks) for seat in self.every_seat)

    def trick_tallies(self, *needs: int) -> tuple[Tally, ...]:
        """Return the tricks that each side has won, and how many it needs; none outside the play."""
        if self.trick is None:
            return ()
        return tuple(Tally(self.tricks_of(side), self.side_name(side), need) for side, need in enumerate(needs))

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Return trumps, and the suits in which each player has declared a void."""
        facts = []
        if self.trump:
            facts.append((text("trumps"), spaced([SUIT_TEXTS[self.trump], SUIT_GLYPHS[self.trump]])))
        for hand in self.hands:
            if hand.voids:
                suits = commas([SUIT_TEXTS[suit] for suit in hand.voids])
                facts.append((text("void"), text("{name}: {what}", name=self.players[hand.seat], what=suits)))
        return tuple(facts)


class BrokenSuitGame(TrickGame):
    """A trick game in which the cards of `not_broken` may not be led before one of `breaking` was played.

    `breaking`: usually the cards of the suit that `not_broken` holds back.
    """

    not_broken: HeldBack
    breaking: frozenset[Card]

    def held_back(self, trick: Trick) -> HeldBack | None:
        """Hold the suit back on leads until it is broken."""
        leads = trick.complete or not trick.plays
        return self.not_broken if leads and not self.broken() else None

    def broken(self) -> bool:
        """Return whether the suit may be led."""
        return any(not self.breaking.isdisjoint(trick.cards) for trick in (*self.tricks, self.trick) if trick)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add whether the suit is broken."""
        suit = SUIT_TEXTS[next(iter(self.not_broken.cards)).suit]
        return (*super().facts(), (suit, text("broken") if self.broken() else text("not broken")))


@cache
def must_beat(ranking: Ranking, best: Card, *, following: bool, undertrump: bool = False) -> HeldBack:
    """Hold back every card that is not higher in the suit of `best`: a duty to beat or to trump.

    A hidden hand that does not do its duty declares that it cannot; a card seen later that proves otherwise is a
    revoke. `undertrump`: a hand without a higher card must play a trump.
    """
    why = text("A card that beats {card} must be played.", card=best.glyph)
    lower = must_trump(ranking) if undertrump else None
    return HeldBack(ranking.cards(None) - ranking.above(best), why, following, lower)


@cache
def must_trump(ranking: Ranking) -> HeldBack:
    """Hold back every card that is not a trump."""
    return HeldBack(ranking.cards(None) - ranking.cards(ranking.trump), text("A trump must be played."))
