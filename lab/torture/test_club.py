"""The short form of `python -m lab.club.club`: real mosquitto and PostgreSQL, and each of them killed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from lab.club.club import measure


@pytest.mark.slow
def test_nothing_is_lost_while_broker_hub_database_and_tables_are_killed() -> None:
    kills = [(1.0, "hub"), (2.2, "broker"), (3.4, "database"), (4.4, "tables")]
    with tempfile.TemporaryDirectory(prefix="club-") as folder:
        os.chmod(folder, 0o755)  # PostgreSQL runs as another user than root, who may not enter the folders of pytest
        figures = measure(Path(folder), tables=3, seconds=5.5, kills=kills, rate=12.0)
    assert figures.wrong == ()
    assert figures.lines > 30 and figures.games >= 3  # allows for a busy machine
