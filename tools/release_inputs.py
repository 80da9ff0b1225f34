"""What a release is made from, and what of the trials is prepared once for the same tree."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = (
    *("cardtable", "engine", "firmware_bridge", "hardware", "vision", "packaging/debian", "packaging/table.toml"),
    *("pyproject.toml", "CHANGELOG.md", "tools/release_debs.py"),
)
"""What the packages are made from; a change in it makes every step due again."""
PROOF: Final = (
    *("packaging/proof.py", "tests/engine/records", "docs/pictures/table.jpg", "docs/pictures/paper"),
    "tools/release_checks.py",
)
"""What the packages are tried with."""


def digest(paths: Sequence[Path]) -> str:
    """Return the SHA-256 of the names and contents of files, and of all files below folders; not of compiled ones."""
    whole = hashlib.sha256()
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and file.suffix not in (".pyc", ".mo"):
                whole.update(f"{file.name}\0{file.stat().st_size}\0".encode() + file.read_bytes())
    return whole.hexdigest()


def digest_of(*names: str) -> str:
    """Return the digest of files and folders of this tree."""
    return digest([ROOT / name for name in names])


def prepared(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Return `folder`, made by `fill` unless it is there already for the same tree."""
    note, key = folder / "tree", digest_of(*PACKAGE, *PROOF)
    if not note.exists() or note.read_text("ascii") != key:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        fill(folder)
        note.write_text(key, "ascii")
    return folder
