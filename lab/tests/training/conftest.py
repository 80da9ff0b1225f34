"""Training needs the packages of the `train` extra; without them these tests are not collected."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

NEEDED = ("torch", "PIL", "onnx")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Ignore the tests in this folder if a package of the extra is missing."""
    return True if collection_path.suffix == ".py" and any(find_spec(name) is None for name in NEEDED) else None


def pytest_report_header() -> str | None:
    """Report it once."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    return f"training is not tested: {', '.join(missing)} missing (pip install '.[train]')" if missing else None
