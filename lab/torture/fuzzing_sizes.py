"""A ladder of sizes for every parser: the time for a repeated piece grows with its length, not with its square."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from lab.torture.fuzzing_targets import Target

RUNGS: Final = (25_000, 50_000, 100_000)
"""The lengths of the inputs, in bytes."""
NOISE_S: Final = 0.25
"""Processor time up to which the growth is not looked at."""
GROWTH: Final = 9.0
"""How many times as long the last rung may take as the first, which is a quarter of it: 16 is a square."""
PIECES: Final = (
    *(
        b"{",
        b"[",
        b"(",
        b"<",
        b'"',
        b"'",
        b"\\",
        b"\n",
        b" ",
        b"0",
        b"a",
        b",",
        b";",
        b"=",
        b"%",
        b"|",
        b"#",
        b"\0",
        b"\xff",
    ),
    *(b"{}", b"[]", b'""', b"[A ", b'[A "', b"a=", b"{\n", b"a|", b"&a;", b"<a>", b"\\u0"),
)
"""What is repeated besides the words of a target and whole examples of its input."""


def ladder(target: Target, pieces: Iterable[bytes] = (), rungs: tuple[int, ...] = RUNGS) -> Iterator[str]:
    """Yield a line for each repeated piece whose time grows faster than its length.

    Each piece is tried on its own, and within an example in the place of its second half. `pieces`: by default all,
    with the words of the target and whole examples.
    """
    for piece in pieces or chain(PIECES, target.words, target.seeds):
        for before in (b"", target.seeds[0][: len(target.seeds[0]) // 2]):
            inputs = [before + piece * (length // len(piece)) for length in rungs]
            first, *_, last = took = [_seconds(target, data) for data in inputs]
            if last > NOISE_S and last > GROWTH * min(first, _seconds(target, inputs[0])):
                times = ", ".join(f"{each:.2f}" for each in took)
                yield f"{target.name}: {before[-20:]!r} and {piece[:40]!r} repeated take {times} s"


def _seconds(target: Target, data: bytes) -> float:
    gc.collect()
    gc.disable()  # it takes its time whenever it likes
    try:
        began = time.thread_time()
        target.feed(data)
        return time.thread_time() - began
    finally:
        gc.enable()
