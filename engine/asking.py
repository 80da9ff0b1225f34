"""What the table asks for: one value from which everything else comes.

The rules (`engine.game`) yield an `Ask` and receive an action that it allows. An `Ask` has a phase, the seat on turn,
and its `Offer`s: one for each kind of action that could happen now. From it come

- legality: `Ask.check` raises `Refused` with the code that the record's order of precedence gives;
- `legal_actions` (`Ask.actions`), the words of each seat (`Ask.words`), prompts, the turn and the phase.

**Writing an offer.** Subclass `Offer`; set `do` (the kind of action) and `listed` (False for kinds that a record's
`--legal` leaves out). `open_to` is False where the action is `wrong-phase` after all; `check` goes through the other
codes in their order, with the helpers below; `actions` lists exactly the actions that `check` lets pass.
Offers read the game's hands when asked, and are made new for every `Ask`: they keep nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Final

from engine.actions import Action
from engine.cards import SUIT_NAMES, Card
from engine.errors import Refused
from engine.hands import Hand

if TYPE_CHECKING:
    from engine.game import Game


class Offer:
    """One kind of action that could happen now. `seats`: who may; empty where the kind has no seat (`turn`)."""

    __slots__ = ("game", "seats")
    do: ClassVar[str]
    listed: ClassVar[bool] = True

    def __init__(self, game: Game, seats: tuple[int, ...] = ()) -> None:
        self.game = game
        self.seats = seats

    def open_to(self, action: Action) -> bool:
        """Whether this kind of action can happen now at all, from this seat; where not it is `wrong-phase`."""
        return True

    def check(self, action: Action) -> None:
        """Raise `Refused` where the action is against the rules. `open_to` was true."""
        raise NotImplementedError

    def actions(self) -> Iterator[Action]:
        """Every action that `check` lets pass."""
        raise NotImplementedError

    def words(self, seat: int) -> tuple[str, ...]:
        """What `seat` may say now, as far as everybody at the table can know."""
        return ()

    # Steps of a check, in the record's order of precedence

    def check_deck(self, card: Card | None) -> None:
        """`no-such-card`: the card is none of this game's."""
        if card not in self.game.deck:
            raise Refused("no-such-card", f"{self.game.title} has no card {_text(card)}.")

    def check_seat(self, action: Action) -> None:
        """`not-your-turn`: another seat must act."""
        if action.seat not in self.seats:
            self.refuse_seat(action)

    def refuse_seat(self, action: Action) -> None:
        """Raise `not-your-turn`, naming who must act."""
        names = [self.game.players[seat] for seat in self.seats]
        raise Refused("not-your-turn", f"It is {' or '.join(names)} who must {self.do} now.")

    def check_count(self, cards: Collection[Card] | None, count: int) -> None:
        """`wrong-count`: too few or too many cards."""
        if cards is None or len(cards) != count:
            found = 0 if cards is None else len(cards)
            raise Refused("wrong-count", f"Name {count} cards, not {found}.")

    def check_elsewhere(self, cards: Iterable[Card], hand: Hand | None) -> None:
        """`already-seen`: a card lies somewhere else than in `hand` (None: the stock), or is named twice."""
        place = self.game.pack.place
        cards = tuple(cards)
        for card in cards:
            where = place.get(card)
            if where is not None and where is not hand:
                raise Refused("already-seen", f"{card.glyph} is {self.whereabouts(card)}.")
        for card, times in Counter(cards).items():
            if times > 1:
                raise Refused("already-seen", f"{card.glyph} is named {times} times; there is only one.")

    def check_held(self, cards: Iterable[Card], hand: Hand) -> None:
        """`not-in-hand`: the hand is known and a card is not in it."""
        if hand.complete:
            for card in cards:
                if card not in hand.known:
                    raise Refused("not-in-hand", f"{self.name(hand.seat)} does not hold {card.glyph}.")

    def name(self, seat: int) -> str:
        """The player's name."""
        return self.game.players[seat]

    def whereabouts(self, card: Card) -> str:
        """Where the table knows `card` to lie, as the end of a sentence."""
        where = self.game.pack.place.get(card)
        if isinstance(where, Hand):
            return f"in the hand of {self.name(where.seat)}"
        return {"laid away": "laid away", "crib": "in the crib"}.get(
            where.name if where else "", "on the table already"
        )


