"""The benchmark of latency: every observation that it times is one that leads to an action."""

from __future__ import annotations

import random

import pytest

from cardtable.table.live_game import LiveGame
from engine.observations import Scene
from engine.table import Table
from lab.benchmarks.latency import GAMES, HEADER, SECONDS, observations


@pytest.mark.parametrize("seed", range(GAMES))
def test_every_observation_leads_to_an_action(seed: int) -> None:
    table = Table(HEADER)
    live = LiveGame(table, None, ())
    live.take(Scene(-SECONDS, "camera", ()))
    for observation in observations(table, random.Random(seed)):
        before = len(table.actions)
        live.take(observation)
        assert len(table.actions) == before + 1, observation
    assert table.over
