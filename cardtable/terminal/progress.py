"""Reports of a longer command: text in the terminal's language, or JSON Lines; how far long work is.

A command shows how far it is with a `Progress`. While it has printed nothing, and no `Progress` is shown, the command
line shows what the command does and for how long (`Waiting`), so that no command is silent.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final, Self, TextIO, TypeVar, cast

from cardtable.terminal.output import translated
from engine.texts import text

_T = TypeVar("_T")
_FIRST_S: Final = 1.5
"""Seconds of work before anything is shown."""
_LOADING_S: Final = 0.7
"""The same while the program is loaded, which has taken some time before."""
_TERMINAL_S: Final = 0.2
"""Seconds between two updates of the line on a terminal."""
_LINES_S: Final = 3.0
"""Seconds between two lines in a file or a pipe."""


class Reporter:
    """Prints what happens. `as_json`: print JSON objects, whose texts are English, instead of text."""

    def __init__(self, as_json: bool) -> None:
        self._json = as_json

    def report(self, message: str, entry: dict[str, Any]) -> None:
        """Print an event: `message`, or `entry` as JSON, on standard output."""
        print(json.dumps(entry, ensure_ascii=False) if self._json else translated(message), flush=True)

    def say(self, message: str) -> None:
        """Print what the user should do now: on standard error if standard output is JSON."""
        print(translated(message), file=sys.stderr if self._json else sys.stdout, flush=True)

    def warn(self, message: str) -> None:
        """Print a warning on standard error."""
        print(translated(message), file=sys.stderr, flush=True)

    def progress(self) -> Progress:
        """Return a display of how far the work is; it shows nothing if standard output is JSON."""
        return Progress(shown=not self._json)


def load(*modules: str, progress: Progress | None = None) -> None:
    """Import modules that a command needs; say so on a terminal if it takes long, as on a small machine.

    Raises `ModuleNotFoundError` if one is not installed.
    """
    with progress or Progress(shown=sys.stderr.isatty(), first_s=_LOADING_S) as shown:
        for name in shown.each(modules, text("loading the program")):
            importlib.import_module(name)


class Progress:
    """Shows on standard error what long work does, and how far it is, while the `with` block runs.

    Quick work shows nothing. On a terminal one line is rewritten; in a file, a pipe, or on a terminal that cannot
    erase, a line is written every few seconds. The line comes from a thread, so that it also comes while a step of the
    work blocks.

        with Progress(shown=not args.json) as progress:
            for name in progress.each(names, text("reading")):
                ...
    """

    def __init__(self, shown: bool = True, stream: TextIO | None = None, first_s: float = _FIRST_S) -> None:
        self._shown = shown
        self._stream = _unwatched(stream or sys.stderr)
        self._rewrites = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._first_s = first_s
        self._message = self._written = ""
        self._printed_at = 0.0
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._show_until_over, name="progress", daemon=True)

    def __enter__(self) -> Self:
        if self._shown:
            if _waiting is not None and _waiting is not self:
                _waiting.pause(self)
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        if self._shown:
            self._thread.join()
            self.clear()
            if _waiting is not None and _waiting is not self:
                _waiting.go_on()

    def at(self, message: str) -> None:
        """Set the message that is shown from now on."""
        with self._lock:
            self._message = translated(message)

    def each(self, items: Collection[_T], what: str) -> Iterator[_T]:
        """Yield the items, and show the number of the present one. `what`: what is done with them."""
        for number, item in enumerate(items, 1):
            self.at(text("{what}: {number} of {count}", what=what, number=number, count=len(items)))
            yield item

    def clear(self) -> None:
        """Erase the line, so that something else can be printed; it comes back with the next message."""
        with self._lock:
            self._message = ""
            self._erase()

    def printed(self) -> None:
        """Erase the line, since something else is printed now; it comes back after that."""
        with self._lock:
            self._printed_at = time.monotonic()
            self._erase()

    def _erase(self) -> None:
        if self._rewrites and self._written:
            print("\r\x1b[K", end="", file=self._stream, flush=True)
            self._written = ""

    def _show_until_over(self) -> None:
        wait = self._first_s
        while not self._over.wait(wait):
            wait = _TERMINAL_S if self._rewrites else _LINES_S
            with self._lock:
                self._refresh()
                due = time.monotonic() - self._printed_at >= wait
                if due and self._message and self._message != self._written:
                    start, end = ("\r\x1b[K", "") if self._rewrites else ("", "\n")
                    print(f"{start}{self._message}", end=end, file=self._stream, flush=True)
                    self._written = self._message

    def _refresh(self) -> None:
        """Bring the message up to date, with the lock held."""


class Waiting(Progress):
    """Shows on a terminal what a command does, and for how many seconds, until it prints something.

    While the `with` block runs, what is printed on a terminal erases the line. A `Progress` replaces it for as long as
    it is shown. Nothing is shown if standard error is not a terminal.
    """

    def __init__(self, what: str, first_s: float | None = None) -> None:
        quiet_s = _FIRST_S if first_s is None else first_s
        super().__init__(sys.stderr.isatty(), first_s=quiet_s)
        self._quiet_s = quiet_s
        self._instead: Progress | None = None
        self.do(what)

    def __enter__(self) -> Self:
        global _waiting
        self._streams = sys.stdout, sys.stderr
        if self._shown:
            _waiting = self
            sys.stdout, sys.stderr = (cast(TextIO, _Watched(each, self)) for each in self._streams)
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        global _waiting
        super().__exit__(*error)
        if self._shown:
            _waiting = None
            sys.stdout, sys.stderr = self._streams

    def do(self, what: str | Callable[[], str]) -> None:
        """Show from now on that this is done (`doing`)."""
        with self._lock:
            self._what: str | Callable[[], str] = what
            self._begun = self._since = time.monotonic()

    def pause(self, instead: Progress) -> None:
        """Show nothing, since `instead` shows how far the work is."""
        self._since, self._instead = float("inf"), instead
        self.clear()

    def go_on(self) -> None:
        """Show the line again, if nothing is printed soon."""
        self._since, self._instead = time.monotonic(), None

    def printed(self) -> None:
        """Erase the line, since something is printed. A text does not come back; what a function returns does."""
        if self._instead is not None:
            self._instead.printed()
            return
        with self._lock:
            self._since = time.monotonic()
            if not callable(self._what):
                self._what = ""
        self.clear()

    def _refresh(self) -> None:
        what, now = self._what, time.monotonic()
        if now - self._since < self._quiet_s or not what:
            self._message = ""
        elif callable(what):
            self._message = translated(what())
        else:
            self._message = translated(text("{what}: {seconds} s", what=what, seconds=int(now - self._begun)))


_waiting: Waiting | None = None
"""What shows the line of the command that runs, if standard error is a terminal."""


def doing(what: str | Callable[[], str]) -> None:
    """Show on a terminal that the command does `what` from now on, if it takes long and nothing is printed meanwhile.

    `what`: a text, shown until something is printed; or a function that is called again and again and returns a text
    that says how much is done, shown between what is printed.
    """
    if _waiting is not None:
        _waiting.do(what)


def doing_nothing() -> None:
    """Show nothing until the next `doing`: the command waits for a person."""
    doing("")


class _Watched:
    """A stream that erases the line of `waiting` before anything is written to a terminal."""

    def __init__(self, stream: TextIO, waiting: Waiting) -> None:
        self.stream = stream
        self._waiting = waiting

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, written: str) -> int:
        """Write, and erase the line before if this is a terminal."""
        if self.stream.isatty():
            self._waiting.printed()
        return self.stream.write(written)


def _unwatched(stream: TextIO) -> TextIO:
    return stream.stream if isinstance(stream, _Watched) else stream
