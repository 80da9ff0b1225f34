"""PINs are hashed with the least cost, so that the tests are quick."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def cheap_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardtable.board.access.pin.COST", 2**10)
