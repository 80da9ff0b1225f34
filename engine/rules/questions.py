"""Questions and offers: the action that the rules wait for, and which actions are legal now.

The rules (`engine.rules.game`) yield a `Question` and receive an action that it allows. A `Question` has a phase, the
seat on turn, a hint, and one `Offer` for each kind of action that could happen now. From it come

- legality: `Question.check` raises `Refused` with the code that the record's order of precedence gives;
- the list of legal actions (`Question.actions`), the words of each seat (`Question.words`), prompts, turn and phase.

**Writing an offer.** Subclass `Offer`, set `do` (the kind of action) and write `check`: it raises `NotNow` if the kind
is impossible for this seat in this phase, otherwise `Refused` with the first code that fits, in the order of
docs/reference/record.md, with the helpers below. The legal actions follow from it: `actions` are those of `candidates`
that `check` lets pass. Override `candidates` if an action has more than one card, `actions` if that is too slow, and
set `listed` to False if the list would be very long. An offer reads the state of the game when it is asked, and never
changes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import ClassVar, Final, NoReturn

from engine.actions import Action
from engine.cards import Card
from engine.errors import Refused
from engine.rules.hands import SEEN, Hand, Pile
from engine.rules.state import GameState
from engine.rules.wording import card_text, does_not_hold, must_act, not_now
from engine.texts import Text, commas, either, plural, text, word_text


class NotNow(Exception):
    """This kind of action is impossible now for the seat that acts: it is refused as `wrong-phase`."""


class Checked:
    """A check of actions: `check` is the only predicate, and the list of legal actions follows from it."""

    __slots__ = ()

    def check(self, action: Action) -> None:
        """Raise `NotNow` or `Refused` if `action` is not legal now."""
        raise NotImplementedError

    def candidates(self) -> Iterator[Action]:
        """Yield a superset of the legal actions; `check` decides which are legal."""
        raise NotImplementedError

    def actions(self) -> Iterator[Action]:
        """Yield every legal action."""
        return filter(self.allows, self.candidates())

    def allows(self, action: Action) -> bool:
        """Return whether `check` lets `action` pass."""
        try:
            self.check(action)
        except (NotNow, Refused):
            return False
        return True


_MOST_LISTED: Final = 3
"""The most words or players that a refusal lists."""


class Offer(Checked):
    """One kind of action that could happen now. `seats`: the seats that may act; empty if the kind has no seat.

    `laid_in`: the zone whose cards together are tried as this kind while it is offered, before the kinds of action that
    the zone always has (`engine.actions`); "" for none.
    """

    __slots__ = ("game", "seats")
    do: ClassVar[str]
    listed: ClassVar[bool] = True
    laid_in: ClassVar[str] = ""

    def __init__(self, game: GameState, seats: tuple[int, ...] = ()) -> None:
        self.game = game
        self.seats = seats

    def candidates(self) -> Iterator[Action]:
        """Yield, for every seat, each different card of the deck."""
        for seat in self.seats or (None,):
            for card in self.game.deck:
                yield Action(self.do, seat, card)

    def known_actions(self) -> Iterator[Action]:
        """Yield, of a kind that is not listed, the legal actions with cards that the table knows."""
        return iter(())

    def words(self, seat: int) -> tuple[str, ...]:
        """Return the words that `seat` may say now, as far as everybody at the table can know."""
        return ()

    # Steps of a check, in the record's order of precedence

    def check_deck(self, *cards: Card | None) -> None:
        """Refuse (`no-such-card`) a card that is not in the game's deck, or None."""
        if not self.game.deck.kinds.issuperset(cards):
            unknown = next(card for card in cards if card not in self.game.deck)
            message = text("{game} has no card {card}.", game=self.game.title, card=card_text(unknown))
            raise Refused("no-such-card", message)

    def check_seat(self, action: Action) -> None:
        """Refuse (`not-your-turn`) a seat that is not one of `seats`."""
        if action.seat not in self.seats:
            self.refuse_seat()

    def refuse_seat(self) -> NoReturn:
        """Raise `Refused` (`not-your-turn`) with the names of the players who must act."""
        names = either([self.name(seat) for seat in self.seats])
        if len(self.seats) > _MOST_LISTED:
            names = text("one of {count} players", count=len(self.seats))
        raise Refused("not-your-turn", must_act(self.do, names))

    def check_count(self, cards: Collection[Card] | None, count: int) -> None:
        """Refuse (`wrong-count`) too few or too many cards."""
        if cards is None or len(cards) != count:
            missing = count - len(cards or ())
            single, many = "{count} more card, please.", "{count} more cards, please."
            if missing < 0:
                single, many = "{count} card too many.", "{count} cards too many."
            raise Refused("wrong-count", plural(single, many, abs(missing)))

    def check_elsewhere(self, cards: Collection[Card], hand: Hand | Pile | None) -> None:
        """Refuse (`already-seen`) a card known to be elsewhere than in `hand` (None: the stock), or named twice."""
        place = self.game.pack.place
        if not place.keys().isdisjoint(cards):
            for card in cards:
                where = place.get(card)
                if where is not None and where is not hand:
                    raise Refused("already-seen", self.lies_elsewhere(card))
        if len(set(cards)) < len(cards):
            card, times = Counter(cards).most_common(1)[0]
            message = text("{card} is named {times} times; there is only one.", card=card.glyph, times=times)
            raise Refused("already-seen", message)

    def check_held(self, cards: Iterable[Card], hand: Hand) -> None:
        """Refuse (`not-in-hand`) a card that is not in `hand`, if the hand is known."""
        if hand.complete:
            for card in cards:
                if card not in hand.known:
                    raise Refused("not-in-hand", does_not_hold(self.name(hand.seat), card))

    def name(self, seat: int) -> str:
        """Return the player's name."""
        return self.game.players[seat]

    def lies_elsewhere(self, card: Card) -> Text:
        """Return the sentence that says where `card` is known to be."""
        where = self.game.pack.place.get(card)
        if isinstance(where, Hand):
            return text("{card} is in the hand of {name}.", card=card.glyph, name=self.name(where.seat))
        return text((where or SEEN).says, card=card.glyph)


