"""Neither the tests of the product nor what they draw with imports the lab, which is not a part of the product."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def imported(path: Path) -> set[str]:
    """Return the top-level packages that a file imports, also inside its functions."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module or "")
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("folder", ["tests", "club/tests"])
def test_no_test_of_the_product_imports_the_lab(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert len(files) > 5
    assert [path.relative_to(ROOT).as_posix() for path in files if "lab" in imported(path)] == []
