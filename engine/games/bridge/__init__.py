"""Contract bridge, for four in partnerships: the rules in the order in which the rule book gives them.

The laws followed, the three ways to score, and the rulings are in docs/reference/games/bridge.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, NamedTuple

from engine.cards import SUITS, Card
from engine.games.bridge.auction import BIDS, AuctionGame, Contract
from engine.games.bridge.claims import CLAIM_WORDS, ClaimGame
from engine.games.bridge.scoring import (
    BOOK,
    GAME,
    GAME_BONUS,
    PART_SCORE,
    above_the_line,
    trick_points,
    undertricks,
)
from engine.rules.bidding import CALLS
from engine.rules.game import Option, Rules
from engine.rules.open_hand import OpenHandGame
from engine.rules.penalties import REVOKE
from engine.rules.trick_game import TrickGame
from engine.rules.tricks import Trick
from engine.texts import Text, commas, plural, text, word_text
from engine.views import EventKind, FeatKind, Moment, Poster, SeatNote, Tally

DEALS: Final = 4
"""The deals of Chicago."""
TWELFTH: Final = 11
"""The number of tricks before the twelfth."""
HONOURS: Final = ("A", "K", "Q", "J", "10")
HONOUR_POINTS: Final = {4: 100, 5: 150}
"""By the number of honours in trumps in one hand."""


DIRECTIONS: Final = (text("North"), text("East"), text("South"), text("West"))
COMPASS: Final = (text("N"), text("E"), text("S"), text("W"))
SLAMS: Final = {6: text("a small slam"), 7: text("a grand slam")}
"""What a contract that was made is called, by its level."""
RISKS: Final[Mapping[int, tuple[Text, ...]]] = {1: (), 2: (text("doubled"),), 4: (text("redoubled"),)}
"""What is said of a contract, by what it was doubled to."""


class Standing(NamedTuple):
    """What one deal leaves to the next: the `deals` that count; by side, `games` won and points `below` the line."""

    deals: int = 0
    games: tuple[int, ...] = (0, 0)
    below: tuple[int, ...] = (0, 0)


class Bridge(ClaimGame, OpenHandGame, AuctionGame):
    """Bridge. See `Game` for the attributes and the coroutines.

    The dummy lays its hand open (`open_hand`) after the first lead; it is the dummy's turn in its place, but its
    partner chooses and plays the cards. `revokes`: by seat and suit, the trick in which that player revoked. `made`:
    the tricks of the declarer's side; None before the count, or if all passed.
    """

    name = "bridge"
    title = "Bridge"
    about = text("Bid for the contract with your partner, then make it with one hand open.")
    seats = range(4, 5)
    partners = (4,)
    plays_boards = True
    words = (*CALLS, *CLAIM_WORDS, REVOKE, *BIDS)
    reasons = (
        *("contract", "overtricks", "insult", "slam", "grand-slam", "undertricks"),
        *("game", "part-score", "rubber", "honours"),
    )
    zones = ("play", "say", "show")
    event_kinds: ClassVar = {
        "passed-out": EventKind(lambda name, card: text("Everybody has passed")),
        "bridge-game": EventKind(lambda name, card: text("{name} and partner win a game", name=name)),
    }
    fact_displays: ClassVar = {
        **TrickGame.fact_displays,
        "void": "symbol",
        "contract": "placed",
        "vulnerable": "placed",
    }
    feat_kinds: ClassVar = {
        "grand-slam": FeatKind(text("Grand slams"), counted=True),
        "small-slam": FeatKind(text("Small slams"), counted=True),
        "deal": FeatKind(text("Best contract")),
    }
    options = (
        Option.choice("scoring", ("chicago", "rubber", "duplicate"), text("how deals count"), text("Scoring")),
        Option("honours", False, text("four or five honours in one hand score"), label=text("Honours")),
        Option("boards", 4, text("boards of duplicate"), least=1, label=text("Boards")),
        Option("first_board", 1, text("number of the first board"), least=1, label=text("First board")),
    )

    def clear_tricks(self) -> None:
        """Begin a hand without revokes."""
        super().clear_tricks()
        self.revokes: dict[tuple[int, str], Trick] = {}
        self.made: int | None = None

    # The hand

    def hand(self) -> Rules[None]:
        """Deal all cards; hold the auction, which the dealer begins; play the tricks; count."""
        self.clear_tricks()
        contract = yield from self.deal_and_call(self.dealer)
        if contract is None:
            self.report("passed-out")
        else:
            self.open_hand = self.partner_of(contract.declarer)
            self.trump = None if contract.strain == "nt" else contract.strain.upper()
            called = [word_text(f"{contract.level}{contract.strain}"), *RISKS[contract.risk]]
            self.add_moment(self.naming(contract.declarer, commas(called)))
            yield from self.play_tricks(self.next_seat(contract.declarer))
            self.count_hand(contract)
        self.report("hand-over")
        self.end_or_go_on(redeal=contract is None and self.values["scoring"] == "chicago")

    # The play

    def acts_for(self, seat: int) -> int:
        """Return the seat that plays the cards of `seat`: its partner for the dummy, otherwise the seat itself."""
        partner = self.partner_of(seat)
        return partner if seat == self.open_hand and partner is not None else seat

    def may_lie_open(self, trick: Trick) -> bool:
        """Return whether the first lead was made."""
        return bool(self.tricks or trick.plays)

    def play_hint(self, trick: Trick) -> str:
        """Return the request to lay the dummy's cards open, or to play one of them."""
        dummy = self.open_hand
        if dummy is None or trick.turn != dummy or not self.may_lie_open(trick):
            return super().play_hint(trick)
        name, player = self.players[dummy], self.players[self.acts_for(dummy)]
        if count := self.covered(dummy):
            return plural("Dummy: {count} card still to come.", "Dummy: {count} cards still to come.", count)
        return text("{player} plays from the hand of {name}.", name=name, player=player)

    def may_claim(self, seat: int) -> bool:
        """Let all but the dummy claim, after the first lead."""
        return seat != self.open_hand and bool(self.tricks or (self.trick and self.trick.plays))

    def answers_claim(self, seat: int, claimer: int) -> bool:
        """Let a defender's partner answer too: the tricks that are not claimed are conceded."""
        return seat not in (claimer, self.open_hand)

    # Revokes, as in Law 64 of duplicate bridge (2017). A second revoke of a player in a suit costs nothing more.

    def punish_revoke(self, revoker: int) -> None:
        """Note the tricks in which `revoker` did not follow a proven suit."""
        for trick in self.begun_tricks:
            if trick.led and trick.failed(revoker) and not self.hands[revoker].declared_void(trick.led):
                self.revokes.setdefault((revoker, trick.led), trick)

    def revoke_costs(self, revoker: int) -> Text:
        """Return that it costs one or two tricks, or nothing (`tricks_after_revokes`)."""
        name = self.players[revoker]
        if revoker == self.open_hand or len(self.tricks) == TWELFTH:
            return text("{name} should have followed suit: here it costs no trick.", name=name)
        return text("{name} should have followed suit: it costs one or two tricks.", name=name)

    def tricks_after_revokes(self, side: int) -> int:
        """Return the number of tricks of `side` after those that revokes cost.

        If the revoker won the trick of the revoke, the side loses it and one that it won later; otherwise one of those
        that it won from then on, if there is one. No trick is lost twice. The dummy's revokes cost nothing, nor do
        those in the twelfth trick, nor any in a deal in which both sides have revoked (Law 64B3, 6 and 7).
        """
        tricks = [self.tricks_of(0), self.tricks_of(1)]
        if len({self.side_of(seat) for seat, _ in self.revokes}) > 1:
            return tricks[side]
        established = [(seat, trick) for (seat, _), trick in self.revokes.items() if trick in self.tricks[:TWELFTH]]
        lost: set[int] = set()
        won = [[n for n, each in enumerate(self.tricks) if self.side_of(each.winner) == of] for of in (0, 1)]
        for of, mine in enumerate(won):  # and those claimed
            mine += range(len(self.tricks), len(self.tricks) + tricks[of] - len(mine))
        for seat, trick in sorted(established, key=lambda revoke: self.tricks.index(revoke[1])):
            if seat != self.open_hand:
                offender, first = self.side_of(seat), self.tricks.index(trick)
                cost = [n for n in won[offender] if n >= first and n not in lost][: 2 if trick.winner == seat else 1]
                lost.update(cost)
                tricks[offender] -= len(cost)
                tricks[1 - offender] += len(cost)
        return tricks[side]

    # The count

    def count_hand(self, contract: Contract) -> None:
        """Score the contract, the game or part-score, and honours."""
        declarer, side = contract.declarer, self.side_of(contract.declarer)
        vulnerable = self.vulnerable(side)
        self.made = self.tricks_after_revokes(side)
        over = self.made - BOOK - contract.level
        scored = [(self.next_seat(declarer), undertricks(contract.risk, -over, vulnerable), "undertricks")]
        if over >= 0:
            scored = [(declarer, trick_points(contract), "contract")]
            scored += [(declarer, *more) for more in above_the_line(contract, over, vulnerable)]
            scored += [(declarer, *self.bonus(contract, side, vulnerable))]
            if contract.level in SLAMS:
                headline = text("{names} make {what}", names=self.side_name(side), what=SLAMS[contract.level])
                self.add_moment(Moment("slam", headline, declarer))
                self.note_feat_of_side("small-slam" if contract.level == min(SLAMS) else "grand-slam", side)
            self.note_feat("deal", declarer, sum([points for _, points, _ in scored]))
        if self.values["honours"] and self.values["scoring"] != "duplicate":
            scored += [(seat, self.honours(seat), "honours") for seat in self.every_seat]
        for seat, points, reason in scored:
            if points:
                self.score(seat, points, reason)

    def bonus(self, contract: Contract, side: int, vulnerable: bool) -> tuple[int, str]:
        """Return the points for a game or a part-score; except in duplicate, part-scores add up to a game."""
        form, (deals, games, below) = self.values["scoring"], self.standing
        total = trick_points(contract) + (0 if form == "duplicate" else below[side])
        if total < GAME:
            if form == "duplicate":
                return PART_SCORE, "part-score"
            below = (total, below[1]) if side == 0 else (below[0], total)
            self.match.more["standing"] = Standing(deals, games, below)
            return (100 if form == "chicago" and deals == DEALS - 1 else 0), "part-score"
        if form == "rubber":
            games = (games[0] + 1, games[1]) if side == 0 else (games[0], games[1] + 1)
            self.report("bridge-game", contract.declarer)
        self.match.more["standing"] = Standing(deals, games)
        if form == "rubber":
            return (0 if games[side] < 2 else 500 if games[1 - side] else 700), "rubber"
        return GAME_BONUS[vulnerable], "game"

    def honours(self, seat: int) -> int:
        """Return what the honours of `seat` score: four or five in trumps, or four aces without trumps."""
        tricks = [*self.tricks, *([self.match.left] if self.match.left else [])]
        held = {play.card for trick in tricks for play in trick.plays if play.seat == seat} | {*self.hands[seat].known}
        if self.trump is None:
            return 150 if held.issuperset(Card("A", suit) for suit in SUITS) else 0
        return HONOUR_POINTS.get(sum(Card(rank, self.trump) in held for rank in HONOURS), 0)

    def end_or_go_on(self, redeal: bool) -> None:
        """End the rubber after two games of a side, Chicago after four deals, duplicate after its boards."""
        deals, games, below = self.standing
        deals += not redeal
        self.match.more["standing"] = Standing(deals, games, below)
        self.match.more["tricks"] = [*self.match.more.get("tricks", ()), self.made]
        form, scores = self.values["scoring"], self.match.scores
        if max(games) == 2 if form == "rubber" else deals == (DEALS if form == "chicago" else self.values["boards"]):
            self.win(*[side for side in (0, 1) if scores[side] == max(scores)])
        elif not redeal:
            self.match.dealer = self.eldest

    @property
    def standing(self) -> Standing:
        """What the deals so far have left."""
        standing: Standing = self.match.more.get("standing", Standing())
        return standing

    def vulnerable(self, side: int) -> bool:
        """Return whether `side` is vulnerable in this deal.

        In a rubber: with a game. In Chicago: the dealer's side in the second and third deals, both in the fourth. In
        duplicate: by the number of the board; North has dealt the first of each four.
        """
        deals, games, _ = self.standing
        if self.values["scoring"] == "rubber":
            return games[side] > 0
        if self.values["scoring"] == "chicago":
            return deals == DEALS - 1 or (deals > 0 and side == self.side_of(self.dealer))
        board = self.values["first_board"] + deals - 1
        return (board + board // 4) % 4 in ((1, 3) if side == self.side_of(self.north) else (2, 3))

    @property
    def north(self) -> int:
        """The seat of North, who deals board 1 or would have dealt it."""
        first: int = self.values["first_board"]
        return (self.dealer - (first - 1) - self.standing.deals) % len(self.players)

    # Results and views

    def result(self) -> dict[str, Any]:
        """Return `tricks`: those of the declarer's side in each deal that is over; None if it was passed out."""
        return {"tricks": list(self.match.more.get("tricks", ()))}

    def deal_data(self) -> dict[str, Any]:
        """Return `vulnerable`: the vulnerable sides; none before the dealer is known."""
        known = self.match.dealer is not None
        return {"vulnerable": tuple(side for side in (0, 1) if known and self.vulnerable(side))}

    def note(self, seat: int) -> SeatNote:
        """Return the direction of the seat, whether its side is vulnerable, and whether it is declarer or dummy."""
        if self.match.dealer is None or self.match.over:
            return SeatNote()
        dummy = None if self.contract is None else self.partner_of(self.contract.declarer)
        role = text("dummy") if seat == dummy else text("declarer") if dummy == self.partner_of(seat) else ""
        return SeatNote(role, compass=COMPASS[self.from_north(seat)], vulnerable=self.vulnerable(self.side_of(seat)))

    def from_north(self, seat: int) -> int:
        """Return the number of places from North, clockwise, to `seat`."""
        return (seat - self.north) % len(self.players)

    def poster(self) -> Poster | None:
        """Return the contract, and who plays it."""
        contract = self.contract
        if contract is None or self.match.over:
            return None
        declarer = DIRECTIONS[self.from_north(contract.declarer)]
        return Poster(word_text(f"{contract.level}{contract.strain}"), (declarer, *RISKS[contract.risk]))

    def tallies(self) -> tuple[Tally, ...]:
        """Return the tricks of both sides, with those that make or defeat the contract."""
        contract = self.contract
        if contract is None or self.match.over:
            return ()
        tallies = []
        for side in (0, 1):
            making = side == self.side_of(contract.declarer)
            need = BOOK + contract.level if making else BOOK + 2 - contract.level
            name = text("N–S") if side == self.side_of(self.north) else text("E–W")
            tallies.append(Tally(self.tricks_of(side), name, need))
        return tuple(tallies)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Add the vulnerable sides, and how far the game has come."""
        if self.match.dealer is None or self.match.over:
            return super().facts()
        form, (deals, games, below) = self.values["scoring"], self.standing
        names = [self.side_name(side) for side in self.deal_data()["vulnerable"]]
        where = (text("board"), str(self.values["first_board"] + deals))
        if form == "rubber":
            where = (text("games"), "–".join(map(str, games)))
        elif form == "chicago":
            where = (text("deal"), text("{number} of {count}", number=deals + 1, count=DEALS))
        who = text("all") if len(names) > 1 else names[0] if names else text("nobody")
        parts = [(text("part-score"), "–".join(map(str, below)))] if any(below) else []
        return (*super().facts(), (text("vulnerable"), who), where, *parts)
