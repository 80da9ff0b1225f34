"""All Fives, for two or three: the rules in the order in which the rule book tells them.

The source's rules, and the rulings where it is silent, stand in docs/games/all-fives.md; each ruling that people play
differently is an option.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from engine.actions import Action
from engine.asking import Ask, Claim, Offer, Say
from engine.cards import SUIT_GLYPHS, SUIT_NAMES, Card
from engine.game import Game, Option, Rules
from engine.games.all_fives_calls import CardCall, RevokeCall
from engine.hands import Pile
from engine.observations import Zone
from engine.offers import Discard, Expose, Gather, PlayToTrick, Withdraw
from engine.tricks import Trick
from engine.views import Lying

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


class AllFives(Game):
    """All Fives. See `Game` for what the attributes and the coroutine are."""

    name = "all-fives"
    title = "All Fives"
    seats = range(2, 4)
    words = ("stand", "beg", "take-one", "change", "revoke", "call")
    zones = ("play", "turn-up", "say", "show")
    options = (
        Option("target", 61, "points that win the game", least=1),
        Option("discard_to_six", False, "after running the cards everyone plays six and lays the others away"),
        Option("revoke_bonus", False, "a revoke gives 3 points to every other player instead of costing 3"),
    )

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        self._claims: dict[str, Claim] = {"revoke": RevokeCall(self), "call": CardCall(self)}
        # These offers say the same in every trick, so they are made once.
        self._expose = Expose(self)
        self._says = [Say(self, seat, (), self._claims) for seat in self.every_seat]
        self._clear()

    def _clear(self) -> None:
        self.tricks: list[Trick] = []
        self.trick: Trick | None = None
        self.called: Card | None = None
        self.barred: set[int] = set()
        self.to_discard: set[int] = set()
        self.trump = None

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
        yield from self.play_tricks()
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

    def play_tricks(self) -> Rules[None]:
        """Eldest leads first, the winner of a trick leads next; mistakes are put right until the trick is over."""
        trick = self.trick = Trick(self.eldest, len(self.players), self.trump)
        while True:
            action = yield self._ask_play(trick)
            if action.do == "play" and action.card:
                if trick.complete:
                    trick = self._next_trick(trick)
                self._play(trick, action.card)
                if trick.complete and not any(hand.size for hand in self.hands):
                    self.tricks.append(trick)
                    return
            elif action.do == "withdraw":
                self._withdraw(trick)
            elif action.do == "gather":
                trick.turned_over = True
            elif action.do == "expose" and action.card:
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

    def count_hand(self) -> None:
        """The trumps that count, in seat order from eldest; who has reached the target; the deal passes left."""
        match, last = self.match, self.tricks[-1]
        for seat in self._from_eldest():
            won = {card for trick in self.tricks if trick.winner == seat for card in trick.cards}
            for points, reason in count_trumps(won, last.trump or ""):
                self.score(seat, points, reason)
        self.report("hand-over")
        self.trick, match.left, match.may_gather = None, last, True
        allowed = {seat: score for seat, score in enumerate(match.scores) if seat not in self.barred}
        best = [seat for seat, score in allowed.items() if score == max(allowed.values())]
        if len(best) == 1 and allowed[best[0]] >= self.values["target"]:
            self.win(best[0])
        else:
            match.dealer = self.next_seat(self.dealer)

    # Playing

    def ask(self, phase: str, turn: int | None, *offers: Offer | None) -> Ask:
        """Every question also hears calls, which are judged (`bad-call`) in every phase."""
        ask = super().ask(phase, turn, *offers)
        say = ask.offers.get("say")
        if isinstance(say, Say):
            say.claims = self._claims
            return ask
        return super().ask(phase, turn, *offers, Say(self, None, claims=self._claims, speaks=False))

    def _ask_play(self, trick: Trick) -> Ask:
        turn = trick.turn
        offers: dict[str, Offer] = {
            "play": PlayToTrick(self, turn, None if trick.complete else trick.led, self.called),
            "say": self._says[turn],
            "expose": self._expose,
        }
        if trick.plays and not trick.turned_over:
            offers["withdraw"] = Withdraw(self, *trick.plays[-1])
            if trick.complete:
                offers["gather"] = Gather(self, turn)
        if self.to_discard:
            offers["discard"] = self._discards()
        return Ask("play", turn, offers)

    def _next_trick(self, trick: Trick) -> Trick:
        trick.turned_over = True
        self.tricks.append(trick)
        self.trick = Trick(trick.winner, len(self.players), self.trump)
        return self.trick

    def _play(self, trick: Trick, card: Card) -> None:
        seat = trick.turn
        while self.to_discard:  # from the first lead a hand that said nothing has laid its cards away
            self._lay_away(Action("discard", self.to_discard.pop()))
        self.called = None
        if self.hands[seat].lay(card, trick.led):
            self.report("revoke-proven", seat, card)
        trick.add(card)
        if trick.complete:
            self.report("trick", trick.winner)

    def _withdraw(self, trick: Trick) -> None:
        led = trick.led
        play = trick.take_back()
        self.hands[play.seat].take_back(play.card, led)
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
        return LayAway(self, {seat: self.hands[seat].size - DEALT for seat in sorted(self.to_discard)})

    def _lay_away(self, action: Action) -> None:
        hand = self.hand_of(action)
        hand.lay_away(action.cards, hand.size - DEALT, LAID_AWAY)
        self.to_discard.discard(hand.seat)

    def _from_eldest(self) -> Iterator[int]:
        return ((self.eldest + step) % len(self.players) for step in range(len(self.players)))

    # Views

    def lying(self) -> Iterable[Lying]:
        """Also the trick: firm until it is complete, then to be gathered; gathered, it lies there no more."""
        yield from super().lying()
        trick = self.trick
        if trick and not (trick.complete and trick.turned_over):
            for play in trick.plays:
                yield Lying(play.card, Zone("play", play.seat), firm=not trick.complete)

    def tricks_won(self) -> tuple[int, ...]:
        """Per seat, the tricks won."""
        tricks = [*self.tricks, self.trick] if self.trick and self.trick.complete else self.tricks
        return tuple(sum(trick.winner == seat for trick in tricks) for seat in self.every_seat)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Trumps, the card called, who is barred from winning on this hand, and who has declared himself void."""
        facts = [("trumps", f"{SUIT_NAMES[self.trump]} {SUIT_GLYPHS[self.trump]}")] if self.trump else []
        if self.called:
            facts.append(("called", self.called.glyph))
        facts += [("cannot win on this hand", self.players[seat]) for seat in sorted(self.barred)]
        for hand in self.hands:
            if hand.voids:
                suits = ", ".join(SUIT_NAMES[suit] for suit in hand.voids)
                facts.append(("void", f"{self.players[hand.seat]}: {suits}"))
        return tuple(facts)
