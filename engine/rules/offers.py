"""The offers that games share: cutting, dealing, turning up, laying away, playing to a trick and correcting it.

`engine.rules.questions` says how an offer is written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import combinations

from engine.actions import Action
from engine.cards import SUIT_TEXTS, Card
from engine.errors import Refused
from engine.rules.hands import HeldBack
from engine.rules.questions import NotNow, Offer
from engine.rules.state import GameState
from engine.rules.wording import card_text, does_not_hold
from engine.texts import text


class Cut(Offer):
    """Each of `seats` cuts a card. `cut`: the cards cut already in this round."""

    __slots__ = ("cut",)
    do = "cut"

    def __init__(self, game: GameState, seats: tuple[int, ...], cut: Collection[Card]) -> None:
        super().__init__(game, seats)
        self.cut = cut

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, already-seen."""
        self.check_deck(action.card)
        self.check_seat(action)
        if action.card in self.cut:
            message = text("{card} has already been cut: cut another card.", card=card_text(action.card))
            raise Refused("already-seen", message)


class OnceEach(Offer):
    """Something that each of `seats` does once; the second time it is `wrong-phase`."""

    __slots__ = ()

    def done_by(self, seat: int) -> None:
        """Take `seat` out of `seats`."""
        place = self.seats.index(seat)
        self.seats = self.seats[:place] + self.seats[place + 1 :]


class Deal(OnceEach):
    """Cards are dealt, and the table knows them. `counts`: how many each of `seats` is dealt."""

    __slots__ = ("counts",)
    do = "deal"
    listed = False

    def __init__(self, game: GameState, counts: Mapping[int, int]) -> None:
        self.game = game
        self.seats = tuple(counts)
        self.counts = counts

    def check(self, action: Action) -> None:
        """Codes: no-such-card, wrong-count, already-seen."""
        seat = action.seat
        if not isinstance(seat, int) or seat not in self.seats:
            raise NotNow
        cards = action.cards or ()
        self.check_deck(*cards)
        self.check_count(cards, self.counts[seat])
        self.check_elsewhere(cards, None)

    def actions(self) -> Iterator[Action]:
        """Yield every hand that could be dealt; the list is very long."""
        for seat in self.seats:
            for cards in combinations(self.game.pack.unaccounted(), self.counts[seat]):
                yield Action("deal", seat, cards=cards)


class Hold(Offer):
    """Naming all cards of a hidden hand that has been dealt. `offers`: those of the question that the rules ask."""

    __slots__ = ("offers",)
    do = "hold"
    listed = False

    def __init__(self, game: GameState, offers: Mapping[str, Offer]) -> None:
        super().__init__(game, game.every_seat)
        self.offers = offers

    def check(self, action: Action) -> None:
        """Codes: no-such-card, wrong-count, already-seen, not-in-hand (a card that it must hold is missing)."""
        hand, deal = self.game.hand_of(action), self.offers.get("deal")
        several = len(self.game.deck) != len(self.game.deck.kinds)
        if several or hand.complete or not hand.size or not self.offers:
            raise NotNow
        if isinstance(deal, Deal) and hand.seat in deal.seats and deal.counts[hand.seat] == hand.size:
            raise NotNow  # `deal` names them
        cards = action.cards or ()
        self.check_deck(*cards)
        self.check_count(cards, hand.size)
        self.check_elsewhere(cards, hand)
        for card in hand.known:
            if card not in cards:
                message = text("{name} holds {card}, which is missing.", name=self.name(hand.seat), card=card.glyph)
                raise Refused("not-in-hand", message)


class Turn(Offer):
    """Turning up the next card of the stock."""

    __slots__ = ()
    do = "turn"

    def check(self, action: Action) -> None:
        """Codes: no-such-card, already-seen."""
        card = action.card
        self.check_deck(card)
        if card is not None:
            self.check_elsewhere((card,), None)


class Discard(OnceEach):
    """Laying `count` cards away face down, by each of `seats`; a hidden hand need not name them."""

    __slots__ = ("count",)
    do = "discard"

    def __init__(self, game: GameState, seats: tuple[int, ...], count: int) -> None:
        self.game = game
        self.seats = seats
        self.count = count

    def check(self, action: Action) -> None:
        """Codes: no-such-card, wrong-count, already-seen, not-in-hand."""
        if action.seat not in self.seats:
            raise NotNow
        hand = self.game.hand_of(action)
        cards = action.cards
        if cards is None and not hand.complete:
            return
        cards = cards or ()
        if self.count == len(cards) == len(different := {*cards}) and different <= hand.known.keys():
            return
        self.check_deck(*cards)
        self.check_count(cards, self.count)
        self.check_elsewhere(cards, hand)
        self.check_held(cards, hand)

    def actions(self) -> Iterator[Action]:
        """Yield every set of cards for every seat, and for a hidden hand also the action without cards."""
        for seat in self.seats:
            hand = self.game.hands[seat]
            if not hand.complete:
                yield Action("discard", seat)
            for cards in combinations(hand.candidates(self.game.deck), self.count):
                yield Action("discard", seat, cards=cards)


