"""Tests of the program without plug-ins: these tests hide the installed ones, which have tests of their own."""

from __future__ import annotations

import pytest

from cardtable.plugins import VARIABLE


@pytest.fixture(autouse=True)
def no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide all plug-ins, also from the programs that a test starts."""
    monkeypatch.setenv(VARIABLE, "off")
