"""The game that plays a description: `game_of(name, description)` returns its class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from engine.actions import Action
from engine.cards import RANKS_DOWN, SUIT_GLYPHS, SUIT_TEXTS, SUITS, Card
from engine.rules.bidding import NUMBERS, NumberBidGame
from engine.rules.dealing import DealtOutGame, FirstLead
from engine.rules.game import Option, Rules
from engine.rules.hands import HeldBack
from engine.rules.offers import PlayToTrick
from engine.rules.penalties import REVOKE, PenaltyTrickGame
from engine.rules.questions import Offer, Say
from engine.rules.state import GameState, sole_best
from engine.rules.trick_game import must_beat, must_trump
from engine.rules.tricks import Ranking, Trick
from engine.rules.trumps import BEGGING, SUIT_OF, SUIT_WORDS, BeggingGame
from engine.texts import Text, plural, text
from engine.toml_games.description import LOWEST_CLUB, Description, card_of
from engine.views import SeatNote, Tally


class DescribedScores(NumberBidGame, PenaltyTrickGame):
    """The scores of a game of tricks, as its description says."""

    description: ClassVar[Description]
    reasons = ("cards", "tricks", "made", "missed", "sweep", "high", "low", "most", "beg", "revoke")

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        points = self.description.points
        self._scoring = frozenset(card for card, worth in points.items() if worth > 0 and card in self.deck)

    def count_hand(self) -> None:
        """Score what every side took, then the revokes; end the game or pass the deal."""
        game = self.description
        piles = [[card for seat in seats for card in self.won_by(seat)] for seats in self.sides()]
        for seat in dict.fromkeys(self.sides()[self.side_of(seat)][0] for seat in self.seats_from(self.eldest)):
            side = self.side_of(seat)
            scored = [(points, reason) for points, reason in self._scored(seat, piles) if points]
            for points, reason in scored:
                self.score(seat, points, reason)
            self.add_count(seat, piles[side], [(*found, ()) for found in scored], name=self.side_name(side))
        for seat in self.revokers:
            self.score(seat, game.revoke if self.lowest_wins else -game.revoke, "revoke")
        self.match.turn_up = None
        self.report("hand-over")
        if game.by_hand:
            self.win_or_deal_again(len(game.deals))
        else:
            self.win_or_pass_deal()

    def _scored(self, seat: int, piles: list[list[Card]]) -> Iterator[tuple[int, str]]:
        """Yield what the side of `seat` scores, perhaps 0, with the reason. `piles`: the cards that each side took."""
        game, side = self.description, self.side_of(seat)
        shooter = self._shooter(piles)
        if shooter is None or not game.sweep:
            yield sum(map(self._worth, piles[side])), "cards"
        elif (side == shooter) == (game.sweep_to == "shooter"):
            yield game.sweep, "sweep"
        tricks = self.tricks_of(side)
        yield game.tricks * max(tricks - game.above, 0), "tricks"
        if game.bids:
            off = abs(tricks - self.bids[seat])
            yield (game.missed * off, "missed") if off else (game.made + game.made_trick * tricks, "made")
        trumps = self._trumps_taken(piles)
        if trumps:
            yield game.high * (trumps[0] in piles[side]), "high"
            yield game.low * (trumps[-1] in piles[side]), "low"
        if game.most:
            counted = {each: self._counted(pile) for each, pile in enumerate(piles)}
            yield game.most * (sole_best(counted) == side), "most"

    def _shooter(self, piles: list[list[Card]]) -> int | None:
        """Return the side that took every card with points above 0; None if no side did, or if there are none."""
        if not self._scoring:
            return None
        return next((side for side, pile in enumerate(piles) if self._scoring <= {*pile}), None)

    def _worth(self, card: Card) -> int:
        """Return the points of `card` in this hand."""
        game = self.description
        plain = game.points.get(card, 0)
        return game.trump_points.get(card.rank, plain) if card.suit == self.trump else plain

    def _trumps_taken(self, piles: list[list[Card]]) -> list[Card]:
        """Return the trumps that were played in this hand, the highest first."""
        taken = {card for pile in piles for card in pile if card.suit == self.trump}
        return sorted(taken, key=lambda card: self.description.trump_ranks.index(card.rank))

    def _counted(self, pile: list[Card]) -> int:
        """Return what the cards that a side took count; the side with the most scores `most`."""
        return sum(self.description.counts.get(card, 0) for card in pile)

    def note(self, seat: int) -> SeatNote:
        """Return the points of the cards that the seat has taken, the dearest first, if cards have points."""
        taken = {card: worth for card in self.cards_taken(seat) if (worth := self._worth(card))}
        if not (self.description.points or self.description.trump_points):
            return SeatNote()
        return SeatNote("", sum(taken.values()), tuple(sorted(taken, key=lambda card: -abs(taken[card]))))

    def tallies(self) -> tuple[Tally, ...]:
        """Return the tricks of partners."""
        if not self.description.partners:
            return ()
        return tuple(tally._replace(need=None) for tally in self.trick_tallies(0, 0))

    def revoke_costs(self, revoker: int) -> Text:
        """Return the points that a revoke costs, by the description."""
        single = "{name} should have followed suit: it costs {count} point."
        many = "{name} should have followed suit: it costs {count} points."
        return plural(single, many, self.description.revoke, name=self.players[revoker])


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
            led = yield self.question(
                "play", None, lead, hint=text("Whoever has {card} leads.", card=self.first_card.glyph)
            )
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
        self.turn_trumps(turned)
        self.make_trumps(turned.suit)

    def make_trumps(self, suit: str) -> None:
        """Make `suit` trumps, "" for none."""
        game = self.description
        self.trump = suit or None
        if game.follow != "suit" or game.ranks != RANKS_DOWN or game.trump_ranks != game.ranks:
            trumps = [Card(rank, suit) for rank in game.trump_ranks] if suit else []
            self.rank(Ranking(self.trump, trumps, game.ranks))

    def first_offer(self, size: int) -> tuple[Offer, Text, int | None]:
        """Return the first offer after the deal, the request for it, and the seat on turn unless that leads."""
        game, seat = self.description, self.eldest
        if game.bids:
            numbers = self.may_bid(seat, size)
            return Say(self, seat, tuple(map(str, numbers))), self.bid_hint(seat, size, numbers), seat
        if game.choose == "named":
            seat = self.namer()
            return Say(self, seat, tuple(SUIT_OF)), text("{name}: trumps?", name=self.players[seat]), seat
        if self.first_card:
            return FirstLead(self, self.first_card), text("Whoever has {card} leads.", card=self.first_card.glyph), None
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

    def name_trumps(self, word: str | None) -> Rules[None]:
        """Ask for trumps, unless `word` has named them already."""
        seat = self.namer()
        if word is None:
            hint = text("{name}: trumps?", name=self.players[seat])
            word = yield from self.ask(Say(self, seat, tuple(SUIT_OF)), hint)
        self.make_trumps(SUIT_OF[word])
        self.add_moment(self.naming(seat, SUIT_TEXTS[SUIT_OF[word]]))

    def has_hook(self) -> bool:
        """Return the key `hook` of `[bid]`."""
        return self.description.hook

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
    target = Option("target", description.target, text("points that end the game"), least=1, label=text("Play to"))
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
