"""Dealing: games in which all cards are dealt, cards are passed on, or large hands are reduced before the first lead.

**Passing** is done face down, so a camera sees nothing of it: the hands are hidden, and nothing has to be entered.
Known hands, whose cards were dealt across readers or laid open in *show*, must name the cards that they pass
(`discard`) in the same way. A seat that receives cards that were not named has a hidden hand from then on. The cards
are received when every seat has passed.

**Laying away**: known hands must name the cards that they lay away before the play begins: by record, across a reader,
or by laying them open in *show* before they are taken up. Hidden hands may name them; otherwise they count as laid away
at the first lead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import ClassVar, Final

from engine.actions import Action
from engine.cards import Card, Deck
from engine.errors import Refused
from engine.rules.game import Game, Rules
from engine.rules.hands import LAID_AWAY, Hand, Pile
from engine.rules.offers import Deal, Discard, PlayToTrick, Turn
from engine.rules.questions import Offer
from engine.rules.state import GameState
from engine.rules.trick_game import TrickGame
from engine.rules.tricks import Trick
from engine.texts import Text, plural, spaced, template, text


class LayingAwayGame(TrickGame):
    """A trick game whose hands may be dealt more cards than are played.

    `to_discard`: the seats that must still lay cards away.
    """

    _held = 0

    def clear_tricks(self) -> None:
        """Begin a hand in which no seat has cards to lay away."""
        super().clear_tricks()
        self.to_discard: set[int] = set()

    def lay_away_to(self, held: int) -> Rules[None]:
        """Require each seat with more than `held` cards to lay the rest away. Their hands must be of one size."""
        self._held = held
        self.to_discard = {hand.seat for hand in self.hands if hand.size > held}
        while any(self.hands[seat].complete for seat in self.to_discard):
            action = yield self.question("discard", None, self._discards(NamedDiscard), hint=self._hint())
            self._lay_away(self.hand_of(action), action.cards)

    def play_offers(self, trick: Trick) -> dict[str, Offer]:
        """Add, until the first lead, laying cards away from hidden hands."""
        offers = super().play_offers(trick)
        if self.to_discard:
            offers["discard"] = self._discards()
        return offers

    def play_hint(self, trick: Trick) -> str:
        """Return the request to lay cards away, before the first lead."""
        if not self.to_discard:
            return super().play_hint(trick)
        return self._hint(self.players[trick.turn])

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Also lay cards away."""
        if action.do == "discard":
            self._lay_away(self.hand_of(action), action.cards)
        else:
            super().meanwhile(trick, action)

    def play(self, trick: Trick, card: Card) -> None:
        """Also, at the first lead, lay the cards away for each hand that has not named them."""
        self.lay_rest_away()
        super().play(trick, card)

    def lay_rest_away(self) -> None:
        """Lay the cards away for each hand that has not named them."""
        while self.to_discard:
            self._lay_away(self.hands[self.to_discard.pop()], None)

    def _hint(self, leader: str = "") -> Text:
        """Return the request to lay cards away. `leader`: who leads then, if they need not be named first."""
        if len(self.to_discard) == 1 < len(self.players):
            (seat,) = self.to_discard
            count, name = self.hands[seat].size - self._held, self.players[seat]
            if not leader:
                single, many = "{name} lays {count} card away face down.", "{name} lays {count} cards away face down."
                return plural(single, many, count, name=name)
            single = "{name} lays {count} card away face down; then {leader} leads."
            many = "{name} lays {count} cards away face down; then {leader} leads."
            return plural(single, many, count, name=name, leader=leader)
        if not leader:
            return text("Everybody keeps {count} cards and lays the others away face down.", count=self._held)
        template = "Everybody keeps {count} cards and lays the others away face down; then {name} leads."
        return text(template, count=self._held, name=leader)

    def _discards(self, kind: type[UnlistedDiscard] | None = None) -> UnlistedDiscard:
        seats = tuple(sorted(self.to_discard))
        return (kind or UnlistedDiscard)(self, seats, self.hands[seats[0]].size - self._held)

    def _lay_away(self, hand: Hand, cards: Iterable[Card] | None) -> None:
        hand.lay_away(cards, hand.size - self._held, LAID_AWAY)
        self.to_discard.discard(hand.seat)


