"""How far long work is: nothing for quick work, one rewritten line on a terminal, lines elsewhere, none with JSON."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable

import pytest

from cardtable.terminal import progress as progress_module
from cardtable.terminal.progress import Progress
from engine.texts import text


class Stream(io.StringIO):
    """A stream that can be a terminal."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def until(done: Callable[[], bool]) -> None:
    """Wait until `done()` is true, 10 s at most."""
    end = time.monotonic() + 10
    while not done() and time.monotonic() < end:
        time.sleep(0.005)
    assert done()


def test_quick_work_shows_nothing() -> None:
    stream = Stream(terminal=True)
    with Progress(stream=stream) as progress:
        assert list(progress.each([1, 2], text("counting"))) == [1, 2]
    assert stream.getvalue() == ""


def test_a_pipe_gets_lines_also_while_a_step_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_module, "_FILE_PERIOD_S", 0.01)
    stream = Stream(terminal=False)
    with Progress(stream=stream, delay_s=0.01) as progress:
        for number in progress.each(range(1, 4), text("counting")):
            until(lambda number=number: f"counting: {number} of 3\n" in stream.getvalue())  # type: ignore[misc]
    assert stream.getvalue() == "counting: 1 of 3\ncounting: 2 of 3\ncounting: 3 of 3\n"


def test_what_takes_long_to_import_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream(terminal=True)
    done: list[str] = []

    def import_module(name: str) -> None:
        until(lambda: f"loading the program: {len(done) + 1} of 2" in stream.getvalue())
        done.append(name)

    monkeypatch.setattr(progress_module.importlib, "import_module", import_module)
    progress_module.load("json", "zipfile", progress=Progress(stream=stream, delay_s=0.01))
    assert done == ["json", "zipfile"]
    assert stream.getvalue().endswith("\r\x1b[K")


def test_a_line_on_a_terminal_is_erased_before_anything_else_is_printed() -> None:
    stream = Stream(terminal=True)
    with Progress(stream=stream, delay_s=0.01) as progress:
        progress.at(text("looking"))
        until(lambda: stream.getvalue() == "\r\x1b[Klooking")
        progress.clear()
        assert stream.getvalue() == "\r\x1b[Klooking\r\x1b[K"
    until(lambda: not any(thread.name == "progress" for thread in threading.enumerate()))
    assert stream.getvalue().endswith("\r\x1b[K")


def test_nothing_is_shown_beside_json() -> None:
    stream = Stream(terminal=False)
    with Progress(shown=False, stream=stream, delay_s=0.0) as progress:
        progress.at(text("looking"))
        time.sleep(0.05)
    assert stream.getvalue() == ""