class PlayToTrick(Offer):
    """Playing a card to the trick, by the seat on turn.

    `led`: the suit led, which the hand must follow if it can; None on a lead. `called`: an exposed card that must be
    played, or None. `held_back`: cards that may not be played now while the hand holds another card, or None.
    """

    __slots__ = ("called", "hand", "held_back", "led")
    do = "play"

    def __init__(
        self,
        game: GameState,
        seat: int,
        led: str | None,
        called: Card | None = None,
        held_back: HeldBack | None = None,
    ) -> None:
        self.game = game
        self.seats = (seat,)
        self.hand = game.hands[seat]
        self.led = led
        self.called = called
        self.held_back = held_back

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, already-seen, not-in-hand, must-play-called, must-follow-suit,
        must-hold-back.
        """
        card = action.card
        hand = self.hand
        if card is None or card not in self.game.deck.kinds:
            self.check_deck(card)
            return
        if action.seat != hand.seat:
            self.refuse_seat()
        where = hand.place.get(card)
        if where is not hand:
            if where is not None:
                raise Refused("already-seen", self.lies_elsewhere(card))
            if hand.complete:
                raise Refused("not-in-hand", does_not_hold(self.name(hand.seat), card))
        if self.called is not None and card is not self.called:
            message = text("{name} must play {card}: it was called.", name=self.name(hand.seat), card=self.called.glyph)
            raise Refused("must-play-called", message)
        led = self.led
        suit = card.suit if hand.ranking is None else hand.ranking.suit(card)
        if led is not None and suit != led and hand.must_follow(led):
            message = text("{name} must follow {suit}.", name=self.name(hand.seat), suit=SUIT_TEXTS[led])
            raise Refused("must-follow-suit", message)
        if self.held_back is not None:
            for held in self.held_back.binding(card, suit == led):
                if hand.must_hold_back(held.cards):
                    raise Refused("must-hold-back", held.why)

    def actions(self) -> Iterator[Action]:
        """Yield every card that the hand may hold and play: of the suit led if it must follow, none held back."""
        hand, led = self.hand, self.led
        if self.called is not None:
            yield Action("play", hand.seat, self.called)
            return
        bound = led is not None and hand.must_follow(led)
        for card in hand.candidates(self.game.deck):
            follows = hand.suit(card) == led
            held = self.held_back.binding(card, follows) if self.held_back else ()
            if (follows or not bound) and not any(hand.must_hold_back(each.cards) for each in held):
                yield Action("play", hand.seat, card)


class Withdraw(Offer):
    """Taking back the card played last, by its seat."""

    __slots__ = ("card",)
    do = "withdraw"

    def __init__(self, game: GameState, seat: int, card: Card) -> None:
        self.game = game
        self.seats = (seat,)
        self.card = card

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, wrong-phase (another card than the last)."""
        self.check_deck(action.card)
        self.check_seat(action)
        if action.card is not self.card:
            message = text("Only the card last played can be taken back: {card}.", card=self.card.glyph)
            raise Refused("wrong-phase", message)

    def actions(self) -> Iterator[Action]:
        """Yield the one action."""
        yield Action("withdraw", self.seats[0], self.card)


class Gather(Offer):
    """Turning the trick over, by its winner."""

    __slots__ = ()
    do = "gather"

    def __init__(self, game: GameState, seat: int) -> None:
        self.game = game
        self.seats = (seat,)

    def check(self, action: Action) -> None:
        """Codes: not-your-turn."""
        if action.seat not in self.seats:
            message = text("{name} has won the trick and gathers it.", name=self.name(self.seats[0]))
            raise Refused("not-your-turn", message)

    def actions(self) -> Iterator[Action]:
        """Yield the one action."""
        yield Action("gather", self.seats[0])


class Expose(Offer):
    """Exposing a card, by any seat that holds cards."""

    __slots__ = ()
    do = "expose"
    listed = False

    def __init__(self, game: GameState) -> None:
        self.game = game
        self.seats = game.every_seat

    def check(self, action: Action) -> None:
        """Codes: no-such-card, already-seen, not-in-hand."""
        hand = self.game.hand_of(action)
        if not hand.size:
            raise NotNow
        self.check_deck(action.card)
        if action.card is None:
            return
        self.check_elsewhere((action.card,), hand)
        self.check_held((action.card,), hand)
        if action.card in hand.exposed and action.card in hand.known:
            raise Refused("already-seen", text("{card} is already exposed.", card=action.card.glyph))
