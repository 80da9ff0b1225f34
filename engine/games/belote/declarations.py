"""Declarations before a card is played: sequences, four cards of a rank, and belote and rebelote.

In the first trick, a player declares before playing: `tierce`, `cinquante`, `cent` (three, four, five cards of a suit
in sequence) or `carre` (four of a rank), one word for each declaration. When the trick is complete, the players of the
side with the best declaration show the cards, and those of both sides if both have declared the same. A player who
passes instead gives the declarations up. The side with the best declaration scores everything that it has shown.

Belote: the king and queen of trumps score for the player who plays both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import ClassVar, Final, NamedTuple

from engine.actions import Action
from engine.cards import SUITS, Card
from engine.errors import Refused
from engine.rules.bidding import PASS
from engine.rules.hands import Hand
from engine.rules.penalties import PenaltyTrickGame
from engine.rules.questions import ClaimOfHand, Offer, Question, Say
from engine.rules.tricks import Trick
from engine.texts import Text, commas, text, word_text
from engine.views import EventKind, SeatNote
from engine.words import Word

BELOTE: Final = Word("rebelote", mark=156)
"""The word, for the `words` of a game. `belote` on an action card chooses a game."""
CARRE: Final = "carre"
LENGTHS: Final = {"tierce": 3, "cinquante": 4, "cent": 5, CARRE: 4}
"""The number of cards of each declaration, the lowest declaration first."""
DECLARATIONS: Final = (
    *(Word("tierce", mark=150), Word("cinquante", mark=151), Word("cent", mark=152), Word("carre", mark=153)),
)
"""The words, for the `words` of a game."""
SEQUENCE_POINTS: Final = {"tierce": 20, "cinquante": 50, "cent": 100}
CARRE_POINTS: Final = {"Q": 100, "K": 100, "10": 100, "A": 100, "9": 150, "J": 200}
"""The lowest rank first; four sevens and four eights cannot be declared."""
ORDER: Final = ("7", "8", "9", "10", "J", "Q", "K", "A")


class Combination(NamedTuple):
    """A declaration with its cards, the lowest first."""

    word: str
    cards: tuple[Card, ...]

    @property
    def points(self) -> int:
        """What it scores."""
        return CARRE_POINTS[self.cards[0].rank] if self.word == CARRE else SEQUENCE_POINTS[self.word]

    def strength(self, trump: str | None) -> tuple[int, int, bool]:
        """Return a value that is higher for the better of two: the kind, the rank, whether a sequence is of trumps."""
        card = self.cards[-1]
        ranks = tuple(CARRE_POINTS) if self.word == CARRE else ORDER
        return [*LENGTHS].index(self.word), ranks.index(card.rank), self.word != CARRE and card.suit == trump


def combinations(word: str, cards: Collection[Card]) -> Iterator[Combination]:
    """Yield every way to declare `word` with some of `cards`.

    >>> from engine.cards import parse_card as card
    >>> [str(found.cards[-1]) for found in combinations("tierce", [*map(card, ("9H", "10H", "JH", "QH", "KD"))])]
    ['JH', 'QH']
    """
    length = LENGTHS[word]
    if word == CARRE:
        whole = [tuple(Card(rank, suit) for suit in SUITS) for rank in CARRE_POINTS]
    else:
        runs = [ORDER[first : first + length] for first in range(len(ORDER) + 1 - length)]
        whole = [tuple(Card(rank, suit) for rank in run) for suit in SUITS for run in runs]
    for each in whole:
        if all(card in cards for card in each):
            yield Combination(word, each)


def arrangements(words: Sequence[str], cards: Collection[Card]) -> Iterator[tuple[Combination, ...]]:
    """Yield every way to declare all of `words` with `cards`, each card in one declaration at most."""
    if not words:
        yield ()
        return
    for first in combinations(words[0], cards):
        left = [card for card in cards if card not in first.cards]
        for others in arrangements(words[1:], left):
            yield (first, *others)


class DeclarationGame(PenaltyTrickGame):
    """A trick game with declarations and belote. Its options are `declarations` and `say_belote`.

    `declared`: what each seat has declared, in order. `shown`: by seat, the declarations with their cards. `given_up`:
    the seats that passed instead. `announced`: each time `rebelote` was said, as the seat and the number of cards that
    it had played. `rising`: the suits of trumps; each may have a belote.
    """

    event_kinds: ClassVar = {
        "belote": EventKind(lambda name, card: text("{name}: belote and rebelote", name=name)),
    }
    rising: tuple[str, ...] = ()

    def clear_tricks(self) -> None:
        """Begin a hand in which nothing was announced."""
        super().clear_tricks()
        self.announced: set[tuple[int, int]] = set()
        self.declared: tuple[tuple[int, str], ...] = ()
        self.shown: dict[int, tuple[Combination, ...]] = {}
        self.given_up: set[int] = set()

    def declared_by(self, seat: int) -> tuple[str, ...]:
        """Return what `seat` has declared."""
        return tuple(word for declarer, word in self.declared if declarer == seat)

    def best_declaration(self) -> int | None:
        """Return the side with the best declaration that was shown; if two are equal, the first in order of play."""
        seats = [seat for seat in self.seats_from(self.eldest) if seat in self.shown] if self.shown else []
        found = [(each.strength(self.trump), seat) for seat in seats for each in self.shown[seat]]
        best = max(found, key=lambda each: each[0], default=None)
        return None if best is None else self.side_of(best[1])

    def declaration_points(self, side: int) -> int:
        """Return what the declarations of `side` score."""
        shown = (self.shown.get(seat, ()) for seat in self.sides()[side])
        return sum(each.points for each in chain.from_iterable(shown)) if side == self.best_declaration() else 0

    def next_to_show(self, trick: Trick) -> int | None:
        """Return the seat that must show its declarations now, None if none must."""
        if self.tricks or not trick.complete:
            return None
        order = [*LENGTHS]
        kinds = {seat: max(order.index(word) for word in self.declared_by(seat)) for seat, _ in self.declared}
        best = max((kind for seat, kind in kinds.items() if seat not in self.given_up), default=None)
        sides = {self.side_of(seat) for seat in kinds.keys() - self.given_up if kinds[seat] == best}
        left = kinds.keys() - self.given_up - self.shown.keys()
        return next(
            (seat for seat in self.seats_from(trick.leader) if seat in left and self.side_of(seat) in sides), None
        )

    def words_before_card(self, trick: Trick) -> tuple[str, ...]:
        """Return the words that the seat on turn may say before it plays a card."""
        if trick.complete:
            return ()
        words = list(LENGTHS) if self.values["declarations"] and not self.tricks else []
        announced = (trick.turn, self.cards_played(trick.turn)) in self.announced
        if self.values["say_belote"] and self.rising and not announced:
            words.append(BELOTE.name)
        return tuple(words)

    def play_offers(self, trick: Trick) -> dict[str, Offer]:
        """Add the words that may be said before a card."""
        offers = super().play_offers(trick)
        if words := self.words_before_card(trick):
            offers["say"] = SayBeforeCard(self, trick.turn, words, self._accusations)
        return offers

    def play_question(self, trick: Trick) -> Question:
        """Ask for the cards of declarations first, if there are any."""
        seat = self.next_to_show(trick)
        if seat is None:
            return super().play_question(trick)
        offers = super().play_offers(trick)
        del offers["play"]
        offers["say"] = Say(self, seat, (PASS.name,), self._accusations)
        offers["show"] = ShowDeclared(self, seat)
        what = commas([word_text(word) for word in self.declared_by(seat)])
        hint = text("{name} shows the declared cards ({what}), or passes.", name=self.players[seat], what=what)
        return Question("show", seat, offers, hint)

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Carry out an action between two cards; declaring, showing, giving up and `rebelote` too."""
        if action.word == BELOTE.name and isinstance(action.seat, int):
            self.announced.add((action.seat, self.cards_played(action.seat)))
        elif action.do == "show":
            hand, cards = self.hand_of(action), action.cards or ()
            for card in cards:
                if hand.show(card):
                    self.revoke_proved(hand.seat, card)
            self.shown[hand.seat] = next(arrangements(self.declared_by(hand.seat), cards))
        elif action.word in LENGTHS:
            self.declared += ((self.hand_of(action).seat, action.word),)
        elif action.word == PASS.name:
            self.given_up.add(self.hand_of(action).seat)
        else:
            super().meanwhile(trick, action)

    def belotes(self) -> list[int]:
        """Return the seat of each belote that counts: both cards are played."""
        played: dict[int, list[Card]] = {seat: [] for seat in self.every_seat}
        for trick in self.begun_tricks:
            for play in trick.plays:
                played[play.seat].append(play.card)
        found = []
        for suit in self.rising:
            king, queen = Card("K", suit), Card("Q", suit)
            for seat, cards in played.items():
                if king in cards and queen in cards:
                    second = seat, max(cards.index(king), cards.index(queen))
                    found += [seat] if not self.values["say_belote"] or second in self.announced else []
        return found

    def cards_played(self, seat: int) -> int:
        """Return how many cards `seat` has played in this hand."""
        return sum(play.seat == seat for trick in self.begun_tricks for play in trick.plays)

    def play(self, trick: Trick, card: Card) -> None:
        """Play the card, and report belote and rebelote if it completes them."""
        seat, before = trick.turn, self.belotes() if card.rank in ("K", "Q") else []
        super().play(trick, card)
        if card.rank in ("K", "Q") and len(self.belotes()) > len(before):
            self.report("belote", seat)

    def note(self, seat: int) -> SeatNote:
        """Return what the seat has declared, and its belote."""
        words = [] if seat in self.given_up else [word_text(word) for word in self.declared_by(seat)]
        return SeatNote(commas([*words, *([text("belote")] if seat in self.belotes() else [])]))

    def announcements(self) -> tuple[tuple[str, str], ...]:
        """Return facts: the declarations of each seat, once they are shown the points of the best side; then belote."""
        side = self.best_declaration()
        if side is not None:
            points = text("{name}: {what}", name=self.side_name(side), what=str(self.declaration_points(side)))
            declared = [(text("declarations"), points)]
        else:
            declared = []
            for seat in dict.fromkeys(seat for seat, _ in self.declared if seat not in self.given_up):
                what = commas([word_text(word) for word in self.declared_by(seat)])
                declared.append((text("declared"), text("{name}: {what}", name=self.players[seat], what=what)))
        return (*declared, *((text("belote"), self.players[seat]) for seat in self.belotes()))