class Question:
    """The action that the table waits for.

    `phase`: one of `cut deal discard turn say play bid show over`. `turn`: the one seat that must act, or None.
    `offers`: by kind of action. `hint`: what the players should do now, if the game has a better sentence than the
    general ones of `engine.referee.prompts`.
    """

    __slots__ = ("hint", "offers", "phase", "turn")

    def __init__(self, phase: str, turn: int | None, offers: Mapping[str, Offer], hint: str = "") -> None:
        self.phase = phase
        self.turn = turn
        self.offers = offers
        self.hint = hint

    def check(self, action: Action) -> None:
        """Raise `Refused` unless `action` is legal now."""
        offer = self.offers.get(action.do)
        if offer is not None:
            try:
                offer.check(action)
                return
            except NotNow:
                pass
        raise Refused("wrong-phase", self._not_now(action))

    def actions(self) -> list[Action]:
        """Return every legal action, except those of kinds that a record does not list."""
        return [action for offer in self.offers.values() if offer.listed for action in offer.actions()]

    def known_actions(self) -> list[Action]:
        """Return every legal action, of kinds that a record does not list those with cards that the table knows."""
        offers = self.offers.values()
        return [each for offer in offers for each in (offer.actions() if offer.listed else offer.known_actions())]

    def words(self, players: int) -> tuple[tuple[str, ...], ...]:
        """Return, for each seat, the words that it may say now, as far as everybody at the table can know."""
        say = self.offers.get("say")
        return tuple(say.words(seat) if say else () for seat in range(players))

    def accused(self) -> dict[str, Mapping[int, str]]:
        """Return, by word, the seats that can be accused now, with what it costs them (`Accusation.costs`)."""
        say = self.offers.get("say")
        accusations = say.accusations if isinstance(say, Say) else {}
        return {word: costs for word, accusation in accusations.items() if (costs := accusation.costs())}

    def __repr__(self) -> str:
        turn = "" if self.turn is None else f" of seat {self.turn}"
        return f"<Question {self.phase}{turn}: {', '.join(self.offers) or 'nothing'}>"

    def _not_now(self, action: Action) -> Text:
        names = next((offer.game.players for offer in self.offers.values()), ())
        return not_now(action.do, self.phase, names[self.turn] if self.turn is not None and names else None)


NOTHING: Final = Question("over", None, {})
"""The question of a game that is over: no action is legal."""


class Accusation(Checked):
    """A word that claims something about another seat, such as that it has revoked, or that its card may be called.

    Any seat may say it in any phase; `check` refuses a claim that is false or made at the wrong time, as `bad-call`.
    """

    __slots__ = ()

    def open_to(self, seat: int) -> bool:
        """Return whether `seat` may say it now, as far as everybody at the table can know."""
        raise NotImplementedError

    def costs(self) -> Mapping[int, str]:
        """Return the seats that can be accused now, as far as everybody knows, with a text that says what it costs.

        Empty if every other seat can be accused.
        """
        return {}


