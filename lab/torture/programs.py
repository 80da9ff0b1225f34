"""Processes of the real program for the torture harnesses: started warm from a fork server, or cold."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
_THREADS: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}


class StillRuns(Exception):
    """The program does not end."""


class Program:
    """One process of the program. `error_file`: its standard error; `begun`: its start, monotonic seconds."""

    def __init__(self, server: Programs, pid: int, out: Path, error_file: Path) -> None:
        self._server = server
        self.pid: Final = pid
        self.out: Final = out
        self._error_file: Final = error_file
        self.begun: Final = time.monotonic()

    @property
    def errors(self) -> str:
        """What it has written to standard error so far."""
        return self._error_file.read_text("utf-8", "replace") if self._error_file.exists() else ""

    @property
    def printed(self) -> str:
        """What it has written to standard output so far."""
        return self.out.read_text("utf-8", "replace") if self.out.exists() else ""

    @property
    def url(self) -> str | None:
        """The address of the board; None if it is not printed yet."""
        for line in self.errors.splitlines(keepends=True):
            if line.startswith("the board: ") and line.endswith("\n"):
                return line.split()[2]
        return None

    def status(self, within: float = 0.0) -> int | None:
        """Return the exit status, or minus the signal that ended it; None if it still runs after `within` seconds."""
        return self._server.status(self, within)

    def wait(self, within: float = 60.0) -> int:
        """Return the exit status. Raises `StillRuns`."""
        status = self.status(within)
        if status is None:
            raise StillRuns(f"it runs after {within:.0f} s: {self.errors[-500:]}")
        return status

    def kill(self) -> int:
        """End it with SIGKILL, if it has not ended; return its status."""
        if (ended := self.status()) is None:
            os.kill(self.pid, signal.SIGKILL)
            ended = self.wait(20.0)
        return ended


class Programs:
    """Starts processes of the program.

    Use it in a `with` statement, which ends those that still run. `preload`: a library to load before all others
    (`faults.build`). `folder`: where their output goes.
    """

    def __init__(self, folder: Path, preload: Path | None = None) -> None:
        self._folder = folder
        self._number = 0
        self._ended: dict[int, int] = {}
        self._running: dict[int, Program] = {}
        self._text = b""
        environment = {**os.environ, **_THREADS}
        if preload:
            environment["LD_PRELOAD"] = str(preload)
        self._server = subprocess.Popen(
            [sys.executable, "-m", "lab.torture.fork_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=ROOT,
        )

    def __enter__(self) -> Programs:
        self._line(120.0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for program in list(self._running.values()):
            program.kill()
        assert self._server.stdin is not None and self._server.stdout is not None
        self._server.stdin.close()
        self._server.wait(20)
        self._server.stdout.close()

    def start(
        self,
        arguments: Sequence[str],
        environment: dict[str, str] | None = None,
        faults: Path | None = None,
        world: str = "",
    ) -> Program:
        """Start `cardtable` with these arguments. `world`: a module of this folder with a function `install`."""
        self._number += 1
        out, errors = (self._folder / f"{self._number}.{name}" for name in ("out", "err"))
        order: dict[str, Any] = {
            "arguments": list(arguments),
            "environment": environment or {},
            "faults": str(faults) if faults else "",
            "folder": str(self._folder),
            "world": world,
            "out": str(out),
            "err": str(errors),
        }
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(order).encode() + b"\n")
        self._server.stdin.flush()
        while True:
            words = self._line(20.0).split()
            if words[0] == "started":
                break
            self._note(words)
        pid = int(words[1])
        self._ended.pop(pid, None)
        program = self._running[pid] = Program(self, pid, out, errors)
        return program

    def status(self, program: Program, within: float) -> int | None:
        """Return the exit status of `program`; None if it still runs after `within` seconds."""
        end = time.monotonic() + within
        while program.pid in self._running:
            line = self._line(max(end - time.monotonic(), 0.0), wait=False)
            if not line:
                return None
            self._note(line.split())
        return self._ended[program.pid]

    def _note(self, words: Sequence[str]) -> None:
        pid = int(words[1])
        self._ended[pid] = int(words[2])
        self._running.pop(pid, None)

    def _line(self, within: float, wait: bool = True) -> str:
        """Return the next line of the server; an empty text if none comes in time."""
        assert self._server.stdout is not None
        descriptor = self._server.stdout.fileno()
        while b"\n" not in self._text:
            if not select.select([descriptor], [], [], within)[0]:
                if wait:
                    raise StillRuns("the fork server does not answer")
                return ""
            data = os.read(descriptor, 65536)
            if not data:
                raise StillRuns("the fork server has ended")
            self._text += data
        line, _, self._text = self._text.partition(b"\n")
        return line.decode()
