"""The library that runs the nets: it keeps nothing in the home, and reports nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_no_number_of_this_machine_is_made(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", "import vision.faces.onnx_session"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    assert not list(tmp_path.rglob("*"))
