"""Every threshold of the readers and the tracker says what happens if it is changed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import vision

_FILES = sorted(Path(vision.__file__).parent.rglob("*.py"))
_NAMES = re.compile(r"(Settings|Timing|Checks)$")
_REQUESTS = {"CameraSettings"}
"""What the person at the table sets, in table.toml: not thresholds."""
_EFFECT = re.compile(
    r"\b(higher|lower|longer|shorter|larger|smaller|wider|narrower|more|fewer|farther)\b[^.;]*:\s|the same\s",
    re.IGNORECASE,
)
"""As in "Higher: slower", "Rate higher, or fewer frames: ..." and "The same for ..."."""


def _classes() -> Iterator[tuple[str, ast.ClassDef]]:
    for path in _FILES:
        for node in ast.parse(path.read_text("utf-8")).body:
            if not isinstance(node, ast.ClassDef) or not _NAMES.search(node.name) or node.name in _REQUESTS:
                continue
            if any("dataclass" in ast.unparse(each) for each in node.decorator_list):
                yield path.stem, node


def undocumented(node: ast.ClassDef) -> list[str]:
    """The fields that no text with an effect follows; one text may be about several fields."""
    missing: list[str] = []
    waiting: list[str] = []
    for part in node.body:
        if isinstance(part, ast.AnnAssign):
            if not ast.unparse(part.annotation).endswith("Settings"):
                waiting.append(ast.unparse(part.target))
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant) and waiting:
            missing += [] if _EFFECT.search(str(part.value.value)) else waiting
            waiting = []
    return missing + waiting


def test_a_field_without_an_effect_is_found() -> None:
    fields = ("x: int = 1", '"""Pixels. Higher: slower."""', "y: int = 2", '"""Pixels of a side."""', "z: int = 3")
    source = "class A:\n" + "".join(f"    {line}\n" for line in fields)
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.ClassDef) and undocumented(node) == ["y", "z"]


@pytest.mark.parametrize(
    ("module", "node"), [pytest.param(*each, id=f"{each[0]}-{each[1].name}") for each in _classes()]
)
def test_every_threshold_names_its_effect(module: str, node: ast.ClassDef) -> None:
    assert undocumented(node) == [], f"{module}.{node.name}"
