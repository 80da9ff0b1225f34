"""A table that is wired for more seats than the game has players."""

from __future__ import annotations

from cardtable.evening.playing import Parts, one_game
from cardtable.table.live_game import without_empty_seats
from engine.observations import Observation, Said, Scene, Swipe, Swiped, Zone
from engine.record import Header
from tests.cardtable.scenes import Scenes
from tests.engine.talk import card

HEADER = Header("all-fives", ("Ann", "Bo"), 0)
OF_EMPTY_SEATS: tuple[Observation, ...] = (
    Said(1.0, "readers", 3, "beg"),
    Said(1.0, "page", 0, "revoke", card("QS"), 2),
)


def test_what_an_empty_seat_says_is_left_out() -> None:
    assert [without_empty_seats(each, 2) for each in OF_EMPTY_SEATS] == [None] * 2
    assert [without_empty_seats(each, 4) for each in OF_EMPTY_SEATS] == list(OF_EMPTY_SEATS)


def test_what_an_empty_seat_is_dealt_is_left_out() -> None:
    swipes = Swipe(1, 2, card("QS")), Swipe(2, 1, card("KS"))
    assert without_empty_seats(Swiped(1.0, "readers", swipes), 4) == Swiped(1.0, "readers", swipes)
    assert without_empty_seats(Swiped(1.0, "readers", swipes), 2) == Swiped(1.0, "readers", swipes[1:])


def test_a_card_at_an_empty_seat_lies_outside_every_zone() -> None:
    scenes = Scenes()
    scenes.lay("4H", "turn-up")
    scene = scenes.lay("QS", "play", 3)
    assert without_empty_seats(scene, 4) is scene
    seen = without_empty_seats(scene, 2)
    assert isinstance(seen, Scene)
    assert [sighting.zone for sighting in seen.sightings] == [Zone("turn-up"), None]


def test_a_session_goes_on_with_a_card_and_a_word_of_an_empty_seat() -> None:
    scenes = Scenes()
    with one_game(Parts(HEADER, [])) as playing:
        laid = (scenes.again(), scenes.lay("4H", "turn-up"), scenes.lay("QS", "play", 3))
        for observation in (*laid, *OF_EMPTY_SEATS, Said(9.0, "button", 1, "stand")):
            playing.enter(observation)
        playing.run(until=lambda: playing.game.snapshot.n == 2)
        assert playing.game.snapshot.view.turn == 1
