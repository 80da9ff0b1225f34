"""The description of a trick game: its keys (docs/games-in-toml.md), and which values contradict each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from engine.cards import SUITS, Card, Deck
from engine.rules.described.reading import SUIT_LETTERS, DescriptionError, Values, card_of, counts_of, points_of
from engine.rules.number_bids import HIGHEST
from engine.rules.tricks import HIGH_ACE
from engine.texts import text

HIGHEST_FIRST: Final = tuple(reversed(HIGH_ACE))
"""The ranks of an ordinary pack, ace high."""
SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "": (
        *("title", "about", "players", "partners"),
        *("deck", "deal", "pass", "trumps", "bid", "play", "points", "count", "score", "end"),
    ),
    "deck": ("ranks", "leave_out"),
    "deal": ("cards",),
    "pass": ("cards", "to"),
    "trumps": ("choose", "suits", "by", "ranks", "beg", "run"),
    "bid": ("made", "trick", "missed", "hook"),
    "play": ("lead", "follow", "closed", "opened_by", "not_first"),
    "points": (),
    "count": (),
    "score": ("tricks", "above", "sweep", "sweep_to", "high", "low", "most", "revoke"),
    "end": ("target", "wins"),
}
"""The keys of each section; those of `points` and `count` are cards."""
LOWEST_CLUB: Final = "lowest club"


@dataclass(frozen=True)
class Description:
    """A trick game in data; every field is what a key of the same name says.

    `deals`: the cards of each hand; one number if it is always the same, none if all cards are dealt. `points`: what
    each card is worth; `trump_points`: what a trump of each rank is worth, instead. `counts`: what each card counts for
    `most`. `closed`: the suit that may not be
    led before a card of it, or of `opened_by`, was played; None for no such suit.
    """

    title: str
    about: str
    players: tuple[int, ...]
    partners: bool
    ranks: tuple[str, ...]
    leave_out: tuple[Card, ...]
    deals: tuple[int, ...]
    passed: int
    pass_to: tuple[str, ...]
    choose: str
    suits: tuple[str, ...]
    named_by: str
    trump_ranks: tuple[str, ...]
    beg: int
    run: int
    bids: bool
    made: int
    made_trick: int
    missed: int
    hook: bool
    lead: str
    follow: str
    closed: str | None
    opened_by: tuple[Card, ...]
    not_first: tuple[Card, ...]
    points: Mapping[Card, int]
    trump_points: Mapping[str, int]
    counts: Mapping[Card, int]
    tricks: int
    above: int
    sweep: int
    sweep_to: str
    high: int
    low: int
    most: int
    revoke: int
    target: int
    wins: str

    @property
    def deck(self) -> Deck:
        """The pack before cards are left out."""
        return Deck(Card(rank, suit) for suit in SUITS for rank in self.ranks)

    @property
    def by_hand(self) -> bool:
        """Whether the number of cards differs from hand to hand; the game ends after the last of them."""
        return len(self.deals) > 1


def read_description(values: Mapping[str, Any]) -> Description:
    """Return the description in `values`, as tomllib reads them. Raises `DescriptionError`."""
    top = Values(values, "", SECTIONS[""])
    parts = {name: top.section(name, keys) for name, keys in SECTIONS.items() if name}
    play, score, bid, trumps = parts["play"], parts["score"], parts["bid"], parts["trumps"]
    ranks = parts["deck"].choices("ranks", HIGHEST_FIRST) or HIGHEST_FIRST
    points, trump_points = points_of(parts["points"], ranks)
    closed = play.choices("closed", tuple(SUIT_LETTERS))
    names = tuple(rank + suit for rank in ranks for suit in SUITS)
    described = Description(
        title=top.string("title"),
        about=top.string("about", ""),
        players=tuple(sorted({*top.numbers("players", 2, 7)})),
        partners=top.flag("partners"),
        ranks=ranks,
        leave_out=parts["deck"].cards("leave_out"),
        deals=parts["deal"].numbers("cards", 1, 26),
        passed=parts["pass"].number("cards", 1, 13, 3) if top.has("pass") else 0,
        pass_to=parts["pass"].choices("to", ("left", "right", "across", "keep")) or ("left",),
        choose=trumps.choice("choose", ("none", "turned", "last", "named", "suits")),
        suits=tuple(SUIT_LETTERS.get(suit, "") for suit in trumps.choices("suits", (*SUIT_LETTERS, "none"))),
        named_by=trumps.choice("by", ("eldest", "dealer", "highest bid")),
        trump_ranks=trumps.choices("ranks", ranks) or ranks,
        beg=trumps.number("beg", 0, 1000),
        run=trumps.number("run", 1, 13, 3),
        bids=top.has("bid"),
        made=bid.number("made", -1000, 1000),
        made_trick=bid.number("trick", -1000, 1000),
        missed=bid.number("missed", -1000, 1000),
        hook=bid.flag("hook"),
        lead=play.choice("lead", ("eldest", LOWEST_CLUB, *names)),
        follow=play.choice("follow", ("suit", "trump", "overtrump", "beat")),
        closed=SUIT_LETTERS[closed[0]] if closed else None,
        opened_by=play.cards("opened_by"),
        not_first=play.cards("not_first"),
        points=points,
        trump_points=trump_points,
        counts=counts_of(parts["count"], ranks),
        tricks=score.number("tricks", -1000, 1000),
        above=score.number("above", 0, 26),
        sweep=score.number("sweep", -1000, 1000),
        sweep_to=score.choice("sweep_to", ("shooter", "others")),
        high=score.number("high", 0, 1000),
        low=score.number("low", 0, 1000),
        most=score.number("most", 0, 1000),
        revoke=score.number("revoke", 0, 1000),
        target=parts["end"].number("target", 0, 100_000),
        wins=parts["end"].choice("wins", ("highest", "lowest")),
    )
    _check(described)
    return described


def _check(game: Description) -> None:
    """Raise `DescriptionError` for rules that contradict each other, or for a game that would never end."""
    for where, wrong, message in (*_faults_of_pack(game), *_faults_of_bids(game), *_faults_of_play(game)):
        if wrong:
            raise DescriptionError(where, message)
    for players in game.players:
        _check_deal(game, players)


_Fault = tuple[tuple[str, ...], bool, str]
"""Section and key; whether they are wrong; what to write instead."""


def _faults_of_pack(game: Description) -> tuple[_Fault, ...]:
    """Return what may be wrong with the players and the cards."""
    return (
        (
            ("players",),
            not game.players or game.players != (*range(game.players[0], game.players[-1] + 1),),
            text("'players' lists the numbers of players without a gap, such as [3, 4, 5]"),
        ),
        (
            ("partners",),
            game.partners and game.players != (4,),
            text("partners are two and two: with partners = true the players are [4]"),
        ),
        (
            ("deck", "ranks"),
            len({*game.ranks}) < len(game.ranks) or len(game.ranks) < 2,
            text("'ranks' names each rank of the pack once, the highest first, and two at least"),
        ),
        (
            ("trumps", "ranks"),
            sorted(game.trump_ranks) != sorted(game.ranks),
            text("the trumps have the same ranks as the other suits, in another order"),
        ),
        (
            ("deck", "leave_out"),
            not {*game.leave_out} <= {*game.deck} or len({*game.leave_out}) < len(game.leave_out),
            text("'leave_out' names different cards of the pack"),
        ),
        (
            ("deck", "leave_out"),
            bool(game.leave_out) and bool(game.deals),
            text("'leave_out' is for deals of all cards: leave it or [deal] out"),
        ),
    )


def _faults_of_bids(game: Description) -> tuple[_Fault, ...]:
    """Return what may be wrong with trumps, bids and cards that are passed."""
    return (
        (
            ("trumps", "suits"),
            (game.choose == "suits") != bool(game.suits),
            text('choose = "suits" and a list such as suits = ["hearts", "none"] belong together'),
        ),
        (
            ("trumps", "by"),
            game.choose == "named" and game.named_by == "highest bid" and not game.bids,
            text("no bid can be the highest without [bid]"),
        ),
        (
            ("score", "most"),
            bool(game.most) != bool(game.counts),
            text("'most' in [score] and the cards that count for it, in [count], belong together"),
        ),
        (
            ("score", "high" if game.high else "low"),
            bool(game.high or game.low) and game.choose == "none",
            text("there are no trumps of which one could be the highest or lowest: choose them in [trumps]"),
        ),
        (
            ("trumps", "beg"),
            bool(game.beg) and (game.choose != "turned" or game.bids or not game.target),
            text('who begs refuses the card turned up: choose = "turned", a target in [end], and no [bid]'),
        ),
        (
            ("bid",),
            game.bids and game.partners,
            text("the players bid for themselves: leave [bid] or partners out"),
        ),
        (
            ("pass",),
            bool(game.passed) and game.choose in ("turned", "last"),
            text("cards are passed before anything is turned up: leave [pass] out, or choose trumps otherwise"),
        ),
        (
            ("pass", "to"),
            "across" in game.pass_to and any(players % 2 for players in game.players),
            text('no player sits across if the number of players is odd: leave "across" out'),
        ),
        (
            ("trumps", "choose"),
            game.choose == "last" and bool(game.deals),
            text('the last card is turned up if all cards are dealt: leave [deal] out, or write "turned"'),
        ),
    )


def _faults_of_play(game: Description) -> tuple[_Fault, ...]:
    """Return what may be wrong with the play and the end of the game."""
    return (
        (
            ("play", "follow"),
            game.follow in ("trump", "overtrump") and game.choose == "none",
            text("there are no trumps to be played: choose them in [trumps], or leave 'follow' out"),
        ),
        (
            ("play", "not_first"),
            bool(game.not_first) and game.follow != "suit",
            text("'not_first' and 'follow' would both bind in the first trick: leave one of them out"),
        ),
        (
            ("end",),
            bool(game.target) == game.by_hand,
            text("the game ends at a target or after a list of deals: write one of the two"),
        ),
        (
            ("points",) if game.points else ("score",),
            not any(amount > 0 for amount in _amounts(game)),
            text("no score can grow: give [points], tricks in [score] or made in [bid] a number above 0"),
        ),
    )


def _amounts(game: Description) -> tuple[int, ...]:
    """Return every amount that a hand may score."""
    bids = (game.made, game.made_trick) if game.bids else ()
    single = (game.tricks, game.high, game.low, game.most)
    return (*game.points.values(), *game.trump_points.values(), *single, *bids)


def _check_deal(game: Description, players: int) -> None:
    """Raise `DescriptionError` if the cards cannot be dealt to this number of players."""
    size = len(game.deck)
    if not game.deals:
        over = size % players
        if over > len(game.leave_out):
            message = "{size} cards cannot be dealt evenly to {players} players: 'leave_out' needs {count} cards"
            raise DescriptionError(("deck", "leave_out"), text(message, size=size, players=players, count=over))
    most = max(game.deals, default=size // players)
    if most * players + (game.choose == "turned") > size:
        message = "{players} players with {most} cards each need more than the {size} cards of the pack"
        raise DescriptionError(("deal", "cards"), text(message, players=players, most=most, size=size))
    if game.bids and most > HIGHEST:
        raise DescriptionError(("bid",), text("a bid is {most} tricks at most: deal fewer cards", most=HIGHEST))
    if game.passed >= min(game.deals, default=most) and game.passed:
        raise DescriptionError(("pass", "cards"), text("more cards are passed than a hand holds"))
    if game.lead not in ("eldest", LOWEST_CLUB) and (game.deals or card_of(game.lead) in game.leave_out):
        raise DescriptionError(("play", "lead"), text("{card} may not be dealt, so it cannot lead", card=game.lead))
