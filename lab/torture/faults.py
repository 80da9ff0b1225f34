"""Faults of disk and clock, injected between a program and the C library (`faults.c`, preloaded)."""

from __future__ import annotations

import hashlib
import mmap
import os
import shutil
import struct
import subprocess
import tempfile
from enum import IntEnum, IntFlag
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).with_name("faults.c")
_LAYOUT: Final = struct.Struct("<5q4i256s256s")
_FIELDS: Final = ("clock_offset", "count", "at", "times", "failed", "mode", "error", "kinds", "log")
_OFFSETS: Final = {name: 8 * n if n < 5 else 40 + 4 * (n - 5) for n, name in enumerate(_FIELDS)}
_FOREVER: Final = -1


class Mode(IntEnum):
    """What happens at the chosen operation."""

    OFF = 0
    KILL_BEFORE = 1
    KILL_AFTER = 2
    KILL_TORN = 3
    """Half of the data is written, then the process is killed."""
    FAIL = 4
    FAIL_SHORT = 5
    """Half of the data is written; everything after that fails."""


class Kind(IntFlag):
    """Operations that can fail."""

    WRITE = 1
    SYNC = 2
    TRUNCATE = 4
    OPEN = 8
    UNLINK = 16
    RENAME = 32
    ALL = 63


class NoCompiler(Exception):
    """The preloaded library cannot be built: a C compiler is missing."""


def build() -> Path:
    """Return the library, compiled if it is not in the cache. Raises `NoCompiler`."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise NoCompiler("faults of the disk need a C compiler: install gcc and libc6-dev")
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cardtable" / "torture"
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / f"faults-{hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:12]}.so"
    if not library.exists():
        with tempfile.TemporaryDirectory(dir=folder) as work:
            new = Path(work) / "faults.so"
            command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(new), str(SOURCE), "-ldl"]
            made = subprocess.run(command, capture_output=True, text=True)
            if made.returncode:
                raise NoCompiler(f"faults.c cannot be compiled: {made.stderr.strip()}")
            new.replace(library)
    return library


class Faults:
    """The control file of one program at `path`; files whose paths contain `match` get faults."""

    def __init__(self, path: Path, match: str = "", log: Path | None = None) -> None:
        self.path = path
        log_path = str(log or "").encode()
        path.write_bytes(
            _LAYOUT.pack(0, 0, 0, 0, 0, 0, 0, int(Kind.ALL), int(log is not None), match.encode(), log_path)
        )
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)

    def _get(self, name: str) -> int:
        form = "<q" if _OFFSETS[name] < 40 else "<i"
        return int(struct.unpack_from(form, self._map, _OFFSETS[name])[0])

    def _set(self, name: str, value: int) -> None:
        struct.pack_into("<q" if _OFFSETS[name] < 40 else "<i", self._map, _OFFSETS[name], value)

    @property
    def count(self) -> int:
        """Number of operations so far."""
        return self._get("count")

    @property
    def failed(self) -> int:
        """Number of operations that failed, or at which the process was killed."""
        return self._get("failed")

    def kill_at(self, operation: int, mode: Mode) -> None:
        """Kill the process at the operation with this number, counted from 1."""
        self._set("at", operation)
        self._set("mode", mode)

    def fail(self, error: int, kinds: Kind = Kind.ALL, times: int = _FOREVER, short: bool = False) -> None:
        """Make the next `times` operations of these kinds fail with `error`; -1 means all.

        `short`: half of the first write is done.
        """
        self._set("error", error)
        self._set("kinds", kinds)
        self._set("at", self.count + 1)
        self._set("times", times)
        self._set("mode", Mode.FAIL_SHORT if short else Mode.FAIL)

    def start_at(self, operation: int) -> None:
        """Let the operation with this number, counted from 1, be the first that fails."""
        self._set("at", operation)

    def end(self) -> None:
        """End all faults."""
        self._set("mode", Mode.OFF)
        self._set("kinds", Kind.ALL)

    def shift_clock(self, seconds: float) -> None:
        """Set the wall clock ahead by `seconds`; the monotonic clock is unchanged."""
        self._set("clock_offset", round(seconds * 1e9))

    def close(self) -> None:
        """Release the control file."""
        self._map.close()
