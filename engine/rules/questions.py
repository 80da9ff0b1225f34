"""What the table asks for: one value from which everything else comes.

The rules (`engine.rules.game`) yield a `Question` and receive an action that it allows. A `Question` has a phase, the seat on turn,
and its `Offer`s: one for each kind of action that could happen now. From it come

- legality: `Question.check` raises `Refused` with the code that the record's order of precedence gives;
- `legal_actions` (`Question.actions`), the words of each seat (`Question.words`), prompts, the turn and the phase.

**Writing an offer.** Subclass `Offer`; set `do` (the kind of action) and `listed` (False for kinds that a record's
`--legal` leaves out). `open_to` is False where the action is `wrong-phase` after all; `check` goes through the other
codes in their order, with the helpers below; `actions` lists exactly the actions that `check` lets pass.
Offers read the game's hands when asked, and are made new for every `Question`: they keep nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.rules.hands import Hand, Pile
from engine.rules.wording import does_not_hold, must_act, not_now
from engine.texts import Text, commas, either, plural, text, word_text

if TYPE_CHECKING:
    from engine.rules.game import Game


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

    def check_deck(self, *cards: Card | None) -> None:
        """`no-such-card`: a card is none of this game's."""
        if not self.game.deck.kinds.issuperset(cards):
            strange = next(card for card in cards if card not in self.game.deck)
            raise Refused(
                "no-such-card", text("{game} has no card {card}.", game=self.game.title, card=card_text(strange))
            )

    def check_seat(self, action: Action) -> None:
        """`not-your-turn`: another seat must act."""
        if action.seat not in self.seats:
            self.refuse_seat(action)

    def refuse_seat(self, action: Action) -> None:
        """Raise `not-your-turn`, naming who must act."""
        raise Refused("not-your-turn", must_act(self.do, either([self.name(seat) for seat in self.seats])))

    def check_count(self, cards: Collection[Card] | None, count: int) -> None:
        """`wrong-count`: too few or too many cards."""
        if cards is None or len(cards) != count:
            found = 0 if cards is None else len(cards)
            one, many = "{count} card is wanted here, not {found}.", "{count} cards are wanted here, not {found}."
            raise Refused("wrong-count", plural(one, many, count, found=found))

    def check_elsewhere(self, cards: Iterable[Card], hand: Hand | Pile | None) -> None:
        """`already-seen`: a card lies somewhere else than in `hand` (or pile; None: the stock), or is named twice."""
        cards, place = tuple(cards), self.game.pack.place
        if not place.keys().isdisjoint(cards):
            for card in cards:
                where = place.get(card)
                if where is not None and where is not hand:
                    raise Refused("already-seen", self.lies_elsewhere(card))
        if len(set(cards)) < len(cards):
            card, times = Counter(cards).most_common(1)[0]
            told = text("{card} is named {times} times; there is only one.", card=card.glyph, times=times)
            raise Refused("already-seen", told)

    def check_held(self, cards: Iterable[Card], hand: Hand) -> None:
        """`not-in-hand`: the hand is known and a card is not in it."""
        if hand.complete:
            for card in cards:
                if card not in hand.known:
                    raise Refused("not-in-hand", does_not_hold(self.name(hand.seat), card))

    def name(self, seat: int) -> str:
        """The player's name."""
        return self.game.players[seat]

    def lies_elsewhere(self, card: Card) -> Text:
        """Where the table knows `card` to lie."""
        where = self.game.pack.place.get(card)
        if isinstance(where, Hand):
            return text("{card} is in the hand of {name}.", card=card.glyph, name=self.name(where.seat))
        pile = where.name if where else ""
        if pile == "laid away":
            return text("{card} is laid away.", card=card.glyph)
        if pile == "crib":
            return text("{card} is in the crib.", card=card.glyph)
        return text("{card} is on the table already.", card=card.glyph)


class Question:
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

    def _not_now(self, action: Action) -> Text:
        names = next((offer.game.players for offer in self.offers.values()), ())
        return not_now(action.do, self.phase, names[self.turn] if self.turn is not None and names else None)


NOTHING: Final = Question("over", None, {})


class Accusation:
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
        claims: Mapping[str, Accusation] | None = None,
        speaks: bool = True,
    ) -> None:
        super().__init__(game, () if seat is None else (seat,))
        self.plain = plain
        self.claims: Mapping[str, Accusation] = {} if claims is None else claims
        self.speaks = speaks

    def open_to(self, action: Action) -> bool:
        """Claims are judged in every phase."""
        return self.speaks or action.word in self.claims

    def check(self, action: Action) -> None:
        """Codes: no-such-word (of the game), not-your-turn, no-such-word (now); for claims their own."""
        word = action.word
        if word is None or word not in self.game.vocabulary:
            told, every = "{game} has no word “{word}”; it has {every}.", commas(tuple(self.game.vocabulary))
            raise Refused("no-such-word", text(told, game=self.game.title, word=word, every=every))
        claim = self.claims.get(word)
        if claim is not None:
            claim.check(action)
            return
        if self.plain:  # else it is nobody's turn to say anything but a claim
            self.check_seat(action)
        if word not in self.plain:
            raise Refused("no-such-word", self._other_words(word_text(word)))

    def _other_words(self, word: Text) -> Text:
        if not self.plain or not self.seats:
            return text("“{word}” is not to be said now.", word=word)
        now = either([text("“{word}”", word=word_text(each)) for each in self.plain])
        return text("{name} may say {now} now, not “{word}”.", name=self.name(self.seats[0]), now=now, word=word)

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


def card_text(card: Card | None) -> str:
    """A card in a refusal, in the form of a record; or that there is none."""
    if card is None:
        return text("without a name")
    return repr(card.rank) if not card.suit else str(card)
