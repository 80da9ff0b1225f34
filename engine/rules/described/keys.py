"""The keys of a description: what each may be, and its default (docs/games-in-toml.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.cards import SUITS
from engine.rules.described.description import HIGHEST_FIRST, LOWEST_CLUB, RUN, Description
from engine.rules.described.faults import check
from engine.rules.described.reading import SUIT_LETTERS, Values, counts_of, points_of

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
    ranks = parts["deck"].choices("ranks", HIGHEST_FIRST) or HIGHEST_FIRST
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
