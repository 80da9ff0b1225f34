"""Start `cardtable` in a process of its own, forked from one that has loaded its modules already."""

from __future__ import annotations

import contextlib
import fcntl
import multiprocessing
import os
import signal
import subprocess
import sys
import termios
from collections.abc import Mapping
from multiprocessing import forkserver
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any, Final, Self, TextIO

ROOT: Final = Path(__file__).parents[1]
MODULES: Final = (
    "cardtable.cli.calibrate", "cardtable.cli.deck", "cardtable.cli.demo", "cardtable.cli.run", "cardtable.cli.tags",
    "cardtable.cli.watch", "cardtable.doctor.pages", "cardtable.evening.host", "cardtable.history.pages",
    "cardtable.maintenance.backup", "cardtable.maintenance.pages", "cardtable.setup.deck_course",
    "cardtable.setup.pages", "cardtable.setup.terminal", "cardtable.web.server", "firmware_bridge.bridge",
    "uvicorn.lifespan.off", "uvicorn.protocols.http.h11_impl",
)  # fmt: skip
"""What the commands import when they need it, which takes a new program seconds."""

FORK: Final = multiprocessing.get_context("forkserver")
FORK.set_forkserver_preload(list(MODULES))


def _run(
    arguments: tuple[str, ...], folder: str, environment: Mapping[str, str], streams: Mapping[int, Any], terminal: bool
) -> None:
    """Run the command in the new process; `streams` are its standard streams, of a terminal or not."""
    for number, stream in streams.items():
        descriptor = stream.detach()
        os.dup2(descriptor, number)
        os.close(descriptor)
    if terminal:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    from cardtable.cli import main

    status = main(arguments)
    sys.stdout.flush()
    sys.exit(status)


class Program:
    """`cardtable` with `arguments`, like the `subprocess.Popen` of it, but ready at once; killed after a `with` block.

    `terminal`: the descriptor of a terminal for its standard streams, instead of `stdout` and `stderr`.
    """

    def __init__(
        self,
        *arguments: str,
        folder: Path | None = None,
        env: Mapping[str, str] | None = None,
        terminal: int | None = None,
    ) -> None:
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        ends = {1: out_end, 2: err_end} if terminal is None else dict.fromkeys((0, 1, 2), terminal)
        streams = {number: DupFd(end) for number, end in ends.items()}
        args = arguments, str(folder or Path.cwd()), dict(os.environ if env is None else env)
        with contextlib.chdir(ROOT):  # the server of the first program imports what lies there
            forkserver.ensure_running()
        self._process = FORK.Process(target=_run, args=(*args, streams, terminal is not None), daemon=True)
        self._process.start()
        os.close(out_end)
        os.close(err_end)
        self.stdout: Final[TextIO] = os.fdopen(out, encoding="utf-8")
        self.stderr: Final[TextIO] = os.fdopen(err, encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()
        self.wait()
        self.stdout.close()
        self.stderr.close()

    @property
    def returncode(self) -> int | None:
        """The exit status; negative if a signal has killed it, None while it is running."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; return the exit status. Raises `TimeoutExpired`."""
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("cardtable", timeout or 0.0)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end; return what it wrote, up to the size of a pipe, on standard output and standard error."""
        self.wait(timeout)
        return self.stdout.read(), self.stderr.read()

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal, unless it has ended."""
        if self.returncode is None and self._process.pid is not None:
            os.kill(self._process.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(signal.SIGKILL)
