"""The RFID readers' board: `python -m benchmarks.rfid`.

The real firmware runs on the simulated Arduino at the pace of a real one, the real bridge reads its port. From a tag
coming into a field to its event at the program, with one tag a reader and eight readers in turn; events a second that
come over the line, against what 115200 baud carry of frames of that length; processor time of the bridge while nothing
happens, against a loop that only reads the port as often. What a busy machine adds to the first is in it; it is held
against what people take for at once, and against the round in which the firmware looks at eight readers.
"""

from __future__ import annotations

import contextlib
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from cardtable.play.rfid_source import WAIT_S
from firmware_bridge.bridge import Bridge
from firmware_bridge.frames import Frame, FrameKind, encode
from firmware_bridge.messages import Event, EventKind, State
from firmware_bridge.ports import open_port
from firmware_bridge.simulated import READERS, SimulatedBoard

TAGS: Final = 60
TESTS: Final = 2000
IDLE_S: Final = 5.0
GOAL_SHARE: Final = 0.6
GOAL_MS: Final = 100.0
"""People take for at once what comes within a tenth of a second (Card, Moran and Newell 1983)."""
GOAL_IDLE: Final = 0.02
LINE_BYTES: Final = 11520
"""115200 baud, ten bits a byte."""


class Program:
    """A program that stores every event at once."""

    def __init__(self, board: SimulatedBoard) -> None:
        self.bridge = Bridge(board.port, wait=WAIT_S)
        self.known: set[int] = set()
        self.events: list[Event] = []

    def until(self, reached: Callable[[], bool]) -> None:
        """Read until it is so."""
        while not reached():
            for news in self.bridge.step():
                if isinstance(news, Event):
                    self.events.append(news)
                    self.bridge.stored(news)
                elif isinstance(news, State):
                    self.known.add(news.index)


def _is_past(moment: float) -> bool:
    return time.monotonic() > moment


def _has_more(program: Program, count: int) -> bool:
    return len(program.events) > count


def latencies(board: SimulatedBoard, program: Program) -> list[float]:
    """Milliseconds from a tag laid to its event."""
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
    """Milliseconds from one look at a reader to the next, with so many tags on each of the eight."""
    rng = random.Random(2)
    for reader in range(READERS):
        for _ in range(tags):
            board.lay(reader, f"04{rng.getrandbits(48):012x}")
    board.run(1.0)
    scans, start = board.scans, board.time
    board.run(1.0)
    return (board.time - start) * 1000 * READERS / (board.scans - scans)


def bare_cost(address: str) -> float:
    """Share of a processor that reading a port takes, as often as the bridge does, with nothing coming."""
    with contextlib.closing(open_port(address, WAIT_S)) as port:
        busy, begin = time.process_time(), time.monotonic()
        while time.monotonic() < begin + IDLE_S:
            port.read(1)
        return (time.process_time() - busy) / (time.monotonic() - begin)


def main() -> int:
    """Print the table; 1 if a goal is missed."""
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
    carries = LINE_BYTES / len(encode(Frame(FrameKind.EVENT, 1, 1, bytes(8))))
    share = rate / carries
    high = statistics.quantiles(times, n=20)[-1]
    median = statistics.median(times)
    good = share >= GOAL_SHARE and median <= GOAL_MS and idle <= GOAL_IDLE
    print(f"tag laid to event, eight readers    median {median:6.1f} ms   95 % {high:6.1f} ms")
    print(f"  at once, for people                      {GOAL_MS:6.1f} ms")
    none, one, six = waits
    print(f"  a look at all eight takes         {none:6.1f} ms; with a card on each {one:.1f}, with six {six:.1f} ms")
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
