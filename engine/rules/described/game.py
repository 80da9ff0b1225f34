"""The game that plays a description: `game_of(name, description)` returns its class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.actions import Action
from engine.cards import SUIT_GLYPHS, SUIT_TEXTS, SUITS, Card
from engine.rules.begging import BEGGING, BeggingGame
from engine.rules.dealing_out import DealtOutGame, FirstLead
from engine.rules.described.description import HIGHEST_FIRST, LOWEST_CLUB, Description
from engine.rules.described.reading import card_of
from engine.rules.described.scores import DescribedScores
from engine.rules.game import Option, Rules
from engine.rules.hands import HeldBack
from engine.rules.number_bids import NUMBERS
from engine.rules.offers import PlayToTrick
from engine.rules.penalties import REVOKE
from engine.rules.questions import Offer, Say
from engine.rules.ranking import Ranking
from engine.rules.state import GameState
from engine.rules.suit_words import SUIT_OF, SUIT_WORDS
from engine.rules.tricks import Trick
from engine.rules.trumping import must_beat, must_trump
from engine.texts import Text, text


class DescribedGame(DealtOutGame, BeggingGame, DescribedScores):
    """A game of tricks as its description says."""

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        game = self.description
        first = card_of(game.lead) if game.lead not in ("eldest", LOWEST_CLUB) else None
        if game.lead == LOWEST_CLUB:
            first = Card(next(rank for rank in reversed(game.ranks) if Card(rank, "C") in self.deck), "C")
        self.first_card = first
        others = frozenset(self.deck) - {first}
        self._not_led = HeldBack(others, text("{card} is led first.", card=first.glyph)) if first else None
        self._not_first = _held(frozenset(game.not_first), text("This card may not be played to the first trick."))
        suit = SUIT_TEXTS[game.closed or SUITS[0]]
        closed = frozenset(card for card in self.deck if card.suit == game.closed)
        self._closed = _held(closed, text("No {suit} may be led before one was played.", suit=suit))
        self._opening = closed | {*game.opened_by}

    # The hand

    def hand(self) -> Rules[None]:
        """Deal, settle trumps, bid, play the tricks, count."""
        game = self.description
        self.clear_tricks()
        if game.deals:
            self.dealt = game.deals[self.match.hands % len(game.deals)]
        size = self.dealt or len(self.deck) // len(self.players)
        first = None
        if game.beg:
            yield from self.settle_trumps(size, game.run, game.beg)
            if self.match.over:
                return
            self.make_trumps(self.trump or "")
        elif game.choose in ("turned", "last"):
            yield from self.deal_and_turn(size)
        else:
            self.trump = game.suits[self.match.hands % len(game.suits)] or None if game.suits else None
            offer, hint, turn = self.first_offer(size)
            first = yield from self.deal_out(offer, game.passed, self.pass_now(), hint, turn)
            self.make_trumps(self.trump or "")
        if game.bids:
            if first:
                self.bids[self.eldest] = int(first.word or 0)
            yield from self.bid_in_turn(size)
        if game.choose == "named":
            yield from self.name_trumps(first.word if first and not game.bids else None)
        led = first if first and first.do == "play" else None
        if led is None and self.first_card:
            lead = FirstLead(self, self.first_card)
            led = yield self.question("play", None, lead, hint=text("{card} leads.", card=self.first_card.glyph))
        yield from self.play_tricks(self.eldest if led is None else self.hand_of(led).seat, led.card if led else None)
        self.count_hand()

    def deal_and_turn(self, size: int) -> Rules[None]:
        """Deal and turn a card up: the next one, or the dealer's last."""
        if self.description.choose == "last":
            turned = yield from self.deal_and_turn_last()
        else:
            self.new_pack()
            turned = yield from self.deal_and_turn_up(size)
        for hand in self.hands:
            hand.counted = True
        self.make_trumps(turned.suit)

    def make_trumps(self, suit: str) -> None:
        """Make `suit` trumps, "" for none."""
        game = self.description
        self.trump = suit or None
        if game.follow != "suit" or game.ranks != HIGHEST_FIRST or game.trump_ranks != game.ranks:
            trumps = [Card(rank, suit) for rank in game.trump_ranks] if suit else []
            self.rank(Ranking(self.trump, trumps, game.ranks))

    def first_offer(self, size: int) -> tuple[Offer, Text, int | None]:
        """Return what may be done first after the deal, the request, and the seat that must do it unless it leads."""
        game, seat = self.description, self.eldest
        if game.bids:
            numbers = self.may_bid(seat, size)
            return Say(self, seat, tuple(map(str, numbers))), self.bid_hint(seat, size, numbers), seat
        if game.choose == "named":
            seat = self.namer()
            return Say(self, seat, tuple(SUIT_OF)), text("{name}: trumps?", name=self.players[seat]), seat
        if self.first_card:
            return FirstLead(self, self.first_card), text("{card} leads.", card=self.first_card.glyph), None
        return EldestLead(self, self._closed), text("{name} leads.", name=self.players[seat]), None

    def pass_now(self) -> int:
        """Return how many seats to the left cards are passed in this hand, 0 for none."""
        game, players = self.description, len(self.players)
        to = game.pass_to[self.match.hands % len(game.pass_to)]
        return {"left": 1, "right": players - 1, "across": players // 2, "keep": 0}[to] if game.passed else 0

    def namer(self) -> int:
        """Return the seat that names trumps."""
        by = self.description.named_by
        if by == "highest bid":
            return max(self.bids, key=lambda seat: self.bids[seat], default=self.eldest)
        return self.dealer if by == "dealer" else self.eldest

    def name_trumps(self, said: str | None) -> Rules[None]:
        """Ask for trumps, unless they were named as `said` already."""
        if said is None:
            seat = self.namer()
            hint = text("{name}: trumps?", name=self.players[seat])
            action = yield self.question("bid", seat, Say(self, seat, tuple(SUIT_OF)), hint=hint)
            said = action.word
        self.make_trumps(SUIT_OF[said or ""])

    def may_bid(self, seat: int, tricks: int) -> tuple[int, ...]:
        """With the hook, the bids of all may not add up to the tricks."""
        hooked = tricks - sum(self.bids.values()) if self.description.hook and seat == self.dealer else None
        return tuple(number for number in super().may_bid(seat, tricks) if number != hooked)

    def play(self, trick: Trick, card: Card) -> None:
        """Also let the dealer take a last card that is turned up into the hand before playing first."""
        if self.description.choose == "last" and trick.turn == self.dealer:
            self.match.turn_up = None
        super().play(trick, card)

    def held_back(self, trick: Trick) -> HeldBack | None:
        """Hold back what the first trick forbids, leads of a closed suit, and what does not follow the `duty`."""
        leads = trick.complete or not trick.plays
        if not self.tricks and not trick.complete and (self._not_led if leads else self._not_first):
            return self._not_led if leads else self._not_first
        if leads:
            return self._closed if self._closed and not self.is_open() else None
        return self.duty(trick)

    def duty(self, trick: Trick) -> HeldBack | None:
        """Hold back the cards that do not trump, or do not beat those in the trick, as `follow` says."""
        follow, best, ranking = self.description.follow, trick.best, self.pack.ranking
        if follow == "suit" or best is None or ranking is None:
            return None
        trumped = ranking.suit(best) == ranking.trump
        if ranking.suit(best) == trick.led and (follow == "beat" or (follow == "overtrump" and trumped)):
            return must_beat(ranking, best, following=True, undertrump=ranking.trump is not None)
        if ranking.trump is None or trick.led == ranking.trump:
            return None
        return (
            must_beat(ranking, best, following=False, undertrump=True)
            if trumped and follow != "trump"
            else must_trump(ranking)
        )

    def is_open(self) -> bool:
        """Return whether the suit that is closed at first may be led."""
        return any(not self._opening.isdisjoint(trick.cards) for trick in (*self.tricks, self.trick) if trick)

    # The count

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the suit that may not be led yet."""
        if self._closed is None or self.description.closed is None or self.is_open():
            return super().facts()
        return (*super().facts(), (text("not broken"), SUIT_GLYPHS[self.description.closed]))


class EldestLead(Offer):
    """The lead of eldest, which ends the deal."""

    __slots__ = ("held_back",)
    do = "play"

    def __init__(self, game: GameState, held_back: HeldBack | None) -> None:
        super().__init__(game, (game.eldest,))
        self.held_back = held_back

    def _play(self) -> PlayToTrick:
        return PlayToTrick(self.game, self.seats[0], None, held_back=self.held_back)  # with the hands of this deal

    def check(self, action: Action) -> None:
        """Codes: those of `PlayToTrick`."""
        self._play().check(action)

    def actions(self) -> Iterator[Action]:
        """Yield every card that eldest may lead."""
        return self._play().actions()


def _held(cards: frozenset[Card], why: Text) -> HeldBack | None:
    return HeldBack(cards, why) if cards else None


def game_of(name: str, description: Description) -> type[DescribedGame]:
    """Return the class of the game that `description` describes. `name`: as records and `table.toml` name it."""
    target = Option("target", description.target, text("points that end the game"), least=1, label=text("Game at"))
    turned = ("turn-up",) if description.choose in ("turned", "last") else ()
    return type(
        "DescribedGame",
        (DescribedGame,),
        {
            "__doc__": description.about,
            "description": description,
            "name": name,
            "title": description.title,
            "about": description.about,
            "seats": range(description.players[0], description.players[-1] + 1),
            "partners": (4,) if description.partners else (),
            "words": (
                *(NUMBERS if description.bids else ()),
                *(SUIT_WORDS if description.choose == "named" else ()),
                *(BEGGING if description.beg else ()),
                REVOKE,
            ),
            "zones": ("play", *turned, "say", "show"),
            "deck": description.deck,
            "lowest_wins": description.wins == "lowest",
            "removable": description.leave_out if not description.deals else (),
            "options": (target,) if description.target else (),
        },
    )
