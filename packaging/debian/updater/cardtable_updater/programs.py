"""Run a program of the system."""

import os
import subprocess
from collections.abc import Mapping, Sequence

from cardtable_updater.errors import Failed, last_lines


def output(command: Sequence[str], check: bool = True, more: Mapping[str, str] | None = None) -> str:
    """Return what a program printed. `more`: variables for its environment.

    Raises `Failed` if the program fails and `check` is true.
    """
    environment = os.environ | {"LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"} | dict(more or {})
    done = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode and check:
        raise Failed("refused", last_lines(done.stdout))
    return done.stdout