class UnlistedDiscard(Discard):
    """Laying away so many cards that a record does not list the choices."""

    __slots__ = ()
    listed = False

    def known_actions(self) -> Iterator[Action]:
        """Yield every set of cards for every known hand, and for a hidden hand the action without cards."""
        for seat in self.seats:
            hand = self.game.hands[seat]
            for cards in combinations(hand.known, self.count) if hand.complete else (None,):
                yield Action("discard", seat, cards=cards)


class NamedDiscard(UnlistedDiscard):
    """Laying away while at least one of the seats has a known hand, and so must name the cards."""

    __slots__ = ()
    laid_in = "show"


PASSED: Final = Pile("passed", template("{card} is being passed."))


class DealtOutGame(Game):
    """A game in which all cards are dealt; `cards_for` returns how many each seat gets.

    `removable`: cards that may be taken out of the pack so that the deal is even; as many as necessary are `removed`,
    in this order. `dealt`: the number of cards that each seat is dealt if some are left over; None if all are dealt.
    """

    removable: ClassVar[tuple[Card, ...]] = ()
    dealt: int | None = None

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        self.removed = self.removable[: len(self.deck) % len(players)]
        if self.removed:
            self.deck = Deck(card for card in self.deck if card not in self.removed)
            self.new_pack()

    def deal_out(
        self, first: Offer, passed: int = 0, to: int = 0, then: str = "", turn: int | None = None
    ) -> Rules[Action]:
        """Deal all cards, named or not, until something that `first` allows is done; return that action.

        `passed`, `to`: the number of cards that each seat passes, and how many seats to its left; 0 for no passing.
        Known hands must pass before `first`; the others are assumed to have passed by then. `then`: the request for
        what `first` allows. `turn`: the seat that must do it, if it is a bid; None if it is a play.
        """
        deal = self._deal_all()
        passing = Pass(self, self.every_seat if passed and to else (), passed, to)
        hint = self._deal_hint(passing, then, turn is not None)
        while True:
            named = any(self.hands[seat].complete for seat in passing.seats)
            phase = "discard" if named else "deal" if deal.seats else "play" if turn is None else "bid"
            offers = deal if deal.seats else None, passing if passing.seats else None, None if named else first
            action = yield self.question(phase, turn, *offers, self.last_gather(), hint=hint)
            if action.do == "gather":
                self.gather_last()
                continue
            self.clear_table()
            if action.do not in ("deal", "discard"):
                for seat in passing.seats:
                    passing.lay_down(self.hands[seat], None)
                return action
            hand = self.hand_of(action)
            if hand.seat in deal.seats:
                deal.done_by(hand.seat)
            if action.do == "deal":
                hand.become_known(action.cards or ())
            else:
                passing.lay_down(hand, action.cards)

    def deal_and_turn_last(self) -> Rules[Card]:
        """Deal all cards, named or not; then turn up the dealer's last card, which stays in the hand, and return it."""
        deal, turn = self._deal_all(), TurnLast(self)
        hint = text("{name} deals the whole pack and turns the last card up.", name=self.players[self.dealer])
        while True:
            phase = "deal" if deal.seats else "turn"
            action = yield self.question(phase, None, deal if deal.seats else None, turn, self.last_gather(), hint=hint)
            if action.do == "gather":
                self.gather_last()
                continue
            self.clear_table()
            hand = self.hands[self.dealer] if action.card else self.hand_of(action)
            if action.card:
                hand.show(action.card)
                self.match.turn_up = action.card
                return action.card
            deal.done_by(hand.seat)
            hand.become_known(action.cards or ())

    def _deal_all(self) -> DealWhole:
        """Deal all cards unseen, and return the offer to name them."""
        self.new_pack()
        counts = {seat: self.cards_for(seat) for seat in self.playing}
        for seat, count in counts.items():
            self.hands[seat].deal_unseen(count)
            self.hands[seat].counted = True
        return DealWhole(self, counts)

    def deal_offer(self, count: int) -> Deal:
        """Return the offer to name the cards dealt, also by laying them open."""
        return DealWhole(self, dict.fromkeys(self.playing, count))

    def cards_for(self, seat: int) -> int:
        """Return how many cards `seat` is dealt: the same number for all, unless a game overrides this."""
        return self.dealt or len(self.deck) // len(self.players)

    def _deal_hint(self, passing: Pass, then: str, bidding: bool) -> Text:
        short = text("{name} deals.", name=self.players[self.dealer])
        sentences = [short if bidding else text("{name} deals the whole pack.", name=self.players[self.dealer])]
        if self.removed and not self.match.hands:
            leave_out = text("Leave out {cards}.", cards=spaced([card.glyph for card in self.removed]))
            sentences = [leave_out] if bidding else [leave_out, short]  # so that it fits beside the words of a bid
        if passing.seats:
            right = len(self.players) - 1
            where = {1: text("to the left"), right: text("to the right")}.get(passing.to, text("across"))
            template = "Pass {count} cards {where}."
            sentences.append(text(template, count=passing.count, where=where))
        return spaced([*sentences, *([then] if then else [])])

    def pass_to(self, passing: str) -> int:
        """Return how many seats to the left cards are passed in this hand, 0 for none.

        `passing`: `left`; `none`; or `rotate`, left, right, across if a seat is opposite, none, and so on.
        """
        players = len(self.players)
        across = (players // 2,) if players % 2 == 0 else ()
        turns: tuple[int, ...] = (
            (1, players - 1, *across, 0) if passing == "rotate" else (1,) if passing == "left" else (0,)
        )
        return turns[self.match.hands % len(turns)]


class DealWhole(Deal):
    """Cards are dealt. A hand is known if it is named, or laid open in its *show* zone and then taken up."""

    __slots__ = ()
    laid_in = "show"


class TurnLast(Turn):
    """Turning up the last card dealt, which belongs to the dealer's hand."""

    __slots__ = ()

    def check(self, action: Action) -> None:
        """Codes: no-such-card, already-seen, not-in-hand."""
        card, hand = action.card, self.game.hands[self.game.dealer]
        self.check_deck(card)
        if card is not None:
            self.check_elsewhere((card,), hand)
            self.check_held((card,), hand)


class FirstLead(Offer):
    """Leading `card` to the first trick, by any seat that may hold it."""

    __slots__ = ("card",)
    do = "play"

    def __init__(self, game: GameState, card: Card) -> None:
        super().__init__(game, game.every_seat)
        self.card = card

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, already-seen, not-in-hand, must-hold-back (another card)."""
        self.check_deck(action.card)
        self.check_seat(action)
        PlayToTrick(self.game, self.game.hand_of(action).seat, None).check(action)
        if action.card is not self.card:
            raise Refused("must-hold-back", text("{card} is led first.", card=self.card.glyph))

    def actions(self) -> Iterator[Action]:
        """Yield the lead of each seat that may hold the card."""
        for hand in self.game.hands:
            if hand.may_hold(self.card):
                yield Action("play", hand.seat, self.card)


class Pass(NamedDiscard):
    """Passing `count` cards face down, by each of `seats`, to the seat `to` places to its left."""

    __slots__ = ("passed", "to")

    def __init__(self, game: GameState, seats: tuple[int, ...], count: int, to: int) -> None:
        super().__init__(game, seats, count)
        self.to: int = to
        self.passed: dict[int, tuple[Card, ...] | None] = {}

    def receiver(self, seat: int) -> int:
        """Return the seat that receives the cards of `seat`."""
        return (seat + self.to) % len(self.game.players)

    def lay_down(self, hand: Hand, cards: tuple[Card, ...] | None) -> None:
        """Pass `cards`, None if they are not named; once all have passed, every seat takes what it receives."""
        hand.lay_away(cards, self.count, PASSED)
        self.passed[hand.seat] = cards
        self.done_by(hand.seat)
        if not self.seats:
            for seat, received in self.passed.items():
                receiver = self.game.hands[self.receiver(seat)]
                if received is None:
                    receiver.deal_unseen(self.count)
                else:
                    receiver.deal(received)
