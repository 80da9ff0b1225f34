"""No command is silent: its line on a terminal says what it does, until it prints something."""

from __future__ import annotations

import importlib
import io
import os
import pty
import select
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from typing import TextIO

import pytest

from cardtable import cli
from cardtable.terminal import progress as progress_module
from cardtable.terminal.progress import ActivityLine, Progress, hide_activity, show_activity
from engine.texts import plural, text

ERASED = "\r\x1b[K"


@dataclass
class Terminal:
    """A terminal; in a `with` block it is standard output and standard error."""

    master: int
    stream: TextIO
    shown: str = ""
    _redirected: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> None:
        self._redirected.enter_context(redirect_stdout(self.stream))
        self._redirected.enter_context(redirect_stderr(self.stream))

    def __exit__(self, *error: object) -> None:
        self._redirected.close()

    def read(self, seconds: float = 0.0) -> str:
        """Return all that has been shown; wait so long for more."""
        while select.select([self.master], [], [], seconds)[0]:
            self.shown += os.read(self.master, 65536).decode()
        return self.shown

    def wait_for(self, words: str) -> None:
        end = time.monotonic() + 10
        while words not in self.read(0.01):
            assert time.monotonic() < end, self.shown


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    master, slave = pty.openpty()
    with os.fdopen(master, "rb", buffering=0), os.fdopen(slave, "w", encoding="utf-8") as stream:
        monkeypatch.setattr(progress_module, "_DELAY_S", 0.02)
        monkeypatch.setattr(progress_module, "_TERMINAL_PERIOD_S", 0.01)
        monkeypatch.setenv("TERM", "xterm")
        yield Terminal(master, stream)


@pytest.mark.parametrize(("name", "command"), cli.own_commands().items())
def test_every_command_says_what_it_does_while_it_is_silent(
    name: str, command: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module(command)

    def work(args: object) -> int:
        terminal.wait_for(f"{module.ACTIVITY}: 0 s")
        print("done", flush=True)
        return 0

    monkeypatch.setattr(module, "run", work)
    monkeypatch.setattr(module, "configure", lambda parser: None)
    monkeypatch.setenv("LC_ALL", "C")
    with terminal:
        assert cli.main([name]) == 0
    assert terminal.read().endswith(f"{ERASED}done\r\n")


def test_the_line_ends_when_something_is_printed(terminal: Terminal) -> None:
    with terminal, ActivityLine(text("starting the table")):
        terminal.wait_for("starting the table: 0 s")
        print("the board: http://127.0.0.1:8114")
        before = terminal.read(0.2)
    assert before.endswith("8114\r\n")
    assert terminal.read() == before


def test_what_is_counted_comes_back_after_something_was_printed(terminal: Terminal) -> None:
    played = [1]
    with terminal, ActivityLine(text("preparing")):
        show_activity(lambda: plural("playing: {count} action so far", "playing: {count} actions so far", len(played)))
        terminal.wait_for("playing: 1 action so far")
        played.append(2)
        print("Ann plays")
        terminal.wait_for("Ann plays\r\n")
        terminal.wait_for("playing: 2 actions so far")
        hide_activity()
        terminal.wait_for(ERASED)
        print("press any key")
        before = terminal.read(0.1)
    assert before.endswith("press any key\r\n")


def test_progress_takes_the_place_of_the_line(terminal: Terminal) -> None:
    with terminal, ActivityLine(text("checking the table")):
        terminal.wait_for("checking the table: 0 s")
        with Progress(delay_s=0.01) as progress:
            progress.at(text("checking cameras: 1 of 9"))
            terminal.wait_for("cameras: 1 of 9")
            terminal.shown = ""
            assert "the table" not in terminal.read(0.1)
        terminal.wait_for("checking the table: 0 s")
    assert terminal.read().endswith(ERASED)


def test_progress_comes_back_after_something_was_printed(terminal: Terminal) -> None:
    with terminal, ActivityLine(text("checking the table")), Progress(delay_s=0.01) as progress:
        progress.at(text("checking voice: 2 of 9"))
        terminal.wait_for("voice: 2 of 9")
        terminal.shown = ""
        print("! no loudspeaker")
        terminal.wait_for(f"{ERASED}! no loudspeaker\r\n{ERASED}checking voice: 2 of 9")


def test_what_is_not_printed_on_the_terminal_leaves_the_line(terminal: Terminal) -> None:
    with terminal, redirect_stdout(io.StringIO()) as file, ActivityLine(text("replaying the record")):
        print("to a file")
        terminal.wait_for("replaying the record: 0 s")
    assert file.getvalue() == "to a file\n"


def test_a_terminal_that_cannot_erase_gets_lines(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(progress_module, "_FILE_PERIOD_S", 0.01)
    with terminal, ActivityLine(text("reading the journal")):
        terminal.wait_for("reading the journal: 0 s\r\n")
    assert "\x1b" not in terminal.read()


def test_without_a_terminal_nothing_is_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_module, "_DELAY_S", 0.0)
    with ActivityLine(text("reading the journal")):
        before = sys.stdout
        time.sleep(0.05)
        show_activity(text("reading more"))
    assert capsys.readouterr() == ("", "")
    assert sys.stdout is before
