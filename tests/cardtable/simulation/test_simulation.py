"""The simulated camera: cards appear in the picture at their place, and the seed determines every frame."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from cardtable.errors import UsageError
from cardtable.simulation import stage as movements
from cardtable.simulation.deck import CARD_PX, back_picture, face_picture
from cardtable.simulation.places import EDGE_MM, Place, pile, somewhere
from cardtable.simulation.source import (
    ROBOTS,
    Setting,
    SyntheticSource,
    marks_for,
    parse_option,
    parse_setting,
)
from cardtable.simulation.sprites import HEIGHT, MARGIN_PX, MARKS, WIDTH, Camera, card_sprite, texture
from cardtable.simulation.stage import FAST, Arms, Stage
from engine.cards import STANDARD_DECK, parse_card
from engine.games import load_game, word_marks
from engine.observations import ActionCard, Zone
from vision.marks import ArucoReader
from vision.mat.layout import lay_out

MAT = lay_out(2, ["play", "turn-up", "say", "show"])


@pytest.fixture(scope="module")
def shared_stage() -> Stage:
    return Stage(MAT, "aruco", FAST, 5, word_marks())


@pytest.fixture
def stage(shared_stage: Stage) -> Iterator[Stage]:
    """A table without cards, which the tests share: drawing it takes a second."""
    yield shared_stage
    for card in shared_stage.lying():
        shared_stage.take(card)


def test_the_seventh_player_has_an_arm() -> None:
    mat, rng = lay_out(7, ["play"]), np.random.default_rng(1)
    arms = Arms(mat, Camera.above(mat.size_mm, rng), 1, rng)
    assert arms.reach(6, Place((200.0, 150.0), 0.0, Zone("play", 6))).way.shape == (2,)


def test_options_of_a_game_are_written_by_name() -> None:
    assert parse_option("whist", "target=7") == ("target", 7)
    assert parse_option("whist", "honours=true") == ("honours", True)
    assert parse_option("whist", "revoke=gain") == ("revoke", "gain")
    setting = Setting("whist", 4, options=(parse_option("whist", "target=7"),))
    assert setting.header.options == {"target": 7}
    assert setting.name != Setting("whist", 4).name
    for wrong in ("target=many", "target=0", "honours=maybe", "goal=3", "revoke"):
        with pytest.raises(UsageError):
            Setting("whist", 4, options=(parse_option("whist", wrong),)).check()


def test_the_pictures_of_the_cards_differ() -> None:
    pictures = {face_picture(card).tobytes() for card in STANDARD_DECK}
    assert len(pictures) == 52
    assert face_picture(parse_card("QS")).shape == back_picture().shape == (CARD_PX[1], CARD_PX[0], 3)


@pytest.mark.parametrize("marks", MARKS)
def test_faces_words_and_backs_have_one_size(marks: str) -> None:
    chosen = next(known for known in MARKS if known == marks)
    shapes = {texture(face, chosen, 101).shape for face in (parse_card("10H"), ActionCard("beg"), None)}
    assert shapes == {(352, 252, 3)}


def assert_sees_all(camera: Camera) -> None:
    """Assert that the whole mat is in the picture, with a margin."""
    width, height = MAT.size_mm
    corners = camera.pixels([(0, 0), (width, 0), (width, height), (0, height)])
    assert (corners >= MARGIN_PX - 1).all()
    assert (corners <= np.array([WIDTH, HEIGHT]) - MARGIN_PX + 1).all()


@pytest.mark.parametrize("seed", range(6))
def test_the_whole_mat_is_in_the_picture_and_not_quite_straight(seed: int) -> None:
    width, height = MAT.size_mm
    camera = Camera.above(MAT.size_mm, np.random.default_rng(seed))
    assert_sees_all(camera)
    assert not np.isclose(camera.to_px[2, :2], 0, atol=1e-9).all()
    assert 1.7 < camera.scale((width / 2, height / 2)) < 2.2


def test_an_inclined_camera_sees_the_near_side_larger() -> None:
    width, height = MAT.size_mm
    camera = Camera.above(MAT.size_mm, np.random.default_rng(1), tilt=40.0)
    assert_sees_all(camera)
    near, far = camera.scale((width / 2, 0)), camera.scale((width / 2, height))
    assert near > 1.4 * far


def test_a_laid_card_is_seen_where_it_lies_and_a_lifted_one_is_not(stage: Stage) -> None:
    card = stage.card(parse_card("7D"), 0, Place((440.0, 310.0), 33.0, Zone("play", 0)))
    stage.put(card)
    found = ArucoReader().read(stage.frame(0.0), 1 / stage.camera.scale((440.0, 310.0)))
    reading = next(reading for reading in found if reading.face == parse_card("7D"))
    assert np.linalg.norm(reading.outline.mean(axis=0) - stage.camera.pixels([(440.0, 310.0)])[0]) < 3
    stage.take(card)
    assert stage.lying() == []
    assert parse_card("7D") not in [reading.face for reading in ArucoReader().read(stage.frame(0.1))]


def test_a_card_cannot_be_taken_twice(stage: Stage) -> None:
    card = stage.card(parse_card("7D"), 0, Place((440.0, 310.0), 0.0, Zone("play", 0)))
    with pytest.raises(ValueError, match="7D is not on the table"):
        stage.take(card)
    stage.put(card)
    stage.take(card)
    with pytest.raises(ValueError, match="7D is not on the table"):
        stage.take(card)


def test_taking_a_card_from_under_another_leaves_the_other(stage: Stage) -> None:
    under = stage.card(parse_card("7D"), 0, Place((440.0, 310.0), 0.0, Zone("play", 0)))
    over = stage.card(parse_card("KC"), 1, Place((470.0, 300.0), 70.0, Zone("play", 1)))
    stage.put(under)
    stage.put(over)
    stage.take(under)
    both = stage.frame(0.0)
    stage.take(over)
    stage.put(stage.card(parse_card("KC"), 1, over.place))
    pictures = (cv2.blur(picture.astype(np.float32), (15, 15)) for picture in (both, stage.frame(0.0)))  # without noise
    assert np.abs(np.subtract(*pictures)).max() < 3


def test_the_same_seed_gives_the_same_frames_and_another_seed_others() -> None:
    pictures = [Stage(MAT, "faces", FAST, seed).frame(0.0) for seed in (1, 1, 2)]
    assert (pictures[0] == pictures[1]).all()
    assert (pictures[0] != pictures[2]).any()


def test_a_hand_that_has_gone_leaves_only_noise(stage: Stage) -> None:
    empty = stage.frame(0.0).astype(int)
    card = stage.card(parse_card("2H"), 1, Place((440.0, 190.0), 170.0, Zone("play", 1)))
    doing = stage.start(movements.lay(stage, card), 1)
    stage.move_on(1 / 30)
    stage.move_on(2 / 30)
    shown = stage.frame(3 / 30)
    assert np.abs(shown.astype(int) - empty).max() > 60
    assert stage.busy(1)
    assert not stage.busy(0)
    while not doing.done:
        stage.move_on(stage.time + 1 / 30)
    stage.take(card)
    left = np.abs(stage.frame(stage.time).astype(int) - empty)
    assert left.max() < 40
    assert left.mean() < 5


def test_a_sweep_takes_every_card_off_the_table(stage: Stage) -> None:
    cards = [
        stage.card(parse_card(name), 0, somewhere(MAT, Zone("play", 0), 0, (), random.Random(name)))
        for name in ("2H", "3H")
    ]
    for card in cards:
        stage.put(card)
    doing = stage.start(movements.sweep(stage, 1, cards), 1)
    while not doing.done:
        stage.move_on(stage.time + 1 / 30)
    assert stage.lying() == []
    assert all(card.lifted is not None for card in cards)


def test_a_moved_card_is_at_its_new_place(stage: Stage) -> None:
    before = stage.card(parse_card("2H"), 0, Place((500.0, 430.0), 0.0, Zone("show", 0)))
    after = stage.card(parse_card("2H"), 0, Place((440.0, 310.0), 12.0, Zone("play", 0)))
    stage.put(before)
    doing = stage.start(movements.move(stage, before, after), 0)
    while not doing.done:
        stage.move_on(stage.time + 1 / 30)
    assert stage.lying() == [after]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_cards_are_laid_well_inside_their_zone(players: int) -> None:
    mat = lay_out(players, ["play", "turn-up", "say", "show"])
    rng = random.Random(3)
    for zone in mat.areas:
        taken: list[tuple[float, float]] = []
        for _ in range(3):
            x, y = somewhere(mat, zone, zone.seat or 0, taken, rng).at
            inset = EDGE_MM - 1
            assert {mat.zone_at(x + dx, y + dy) for dx in (-inset, inset) for dy in (0.0,)} == {zone}
            assert {mat.zone_at(x, y + dy) for dy in (-inset, inset)} == {zone}
            taken.append((x, y))


def test_the_pack_lies_in_the_stock_zone_or_in_none() -> None:
    with_stock = lay_out(2, ["play", "stock"])
    assert pile(with_stock, random.Random(1)).zone == Zone("stock")
    place = pile(MAT, random.Random(1))
    assert place.zone is None
    assert place is not None
    assert MAT.zone_at(*place.at) is None


@pytest.mark.parametrize("game", list(ROBOTS))
def test_the_pack_covers_no_zone_and_no_mark(game: str) -> None:
    for players in load_game(game).seats:
        mat = lay_out(players, load_game(game).zones)
        place = pile(mat, random.Random(1))
        assert (place is None) == (game == "its-15")  # if the zones leave no room
        if place:
            x, y = place.at
            corners = [(x + dx, y + dy) for dx in (-32, 32) for dy in (-44, 44)]
            assert {mat.zone_at(*corner) for corner in corners} == {None}
            assert min(math.dist(place.at, point) for mark in mat.marks.values() for point in mark) > 60


def test_face_up_cards_are_spread_as_far_as_there_is_room() -> None:
    mat, rng = lay_out(6, load_game("its-15").zones), random.Random(5)
    for zone, apart in ((Zone("table"), 90), (Zone("bid", 2), 35), (Zone("show", 5), 35)):
        taken: list[tuple[float, float]] = []
        for _ in range(3):
            at = somewhere(mat, zone, zone.seat or 0, taken, rng).at
            assert all(math.dist(at, other) > apart for other in taken)
            taken.append(at)


def test_only_the_visible_part_of_a_card_at_the_border_is_drawn(stage: Stage) -> None:
    sprite = card_sprite(stage.camera, texture(None, "aruco"), (-20.0, 240.0), 10.0)
    picture = np.full((HEIGHT, WIDTH, 3), 40, np.uint8)
    drawn = sprite.draw(picture)
    assert drawn.x0 >= 0
    assert (picture != 40).any()
    assert sprite.draw(picture, dx=-3000).empty


def test_a_source_counts_its_frames_and_ends_when_it_is_closed() -> None:
    source = SyntheticSource(Setting(seed=3, marks="aruco", pace="fast"))
    first, second = source.read(), source.read()
    assert first is not None
    assert second is not None
    assert (first.number, first.time, second.number) == (0, 0.0, 1)
    assert second.image.shape == (HEIGHT, WIDTH, 3)
    assert first.image is not second.image
    source.close()
    assert source.read() is None


def test_a_setting_is_parsed() -> None:
    assert parse_setting("all-fives?players=3&seed=7&marks=qr&pace=fast") == Setting("all-fives", 3, 7, "qr", "fast")
    assert parse_setting("") == Setting("all-fives", 2, 1, "faces", "human")
    assert parse_setting("cribbage?players=4") == Setting("cribbage", 4, 1, "faces", "human")


def test_a_deck_of_its_own_is_read_by_marks() -> None:
    assert {game: marks_for(game) for game in ROBOTS if marks_for(game) != "faces"} == {"its-15": "aruco"}
    assert parse_setting("its-15?players=6&seed=2") == Setting("its-15", 6, 2, "aruco", "human")
    assert parse_setting("its-15?marks=qr").marks == "qr"


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("poker", "all-fives"),
        ("all-fives?players=5", "2 or 3"),
        ("all-fives?players=two", "whole numbers"),
        ("all-fives?marks=dots", "faces, qr, aruco"),
        ("all-fives?sed=7", "did you mean 'seed'"),
        ("all-fives?seed=-1", "from 0"),
        ("all-fives?pace=slow", "fast or human"),
        ("its-15?marks=faces", "take aruco or qr"),
        ("its-15?players=7", "2 to 6"),
        ("fifteen?players=3", "Fifteen is for 2 players, not 3"),
        ("le-quince", "did you mean 'le-quinze'"),
    ],
)
def test_a_wrong_setting_is_refused_with_a_suggestion(spec: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_setting(spec)
