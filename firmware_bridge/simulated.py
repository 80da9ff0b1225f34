"""The simulated board: the real firmware on a simulated Arduino, with readers, tags, buttons and a port.

    with SimulatedBoard() as board:
        board.lay(0, "04a1b2c3")
        serial.serial_for_url(board.port)

Stepped, it stands still but for the times that `run` or `run_all` gives it, and goes through those as fast as the
computer can: whoever reads its port by its clock sees the same at every run, on however busy a machine.

`simulator/board.c` is the program behind it. It needs the packages named in `firmware_bridge.building.PACKAGES`.
"""

from __future__ import annotations

import contextlib
import secrets
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

from engine.texts import text
from firmware_bridge.building import build_firmware, build_simulator
from firmware_bridge.errors import BridgeError, NotBuilt
from firmware_bridge.ports import open_port

READERS: Final = 8
_LONGEST_S: Final = 1.0
"""The system does not take so long to hand a byte over."""


class SimulatedBoard:
    """An Arduino Uno with eight readers, plugged in at `port`. To be used in a `with`, or closed.

    `boot`: the number of its last start, kept in its EEPROM; one at random where it is None. `uid`s are hexadecimal,
    of 4 or 7 bytes. Raises `NotBuilt`, and `BridgeError` where the simulator has ended. Any thread may use it.
    `stepped`: it keeps no pace.
    """

    def __init__(self, boot: int | None = None, folder: Path | None = None, stepped: bool = False) -> None:
        program, firmware = build_simulator(folder), build_firmware("uno", folder)
        self._folder = tempfile.TemporaryDirectory(prefix="cardtable-board-")
        self.port: Final = str(Path(self._folder.name) / "port")
        number = secrets.randbelow(0xFFF0) + 1 if boot is None else boot
        self.stepped: Final = stepped
        self._time: float | None = None
        self.sent = self.written = 0
        """Bytes that a stepped board has given to its port, and that were written to it through a `SteppedPort`."""
        self._turn = threading.Lock()
        self._process = subprocess.Popen(
            [str(program), str(firmware.elf), self.port, str(number), *(("stepped",) if stepped else ())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Ctrl-C ends the program, and that ends the board.
            process_group=0,
        )
        assert self._process.stdout is not None
        while (line := self._process.stdout.readline()) != "ready\n":
            if not line:
                self.close()
                raise NotBuilt(text("the simulated board does not start: see above for why"))

    def __enter__(self) -> SimulatedBoard:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Take the board away. May be called twice."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        self._folder.cleanup()

    def lay(self, reader: int, uid: str) -> None:
        """A tag comes into the reader's field."""
        self._do(f"lay {reader} {uid}")

    def lift(self, reader: int, uid: str) -> None:
        """The tag leaves it."""
        self._do(f"lift {reader} {uid}")

    def hang(self, reader: int) -> None:
        """The reader does nothing any more until it is reset."""
        self._do(f"hang {reader}")

    def lose_settings(self, reader: int) -> None:
        """The reader loses its settings, as by a spark, and takes none until its reset line is pulled."""
        self._do(f"deafen {reader}")

    def attach(self, reader: int, there: bool) -> None:
        """The reader's wires are connected, or come off."""
        self._do(f"{'attach' if there else 'remove'} {reader}")

    def press(self, button: int, down: bool) -> None:
        """The button goes down, or up."""
        self._do(f"{'press' if down else 'release'} {button}")

    def reset(self) -> None:
        """Somebody presses the reset button."""
        self._do("reset")

    def wedge(self) -> None:
        """The firmware runs into an endless loop, out of which only the watchdog gets it."""
        self._do("wedge")

    def power(self, on: bool) -> None:
        """The board loses its power, its port stays; or it gets it back."""
        self._do("on" if on else "off")

    def plug(self, there: bool) -> None:
        """The cable is plugged in, or out; the board has power of its own."""
        self._do("plug" if there else "unplug")
        if self.stepped and not there:
            _, _, self.written = self._times()  # the rest is lost

    def noise(self, share: float, seed: int = 0) -> None:
        """From now on so many bytes, both ways, are dropped, flipped, or come with another one before them."""
        self._do(f"noise {share} {seed}")

    @property
    def lights(self) -> int:
        """The lights that shine now, a bit each."""
        return int(self._ask("lights"))

    @property
    def scans(self) -> int:
        """How often the readers, all together, have looked what lies on them."""
        return int(self._ask("scans"))

    @property
    def time(self) -> float:
        """Seconds that the board has run."""
        if self._time is None or not self.stepped:
            self._time, self.sent, _ = self._times()
        return self._time

    def run(self, seconds: float) -> None:
        """Let a stepped board go on for so long."""
        run_all([self], seconds)

    def _times(self) -> tuple[float, int, int]:
        time, sent, received = self._ask("time").split()
        return float(time), int(sent), int(received)

    def _do(self, command: str) -> None:
        if (answer := self._ask(command)) != "ok":
            raise ValueError(f"the simulated board, asked to {command}: {answer}")

    def _ask(self, command: str) -> str:
        with self._turn:
            self._tell(command)
            return self._answer()

    def _tell(self, command: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended, and gives no answer
            self._process.stdin.write(f"{command}\n")
            self._process.stdin.flush()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        if not answer:
            raise BridgeError(text("the simulated board has ended; start again"))
        return answer.rstrip("\n")


def run_all(boards: Sequence[SimulatedBoard], seconds: float) -> None:
    """Let stepped boards go on for so long, all at the same time."""
    with contextlib.ExitStack() as stack:
        for board in boards:
            stack.enter_context(board._turn)
            board._tell(f"run {seconds:.6f} {board.written}")
        for board in boards:
            time, sent, _ = board._answer().split()
            board._time, board.sent = float(time), int(sent)


class SteppedPort:
    """The port of a stepped board: reads all that the board has sent, which the system may still have on its way."""

    timeout: float | None = 0.0

    def __init__(self, board: SimulatedBoard) -> None:
        self._board = board
        self._port = open_port(board.port, _LONGEST_S)
        self._taken = board.sent

    @property
    def in_waiting(self) -> int:
        """How many bytes the board has sent, and nobody has read."""
        return self._board.sent - self._taken

    def read(self, size: int = 1, /) -> bytes:
        """Up to `size` bytes. Raises `OSError` where the port is gone."""
        wanted = min(size, self.in_waiting)
        data = b""
        while len(data) < wanted:
            more = self._port.read(wanted - len(data))
            if not more:
                raise OSError("the simulated port is gone")
            data += more
        self._taken += len(data)
        if not wanted:
            _ = self._port.in_waiting  # an error where it is gone
        return data

    def write(self, data: bytes, /) -> int | None:
        """Send everything."""
        self._board.written += len(data)
        return self._port.write(data)

    def close(self) -> None:
        """Let the port go."""
        self._port.close()
