"""How far the first start has come, in a file beside the journal: after a power cut it goes on where it was."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardtable.errors import CardtableError, why
from engine.texts import text
from vision.atomic_files import store

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Progress:
    """`at`: the name of the step that is shown; empty for the first. `done`, `skipped`: names of steps."""

    at: str = ""
    done: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()

    def to_json(self) -> dict[str, object]:
        """Return the progress as it is stored."""
        return {"at": self.at, "done": sorted(self.done), "skipped": sorted(self.skipped)}

    @classmethod
    def from_json(cls, stored: object, steps: Sequence[str]) -> Progress:
        """Return a stored progress; what is damaged, or no step of `steps`, is left out."""
        if not isinstance(stored, dict):
            return cls()
        at = stored.get("at")

        def known(names: object) -> frozenset[str]:
            return frozenset(name for name in names if name in steps) if isinstance(names, list) else frozenset()

        return cls(
            at if isinstance(at, str) and at in steps else "", known(stored.get("done")), known(stored.get("skipped"))
        )


class ProgressFile:
    """The file of the progress; `steps`: the names of all steps."""

    def __init__(self, path: Path, steps: Sequence[str]) -> None:
        self.path: Final = path
        self._steps = tuple(steps)

    def read(self) -> Progress:
        """Return the stored progress; the beginning if none is stored, or if it cannot be read."""
        try:
            return Progress.from_json(json.loads(self.path.read_text("utf-8")), self._steps)
        except FileNotFoundError:
            return Progress()
        except (OSError, ValueError, RecursionError) as error:
            _LOG.warning("%s: the first start begins again: %s", self.path, error)
            return Progress()

    def write(self, progress: Progress) -> None:
        """Store the progress. Raises `CardtableError`."""
        try:
            store(self.path, json.dumps(progress.to_json()).encode())
        except OSError as error:
            message = "{path} cannot be written: {why}. Allow this user to write in its folder, then try again."
            raise CardtableError(text(message, path=self.path, why=why(error))) from error

    def remove(self) -> None:
        """Forget the progress: the next first start begins at the first step. Raises `OSError`."""
        self.path.unlink(missing_ok=True)
