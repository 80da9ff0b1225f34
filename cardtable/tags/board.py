"""The board with readers as `cardtable tags` has it: met, listened to, and recorded where that is wanted."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from cardtable.errors import CardtableError, UsageError, why
from cardtable.terminal.output import translated
from engine.texts import plural, text

if TYPE_CHECKING:
    from firmware_bridge.bridge import Bridge, BridgeUpdate
    from firmware_bridge.messages import Event
    from firmware_bridge.raw import Recorder


def recorder(path: Path | None, stack: contextlib.ExitStack) -> Recorder | None:
    """A recorder that writes to `path`, where there is one, until the `stack` is left. Raises `UsageError`."""
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
    # What a full disk did not take is tried once more when the file is closed; that it is full was told before.
    with contextlib.suppress(OSError):
        file.close()


class Teller:
    """Says what happens, as text or as JSON Lines."""

    def __init__(self, as_json: bool) -> None:
        self._json = as_json

    def say(self, said: str, **entry: Any) -> None:
        print(json.dumps(entry, ensure_ascii=False) if self._json else translated(said), flush=True)


class Board:
    """A board whose events count as dealt with at once."""

    def __init__(self, port: str, record: Recorder | None) -> None:
        from firmware_bridge.bridge import Bridge

        self.bridge: Bridge = Bridge(port, record=record, wait=0.05)
        self._record = record

    def news(self) -> list[BridgeUpdate]:
        """What happened in the next moment. Raises `CardtableError` where it cannot be recorded as was asked."""
        from firmware_bridge.messages import Event

        news = self.bridge.step()
        for item in news:
            if isinstance(item, Event):
                self.bridge.stored(item)
        if self._record and self._record.trouble:
            raise CardtableError(
                text("the recording ends here, for want of room: {why}", why=why(self._record.trouble))
            )
        return news

    def meet(self, teller: Teller) -> None:
        """Wait for the board, and until it has told what lies there already: nothing of that was laid now.

        Raises `CardtableError` where there is trouble.
        """
        from firmware_bridge.bridge import Trouble
        from firmware_bridge.link import Connected
        from firmware_bridge.messages import State

        left: set[int] | None = None
        while left is None or left:
            for news in self.news():
                if isinstance(news, Trouble):
                    raise CardtableError(news.reason)
                if isinstance(news, Connected):
                    hello = news.hello
                    teller.say(
                        plural(
                            "The board at {board}: firmware {firmware}, {count} reader.",
                            "The board at {board}: firmware {firmware}, {count} readers.",
                            hello.readers,
                            board=self.bridge.address,
                            firmware=hello.firmware,
                        ),
                        board=self.bridge.address,
                        firmware=hello.firmware,
                        readers=hello.readers,
                    )
                    left = set(range(hello.readers))
                if isinstance(news, State) and left:
                    left.discard(news.index)

    def happened(self, teller: Teller) -> list[Event]:
        """What happened in the next moment; trouble is told, and waited out."""
        from firmware_bridge.bridge import Trouble
        from firmware_bridge.messages import Event

        events = []
        for news in self.news():
            if isinstance(news, Trouble):
                teller.say(news.reason, trouble=news.reason)
            elif isinstance(news, Event):
                events.append(news)
        return events

    def events(self, teller: Teller, goes_on: Callable[[], bool] = lambda: True) -> Iterator[Event]:
        """What happens from now on."""
        while goes_on():
            yield from self.happened(teller)
