"""Movements of duplicate bridge, compared with published ones."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from cardtable_club.tournament import TournamentError
from cardtable_club.tournament.schedules import Movement, Place, howell, imbalance, mitchell


def check(movement: Movement) -> None:
    """No pair sits twice in a round, plays a board twice or meets a pair twice."""
    played: Counter[tuple[int, int]] = Counter()
    met: Counter[frozenset[int]] = Counter()
    for places in movement.rounds:
        seated = [pair for place in places for pair in (place.ns, place.ew)]
        assert len(seated) == len({*seated}) and {*seated} <= {*range(movement.pairs)}
        for place in places:
            met[frozenset((place.ns, place.ew))] += 1
            for pair in (place.ns, place.ew):
                played[pair, place.boards] += 1
    assert max(played.values()) == 1 and max(met.values()) == 1


@pytest.mark.parametrize("pairs", range(4, 31))
def test_mitchell(pairs: int) -> None:
    movement = mitchell(pairs)
    check(movement)
    tables = (pairs + 1) // 2
    assert len(movement.rounds) == tables - (tables % 2 == 0)
    for places in movement.rounds:
        assert len({place.boards for place in places}) == len(places) == pairs // 2
    assert all(place.ns == place.table < tables <= place.ew for places in movement.rounds for place in places)


def test_mitchell_is_the_movement_of_a_published_game() -> None:
    # Richmond Bridge, 22 June 2013 (sugarcrossing.com/Bridge/results/scores_130622.htm): who met on boards 1-3, 4-6.
    met = {(place.boards, place.ns, place.ew - 3) for places in mitchell(6).rounds for place in places}
    assert {(0, 0, 0), (0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 1, 1), (1, 2, 0)} <= met


@pytest.mark.parametrize("pairs", range(4, 19))
def test_howell(pairs: int) -> None:
    movement = howell(pairs)
    check(movement)
    games = [tuple(sorted((place.ns, place.ew))) for places in movement.rounds for place in places]
    assert sorted(games) == list(combinations(range(pairs), 2))
    if pairs > 6:
        assert all(len({place.boards for place in places}) == len(places) for places in movement.rounds)


@pytest.mark.parametrize("pairs", [4, 8, 12])
def test_howell_is_balanced_where_it_can_be(pairs: int) -> None:
    assert imbalance(howell(pairs).rounds, pairs) == 0


def test_the_published_four_table_howell_is_balanced_by_our_measure() -> None:
    # bridgecentral.com/MvtHTML/4tablehowells.htm: "BS (a) 8-1 2-7 3-6 5-4"; endlesshowellmovement.htm: sets 1 3 5 2.
    start = [(7, 0, 0), (1, 6, 2), (2, 5, 4), (4, 3, 1)]
    rounds = tuple(
        tuple(
            Place(table, *(pair if pair == 7 else (pair + number) % 7 for pair in (ns, ew)), (boards + number) % 7)
            for table, (ns, ew, boards) in enumerate(start)
        )
        for number in range(7)
    )
    check(Movement(rounds, 8, 7, 1))
    assert imbalance(rounds, 8) == 0
    turned = tuple((*places[:3], places[3]._replace(ns=places[3].ew, ew=places[3].ns)) for places in rounds)
    assert imbalance(turned, 8) > 0


@pytest.mark.parametrize("pairs", [0, 3, 19])
def test_what_cannot_be_played_is_refused(pairs: int) -> None:
    with pytest.raises(TournamentError, match="4 to 18 pairs"):
        howell(pairs)
    with pytest.raises(TournamentError, match="here: 3"):
        mitchell(8, rounds=4)
