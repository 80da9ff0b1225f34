"""People who have mishaps: whatever goes wrong, the record is right in the end, and the prompts have led there."""

from __future__ import annotations

import pytest

from cardtable.simulation.robots import ROBOTS
from engine.games import load_game
from tests.cardtable.people.mishaps import MISHAPS
from tests.cardtable.people.people import Mishap, People
from tests.cardtable.people.table_top import Wrong

GAMES = [(game, players) for game in ROBOTS for players in load_game(game).seats]
SEEDS = 4
ACTS = 160
SHARE = 0.25
"""Of so many acts something goes wrong about one."""


@pytest.mark.parametrize(("game", "players"), GAMES)
def test_whatever_goes_wrong_the_prompts_lead_back_to_what_was_really_done(game: str, players: int) -> None:
    happened = 0
    for seed in range(SEEDS):
        happened += People(game, players, seed, known=seed % 2 == 1).play(SHARE, MISHAPS, ACTS)
    assert happened > 5 * SEEDS


@pytest.mark.parametrize("mishap", MISHAPS, ids=lambda mishap: mishap.__name__)
def test_every_mishap_happens_in_some_game(mishap: Mishap) -> None:
    """And does no harm by itself, one after another."""
    players = {game: max(load_game(game).seats) for game in ROBOTS}
    assert sum(People(game, seats, 1).play(0.5, [mishap], 80) for game, seats in players.items()) > 3


def test_people_notice_what_is_wrong() -> None:
    """A referee that counts what a card outside every zone may stand for would be found out."""
    people = People("all-fives", 2, 0)
    people.tolerated = False
    people.show()
    people.table.do(people.plan[0].action)  # type: ignore[arg-type]
    with pytest.raises(Wrong, match="nobody did"):
        people.show()
