"""The scene tracker on a drawn table reports exactly the cards that lie there."""

from __future__ import annotations

import pytest

from engine.cards import parse_card
from engine.observations import ActionCard, Scene, Zone
from tests.vision.drawn_table import DrawnTable, Watched


def started(players: int = 2) -> Watched:
    watched = Watched(DrawnTable(players))
    watched.run(6)
    assert watched.seen == set()
    return watched


def sweep_hand(watched: Watched, at: tuple[float, float], frames: int = 4) -> None:
    """Move a hand in from the bottom edge, and hold it at `at`, mm, for `frames` frames."""
    table = watched.table
    x, y = at
    for step in (3, 2, 1):
        table.hands = [((x, 620.0), (x, y + 110.0 * step))]
        watched.run(1)
    table.hands = [((x, 620.0), at)]
    watched.run(frames)


def hand_leaves(watched: Watched) -> None:
    table = watched.table
    (start, (x, y)) = table.hands[0]
    for step in (1, 2, 3):
        table.hands = [(start, (x, y + 130.0 * step))]
        watched.run(1)
    table.hands = []


def test_an_empty_table_is_reported_once() -> None:
    watched = Watched(DrawnTable())
    watched.run(30)
    assert len(watched.observations) == 1
    assert isinstance(watched.observations[0], Scene)
    assert watched.seen == set()


def test_a_card_is_reported_after_three_still_frames() -> None:
    watched = started()
    watched.table.lay("QH", ("play", 0), angle=17)
    assert watched.until_scene() == 3
    assert watched.seen == {("QH", "play 0")}
    assert watched.scene is not None
    assert watched.scene.sightings[0].since == pytest.approx(6 / 30)
    assert watched.run(30) == []


def test_an_action_card_is_read_like_any_card() -> None:
    watched = started()
    watched.table.lay("say:beg", ("say", 1), angle=180)
    watched.until_scene()
    assert watched.scene is not None
    assert watched.scene.sightings[0].face == ActionCard("beg")
    assert watched.seen == {("say:beg", "say 1")}


def test_a_lifted_card_is_gone_after_0_3_seconds() -> None:
    watched = started()
    card = watched.table.lay("7C", ("turn-up", None))
    watched.until_scene()
    watched.table.cards.remove(card)
    frames = watched.until_scene()
    assert 9 <= frames <= 13
    assert watched.seen == set()


def test_a_moving_card_is_not_judged() -> None:
    watched = started()
    card = watched.table.lay("7C", ("play", 1), dx=-60)
    for _ in range(20):
        card.x += 6
        assert watched.run(1) == []
    assert watched.until_scene() <= 4
    assert watched.seen == {("7C", "play 1")}


def test_a_card_under_a_resting_hand_is_not_reported_yet() -> None:
    watched = started()
    x, y = watched.table.mat.centre(Zone("play", 0))
    sweep_hand(watched, (x, y + 30))
    watched.table.lay("KD", ("play", 0))
    watched.table.hands = [((x, 620.0), (x, y + 60))]
    assert watched.run(20) == []
    hand_leaves(watched)
    watched.run(4)
    assert watched.seen == {("KD", "play 0")}


def test_a_hand_resting_over_a_card_does_not_remove_it() -> None:
    watched = started()
    card = watched.table.lay("KD", ("play", 0))
    watched.until_scene()
    sweep_hand(watched, (card.x, card.y + 20))
    assert watched.run(20) == []
    hand_leaves(watched)
    assert watched.run(15) == []


def test_a_covered_card_is_still_known_when_it_is_uncovered() -> None:
    watched = started()
    watched.table.lay("KD", ("play", 0))
    watched.until_scene()
    card_id = watched.card_id("KD")
    top = watched.table.lay("4S", ("play", 0), dx=2, dy=-3, angle=8)
    watched.until_scene()
    assert watched.seen == {("KD", "play 0"), ("4S", "play 0")}
    assert watched.run(30) == []
    watched.table.cards.remove(top)
    watched.until_scene()
    assert watched.seen == {("KD", "play 0")}
    assert watched.card_id("KD") == card_id
    assert watched.run(30) == []


def test_a_card_taken_from_under_another_is_gone() -> None:
    watched = started()
    low = watched.table.lay("KD", ("play", 0))
    watched.until_scene()
    watched.table.lay("4S", ("play", 0), dx=24, dy=-14, angle=8)
    watched.until_scene()
    watched.table.cards.remove(low)
    watched.until_scene()
    assert watched.seen == {("4S", "play 0")}


def test_a_nudged_card_keeps_its_id() -> None:
    watched = started()
    card = watched.table.lay("KD", ("play", 0))
    watched.until_scene()
    card_id = watched.card_id("KD")
    card.x, card.y, card.angle = card.x + 11, card.y - 6, 9
    assert watched.run(30) == []
    watched.table.cards.remove(card)
    watched.until_scene()
    assert watched.seen == set()
    watched.table.lay("KD", ("play", 0))
    watched.until_scene()
    assert watched.card_id("KD") != card_id


def test_a_card_pushed_into_another_zone() -> None:
    watched = started()
    card = watched.table.lay("KD", ("play", 0))
    watched.until_scene()
    card.x, card.y = watched.table.mat.centre(Zone("turn-up"))
    watched.run(30)
    assert watched.seen == {("KD", "turn-up")}
    for observation in watched.observations[1:]:
        assert isinstance(observation, Scene)
        assert len(observation.sightings) == 1


