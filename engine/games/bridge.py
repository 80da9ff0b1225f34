"""Contract bridge, for four in partnerships: the rules in the order in which the rule book gives them.

The laws followed, the three ways to score, and the rulings are in docs/games/bridge.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, NamedTuple

from engine.actions import Action
from engine.cards import SUITS, Card
from engine.errors import Refused
from engine.rules.bidding import BIDS, CALLS, NUMBERS, AuctionGame, Contract
from engine.rules.game import Option, Rules
from engine.rules.open_hand import OpenHandGame
from engine.rules.penalties import REVOKE, PenaltyTrickGame
from engine.rules.questions import Accusation, Question, Say
from engine.rules.trick_game import TrickGame
from engine.rules.tricks import Trick
from engine.texts import Text, plural, text
from engine.views import EventKind
from engine.words import Word

# Claims: a player says how many of the remaining tricks the player's side would take, and lays the hand down.
#
# Others accept or let the play go on. A claim that all of them accept ends the play.

CLAIM_WORDS: Final = (
    Word("claim", label="claim the rest", mark=195),
    *NUMBERS,
    Word("accept", mark=106),
    Word("play-on", mark=194),
)
"""The words of a claim, for the `words` of a game."""


class ClaimGame(PenaltyTrickGame):
    """A trick game with claims. Its `words` include `CLAIM_WORDS`.

    `claimer`: the seat that claims, or has claimed all that is left; None if none does. `claimed`: the number of tricks
    that it claims, None until it is said. `to_answer`: the seats that have not accepted yet.
    """

    event_kinds: ClassVar = {"claim": EventKind(lambda name, card: text("The claim of {name} is accepted", name=name))}
    claimer: int | None = None
    claimed: int | None = None

    def __init__(self, players: tuple[str, ...], dealer: int | None, options: Mapping[str, object]) -> None:
        super().__init__(players, dealer, options)
        self._accusations["claim"] = Claim(self)

    def clear_tricks(self) -> None:
        """Begin a hand without a claim."""
        super().clear_tricks()
        self.claimer = self.claimed = None
        self.to_answer: list[int] = []

    def may_claim(self, seat: int) -> bool:
        """Return whether `seat` may claim during the play."""
        return True

    def answers_claim(self, seat: int, claimer: int) -> bool:
        """Return whether `seat` must accept a claim of `claimer`, here each opponent."""
        return self.side_of(seat) != self.side_of(claimer)

    def tricks_left(self) -> int:
        """Return the number of tricks that are not complete yet, with the one being played."""
        return max(hand.size for hand in self.hands)  # a seat that has not played to the trick holds a card for it

    def play_question(self, trick: Trick) -> Question:
        """Ask about the claim first, if there is one."""
        if self.claimer is None:
            return super().play_question(trick)
        name = self.players[self.claimer]
        if self.claimed is None:
            words = tuple(map(str, range(self.tricks_left() + 1)))
            hint = text("{name} claims: how many of the tricks left?", name=name)
            return self.question("say", self.claimer, Say(self, self.claimer, words), hint=hint)
        asked = self.to_answer[0]
        one, many = "{asked}: {name} claims {count} trick.", "{asked}: {name} claims {count} tricks."
        hint = plural(one, many, self.claimed, asked=self.players[asked], name=name)
        return self.question("say", asked, Say(self, asked, ("accept", "play-on")), hint=hint)

    def meanwhile(self, trick: Trick, action: Action) -> None:
        """Also claim, and answer a claim."""
        word = action.word or ""
        if word == "claim" and isinstance(action.seat, int):
            self.claimer, self.claimed = action.seat, None
            self.to_answer = [seat for seat in self.seats_from(action.seat) if self.answers_claim(seat, action.seat)]
        elif word.isdecimal():
            self.claimed = int(word)
        elif word == "play-on":
            self.claimer = self.claimed = None
        elif word == "accept":
            self.to_answer = self.to_answer[1:]
            if not self.to_answer:
                self.conceded = True
                self.report("claim", self.claimer)
        else:
            super().meanwhile(trick, action)

    def tricks_won(self) -> tuple[int, ...]:
        """Add the tricks of an accepted claim; the others are the left opponent's."""
        won = list(super().tricks_won())
        if self.conceded and self.claimer is not None and self.claimed is not None:
            won[self.claimer] += self.claimed
            won[self.next_seat(self.claimer)] += self.tricks_left() - self.claimed
        return tuple(won)


