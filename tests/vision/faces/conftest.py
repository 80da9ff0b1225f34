"""Nets that the readers of all tests share: a session keeps nothing of what it has run, and takes time to open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vision.faces import onnx_session
from vision.faces.net_threads import net_threads


@pytest.fixture(scope="session", autouse=True)
def shared_nets() -> Iterator[None]:
    """Open each file once for each number of threads."""
    opened: dict[tuple[Path | bytes, bool, int], Any] = {}
    original = onnx_session.open_session

    def shared(model: Path | bytes, *, memory_arena: bool = True) -> Any:
        key = (model, memory_arena, net_threads())
        if key not in opened:
            opened[key] = original(model, memory_arena=memory_arena)
        return opened[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onnx_session, "open_session", shared)
        yield
