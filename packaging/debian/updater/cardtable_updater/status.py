"""What the updater reports: a file that everybody may read, written whole."""

import json
import os
import time
from pathlib import Path
from typing import Any, Final

KEPT: Final = ("available", "refused")
"""Fields that stay as they are unless a report names them."""


class Status:
    """The status in `file`."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def read(self) -> dict[str, Any]:
        """Return the last report; an empty one if there is none, or if it is damaged."""
        try:
            stored = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return stored if isinstance(stored, dict) else {}

    @property
    def refused(self) -> list[str]:
        """The versions that did not come up, which are not offered again."""
        return list(self.read().get("refused") or [])

    def report(self, state: str, installed: str | None, **more: Any) -> str:
        """Store `state`, the installed version and further fields; return `state`."""
        before = self.read()
        kept = {name: before.get(name) for name in KEPT}
        now = {"state": state, "installed": installed, "why": "", "said": "", "time": time.time()}
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps(kept | now | more), "utf-8")
        fresh.chmod(0o644)
        with fresh.open("rb") as file:
            os.fsync(file.fileno())
        fresh.replace(self._file)
        return state
