"""Schedules: the published Berger tables, brackets, ladders, Swiss pairings."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardtable_club.tournament.pairing import pair
from cardtable_club.tournament.schedules import after_challenge, knockout_round, may_challenge, round_robin, seeded

# Berger tables as FIDE publishes them (Handbook C.05, annex 1), for 6, 8 and 10 players.
BERGER = {
    6: "1-6 2-5 3-4|6-4 5-3 1-2|2-6 3-1 4-5|6-5 1-4 2-3|3-6 4-2 5-1",
    8: "1-8 2-7 3-6 4-5|8-5 6-4 7-3 1-2|2-8 3-1 4-7 5-6|8-6 7-5 1-4 2-3|3-8 4-2 5-1 6-7|8-7 1-6 2-5 3-4|"
    "4-8 5-3 6-2 7-1",
    10: "1-10 2-9 3-8 4-7 5-6|10-6 7-5 8-4 9-3 1-2|2-10 3-1 4-9 5-8 6-7|10-7 8-6 9-5 1-4 2-3|3-10 4-2 5-1 6-9 7-8|"
    "10-8 9-7 1-6 2-5 3-4|4-10 5-3 6-2 7-1 8-9|10-9 1-8 2-7 3-6 4-5|5-10 6-4 7-3 8-2 9-1",
}


@pytest.mark.parametrize("players", BERGER)
def test_a_round_robin_is_the_published_berger_table(players: int) -> None:
    written = "|".join(" ".join(f"{first + 1}-{second + 1}" for first, second in each) for each in round_robin(players))
    assert written == BERGER[players]


@given(st.integers(2, 40))
def test_each_two_meet_once_and_byes_and_first_deals_are_fair(players: int) -> None:
    rounds = round_robin(players)
    games = [game for each in rounds for game in each]
    assert sorted(tuple(sorted(game)) for game in games) == list(combinations(range(players), 2))
    for each in rounds:
        seated = [player for game in each for player in game]
        assert len(seated) == len({*seated}) == players - players % 2
    first = [sum(game[0] == player for game in games) for player in range(players)]
    assert max(first) - min(first) <= 1


@given(st.integers(1, 70))
def test_the_best_meet_as_late_as_possible(players: int) -> None:
    bracket = [seed if seed < players else None for seed in seeded(players)]
    assert sorted(seed for seed in bracket if seed is not None) == list(range(players))
    while len(bracket) > 1:
        pairs = knockout_round(bracket)
        assert all(pair != (None, None) for pair in pairs)
        left = len(pairs)
        bracket = [min(each for each in pair if each is not None) for pair in pairs]
        assert sorted(seed for seed in bracket if seed is not None) == list(range(left))


def test_a_ladder_moves_only_those_between() -> None:
    ladder = ["A", "B", "C", "D", "E"]
    assert may_challenge(ladder, "D", "A") and not may_challenge(ladder, "E", "A")
    assert not may_challenge(ladder, "A", "B")
    assert after_challenge(ladder, "D", "B") == ["A", "D", "B", "C", "E"]
    assert after_challenge(ladder, "B", "D") == ladder


@settings(max_examples=6, deadline=None)
@given(st.integers(4, 17), st.data())
def test_players_meet_once_and_have_one_bye_at_most(players: int, data: st.DataObject) -> None:
    names = [f"p{number}" for number in range(players)]
    scores = dict.fromkeys(names, 0.0)
    played: list[tuple[str, str]] = []
    byes: list[str] = []
    for _ in range(min(players // 2, 9)):
        standing = sorted(names, key=lambda name: -scores[name])
        found = pair(standing, scores, played, byes)
        seated = [name for game in found.pairs for name in game]
        assert sorted([*seated, *([found.bye] if found.bye else [])]) == sorted(names)
        byes += [found.bye] if found.bye else []
        played += found.pairs
        for game in found.pairs:
            scores[data.draw(st.sampled_from(game))] += 1
        if found.bye:
            scores[found.bye] += 1
    met = [frozenset(game) for game in played]
    assert len(met) == len({*met})
    assert len(byes) == len({*byes})


def test_equal_scores_meet_upper_half_against_lower_half() -> None:
    names = list("ABCDEFGH")
    assert pair(names, dict.fromkeys(names, 0.0)).pairs == [("A", "E"), ("B", "F"), ("C", "G"), ("D", "H")]
    scores = {**dict.fromkeys("ABCD", 1.0), **dict.fromkeys("EFGH", 0.0)}
    assert pair(names, scores, [("A", "C")]).pairs == [("A", "D"), ("B", "C"), ("E", "G"), ("F", "H")]


def test_when_all_have_met_the_fewest_games_are_repeated() -> None:
    names = list("ABCD")
    every = list(combinations(names, 2))
    found = pair(names, dict.fromkeys(names, 0.0), [*every, ("A", "B")])
    assert ("A", "B") not in found.pairs and len(found.pairs) == 2
