"""The firmware's portable core, built for this computer with sanitizers, and a simulated serial line to it."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from firmware_bridge.building import SKETCH
from firmware_bridge.link import Link, LinkUpdate
from firmware_bridge.messages import TagEvent

CORE: Final = SKETCH / "src" / "core"
BYTES_A_MS: Final = 11.52
"""115200 baud, ten bits a byte."""


def build(folder: Path) -> Path:
    """Return the path of the program, built in `folder` unless it is there already."""
    sources = [Path(__file__).with_name("core.c"), *sorted(CORE.glob("*.c"))]
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in (*sources, *sorted(CORE.glob("*.h"))):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    program = folder / f"core-{digest.hexdigest()[:12]}"
    if program.exists():
        return program
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / f"{program.name}.{os.getpid()}"  # workers may build it at the same time
    checks = [
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Werror",
    ]
    command = ["gcc", "-std=c99", "-O1", "-g", *checks, f"-I{CORE}", "-o", str(new), *map(str, sources)]
    subprocess.run(command, check=True)
    return new.replace(program)


class Core:
    """The core, waiting for commands (tests/firmware_bridge/core.c)."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command: str) -> str:
        return self.ask_all([command])[0]

    def ask_all(self, commands: Iterable[str]) -> list[str]:
        """Send several commands at once; their answers must fit into a pipe."""
        commands = list(commands)
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("".join(f"{command}\n" for command in commands))
        self._process.stdin.flush()
        answers = [self._process.stdout.readline() for _ in commands]
        assert all(answers), "the core has ended; a sanitizer says why on standard error"
        return [answer.rstrip("\n") for answer in answers]

    def close(self) -> int:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        return self._process.wait(5)


class Line:
    """A serial line between the core and a `Link`, in steps of a millisecond, with faults in a share of its bytes.

    `stored`: called with every event; whether it is stored, and may be acknowledged.
    """

    def __init__(self, core: Core, link: Link, noise: float = 0.0, seed: int = 0, latency_ms: int = 2) -> None:
        self.core, self.link, self.noise = core, link, noise
        self.rng = random.Random(seed)
        self.now = 0
        self.updates: list[LinkUpdate] = []
        self.cut = False
        self.stored: Callable[[TagEvent], bool] = lambda event: True
        self._room = {"in": 0.0, "out": 0.0}
        self._pending = {"in": b"", "out": b""}
        self._late: list[bytes] = [b""] * latency_ms
        link.opened(1, 0.0)

    @property
    def events(self) -> list[TagEvent]:
        return [update for update in self.updates if isinstance(update, TagEvent)]

    def run(self, ms: int, until: Callable[[], bool] = lambda: False) -> bool:
        for _ in range(ms):
            self.step()
            if until():
                return True
        return False

    def step(self) -> None:
        self.now += 1
        to_board = self._flow("out", self._late.pop(0))
        commands = [f"time {self.now}"]
        if to_board:
            commands.append(f"take 0 {to_board.hex()}")
        self.core.ask_all(commands)
        while len(self._pending["in"]) < 63:  # as much as the reader board's serial buffer takes
            frame = self.core.ask(f"next {63 - len(self._pending['in'])}")
            if not frame:
                break
            self._pending["in"] += bytes.fromhex(frame)
        data = self._flow("in", b"")
        for update in self.link.receive(data, self.now / 1000):
            self.updates.append(update)
            if isinstance(update, TagEvent) and self.stored(update):
                self.link.stored(update)
        self._late.append(self.link.outgoing(self.now / 1000))

    def _flow(self, way: str, more: bytes) -> bytes:
        """The bytes that arrive at the other end in this millisecond."""
        self._pending[way] += more
        self._room[way] = min(self._room[way] + BYTES_A_MS, 20.0)
        count = min(int(self._room[way]), len(self._pending[way]))
        self._room[way] -= count
        out, self._pending[way] = self._pending[way][:count], self._pending[way][count:]
        return b"" if self.cut else disturbed(out, self.noise, self.rng)


def lay(core: Core, reader: int, *uids: str) -> None:
    """Complete scans of the reader that see exactly these tags, as many as make its state known."""
    core.ask_all(["begin", *(f"saw {reader} {uid}" for uid in uids), f"end {reader}"] * 3)


def disturbed(data: bytes, noise: float, rng: random.Random) -> bytes:
    """`data` with bytes dropped, flipped or inserted, a third each, in a share `noise` of its bytes."""
    if not noise:
        return data
    out = bytearray()
    for byte in data:
        if rng.random() >= noise:
            out.append(byte)
            continue
        kind = rng.randrange(3)
        if kind == 1:
            out.append(byte ^ (1 << rng.randrange(8)))
        elif kind == 2:
            out += bytes((rng.randrange(256), byte))
    return bytes(out)
