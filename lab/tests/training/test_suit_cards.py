"""Training data of the suit finder: where a pip is labelled, there is ink of that suit's colour."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lab.training import suit_cards
from lab.training.hardships import worsened
from lab.training.number_cards import number_card
from lab.training.suit_cards import CORNER_MM, HARD_SHARE, artwork_pips, labels, seen
from lab.training.suit_net import CELL, CLASSES
from vision.faces.suit_finder import PX_PER_MM


def test_the_pips_of_clean_artwork_are_found() -> None:
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(20):
        picture, pips, _ = number_card(rng)
        seen = artwork_pips(picture)
        for x, y, size in seen:
            away = min(np.hypot(x - right, y - down) for right, down, _ in pips)
            assert away < 0.3 * size
        found += len(seen) >= len(pips) / 2
    assert found >= 15  # large pips touch each other, and those in a corner are left to the index


def test_cells_are_labelled_at_the_middle_of_pips_only() -> None:
    picture, pips, _ = number_card(np.random.default_rng(4))
    classes, weights = labels(picture, pips, 2, CORNER_MM)
    y, x = (np.argwhere(classes == 2).T + 0.5) * CELL / PX_PER_MM
    for right, down in zip(x, y, strict=True):
        assert min(np.hypot(right - pip[0], down - pip[1]) - 0.12 * pip[2] for pip in pips) < 1.2
    assert {2, CLASSES - 1} == {*np.unique(classes).tolist()}
    assert (weights[classes == 2] == 1).all() and weights[0, 0] == 0


def test_a_card_has_a_hardship_or_may_be_blurred_but_not_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hardships are as frequent as `HARD_SHARE` says."""
    happened: list[str] = []
    blurred = suit_cards._blurred

    def noted(name: str, change: Callable[..., object]) -> Callable[..., object]:
        def changed(*arguments: object) -> object:
            happened.append(name)
            return change(*arguments)

        return changed

    monkeypatch.setattr("lab.training.corner_crops.worsened", noted("hardship", worsened))
    monkeypatch.setattr(suit_cards, "_blurred", noted("blur", blurred))
    rng = np.random.default_rng(5)
    picture, _, _ = number_card(rng)
    for count in range(1, 201):
        seen(picture, rng)
        assert len(happened) == count
    assert abs(happened.count("hardship") / 200 - HARD_SHARE) < 0.1
