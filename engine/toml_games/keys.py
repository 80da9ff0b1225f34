"""The keys of a description (docs/how-to/games-in-toml.md): allowed values, defaults and contradictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final, TypeAlias

from engine.cards import RANKS_DOWN, SUITS
from engine.rules.bidding import HIGHEST
from engine.texts import plural, text
from engine.toml_games.description import (
    LOWEST_CLUB,
    RUN,
    SUIT_LETTERS,
    Description,
    DescriptionError,
    Values,
    card_of,
    counts_of,
    points_of,
)

TITLE, ABOUT = 40, 120
"""The most letters of a title, and of the sentence about a game."""
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


def read_description(values: Mapping[str, Any]) -> Description:
    """Return the description in `values`, as tomllib reads them. Raises `DescriptionError`."""
    top = Values(values, "", SECTIONS[""])
    parts = {name: top.section(name, keys) for name, keys in SECTIONS.items() if name}
    play, score, bid, trumps = parts["play"], parts["score"], parts["bid"], parts["trumps"]
    ranks = parts["deck"].choices("ranks", RANKS_DOWN) or RANKS_DOWN
    points, trump_points = points_of(parts["points"], ranks)
    closed = SUIT_LETTERS[play.choice("closed", tuple(SUIT_LETTERS))] if play.has("closed") else None
    names = tuple(rank + suit for rank in ranks for suit in SUITS)
    described = Description(
        title=top.string("title", TITLE),
        about=top.string("about", ABOUT, ""),
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
        run=trumps.number("run", 1, 13, RUN),
        bids=top.has("bid"),
        made=bid.number("made", -1000, 1000),
        made_trick=bid.number("trick", -1000, 1000),
        missed=bid.number("missed", -1000, 1000),
        hook=bid.flag("hook"),
        lead=play.choice("lead", ("eldest", LOWEST_CLUB, *names)),
        follow=play.choice("follow", ("suit", "trump", "overtrump", "beat")),
        closed=closed,
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
    check(described)
    return described


def check(game: Description) -> None:
    """Raise `DescriptionError` for rules that contradict each other, or for a game that would never end."""
    of_game = (_faults_of_pack, _faults_of_trumps, _faults_of_bids, _faults_of_play, _faults_of_scores)
    found = chain(*(faults(game) for faults in of_game), *(_faults_of_deal(game, players) for players in game.players))
    for key, message in found:
        raise DescriptionError(key.split("."), message)


_Faults: TypeAlias = Iterator[tuple[str, str]]
"""For each fault the section, or the section and the key, and what to write instead."""


def _faults_of_pack(game: Description) -> _Faults:
    """Yield what is wrong with the players and the cards."""
    if not game.players or game.players != (*range(game.players[0], game.players[-1] + 1),):
        yield "players", text("'players' lists the numbers of players without a gap, such as [3, 4, 5]")
    if game.partners and game.players != (4,):
        yield "partners", text("partners are two and two: with partners = true the players are [4]")
    if len({*game.ranks}) < len(game.ranks) or len(game.ranks) < 2:
        yield "deck.ranks", text("'ranks' names each rank of the pack once, the highest first, and two at least")
    if sorted(game.trump_ranks) != sorted(game.ranks):
        yield "trumps.ranks", text("the trumps have the same ranks as the other suits, in another order")
    if not {*game.leave_out} <= {*game.deck} or len({*game.leave_out}) < len(game.leave_out):
        yield "deck.leave_out", text("'leave_out' names different cards of the pack")
    if game.leave_out and game.deals:
        yield "deck.leave_out", text("'leave_out' is for deals of all cards: leave it or [deal] out")


def _faults_of_trumps(game: Description) -> _Faults:
    """Yield what is wrong with trumps."""
    if (game.choose == "suits") != bool(game.suits):
        message = 'choose = "suits" and a list such as suits = ["hearts", "none"] belong together'
        yield "trumps.suits", text(message)
    if game.named_by != "eldest" and game.choose != "named":
        yield "trumps.by", text("'by' says who names trumps: write choose = \"named\" too")
    if game.choose == "named" and game.named_by == "highest bid" and not game.bids:
        yield "trumps.by", text("no bid can be the highest without [bid]")
    if game.trump_ranks != game.ranks and not game.has_trumps:
        yield "trumps.ranks", text("there are no trumps that could rank otherwise: choose them in [trumps]")
    if game.beg and (game.choose != "turned" or game.bids or not game.target):
        message = 'who begs refuses the card turned up: choose = "turned", a target in [end], and no [bid]'
        yield "trumps.beg", text(message)
    if game.run != RUN and not game.beg:
        yield "trumps.run", text("the dealer runs the cards after a beg: write 'beg' too")
    if game.choose == "last" and game.deals:
        message = 'the last card is turned up if all cards are dealt: leave [deal] out, or write "turned"'
        yield "trumps.choose", text(message)
    if game.follow in ("trump", "overtrump") and not game.has_trumps:
        yield "play.follow", text("there are no trumps to be played: choose them in [trumps], or leave 'follow' out")
    if (game.high or game.low) and not game.has_trumps:
        message = "there are no trumps of which one could be the highest or lowest: choose them in [trumps]"
        yield "score.high" if game.high else "score.low", text(message)


def _faults_of_bids(game: Description) -> _Faults:
    """Yield what is wrong with bids, and with cards that are passed."""
    if game.bids and game.partners:
        yield "bid", text("the players bid for themselves: leave [bid] or partners out")
    if game.bids and not (game.made or game.made_trick or game.missed or game.named_by == "highest bid"):
        yield "bid", text("the bids count for nothing: give made, trick or missed a number, or leave [bid] out")
    if game.passed and game.choose in ("turned", "last"):
        message = "cards are passed before anything is turned up: leave [pass] out, or choose trumps otherwise"
        yield "pass", text(message)
    if "across" in game.pass_to and any(players % 2 for players in game.players):
        yield "pass.to", text('no player sits across if the number of players is odd: leave "across" out')
    if game.passed and {*game.pass_to} == {"keep"}:
        yield "pass.to", text("everybody would keep all cards: leave [pass] out")


def _faults_of_play(game: Description) -> _Faults:
    """Yield what is wrong with the play."""
    if game.opened_by and not game.closed:
        yield "play.opened_by", text("'opened_by' opens the suit that is 'closed': write 'closed' too")
    for key, cards in (("opened_by", game.opened_by), ("not_first", game.not_first)):
        if not {*cards} <= {*game.deck}:
            yield f"play.{key}", text("{key!r} names cards of the pack", key=key)
    if game.not_first and game.follow != "suit":
        message = "'not_first' and 'follow' would both bind in the first trick: leave one of them out"
        yield "play.not_first", text(message)


def _faults_of_scores(game: Description) -> _Faults:
    """Yield what is wrong with the scores and the end of the game."""
    if bool(game.most) != bool(game.counts):
        message = "'most' in [score] and the cards that count for it, in [count], belong together"
        yield "score.most", text(message)
    if game.above and not game.tricks:
        yield "score.above", text("'above' is the number of tricks that score nothing: write 'tricks' too")
    most = max(size for players in game.players for size in game.hand_sizes(players))
    if game.above >= most:
        yield "score.above", text("no hand has more than {most} tricks: 'above' must be less", most=most)
    if game.sweep and not any(worth > 0 for worth in game.points.values()):
        yield "score.sweep", text("a sweep takes all cards with points above 0, and [points] has none")
    if game.sweep_to == "others" and not game.sweep:
        yield "score.sweep_to", text("'sweep_to' says who scores the 'sweep': write 'sweep' too")
    if bool(game.target) == game.by_hand:
        yield "end", text("the game ends at a target or after a list of deals: write one of the two")
    amounts = _amounts(game)
    section = "points" if game.points or game.trump_points else "score"
    if not any(amounts):
        yield section, text("nothing scores: give [points], tricks in [score] or made in [bid] a number")
    if game.target and not any(amount > 0 for amount in amounts):
        message = "no score can grow: give [points], tricks in [score] or made in [bid] a number above 0"
        yield section, text(message)


def _amounts(game: Description) -> tuple[int, ...]:
    """Return every amount that a hand may score."""
    bids = (game.made, game.made_trick, game.missed) if game.bids else ()
    single = (game.tricks, game.high, game.low, game.most)
    of_trumps = game.trump_points.values() if game.has_trumps else ()
    return (*game.points.values(), *of_trumps, *single, *bids)


def _faults_of_deal(game: Description, players: int) -> _Faults:
    """Yield why the cards cannot be dealt to this number of players, or the card that leads may not be dealt."""
    size = len(game.deck)
    over = 0 if game.deals else size % players
    if over > len(game.leave_out):
        single = "{size} cards cannot be dealt evenly to {players} players: 'leave_out' needs {count} card"
        many = "{size} cards cannot be dealt evenly to {players} players: 'leave_out' needs {count} cards"
        yield "deck.leave_out", plural(single, many, over, size=size, players=players)
    most = max(game.deals, default=size // players)
    if most * players + (game.choose == "turned") > size:
        message = "{players} players with {most} cards each need more than the {size} cards of the pack"
        yield "deal.cards", text(message, players=players, most=most, size=size)
    if game.bids and most > HIGHEST:
        yield "bid", text("a bid is {most} tricks at most: deal fewer cards", most=HIGHEST)
    if game.passed and game.passed >= min(game.deals, default=most):
        yield "pass.cards", text("more cards are passed than a hand holds")
    if game.beg and (most + game.run) * players + 2 > size:
        message = "{players} players with {most} cards each cannot be dealt {count} more: 'run' needs a larger pack"
        yield "trumps.run", text(message, players=players, most=most, count=game.run)
    left = {*game.deck} - {*game.leave_out}
    if game.lead == LOWEST_CLUB and not any(card.suit == "C" for card in left):
        yield "play.lead", text("all clubs are left out, so none can lead")
    named = None if game.lead in ("eldest", LOWEST_CLUB) else card_of(game.lead)
    if (named and named not in left) or (game.lead != "eldest" and not game.deals_all(players)):
        card = text("the lowest club") if game.lead == LOWEST_CLUB else game.lead
        yield "play.lead", text("{card} may not be dealt, so it cannot lead: deal all cards", card=card)
