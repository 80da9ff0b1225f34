"""The real firmware, compiled for the ATmega328P and run by a simulator, with the real bridge at its port."""

from __future__ import annotations

import random
from functools import partial

import pytest

from firmware_bridge.link import Connected
from firmware_bridge.messages import EventKind, ReaderStatus, State
from firmware_bridge.simulated import SimulatedBoard
from tests.firmware_bridge.boards import Talk

pytestmark = pytest.mark.slow


def test_tags_of_both_lengths_on_all_eight_readers(stepped: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    tags = [(reader, uid) for reader in range(8) for uid in (f"04a1b2c{reader}", f"0411223344556{reader}")]
    for reader, uid in tags:
        stepped.lay(reader, uid)
    talk.until(lambda: len(talk.events) == 16)
    assert sorted(talk.seen(EventKind.LAID)) == sorted(tags)
    for reader, uid in tags[::2]:
        stepped.lift(reader, uid)
    talk.until(lambda: len(talk.events) == 24)
    assert sorted(talk.seen(EventKind.LIFTED)) == sorted(tags[::2])
    assert talk.once_and_in_order()


def test_tags_that_differ_in_one_bit_are_distinguished(stepped: SimulatedBoard, talk: Talk) -> None:
    """Six at a time on one reader, which differ in one or two bits: the collisions are resolved."""
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
            stepped.lay(4, uid)
        talk.until(partial(talk.has, before + 6))
        for uid in uids:
            stepped.lift(4, uid)
        talk.until(partial(talk.has, before + 12))
        assert sorted(event.uid for event in talk.events[before : before + 6]) == uids


def test_fast_changes_end_in_the_right_state(stepped: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    rng = random.Random(6)
    lying: set[tuple[int, str]] = set()
    for _ in range(30):
        spot = (rng.randrange(3), f"04a1b2c{rng.randrange(3)}")
        (stepped.lift if spot in lying else stepped.lay)(*spot)
        lying ^= {spot}
        talk.pass_board_time(stepped, rng.choice((0.0, 0.02, 0.1)))
    talk.until(lambda: talk.lying() == lying)
    talk.pass_board_time(stepped, 0.5)
    assert talk.lying() == lying
    assert talk.once_and_in_order()


def test_states_correct_what_a_reset_has_lost(stepped: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    stepped.lay(0, "04a1b2c0")
    stepped.lay(1, "04a1b2c1")
    talk.until(lambda: len(talk.events) == 2)
    stepped.reset()
    stepped.lift(1, "04a1b2c1")
    stepped.lay(2, "04a1b2c2")
    talk.until(lambda: len(talk.met) == 2)
    seen = len(talk.updates)
    talk.until(lambda: len({s.index for s in talk.updates[seen:] if isinstance(s, State)}) == 8)
    assert talk.met[1].restarted
    states = {state.index: set(state.uids) for state in talk.of(State)}
    assert {index for index, uids in states.items() if uids} == {0, 2}
    assert talk.once_and_in_order()
    assert talk.met[0].hello.boot != talk.met[1].hello.boot


def test_tags_with_random_identifiers_are_ignored(stepped: SimulatedBoard, talk: Talk) -> None:
    """For example a phone on a reader."""
    talk.meet()
    stepped.lay(0, "08112233")
    stepped.lay(0, "04a1b2c3")
    talk.until(lambda: bool(talk.events))
    talk.pass_board_time(stepped, 1.0)
    assert talk.seen(EventKind.LAID) == [(0, "04a1b2c3")]


def test_of_too_many_tags_the_first_six_are_kept(stepped: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    first = [f"0{number}000000" for number in range(1, 7)]
    for uid in first:
        stepped.lay(0, uid)
    talk.until(partial(talk.has, 6))
    for number in range(4):
        stepped.lay(0, f"f{number}ffffff")
    talk.pass_board_time(stepped, 2.0)
    assert sorted(talk.seen(EventKind.LAID)) == [(0, uid) for uid in first]
    assert talk.seen(EventKind.LIFTED) == []


def test_watchdog_ends_an_endless_loop(stepped: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    stepped.wedge()
    talk.until(lambda: len(talk.met) == 2)
    assert talk.met[1].hello.why_started == "its program had stopped, and the watchdog ended it"


def test_unplugged_and_plugged_in_again(stepped: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    stepped.lay(0, "04a1b2c0")
    talk.until(lambda: len(talk.events) == 1)
    stepped.plug(False)
    talk.until(lambda: bool(talk.troubles))
    assert talk.troubles == [f"The reader board's cable is unplugged ({stepped.port}): plug it in again."]
    stepped.lay(1, "04a1b2c1")
    stepped.lift(0, "04a1b2c0")
    talk.pass_board_time(stepped, 0.5)
    stepped.plug(True)
    talk.until(lambda: len(talk.events) == 3)
    assert [met.restarted for met in talk.met] == [True, False]
    assert talk.lying() == {(1, "04a1b2c1")}
    assert talk.once_and_in_order()


def test_power_failure_is_reported_and_the_board_found_again(stepped: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    stepped.power(False)
    talk.until(lambda: bool(talk.troubles))
    assert "does not answer" in talk.troubles[0]
    stepped.power(True)
    talk.until(lambda: len(talk.met) == 2)
    assert talk.met[1].restarted


def test_program_restarts_at_its_checkpoint(stepped: SimulatedBoard) -> None:
    first = Talk(stepped)
    first.meet()
    stepped.lay(0, "04a1b2c0")
    first.until(lambda: len(first.events) == 1)
    first.storing = False
    stepped.lay(1, "04a1b2c1")
    first.until(lambda: len(first.events) == 2)
    checkpoint = first.bridge.link.checkpoint
    first.close()
    stepped.lay(2, "04a1b2c2")
    second = Talk(stepped, checkpoint)
    second.until(lambda: len(second.events) == 2)
    assert [met.restarted for met in second.met] == [False]
    assert [event.uid for event in second.events] == ["04a1b2c1", "04a1b2c2"]
    second.until(lambda: any(state.index == 0 for state in second.of(State)))
    assert next(state for state in second.of(State) if state.index == 0).uids == ("04a1b2c0",)
    second.close()


def test_closing_acknowledges_what_is_stored(stepped: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    stepped.lay(0, "04a1b2c0")
    talk.until(lambda: len(talk.events) == 1)
    talk.close()
    stepped.run(0.05)
    next_one = Talk(stepped)
    next_one.meet()
    assert next_one.events == [] and next_one.met[0].hello.oldest == 1
    next_one.close()


def test_queue_that_fills_while_nothing_is_stored(stepped: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    talk.storing = False
    tags = [(reader, f"{reader}{number}a1b2c3") for reader in range(8) for number in range(5)]
    for reader, uid in tags:
        stepped.lay(reader, uid)
    talk.until(lambda: len(talk.events) == 32)
    for reader, uid in tags[:10]:
        stepped.lift(reader, uid)
    talk.pass_board_time(stepped, 0.6)
    assert len(talk.events) == 32
    talk.storing = True
    talk.bridge.stored(talk.events[-1])
    talk.until(lambda: talk.lying() == set(tags[10:]))
    assert talk.once_and_in_order()


def test_hanging_reader_is_reset_and_disconnected_one_is_reported(stepped: SimulatedBoard, talk: Talk) -> None:
    stepped.lay(2, "04a1b2c2")
    talk.meet()
    stepped.hang(2)
    talk.until(lambda: talk.seen(EventKind.WORKS) == [(2, "")])
    stepped.attach(5, False)
    talk.until(lambda: talk.seen(EventKind.FAULT) == [(2, ""), (5, "")])
    stepped.lay(5, "04a1b2c5")
    stepped.attach(5, True)
    talk.until(lambda: talk.seen(EventKind.WORKS) == [(2, ""), (5, "")])
    assert (5, "04a1b2c5") in talk.seen(EventKind.LAID)
    assert talk.seen(EventKind.LIFTED) == []


def test_reader_without_settings_is_reset_by_its_pin(stepped: SimulatedBoard, talk: Talk) -> None:
    """Its registers still answer, and a reset by command does not reach it."""
    stepped.lay(2, "04a1b2c2")
    talk.meet()
    stepped.lose_settings(2)
    talk.until(lambda: talk.seen(EventKind.WORKS) == [(2, "")])
    stepped.lift(2, "04a1b2c2")
    talk.until(lambda: talk.seen(EventKind.LIFTED) == [(2, "04a1b2c2")])
    assert talk.seen(EventKind.FAULT) == [(2, "")]


def test_tag_lifted_from_a_broken_reader_during_a_restart_is_noticed(stepped: SimulatedBoard, talk: Talk) -> None:
    """The restarted reader board does not know the tag and sends no event when it is gone, but the state shows it."""
    stepped.lay(2, "04a1b2c2")
    talk.meet()
    stepped.attach(2, False)
    talk.until(lambda: talk.seen(EventKind.FAULT) == [(2, "")])
    stepped.reset()
    talk.until(lambda: len(talk.met) == 2)
    talk.until(lambda: talk.of(State)[-1].status is ReaderStatus.BROKEN)
    stepped.lift(2, "04a1b2c2")
    stepped.attach(2, True)
    talk.until(lambda: (2, ReaderStatus.WORKING, ()) in [(s.index, s.status, s.uids) for s in talk.of(State)[-1:]])
    assert talk.seen(EventKind.WORKS) == [(2, "")]


def test_missing_reader_is_broken_and_the_others_work(stepped: SimulatedBoard) -> None:
    stepped.attach(7, False)
    stepped.reset()
    talk = Talk(stepped)
    talk.meet()
    states = {state.index: state.status for state in talk.of(State)}
    assert states == {index: ReaderStatus.BROKEN if index == 7 else ReaderStatus.WORKING for index in range(8)}
    talk.close()


def test_buttons_and_lights(stepped: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    talk.bridge.link.set_lights(0b101)
    stepped.press(1, True)
    talk.until(lambda: stepped.lights == 0b101 and talk.seen(EventKind.PRESSED) == [(1, "")])
    stepped.press(1, False)
    talk.until(lambda: talk.seen(EventKind.RELEASED) == [(1, "")])
    stepped.reset()
    talk.until(lambda: len(talk.met) == 2 and stepped.lights == 0b101)


def test_greeting_describes_the_board(stepped: SimulatedBoard, talk: Talk) -> None:
    talk.meet()
    hello = talk.met[0].hello
    assert isinstance(talk.met[0], Connected)
    assert (hello.protocol, hello.firmware, hello.readers, hello.buttons, hello.lights) == (1, "1.1", 8, 3, 3)
    assert hello.why_started == "its power came"