def test_two_cards_laid_at_once() -> None:
    watched = started()
    watched.table.lay("KD", ("play", 0))
    watched.table.lay("9S", ("play", 1))
    assert watched.until_scene() == 3
    assert watched.seen == {("KD", "play 0"), ("9S", "play 1")}
    assert len(watched.observations) == 2


def test_a_card_swapped_under_a_hand() -> None:
    watched = started()
    card = watched.table.lay("KD", ("play", 0), angle=-3)
    watched.until_scene()
    sweep_hand(watched, (card.x, card.y))
    watched.table.cards.remove(card)
    watched.table.lay("3C", ("play", 0), dx=5, dy=4, angle=4)
    watched.run(3)
    hand_leaves(watched)
    watched.run(25)
    assert watched.seen == {("3C", "play 0")}


def test_a_trick_swept_away_at_once() -> None:
    watched = started(3)
    middle = watched.table.mat.centre(Zone("play", 0))
    for number, (face, angle) in enumerate([("KD", 0), ("3D", 70), ("AS", 140)]):
        watched.table.lay(face, ("play", 0), dx=18 * number, dy=-9 * number, angle=angle)
        watched.until_scene()
    assert {face for face, _ in watched.seen} == {"KD", "3D", "AS"}
    sweep_hand(watched, (middle[0], middle[1] + 20))
    watched.table.cards = []
    hand_leaves(watched)
    watched.run(20)
    assert watched.seen == set()


def test_steps_of_brightness_change_nothing() -> None:
    watched = started()
    card = watched.table.lay("KD", ("play", 0))
    watched.until_scene()
    for gain in (1.3, 0.75):
        watched.table.gain = gain
        assert watched.run(15) == []
    watched.table.gain = 0.8
    watched.run(10)
    watched.table.cards.remove(card)
    watched.until_scene()
    assert watched.seen == set()


def test_a_shadow_is_neither_a_hand_nor_a_change() -> None:
    watched = started()
    card = watched.table.lay("KD", ("play", 0))
    watched.until_scene()
    for step in range(10):
        watched.table.shadows = [(100.0 + 80 * step, 380.0, 90.0, 0.35)]
        assert watched.run(1) == []
    watched.table.shadows = [(card.x - 40, card.y, 90.0, 0.35)]
    assert watched.run(20) == []
    watched.table.lay("9H", ("show", 0))
    watched.until_scene()
    assert watched.seen == {("KD", "play 0"), ("9H", "show 0")}
    watched.table.cards.remove(card)
    watched.until_scene()
    assert watched.seen == {("9H", "show 0")}


def test_cards_that_lie_there_at_the_start() -> None:
    table = DrawnTable()
    table.lay("KD", ("play", 0))
    second = table.lay("5S", ("play", 0), dx=30, dy=-20, angle=25)
    watched = Watched(table)
    watched.run(6)
    assert watched.seen == {("KD", "play 0"), ("5S", "play 0")}
    assert len(watched.observations) == 1
    table.cards.remove(second)
    watched.run(20)
    assert watched.seen == {("KD", "play 0")}
    table.cards.clear()
    watched.run(20)
    assert watched.seen == set()


def test_cards_keep_their_ids_when_the_camera_is_bumped() -> None:
    watched = started()
    card = watched.table.lay("KD", ("play", 0))
    watched.table.lay("5S", ("play", 1), dx=30, dy=-20, angle=25)
    watched.until_scene()
    ids = {watched.card_id("KD"), watched.card_id("5S")}
    watched.table.shift, watched.table.turn = (9.0, -7.0), 0.4
    watched.run(20)
    assert watched.seen == {("KD", "play 0"), ("5S", "play 1")}
    assert {watched.card_id("KD"), watched.card_id("5S")} == ids
    watched.table.cards.remove(card)
    watched.run(20)
    assert watched.seen == {("5S", "play 1")}


def test_a_face_down_card_is_reported_without_a_face() -> None:
    watched = started()
    watched.table.lay("back", ("play", 0), angle=12)
    frames = watched.until_scene()
    assert 10 <= frames <= 20
    assert watched.seen == {("None", "play 0")}
    watched.table.cards.clear()
    watched.run(20)
    assert watched.seen == set()


def test_noise_alone_changes_nothing() -> None:
    watched = Watched(DrawnTable(noise=9.0))
    watched.run(8)
    watched.table.lay("KD", ("play", 0))
    watched.until_scene()
    assert watched.run(40) == []


def test_an_unread_card_gets_its_face_once_it_can_be_read() -> None:
    watched = started()
    card = watched.table.lay("back", ("play", 0))
    watched.until_scene()
    card_id = watched.scene.sightings[0].card_id if watched.scene else ""
    card.face = parse_card("6H")
    watched.until_scene()
    assert watched.seen == {("6H", "play 0")}
    assert card_id


@pytest.mark.sampled(2)
@pytest.mark.parametrize("frames", range(1, 9))
def test_a_card_laid_beside_an_unreadable_one_is_read(frames: int) -> None:
    watched = Watched(DrawnTable())
    watched.run(6)
    watched.table.lay("back", ("show", 0), dx=-60)
    watched.run(frames)
    watched.table.lay("KS", ("show", 0), dx=30)
    watched.run(12)
    assert ("KS", "show 0") in watched.seen
