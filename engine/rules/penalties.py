"""Trick games with penalties: opponents may call a revoke, or an exposed card.

The calls are accusations: they are checked in every phase, and a wrong call, or one at the wrong time, is a `bad-call`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from engine.actions import Action
from engine.cards import SUIT_TEXTS, Card
from engine.errors import Refused
from engine.rules.offers import Expose, PlayToTrick
from engine.rules.questions import Accusation, Offer, Question, Say
from engine.rules.trick_game import TrickGame
from engine.rules.tricks import Trick
from engine.texts import Text, text
from engine.words import Word

REVOKE: Final = Word(
    "revoke",
    needs=("against", "evidence"),
    cards="led",
    label="call a revoke",
    question="Which card that {name} still holds proves it?",
    prompt="{name} calls a revoke: lay {card} as proof in the revoker’s show zone.",
    mark=104,
)
CALL: Final = Word(
    "call",
    needs=("card",),
    cards="open",
    label="call the open card",
    question="Which card must {name} play?",
    mark=105,
)


class PenaltyTrickGame(TrickGame):
    """A trick game in which revokes, and perhaps exposed cards, can be called.

    Its `words` include `REVOKE`, and `CALL` if exposed cards can be called. `called`: the exposed card that must be
    played next, or None. `revokers`: the seat of each revoke in this hand that was proved. The game charges them when
    it counts the hand, or at once in `punish_revoke`, and says in `revoke_costs` what a revoke costs. `proof_costs`:
    whether a revoke that a card seen later proves costs the penalty too, without a call.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for word in (REVOKE, CALL):
            if cls.vocabulary.get(word.name, word) is not word:
                raise ValueError(
                    f"{cls.__name__}: the word {word.name!r} is an accusation here; give yours another name"
                )

    proof_costs: ClassVar[bool] = True
    called: Card | None = None
    revokers: tuple[int, ...] = ()

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        # These offers are the same in every trick, so they are made once.
        accusations = {"revoke": RevokeCall(self), "call": CardCall(self)}
        self._accusations: dict[str, Accusation] = {
            word: accusation for word, accusation in accusations.items() if word in self.vocabulary
        }
        self._expose = Expose(self) if "call" in self.vocabulary else None
        self._silent = Say(self, None, accusations=self._accusations, speaks=False)
        self._says = [Say(self, seat, (), self._accusations) for seat in self.every_seat]

    def punish_revoke(self, revoker: int) -> None:
        """Note a revoke of this seat, which was proved, in `revokers`; a game may apply the penalty at once instead."""
        self.revokers += (revoker,)

    def revoke_costs(self, revoker: int) -> Text:
        """Return a sentence for people: what a revoke of this seat costs."""
        raise NotImplementedError

    @property
    def revoked_sides(self) -> frozenset[int]:
        """The sides whose revokes in this hand were proved."""
        return frozenset(map(self.side_of, self.revokers))

    def clear_tricks(self) -> None:
        """Begin a hand in which no card is called and no revoke was proved."""
        super().clear_tricks()
        self.called, self.revokers = None, ()

    def question(self, phase: str, turn: int | None, *offers: Offer | None, hint: str = "") -> Question:
        """Return the question, with the accusations added to its offers."""
        says = [offer for offer in offers if isinstance(offer, Say)]
        for say in says:
            say.accusations = self._accusations
        return super().question(phase, turn, *offers, *(() if says else (self._silent,)), hint=hint)

    def play_offers(self, trick: Trick) -> dict[str, Offer]:
        """Add the accusations and exposing a card; a called card must be played."""
        offers = super().play_offers(trick)
        if self.called and self._call_stands(trick, self.called):
            offers["play"] = PlayToTrick(self, trick.turn, None, self.called)  # it does not revoke: the call stands
        else:
            self.called = None
        offers["say"] = self._says[trick.turn]
        if self._expose:
            offers["expose"] = self._expose
        return offers

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Also expose a card, call one, or call a revoke."""
        if action.do == "expose" and action.card:
            if self.hand_of(action).expose(action.card):
                self.revoke_proved(self.hand_of(action).seat, action.card)
        elif action.word == "call":
            self.called = action.card
        elif action.word == "revoke" and action.against is not None and action.card:
            self._prove_revoke(trick, action.against, action.card)
        else:
            super().meanwhile(trick, action)

    def play(self, trick: Trick, card: Card) -> None:
        """Also clear a pending call."""
        self.called = None
        super().play(trick, card)

    def revoke_proved(self, seat: int, card: Card) -> None:
        """Also apply the penalty, with `proof_costs`."""
        super().revoke_proved(seat, card)
        if self.proof_costs:
            self.punish_revoke(seat)

    def withdraw(self, trick: Trick) -> None:
        """Also cancel the call."""
        super().withdraw(trick)
        self.called = None

    def costs_of_proof(self, seat: int) -> str:
        """Return what the revoke costs, or that it costs nothing."""
        return self.revoke_costs(seat) if self.proof_costs else text("Nobody has called it, so it costs nothing.")

    def _call_stands(self, trick: Trick, called: Card) -> bool:
        """Return whether the card is still exposed, and is not known by now to be a revoke."""
        hand, led = self.hands[trick.turn], None if trick.complete else trick.led
        return called in hand.exposed and (led is None or hand.suit(called) == led or not hand.must_follow(led))

    def _prove_revoke(self, trick: Trick, revoker: int, evidence: Card) -> None:
        hand = self.hands[revoker]
        hand.show(evidence)
        hand.cancel_void(hand.suit(evidence))
        self.report("revoke-proven", revoker, evidence)
        self.add_moment(self.revoke(revoker, evidence, self.revoke_costs(revoker)))
        trick.called.add(revoker)
        trick.turned_over = True
        self.punish_revoke(revoker)


class RevokeCall(Accusation):
    """`revoke`: an opponent accuses a seat that did not follow suit, with a card of that suit as evidence.

    Possible from the last card of the trick until the next lead, once for each seat.
    """

    __slots__ = ("game",)

    def __init__(self, game: PenaltyTrickGame) -> None:
        self.game = game

    def check(self, action: Action) -> None:
        """Codes: bad-call."""
        card, accused = action.card, action.against
        if accused is None or card is None:
            message = text("A revoke is called against a player, with a card of the suit led as evidence.")
            raise Refused("bad-call", message)
        if accused == action.seat:
            raise Refused("bad-call", text("Players cannot call their own revoke."))
        if action.seat == self.game.partner_of(accused):
            raise Refused("bad-call", text("Partners cannot call each other’s revoke."))
        trick = self.game.trick
        name = self.game.players[accused]
        if trick is None or not trick.complete:
            message = text("A revoke can be called from the end of a trick until the next lead.")
            raise Refused("bad-call", message)
        if not trick.failed(accused):
            raise Refused("bad-call", text("{name} followed suit in this trick.", name=name))
        if accused in trick.called:
            raise Refused("bad-call", text("The revoke of {name} in this trick has already been called.", name=name))
        if self.game.hands[accused].suit(card) != trick.led:
            suit = SUIT_TEXTS[trick.led or card.suit]
            message = text("{card} proves nothing: {suit} were led.", card=card.glyph, suit=suit)
            raise Refused("bad-call", message)
        if not self.game.hands[accused].may_hold(card):
            raise Refused("bad-call", text("{card} is not in the hand of {name}.", card=card.glyph, name=name))

    def candidates(self) -> Iterator[Action]:
        """Yield each call of a seat that failed to follow, by every seat, with each card of the suit it may hold."""
        for accused in self._accused():
            hand = self.game.hands[accused]
            for card in hand.candidates(self.game.deck):
                if self.game.trick and hand.suit(card) == self.game.trick.led:
                    for caller in self.game.every_seat:
                        yield Action("say", caller, card, word="revoke", against=accused)

    def open_to(self, seat: int) -> bool:
        """Return whether an opponent did not follow suit and has not been called for it."""
        return any(self.game.side_of(accused) != self.game.side_of(seat) for accused in self._accused())

    def costs(self) -> Mapping[int, str]:
        """Return the seats that did not follow suit and were not called yet, with what a revoke costs."""
        return {seat: self.game.revoke_costs(seat) for seat in self._accused()}

    def _accused(self) -> list[int]:
        trick = self.game.trick
        if trick is None or not trick.complete:
            return []
        return [seat for seat in self.game.every_seat if trick.failed(seat) and seat not in trick.called]


class CardCall(Accusation):
    """`call`: an opponent makes the seat on turn play one of its exposed cards."""

    __slots__ = ("game",)

    def __init__(self, game: PenaltyTrickGame) -> None:
        self.game = game

    def check(self, action: Action) -> None:
        """Codes: bad-call."""
        card, game = action.card, self.game
        trick = game.trick
        if trick is None:
            raise Refused("bad-call", text("A card is called only on its owner’s turn."))
        hand = game.hands[trick.turn]
        name = game.players[hand.seat]
        if card is None and not hand.exposed:
            raise Refused("bad-call", text("{name} has no exposed card.", name=name))
        if card is None:
            raise Refused("bad-call", text("Name the card that is called."))
        if action.seat == hand.seat:
            raise Refused("bad-call", text("Players cannot call their own card."))
        if action.seat == game.partner_of(hand.seat):
            raise Refused("bad-call", text("Partners cannot call each other’s cards."))
        if game.called:
            raise Refused("bad-call", text("{card} has already been called.", card=game.called.glyph))
        if card not in hand.exposed:
            message = text("{card} is not an exposed card of {name}, whose turn it is.", card=card.glyph, name=name)
            raise Refused("bad-call", message)
        led = None if trick.complete else trick.led
        if led is not None and hand.suit(card) != led and not hand.surely_void(led):
            raise Refused("bad-call", text("{name} would revoke with {card}.", name=name, card=card.glyph))

    def candidates(self) -> Iterator[Action]:
        """Yield a call by every seat of every exposed card of the seat on turn."""
        trick = self.game.trick
        if trick is not None:
            for caller in self.game.every_seat:
                for card in self.game.hands[trick.turn].exposed:
                    yield Action("say", caller, card, word="call")

    def open_to(self, seat: int) -> bool:
        """Return whether the seat on turn has an exposed card. Only its owner may know if playing it is a revoke."""
        trick = self.game.trick
        if trick is None or self.game.called or self.game.side_of(seat) == self.game.side_of(trick.turn):
            return False
        return bool(self.game.hands[trick.turn].exposed)
