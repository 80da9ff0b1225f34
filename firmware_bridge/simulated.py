"""A simulated reader board: the real firmware on a simulated Arduino, with readers, tags, buttons and a serial port.

    with SimulatedBoard() as board:
        board.lay(0, "04a1b2c3")
        serial.serial_for_url(board.port)

A stepped board runs only during `run` or `run_all`, as fast as the computer can. A program that uses its clock sees
the same in every run, however busy the machine is.

The simulator is `simulator/board.c`. It needs the packages named in `firmware_bridge.building.PACKAGES`.
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
from firmware_bridge import BridgeError, NotBuilt
from firmware_bridge.bridge import open_port
from firmware_bridge.building import build_firmware, build_simulator

READERS: Final = 8
_LONGEST_S: Final = 1.0
"""Time-out of a stepped port, seconds: the system delivers a byte much sooner."""


class SimulatedBoard:
    """An Arduino Uno with eight readers, plugged in at `port`. Use it in a `with` statement, or close it.

    `boot`: the number of its previous start in its EEPROM; None: random. `folder`: where the simulator and the firmware
    are built, by default the user's cache. `stepped`: the reader board runs only when asked to. Readers and buttons are
    numbered from 0; a `uid` is 4 or 7 bytes in hexadecimal. Thread-safe.

    Raises `NotBuilt` if it cannot be built, `BridgeError` if the simulator has ended, and `ValueError` for an invalid
    reader, button or tag.
    """

    def __init__(self, boot: int | None = None, stepped: bool = False) -> None:
        program, firmware = build_simulator(), build_firmware()
        self._folder = tempfile.TemporaryDirectory(prefix="cardtable-board-")
        self.port: Final = str(Path(self._folder.name) / "port")
        number = secrets.randbelow(0xFFF0) + 1 if boot is None else boot
        self.stepped: Final = stepped
        self._time: float | None = None
        self.sent = self.written = 0
        """Bytes that a stepped board has sent to its port, and that were written to it through a `SteppedPort`."""
        self._turn = threading.Lock()
        self._process = subprocess.Popen(
            [str(program), str(firmware.elf), self.port, str(number), *(("stepped",) if stepped else ())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Its own process group: Ctrl-C ends the program, which then ends the reader board.
            process_group=0,
        )
        assert self._process.stdout is not None
        while (line := self._process.stdout.readline()) != "ready\n":
            if not line:
                self.close()
                raise NotBuilt(text("the simulated reader board does not start: see above for why"))

    def __enter__(self) -> SimulatedBoard:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the simulator. May be called twice."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(BrokenPipeError):  # a command that the simulator did not read before it ended
                if pipe:
                    pipe.close()
        self._folder.cleanup()

    def lay(self, reader: int, uid: str) -> None:
        """Put a tag on the reader."""
        self._do(f"lay {reader} {uid}")

    def lift(self, reader: int, uid: str) -> None:
        """Take a tag off the reader."""
        self._do(f"lift {reader} {uid}")

    def hang(self, reader: int) -> None:
        """Let the reader hang until it is reset."""
        self._do(f"hang {reader}")

    def lose_settings(self, reader: int) -> None:
        """Let the reader lose its settings, as by a static discharge, and refuse new ones until it is reset."""
        self._do(f"deafen {reader}")

    def copy(self, reader: int, version: int) -> None:
        """Make the reader's chip a copy that names itself by another number, as clones of the MFRC522 do."""
        self._do(f"copy {reader} {version:02x}")

    def attach(self, reader: int, attached: bool) -> None:
        """Connect or disconnect the reader's wires."""
        self._do(f"{'attach' if attached else 'remove'} {reader}")

    def press(self, button: int, down: bool) -> None:
        """Press or release a button."""
        self._do(f"{'press' if down else 'release'} {button}")

    def reset(self) -> None:
        """Press the reset button."""
        self._do("reset")

    def wedge(self) -> None:
        """Make the firmware run into an endless loop, which only the watchdog ends."""
        self._do("wedge")

    def power(self, on: bool) -> None:
        """Switch the reader board's power on or off; its port stays."""
        self._do("on" if on else "off")

    def plug(self, plugged: bool) -> None:
        """Plug the USB cable in or out; the reader board has its own power supply."""
        self._do("plug" if plugged else "unplug")
        if self.stepped and not plugged:
            _, _, self.written = self._times()  # bytes still on their way are lost

    def noise(self, share: float, seed: int = 0) -> None:
        """From now on drop, flip or precede with a random byte this share (0 to 1) of the bytes in both directions."""
        self._do(f"noise {share} {seed}")

    @property
    def lights(self) -> int:
        """Bit mask of the lights that are on."""
        return int(self._ask("lights"))

    @property
    def scans(self) -> int:
        """Number of scans by all readers together."""
        return int(self._ask("scans"))

    @property
    def time(self) -> float:
        """Time that the reader board has run, seconds."""
        if self._time is None or not self.stepped:
            self._time, self.sent, _ = self._times()
        return self._time

    def run(self, seconds: float) -> None:
        """Run a stepped board for `seconds`."""
        run_all([self], seconds)

    def _times(self) -> tuple[float, int, int]:
        time, sent, received = self._ask("time").split()
        return float(time), int(sent), int(received)

    def _do(self, command: str) -> None:
        if (answer := self._ask(command)) != "ok":
            raise ValueError(f"the simulated reader board, asked to {command}: {answer}")

    def _ask(self, command: str) -> str:
        with self._turn:
            self._command(command)
            return self._answer()

    def _command(self, command: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # if the simulator has ended, `_answer` raises the error
            self._process.stdin.write(f"{command}\n")
            self._process.stdin.flush()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        if not answer:
            raise BridgeError(text("the simulated reader board has ended; start again"))
        return answer.rstrip("\n")


def run_all(boards: Sequence[SimulatedBoard], seconds: float) -> None:
    """Run stepped boards for `seconds`, all at the same time."""
    with contextlib.ExitStack() as stack:
        for board in boards:
            stack.enter_context(board._turn)
            board._command(f"run {seconds:.6f} {board.written}")
        for board in boards:
            time, sent, _ = board._answer().split()
            board._time, board.sent = float(time), int(sent)


class SteppedPort:
    """The port of a stepped board. It reads all that the board has sent, and waits for what the system still holds."""

    timeout: float | None = 0.0

    def __init__(self, board: SimulatedBoard) -> None:
        self._board = board
        self._port = open_port(board.port, _LONGEST_S)
        self._read_count = board.sent

    @property
    def in_waiting(self) -> int:
        """Number of bytes that the reader board has sent and that were not read yet."""
        return self._board.sent - self._read_count

    def read(self, size: int = 1, /) -> bytes:
        """Return up to `size` bytes. Raises `OSError` if the port is gone."""
        wanted = min(size, self.in_waiting)
        data = b""
        while len(data) < wanted:
            more = self._port.read(wanted - len(data))
            if not more:
                raise OSError("the simulated port is gone")
            data += more
        self._read_count += len(data)
        if not wanted:
            _ = self._port.in_waiting  # raises an error if the port is gone
        return data

    def write(self, data: bytes, /) -> int | None:
        """Send all of `data`."""
        written = self._port.write(data)
        self._board.written += len(data)
        return written

    def close(self) -> None:
        """Close the port."""
        self._port.close()
