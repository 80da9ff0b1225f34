"""Reports and progress of longer commands.

A `Reporter` prints events as text in the terminal's language or as JSON Lines. A `Progress` shows how far the work is.
As long as a command has neither printed anything nor opened a `Progress`, an `ActivityLine` shows what the command is
doing and for how many seconds, so that no command is silent.
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
_DELAY_S: Final = 1.5
"""Seconds of work before progress is shown."""
_LOADING_DELAY_S: Final = 0.7
"""The same while modules are loaded, since Python's own start has already taken some time."""
_TERMINAL_PERIOD_S: Final = 0.2
"""Seconds between two updates of the line on a terminal."""
_FILE_PERIOD_S: Final = 3.0
"""Seconds between two lines in a file or a pipe."""


class Reporter:
    """Print events: translated text, or with `as_json` JSON objects, whose texts are English."""

    def __init__(self, as_json: bool) -> None:
        self._json = as_json

    def report(self, message: str, entry: dict[str, Any]) -> None:
        """Print an event on standard output: `message`, or `entry` as JSON."""
        print(json.dumps(entry, ensure_ascii=False) if self._json else translated(message), flush=True)

    def say(self, message: str) -> None:
        """Print an instruction for the user, on standard error if standard output is JSON."""
        print(translated(message), file=sys.stderr if self._json else sys.stdout, flush=True)

    def warn(self, message: str) -> None:
        """Print a warning on standard error."""
        print(translated(message), file=sys.stderr, flush=True)

    def progress(self) -> Progress:
        """Return a `Progress` that shows nothing if standard output is JSON."""
        return Progress(shown=not self._json)


def load(*modules: str, progress: Progress | None = None) -> None:
    """Import modules that a command needs, with a progress line on a terminal if that takes long.

    Raises `ModuleNotFoundError` if one of them is not installed.
    """
    with progress or Progress(shown=sys.stderr.isatty(), delay_s=_LOADING_DELAY_S) as shown:
        for name in shown.each(modules, text("loading the program")):
            importlib.import_module(name)


class Progress:
    """Show the progress of long work on standard error while the `with` block runs.

    Quick work shows nothing. On a terminal one line is rewritten; in a file, a pipe, or on a terminal that cannot
    erase, a new line is written every few seconds. A thread writes the line, also while a step of the work blocks.

        with Progress(shown=not args.json) as progress:
            for name in progress.each(names, text("reading")):
                ...
    """

    def __init__(self, shown: bool = True, stream: TextIO | None = None, delay_s: float = _DELAY_S) -> None:
        self._shown = shown
        stream = stream or sys.stderr
        self._stream = stream.stream if isinstance(stream, _WatchedStream) else stream
        self._rewrites = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._delay_s = delay_s
        self._message = self._written = ""
        self._printed_at = 0.0
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._show_until_over, name="progress", daemon=True)

    def __enter__(self) -> Self:
        if self._shown:
            if _activity_line is not None and _activity_line is not self:
                _activity_line.pause(self)
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        if self._shown:
            self._thread.join()
            self.clear()
            if _activity_line is not None and _activity_line is not self:
                _activity_line.resume()

    def at(self, message: str) -> None:
        """Set the message to show."""
        with self._lock:
            self._message = translated(message)

    def each(self, items: Collection[_T], activity: str) -> Iterator[_T]:
        """Yield the items, and show `activity` with the number of the current item."""
        for number, item in enumerate(items, 1):
            self.at(text("{what}: {number} of {count}", what=activity, number=number, count=len(items)))
            yield item

    def clear(self) -> None:
        """Erase the line before something else is printed. The next message brings it back."""
        with self._lock:
            self._message = ""
            self._erase()

    def printed(self) -> None:
        """Erase the line because something else is printed. It comes back a moment later."""
        with self._lock:
            self._printed_at = time.monotonic()
            self._erase()

    def _erase(self) -> None:
        if self._rewrites and self._written:
            print("\r\x1b[K", end="", file=self._stream, flush=True)
            self._written = ""

    def _show_until_over(self) -> None:
        wait = self._delay_s
        while not self._over.wait(wait):
            wait = _TERMINAL_PERIOD_S if self._rewrites else _FILE_PERIOD_S
            with self._lock:
                self._refresh()
                due = time.monotonic() - self._printed_at >= wait
                if due and self._message and self._message != self._written:
                    start, end = ("\r\x1b[K", "") if self._rewrites else ("", "\n")
                    print(f"{start}{self._message}", end=end, file=self._stream, flush=True)
                    self._written = self._message

    def _refresh(self) -> None:
        """Update the message; called with the lock held."""


class ActivityLine(Progress):
    """Show on a terminal what a command is doing, and for how many seconds, until it prints something.

    Output to a terminal within the `with` block erases the line. A `Progress` replaces it while that is shown. Nothing
    is shown if standard error is not a terminal.
    """

    def __init__(self, activity: str) -> None:
        super().__init__(sys.stderr.isatty(), delay_s=_DELAY_S)
        self._replacement: Progress | None = None
        self.set(activity)

    def __enter__(self) -> Self:
        global _activity_line
        self._streams = sys.stdout, sys.stderr
        if self._shown:
            _activity_line = self
            sys.stdout, sys.stderr = (cast(TextIO, _WatchedStream(each, self)) for each in self._streams)
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        global _activity_line
        super().__exit__(*error)
        if self._shown:
            _activity_line = None
            sys.stdout, sys.stderr = self._streams

    def set(self, activity: str | Callable[[], str]) -> None:
        """Show `activity` from now on (see `show_activity`)."""
        with self._lock:
            self._activity: str | Callable[[], str] = activity
            self._begun = self._since = time.monotonic()

    def pause(self, replacement: Progress) -> None:
        """Show nothing while `replacement` is shown."""
        self._since, self._replacement = float("inf"), replacement
        self.clear()

    def resume(self) -> None:
        """Show the line again unless something is printed soon."""
        self._since, self._replacement = time.monotonic(), None

    def printed(self) -> None:
        """Erase the line because something is printed. A text does not come back; the result of a function does."""
        if self._replacement is not None:
            self._replacement.printed()
            return
        with self._lock:
            self._since = time.monotonic()
            if not callable(self._activity):
                self._activity = ""
        self.clear()

    def _refresh(self) -> None:
        activity, now = self._activity, time.monotonic()
        if now - self._since < self._delay_s or not activity:
            self._message = ""
        elif callable(activity):
            self._message = translated(activity())
        else:
            self._message = translated(text("{what}: {seconds} s", what=activity, seconds=int(now - self._begun)))


_activity_line: ActivityLine | None = None
"""The line of the running command; None if standard error is not a terminal."""


def show_activity(activity: str | Callable[[], str]) -> None:
    """Show `activity` on a terminal from now on, if the work takes long and nothing is printed meanwhile.

    A text is shown until something is printed. A function is called again and again; the text that it returns, such as
    a count, also comes back after something was printed.
    """
    if _activity_line is not None:
        _activity_line.set(activity)


def hide_activity() -> None:
    """Show no activity until the next `show_activity`, for example while waiting for the user."""
    show_activity("")


class _WatchedStream:
    """A stream that erases the activity line before anything is written to a terminal."""

    def __init__(self, stream: TextIO, line: ActivityLine) -> None:
        self.stream = stream
        self._line = line

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, written: str) -> int:
        """Erase the activity line if this is a terminal, then write."""
        if self.stream.isatty():
            self._line.printed()
        return self.stream.write(written)
