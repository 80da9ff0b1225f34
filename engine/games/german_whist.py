"""German whist, for two: thirteen tricks for the cards of the stock, then thirteen tricks that count.

The rules are in the order in which the rule book gives them; the rulings are in docs/reference/games/german-whist.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from engine.actions import Action
from engine.cards import SUIT_GLYPHS, SUITS, Card
from engine.errors import Refused
from engine.rules.game import Option, Rules
from engine.rules.hands import SEEN
from engine.rules.offers import Deal, Turn
from engine.rules.penalties import REVOKE, PenaltyTrickGame, RevokeCall
from engine.rules.questions import Offer
from engine.rules.tricks import Trick
from engine.texts import Text, text
from engine.views import FeatKind, Poster, Tally

CARDS: Final = 13
"""The cards of a hand; the tricks for cards of the stock; the tricks that count."""
BOOK: Final = 6
PENALTY: Final = 3


class GermanWhist(PenaltyTrickGame):
    """German whist. See `Game` for the attributes and the coroutines.

    The winner of a trick takes the card turned up, the loser the next one, unseen. A known hand stays known if that
    card is named (`deal`, one card); otherwise it is hidden from then on. A card may be taken back, and a revoke
    called, until a card of the stock is named, turned up, or led.

    `drawn`: whether the loser of the complete trick has drawn. `turned`: whether the next card was turned up after it.
    """

    name = "german-whist"
    title = "German Whist"
    about = text("Win good cards from the stock, then most of the last thirteen tricks.")
    seats = range(2, 3)
    words = (REVOKE,)
    reasons = ("most-tricks", "tricks", "odd-tricks", "revoke")
    feat_kinds: ClassVar = {"tricks": FeatKind(text("Most of the last thirteen tricks"))}
    zones = ("play", "turn-up", "say", "show")
    options = (
        Option("target", 3, text("points that win the game"), least=1, label=text("Play to")),
        Option.choice("scoring", ("hand", "tricks", "odd"), text("what a hand scores"), text("A hand scores")),
    )

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        self._accusations["revoke"] = CallBeforeDrawing(self)

    def clear_tricks(self) -> None:
        """Begin a hand in which no card was drawn."""
        super().clear_tricks()
        self.drawn = self.turned = False

    # The hand

    def hand(self) -> Rules[None]:
        """Deal thirteen cards each and turn the next one up for trumps; play all tricks; count the last thirteen."""
        self.clear_tricks()
        self.new_pack()
        name = self.players[self.dealer]
        hint = text("{name} deals {count} cards to each player and turns the next one up.", name=name, count=CARDS)
        turned = yield from self.deal_and_turn_up(CARDS, hint)
        for hand in self.hands:
            hand.counted = True
        self.turn_trumps(turned)
        yield from self.play_tricks(self.eldest)
        self.count_hand()

    # Drawing

    def draws_after(self, trick: Trick) -> bool:
        """Return whether `trick` is complete and its loser has yet to draw."""
        return trick.complete and len(self.tricks) < CARDS and not self.drawn

    def turns_after(self, trick: Trick) -> bool:
        """Return whether the next card of the stock must be turned up before the next lead."""
        return trick.complete and len(self.tricks) < CARDS - 1 and not self.turned

    def play(self, trick: Trick, card: Card) -> None:
        """Also give the card turned up to the winner of the trick."""
        super().play(trick, card)
        if self.draws_after(trick) and self.match.turn_up:
            self.hands[trick.winner].deal((self.match.turn_up,))

    def withdraw(self, trick: Trick) -> None:
        """Also take the card turned up back from the winner of the trick."""
        if self.draws_after(trick) and self.match.turn_up:
            self.hands[trick.winner].lay_away((self.match.turn_up,), 1, SEEN)
        super().withdraw(trick)

    def play_phase(self, trick: Trick) -> str:
        """Return `turn` if the next card must be turned up."""
        return "turn" if self.turns_after(trick) else super().play_phase(trick)

    def play_offers(self, trick: Trick) -> dict[str, Offer]:
        """Let the loser's card be named if the hand is known, and the next card be turned up before the next lead."""
        offers = super().play_offers(trick)
        if self.draws_after(trick) and self.hands[loser := 1 - trick.winner].complete:
            offers["deal"] = Deal(self, {loser: 1})
        if self.turns_after(trick):
            del offers["play"]
            offers["turn"] = Turn(self)
        return offers

    def play_hint(self, trick: Trick) -> str:
        """Return who takes which card after a trick."""
        card = self.match.turn_up
        if card is None or not (self.draws_after(trick) or self.turns_after(trick)):
            return super().play_hint(trick)
        winner, loser = self.players[trick.winner], self.players[1 - trick.winner]
        if self.turns_after(trick):
            message = "{winner} takes {card} and {loser} the next card; {winner} turns the one after it up."
            return text(message, winner=winner, loser=loser, card=card.glyph)
        message = "{winner} takes {card} and {loser} the last card; {winner} leads."
        return text(message, winner=winner, loser=loser, card=card.glyph)

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Also draw the card that is named, or turn the next one up."""
        if action.do == "deal":
            self._draw(trick, action.cards)
        elif action.do == "turn" and action.card:
            if not self.drawn:
                self._draw(trick, None)
            self.turn_up(action.card)
            self.turned = True
        else:
            super().meanwhile(trick, action)

    def next_trick(self, trick: Trick) -> Trick:
        """Also draw the last card of the stock, after which none is turned up."""
        if self.draws_after(trick):
            self._draw(trick, None)
        if len(self.tricks) == CARDS - 1:
            self.match.turn_up = None
        self.drawn = self.turned = False
        return super().next_trick(trick)

    def _draw(self, trick: Trick, named: tuple[Card, ...] | None) -> None:
        """Give the loser a card of the stock. This cancels the declared voids that the new cards may have filled."""
        winner, loser = self.hands[trick.winner], self.hands[1 - trick.winner]
        if named is None:
            loser.deal_unseen(1)
        else:
            loser.deal(named)
        for suit in SUITS:
            loser.cancel_void(suit)
        if self.match.turn_up:
            winner.cancel_void(self.match.turn_up.suit)
        self.drawn = trick.turned_over = True

    # The count

    def tricks_won(self) -> tuple[int, ...]:
        """Return the tricks of each seat that count: those after the stock was exhausted."""
        tricks = [trick for trick in self.begun_tricks if trick.complete]
        return tuple(sum(trick.winner == seat for trick in tricks[CARDS:]) for seat in self.every_seat)

    def poster(self) -> Poster | None:
        """Return trumps, and the card that the winner of the trick takes."""
        taken = self.match.turn_up
        if self.trump is None or taken is None or self.trick is None:
            return super().poster()
        return Poster(SUIT_GLYPHS[self.trump], (text("trumps"), text("for {card}", card=taken.glyph)))

    def tallies(self) -> tuple[Tally, ...]:
        """Return the tricks that count, once the stock is gone; most of them win the hand."""
        return self.trick_tallies(BOOK + 1, BOOK + 1) if len(self.tricks) >= CARDS else ()

    def count_hand(self) -> None:
        """Settle the revokes, then score as the option `scoring` says."""
        won = list(self.tricks_won())
        for revoker in self.revokers:
            taken = min(PENALTY, won[revoker])
            won[revoker] -= taken
            won[1 - revoker] += taken
        best = won.index(max(won))
        if not self.revokers:
            self.note_feat("tricks", best, won[best])
        match self.values["scoring"]:
            case "tricks":
                for seat in self.seats_from(self.eldest):
                    if won[seat]:
                        self.score(seat, won[seat], "tricks")
            case "odd":
                self.score(best, won[best] - BOOK, "odd-tricks")
            case _:
                self.score(best, 1, "most-tricks")
        self.report("hand-over")
        self.win_or_pass_deal()

    def revoke_costs(self, revoker: int) -> Text:
        """Return that the other player takes three of the tricks that count."""
        message = "{name} should have followed suit: {other} takes {count} of the last thirteen tricks."
        return text(message, name=self.players[revoker], other=self.players[1 - revoker], count=PENALTY)


class CallBeforeDrawing(RevokeCall):
    """Calling a revoke, which is possible only before cards are drawn: a card drawn after the trick proves nothing."""

    __slots__ = ()
    game: GermanWhist

    def check(self, action: Action) -> None:
        """Codes: bad-call."""
        super().check(action)
        if self.game.drawn or action.card is self.game.match.turn_up:
            raise Refused("bad-call", text("A card drawn after the trick proves no revoke."))

    def _accused(self) -> list[int]:
        return [] if self.game.drawn else super()._accused()
