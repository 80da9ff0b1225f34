"""The real firmware on a bad line: nothing is lost, doubled or out of order, and it goes the same way every time."""

from __future__ import annotations

import random
from functools import partial

import pytest

from firmware_bridge.messages import EventKind, State
from firmware_bridge.simulated import SimulatedBoard
from tests.firmware_bridge.boards import Talk


@pytest.mark.parametrize("seed", [11, 12, 13])
@pytest.mark.parametrize("noise", [0.0, 0.005, 0.02, 0.05])
def test_on_a_bad_line_nothing_is_lost_doubled_or_out_of_order(
    stepped: SimulatedBoard, talk: Talk, noise: float, seed: int
) -> None:
    stepped.noise(noise, seed)
    talk.meet()
    rng = random.Random(8)
    deeds: list[tuple[EventKind, int, str]] = []
    for number in range(40):
        spot = number % 8, f"{rng.getrandbits(32) | 1:08x}"
        stepped.lay(*spot)
        deeds.append((EventKind.LAID, *spot))
        if number % 3 == 2:
            talk.until(partial(talk.has, len(deeds)))
            stepped.lift(*spot)
            deeds.append((EventKind.LIFTED, *spot))
    talk.until(lambda: len(talk.events) == len(deeds))
    talk.pass_board_time(stepped, 0.3)
    assert sorted((event.kind, event.index, event.uid) for event in talk.events) == sorted(deeds)
    assert talk.once_and_in_order()
    # Without noise only the frame may be damaged in whose middle the host joined.
    assert talk.bridge.link.bad_frames > 0 if noise else talk.bridge.link.bad_frames <= 1


def seconds_for_events(stepped: SimulatedBoard, talk: Talk, count: int) -> float:
    """What `count` events take, on the board's own clock."""
    first = len(talk.events)
    start = asked = stepped.time
    talk.bridge.link.request_test_events(count)

    def done() -> bool:
        nonlocal asked
        if len(talk.events) == first and stepped.time > asked + 0.1:  # the question was lost
            asked = stepped.time
            talk.bridge.link.request_test_events(count)
        return len(talk.events) >= first + count

    talk.until(done)
    return stepped.time - start


def test_with_two_faults_in_a_hundred_bytes_a_third_of_the_events_comes_through(
    stepped: SimulatedBoard, talk: Talk
) -> None:
    talk.meet()
    clean = seconds_for_events(stepped, talk, 400)
    for seed in (12, 13, 14):
        stepped.noise(0.02, seed)
        noisy = seconds_for_events(stepped, talk, 400)
        assert noisy < 3 * clean
    assert talk.once_and_in_order()


def test_a_reset_while_events_stream_over_a_bad_line(stepped: SimulatedBoard, talk: Talk) -> None:
    """Each start's events come without a gap; what the board had not got through at the reset is lost, and no more."""
    talk.meet()
    tags = [(reader, f"{reader}{number}a1b2c3") for reader in range(8) for number in range(3)]
    for reader, uid in tags:
        stepped.lay(reader, uid)
    stepped.noise(0.02, seed=15)
    talk.bridge.link.request_test_events(500)
    talk.until(lambda: len(talk.events) > 200)
    stepped.reset()
    talk.until(lambda: len(talk.met) == 2)
    seen = len(talk.updates)
    talk.until(lambda: len({s.index for s in talk.updates[seen:] if isinstance(s, State)}) == 8)
    states = {state.index: set(state.uids) for state in talk.of(State)}
    assert {(index, uid) for index, uids in states.items() for uid in uids} == set(tags)
    assert talk.once_and_in_order()


def test_the_same_happens_the_same_way_every_time() -> None:
    runs = []
    for _ in range(2):
        with SimulatedBoard(boot=7, stepped=True) as board:
            talk = Talk(board)
            board.noise(0.02, seed=3)
            talk.meet()
            for number in range(20):
                board.lay(number % 8, f"04a1b2{number:02x}")
            talk.until(partial(talk.has, 20))
            runs.append((board.time, board.sent, talk.updates))
            talk.close()
    assert runs[0] == runs[1]
