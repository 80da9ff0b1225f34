"""A short form of `lab.torture.sources`: a camera and readers that fail at the same time."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardtable.simulation.source import Setting
from firmware_bridge import NotBuilt
from lab.torture.sources import Failing, Seen, faults_in_a_game
from lab.torture.sources_faults import CAMERA_FAULTS, READER_FAULTS, silent, unplugged
from lab.torture.sources_table import WatchedTable


@pytest.mark.slow
def test_camera_and_readers_that_fail_together_are_reported_and_recover(tmp_path: Path) -> None:
    try:
        table = WatchedTable(Setting("le-quinze", 2, 7, "aruco", "fast"), tmp_path, camera=True, readers=True)
    except NotBuilt as error:
        pytest.skip(str(error))
    seen: dict[str, Seen] = {}
    with table:
        assert faults_in_a_game(table, [Failing(unplugged, silent)], seen, between=(1.0, 1.5)) is None
        assert len(table.live.table.actions) > 1
    (found,) = seen.values()
    assert found.failures == [] and len(found.reported) == 2 and len(found.recovered) == 1


def test_every_fault_that_must_be_reported_lasts_longer_than_it_may_take() -> None:
    assert all(lasting.seconds > 3.0 for lasting in (*CAMERA_FAULTS.values(), *READER_FAULTS.values()))
