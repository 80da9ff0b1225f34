"""Waiting for any key, on a real pseudo-terminal."""

from __future__ import annotations

import os
import select
import termios
from collections.abc import Iterator

import pytest

from cardtable.terminal.input import any_key


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a terminal: the keyboard, and the program's standard input."""
    keyboard, program = os.openpty()
    yield keyboard, program
    os.close(keyboard)
    os.close(program)


def test_a_key_counts_without_enter(terminal: tuple[int, int]) -> None:
    keyboard, program = terminal
    before = termios.tcgetattr(program)
    with any_key(program) as pressed:
        assert pressed is not None and not pressed()
        os.write(keyboard, b"x")
        select.select([program], [], [], 10)  # until it has gone through the terminal
        assert pressed()
    assert termios.tcgetattr(program) == before


def test_without_a_terminal_there_is_no_key() -> None:
    with open(os.devnull, "rb") as nothing, any_key(nothing.fileno()) as pressed:
        assert pressed is None
