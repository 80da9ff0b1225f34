"""Stop the table while it starts: `torture stops`.

The real program gets SIGTERM at a random moment between its first instruction and its first seconds as a table. It must
end soon, with the status for it: a request that is lost would leave systemd waiting until it kills the program.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cardtable.stopping import TERMINATED
from lab.torture.harness import Figure, Scale
from lab.torture.programs import ROOT

_TRIES: Final = 300
_END_S: Final = 20.0
"""Longest time from the signal to the end of the program, seconds; a busy machine is slow."""
_LONGER: Final = 1.2
"""The latest moment, as a multiple of the time that a start takes."""
_ENDS: Final = (TERMINATED, -signal.SIGTERM)
"""The right exit statuses; the second one before the program has changed what the signal does."""


def run(scale: Scale) -> Iterator[Figure]:
    """Stop the program at random moments of its start."""
    rng = random.Random(f"stops {scale.seed}")
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "table.toml"
        config.write_text("[board]\nport = 0\n", "utf-8")
        took = _start_seconds(config)
        failures = []
        latest = 0.0
        for number in range(scale.of(_TRIES)):
            after = rng.uniform(0.0, took * _LONGER)
            status, seconds, errors = stopped(config, after)
            latest = max(latest, seconds)
            if status not in _ENDS or "Traceback" in errors:
                failures.append(f"try {number}, after {after:.3f} s: ended with {status}: {errors[-400:]}")
    note = f"a start takes {took:.1f} s; ended within {latest:.1f} s"
    yield Figure("SIGTERM during the start", scale.of(_TRIES), tuple(failures), note)


def stopped(config: Path, after: float) -> tuple[int | None, float, str]:
    """Start the table, and stop it `after` seconds.

    Return the exit status (None: it goes on), the seconds until then, and what it wrote to standard error.
    """
    process = _started(config)
    time.sleep(after)
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    try:
        _, errors = process.communicate(timeout=_END_S)
        return process.returncode, time.monotonic() - began, errors
    except subprocess.TimeoutExpired:
        process.kill()
        return None, time.monotonic() - began, process.communicate()[1]


def _started(config: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "cardtable", "run", "-c", str(config)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT)


def _start_seconds(config: Path) -> float:
    """Return how long a start takes, up to the line with the board's address."""
    began = time.monotonic()
    process = _started(config)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("the board: "):
            break
    took = time.monotonic() - began
    process.kill()
    process.communicate()
    return took