class Ask:
    """What the table waits for. `phase`: `cut deal discard turn say play bid show over`; `turn`: one seat or None."""

    __slots__ = ("offers", "phase", "turn")

    def __init__(self, phase: str, turn: int | None, offers: Mapping[str, Offer]) -> None:
        self.phase = phase
        self.turn = turn
        self.offers = offers

    def check(self, action: Action) -> None:
        """Raise `Refused` unless the table would accept `action` now."""
        offer = self.offers.get(action.do)
        if offer is None or not offer.open_to(action):
            raise Refused("wrong-phase", self._not_now(action))
        offer.check(action)

    def actions(self) -> list[Action]:
        """Every action that the table would accept now, but for the kinds that are not listed."""
        return [action for offer in self.offers.values() if offer.listed for action in offer.actions()]

    def words(self, players: int) -> tuple[tuple[str, ...], ...]:
        """Per seat, what it may say now, as far as everybody at the table can know."""
        say = self.offers.get("say")
        return tuple(say.words(seat) if say else () for seat in range(players))

    def _not_now(self, action: Action) -> str:
        if self.phase == "over":
            return "The game is over."
        names = next((offer.game.players for offer in self.offers.values()), ())
        waits = f"{names[self.turn]} is to {self.phase}" if self.turn is not None and names else _PHASES[self.phase]
        return f"“{action.do}” is not possible now: {waits}."


_PHASES: Final = {
    "cut": "the cut for the deal comes first",
    "deal": "deal, then turn the next card up",
    "discard": "the cards to be laid away come first",
    "turn": "the next card is to be turned up",
    "say": "a declaration comes first",
    "play": "the play goes on",
    "bid": "the bidding goes on",
    "show": "cards are to be shown",
    "over": "the game is over",
}

NOTHING: Final = Ask("over", None, {})


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
            raise Refused("already-seen", f"{_text(action.card)} is cut already: cut another card.")

    def actions(self) -> Iterator[Action]:
        """Every card for every seat that has not cut yet."""
        for seat in self.seats:
            for card in self.game.deck:
                if card not in self.cut:
                    yield Action("cut", seat, card)


class Deal(Offer):
    """`count` cards are dealt to each of `seats`, and the table knows them."""

    __slots__ = ("count",)
    do = "deal"
    listed = False

    def __init__(self, game: Game, seats: tuple[int, ...], count: int) -> None:
        super().__init__(game, seats)
        self.count = count

    def open_to(self, action: Action) -> bool:
        """A second deal in one round is out of phase."""
        return action.seat in self.seats

    def check(self, action: Action) -> None:
        """Codes: no-such-card, wrong-count, already-seen."""
        cards = action.cards or ()
        for card in cards:
            self.check_deck(card)
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


class Claim:
    """A word that says something about cards or another seat, and may be true or false: a revoke call.

    Subclasses check it and list the claims that would stand; `open_to` is what everybody may know of it.
    """

    __slots__ = ("game",)

    def __init__(self, game: Game) -> None:
        self.game = game

    def check(self, action: Action) -> None:
        """Raise `Refused` where the claim is wrong. It is no use before the game's own time for it."""
        raise NotImplementedError

    def actions(self) -> Iterator[Action]:
        """Every claim that would be accepted now."""
        raise NotImplementedError

    def open_to(self, seat: int) -> bool:
        """Whether `seat` may think of making it now, by what everybody at the table knows."""
        raise NotImplementedError


