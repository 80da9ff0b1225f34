"""The exposure that follows the cards: it comes to rest at a good white, from any start, and stays there."""

from __future__ import annotations

import pytest

from vision.light.watch import EXPOSURE_WHITE, MAX_BURNT_SHARE, MAX_STEP, WHITE_TOLERANCE, CardExposure


def settled(exposure: float, gamma: float, light: float = 1.0) -> tuple[float, float, int]:
    """Let it follow a camera with this tone curve; return the white, the share burnt, and the number of changes."""
    control, changes = CardExposure(), 0
    white = burnt = 0.0
    for second in range(200):
        level = 255 * (light * exposure) ** (1 / gamma)
        white, burnt = min(level, 255.0), min(max((level - 250) / 50, 0.0), 1.0)
        factor = control.factor(white, burnt, float(second))
        changes += factor != 1.0
        exposure *= factor
    return white, burnt, changes


@pytest.mark.parametrize("gamma", [1.0, 1.8, 2.2, 2.6])
@pytest.mark.parametrize("start", [0.02, 0.2, 0.7, 1.0, 6.0])
def test_the_white_of_the_cards_becomes_bright_and_does_not_burn(start: float, gamma: float) -> None:
    white, burnt, changes = settled(start, gamma)
    assert abs(white - EXPOSURE_WHITE) <= WHITE_TOLERANCE
    assert burnt <= MAX_BURNT_SHARE and changes <= 25


def test_a_good_exposure_is_left_alone() -> None:
    good = (EXPOSURE_WHITE / 255) ** 2.2
    assert settled(good, 2.2)[2] == 0


def test_changes_are_small_and_far_apart() -> None:
    control = CardExposure()
    factors = {second: control.factor(20.0, 0.0, float(second)) for second in range(12)}
    changed = [second for second, factor in factors.items() if factor != 1.0]
    assert changed == [0, 4, 8]
    assert {factors[second] for second in changed} == {MAX_STEP}
