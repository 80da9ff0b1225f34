"""All Fives, for two or three: the rules in the order in which the rule book tells them.

The source's rules, and the rulings where it is silent, stand in docs/games/all-fives.md; each ruling that people play
differently is an option.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from engine.actions import Action
from engine.cards import Card
from engine.games.all_fives_calls import CardCall, RevokeCall
from engine.rules.game import Option, Rules
from engine.rules.hands import Pile
from engine.rules.offers import Discard, Expose, PlayToTrick
from engine.rules.questions import Accusation, Offer, Question, Say
from engine.rules.trick_game import TrickGame
from engine.rules.tricks import Trick
from engine.texts import text
from engine.words import Word

COUNTING: Final = (
    ("A", 4, "ace"),
    ("K", 3, "king"),
    ("Q", 2, "queen"),
    ("J", 1, "jack"),
    ("10", 10, "ten"),
    ("5", 5, "five"),
)
"""The trumps that count: rank, points, reason."""

DEALT: Final = 6
RUN: Final = 3
PENALTY: Final = 3
LAID_AWAY: Final = Pile("laid away")


def count_trumps(cards: Collection[Card], trump: str) -> list[tuple[int, str]]:
    """Points and reasons for the trumps among `cards` captured, in the order in which they are counted.

    >>> from engine.cards import parse_card
    >>> count_trumps([parse_card("10H"), parse_card("AH"), parse_card("5C")], "H")
    [(4, 'ace'), (10, 'ten')]
    """
    return [(points, reason) for rank, points, reason in COUNTING if Card(rank, trump) in cards]


class LayAway(Discard):
    """Laying away down to six: so many choices that no list of legal actions has them."""

    __slots__ = ()
    listed = False


class AllFives(TrickGame):
    """All Fives. See `Game` for what the attributes and the coroutine are."""

    name = "all-fives"
    title = "All Fives"
    seats = range(2, 4)
    words = (
        Word("stand", mark=100),
        Word("beg", mark=101),
        Word("take-one", mark=102),
        Word("change", mark=103),
        Word(
            "revoke",
            needs=("against", "evidence"),
            cards="led",
            label="call a revoke",
            question="Which card proves it, that {name} still holds?",
            prompt="{name} calls a revoke: lay {card} that proves it in the show zone of the one who revoked.",
            mark=104,
        ),
        Word(
            "call",
            needs=("card",),
            cards="open",
            label="call the open card",
            question="Which card must {name} play?",
            mark=105,
        ),
    )
    zones = ("play", "turn-up", "say", "show")
    options = (
        Option("target", 61, text("points that win the game"), least=1),
        Option("discard_to_six", False, text("after running the cards everyone plays six and lays the others away")),
        Option("revoke_bonus", False, text("a revoke gives 3 points to every other player instead of costing 3")),
    )

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        self._claims: dict[str, Accusation] = {"revoke": RevokeCall(self), "call": CardCall(self)}
        # These offers say the same in every trick, so they are made once.
        self._expose = Expose(self)
        self._says = [Say(self, seat, (), self._claims) for seat in self.every_seat]
        self._clear()

    def _clear(self) -> None:
        self.clear_tricks()
        self.called: Card | None = None
        self.barred: set[int] = set()
        self.to_discard: set[int] = set()

    @property
    def eldest(self) -> int:
        """The seat left of the dealer."""
        return self.next_seat(self.dealer)

    # The hand

    def hand(self) -> Rules[None]:
        """Dealing, trumps, laying away, the tricks, the count."""
        self._clear()
        yield from self.settle_trumps()
        if self.match.over:
            return
        yield from self.lay_away()
        yield from self.play_tricks(self.eldest)
        self.count_hand()

    def settle_trumps(self) -> Rules[None]:
        """Turn a card for trumps; eldest stands or begs; the dealer gives a point, or runs the cards."""
        while True:
            self.new_pack()
            turned = yield from self.deal_and_turn_up(DEALT)
            self.trump = turned.suit
            if (yield from self.say(self.eldest, "stand", "beg")) == "stand":
                return
            if (yield from self.say(self.dealer, "take-one", "change")) == "take-one":
                self.score(self.eldest, 1, "beg")
                if self.match.scores[self.eldest] >= self.values["target"]:
                    self.win(self.eldest)
                return
            yield from self.run_the_cards(turned.suit)
            if self.trump:
                return
            self.report("redeal")

    def run_the_cards(self, suit: str) -> Rules[None]:
        """Three more to each and another turn-up, until its suit is new; no trumps if the pack does not reach."""
        self.trump = None
        while self.in_stock() >= RUN * len(self.players) + 1:
            turned = yield from self.deal_and_turn_up(RUN)
            if turned.suit != suit:
                self.trump = turned.suit
                return

    def lay_away(self) -> Rules[None]:
        """With `discard_to_six`: everything beyond six cards, before the first lead. Known hands must."""
        if self.values["discard_to_six"]:
            self.to_discard = {hand.seat for hand in self.hands if hand.size > DEALT}
        while any(self.hands[seat].complete for seat in self.to_discard):
            action = yield self.ask("discard", None, self._discards())
            self._lay_away(action)

    def count_hand(self) -> None:
        """The trumps that count, in seat order from eldest; who has reached the target; the deal passes left."""
        match = self.match
        for seat in self._from_eldest():
            for points, reason in count_trumps(self.won_by(seat), self.trump or ""):
                self.score(seat, points, reason)
        self.report("hand-over")
        allowed = {seat: score for seat, score in enumerate(match.scores) if seat not in self.barred}
        best = [seat for seat, score in allowed.items() if score == max(allowed.values())]
        if len(best) == 1 and allowed[best[0]] >= self.values["target"]:
            self.win(best[0])
        else:
            match.dealer = self.next_seat(self.dealer)

    # Playing

    def ask(self, phase: str, turn: int | None, *offers: Offer | None) -> Question:
        """Every question also hears calls, which are judged (`bad-call`) in every phase."""
        ask = super().ask(phase, turn, *offers)
        say = ask.offers.get("say")
        if isinstance(say, Say):
            say.claims = self._claims
            return ask
        return super().ask(phase, turn, *offers, Say(self, None, claims=self._claims, speaks=False))

    def play_offers(self, trick: Trick) -> dict[str, Offer]:
        """Also calls, cards exposed and, from hidden hands, laid away; a card that was called must be played."""
        offers = super().play_offers(trick)
        if self.called:
            offers["play"] = PlayToTrick(self, trick.turn, None if trick.complete else trick.led, self.called)
        offers["say"] = self._says[trick.turn]
        offers["expose"] = self._expose
        if self.to_discard:
            offers["discard"] = self._discards()
        return offers

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """A card exposed or called, cards laid away, a revoke called."""
        if action.do == "expose" and action.card:
            if self.hand_of(action).expose(action.card):
                self.report("revoke-proven", self.hand_of(action).seat, action.card)
            self._look_at_call(trick)
        elif action.do == "discard":
            self._lay_away(action)
            self._look_at_call(trick)
        elif action.word == "call":
            self.called = action.card
        elif action.word == "revoke" and action.against is not None and action.card:
            self._revoke(trick, action.against, action.card)

    def play(self, trick: Trick, card: Card) -> None:
        """From the first lead a hand that said nothing has laid its cards away; a card called is played."""
        while self.to_discard:
            self._lay_away(Action("discard", self.to_discard.pop()))
        self.called = None
        super().play(trick, card)

    def withdraw(self, trick: Trick) -> None:
        """A call falls with the card taken back."""
        super().withdraw(trick)
        self.called = None

    def _revoke(self, trick: Trick, revoker: int, evidence: Card) -> None:
        hand = self.hands[revoker]
        hand.show(evidence)
        hand.cancel_void(evidence.suit)
        self.report("revoke-proven", revoker, evidence)
        trick.called.add(revoker)
        trick.turned_over = True
        self.barred.add(revoker)
        if self.values["revoke_bonus"]:
            for seat in self.every_seat:
                if seat != revoker:
                    self.score(seat, PENALTY, "revoke")
        else:
            self.score(revoker, -PENALTY, "revoke")

    def _look_at_call(self, trick: Trick) -> None:
        """A call lapses when its card was laid away, or when the owner has since shown that it would revoke."""
        hand, led = self.hands[trick.turn], None if trick.complete else trick.led
        called = self.called
        if called and (called not in hand.exposed or (led and called.suit != led and hand.must_follow(led))):
            self.called = None

    def _discards(self) -> LayAway:
        seats = tuple(sorted(self.to_discard))  # all of them hold equally many
        return LayAway(self, seats, self.hands[seats[0]].size - DEALT)

    def _lay_away(self, action: Action) -> None:
        hand = self.hand_of(action)
        hand.lay_away(action.cards, hand.size - DEALT, LAID_AWAY)
        self.to_discard.discard(hand.seat)

    def _from_eldest(self) -> Iterator[int]:
        return ((self.eldest + step) % len(self.players) for step in range(len(self.players)))

    def hint(self, ask: Question) -> str:
        """That the cards are run, and that cards are to be laid away."""
        if ask.phase in ("deal", "turn") and self.match.dealer is not None and self.hands[0].size:
            dealer = self.players[self.dealer]
            return text("{name} deals {count} more each and turns the next card up.", name=dealer, count=RUN)
        if "discard" in ask.offers and ask.turn is not None:
            told, name = (
                "Everybody lays away face down all but {count} cards; then {name} leads.",
                self.players[ask.turn],
            )
            return text(told, count=DEALT, name=name)
        if "discard" in ask.offers:
            return text("Everybody lays away face down all but {count} cards.", count=DEALT)
        return ""

    # Views

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Also the card called, and who is barred from winning on this hand."""
        facts = [*super().facts()]
        if self.called:
            facts.append((text("called"), self.called.glyph))
        facts += [(text("cannot win on this hand"), self.players[seat]) for seat in sorted(self.barred)]
        return tuple(facts)
