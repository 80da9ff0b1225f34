"""The reader board, as `cardtable tags` uses it: connect, read events, record the line."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from cardtable.errors import CardtableError, UsageError, why
from cardtable.terminal.output import translated
from cardtable.terminal.progress import Progress
from engine.texts import plural, text

if TYPE_CHECKING:
    from firmware_bridge.bridge import Bridge, BridgeUpdate
    from firmware_bridge.messages import TagEvent
    from firmware_bridge.raw import Recorder


def recorder(path: Path | None, stack: contextlib.ExitStack) -> Recorder | None:
    """Return a recorder that writes to `path` until `stack` is closed; None if `path` is None.

    Raises `UsageError` if the file cannot be written.
    """
    from firmware_bridge.raw import Recorder

    if path is None:
        return None
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(text("tags: --record: {path} cannot be written: {why}", path=path, why=why(error))) from error
    stack.callback(_close, file)
    return Recorder(file)


def _close(file: TextIO) -> None:
    # Closing writes the rest once more. If the disk is full, that has been reported already.
    with contextlib.suppress(OSError):
        file.close()


class Printer:
    """Prints what happens, as text in the language of the terminal or as JSON Lines (`as_json`)."""

    def __init__(self, as_json: bool) -> None:
        self._json = as_json

    def print(self, line: str, **entry: Any) -> None:
        """Print `line`, or with `as_json` the keyword arguments as one object."""
        print(json.dumps(entry, ensure_ascii=False) if self._json else translated(line), flush=True)

    def progress(self) -> Progress:
        """Return a display of how far the work is; it shows nothing with `as_json`."""
        return Progress(shown=not self._json)


class Board:
    """The reader board at `port`; its events are acknowledged at once. `record`: records everything on the line."""

    def __init__(self, port: str, record: Recorder | None) -> None:
        from firmware_bridge.bridge import Bridge

        self.bridge: Bridge = Bridge(port, record=record, wait=0.05)
        self._record = record

    def updates(self) -> list[BridgeUpdate]:
        """Return what happened within the next 0.05 s. Raises `CardtableError` if the recording cannot be written."""
        from firmware_bridge.messages import TagEvent

        updates = self.bridge.step()
        for update in updates:
            if isinstance(update, TagEvent):
                self.bridge.stored(update)
        if self._record and self._record.trouble:
            raise CardtableError(
                text("the recording ends here, because there is no room left: {why}", why=why(self._record.trouble))
            )
        return updates

    def connect(self, printer: Printer) -> None:
        """Wait for the reader board and for the state of all its readers; tags that lie there already are no events.

        Raises `CardtableError` if the reader board cannot be used.
        """
        from firmware_bridge.bridge import Trouble
        from firmware_bridge.link import Connected
        from firmware_bridge.messages import State

        waiting: set[int] | None = None
        with printer.progress() as progress:
            progress.at(text("looking for the reader board"))
            while waiting is None or waiting:
                for update in self.updates():
                    if isinstance(update, Trouble):
                        raise CardtableError(update.reason)
                    if isinstance(update, Connected):
                        hello = update.hello
                        progress.clear()
                        printer.print(
                            plural(
                                "The reader board at {board}: firmware {firmware}, {count} reader.",
                                "The reader board at {board}: firmware {firmware}, {count} readers.",
                                hello.readers,
                                board=self.bridge.address,
                                firmware=hello.firmware,
                            ),
                            board=self.bridge.address,
                            firmware=hello.firmware,
                            readers=hello.readers,
                        )
                        waiting = set(range(hello.readers))
                    if isinstance(update, State) and waiting:
                        waiting.discard(update.index)

    def next_events(self, printer: Printer) -> list[TagEvent]:
        """Return the events of the next 0.05 s; trouble with the reader board is printed, and waited out."""
        from firmware_bridge.bridge import Trouble
        from firmware_bridge.messages import TagEvent

        events = []
        for update in self.updates():
            if isinstance(update, Trouble):
                printer.print(update.reason, trouble=update.reason)
            elif isinstance(update, TagEvent):
                events.append(update)
        return events

    def events(self, printer: Printer, goes_on: Callable[[], bool] = lambda: True) -> Iterator[TagEvent]:
        """Yield events while `goes_on()` is true."""
        while goes_on():
            yield from self.next_events(printer)
