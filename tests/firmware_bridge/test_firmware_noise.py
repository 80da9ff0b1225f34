"""The real firmware on a noisy line: no loss, no duplicates, no disorder, and the same result in every run."""

from __future__ import annotations

import random
from functools import partial

import pytest

from firmware_bridge.messages import EventKind, State
from firmware_bridge.simulated import SimulatedBoard
from tests.firmware_bridge.boards import Talk

pytestmark = pytest.mark.slow


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("noise", "seed"),
    [
        *((0.0, 11), (0.005, 12), (0.02, 13), (0.05, 11)),
        *(pytest.param(noise, seed, marks=pytest.mark.long) for noise in (0.005, 0.02, 0.05) for seed in (14, 15, 16)),
    ],
)
def test_noise_causes_no_loss_duplicate_or_disorder(
    stepped: SimulatedBoard, talk: Talk, noise: float, seed: int
) -> None:
    stepped.noise(noise, seed)
    talk.meet()
    rng = random.Random(8)
    deeds: list[tuple[EventKind, int, str]] = []
    for number in range(15):
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
    # Without noise only the frame in progress when the host connected may be damaged.
    assert talk.bridge.link.bad_frames > 0 if noise else talk.bridge.link.bad_frames <= 1


def seconds_for_events(stepped: SimulatedBoard, talk: Talk, count: int) -> float:
    """How long `count` events take on the reader board's clock, seconds."""
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


def test_throughput_with_two_percent_noise(stepped: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    clean = seconds_for_events(stepped, talk, 200)
    stepped.noise(0.02, seed=12)
    assert seconds_for_events(stepped, talk, 200) < 3 * clean
    assert talk.once_and_in_order()


def test_reset_during_a_stream_of_events_with_noise(stepped: SimulatedBoard, talk: Talk) -> None:
    """The events of each boot arrive without a gap; only those that were not delivered before the reset are lost."""
    talk.meet()
    tags = [(reader, f"{reader}{number}a1b2c3") for reader in range(8) for number in range(2)]
    for reader, uid in tags:
        stepped.lay(reader, uid)
    stepped.noise(0.02, seed=15)
    talk.bridge.link.request_test_events(150)
    talk.until(lambda: len(talk.events) > 60)
    stepped.reset()
    talk.until(lambda: len(talk.met) == 2)
    seen = len(talk.updates)
    talk.until(lambda: len({s.index for s in talk.updates[seen:] if isinstance(s, State)}) == 8)
    states = {state.index: set(state.uids) for state in talk.of(State)}
    assert {(index, uid) for index, uids in states.items() for uid in uids} == set(tags)
    assert talk.once_and_in_order()


def test_stepped_boards_are_deterministic() -> None:
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
