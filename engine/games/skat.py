"""Skat, for three, or for four of whom the dealer sits out: the rules in the order in which the rule book gives them.

The rules are those of the International Skat Order; the rulings are in docs/reference/games/skat.md.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from itertools import takewhile, zip_longest
from typing import ClassVar, Final

from engine.cards import SUIT_GLYPHS, SUIT_TEXTS, SUITS, Card, Deck
from engine.rules.bidding import PASS
from engine.rules.dealing import DealtOutGame, LayingAwayGame
from engine.rules.game import Option, Rules
from engine.rules.open_hand import OpenHandGame
from engine.rules.penalties import REVOKE, PenaltyTrickGame
from engine.rules.questions import Say
from engine.rules.tricks import Ranking, Trick
from engine.rules.trumps import SUIT_OF, SUIT_WORDS, TAKE_UP
from engine.texts import Text, commas, text, word_text
from engine.views import FeatKind, Poster, SeatNote, Tally
from engine.words import Word

HOLD: Final = Word("hold", mark=123)
OFFERED: Final = 5
"""How many of the next values are shown as words."""
DEALT, SKAT = 10, 2
BASE: Final = {"diamond": 9, "heart": 10, "spade": 11, "club": 12, "grand": 24}
NULL: Final = {(False, False): 23, (True, False): 35, (False, True): 46, (True, True): 59}
"""The value of null, by whether the skat was left and whether the game is ouvert."""
JACKS: Final = tuple(Card("J", suit) for suit in "CSHD")
RANKS: Final = ("A", "10", "K", "Q", "9", "8", "7")
NULL_RANKS: Final = ("A", "K", "Q", "J", "10", "9", "8", "7")
EYES: Final = {"A": 11, "10": 10, "K": 4, "Q": 3, "J": 2}
SCHNEIDER: Final = 90
HALF: Final = 60
LEVELS: Final = ("schneider", "schwarz", "ouvert")
"""What may be announced; each level includes those before it, unless the game is null."""
ANNOUNCED: Final = dict(
    zip(LEVELS, (text("schneider announced"), text("schwarz announced"), word_text("ouvert")), strict=True)
)
PLACES: Final = (text("forehand"), text("middlehand"), text("rearhand"))
"""The seats in the bidding, from eldest."""
VALUES: Final = sorted(
    {*(BASE[game] * n for game in BASE for n in range(2, 12 if game == "grand" else 19)), *NULL.values()}
)
WON, LOST = 50, {3: 40, 4: 30}
"""The scores of Seeger and Fabian: what the declarer wins or loses besides; by the number of players, what each
opponent wins."""


@cache
def trumps_of(game: str) -> Sequence[Card]:
    """Return all trumps of a game, the highest first."""
    suit = SUIT_OF.get(game)
    return () if game == "null" else (*JACKS, *(Card(rank, suit) for rank in RANKS)) if suit else JACKS


@cache
def ranking_of(game: str) -> Ranking:
    """Return how the cards rank in a game. In grand the jacks are a suit of their own, `J`."""
    trump = None if game == "null" else SUIT_OF.get(game, "J")
    return Ranking(trump, trumps_of(game), RANKS if trump else NULL_RANKS)


def tops(game: str, cards: Collection[Card]) -> int:
    """Return how many of the highest trumps in a row are all among `cards`, or all missing.

    >>> from engine.cards import parse_card as card
    >>> tops("grand", [card("JC"), card("JS"), card("JD")]), tops("heart", [card("JH"), card("AH")])
    (2, 2)
    """
    first, *_ = trumps = trumps_of(game)
    return len([*takewhile(lambda card: (card in cards) == (first in cards), trumps)])


def value_of(
    game: str, cards: Collection[Card], eyes: int, tricks: int, hand: bool, announced: Collection[str], bid: int
) -> tuple[int, bool, Text]:
    """Return the value of a game with trumps, whether the declarer has won it, and how the value comes about.

    `cards`: the declarer's twelve. `eyes`, `tricks`: the declarer's card points, including the skat, and tricks.
    `hand`: whether the skat was left. `announced`: all levels announced or implied. `bid`: what the value must reach.
    """
    schneider, schwarz = not 2 * HALF - SCHNEIDER < eyes < SCHNEIDER, tricks in (0, DEALT)
    row = tops(game, cards)
    counted = {
        text("game"): True,
        word_text("hand"): hand,
        word_text("schneider"): schneider or "schneider" in announced,
        ANNOUNCED["schneider"]: "schneider" in announced,
        word_text("schwarz"): schwarz or "schwarz" in announced,
        ANNOUNCED["schwarz"]: "schwarz" in announced,
        ANNOUNCED["ouvert"]: "ouvert" in announced,
    }
    names = [name for name, counts in counted.items() if counts]
    levels = row + len(names)
    steps = [text("with {count}", count=row) if JACKS[0] in cards else text("without {count}", count=row)]
    steps += [text("{what} {count}", what=name, count=row + place) for place, name in enumerate(names, 1)]
    won = eyes >= (SCHNEIDER if "schneider" in announced else HALF + 1) and (
        tricks == DEALT or "schwarz" not in announced
    )
    least = -(-bid // BASE[game])
    if levels < least:
        levels, won = least, False
        steps.append(text("bid {bid}: {count}", bid=bid, count=least))
    name = SUIT_TEXTS[SUIT_OF[game]] if game in SUIT_OF else word_text(game)
    how = text("{steps}, times {game} {base}", steps=commas(steps), game=name, base=BASE[game])
    return BASE[game] * levels, won, how


class Skat(DealtOutGame, OpenHandGame, LayingAwayGame, PenaltyTrickGame):
    """Skat. See `Game` for the attributes and the coroutines.

    `bid`: the highest bid, 0 if there is none. `declarer`: the seat that plays against the others, or None. `by_hand`:
    whether it left the skat. `announced`: the levels that it announced, of `LEVELS`. `contract`: the word of its game,
    or "". `revoked`: for each side that revoked, whether it is the declarer. `heard`: what each seat that
    has said something in the bidding says to the last bid.
    """

    name = "skat"
    title = "Skat"
    about = text("Bid for the right to play alone against the others, in a suit, grand or null.")
    seats = range(3, 5)
    deck = Deck(Card(rank, suit) for suit in SUITS for rank in NULL_RANKS)
    words = (
        *(PASS, HOLD, TAKE_UP, Word("hand", mark=124), *SUIT_WORDS),
        *(Word("grand", mark=125), Word("null", mark=126), Word("schneider", mark=127), Word("schwarz", mark=128)),
        *(Word("ouvert", mark=129), REVOKE),
        *(Word(str(value), mark=mark, rare=mark is None) for value, mark in zip_longest(VALUES, range(130, 150))),
    )
    reasons = ("game-won", "game-lost", "bonus", "defence")
    zones = ("play", "say", "show")
    fact_displays: ClassVar = {
        **PenaltyTrickGame.fact_displays,
        "highest bid": "placed",
        "plays": "placed",
        "value": "placed",
    }
    feat_kinds: ClassVar = {
        "value": FeatKind(text("Highest game")),
        "grand": FeatKind(text("Grands won"), counted=True),
        "null": FeatKind(text("Nulls won"), counted=True),
        "hand": FeatKind(text("Hand games won"), counted=True),
        "schneider": FeatKind(text("Won with schneider"), counted=True),
        "schwarz": FeatKind(text("Won with schwarz"), counted=True),
    }
    dealt = DEALT
    options = (
        Option("rounds", 12, text("how often everybody deals"), least=1, label=text("Rounds")),
        Option("seeger_fabian", False, text("50 more for each game won or lost"), label=text("Seeger-Fabian")),
    )

    def clear_tricks(self) -> None:
        """Begin a hand without bids and declarer."""
        super().clear_tricks()
        self.bid = 0
        self.declarer: int | None = None
        self.by_hand, self.contract = False, ""
        self.announced: tuple[str, ...] = ()
        self.revoked: set[bool] = set()
        self.heard: dict[int, str] = {}

    # The hand

    def hand(self) -> Rules[None]:
        """Deal ten each and two to the skat; bid; the declarer takes the skat or not and names a game; play; count."""
        self.clear_tricks()
        self.sitting_out = self.seats_from(self.eldest)[3:]
        self.declarer = yield from self.auction()
        if self.declarer is None:
            self.report("passed")
        else:
            yield from self.declare(self.declarer)
            yield from self.play_tricks(self.eldest)
            self.count_hand(self.declarer)
        self.win_or_deal_again(self.values["rounds"] * len(self.players))

    def auction(self) -> Rules[int | None]:
        """Hold the auction, and return the declarer; None if all pass.

        Middlehand bids to forehand, and rearhand to the one left. If all others pass, forehand may play for the least
        value.
        """
        forehand, middlehand, rearhand = self.seats_from(self.eldest)[:3]
        least = VALUES[0]
        first = yield from self.deal_out(Bid(self, middlehand), then=self.ask_bid(middlehand), turn=middlehand)
        left = yield from self.duel(middlehand, forehand, first.word or "")
        left = yield from self.duel(rearhand, left)
        if self.bid:
            return left
        hint = text("{name}: play for {value}?", name=self.players[forehand], value=least)
        if (yield from self.ask(Say(self, forehand, (str(least), PASS.name)), hint)) == PASS.name:
            return None
        self.hear_bid(forehand, str(least))
        return forehand

    def duel(self, bidder: int, holder: int, word: str = "") -> Rules[int]:
        """Let `bidder` bid and `holder` hold until one of them passes; return the other.

        `word`: what the bidder has said already, or "".
        """
        while True:
            word = word or (yield from self.ask(Bid(self, bidder), self.ask_bid(bidder)))
            if word == PASS.name:
                self.heard[bidder] = word
                return holder
            self.hear_bid(bidder, word)
            hint = text("{name} holds {value}?", name=self.players[holder], value=self.bid)
            word = self.heard[holder] = yield from self.ask(Say(self, holder, (HOLD.name, PASS.name)), hint)
            if word == PASS.name:
                return bidder
            word = ""

    def hear_bid(self, seat: int, word: str) -> None:
        """Note the bid of `seat`, which nobody has held yet."""
        self.bid = int(word)
        self.heard = {other: said for other, said in self.heard.items() if said == PASS.name} | {seat: word}

    def ask_bid(self, seat: int) -> Text:
        """Return the request to bid."""
        return text("{name} bids or passes.", name=self.players[seat])

    def declare(self, seat: int) -> Rules[None]:
        """Take up the skat and lay two cards away, or leave it; then announce, and name the game."""
        name = self.players[seat]
        word = yield from self.ask(Say(self, seat, ("take-up", "hand")), text("{name}: the skat, or hand?", name=name))
        self.by_hand = word == "hand"
        if not self.by_hand:
            self.take_skat(seat)
            yield from self.lay_away_to(DEALT)
        while not self.contract:
            word = yield from self.ask(Say(self, seat, self.games()), text("{name}: which game?", name=name))
            if word in LEVELS:
                self.announced += (word,)
            else:
                self.contract = word
        if self.contract != "null":
            self.announced = LEVELS[: 1 + max(map(LEVELS.index, self.announced), default=-1)]
        if "ouvert" in self.announced:
            self.lay_rest_away()
            self.open_hand = seat
        self.rank(ranking_of(self.contract))
        self.add_moment(self.naming(seat, self.contract_text()))

    def take_skat(self, seat: int) -> None:
        """Give the skat to the declarer; the table knows it if it knows all hands."""
        hand, left = self.hands[seat], [*self.pack.unaccounted()]
        if len(left) == SKAT:
            hand.deal(left)
        else:
            hand.deal_unseen(SKAT)

    def games(self) -> tuple[str, ...]:
        """Return what the declarer may say now: announcements, and games. Null must be worth the bid."""
        ouvert = "ouvert" in self.announced
        levels = [level for level in LEVELS if self.by_hand and not ouvert and level not in self.announced]
        if not self.by_hand and not ouvert and self.bid <= NULL[False, True]:
            levels.append("ouvert")
        null = {*self.announced} <= {"ouvert"} and self.bid <= NULL[self.by_hand, ouvert]
        return (*(BASE if self.by_hand or not ouvert else ()), *(("null",) if null else ()), *levels)

    def decided(self, trick: Trick) -> bool:
        """Return whether a null is over: the declarer has won a trick."""
        return self.contract == "null" and trick.winner == self.declarer

    def count_hand(self, declarer: int) -> None:
        """Score the value of the game, or minus twice the value if it is lost."""
        played = [play for trick in self.tricks for play in trick.plays]
        skat = {*self.deck} - {play.card for play in played}
        tricks, won = self.tricks_won()[declarer], self.won_by(declarer)
        if self.contract == "null":
            value, made = NULL[self.by_hand, "ouvert" in self.announced], not tricks
            how = commas([word_text(word) for word in self.contract_words])
        else:
            cards = {play.card for play in played if play.seat == declarer} | skat
            eyes = sum(EYES.get(card.rank, 0) for card in (*won, *skat))
            value, made, how = value_of(self.contract, cards, eyes, tricks, self.by_hand, self.announced, self.bid)
        if len(self.revoked) == 1:
            made = False in self.revoked
        if made:
            self.note_feat("value", declarer, value)
            if self.contract in ("grand", "null"):
                self.note_feat(self.contract, declarer)
            if self.by_hand:
                self.note_feat("hand", declarer)
            if self.contract != "null" and eyes >= SCHNEIDER:
                self.note_feat("schwarz" if tricks == len(self.tricks) else "schneider", declarer)
        scored = [(value, "game-won") if made else (-2 * value, "game-lost")]
        if self.values["seeger_fabian"]:
            scored.append((WON if made else -WON, "bonus"))
        for points, reason in scored:
            self.score(declarer, points, reason)
        how = text("{how} is {value}", how=how, value=value)
        if not made:
            how = text("{how}; lost, so minus {twice}", how=how, twice=2 * value)
        name = text("{name}: {what}", name=self.players[declarer], what=how)
        self.add_count(declarer, [], [(points, reason, []) for points, reason in scored], name=name)
        for seat in self.every_seat if self.values["seeger_fabian"] and not made else ():
            if seat != declarer:
                self.score(seat, LOST[len(self.players)], "defence")
        self.report("hand-over")

    def punish_revoke(self, revoker: int) -> None:
        """Let the side that revoked lose the game, unless both did."""
        self.revoked.add(revoker == self.declarer)

    def revoke_costs(self, revoker: int) -> Text:
        """Return what `punish_revoke` does."""
        if revoker == self.declarer:
            return text("{name} should have followed suit, and loses the game.", name=self.players[revoker])
        template = "{name} should have followed suit: {declarer} wins the game."
        return text(template, name=self.players[revoker], declarer=self.players[self.declarer or 0])

    # Views

    def note(self, seat: int) -> SeatNote:
        """Return the declarer; during the bidding each seat's place in it, or that it has passed."""
        if self.match.dealer is None or seat in self.sitting_out:
            return SeatNote()
        if self.declarer is not None:
            return SeatNote(text("declarer") if seat == self.declarer else "")
        if self.heard.get(seat) == PASS.name:
            return SeatNote(text("passed"))
        return SeatNote(PLACES[self.seats_from(self.eldest).index(seat)])

    def poster(self) -> Poster | None:
        """Return the bid and who stands by it; then the game, who plays it, and what was announced."""
        if self.declarer is None:
            bids = [text("{name} bids", name=self.players[seat]) for seat, said in self.heard.items() if said.isdigit()]
            holds = [
                text("{name} holds", name=self.players[seat]) for seat, said in self.heard.items() if said == HOLD.name
            ]
            return Poster(str(self.bid), (*bids, *holds)) if self.bid else None
        name = self.players[self.declarer]
        hand = [word_text("hand")] if self.by_hand else []
        if not self.contract:
            return Poster(str(self.bid), (text("{name} plays", name=name), *hand))
        suit = SUIT_OF.get(self.contract)
        return Poster(
            SUIT_GLYPHS[suit] if suit else word_text(self.contract),
            (name, *hand, *[ANNOUNCED[word] for word in self.announced[-1:]]),
        )

    def tallies(self) -> tuple[Tally, ...]:
        """Return the card points in the tricks of both parties, or their tricks if all were announced.

        The skat, which counts for the declarer, is hidden until the end. A null has no points.
        """
        declarer = self.declarer
        if self.trick is None or declarer is None or self.contract == "null":
            return ()
        won, all_tricks = [0, 0], "schwarz" in self.announced
        for trick in self.begun_tricks:
            if trick.complete:
                eyes = sum(EYES.get(card.rank, 0) for card in trick.cards)
                won[trick.winner != declarer] += 1 if all_tricks else eyes
        most, least = 2 * HALF, SCHNEIDER if "schneider" in self.announced else HALF + 1
        if all_tricks:
            most = least = DEALT
        others = commas([self.players[seat] for seat in self.playing if seat != declarer])
        return (
            Tally(won[0], self.players[declarer], least),
            Tally(won[1], others, most + 1 - least),
        )

    def worth(self) -> int:
        """Return the least that the game is worth, by what was announced and the trumps that everybody has seen."""
        if self.contract == "null":
            return NULL[self.by_hand, "ouvert" in self.announced]
        plays = [play for trick in self.begun_tricks for play in trick.plays]
        own = {play.card for play in plays if play.seat == self.declarer}
        others = {play.card for play in plays} - own
        held = own if JACKS[0] in own else {*trumps_of(self.contract)} - others if JACKS[0] in others else {JACKS[0]}
        value, _, _ = value_of(self.contract, held, HALF, 1, self.by_hand, self.announced, 0)
        return value

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the highest bid, and the declarer with the game."""
        facts = [*super().facts(), *([(text("highest bid"), str(self.bid))] if self.bid else [])]
        if self.declarer is not None and self.contract:
            what = commas([word_text(word) for word in self.contract_words])
            facts.append((text("plays"), text("{name}: {what}", name=self.players[self.declarer], what=what)))
            facts.append((text("worth"), text("{value}, bid {bid}", value=self.worth(), bid=self.bid)))
        facts += [(text("value"), hand.name) for hand in self.match.counted]
        return tuple(facts)

    @property
    def contract_words(self) -> tuple[str, ...]:
        """The words that say what the declarer plays."""
        return (self.contract, *(("hand",) if self.by_hand else ()), *self.announced[-1:])

    def contract_text(self) -> str:
        """Return what the declarer plays, with the suit as people say it: `hearts, hand`."""
        game, *more = self.contract_words
        name = SUIT_TEXTS[SUIT_OF[game]] if game in SUIT_OF else word_text(game)
        return commas([name, *map(word_text, more)])

    def remarks(self) -> tuple[str, ...]:
        """Return how the value of the last game comes about."""
        return tuple([hand.name for hand in self.match.counted])


class Bid(Say):
    """Bidding a higher value than the last bid, or passing. Only the next values are shown as words."""

    __slots__ = ()

    def __init__(self, game: Skat, seat: int) -> None:
        super().__init__(game, seat, (*(str(value) for value in VALUES if value > game.bid), PASS.name))

    def words(self, seat: int) -> tuple[str, ...]:
        """Return the next values and `pass`."""
        *values, last = self.plain
        shown = (*values[:OFFERED], last) if seat in self.seats else ()
        return (*shown, *(word for word in super().words(seat) if word not in self.plain))
