"""The offers that games share: cutting, dealing, turning up, laying away, playing to a trick and putting it right.

How an offer is written stands in `engine.rules.questions`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from engine.actions import Action
from engine.cards import SUIT_TEXTS, Card
from engine.errors import Refused
from engine.rules.questions import Offer, card_text
from engine.rules.wording import does_not_hold
from engine.texts import text

if TYPE_CHECKING:
    from engine.rules.game import Game


class Cut(Offer):
    """Each of `seats` cuts a card; `cut`: the cards cut already in this round."""

    __slots__ = ("cut",)
    do = "cut"

    def __init__(self, game: Game, seats: tuple[int, ...], cut: Collection[Card]) -> None:
        super().__init__(game, seats)
        self.cut = cut

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, already-seen."""
        self.check_deck(action.card)
        self.check_seat(action)
        if action.card in self.cut:
            told = text("{card} is cut already: cut another card.", card=card_text(action.card))
            raise Refused("already-seen", told)

    def actions(self) -> Iterator[Action]:
        """Every card for every seat that has not cut yet."""
        for seat in self.seats:
            for card in self.game.deck:
                if card not in self.cut:
                    yield Action("cut", seat, card)


class OnceEach(Offer):
    """Something that each of `seats` does once, with `count` cards; a second time in one round is out of phase."""

    __slots__ = ("count",)

    def __init__(self, game: Game, seats: tuple[int, ...], count: int) -> None:
        self.game = game
        self.seats = seats
        self.count = count

    def open_to(self, action: Action) -> bool:
        """Those who have done it are not among the seats any more."""
        return action.seat in self.seats


class Deal(OnceEach):
    """`count` cards are dealt to each of `seats`, and the table knows them."""

    __slots__ = ()
    do = "deal"
    listed = False

    def check(self, action: Action) -> None:
        """Codes: no-such-card, wrong-count, already-seen."""
        cards = action.cards or ()
        self.check_deck(*cards)
        self.check_count(cards, self.count)
        self.check_elsewhere(cards, None)

    def actions(self) -> Iterator[Action]:
        """Every hand that could be dealt: a very long list."""
        for seat in self.seats:
            for cards in combinations(self.game.pack.unaccounted(), self.count):
                yield Action("deal", seat, cards=cards)


class Turn(Offer):
    """The next card of the stock is turned up."""

    __slots__ = ()
    do = "turn"

    def check(self, action: Action) -> None:
        """Codes: no-such-card, already-seen."""
        card = action.card
        self.check_deck(card)
        if card is not None:
            self.check_elsewhere((card,), None)

    def actions(self) -> Iterator[Action]:
        """Every card not accounted for."""
        return (Action("turn", card=card) for card in self.game.pack.unaccounted())


class Discard(OnceEach):
    """`count` cards are laid away face down by each of `seats`."""

    __slots__ = ()
    do = "discard"

    def check(self, action: Action) -> None:
        """Codes: no-such-card, wrong-count, already-seen, not-in-hand."""
        hand = self.game.hand_of(action)
        cards = action.cards
        if cards is None and not hand.complete:
            return
        self.check_deck(*cards or ())
        self.check_count(cards, self.count)
        self.check_elsewhere(cards or (), hand)
        self.check_held(cards or (), hand)

    def actions(self) -> Iterator[Action]:
        """Every set of cards for every seat; for a hidden hand also none named."""
        for seat in self.seats:
            hand = self.game.hands[seat]
            if not hand.complete:
                yield Action("discard", seat)
            for cards in combinations(hand.candidates(self.game.deck), self.count):
                yield Action("discard", seat, cards=cards)


