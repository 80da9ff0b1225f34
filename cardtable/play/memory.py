"""The memory of the process between two games."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress


def return_free_memory() -> None:
    """Return memory that is no longer used to the system, if the C library can do that (glibc).

    Otherwise glibc keeps what the pictures of a game leave free between smaller pieces that are still in use: 150 to
    400 MB more with every game before a camera.
    """
    gc.collect()  # pictures that refer to each other
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
