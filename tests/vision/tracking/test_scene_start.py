"""The first frames of a camera: what lies there, is taken up and laid again before the table is known."""

from __future__ import annotations

import pytest

from tests.vision.drawn_table import DrawnTable, Watched


@pytest.mark.sampled(2)
@pytest.mark.parametrize("lying", [1, 2, 3, 5])
@pytest.mark.parametrize("bare", [1, 3, 6, 12])
def test_a_card_of_the_first_frame_is_seen_when_it_is_laid_again_at_once(lying: int, bare: int) -> None:
    """The first frame is taken for the bare table; the card in it must not become a part of the table."""
    table = DrawnTable(noise=1.0)
    watched = Watched(table)
    card = table.lay("4H", ("turn-up", None))
    watched.run(lying)
    table.cards.remove(card)
    watched.run(bare)
    table.lay("4H", ("turn-up", None))
    watched.run(20)
    assert watched.seen == {("4H", "turn-up")}


def test_a_constantly_moving_object_does_not_delay_the_start() -> None:
    table = DrawnTable(noise=1.0)
    watched = Watched(table)
    table.lay("4H", ("turn-up", None))
    for frame in range(40):
        table.shadows = [(400.0, 100.0 + 40 * (frame % 2), 30.0, 0.6)]
        watched.run(1)
    assert watched.seen == {("4H", "turn-up")}


def test_an_empty_table_is_read_once() -> None:
    """What only the second reading of the whole frame finds could not be reported."""
    watched = Watched(DrawnTable(noise=1.0))
    watched.run(8)
    assert watched.pipeline.tracker.reads == 1
    card = DrawnTable(noise=1.0)
    card.lay("4H", ("turn-up", None))
    other = Watched(card)
    other.run(8)
    assert other.pipeline.tracker.reads == 2
