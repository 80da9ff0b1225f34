"""The bridge and the simulated board together: steps until something is so, and what was told meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from firmware_bridge.bridge import Bridge, BridgeUpdate, Trouble, stepped_bridge
from firmware_bridge.link import Checkpoint, Connected
from firmware_bridge.messages import Event, EventKind, State
from firmware_bridge.simulated import SimulatedBoard, SteppedPort

HELLO_TIMEOUT_S = 30.0
"""What has not come true after so long, on however busy a machine, never will."""
STEP_S = 0.004
"""So long a stepped board goes on at a time."""


class Talk:
    """A program that stores every event at once (unless `storing` is false), and remembers what it was told.

    With a stepped board, both take turns, and all times are the board's.
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
        end = clock() + HELLO_TIMEOUT_S
        while not reached():
            if self._board.stepped:
                self._board.run(STEP_S)
            assert clock() < end, f"waited in vain; the last that was told: {self.updates[-6:]}"
            for news in self.bridge.step():
                self.updates.append(news)
                if self.storing and isinstance(news, Event):
                    self.bridge.stored(news)

    def meet(self) -> None:
        """Until every reader's state is told."""
        self.until(lambda: len({state.index for state in self.of(State)}) == 8)

    def pass_board_time(self, board: SimulatedBoard, seconds: float) -> None:
        end = board.time + seconds
        self.until(lambda: board.time >= end)

    def of(self, kind: type[Any]) -> list[Any]:
        return [news for news in self.updates if isinstance(news, kind)]

    @property
    def events(self) -> list[Event]:
        return self.of(Event)

    @property
    def met(self) -> list[Connected]:
        return self.of(Connected)

    @property
    def troubles(self) -> list[str]:
        return [news.reason for news in self.of(Trouble)]

    def has(self, events: int) -> bool:
        """Whether so many events have been told."""
        return len(self.events) >= events

    def told(self, *kinds: EventKind) -> list[tuple[int, str]]:
        return [(event.index, event.uid) for event in self.events if event.kind in kinds]

    def lying(self) -> set[tuple[int, str]]:
        """What lies where, going by the events alone; each must fit what was told before."""
        lying: set[tuple[int, str]] = set()
        for event in self.events:
            if event.kind is EventKind.LAID:
                assert (event.index, event.uid) not in lying
                lying.add((event.index, event.uid))
            elif event.kind is EventKind.LIFTED:
                lying.remove((event.index, event.uid))
        return lying

    def once_and_in_order(self) -> bool:
        """Whether the numbers of each start of the board run without a gap."""
        boots = {event.boot for event in self.events}
        runs = [[event.number for event in self.events if event.boot == boot] for boot in boots]
        return all(run == list(range(run[0], run[0] + len(run))) for run in runs)

    def close(self) -> None:
        self.bridge.close()
