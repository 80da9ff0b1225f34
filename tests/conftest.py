"""What tests of several rooms share: the RFID readers' board, with the real firmware."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from firmware_bridge.errors import NotBuilt
from firmware_bridge.simulated import SimulatedBoard


@pytest.fixture
def board() -> Iterator[SimulatedBoard]:
    """At the pace of a real one: for programs that keep their own time."""
    yield from simulated()


@pytest.fixture
def stepped() -> Iterator[SimulatedBoard]:
    """It goes on only when the test says so: everything happens the same way every time, however busy the machine."""
    yield from simulated(boot=100, stepped=True)


def simulated(boot: int | None = None, stepped: bool = False) -> Iterator[SimulatedBoard]:
    try:
        board = SimulatedBoard(boot, stepped=stepped)
    except NotBuilt as error:
        if "missing" in str(error):
            pytest.skip(str(error))
        raise
    with board:
        yield board
