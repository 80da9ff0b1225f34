"""The core's readers and buttons: laid, lifted, debounced, broken."""

from __future__ import annotations

import random

import pytest

from firmware_bridge.link import Link
from firmware_bridge.messages import EventKind, State
from tests.firmware_bridge.core import Core, Line


def events(core: Core) -> list[tuple[EventKind, int, str]]:
    line = Line(core, Link())
    line.run(300)
    return [(event.kind, event.index, event.uid) for event in line.events]


def scan(core: Core, reader: int, *uids: str, complete: bool = True) -> None:
    end = f"end {reader}" if complete else f"end {reader} x"
    core.ask_all(["begin", *(f"saw {reader} {uid}" for uid in uids), end])


def test_tag_is_lifted_after_three_missed_scans(core: Core) -> None:
    scan(core, 0, "0a")
    for _ in range(5):
        scan(core, 0)
        scan(core, 0)
        scan(core, 0, "0a")
    for _ in range(3):
        scan(core, 0)
    scan(core, 0)
    assert events(core) == [(EventKind.LAID, 0, "0a"), (EventKind.LIFTED, 0, "0a")]


def test_disturbed_scan_lifts_nothing(core: Core) -> None:
    scan(core, 0, "0a")
    for _ in range(10):
        scan(core, 0, complete=False)
    assert events(core) == [(EventKind.LAID, 0, "0a")]


def test_six_tags_per_reader(core: Core) -> None:
    tags = [f"{number:014x}" for number in range(1, 8)]
    scan(core, 2, *tags)
    scan(core, 2, *tags)
    assert events(core) == [(EventKind.LAID, 2, tag) for tag in tags[:6]]


def test_only_missing_tags_are_lifted(core: Core) -> None:
    scan(core, 0, "01", "02", "03", "04")
    for _ in range(3):
        scan(core, 0, "02", "04")
    scan(core, 0, "04", "02")
    laid = [(EventKind.LAID, 0, tag) for tag in ("01", "02", "03", "04")]
    assert events(core) == [*laid, (EventKind.LIFTED, 0, "01"), (EventKind.LIFTED, 0, "03")]


def test_broken_reader_is_reported_once_and_lifts_nothing(core: Core) -> None:
    scan(core, 1, "0a")
    for _ in range(5):
        core.ask("broken 1")
    for _ in range(3):
        scan(core, 1, "0a")
    assert events(core) == [(EventKind.LAID, 1, "0a"), (EventKind.FAULT, 1, ""), (EventKind.WORKS, 1, "")]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(4))
def test_random_scans_are_reflected_in_the_events(core: Core, seed: int) -> None:
    """Random tags, missed scans, disturbances and broken readers, on a noisy line to a program that stores slowly."""
    rng = random.Random(seed)
    line = Line(core, Link(), noise=0.02, seed=seed)
    lying: set[tuple[int, str]] = set()
    tags = [f"{number:08x}" for number in range(1, 7)]
    line.stored = lambda event: rng.random() < 0.7
    for _ in range(500):
        reader = rng.randrange(8)
        if rng.random() < 0.05:
            core.ask(f"broken {reader}")
            continue
        lying ^= {(reader, rng.choice(tags))}
        seen = [uid for at, uid in sorted(lying) if at == reader and rng.random() < 0.9]
        scan(core, reader, *seen, complete=rng.random() < 0.8)
        line.run(rng.randrange(6))
    line.stored = lambda event: True
    for _ in range(12):
        for reader in range(8):
            scan(core, reader, *(uid for at, uid in sorted(lying) if at == reader))
        line.run(200)
    assert [event.number for event in line.events] == list(range(len(line.events)))
    received: set[tuple[int, str]] = set()
    for event in line.events:
        if event.kind in (EventKind.LAID, EventKind.LIFTED):
            assert ((event.index, event.uid) in received) == (event.kind is EventKind.LIFTED)
            received ^= {(event.index, event.uid)}
    assert received == lying and len(line.events) > 200
    broken = {(e.index, e.kind) for e in line.events if e.kind in (EventKind.FAULT, EventKind.WORKS)}
    assert {index for index, update in broken if update is EventKind.FAULT} == {
        i for i, n in broken if n is EventKind.WORKS
    }


def test_a_button_that_bounces_is_pressed_once(core: Core) -> None:
    for time, down in (
        (0, 0),
        (100, 1),
        (103, 0),
        (105, 1),
        (110, 1),
        (126, 1),
        (127, 1),
        (300, 0),
        (301, 1),
        (310, 0),
        (331, 0),
    ):
        core.ask_all((f"time {time}", f"buttons {down}"))
    assert events(core) == [(EventKind.PRESSED, 0, ""), (EventKind.RELEASED, 0, "")]


def test_bouncing_button_does_not_block_others(core: Core) -> None:
    for time in range(0, 200, 5):
        core.ask_all((f"time {time}", f"buttons {time // 5 % 2 | 2}"))
    assert events(core) == [(EventKind.PRESSED, 1, "")]


def states(core: Core) -> set[int]:
    """The readers whose state the reader board sends."""
    line = Line(core, Link())
    line.run(300)
    return {state.index for state in line.updates if isinstance(state, State)}


def test_state_is_known_after_three_scans(core: Core) -> None:
    scan(core, 0, "0a")
    scan(core, 0)
    assert states(core) == set()
    scan(core, 0, "0a")
    assert states(core) == {0}


def test_state_is_known_after_twelve_disturbed_scans(core: Core) -> None:
    for _ in range(11):
        scan(core, 0, complete=False)
    assert states(core) == set()
    scan(core, 0, complete=False)
    assert states(core) == {0}


@pytest.mark.parametrize(("complete", "scans"), [(True, 3), (False, 12)])
def test_broken_reader_works_again_after_enough_scans(core: Core, complete: bool, scans: int) -> None:
    core.ask("broken 1")
    for _ in range(scans - 1):
        scan(core, 1, complete=complete)
    assert events(core) == [(EventKind.FAULT, 1, "")] and states(core) == set()
    scan(core, 1, complete=complete)
    assert events(core) == [(EventKind.WORKS, 1, "")] and states(core) == {1}


def test_loose_contact_is_reported_once(core: Core) -> None:
    """A loose wire must not fill the queue or the screen."""
    for _ in range(20):
        core.ask("broken 1")
        scan(core, 1)
    assert events(core) == [(EventKind.FAULT, 1, "")]


def test_tag_with_a_random_identifier_is_ignored(core: Core) -> None:
    scan(core, 0, "08112233", "0811223344556677"[:14], "04112233")
    assert events(core) == [(EventKind.LAID, 0, "08112233445566"), (EventKind.LAID, 0, "04112233")]