class Claim(Accusation):
    """`claim`: a player claims tricks, at any time of the play between two cards."""

    __slots__ = ("game",)

    def __init__(self, game: ClaimGame) -> None:
        self.game = game

    def check(self, action: Action) -> None:
        """Codes: bad-call."""
        game = self.game
        if game.trick is None:
            raise Refused("bad-call", text("Tricks can be claimed only during the play."))
        if game.claimer is not None:
            raise Refused("bad-call", text("There is a claim already: answer it first."))
        if not isinstance(action.seat, int) or not game.may_claim(action.seat):
            raise Refused("bad-call", text("Claim after the first lead, never as the dummy."))

    def candidates(self) -> Iterator[Action]:
        """Yield a claim of every seat."""
        for seat in self.game.every_seat:
            yield Action("say", seat, word="claim")

    def open_to(self, seat: int) -> bool:
        """Return whether `seat` may claim now."""
        return self.allows(Action("say", seat, word="claim"))


# What a contract of bridge scores, by law 77 of the Laws of Duplicate Bridge (2017) and the laws of rubber bridge.

BOOK: Final = 6
"""The tricks that a contract does not count: 1♣ is seven tricks."""
GAME: Final = 100
"""The trick points that make a game."""
TRICK: Final = {"c": 20, "d": 20, "h": 30, "s": 30, "nt": 30}
FIRST_IN_NO_TRUMPS: Final = 10
SLAM: Final = {6: ("slam", 500, 750), 7: ("grand-slam", 1000, 1500)}
"""By the level of the contract: the reason, and the points if the side is not vulnerable or is."""
PART_SCORE: Final = 50
"""In duplicate."""
GAME_BONUS: Final = (300, 500)
"""In Chicago and duplicate: not vulnerable, and vulnerable."""


def trick_points(contract: Contract) -> int:
    """Return what the tricks bid score, below the line."""
    return (TRICK[contract.strain] * contract.level + FIRST_IN_NO_TRUMPS * (contract.strain == "nt")) * contract.risk


def above_the_line(contract: Contract, over: int, vulnerable: bool) -> Iterator[tuple[int, str]]:
    """Yield the points of a contract made with `over` tricks more, besides `trick_points` and those for a game."""
    each = TRICK[contract.strain] if contract.risk == 1 else 50 * contract.risk * (1 + vulnerable)
    yield each * over, "overtricks"
    yield 25 * contract.risk * (contract.risk > 1), "insult"
    reason, *points = SLAM.get(contract.level, ("slam", 0, 0))
    yield points[vulnerable], reason


def undertricks(risk: int, under: int, vulnerable: bool) -> int:
    """Return what the opponents score for `under` tricks less than the contract, doubled to `risk`."""
    if risk == 1:
        return 50 * under * (1 + vulnerable)
    doubled = 300 * under - 100 if vulnerable else max(200 * under - 100, 300 * under - 400)
    return doubled * risk // 2


def duplicate_score(contract: Contract, tricks: int, vulnerable: bool) -> int:
    """Return what the declarer's side scores in duplicate with `tricks` tricks; less than 0 if the contract fails."""
    over = tricks - BOOK - contract.level
    if over < 0:
        return -undertricks(contract.risk, -over, vulnerable)
    points = trick_points(contract)
    bonus = GAME_BONUS[vulnerable] if points >= GAME else PART_SCORE
    return points + bonus + sum(more for more, _ in above_the_line(contract, over, vulnerable))


# Trick games with a dummy: a hand that lies face up and is played by its owner's partner.


class DummyGame(OpenHandGame):
    """A trick game in which a seat, the `dummy`, lays its hand open after the opening lead. None: no seat does.

    It is the dummy's turn in its place, but its partner chooses and plays the cards.
    """

    @property
    def dummy(self) -> int | None:
        """The seat whose hand lies open."""
        return self.open_hand

    def acts_for(self, seat: int) -> int:
        """Return the seat that plays the cards of `seat`: its partner for the dummy, otherwise the seat itself."""
        partner = self.partner_of(seat)
        return partner if seat == self.dummy and partner is not None else seat

    def may_lie_open(self, trick: Trick) -> bool:
        """Return whether the opening lead was made."""
        return bool(self.tricks or trick.plays)

    def play_hint(self, trick: Trick) -> str:
        """Return the request to lay the dummy's cards open, or to play one of them."""
        if self.dummy is None or trick.turn != self.dummy or not self.may_lie_open(trick):
            return super().play_hint(trick)
        name, player = self.players[self.dummy], self.players[self.acts_for(self.dummy)]
        if count := self.covered(self.dummy):
            one = "{name} lays the hand open: {count} card to come. {player} plays from it."
            many = "{name} lays the hand open: {count} cards to come. {player} plays from it."
            return plural(one, many, count, name=name, player=player)
        return text("{player} plays from the hand of {name}.", name=name, player=player)


