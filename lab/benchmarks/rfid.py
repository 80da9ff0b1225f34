"""The RFID readers' board: `python -m lab.benchmarks.rfid`.

The real firmware runs on the simulated Arduino in real time, and the real bridge reads its port. It measures the time
from a tag on a reader to its event in the program, compared with what people perceive as instantaneous and with the
duration of one scan of all eight readers (it includes delays of a busy machine); the number of events per second,
compared with the capacity of a line of 115200 baud; and the processor time of an idle bridge, compared with a loop that
only reads the port.
"""

from __future__ import annotations

import contextlib
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from cardtable.table.readers import WAIT_S
from firmware_bridge.bridge import Bridge, open_port
from firmware_bridge.frames import FrameKind, SerialFrame, encode
from firmware_bridge.messages import EventKind, State, TagEvent
from firmware_bridge.simulated import READERS, SimulatedBoard

TAGS: Final = 60
"""Number of tags laid to measure the latency."""
TESTS: Final = 2000
"""Number of test events to measure the throughput."""
IDLE_S: Final = 5.0
"""How long the idle bridge is measured, seconds."""
GOAL_SHARE: Final = 0.6
"""Least throughput, as a share of the capacity of the line."""
GOAL_MS: Final = 100.0
"""People perceive a reaction within 0.1 s as instantaneous (Card, Moran and Newell 1983)."""
GOAL_IDLE: Final = 0.02
"""Highest processor load of an idle bridge."""
LINE_BYTES: Final = 11520
"""Capacity of the line, bytes per second: 115200 baud, ten bits per byte."""


class Program:
    """A program that acknowledges every event at once."""

    def __init__(self, board: SimulatedBoard) -> None:
        self.bridge = Bridge(board.port, wait=WAIT_S)
        self.known: set[int] = set()
        self.events: list[TagEvent] = []

    def until(self, reached: Callable[[], bool]) -> None:
        """Run the bridge until `reached` returns true."""
        while not reached():
            for news in self.bridge.step():
                if isinstance(news, TagEvent):
                    self.events.append(news)
                    self.bridge.stored(news)
                elif isinstance(news, State):
                    self.known.add(news.index)


def _is_past(moment: float) -> bool:
    return time.monotonic() > moment


def _has_more(program: Program, count: int) -> bool:
    return len(program.events) > count


def latencies(board: SimulatedBoard, program: Program) -> list[float]:
    """Return the times from laying a tag to its event, ms."""
    rng = random.Random(1)
    times = []
    for number in range(TAGS):
        reader, uid = number % READERS, f"04{rng.getrandbits(40):010x}00"
        pause = time.monotonic() + rng.uniform(0.0, 0.1)
        program.until(partial(_is_past, pause))
        count = len(program.events)
        begin = time.perf_counter()
        board.lay(reader, uid)
        program.until(partial(_has_more, program, count))
        times.append((time.perf_counter() - begin) * 1000)
        board.lift(reader, uid)
        program.until(partial(_has_more, program, count + 1))
    assert all(event.kind in (EventKind.LAID, EventKind.LIFTED) for event in program.events)
    return times


def round_ms(board: SimulatedBoard, tags: int) -> float:
    """Return the time between two scans of a reader, ms, with `tags` tags on each of the eight readers."""
    rng = random.Random(2)
    for reader in range(READERS):
        for _ in range(tags):
            board.lay(reader, f"04{rng.getrandbits(48):012x}")
    board.run(1.0)
    scans, start = board.scans, board.time
    board.run(1.0)
    return (board.time - start) * 1000 * READERS / (board.scans - scans)


def bare_cost(address: str) -> float:
    """Return the share of a processor that it takes to read an idle port as often as the bridge does."""
    with contextlib.closing(open_port(address, WAIT_S)) as port:
        busy, begin = time.process_time(), time.monotonic()
        while time.monotonic() < begin + IDLE_S:
            port.read(1)
        return (time.process_time() - busy) / (time.monotonic() - begin)


def main() -> int:
    """Print the table. Return 1 if a goal is missed."""
    waits = []
    for tags in (0, 1, 6):
        with SimulatedBoard(stepped=True) as board:
            waits.append(round_ms(board, tags))
    with SimulatedBoard() as board:
        program = Program(board)
        program.until(lambda: len(program.known) == READERS)
        times = latencies(board, program)
        first = len(program.events)
        program.bridge.link.request_test_events(TESTS)
        start = board.time
        program.until(lambda: len(program.events) >= first + TESTS)
        rate = TESTS / (board.time - start)
        busy, begin = time.process_time(), time.monotonic()
        program.until(lambda: time.monotonic() > begin + IDLE_S)
        idle = (time.process_time() - busy) / (time.monotonic() - begin)
        program.bridge.close()
        bare = bare_cost(board.port)
    carries = LINE_BYTES / len(encode(SerialFrame(FrameKind.EVENT, 1, 1, bytes(8))))
    share = rate / carries
    high = statistics.quantiles(times, n=20)[-1]
    median = statistics.median(times)
    good = share >= GOAL_SHARE and median <= GOAL_MS and idle <= GOAL_IDLE
    print(f"tag laid to event, eight readers    median {median:6.1f} ms   95 % {high:6.1f} ms")
    print(f"  at once, for people                      {GOAL_MS:6.1f} ms")
    none, single, six = waits
    print(
        f"  a look at all eight takes         {none:6.1f} ms; with a card on each {single:.1f}, with six {six:.1f} ms"
    )
    print(f"events over the line                {rate:6.0f} a second: {share:.0%} of the line")
    print(f"  115200 baud carry                 {carries:6.0f} a second")
    print(f"the bridge while nothing happens    {idle:6.2%} of a processor")
    print(f"  reading the port, and no more     {bare:6.2%}")
    goals = (
        f"median at most {GOAL_MS:.0f} ms, at least {GOAL_SHARE:.0%} of the line, at most {GOAL_IDLE:.0%} while idle"
    )
    print(f"goals: {goals}: {'reached' if good else 'NOT reached'}")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
