"""The generated scenes of `lab.benchmarks.scenes` contain the cards that they claim."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from engine.cards import parse_card
from lab.benchmarks.scenes import kinds, score_scene
from tests.drawing.tables import LIES, Deck, Kind, drawn_decks, packaged_decks, scene


@pytest.fixture(scope="module")
def decks() -> dict[str, Deck]:
    return drawn_decks()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("camera", ["above", "at the side"])
def test_a_scene_is_the_same_for_the_same_seed(decks: dict[str, Deck], lie: str, camera: str) -> None:
    kind = Kind("drawn", 22, lie, "wood", "lamp", camera)
    first, again = (scene(decks["drawn"], kind, 5) for _ in range(2))
    assert np.array_equal(first[0], again[0]) and first[1:] == again[1:]
    picture, must, may = first
    other = scene(decks["drawn"], kind, 6)
    assert set(other[1] + other[2]) != set(must + may)
    assert picture.shape[2] == 3 and len(set(must + may)) == len(must + may) >= 6


def test_separate_cards_must_be_read_and_covered_ones_may_be(decks: dict[str, Deck]) -> None:
    _, must, may = scene(decks["drawn"], Kind("drawn", 22, "apart", "green", "even", "above"), 1)
    assert (len(must), may) == (6, [])
    thrown = [scene(decks["drawn"], Kind("drawn", 22, "thrown", "green", "even", "above"), seed) for seed in range(6)]
    assert any(may for _, _, may in thrown) and all(must for _, must, _ in thrown)


def test_every_deck_is_drawn_in_every_arrangement_and_height(decks: dict[str, Deck]) -> None:
    every = [kind for kind, _ in kinds(list(decks), 1)]
    assert len({(kind.deck, kind.height, kind.lie) for kind in every}) == len(every)
    assert {kind.ground for kind in every} > {"wood", "white"} and len({kind.camera for kind in every}) == 2


def test_a_card_reported_twice_or_not_there_is_wrong() -> None:
    """A covered card that is read counts neither as right nor as wrong."""
    lying, covered, stranger = (parse_card(name) for name in ("AS", "9D", "KC"))
    read = Counter([lying, lying, covered, stranger])
    score = score_scene(read, [lying, parse_card("2H")], [covered], seconds=0.02)
    assert (score.cards, score.right, score.wrong) == (2, 1, 2)


def test_an_incomplete_deck_is_left_out_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kde-jolly-royal").mkdir()
    with pytest.raises(SystemExit):
        packaged_decks(tmp_path)
    assert "kde-jolly-royal: left out" in capsys.readouterr().out


def test_a_folder_without_decks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"no deck is there; run first: python -m lab\.training render --unseen"):
        packaged_decks(tmp_path)
