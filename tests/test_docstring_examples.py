"""The examples in docstrings do what they show."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("cardtable", "engine", "firmware_bridge", "hardware", "vision")


MODULES = [path.relative_to(ROOT) for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]


@pytest.mark.parametrize("path", [path for path in MODULES if ">>> " in (ROOT / path).read_text()], ids=str)
def test_examples(path: Path) -> None:
    parts = path.with_suffix("").parts
    module = import_module(".".join(part for part in parts if part != "__init__"))
    result = doctest.testmod(module)
    assert result.attempted and not result.failed
