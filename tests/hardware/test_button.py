"""Detection of presses from the changes of a bouncing contact."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.buttons import BOUNCE_TIME_S, DOUBLE_PRESS_S, HOLD_TIME_S, DetectedPress, PressDetector

# One press of about 0.1 s with contacts that bounce at both ends: (seconds, closed).
BOUNCING = (
    (0.0000, True), (0.0004, False), (0.0007, True), (0.0031, False), (0.0035, True),
    (0.0920, False), (0.0923, True), (0.0951, False),
)  # fmt: skip


def found(changes: list[tuple[float, bool]], polls: list[float]) -> list[DetectedPress]:
    """The presses, if the detector is polled at the times `polls` and once at the end."""
    detector, out = PressDetector(), []
    for time, closed in sorted([*changes, *((poll, None) for poll in polls)], key=lambda entry: entry[0]):
        if closed is None:
            out += detector.presses(time)
        else:
            detector.change(time, closed, ("go",))
    return out + detector.presses(1000.0)


def held(*spans: tuple[float, float]) -> list[tuple[float, bool]]:
    return [change for begin, end in spans for change in ((begin, True), (end, False))]


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        (list(BOUNCING), ["short"]),
        (held((0, 0.1)), ["short"]),
        (held((0, HOLD_TIME_S - 0.01)), ["short"]),
        (held((0, HOLD_TIME_S + 0.01)), ["long"]),
        (held((0, 0.1), (0.1 + DOUBLE_PRESS_S, 0.6)), ["double"]),
        (held((0, 0.1), (0.12 + DOUBLE_PRESS_S, 0.6)), ["short", "short"]),
        (held((0, 0.1), (0.3, 5.0)), ["double"]),  # holding the second press has no effect
        (held((0, 0.1), (0.2, 0.3), (0.4, 0.5)), ["double", "short"]),
        (held((0, 1.0), (1.1, 1.2)), ["long", "short"]),
        (held((0, BOUNCE_TIME_S * 0.9)), []),  # too short for a finger
        ([(0.0, True)], ["long"]),  # a button held down is one long press
    ],
)
def test_presses(changes: list[tuple[float, bool]], kinds: list[str]) -> None:
    assert [press.kind for press in found(changes, [])] == kinds


def test_press_is_reported_as_soon_as_it_is_complete() -> None:
    presses = PressDetector()
    presses.change(0.0, True, ("stand", "beg"))
    assert presses.presses(HOLD_TIME_S - 0.001) == []
    assert presses.presses(HOLD_TIME_S) == [DetectedPress("long", 0.0, ("stand", "beg"))]
    presses.change(1.0, False)
    presses.change(2.0, True)
    presses.change(2.1, False)
    assert presses.presses(2.1 + DOUBLE_PRESS_S - 0.001) == [] and presses.busy
    assert [press.kind for press in presses.presses(2.1 + DOUBLE_PRESS_S + 0.001)] == ["short"]
    assert not presses.busy


def test_press_has_the_words_of_its_start() -> None:
    presses = PressDetector()
    presses.change(0.0, True, ("stand", "beg"))
    presses.change(0.1, False, ("take-one", "change"))
    presses.change(0.2, True, ("take-one", "change"))
    (press,) = presses.presses(1.0)
    assert press == DetectedPress("double", 0.0, ("stand", "beg"))


steps = st.lists(st.integers(1, 400), min_size=1, max_size=30)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(steps, st.lists(st.integers(0, 8000), max_size=40))
def test_presses_do_not_depend_on_the_polling_times(gaps: list[int], polls: list[int]) -> None:
    time, changes = 0, []
    for number, gap in enumerate(gaps):
        time += gap
        changes.append((time / 1000, number % 2 == 0))
    # Half a millisecond off: what falls together with a change has no order of its own.
    looked = found(changes, [poll / 1000 + 0.0005 for poll in polls])
    assert looked == found(changes, [])
