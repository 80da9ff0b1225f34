"""Units of systemd, as systemd judges them."""

from __future__ import annotations

import subprocess
from pathlib import Path


def exposure(unit: Path) -> float:
    """How much of the system a service can reach, according to systemd: from 0 (nothing) to 10 (everything)."""
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)]
    out = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    (line,) = (line for line in out.splitlines() if "Overall exposure level" in line)
    return float(line.partition(": ")[2].split()[0])
