"""How many threads the runtimes of the nets use.

The nets share the cores. OpenCV's own threads take more processor time than they save on pictures as small as ours, so
that `cardtable.cli` limits it to one (`python -m lab.benchmarks.threads`).
"""

from __future__ import annotations

from typing import Final

import cv2

MOST: Final = 4
"""Most threads of a net. Higher: on more cores large pictures may be read a little faster; lower: slower."""
_most = MOST


def net_threads() -> int:
    """Return how many threads a net uses: one for each core, at most `MOST` or what `limit_net_threads` says."""
    return max(1, min(_most, cv2.getNumberOfCPUs()))


def limit_net_threads(count: int) -> None:
    """Let the nets that are opened from now on use at most `count` threads, instead of `MOST`.

    Less than one counts as one.
    """
    global _most
    _most = count


def use_one_thread() -> None:
    """Let OpenCV, and the nets that are opened from now on, use one thread.

    For measuring processor time, and for processes that are forked: threads do not go on in them.
    """
    limit_net_threads(1)
    cv2.setNumThreads(1)
