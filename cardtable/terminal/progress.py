"""Reports of a longer command: text in the terminal's language, or JSON Lines; how far long work is."""

from __future__ import annotations

import importlib
import json
import sys
import threading
from collections.abc import Collection, Iterator
from typing import Any, Final, Self, TextIO, TypeVar

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

    Quick work shows nothing. On a terminal one line is rewritten; in a file or a pipe a line is written every few
    seconds. The line comes from a thread, so that it also comes while a step of the work blocks.

        with Progress(shown=not args.json) as progress:
            for name in progress.each(names, text("reading")):
                ...
    """

    def __init__(self, shown: bool = True, stream: TextIO | None = None, first_s: float = _FIRST_S) -> None:
        self._shown = shown
        self._stream = stream or sys.stderr
        self._rewrites = self._stream.isatty()
        self._first_s = first_s
        self._message = self._written = ""
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._show_until_over, name="progress", daemon=True)

    def __enter__(self) -> Self:
        if self._shown:
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        if self._shown:
            self._thread.join()
            self.clear()

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
            if self._rewrites and self._written:
                print("\r\x1b[K", end="", file=self._stream, flush=True)
                self._written = ""

    def _show_until_over(self) -> None:
        wait = self._first_s
        while not self._over.wait(wait):
            wait = _TERMINAL_S if self._rewrites else _LINES_S
            with self._lock:
                if self._message and self._message != self._written:
                    start, end = ("\r\x1b[K", "") if self._rewrites else ("", "\n")
                    print(f"{start}{self._message}", end=end, file=self._stream, flush=True)
                    self._written = self._message
