"""The robots of every game.

`LegalPlayers` play any game: they choose among its legal actions, and hold real cards as far as they can. The robots in
`ROBOTS` and in other packages play one game each; they play better, and make the mistakes that people make.

A package adds robots for its game with an entry point in the group `cardtable.robots`. Its name is the name of the game
and its value a subclass of `Players`: `my-game = "my_package.robots:MyGame"`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import entry_points
from itertools import islice
from typing import Final

from cardtable.errors import UsageError, suggestion
from cardtable.simulation.all_fives import AllFives
from cardtable.simulation.cribbage import Cribbage
from cardtable.simulation.director import Act, Spot
from cardtable.simulation.fifteen import Fifteen
from cardtable.simulation.its_15 import ItsFifteen
from cardtable.simulation.le_quinze import LeQuinze
from cardtable.simulation.players import Players
from engine.actions import Action
from engine.cards import RANKS, Card
from engine.errors import HeaderError
from engine.games import game_names, load_game
from engine.observations import Zone
from engine.record import Header
from engine.rules.bidding import PASS
from engine.rules.dealing import Pass
from engine.rules.offers import Deal, Discard, PlayToTrick
from engine.rules.open_hand import LayOpen
from engine.rules.questions import ClaimOfHand, Offer
from engine.texts import text

_LISTED: Final = 500
"""How many legal actions to choose from if none with the real cards is legal."""
CLAIM: Final = 0.4
"""Probability that a correct claim, such as a revoke call or a declaration, is made."""
TAKE: Final = 0.9
"""Probability that cards are taken if they can be left."""
SPEAK: Final = 0.05
"""Probability that a word is said although a card of the hand could be played."""
PASSES: Final = 0.5
"""Probability that a seat passes in an auction."""
LOW_BIDS: Final = 4
"""Otherwise the seat makes one of this many lowest bids, or another call such as a double."""
STOP: Final = 0.3
"""Probability that a word is said although a card of the pack could be turned up and played."""


class LegalPlayers(Players):
    """One game of any kind. See `Players`.

    The cards dealt are real as far as the game's offers show how many are dealt and laid away. If a rule moves cards
    in another way, a robot plays a legal card that no other robot holds.
    """

    def __init__(self, header: Header, rng: random.Random) -> None:
        super().__init__(header, rng)
        self._zones = load_game(header.game).zones
        self._deck = self.table.view().deck.cards
        self._dealt_out = False  # since the last action
        self._laid_away: set[int] = set()

    def _game(self) -> Iterator[Act]:
        if self.table.phase == "cut":
            yield from self._cut()
        yield self._new_deal()
        while not self.table.over:
            number = len(self.table.actions)
            yield from self._step()
            if len(self.table.actions) > number:
                self._dealt_out = False
            ended = any(news.ends in ("hand", "game") for news in self._news)
            if ended and not self.table.over:
                yield from self._gather()
            if ended:
                self._news = ()
                yield from self._clear(self._first_dealer())
                yield self._new_deal()
            else:
                yield from self._take_turn_up()
                yield from self._tidy()

    def _new_deal(self) -> Act:
        self._pack, self._crib = self._shuffled(), []
        self._hands = [[] for _ in self._seats]
        self._dealt_out = False
        self._laid_away = set()
        return self._shuffle()

    def _first_dealer(self) -> int:
        return self.table.view().dealer or 0

    def _step(self) -> Iterator[Act]:
        """Deal what must be dealt, then do one action."""
        offers = self.table.question.offers
        if "gather" in offers and any(self._gatherings()):
            yield from self._gather()
            return
        if self.table.phase == "cut":  # for trumps
            yield from self._cut()
            yield self._new_deal()
            return
        number = len(self.table.actions)
        if not self._dealt_out:
            self._dealt_out = True
            yield from self._deal_out(offers.get("deal"), "turn" in offers)
        if isinstance(discard := offers.get("discard"), Discard):
            yield from self._lay_away(discard)
        if isinstance(expose := offers.get("expose"), LayOpen):
            yield from self._lay_open(expose.seats[0])
        if len(self.table.actions) > number:
            return  # the table knows the cards, so it offers other actions now
        if "show" in offers:
            yield from self._show(offers["show"])
        elif "turn" in offers:
            yield from self._turn_up(offers["turn"])
        else:
            yield from self._perform(self._choose())

    # The deal

    def _deal_out(self, deal: Offer | None, turning: bool) -> Iterator[Act]:
        """Give every seat the cards that it must have by the record, or that are dealt before a card is turned up."""
        sizes = [hand.size for hand in self.table.view().hands]
        counts = [max(size - len(hand), 0) for size, hand in zip(sizes, self._hands, strict=True)]
        if not any(counts) and (turning or self.across) and isinstance(deal, Deal):
            counts = [deal.counts[seat] if seat in deal.seats else 0 for seat in self._seats]
        if any(counts):
            self._dealt = [self._from_pack(min(count, len(self._pack))) for count in counts]
            for hand, cards in zip(self._hands, self._dealt, strict=True):
                hand += cards
            yield Act("deal", self._first_dealer(), tidy=True)

    def _lay_away(self, discard: Discard) -> Iterator[Act]:
        passed: dict[int, list[Card]] = {}
        for seat in discard.seats:
            hand = self._hands[seat]
            if seat in self._laid_away or len(hand) <= discard.count:
                continue
            self._laid_away.add(seat)
            chosen = self._rng.sample(hand, discard.count)
            yield from self._lay_away_named(seat, chosen)
            for card in chosen:
                hand.remove(card)
                self._crib.append(card)
                if "crib" in self._zones:
                    yield Act("lay", seat, None, Zone("crib"))
            if isinstance(discard, Pass):
                passed[discard.receiver(seat)] = chosen
        for seat, cards in passed.items():
            self._hands[seat] += cards

    def _lay_open(self, seat: int) -> Iterator[Act]:
        """Lay the cards of a dummy open, one after another."""
        cards = sorted(self._hands[seat], key=lambda card: (card.suit, RANKS.index(card.rank)))
        for number, card in enumerate(cards):
            action = Action("expose", seat, card)
            if self.table.can(action):
                yield replace(self._lay(seat, card, Zone("show", seat), action), slot=(number, len(cards)))

    def _turn_up(self, turn: Offer) -> Iterator[Act]:
        cards = [action.card for action in turn.actions() if action.card]
        last = [*self._hands[self._first_dealer()], *self._pack]  # the dealer may turn up the last card of the hand
        card = next((card for card in reversed(last) if card in cards), None) or self._rng.choice(cards)
        if card in self._pack:
            self._pack.remove(card)
        zone = Zone("turn-up" if "turn-up" in self._zones else "table")
        if zone.name == "turn-up":
            yield from self._clear(self._first_dealer(), zone.name)
        yield self._lay(self._first_dealer(), card, zone, Action("turn", card=card))

    def _show(self, show: Offer) -> Iterator[Act]:
        """Lay face up what must be shown: the crib, a whole hand, or some of its cards, which are taken back."""
        if not show.seats:
            size = next(show.actions()).cards or ()
            self._crib += self._from_pack(max(len(size) - len(self._crib), 0))
            seat, zone, shown = self._first_dealer(), Zone("crib"), Action("show", "crib", cards=tuple(self._crib))
        else:
            seat = show.seats[0] if len(show.seats) == 1 else self._rng.choice(show.seats)
            zone, shown = Zone("show", seat), Action("show", seat, cards=tuple(self._hands[seat]))
        action, part = shown, False
        if not self.table.can(action):
            possible = [each for each in islice(show.actions(), _LISTED) if each.seat == action.seat]
            held = [each for each in possible if {*(each.cards or ())} <= {*(shown.cards or ())}]
            part = bool(held)
            if not held and self.table.can(Action("say", seat, word=PASS.name)):
                yield from self._say(seat, PASS.name)
                return
            action = held[0] if held else self._rng.choice(possible)
        hidden = tuple((placed.face, placed.zone) for placed in self._lying if placed.zone == zone)
        if hidden:
            yield Act("sweep", seat, faces=hidden)
        yield from self._lay_all(seat, action.cards or (), zone, action)
        if part:
            yield from self._clear(seat, zone.name)

    # Choosing an action

    def _choose(self) -> Action:
        """Return the action that a robot does now, one of the legal ones."""
        legal = self.table.legal_actions()
        takes = [action for action in legal if action.do == "take"]
        words = [action for action in legal if action.do == "say" and self._can_be_said(action)]
        claims = [action for action in words if self._is_claim(action)]
        words = [action for action in words if action not in claims and action.seat == self.table.turn]
        if claims and self._rng.random() < CLAIM:
            return self._rng.choice(claims)
        words = self._calls(words)
        plays = [action for action in legal if action.do == "play"]
        others = [action for action in legal if action.do in ("bid", "give") and self._has(action)]
        if takes and (not plays or self._rng.random() < TAKE):
            return self._rng.choice(takes)
        if not plays:
            return self._rng.choice([*words, *others])
        held = self._following([action for action in plays if self._has(action)])
        if held and not (words and self._rng.random() < SPEAK):
            return self._rng.choice(held)
        seat = self.table.turn
        if words and (held or (seat is not None and self._hands[seat])):
            return self._rng.choice(words)
        drawn = [action for action in plays if self._pack and action.card is self._pack[-1]]
        if words and self._rng.random() < STOP:
            return self._rng.choice(words)
        elsewhere = {card for hand in self._hands for card in hand}
        return self._rng.choice(drawn or [each for each in plays if each.card not in elsewhere] or plays)

    def _calls(self, words: list[Action]) -> list[Action]:
        """In an auction, return a pass as often as not, and otherwise a low bid or another call."""
        bids = [action for action in words if self.table.vocabulary[action.word or ""].group]
        others = [action for action in words if action not in bids]
        if not bids or not others:
            return words
        return others[:1] if self._rng.random() < PASSES else [*others[1:], *bids[:LOW_BIDS]]

    def _has(self, action: Action) -> bool:
        """Whether the seat holds the card; everybody sees the cards of a bid, so the rules have checked them."""
        return action.card is None or (isinstance(action.seat, int) and action.card in self._hands[action.seat])

    def _following(self, plays: list[Action]) -> list[Action]:
        """Return those of `plays` that follow suit; if none does, all. Leave out those held back, unless all are."""
        offer = self.table.question.offers.get("play")
        if not isinstance(offer, PlayToTrick):
            return plays
        cards = {action.card: action for action in plays if action.card}
        following = {card: action for card, action in cards.items() if offer.hand.suit(card) == offer.led}

        def is_free(card: Card) -> bool:
            held = offer.held_back.binding(card, card in following) if offer.held_back else ()
            return all(each.cards.issuperset(cards) for each in held)

        left = following or cards
        return [action for card, action in left.items() if is_free(card)] or [*left.values()]

    def _is_claim(self, action: Action) -> bool:
        """Whether the word accuses another player, or claims something of the hand."""
        word, say = action.word or "", self.table.question.offers["say"]
        return bool(self.table.vocabulary[word].needs) or (isinstance(say, ClaimOfHand) and say.claims(word))

    def _can_be_said(self, action: Action) -> bool:
        """Whether the word can be said with an action card and, if it needs evidence, whether it is true."""
        word, say = self.table.vocabulary[action.word or ""], self.table.question.offers["say"]
        if isinstance(say, ClaimOfHand) and say.claims(word.name) and isinstance(action.seat, int):
            return say.is_true(word.name, action.seat, self._hands[action.seat])
        if "evidence" in word.needs:
            lying = {placed.face for placed in self._lying}
            return (
                action.against is not None and action.card in self._hands[action.against] and action.card not in lying
            )
        if "against" in word.needs and len(self._seats) > 2:
            return False
        return "card" not in word.needs or self.table.view().choices(word.name) == (action.card,)

    # Doing it

    def _perform(self, action: Action) -> Iterator[Act]:
        seat = action.seat if isinstance(action.seat, int) else self._first_dealer()
        match action.do:
            case "say":
                yield from self._speak(seat, action)
            case "take":
                yield from self._take(seat, action)
            case "bid":
                yield from self._lay_all(seat, action.cards or (), Zone("bid", seat), action)
            case "give":
                turned = next(placed for placed in self._lying if placed.zone.name == "turn-up")
                yield Act("lift", seat, turned.face, turned.zone)
                self._part_with(seat, action.card)
                if isinstance(turned.face, Card):
                    self._hands[seat].append(turned.face)
                yield self._lay(seat, action.card, turned.zone, action)
            case _:
                yield from self._take_up(action.card)
                self._part_with(seat, action.card)
                zone = Zone("play", seat) if "play" in self._zones else Zone("table")
                yield self._play(seat, action, zone)

    def _play(self, seat: int, action: Action, zone: Zone) -> Act:
        """Lay the card in `zone`; one of a hand that lies open is moved there by the player who plays it."""
        show, actor = Zone("show", seat), self.table.view().actor
        if any((placed.face, placed.zone) == (action.card, show) for placed in self._lying):
            mover = seat if actor is None else actor
            return Act("move", mover, action.card, show, to=zone, action=action, expect=self._do(action))
        return self._lay(seat, action.card, zone, action)

    def _take_turn_up(self) -> Iterator[Act]:
        """Take the turn-up into the hand that holds it by the record."""
        for placed in [placed for placed in self._lying if placed.zone.name == "turn-up"]:
            for seat, hand in enumerate(self._hands):
                held = self.table.view(seat).hands[seat]
                if isinstance(placed.face, Card) and placed.face in held.cards and held.size > len(hand):
                    hand.append(placed.face)
                    yield Act("lift", seat, placed.face, placed.zone, tidy=True)

    def _take_up(self, card: Card | None) -> Iterator[Act]:
        """Take the turn-up into the hand before it is played."""
        turned = [placed for placed in self._lying if placed.zone.name == "turn-up" and placed.face == card]
        for placed in turned if card in self._hands[self._first_dealer()] else ():
            yield Act("lift", self._first_dealer(), card, placed.zone)

    def _part_with(self, seat: int, card: Card | None) -> None:
        """Remove the card played from the hand or the pack; a card that no seat held replaces one of the hand."""
        hand = self._hands[seat]
        if card in hand:
            hand.remove(card)
        elif hand:
            hand.pop(self._rng.randrange(len(hand)))
        if card in self._pack:
            self._pack.remove(card)

    def _take(self, seat: int, action: Action) -> Iterator[Act]:
        """Sweep the cards taken from the table, with the card just played."""
        taken = Counter(action.cards)
        faces: list[Spot] = []
        for placed in self._lying:
            if placed.zone == Zone("play", seat) or (isinstance(placed.face, Card) and taken[placed.face] > 0):
                faces.append((placed.face, placed.zone))
                if isinstance(placed.face, Card):
                    taken[placed.face] -= 1
        yield Act("sweep", seat, faces=tuple(faces), action=action, expect=self._do(action))

    def _gatherings(self) -> Iterator[Action]:
        offer = self.table.question.offers.get("gather")
        yield from offer.actions() if offer else ()

    def _gather(self) -> Iterator[Act]:
        """Take the complete trick off the table."""
        faces = tuple((placed.face, placed.zone) for placed in self._lying if placed.zone.name == "play")
        for action in islice(self._gatherings(), 1):
            if faces and isinstance(action.seat, int):
                yield Act("sweep", action.seat, faces=faces, action=action, expect=self._do(action))

    def _tidy(self) -> Iterator[Act]:
        """Clear the play zones of cards that are no longer there by the record, or move these to their new zone."""
        record = Counter((each.card, each.zone) for each in self.table.lying)
        misplaced = []
        for placed in self._lying:
            spot = (placed.face, placed.zone)
            if isinstance(placed.face, Card) and record[placed.face, placed.zone] > 0:
                record[placed.face, placed.zone] -= 1
            elif placed.zone.name in ("play", "turn-up"):
                misplaced.append(spot)
        gone: list[Spot] = []
        for face, zone in misplaced:
            to = next((place for (card, place), count in record.items() if card == face and count > 0), None)
            if to is not None:
                yield Act("move", zone.seat or 0, face, zone, to=to, tidy=True)
            else:
                gone.append((face, zone))
        if gone:
            yield Act("sweep", self.table.turn or 0, faces=tuple(gone), tidy=True)


GROUP: Final = "cardtable.robots"

ROBOTS: Final[dict[str, type[Players]]] = {
    "all-fives": AllFives,
    "fifteen": Fifteen,
    "cribbage": Cribbage,
    "le-quinze": LeQuinze,
    "its-15": ItsFifteen,
}
"""The robots of games that have their own; `LegalPlayers` play all others."""


def robot_names() -> tuple[str, ...]:
    """Return the games that robots play, which are all installed games; those of this program come first."""
    return (*ROBOTS, *(name for name in game_names() if name not in ROBOTS))


def load_robots(game: str) -> type[Players]:
    """Return the robots that play `game`. Raises `UsageError` for an unknown game."""
    if game in ROBOTS:
        return ROBOTS[game]
    names = robot_names()
    if game not in names:
        known = ", ".join(names)
        raise UsageError(
            text(
                "the simulated table has no players for {game!r}, only for: {names}{guess}",
                game=game,
                names=known,
                guess=suggestion(game, names),
            )
        )
    entry = next(iter(entry_points(group=GROUP, name=game)), None)
    if entry is None:
        return legal_players(game)
    found: object = entry.load()
    if not (isinstance(found, type) and issubclass(found, Players)):
        raise UsageError(
            text(
                "the players of {game!r} are not a class of players (cardtable.simulation.players): {found!r}",
                game=game,
                found=found,
            )
        )
    return found


def legal_players(game: str) -> type[LegalPlayers]:
    """Return robots for any installed game.

    They cut for the deal if the game allows a header without a dealer. They can deal across readers if the game has
    the action `deal`.
    """
    rules = load_game(game)
    names = tuple(f"player {seat}" for seat in range(rules.seats[0]))
    try:
        rules.check_header(names, None, {})
    except HeaderError:
        cut = False
    else:
        cut = True
    players = LegalPlayers(Header(game, names, None if cut else 0), random.Random(0))
    next(act for act in players.acts() if players.table.phase != "cut")
    deals = "deal" in players.table.question.offers
    return type("LegalPlayers", (LegalPlayers,), {"cut_for_deal": cut, "deals": deals})