class SayBeforeCard(ClaimOfHand):
    """Saying a word before playing a card. A declaration must be possible beside those that the seat has made."""

    __slots__ = ()
    game: DeclarationGame

    def claims(self, word: str) -> bool:
        """Return whether `word` is a declaration."""
        return word in LENGTHS

    def is_true(self, word: str, seat: int, cards: Collection[Card]) -> bool:
        """Return whether `cards` have this declaration and the others of `seat`, each card in one declaration."""
        return any(arrangements((*self.game.declared_by(seat), word), cards))

    def is_possible(self, word: str, hand: Hand) -> bool:
        """Return whether the hand may have it, and is large enough for all its declarations."""
        needed = sum(LENGTHS[each] for each in (*self.game.declared_by(hand.seat), word))
        return needed <= hand.size and self.is_true(word, hand.seat, tuple(hand.candidates(self.game.deck)))

    def why_not(self, seat: int) -> Text:
        """Return the sentence that the hand has no such declaration."""
        return text("{name} has no such cards.", name=self.name(seat))


class ShowDeclared(Offer):
    """Showing the cards of all declarations of one seat."""

    __slots__ = ("words_said",)
    do = "show"
    listed = False

    def __init__(self, game: DeclarationGame, seat: int) -> None:
        super().__init__(game, (seat,))
        self.words_said = game.declared_by(seat)

    def check(self, action: Action) -> None:
        """Codes: no-such-card, not-your-turn, wrong-count, already-seen, not-in-hand, wrong-amount (other cards)."""
        cards = action.cards or ()
        self.check_deck(*cards)
        self.check_seat(action)
        self.check_count(cards, sum(LENGTHS[word] for word in self.words_said))
        hand = self.game.hand_of(action)
        self.check_elsewhere(cards, hand)
        self.check_held(cards, hand)
        if len({*hand.known, *cards}) > hand.size:
            raise Refused(
                "not-in-hand",
                text("{name} cannot hold all these cards: look at them again.", name=self.name(hand.seat)),
            )
        if next(arrangements(self.words_said, cards), None) is None:
            what = commas([word_text(word) for word in self.words_said])
            raise Refused("wrong-amount", text("These cards are not what was declared: {what}.", what=what))

    def known_actions(self) -> Iterator[Action]:
        """Yield every way to show them from a known hand."""
        return self.actions() if self.game.hands[self.seats[0]].complete else iter(())

    def actions(self) -> Iterator[Action]:
        """Yield every way to show the declarations with cards that the hand may hold."""
        seat = self.seats[0]
        for found in arrangements(self.words_said, tuple(self.game.hands[seat].candidates(self.game.deck))):
            action = Action("show", seat, cards=tuple(chain.from_iterable(each.cards for each in found)))
            if self.allows(action):
                yield action
