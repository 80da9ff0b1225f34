"""Checksums of the first lines of streams, with which a hub finds that a table goes on from other lines than it has."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final

from cardtable.club.messages import checksum

MOST: Final = 1_000
"""Streams whose checksums are kept; those of another one are computed again."""


class Prefixes:
    """The checksums of streams that are asked about, each named by its table and its game. One thread uses it."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._sums: OrderedDict[tuple[str, str], array[int]] = OrderedDict()

    def of(self, stream: tuple[str, str], count: int, read: Callable[[], Iterable[str]]) -> array[int]:
        """Return the checksums of the first 0, 1, … `count` lines. `read`: returns all lines of the stream."""
        sums = self._sums.get(stream)
        if sums is None or len(sums) != count + 1:
            sums = self._sums[stream] = array("L", [0])
            for _, line in zip(range(count), read(), strict=False):
                sums.append(checksum(line, sums[-1]))
        self._sums.move_to_end(stream)
        while len(self._sums) > self._most:
            self._sums.popitem(last=False)
        return sums

    def add(self, stream: tuple[str, str], line: str) -> None:
        """Add a line that is stored after the others."""
        if (sums := self._sums.get(stream)) is not None:
            sums.append(checksum(line, sums[-1]))

    def clear(self) -> None:
        """Forget everything."""
        self._sums.clear()
