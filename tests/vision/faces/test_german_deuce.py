"""A D beside a heart is the French queen or the German ace: the whole card tells, and the deck is remembered."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.cards import RANKS, SUITS, Card, parse_card
from vision.faces.geometry import Floats, Quad
from vision.faces.german_deuce import DEUCE, QUEEN, GermanDeuce, ace_evidence
from vision.faces.settings import DEFAULTS
from vision.readings import Reading

LEAST = DEFAULTS.fusion.least_ace_evidence
OUTLINE = np.array([[10, 20], [70, 20], [70, 104], [10, 104]], np.float32)


def shows(logarithm: float) -> Callable[[Quad], Floats]:
    """A net for whole cards that finds the ace of hearts so much likelier than the queen."""
    whole = np.zeros(53, np.float32)
    whole[4 * RANKS.index("A") + SUITS.index("H")] = logarithm * DEFAULTS.fusion.whole_rank
    return lambda outline: whole


def reading(card: Card = QUEEN) -> Reading:
    return Reading(card, 0.97, "face", OUTLINE)


def test_an_ace_is_reported_as_surely_as_the_whole_card_shows_it() -> None:
    (ace,) = GermanDeuce()([reading()], shows(LEAST + 1))
    assert ace.face == DEUCE and ace.confidence == pytest.approx(1 / (1 + np.exp(-LEAST - 1)))
    assert ace.outline is OUTLINE


@pytest.mark.parametrize("logarithm", [LEAST - 0.1, 0.0, -9.0])
def test_a_queen_stays_a_queen(logarithm: float) -> None:
    queen = reading()
    assert GermanDeuce()([queen], shows(logarithm)) == [queen]


def test_only_queens_of_hearts_are_looked_at() -> None:
    others = [reading(parse_card(name)) for name in ("QS", "AH", "KH")]
    assert GermanDeuce()(others, shows(LEAST + 9)) == others


def test_once_a_deck_has_such_an_ace_unsure_queens_are_not_reported() -> None:
    judge = GermanDeuce()
    queen = reading()
    assert judge([queen], shows(0.0), only_once=False) == [queen]
    judge([reading()], shows(LEAST), only_once=False)
    assert judge([queen], shows(0.0), only_once=False) == []
    assert judge([queen], shows(-LEAST), only_once=False) == [queen]


def test_a_single_picture_teaches_nothing() -> None:
    judge = GermanDeuce()
    judge([reading()], shows(LEAST))
    queen = reading()
    assert judge([queen], shows(0.0)) == [queen]


def test_the_evidence_compares_ace_and_queen() -> None:
    assert ace_evidence(np.arange(53, dtype=np.float32)) == 4 * (RANKS.index("A") - RANKS.index("Q"))