class Say(Offer):
    """Saying a word: the seat on turn may say one of `plain`, any seat one of `accusations` at any time.

    `speaks`: whether this phase has words of its own; if not, every word but an accusation is `wrong-phase`.
    """

    __slots__ = ("accusations", "plain", "speaks")
    do = "say"

    def __init__(
        self,
        game: GameState,
        seat: int | None,
        plain: tuple[str, ...] = (),
        accusations: Mapping[str, Accusation] | None = None,
        speaks: bool = True,
    ) -> None:
        super().__init__(game, () if seat is None else (seat,))
        self.plain = plain
        self.accusations: Mapping[str, Accusation] = {} if accusations is None else accusations
        self.speaks = speaks

    def check(self, action: Action) -> None:
        """Codes: no-such-card, no-such-word (of the game), not-your-turn, no-such-word (now).

        Accusations have codes of their own. A card that the word does not take (`Word.keys`) is `no-such-card`, an
        accused seat that it does not take `no-such-word`, or `bad-call` for an accusation. A plain word that needs a
        card and names none is `wrong-count`; one that needs another player and names none, `no-such-word`.
        """
        word = action.word or ""
        accusation = self.accusations.get(word)
        if not self.speaks and accusation is None:
            raise NotNow
        if action.card is not None:
            self.check_deck(action.card)
        declared = self.game.vocabulary.get(word)
        if declared is None:
            template, every = "{game} has no word “{word}”; it has {every}.", commas(tuple(self.game.vocabulary))
            raise Refused("no-such-word", text(template, game=self.game.title, word=word, every=every))
        if action.card is not None and "card" not in declared.keys:
            message = text("“{word}” is said without a card.", word=word_text(word))
            raise Refused("no-such-card", message)
        if action.against is not None and "against" not in declared.keys:
            message = text("“{word}” is said without naming another player.", word=word_text(word))
            raise Refused("no-such-word" if accusation is None else "bad-call", message)
        if accusation is not None:
            accusation.check(action)
            return
        if self.plain:  # otherwise only accusations may be said, out of turn
            self.check_seat(action)
        if word not in self.plain:
            raise Refused("no-such-word", self._other_words(word_text(word)))
        if not declared.needs:
            return
        if action.card is None and "card" in declared.keys:
            raise Refused("wrong-count", text("“{word}” needs a card: name it.", word=word_text(word)))
        if action.against is None and "against" in declared.keys:
            raise Refused("no-such-word", text("“{word}” needs a player: name the one meant.", word=word_text(word)))

    def _other_words(self, word: Text) -> Text:
        if not self.plain or not self.seats or len(self.plain) > _MOST_LISTED:
            return text("“{word}” cannot be said now.", word=word)
        now = either([text("“{word}”", word=word_text(each)) for each in self.plain])
        return text("{name} may say {now} now, not “{word}”.", name=self.name(self.seats[0]), now=now, word=word)

    def actions(self) -> Iterator[Action]:
        """Yield the plain words, then the accusations that would stand."""
        for seat in self.seats:
            for word in self.plain:
                yield from self._sayings(seat, word)
        for accusation in self.accusations.values():
            yield from accusation.actions()

    def _sayings(self, seat: int, word: str) -> Iterator[Action]:
        """Yield the word with each card and each other player that it may be said with."""
        declared = self.game.vocabulary.get(word)
        keys = declared.keys if declared else ()
        others = [other for other in range(len(self.game.players)) if other != seat] if "against" in keys else [None]
        for against in others:
            for card in self.game.deck if "card" in keys else (None,):
                yield Action("say", seat, card, word=word, against=against)

    def words(self, seat: int) -> tuple[str, ...]:
        """Return the plain words if the seat is on turn, and the accusations open to it."""
        plain = self.plain if seat in self.seats else ()
        return plain + tuple(word for word, accusation in self.accusations.items() if accusation.open_to(seat))


class ClaimOfHand(Say):
    """Saying a word; some words claim something about the speaker's hand, such as that it holds certain cards.

    The table takes the player's word for it if the hand is hidden. Such a word is among the `words` of every hand,
    because its absence would show what a known hand holds.
    """

    __slots__ = ()

    def claims(self, word: str) -> bool:
        """Return whether `word` claims something about the hand."""
        raise NotImplementedError

    def is_true(self, word: str, seat: int, cards: Collection[Card]) -> bool:
        """Return whether the claim `word` of `seat` is true if `cards` is its hand."""
        raise NotImplementedError

    def is_possible(self, word: str, hand: Hand) -> bool:
        """Return whether the claim `word` may be true, as far as the table knows `hand`."""
        raise NotImplementedError

    def why_not(self, seat: int) -> Text:
        """Return the sentence that refuses a false claim of `seat`."""
        raise NotImplementedError

    def check(self, action: Action) -> None:
        """Codes: those of `Say`, and no-such-word for a claim that a known hand shows to be false."""
        super().check(action)
        word, hand = action.word or "", self.game.hand_of(action)
        if self.claims(word) and not self.is_possible(word, hand):
            raise Refused("no-such-word", self.why_not(hand.seat))

    def actions(self) -> Iterator[Action]:
        """Yield the words that are allowed, then the accusations that would stand."""
        return filter(self.allows, super().actions())
