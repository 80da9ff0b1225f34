"""Files that are there whole, or as they were before, whatever happens to the power or the disk."""

from __future__ import annotations

import os
from pathlib import Path


def store(path: Path, data: bytes) -> None:
    """Writes a file whole, and sees that it is on the disk. Raises `OSError`.

    A link keeps leading where it led; a device or a pipe is written into, and never replaced by a file.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    fresh = path.with_name(f"{path.name}.new")
    try:
        with fresh.open("wb") as file:
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
