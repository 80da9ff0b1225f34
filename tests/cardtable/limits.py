"""Simulate a full disk in a test: no file may grow beyond a number of bytes."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def full_disk(largest: int) -> Iterator[None]:
    """Limit files written by this process to `largest` bytes; writing more fails as on a full disk."""
    before, bytecode = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    # A module imported meanwhile would leave a cut .pyc file behind, which breaks later imports (Python 3.11).
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, before[1]))
    try:
        yield
    finally:
        sys.dont_write_bytecode = bytecode
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
