"""Memory that is free is returned to the system between two games."""

from __future__ import annotations

import platform
import re
from pathlib import Path

import pytest

from cardtable.evening.playing import return_free_memory

SIZE = 100_000
"""Below the size from which the C library gives memory back at once, bytes."""


def resident_mb() -> float:
    found = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) / 1024


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can be asked to return memory")
def test_what_lies_free_between_pieces_in_use_is_returned() -> None:
    pieces = [bytes([1]) * SIZE for _ in range(2_000)]
    kept = pieces[::100]
    del pieces
    before = resident_mb()
    return_free_memory()
    assert resident_mb() < before - 100
    assert len(kept) == 20
