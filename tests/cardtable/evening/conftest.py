"""The fixture of the tests with buttons and encoders."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cardtable.table.outputs import HardwareOutputs
from hardware.seats import Seats
from hardware.wiring import SeatWiring
from tests.cardtable.evening.evenings import TestEvening
from tests.cardtable.evening.hands import BUTTON, ENCODER, Hands
from tests.hardware.bench import Clock, board


@pytest.fixture
def hands(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Hands, bool]]:
    """People at seat 1, and whether they have an encoder; a test can be parametrised with that."""
    encoder = getattr(request, "param", True)
    clock, factory = Clock(), board()
    wiring = SeatWiring(1, button=BUTTON, encoder=ENCODER if encoder else None, light=(27,))
    outputs = HardwareOutputs(Seats(factory, [wiring], clock=clock), clock=clock, stepped=True)
    with closing(outputs), TestEvening(tmp_path / "journal.sqlite", outputs=outputs) as evening:
        yield Hands(evening, factory, clock), encoder
