"""The state of a light, and its brightness over time."""

from __future__ import annotations

import pytest

from engine.views import Event, Prompt
from hardware.signals import DIMMED, PATIENCE_S, LightState, brightness, has_won, light_state
from tests.hardware.bench import all_fives, do, waits


def test_only_the_seat_on_turn_is_lit() -> None:
    view = all_fives(3).view()
    assert [light_state(view, waits(view), seat) for seat in range(3)] == ["off", "turn", "off"]


@pytest.mark.parametrize("kind", ["take-back", "put-back", "two-cards", "misread"])
def test_card_to_take_back_has_priority(kind: str) -> None:
    view = all_fives().view()
    prompts = [Prompt(kind, 1, "Bo: take back K♠.", True), *waits(view)]
    assert light_state(view, prompts, 1) == "take-back"
    assert light_state(view, prompts, 0) == "off"


def test_seat_asked_without_being_on_turn_waits() -> None:
    table = all_fives()
    do(table, do="undo")
    view = table.view()  # the dealer must deal and turn a card up: no seat is on turn
    assert view.turn is None
    assert [light_state(view, waits(view), seat) for seat in range(2)] == ["waiting", "off"]


def test_winners() -> None:
    table = all_fives()
    do(table, do="say", seat=1, word="stand")
    do(table, do="play", seat=1, card="KS")
    events = do(table, do="play", seat=0, card="2S")
    view = table.view()
    assert [has_won(view, events, seat) for seat in range(2)] == [False, True]
    assert not has_won(view, (), 1)
    assert not has_won(view, (Event("game-over", ends="game"),), 1)  # the view has no winner


@pytest.mark.parametrize(
    ("kind", "times", "levels"),
    [
        ("off", (0.0, 9.0), [0.0, 0.0]),
        ("turn", (0.0, PATIENCE_S - 0.1), [1.0, 1.0]),
        ("turn", (PATIENCE_S + 0.5, PATIENCE_S + 1.5, PATIENCE_S + 2.5), [1.0, 0.0, 1.0]),
        ("take-back", (0.1, 0.3, 0.5), [1.0, 0.0, 1.0]),
        ("won", (0.1, 0.5, 0.9, 1.3), [1.0, 0.0, 1.0, 0.0]),
    ],
)
def test_rhythms(kind: LightState, times: tuple[float, ...], levels: list[float]) -> None:
    assert [brightness(kind, 50.0, 50.0 + time) for time in times] == levels


@pytest.mark.parametrize("kind", ["turn", "waiting", "take-back", "won"])
def test_light_in_view_of_the_camera_never_blinks(kind: LightState) -> None:
    times = [number / 10 for number in range(600)]
    assert {brightness(kind, 0.0, time, in_view=True, camera_reads=True) for time in times} == {DIMMED}
    assert {brightness(kind, 0.0, time, in_view=True) for time in times} == {1.0}
    assert brightness("off", 0.0, 1.0, in_view=True) == 0.0
