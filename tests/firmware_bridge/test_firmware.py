"""The real firmware, compiled for the ATmega328P and run by a simulator, with the real bridge at its port."""

from __future__ import annotations

import random
from functools import partial

import pytest

from firmware_bridge.link import Met
from firmware_bridge.messages import News, State, Status
from firmware_bridge.simulated import SimulatedBoard
from tests.firmware_bridge.boards import Talk


def test_tags_of_both_lengths_on_all_eight_readers(board: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    tags = [(reader, uid) for reader in range(8) for uid in (f"04a1b2c{reader}", f"0411223344556{reader}")]
    for reader, uid in tags:
        board.lay(reader, uid)
    talk.until(lambda: len(talk.events) == 16)
    assert sorted(talk.told(News.LAID)) == sorted(tags)
    for reader, uid in tags[::2]:
        board.lift(reader, uid)
    talk.until(lambda: len(talk.events) == 24)
    assert sorted(talk.told(News.LIFTED)) == sorted(tags[::2])
    assert talk.once_and_in_order()


def test_tags_that_differ_in_any_bit_are_told_apart(board: SimulatedBoard, talk: Talk) -> None:
    """Six at a time on one reader, alike but for a bit or two: the collisions are resolved."""
    rng = random.Random(5)
    talk.meet()
    for length in (4, 7, 7):
        before = len(talk.events)
        first = bytes((4,)) + rng.randbytes(length - 1)
        alike = {first}
        while len(alike) < 6:
            changed = bytearray(rng.choice(sorted(alike)))
            changed[rng.randrange(1, length)] ^= 1 << rng.randrange(8)
            alike.add(bytes(changed))
        uids = sorted(uid.hex() for uid in alike)
        for uid in uids:
            board.lay(4, uid)
        talk.until(partial(talk.has, before + 6))
        for uid in uids:
            board.lift(4, uid)
        talk.until(partial(talk.has, before + 12))
        assert sorted(event.uid for event in talk.events[before : before + 6]) == uids


def test_fast_changes_end_with_what_lies_there(board: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    rng = random.Random(6)
    lying: set[tuple[int, str]] = set()
    for _ in range(60):
        spot = (rng.randrange(3), f"04a1b2c{rng.randrange(3)}")
        (board.lift if spot in lying else board.lay)(*spot)
        lying ^= {spot}
        talk.pass_board_time(board, rng.choice((0.0, 0.02, 0.1)))
    talk.until(lambda: talk.lying() == lying)
    talk.pass_board_time(board, 0.5)
    assert talk.lying() == lying
    assert talk.once_and_in_order()


@pytest.mark.parametrize("noise", [0.0, 0.005, 0.02, 0.05])
def test_on_a_bad_line_nothing_is_lost_doubled_or_out_of_order(board: SimulatedBoard, talk: Talk, noise: float) -> None:
    board.noise(noise, seed=11)
    talk.meet()
    rng = random.Random(8)
    deeds: list[tuple[News, int, str]] = []
    for number in range(16):
        spot = number % 8, f"{rng.getrandbits(32) | 1:08x}"
        board.lay(*spot)
        deeds.append((News.LAID, *spot))
        if number % 3 == 2:
            talk.until(partial(talk.has, len(deeds)))
            board.lift(*spot)
            deeds.append((News.LIFTED, *spot))
    talk.until(lambda: len(talk.events) == len(deeds))
    talk.pass_board_time(board, 0.3)
    assert sorted((event.news, event.index, event.uid) for event in talk.events) == sorted(deeds)
    assert talk.once_and_in_order()
    # Without noise only the frame may be damaged in whose middle the host joined.
    assert talk.bridge.link.damaged > 0 if noise else talk.bridge.link.damaged <= 1


def seconds_for_events(board: SimulatedBoard, talk: Talk, count: int) -> float:
    """What `count` events take, on the board's own clock."""
    first = len(talk.events)
    start = asked = board.time
    talk.bridge.link.ask_for_tests(count)

    def done() -> bool:
        nonlocal asked
        if len(talk.events) == first and board.time > asked + 0.1:  # the question was lost
            asked = board.time
            talk.bridge.link.ask_for_tests(count)
        return len(talk.events) >= first + count

    talk.until(done)
    return board.time - start


def test_with_two_faults_in_a_hundred_bytes_a_third_of_the_events_comes_through(
    board: SimulatedBoard, talk: Talk
) -> None:
    talk.meet()
    clean = seconds_for_events(board, talk, 400)
    board.noise(0.02, seed=12)
    noisy = seconds_for_events(board, talk, 400)
    assert noisy < 3 * clean
    assert talk.once_and_in_order()


def test_a_reset_in_the_middle_is_told_and_the_state_decides(board: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    board.lay(0, "04a1b2c0")
    board.lay(1, "04a1b2c1")
    talk.until(lambda: len(talk.events) == 2)
    board.reset()
    board.lift(1, "04a1b2c1")
    board.lay(2, "04a1b2c2")
    talk.until(lambda: len(talk.met) == 2)
    seen = len(talk.news)
    talk.until(lambda: len({s.index for s in talk.news[seen:] if isinstance(s, State)}) == 8)
    assert talk.met[1].anew
    states = {state.index: set(state.uids) for state in talk.of(State)}
    assert {index for index, uids in states.items() if uids} == {0, 2}
    assert talk.once_and_in_order()
    assert talk.met[0].hello.boot != talk.met[1].hello.boot


def test_the_watchdog_ends_an_endless_loop(board: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    board.wedge()
    talk.until(lambda: len(talk.met) == 2)
    assert talk.met[1].hello.why_started == "watchdog"


def test_unplugged_and_plugged_in_again(board: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    board.lay(0, "04a1b2c0")
    talk.until(lambda: len(talk.events) == 1)
    board.plug(False)
    talk.until(lambda: bool(talk.troubles))
    assert talk.troubles == [f"The board's cable is out ({board.port}): plug it in again."]
    board.lay(1, "04a1b2c1")
    board.lift(0, "04a1b2c0")
    talk.pass_board_time(board, 0.5)
    board.plug(True)
    talk.until(lambda: len(talk.events) == 3)
    assert [met.anew for met in talk.met] == [True, False]
    assert talk.lying() == {(1, "04a1b2c1")}
    assert talk.once_and_in_order()


def test_a_board_without_power_is_told_and_found_again(board: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    board.power(False)
    talk.until(lambda: bool(talk.troubles))
    assert "does not answer" in talk.troubles[0]
    board.power(True)
    talk.until(lambda: len(talk.met) == 2)
    assert talk.met[1].anew


def test_the_program_dies_and_starts_again(board: SimulatedBoard) -> None:
    first = Talk(board)
    first.meet()
    board.lay(0, "04a1b2c0")
    first.until(lambda: len(first.events) == 1)
    first.storing = False
    board.lay(1, "04a1b2c1")
    first.until(lambda: len(first.events) == 2)
    mark = first.bridge.link.mark
    first.close()
    board.lay(2, "04a1b2c2")
    second = Talk(board, mark)
    second.until(lambda: len(second.events) == 2)
    assert [met.anew for met in second.met] == [False]
    assert [event.uid for event in second.events] == ["04a1b2c1", "04a1b2c2"]
    second.until(lambda: any(state.index == 0 for state in second.of(State)))
    assert next(state for state in second.of(State) if state.index == 0).uids == ("04a1b2c0",)
    second.close()


def test_a_queue_that_fills_while_nothing_is_stored(board: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    talk.storing = False
    tags = [(reader, f"{reader}{number}a1b2c3") for reader in range(8) for number in range(5)]
    for reader, uid in tags:
        board.lay(reader, uid)
    talk.until(lambda: len(talk.events) == 32)
    for reader, uid in tags[:10]:
        board.lift(reader, uid)
    talk.pass_board_time(board, 0.6)
    assert len(talk.events) == 32
    talk.storing = True
    talk.bridge.stored(talk.events[-1])
    talk.until(lambda: talk.lying() == set(tags[10:]))
    assert talk.once_and_in_order()


def test_a_reader_that_hangs_is_reset_and_one_that_came_off_is_told(board: SimulatedBoard, talk: Talk) -> None:
    board.lay(2, "04a1b2c2")
    talk.meet()
    board.hang(2)
    talk.until(lambda: talk.told(News.WORKS) == [(2, "")])
    board.attach(5, False)
    talk.until(lambda: talk.told(News.FAULT) == [(2, ""), (5, "")])
    board.lay(5, "04a1b2c5")
    board.attach(5, True)
    talk.until(lambda: talk.told(News.WORKS) == [(2, ""), (5, "")])
    assert (5, "04a1b2c5") in talk.told(News.LAID)
    assert talk.told(News.LIFTED) == []


def test_a_reader_that_was_never_there_is_broken_and_the_others_work(board: SimulatedBoard) -> None:
    board.attach(7, False)
    board.reset()
    talk = Talk(board)
    talk.meet()
    states = {state.index: state.status for state in talk.of(State)}
    assert states == {index: Status.BROKEN if index == 7 else Status.WORKING for index in range(8)}
    talk.close()


def test_buttons_and_lights(board: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    talk.bridge.link.lights(0b101)
    board.press(1, True)
    talk.until(lambda: board.lights == 0b101 and talk.told(News.PRESSED) == [(1, "")])
    board.press(1, False)
    talk.until(lambda: talk.told(News.RELEASED) == [(1, "")])
    board.reset()
    talk.until(lambda: len(talk.met) == 2 and board.lights == 0b101)


def test_the_greeting_says_who_the_board_is(board: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    hello = talk.met[0].hello
    assert isinstance(talk.met[0], Met)
    assert (hello.protocol, hello.firmware, hello.readers, hello.buttons, hello.lights) == (1, "1.0", 8, 3, 3)
    assert hello.why_started == "power came"
