"""Random games played here and by another implementation, if that is installed: `python -m lab.twins.twins`."""

from __future__ import annotations

import pytest

from engine.games.hearts import Hearts
from lab.twins import twins

SEEDS = 9


def twin(game: str) -> twins.Twin:
    try:
        return twins.load(game)
    except ImportError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("game", twins.TWINS)
def test_both_play_the_same_games(game: str) -> None:
    play = twin(game).play
    assert sum(play(seed) for seed in range(SEEDS)) > 30 * SEEDS


@pytest.mark.parametrize("game", twins.TWINS)
def test_what_differs_by_the_rules_is_listed(game: str) -> None:
    assert all(len(row) == 3 and all(row) for row in twin(game).DIFFERENCES)


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    twin("hearts")
    monkeypatch.setattr(Hearts, "broken", lambda self: True)
    assert twins.main(["hearts", "--games", "6"]) == 1
    assert "legal plays: here" in capsys.readouterr().out


def test_several_games_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert twins.main(["revokes", "knock-out-whist", "--games", "9", "--seed", "54"]) == 0
    printed = capsys.readouterr().out
    assert "revokes: 9 games" in printed and "knock-out-whist: 9 games" in printed
