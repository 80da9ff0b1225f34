"""Descriptions as they are read: every key set, and none that may be left out."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

import pytest

from engine.cards import RANKS_DOWN, SUITS, Card, parse_card
from engine.rules.game import Game
from engine.rules.questions import Question, Say
from engine.toml_games.description import Description, DescriptionError
from engine.toml_games.game import DescribedGame, game_of
from engine.toml_games.keys import read_description

LEAST = Description(
    title="Plain",
    about="",
    players=(4,),
    partners=False,
    ranks=RANKS_DOWN,
    leave_out=(),
    deals=(),
    passed=0,
    pass_to=("left",),
    choose="none",
    suits=(),
    named_by="eldest",
    trump_ranks=RANKS_DOWN,
    beg=0,
    run=3,
    bids=False,
    made=0,
    made_trick=0,
    missed=0,
    hook=False,
    lead="eldest",
    follow="suit",
    closed=None,
    opened_by=(),
    not_first=(),
    points={},
    trump_points={},
    counts={},
    tricks=1,
    above=0,
    sweep=0,
    sweep_to="shooter",
    high=0,
    low=0,
    most=0,
    revoke=1,
    target=7,
    wins="highest",
)
LEAST_TOML = """
title = "Plain"
players = 4
[score]
tricks = 1
revoke = 1
[end]
target = 7
"""
MOST_TOML = """
title = "Full"
about = "Everything."
players = 4
[deck]
ranks = ["A", "K", "Q", "J", "10"]
[deal]
cards = [4, 3]
[pass]
cards = 2
to = ["across", "keep"]
[trumps]
choose = "named"
by = "highest bid"
ranks = ["J", "A", "K", "Q", "10"]
[bid]
made = 10
trick = 3
missed = -4
hook = true
[play]
lead = "eldest"
follow = "overtrump"
closed = "hearts"
opened_by = ["QS"]
[points]
hearts = 1
J = 2
JS = 5
trump-A = 11
[count]
10 = 10
[score]
tricks = 2
above = 1
sweep = 20
sweep_to = "others"
high = 4
low = 3
most = 2
revoke = 6
"""


def cards(*names: str) -> tuple[Card, ...]:
    return tuple(map(parse_card, names))


def test_keys_that_are_left_out_have_their_defaults() -> None:
    described = read_description(tomllib.loads(LEAST_TOML))
    assert described == LEAST
    assert not described.by_hand
    assert len(described.deck) == 52


def test_every_key_is_read() -> None:
    described = read_description(tomllib.loads(MOST_TOML))
    ranks = ("A", "K", "Q", "J", "10")
    assert described == Description(
        title="Full",
        about="Everything.",
        players=(4,),
        partners=False,
        ranks=ranks,
        leave_out=(),
        deals=(4, 3),
        passed=2,
        pass_to=("across", "keep"),
        choose="named",
        suits=(),
        named_by="highest bid",
        trump_ranks=("J", "A", "K", "Q", "10"),
        beg=0,
        run=3,
        bids=True,
        made=10,
        made_trick=3,
        missed=-4,
        hook=True,
        lead="eldest",
        follow="overtrump",
        closed="H",
        opened_by=cards("QS"),
        not_first=(),
        points={
            **{Card(rank, "H"): 1 for rank in ranks if rank != "J"},
            **{Card("J", suit): 2 for suit in "HDC"},
            Card("J", "S"): 5,
        },
        trump_points={"A": 11},
        counts={Card("10", suit): 10 for suit in SUITS},
        tricks=2,
        above=1,
        sweep=20,
        sweep_to="others",
        high=4,
        low=3,
        most=2,
        revoke=6,
        target=0,
        wins="highest",
    )
    assert described.by_hand
    assert set(described.deck) == {Card(rank, suit) for rank in ranks for suit in SUITS}


@pytest.mark.parametrize(
    ("line", "change"),
    [
        ('[pass]\nto = "right"', {"passed": 3, "pass_to": ("right",)}),
        ('[trumps]\nchoose = "turned"\n[deal]\ncards = 5', {"choose": "turned", "deals": (5,)}),
        ('[trumps]\nchoose = "last"', {"choose": "last"}),
        (
            '[trumps]\nchoose = "turned"\nbeg = 2\nrun = 1\n[deal]\ncards = 5',
            {"choose": "turned", "beg": 2, "run": 1, "deals": (5,)},
        ),
        ('[trumps]\nchoose = "suits"\nsuits = ["none", "clubs"]', {"choose": "suits", "suits": ("", "C")}),
        ('[trumps]\nchoose = "none"', {}),
        ('[trumps]\nchoose = "named"\nby = "dealer"', {"choose": "named", "named_by": "dealer"}),
        ('[play]\nlead = "lowest club"', {"lead": "lowest club"}),
        ('[play]\nlead = "2D"', {"lead": "2D"}),
        ('[play]\nfollow = "beat"', {"follow": "beat"}),
        ('[play]\nnot_first = ["KS", "JS"]', {"not_first": cards("KS", "JS")}),
        ('[deck]\nleave_out = ["2C", "2D"]', {"leave_out": cards("2C", "2D")}),
        ('[play]\nfollow = "trump"\n[trumps]\nchoose = "last"', {"follow": "trump", "choose": "last"}),
    ],
)
def test_a_choice_is_read(line: str, change: dict[str, Any]) -> None:
    assert read_description(tomllib.loads(LEAST_TOML + line)) == replace(LEAST, **change)


@pytest.mark.parametrize(
    ("least", "line", "where", "message"),
    [
        (LEAST_TOML, '[play]\nfollow = "trump"', ("play", "follow"), "trump"),
        (LEAST_TOML, '[play]\nfollow = "overtrump"', ("play", "follow"), "trump"),
        (LEAST_TOML.replace("players = 4", "players = 9"), "", ("players",), "from 2 to 7"),
        (LEAST_TOML.replace("players = 4", "players = 2"), "[bid]\nmade = 1", ("bid",), "a bid is 13 tricks at most"),
    ],
)
def test_what_contradicts_is_refused(least: str, line: str, where: tuple[str, ...], message: str) -> None:
    with pytest.raises(DescriptionError, match=message) as refused:
        read_description(tomllib.loads(least + line))
    assert refused.value.where == where


PLAYED = """
title = "Played"
players = 4
[deal]
cards = 3
[score]
tricks = 1
revoke = 1
[end]
target = 7
"""


def first_question(more: str) -> tuple[Question, Game]:
    game = game_of("played", read_description(tomllib.loads(PLAYED + more)))(("Ann", "Bo", "Cy", "Dee"), 0, {})
    return next(game.hand()), game


@pytest.mark.parametrize(
    ("more", "seat", "words"),
    [
        ('[trumps]\nchoose = "named"', 1, ["spade", "heart", "diamond", "club"]),
        ('[trumps]\nchoose = "named"\nby = "dealer"', 0, ["spade", "heart", "diamond", "club"]),
        ("[bid]\nmade = 1", 1, ["0", "1", "2", "3"]),
    ],
)
def test_the_first_word_after_the_deal(more: str, seat: int, words: list[str]) -> None:
    question, _ = first_question(more)
    say = question.offers["say"]
    assert isinstance(say, Say)
    assert (question.turn, say.seats, sorted(say.plain)) == (seat, (seat,), sorted(words))


def test_the_seats_to_which_cards_are_passed_hand_by_hand() -> None:
    to = ("left", "right", "across", "keep")
    _, game = first_question(f"[pass]\ncards = 2\nto = {[*to]}")
    assert isinstance(game, DescribedGame)
    seats = []
    for hand in range(5):
        game.match.hands = hand
        seats.append(game.pass_now())
    assert seats == [1, 3, 2, 0, 1]
    _, plain = first_question("")
    assert isinstance(plain, DescribedGame) and plain.pass_now() == 0