# Trick games in which a revoke costs the side tricks, as in Law 64 of duplicate bridge (2017).
#
# If the player who revoked won the trick of the revoke, the side loses it, and one of the tricks that it won later;
# otherwise one of those that it won from then on. A side that won none of them loses none. A second revoke of the same
# player in the same suit costs nothing more.


class TrickPenaltyGame(PenaltyTrickGame):
    """A trick game in which a revoke costs one or two tricks. `revokes`: the trick of each, by seat and suit."""

    def clear_tricks(self) -> None:
        """Begin a hand without revokes."""
        super().clear_tricks()
        self.revokes: dict[tuple[int, str], Trick] = {}

    def punish_revoke(self, revoker: int) -> None:
        """Note the tricks to which `revoker` did not follow, in a suit in which it was proven not to be void."""
        for trick in self.begun_tricks:
            if trick.led and trick.failed(revoker) and not self.hands[revoker].declared_void(trick.led):
                self.revokes.setdefault((revoker, trick.led), trick)

    def revoke_costs(self, revoker: int) -> Text:
        """Return what `punish_revoke` does."""
        return text("{name} should have followed suit: it costs one or two tricks.", name=self.players[revoker])

    def tricks_after_revokes(self, side: int) -> int:
        """Return the number of tricks of `side`, one of two sides, after those that revokes cost."""
        tricks = [self.tricks_of(0), self.tricks_of(1)]
        for (seat, _), trick in self.revokes.items():
            if trick in self.tricks:
                offender = self.side_of(seat)
                before = self.tricks[: self.tricks.index(trick)]
                since = self.tricks_of(offender) - sum(self.side_of(each.winner) == offender for each in before)
                cost = min(tricks[offender], since, 2 if trick.winner == seat else 1)
                tricks[offender] -= cost
                tricks[1 - offender] += cost
        return tricks[side]


DEALS: Final = 4
"""The deals of Chicago."""
HONOURS: Final = ("A", "K", "Q", "J", "10")
HONOUR_POINTS: Final = {4: 100, 5: 150}


class Standing(NamedTuple):
    """What one deal leaves to the next: the `deals` that count, and by side the `games` won and the points `below`."""

    deals: int = 0
    games: tuple[int, ...] = (0, 0)
    below: tuple[int, ...] = (0, 0)


class Bridge(ClaimGame, TrickPenaltyGame, DummyGame, AuctionGame):
    """Bridge. See `Game` for the attributes and the coroutines."""

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
    fact_displays: ClassVar = {**TrickGame.fact_displays, "void": "symbol"}
    options = (
        Option.choice("scoring", ("chicago", "rubber", "duplicate"), text("how deals count"), text("Scoring")),
        Option("honours", False, text("four or five honours in one hand score"), label=text("Honours")),
        Option("boards", 4, text("boards of duplicate"), least=1, label=text("Boards")),
        Option("first_board", 1, text("number of the first board"), least=1, label=text("First board")),
    )

    # The hand

    def hand(self) -> Rules[None]:
        """Deal all cards; hold the auction, which the dealer begins; play the tricks; count."""
        self.clear_tricks()
        self.made: int | None = None
        contract = yield from self.deal_and_call(self.dealer)
        if contract is None:
            self.report("passed-out")
        else:
            self.open_hand = self.partner_of(contract.declarer)
            self.trump = None if contract.strain == "nt" else contract.strain.upper()
            yield from self.play_tricks(self.next_seat(contract.declarer))
            self.count_hand(contract)
        self.report("hand-over")
        self.end_or_go_on(redeal=contract is None and self.values["scoring"] == "chicago")

    def may_claim(self, seat: int) -> bool:
        """Let all but the dummy claim, after the opening lead."""
        return seat != self.dummy and bool(self.tricks or (self.trick and self.trick.plays))

    def answers_claim(self, seat: int, claimer: int) -> bool:
        """Let a defender's partner answer too: the tricks that are not claimed are conceded."""
        return seat not in (claimer, self.dummy)

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
        north_south = side == self.side_of((self.dealer - board) % len(self.players))
        return (board + board // 4) % 4 in ((1, 3) if north_south else (2, 3))

    # Penalties and views

    def punish_revoke(self, revoker: int) -> None:
        """Charge the revoker's side as in Law 64; the dummy's revoke costs nothing."""
        if revoker != self.dummy:
            super().punish_revoke(revoker)

    def result(self) -> dict[str, Any]:
        """Return `tricks`: those of the declarer's side in each deal that is over; None if it was passed out."""
        return {"tricks": list(self.match.more.get("tricks", ()))}

    def deal_data(self) -> dict[str, Any]:
        """Return `vulnerable`: the vulnerable sides; none before the dealer is known."""
        known = self.match.dealer is not None
        return {"vulnerable": tuple(side for side in (0, 1) if known and self.vulnerable(side))}

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
