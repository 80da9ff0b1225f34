"""The short form of `python -m benchmarks.club`: real mosquitto and PostgreSQL, and each of them killed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.club import measure


@pytest.mark.slow
def test_nothing_is_lost_while_broker_hub_database_and_tables_are_killed(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents):
        if folder.is_relative_to(tmp_path.parents[2]) and folder.owner() == Path(tmp_path).owner():
            os.chmod(folder, 0o755)  # PostgreSQL runs as another user than root
    kills = [(1.0, "hub"), (2.2, "broker"), (3.4, "database"), (4.4, "tables")]
    figures = measure(tmp_path, tables=6, seconds=5.5, kills=kills, rate=20.0)
    assert figures.wrong == ()
    assert figures.lines > 30 and figures.games >= 6  # on a machine as busy as any