class PlayToTrick(Offer):
    """The seat on turn plays a card, following `led` if it can; `called`: an exposed card that it must play."""

    __slots__ = ("called", "hand", "led")
    do = "play"

    def __init__(self, game: Game, seat: int, led: str | None, called: Card | None = None) -> None:
        self.game = game
        self.seats = (seat,)
        self.hand = game.hands[seat]
        self.led = led
        self.called = called

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, already-seen, not-in-hand, must-play-called, must-follow-suit."""
        card = action.card
        hand = self.hand
        if card is None or card not in self.game.deck.kinds:
            self.check_deck(card)
            return
        if action.seat != hand.seat:
            self.refuse_seat(action)
        where = hand.place.get(card)
        if where is not hand:
            if where is not None:
                raise Refused("already-seen", self.lies_elsewhere(card))
            if hand.complete:
                raise Refused("not-in-hand", does_not_hold(self.name(hand.seat), card))
        if self.called is not None and card is not self.called:
            told = text("{name} must play {card}: it was called.", name=self.name(hand.seat), card=self.called.glyph)
            raise Refused("must-play-called", told)
        led = self.led
        if led is not None and card.suit != led and hand.must_follow(led):
            told = text("{name} must follow {suit}.", name=self.name(hand.seat), suit=SUIT_TEXTS[led])
            raise Refused("must-follow-suit", told)

    def actions(self) -> Iterator[Action]:
        """Every card that the hand may hold and that follows suit, or need not."""
        hand, led = self.hand, self.led
        if self.called is not None:
            yield Action("play", hand.seat, self.called)
            return
        bound = led is not None and hand.must_follow(led)
        for card in hand.candidates(self.game.deck):
            if not bound or card.suit == led:
                yield Action("play", hand.seat, card)


class Withdraw(Offer):
    """The card last played may be taken back by its seat."""

    __slots__ = ("card",)
    do = "withdraw"

    def __init__(self, game: Game, seat: int, card: Card) -> None:
        self.game = game
        self.seats = (seat,)
        self.card = card

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, wrong-phase (another card than the last)."""
        self.check_deck(action.card)
        self.check_seat(action)
        if action.card is not self.card:
            told = text("Only the card last played can be taken back: {card}.", card=self.card.glyph)
            raise Refused("wrong-phase", told)

    def actions(self) -> Iterator[Action]:
        """The one card."""
        yield Action("withdraw", self.seats[0], self.card)


class Gather(Offer):
    """The winner of the trick turns it over."""

    __slots__ = ()
    do = "gather"

    def __init__(self, game: Game, seat: int) -> None:
        self.game = game
        self.seats = (seat,)

    def check(self, action: Action) -> None:
        """Codes: not-your-turn."""
        if action.seat not in self.seats:
            told = text("{name} has won the trick and gathers it.", name=self.name(self.seats[0]))
            raise Refused("not-your-turn", told)

    def actions(self) -> Iterator[Action]:
        """The one gathering."""
        yield Action("gather", self.seats[0])


class Expose(Offer):
    """Any seat that holds cards may lay one open."""

    __slots__ = ()
    do = "expose"
    listed = False

    def __init__(self, game: Game) -> None:
        self.game = game
        self.seats = game.every_seat

    def open_to(self, action: Action) -> bool:
        """A seat without cards has nothing to expose."""
        return self.game.hand_of(action).size > 0

    def check(self, action: Action) -> None:
        """Codes: no-such-card, already-seen, not-in-hand."""
        self.check_deck(action.card)
        hand = self.game.hand_of(action)
        if action.card is None:
            return
        self.check_elsewhere((action.card,), hand)
        self.check_held((action.card,), hand)
        if action.card in hand.exposed and action.card in hand.known:
            raise Refused("already-seen", text("{card} lies open already.", card=action.card.glyph))

    def actions(self) -> Iterator[Action]:
        """Every card that each seat may hold and that does not lie open."""
        for hand in self.game.hands:
            if hand.size:
                for card in hand.candidates(self.game.deck):
                    if not (card in hand.exposed and card in hand.known):
                        yield Action("expose", hand.seat, card)