class Say(Offer):
    """The seat on turn says one of `plain`; anybody may make one of the `claims` at any time.

    `speaks`: whether this phase has words at all; where it has none, every word but a claim is `wrong-phase`.
    """

    __slots__ = ("claims", "plain", "speaks")
    do = "say"

    def __init__(
        self,
        game: Game,
        seat: int | None,
        plain: tuple[str, ...] = (),
        claims: Mapping[str, Claim] | None = None,
        speaks: bool = True,
    ) -> None:
        super().__init__(game, () if seat is None else (seat,))
        self.plain = plain
        self.claims: Mapping[str, Claim] = {} if claims is None else claims
        self.speaks = speaks

    def open_to(self, action: Action) -> bool:
        """Claims are judged in every phase."""
        return self.speaks or action.word in self.claims

    def check(self, action: Action) -> None:
        """Codes: no-such-word (of the game), not-your-turn, no-such-word (now); for claims their own."""
        word = action.word
        if word not in self.game.words:
            every = ", ".join(self.game.words)
            raise Refused("no-such-word", f"{self.game.title} has no word “{word}”; it has {every}.")
        claim = self.claims.get(word)
        if claim is not None:
            claim.check(action)
            return
        self.check_seat(action)
        if word not in self.plain:
            now = " or ".join(f"“{each}”" for each in self.plain) or "nothing of the kind"
            who = self.name(self.seats[0]) if self.seats else "Nobody"
            raise Refused("no-such-word", f"{who} may say {now} now, not “{word}”.")

    def actions(self) -> Iterator[Action]:
        """The plain words, then the claims that would stand."""
        for seat in self.seats:
            for word in self.plain:
                yield Action("say", seat, word=word)
        for claim in self.claims.values():
            yield from claim.actions()

    def words(self, seat: int) -> tuple[str, ...]:
        """Plain words for the seat on turn, and the claims open to this seat."""
        plain = self.plain if seat in self.seats else ()
        return plain + tuple(word for word, claim in self.claims.items() if claim.open_to(seat))


class Discard(Offer):
    """Cards are laid away face down: `counts` says how many by each seat that has not done so."""

    __slots__ = ("counts",)
    do = "discard"

    def __init__(self, game: Game, counts: Mapping[int, int]) -> None:
        super().__init__(game, tuple(counts))
        self.counts = counts

    def open_to(self, action: Action) -> bool:
        """A second discard is out of phase."""
        return action.seat in self.counts

    def check(self, action: Action) -> None:
        """Codes: no-such-card, wrong-count, already-seen, not-in-hand."""
        hand = self.game.hand_of(action)
        cards = action.cards
        if cards is None and not hand.complete:
            return
        for card in cards or ():
            self.check_deck(card)
        self.check_count(cards, self.counts[hand.seat])
        self.check_elsewhere(cards or (), hand)
        self.check_held(cards or (), hand)

    def actions(self) -> Iterator[Action]:
        """Every set of cards for every seat; for a hidden hand also none named."""
        for seat, count in self.counts.items():
            hand = self.game.hands[seat]
            if not hand.complete:
                yield Action("discard", seat)
            for cards in combinations(hand.candidates(self.game.deck), count):
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
        if card is None or card not in self.game.deck:
            self.check_deck(card)
            return
        if action.seat != hand.seat:
            self.refuse_seat(action)
        where = hand.place.get(card)
        if where is not hand:
            if where is not None:
                raise Refused("already-seen", f"{card.glyph} is {self.whereabouts(card)}.")
            if hand.complete:
                raise Refused("not-in-hand", f"{self.name(hand.seat)} does not hold {card.glyph}.")
        if self.called is not None and card is not self.called:
            raise Refused("must-play-called", f"{self.name(hand.seat)} must play {self.called.glyph}: it was called.")
        led = self.led
        if led is not None and card.suit != led and hand.must_follow(led):
            raise Refused("must-follow-suit", f"{self.name(hand.seat)} must follow {SUIT_NAMES[led]}.")

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
            raise Refused("wrong-phase", f"Only the card last played can be taken back: {self.card.glyph}.")

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
            raise Refused("not-your-turn", f"{self.name(self.seats[0])} has won the trick and gathers it.")

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
            raise Refused("already-seen", f"{action.card.glyph} lies open already.")

    def actions(self) -> Iterator[Action]:
        """Every card that each seat may hold and that does not lie open."""
        for hand in self.game.hands:
            if hand.size:
                for card in hand.candidates(self.game.deck):
                    if not (card in hand.exposed and card in hand.known):
                        yield Action("expose", hand.seat, card)


def _text(card: Card | None) -> str:
    if card is None:
        return "without a name"
    return f"{card.rank!r}" if card.suit == "unknown" else str(card)
