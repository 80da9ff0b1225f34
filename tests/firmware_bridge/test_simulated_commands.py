"""What the simulated reader board refuses, and what a stepped one counts."""

from __future__ import annotations

from contextlib import closing

import pytest

from firmware_bridge import BridgeError
from firmware_bridge.simulated import SimulatedBoard, SteppedPort, run_all

pytestmark = pytest.mark.slow


def test_what_does_not_exist_is_refused_and_the_board_goes_on(stepped: SimulatedBoard) -> None:
    with pytest.raises(ValueError, match=r"^the simulated reader board, asked to lay 8 04a1b2c3: no such command$"):
        stepped.lay(8, "04a1b2c3")
    with pytest.raises(ValueError, match=r"asked to lift 3 04a1b2c3: no such tag$"):
        stepped.lift(3, "04a1b2c3")
    stepped.run(0.25)
    assert stepped.time == 0.25


def test_a_simulator_that_has_ended(stepped: SimulatedBoard) -> None:
    stepped._process.kill()
    stepped._process.wait()  # so that the command cannot be written at all
    with pytest.raises(BridgeError, match=r"^the simulated reader board has ended; start again$"):
        stepped.reset()


def test_stepped_boards_run_together_and_a_port_holds_what_was_sent(stepped: SimulatedBoard) -> None:
    with SimulatedBoard(7, stepped=True) as other, closing(SteppedPort(stepped)) as port:
        run_all([stepped, other], 3.0)
        assert stepped.time == other.time == 3.0
        sent = port.in_waiting
        assert sent == stepped.sent > 0
        assert len(port.read()) == 1 and len(port.read(10_000)) == sent - 1
        assert port.read(5) == b"" and port.in_waiting == 0
    stepped.run(1.0)
    with closing(SteppedPort(stepped)) as late:
        assert late.in_waiting == 0, "what was sent before the port was opened is not to be read"


def test_unplugging_a_stepped_board_drops_what_was_written(stepped: SimulatedBoard) -> None:
    with closing(SteppedPort(stepped)) as port:
        assert port.write(b"\0\0\0") == 3
        stepped.run(0.5)
        assert port.write(b"\0\0") == 2 and stepped.written == 5
        stepped.plug(False)
        assert stepped.written == 3
        with pytest.raises(OSError):
            port.read()
