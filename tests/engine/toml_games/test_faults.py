"""Descriptions that would be a game without an end, or with keys that have no effect: each is refused at its key."""

from __future__ import annotations

import random
import tomllib
from typing import Final

import pytest

from engine.cards import parse_card
from engine.table import Table
from engine.toml_games.description import DescriptionError
from engine.toml_games.game import game_of
from engine.toml_games.keys import read_description
from tests.engine.toml_games.added import added

ENDS: Final = "[end]\ntarget = 20\n"
TRICKS: Final = "[score]\ntricks = 1\n"
NO_SUIT: Final = '[trumps]\nchoose = "suits"\nsuits = ["none"]\n'
JACKS_LEFT: Final = '[deck]\nranks = ["A", "K", "Q", "J"]\n'


def text_of(more: str, players: int = 4) -> str:
    """A description with these sections; it ends at a target, and tricks score, unless they say otherwise."""
    ends = "" if "[end]" in more or "cards = [" in more else ENDS
    scores = "" if any(part in more for part in ("[score]", "[points]", "[bid]")) else TRICKS
    return f'title = "Plain"\nplayers = {players}\n{more}\n{scores}{ends}'


@pytest.mark.parametrize(
    ("more", "where", "words"),
    [
        ('[trumps]\nby = "dealer"', ("trumps", "by"), 'choose = "named"'),
        ('[trumps]\nchoose = "last"\nrun = 2', ("trumps", "run"), "'beg'"),
        ('[deal]\ncards = 6\n[trumps]\nchoose = "turned"\nbeg = 1\nrun = 7', ("trumps", "run"), "a larger pack"),
        (JACKS_LEFT + '[trumps]\nranks = ["J", "A", "K", "Q"]', ("trumps", "ranks"), "no trumps"),
        (NO_SUIT + '[play]\nfollow = "trump"', ("play", "follow"), "no trumps"),
        (NO_SUIT + "[score]\ntricks = 1\nhigh = 1", ("score", "high"), "no trumps"),
        (NO_SUIT + "[points]\ntrump-J = 1", ("points",), "nothing scores"),
        ("[points]\ntrump-J = 1", ("points",), "nothing scores"),
        ('[play]\nopened_by = ["QS"]', ("play", "opened_by"), "'closed' too"),
        (JACKS_LEFT + '[play]\nclosed = "hearts"\nopened_by = ["2S"]', ("play", "opened_by"), "cards of the pack"),
        ('[play]\nclosed = ["hearts", "spades"]', ("play", "closed"), "cannot be"),
        (JACKS_LEFT + '[play]\nnot_first = ["2S"]', ("play", "not_first"), "cards of the pack"),
        ('[points]\nhearts = 1\n[score]\nsweep_to = "others"', ("score", "sweep_to"), "'sweep' too"),
        ("[score]\ntricks = 1\nsweep = 3", ("score", "sweep"), "has none"),
        ("[points]\nhearts = 1\n[score]\nabove = 6", ("score", "above"), "'tricks' too"),
        ("[score]\ntricks = 1\nabove = 13", ("score", "above"), "no hand has more than 13 tricks"),
        ('[pass]\nto = ["keep", "keep"]', ("pass", "to"), "leave [pass] out"),
        ("[bid]\nhook = true", ("bid",), "count for nothing"),
        ("[score]\nrevoke = 3", ("score",), "nothing scores"),
        ("[points]\nhearts = -1", ("points",), "no score can grow"),
        ('[deal]\ncards = 5\n[play]\nlead = "lowest club"', ("play", "lead"), "the lowest club may not be dealt"),
        ('[deal]\ncards = 5\n[play]\nlead = "2C"', ("play", "lead"), "2C may not be dealt"),
        ('[deal]\ncards = [13, 12]\n[play]\nlead = "2C"', ("play", "lead"), "2C may not be dealt"),
        (f'about = "{"x" * 121}"', ("about",), "one line of at most 120 letters"),
        ('about = "two\\nlines"', ("about",), "one line"),
    ],
)
def test_what_has_no_effect_or_no_end_is_refused(more: str, where: tuple[str, ...], words: str) -> None:
    with pytest.raises(DescriptionError) as refused:
        read_description(tomllib.loads(text_of(more)))
    assert (refused.value.where, words in str(refused.value)) == (where, True), str(refused.value)


def test_a_club_must_be_left_to_lead() -> None:
    more = '[deck]\nranks = ["A", "K"]\nleave_out = ["AC", "KC"]\n[play]\nlead = "lowest club"'
    with pytest.raises(DescriptionError, match="all clubs are left out"):
        read_description(tomllib.loads(text_of(more, players=3)))


@pytest.mark.parametrize(
    "more",
    [
        '[bid]\nmissed = 1\n[end]\ntarget = 20\nwins = "lowest"',
        "[deal]\ncards = [3, 2, 1]\n[points]\nhearts = -1",
        '[bid]\nmade = 0\n[trumps]\nchoose = "named"\nby = "highest bid"\n[score]\ntricks = 1',
        '[deal]\ncards = [13, 13]\n[play]\nlead = "lowest club"',
        "[score]\ntricks = 1\nabove = 5\n[end]\ntarget = 4",
    ],
)
def test_what_only_looks_strange_is_played(more: str) -> None:
    rng = random.Random(1)
    with added(game_of("plain", read_description(tomllib.loads(text_of(more))))) as name:
        table = Table(name, ["Ann", "Bo", "Cy", "Dee"], dealer=0)
        for _ in range(5000):
            if table.over:
                break
            table.do(rng.choice([each for each in table.legal_actions() if each.do in ("play", "say")]))
    assert table.over


@pytest.mark.parametrize(
    ("more", "before"),
    [
        ('[trumps]\nchoose = "last"\n', ["turn 9S"]),
        ('[trumps]\nchoose = "named"\n', ["1 say heart"]),
        ("[bid]\nmade = 10\n", ["1 say 3", "2 say 3", "3 say 3", "0 say 3"]),
        ('[trumps]\nchoose = "suits"\nsuits = "clubs"\n', []),
    ],
)
def test_the_holder_of_a_card_leads_whatever_comes_before(more: str, before: list[str]) -> None:
    described = read_description(tomllib.loads(text_of(more + '[play]\nlead = "2D"')))
    with added(game_of("plain", described)) as name:
        table = Table(name, ["Ann", "Bo", "Cy", "Dee"], dealer=0)
        for line in before:
            table.do(line)
        assert "2♦ leads." in table.view().hint
        assert not table.can("1 play AS")
        table.do("3 play 2D")
        assert table.turn == 0 and table.view().lying[-1].card is parse_card("2D")
        assert table.can("0 play 3D")
