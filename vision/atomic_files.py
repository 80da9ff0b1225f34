"""Atomic writing of files: after a power cut or a full disk a file is complete, old or new. Entries of ZIP archives."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """Open a new file that replaces `path` at the end of the `with` block. It is then on the disk.

    `mode`: the permissions of the file, None for the usual ones. A symbolic link stays, and its target is replaced.
    After an exception the new file is deleted, and `path` is unchanged.
    """
    path = path.resolve()
    fresh = path.with_name(f"{path.name}.new")
    try:
        fresh.unlink(missing_ok=True)  # left by a power cut; through a link, another file would be overwritten
        flags, initial = os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode
        with open(os.open(fresh, flags, initial), "wb") as file:
            if mode is not None:
                with suppress(OSError):  # a stick has no permissions of its own
                    os.fchmod(file.fileno(), mode)  # whatever the umask allows
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk: only then does a new, renamed or deleted file survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def zip_entry(name: str, compression: int = zipfile.ZIP_DEFLATED) -> zipfile.ZipInfo:
    """Return an entry of a ZIP archive, without a date: an archive has none before 1980 or after 2107."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type, entry.external_attr = compression, 0o600 << 16
    return entry


def store(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write `data` to the file `path` as `replacing` does; a device or a pipe is written to. Raises `OSError`."""
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    with replacing(path, mode) as file:
        file.write(data)
