"""What tests of several rooms share: English whatever the machine speaks, and the RFID readers' board."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from cardtable.terminal.output import set_language
from firmware_bridge.errors import NotBuilt
from firmware_bridge.simulated import SimulatedBoard

for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
    os.environ.pop(variable, None)
os.environ["LANG"] = "C.UTF-8"

# The examples are the same in every run. `--hypothesis-profile=quick` draws fewer of them.
settings.register_profile("full", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("quick", settings.get_profile("full"), max_examples=15)
settings.load_profile("full")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slow tests of the whole program first, so that no process is left alone with them at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith("tests/system/"))


@pytest.fixture(autouse=True)
def english() -> None:
    """Whatever language the test before spoke."""
    set_language("en")


@pytest.fixture
def board() -> Iterator[SimulatedBoard]:
    """At the pace of a real one: for programs that keep their own time."""
    yield from simulated()


@pytest.fixture
def stepped() -> Iterator[SimulatedBoard]:
    """It goes on only when the test says so: everything happens the same way every time, however busy the machine."""
    yield from simulated(boot=100, stepped=True)


def simulated(boot: int | None = None, stepped: bool = False) -> Iterator[SimulatedBoard]:
    try:
        board = SimulatedBoard(boot, stepped=stepped)
    except NotBuilt as error:
        if "missing" in str(error):
            pytest.skip(str(error))
        raise
    with board:
        yield board
