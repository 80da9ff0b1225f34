"""A program that has imported everything and forks a process for each start. Run by `programs.py`.

A line of JSON on standard input starts a process; lines on standard output say `started PID` and `ended PID STATUS`.
Each process runs `cardtable.cli.main` with its own files, journal and faults, and can be killed like any other.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import select
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

WARM = (
    "cardtable.cli",
    "cardtable.cli.run",
    "cardtable.cli.demo",
    "cardtable.cli.history",
    "cardtable.evening.playing",
    "cardtable.setup.first_start",
    "cardtable.table.cameras",
    "cardtable.simulation.robots",
    "cardtable.maintenance.systemd",
    "onnxruntime",
    "websockets.asyncio.server",
    "uvicorn.protocols.http.h11_impl",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
    "babel.messages.pofile",
)


def run(order: dict[str, Any]) -> None:
    """In the new process: set up its files and its faults, then run the program."""
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(order[name], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), number)
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    if order["faults"] and ctypes.CDLL(None).faults_attach(order["faults"].encode()) != 0:
        raise OSError(f"no faults at {order['faults']}")
    if order["world"]:
        importlib.import_module(f"lab.torture.{order['world']}").install()
    from cardtable.cli import main

    try:
        status = main(order["arguments"])
    except SystemExit as end:
        status = int(end.code or 0)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # destructors of libraries wait for threads that a forked process does not have


def serve() -> None:
    """Start processes until standard input ends."""
    for name in WARM:
        importlib.import_module(name)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    os.write(1, b"ready\n")
    orders = b""
    while True:
        ready, _, _ = select.select([0, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            while True:
                try:
                    pid, status = os.waitpid(-1, os.WNOHANG)
                except ChildProcessError:
                    break
                if not pid:
                    break
                os.write(1, f"ended {pid} {os.waitstatus_to_exitcode(status)}\n".encode())
        if 0 in ready:
            data = os.read(0, 65536)
            if not data:
                return
            orders += data
            while b"\n" in orders:
                line, _, orders = orders.partition(b"\n")
                pid = os.fork()
                if pid == 0:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    run(json.loads(line))
                os.write(1, f"started {pid}\n".encode())


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    serve()
