"""Fixtures shared by tests of several packages: the language is English, and simulated reader boards."""

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

# The examples are the same in every run. `--hypothesis-profile` chooses how many there are.
settings.register_profile("long", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("usual", settings.get_profile("long"), max_examples=30)
settings.register_profile("quick", settings.get_profile("long"), max_examples=15)
settings.load_profile("usual")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slow tests of the whole program first, so that they do not keep one process busy at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith("tests/system/"))


@pytest.fixture(autouse=True)
def english() -> None:
    """Set the language to English, whatever the previous test or the environment set."""
    set_language("en")


@pytest.fixture
def board() -> Iterator[SimulatedBoard]:
    """A simulated reader board in real time, for programs with their own clock."""
    yield from simulated()


@pytest.fixture
def stepped() -> Iterator[SimulatedBoard]:
    """A simulated board that advances only when the test steps it, so that every run is the same on any machine."""
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
