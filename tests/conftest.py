"""What tests of several rooms share: the RFID readers' board, with the real firmware."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from firmware_bridge.errors import NotBuilt
from firmware_bridge.simulated import SimulatedBoard


@pytest.fixture
def board() -> Iterator[SimulatedBoard]:
    try:
        board = SimulatedBoard()
    except NotBuilt as error:
        if "missing" in str(error):
            pytest.skip(str(error))
        raise
    with board:
        yield board
