"""At every frame rate, a card that cannot be read is reported within a second, and a card that can be read is read."""

from __future__ import annotations

import pytest

from tests.vision.drawn_table import DrawnTable, Watched

RATES = (2, 5, 10, 30)


def at_rate(fps: float) -> Watched:
    watched = Watched(DrawnTable())
    watched.table.fps = fps
    watched.run(6)
    return watched


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fps", RATES)
def test_an_unreadable_card_is_reported_within_a_second(fps: int) -> None:
    watched = at_rate(fps)
    watched.table.lay("back", ("play", 0))
    watched.until_scene(fps + 1)  # the card lies there from the first frame on: a second later
    assert watched.scene is not None
    assert [sighting.face for sighting in watched.scene.sightings] == [None]
    assert watched.scene.sightings[0].since == pytest.approx(6 / fps)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fps", RATES)
def test_a_card_is_read_in_three_frames(fps: int) -> None:
    watched = at_rate(fps)
    watched.table.lay("KS", ("play", 0))
    watched.run(3)
    assert watched.seen == {("KS", "play 0")}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fps", RATES)
def test_an_unread_card_is_read_once_it_can_be(fps: int) -> None:
    watched = at_rate(fps)
    card = watched.table.lay("back", ("play", 0))
    watched.run(fps + 1)
    card.face = DrawnTable().lay("6H", ("play", 0)).face
    watched.run(fps + 6)
    assert watched.seen == {("6H", "play 0")}
