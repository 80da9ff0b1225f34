"""Every threshold of the readers, the tracker and the referee says what happens if it is changed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine.referee
import vision

_FILES = sorted(file for room in (vision, engine.referee) for file in Path(room.__path__[0]).rglob("*.py"))
_NAMES = re.compile(r"(Settings|Timing|Checks|Thresholds)$")
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


def unexplained(body: list[ast.stmt]) -> list[str]:
    """The constants with numbers that no text follows; one text may be about several constants."""
    missing: list[str] = []
    waiting: list[str] = []
    for part in body:
        if isinstance(part, ast.Assign | ast.AnnAssign) and part.value is not None:
            parts = [each.value for each in ast.walk(part.value) if isinstance(each, ast.Constant)]
            if any(isinstance(each, int | float) and not isinstance(each, bool) for each in parts):
                waiting.append(ast.unparse(part))
                continue
        explained = isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
        missing += [] if explained else waiting
        waiting = []
    return missing + waiting


def test_a_constant_without_a_text_is_found() -> None:
    lines = (
        "A = 1",
        '"""Pixels."""',
        "B = (2, 3)",
        "def f(): ...",
        "C = 4",
        "D = 5",
        '"""Their sides, mm."""',
        "E = -1",
    )
    assert unexplained(ast.parse("\n".join(lines)).body) == ["B = (2, 3)", "E = -1"]


def test_every_number_that_is_not_a_threshold_says_what_it_is() -> None:
    """Sizes of formats, numbers of interfaces, what a net was trained with: they are not to be changed alone."""
    found = {path.name: unexplained(ast.parse(path.read_text("utf-8")).body) for path in _FILES}
    assert {name: lines for name, lines in found.items() if lines} == {}
