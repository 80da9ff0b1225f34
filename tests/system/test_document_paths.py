"""The files and modules that the documents name exist. (Links are checked when the site is built: `make docs`.)"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
]
ROOMS = "engine|vision|firmware_bridge|hardware|cardtable|tests|club|lab|tools|docs"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_that_a_document_names_exists(document: Path) -> None:
    text = document.read_text("utf-8")
    named = re.findall(rf"(?<![\w./-])((?:{ROOMS})/[\w./-]+\.(?:py|md|c|h|cpp|ino|toml|onnx|po|png|jpg))\b", text)
    elsewhere = {"tests/test_club_whist.py"}  # in the package that adding-a-game.md makes
    assert [name for name in named if name not in elsewhere and not (ROOT / name).exists()] == []


def test_every_module_that_a_document_imports_exists() -> None:
    for document in DOCUMENTS:
        for module in re.findall(
            rf"^(?:>>> )?\s*(?:from|python -m) ((?:{ROOMS})[\w.]*)", document.read_text("utf-8"), re.M
        ):
            path = ROOT / module.replace(".", "/")
            assert path.is_dir() or path.with_suffix(".py").exists(), f"{document.name}: {module}"
