"""Buttons, encoders, lights and buzzer on mock pins: recorded histories in, words and levels out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gpiozero.pins.mock import MockFactory

from engine.games import load_game
from engine.referee.referee import Referee
from engine.table import Table
from engine.views import Prompt
from hardware.seats import SOURCE, Seats
from hardware.signals import DIMMED, WON_S
from hardware.wiring import PinBusy, PinUse, PinUsedTwice, SeatWiring
from tests.hardware.bench import PI_4, PI_5, Clock, Finger, all_fives, board, do, levels, waits

BUTTONS, LIGHTS, BUZZER = (17, 27), (23, 24), 22
DOWN, UP = 0, 1

SHORT = ((0.2, DOWN), (0.0006, UP), (0.0011, DOWN), (0.11, UP), (0.0004, DOWN), (0.0030, UP))
"""A short press as a small button gives it: its contacts bounce at both ends."""
LONG = ((0.2, DOWN), (0.002, UP), (0.001, DOWN), (1.1, UP))
DOUBLE = ((0.2, DOWN), (0.09, UP), (0.15, DOWN), (0.08, UP), (0.001, DOWN), (0.001, UP))


class Wired:
    """Two seats with a button and a light each, and a buzzer, at a game of All Fives."""

    def __init__(self, revision: str = PI_4, in_view: bool = False) -> None:
        self.factory: MockFactory = board(revision)
        self.clock = Clock()
        wirings = [SeatWiring(seat, button=BUTTONS[seat], light=(LIGHTS[seat],), in_view=in_view) for seat in range(2)]
        self.seats = Seats(self.factory, wirings, BUZZER, clock=self.clock)
        self.fingers = [Finger(self.factory, self.seats, self.clock, pin) for pin in BUTTONS]
        self.table: Table = all_fives()
        self.show()

    def show(self, *prompts: Prompt, **more: bool) -> None:
        view = self.table.view()
        self.seats.show(view, [*prompts, *waits(view)], (), **more)

    def lights(self) -> list[float]:
        return [self.factory.pin(pin).state for pin in LIGHTS]


@pytest.fixture(params=[PI_4, PI_5])
def wired(request: pytest.FixtureRequest) -> Iterator[Wired]:
    wired = Wired(request.param)
    yield wired
    wired.seats.close()


def test_presses_say_the_words_of_the_moment(wired: Wired) -> None:
    assert wired.fingers[1].history(SHORT) == [(1, "stand")]
    assert wired.fingers[1].history(LONG) == [(1, "beg")]
    assert wired.fingers[1].history(DOUBLE) == []  # a third word is not on offer
    assert wired.fingers[0].history(SHORT) == []  # not the dealer's word yet
    do(wired.table, do="say", seat=1, word="beg")
    wired.show()
    assert wired.fingers[1].history(LONG) == []
    assert wired.fingers[0].history(LONG) == [(0, "change")]


def test_double_press_says_the_third_word() -> None:
    from engine.actions import Action
    from engine.record import Header

    table = Table(Header("fifteen", ("Ann", "Bo"), 0))
    table.do(Action.from_json({"do": "turn", "card": "4H"}))
    assert load_game("fifteen").words[2].name == "switch"
    factory, clock = board(), Clock()
    seats = Seats(factory, [SeatWiring(1, button=17)], clock=clock)
    seats.show(table.view(), [])
    assert Finger(factory, seats, clock, 17).history(DOUBLE) == [(1, "switch")]
    seats.close()


def test_late_press_says_nothing(wired: Wired) -> None:
    """The finger came down when seat 1 might still beg; it was said on the page before the finger was lifted."""
    wired.fingers[1].history([(0.2, DOWN)], rest=0.1)
    do(wired.table, do="say", seat=1, word="stand")
    wired.show()
    assert wired.fingers[1].history([(0.0, UP)]) == []


def test_referee_accepts_what_is_said(wired: Wired) -> None:
    referee = Referee(wired.table)
    wired.fingers[1].history(SHORT, rest=0.0)
    wired.clock.now += 1
    (word,) = wired.seats.tick()
    assert (word.source, word.time) == (SOURCE, wired.clock.now)
    referee.observe(word)
    assert wired.table.phase == "play"


def test_lights_follow_the_turn(wired: Wired) -> None:
    assert wired.lights() == [0.0, 1.0]
    do(wired.table, do="say", seat=1, word="beg")
    wired.show()
    assert wired.lights() == [1.0, 0.0]
    wired.seats.close()
    assert wired.lights() == [0.0, 0.0]


def test_card_to_take_back_blinks_and_sounds_once(wired: Wired) -> None:
    lit, buzzer = wired.factory.pin(LIGHTS[1]), wired.factory.pin(BUZZER)
    lit.clear_states()
    buzzer.clear_states()
    for _ in range(2):
        wired.show(Prompt("take-back", 1, "Bo: take back K♠, it is Ann’s turn.", True))
        wired.fingers[0].history([], rest=1.9)
    assert 8 <= sum(levels(wired.factory, LIGHTS[1])) <= 11  # on about every 0.4 s
    assert levels(wired.factory, BUZZER) == [0, 1, 0, 1, 0]


def test_accepted_press_sounds(wired: Wired) -> None:
    wired.factory.pin(BUZZER).clear_states()
    wired.fingers[0].history(SHORT)
    assert levels(wired.factory, BUZZER) == [0]
    wired.fingers[1].history(SHORT)
    assert levels(wired.factory, BUZZER) == [0, 1, 0]


def test_light_shows_the_winner_of_the_trick_and_then_the_turn(wired: Wired) -> None:
    do(wired.table, do="say", seat=1, word="stand")
    do(wired.table, do="play", seat=1, card="KS")
    events = do(wired.table, do="play", seat=0, card="2S")
    view = wired.table.view()
    wired.factory.pin(LIGHTS[1]).clear_states()
    wired.seats.show(view, waits(view), events)
    wired.fingers[0].history([], rest=WON_S + 1)
    assert levels(wired.factory, LIGHTS[1])[1:] in ([1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 1])
    assert wired.lights() == [0.0, 1.0]


def test_lights_in_view_of_the_camera_are_dimmed_and_never_blink() -> None:
    wired = Wired(in_view=True)
    wired.show(Prompt("take-back", 1, "Bo: take back K♠.", True), camera_reads=True)
    wired.factory.pin(LIGHTS[1]).clear_states()
    wired.fingers[0].history([], rest=5)
    assert levels(wired.factory, LIGHTS[1]) == [DIMMED]
    wired.show(camera_reads=False)  # the camera is lost: there is nothing to blind
    assert wired.lights() == [0.0, 1.0]
    wired.seats.close()


def test_rgb_light() -> None:
    factory, clock = board(), Clock()
    seats = Seats(factory, [SeatWiring(1, light=(5, 6, 13))], clock=clock)
    view = all_fives().view()
    seats.show(view, waits(view))
    assert [factory.pin(pin).state for pin in (5, 6, 13)] == [0.0, 1.0, 0.0]  # green: your turn
    seats.show(view, [Prompt("take-back", 1, "Bo: take back K♠.", True)])
    assert [factory.pin(pin).state for pin in (5, 6, 13)] == [1.0, 0.0, 0.0]
    seats.close()


# One click of an encoder clockwise, as its two contacts (a, b) give it; the other way round it turns back.
CLICK = ((0, 1), (0, 0), (1, 0), (1, 1))


def turn_knob(factory: MockFactory, pins: tuple[int, int], clicks: int) -> None:
    for _ in range(abs(clicks)):
        for a, b in CLICK if clicks > 0 else tuple(reversed(CLICK[:-1])) + CLICK[-1:]:
            for pin, high in zip(pins, (a, b), strict=True):
                (factory.pin(pin).drive_high if high else factory.pin(pin).drive_low)()


def test_encoder_selects_and_its_push_says() -> None:
    factory, clock, turned = board(PI_5), Clock(), []
    wiring = SeatWiring(1, button=16, encoder=(20, 21))
    seats = Seats(factory, [wiring], clock=clock)
    seats.when_rotated = lambda: turned.append(seats.chosen(1))
    seats.show(all_fives().view(), [])
    finger = Finger(factory, seats, clock, 16)
    assert seats.chosen(1) == "stand"
    turn_knob(factory, (20, 21), 1)
    assert finger.history(SHORT) == [(1, "beg")]
    turn_knob(factory, (20, 21), 2)
    turn_knob(factory, (20, 21), -1)
    assert finger.history(SHORT) == [(1, "stand")]
    assert finger.history(LONG) == []
    assert turned == ["beg", "stand", "beg", "stand"]
    # Turned while the button is down: the word selected now is not the one that was pushed.
    finger.history([(0.1, DOWN)], rest=0.1)
    turn_knob(factory, (20, 21), 1)
    assert finger.history([(0.1, UP)]) == []
    assert seats.chosen(0) is None
    seats.close()


def test_wrong_wiring_switches_nothing() -> None:
    factory = board()
    with pytest.raises(PinUsedTwice, match="for the buzzer and for the reset of the display"):
        Seats(factory, [SeatWiring(0, button=17)], 22, others=[PinUse(22, "the reset of the display")])
    assert factory.pins == {}


def test_busy_pins_raise_an_error_and_all_are_released() -> None:
    factory = board()
    first = Seats(factory, [SeatWiring(0, button=17)])
    with pytest.raises(PinBusy, match=r"GPIO17 .*stop the other program"):
        Seats(factory, [SeatWiring(0, button=4), SeatWiring(1, button=17)])
    first.close()
    Seats(factory, [SeatWiring(0, button=4), SeatWiring(1, button=17)]).close()
