"""A first start with all its steps and its stored progress, for one of the sites."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from cardtable.first_start.machine import FirstStart
from cardtable.first_start.progress import Progress, ProgressFile
from cardtable.first_start.step import Site, Step
from cardtable.first_start.steps import all_steps
from cardtable.first_start.steps.club import ClubStep

ALONE: Final[Mapping[str, type[Step]]] = {ClubStep.name: ClubStep}
"""The steps that the lobby can ask alone."""
_FILE: Final = "first-start.json"


def progress_path(journal: Path) -> Path:
    """Return the file of the progress, beside the journal."""
    return journal.with_name(_FILE)


def open_one_step(site: Site, name: str) -> FirstStart:
    """Return the questions of one step alone, asked from the lobby; nothing of the progress is stored.

    Raises `KeyError` for a name that no step of `ALONE` has.
    """
    return FirstStart([ALONE[name]()], site, Progress(), lambda progress: None, lambda: None)


def open_first_start(site: Site) -> FirstStart:
    """Return the first start at the step that was shown last."""
    steps = all_steps()
    progress = ProgressFile(progress_path(site.config.journal), [step.name for step in steps])

    def over() -> None:
        if site.config.first_start:
            site.change({("first_start",): False})
        progress.remove()

    return FirstStart(steps, site, progress.read(), progress.write, over)
