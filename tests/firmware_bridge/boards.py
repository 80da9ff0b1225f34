"""The bridge and a simulated reader board together: run until a condition holds, and collect the updates."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from firmware_bridge.bridge import Bridge, BridgeUpdate, Trouble, stepped_bridge
from firmware_bridge.link import Checkpoint, Connected
from firmware_bridge.messages import EventKind, State, TagEvent
from firmware_bridge.simulated import SimulatedBoard, SteppedPort

TIMEOUT_S = 30.0
"""Time-out of a condition, seconds; long, because the machine may be busy."""
STEP_S = 0.004
"""How long a stepped board runs at a time, seconds."""


class Talk:
    """A program that stores every event at once (unless `storing` is false), and keeps all updates.

    With a stepped board, both take turns, and all times are the reader board's.
    """

    def __init__(self, board: SimulatedBoard, checkpoint: Checkpoint | None = None, **settings: Any) -> None:
        self._board = board
        if board.stepped:
            port = lambda address: SteppedPort(board)  # noqa: E731
            self.bridge = stepped_bridge(board.port, checkpoint, lambda: board.time, port, **settings)
        else:
            self.bridge = Bridge(board.port, checkpoint, wait=0.02, **settings)
        self.updates: list[BridgeUpdate] = []
        self.storing = True

    def until(self, reached: Callable[[], bool]) -> None:
        clock = (lambda: self._board.time) if self._board.stepped else time.monotonic
        end = clock() + TIMEOUT_S
        while not reached():
            if self._board.stepped:
                self._board.run(STEP_S)
            assert clock() < end, f"time-out; the last updates: {self.updates[-6:]}"
            for update in self.bridge.step():
                self.updates.append(update)
                if self.storing and isinstance(update, TagEvent):
                    self.bridge.stored(update)

    def meet(self) -> None:
        """Run until the state of every reader is known."""
        self.until(lambda: len({state.index for state in self.of(State)}) == 8)

    def pass_board_time(self, board: SimulatedBoard, seconds: float) -> None:
        end = board.time + seconds
        self.until(lambda: board.time >= end)

    def of(self, kind: type[Any]) -> list[Any]:
        return [update for update in self.updates if isinstance(update, kind)]

    @property
    def events(self) -> list[TagEvent]:
        return self.of(TagEvent)

    @property
    def met(self) -> list[Connected]:
        return self.of(Connected)

    @property
    def troubles(self) -> list[str]:
        return [update.reason for update in self.of(Trouble)]

    def has(self, events: int) -> bool:
        """Whether at least `events` events have arrived."""
        return len(self.events) >= events

    def seen(self, *kinds: EventKind) -> list[tuple[int, str]]:
        return [(event.index, event.uid) for event in self.events if event.kind in kinds]

    def lying(self) -> set[tuple[int, str]]:
        """The tags on the readers according to the events, each of which must be consistent with those before."""
        lying: set[tuple[int, str]] = set()
        for event in self.events:
            if event.kind is EventKind.LAID:
                assert (event.index, event.uid) not in lying
                lying.add((event.index, event.uid))
            elif event.kind is EventKind.LIFTED:
                lying.remove((event.index, event.uid))
        return lying

    def once_and_in_order(self) -> bool:
        """Whether the numbers of each start of the reader board run without a gap."""
        boots = {event.boot for event in self.events}
        runs = [[event.number for event in self.events if event.boot == boot] for boot in boots]
        return all(run == list(range(run[0], run[0] + len(run))) for run in runs)

    def close(self) -> None:
        self.bridge.close()
