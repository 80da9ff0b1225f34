"""Atomic writing of files: after a power cut or a full disk a file is complete, old or new."""

from __future__ import annotations

import os
from pathlib import Path


def store(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write `data` to the file `path`, and wait until it is on the disk. Raises `OSError`.

    `mode`: the permissions of the file, None for the usual ones. A symbolic link stays, and its target is replaced; a
    device or a pipe is written to.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    fresh = path.with_name(f"{path.name}.new")
    try:
        with fresh.open("wb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
