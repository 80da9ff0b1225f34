"""The files and modules that the documents name exist. (Links are checked when the site is built: `make docs`.)"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
]
ROOMS = "engine|vision|firmware_bridge|hardware|cardtable|tests|club|lab|tools|docs"


def test_every_file_that_a_document_names_exists() -> None:
    elsewhere = {"tests/test_club_whist.py"}  # in the package that adding-a-game.md makes
    files = rf"(?<![\w./-])((?:{ROOMS})/[\w./-]+\.(?:py|md|c|h|cpp|ino|toml|onnx|po|png|jpg))\b"
    missing = [
        (document.name, name)
        for document in DOCUMENTS
        for name in re.findall(files, document.read_text("utf-8"))
        if name not in elsewhere and not (ROOT / name).exists()
    ]
    assert missing == []


def test_every_module_that_a_document_names_exists() -> None:
    for document in DOCUMENTS:
        modules = rf"(?:^(?:>>> )?\s*from |python -m )((?:{ROOMS})\b[\w.]*)"
        for module in re.findall(modules, document.read_text("utf-8"), re.MULTILINE):
            path = ROOT / module.replace(".", "/")
            assert path.is_dir() or path.with_suffix(".py").exists(), f"{document.name}: {module}"
