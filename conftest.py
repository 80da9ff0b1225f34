"""Fixtures shared by tests of several packages: the language is English, and simulated reader boards."""

from __future__ import annotations

import gc
import os
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from cardtable.terminal.output import set_language
from firmware_bridge import NotBuilt
from firmware_bridge.simulated import SimulatedBoard

if TYPE_CHECKING:
    from playwright.sync_api import Browser

for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
    os.environ.pop(variable, None)
os.environ["LANG"] = "C.UTF-8"
# As `cardtable.cli` sets it, also for the tests that run before one that calls it.
os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")
# httpx then reads a certificate when it needs it; otherwise each request reads all those of the Web first, for 50 ms.
os.environ.pop("SSL_CERT_FILE", None)
os.environ.setdefault("SSL_CERT_DIR", "/etc/ssl/certs")

# The examples are the same in every run. `--hypothesis-profile` chooses how many there are.
settings.register_profile("long", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("usual", settings.get_profile("long"), max_examples=30)
settings.register_profile("quick", settings.get_profile("long"), max_examples=15)
settings.load_profile("usual")


def pytest_collection_finish() -> None:
    """Keep the collected tests out of garbage collections: each would pass through half a million objects."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the slow tests of the whole program first, so that they do not keep one process busy at the end.

    Of the cases of a test marked `sampled`, mark the others `long`; a test that is named runs all of its cases.
    """
    items.sort(key=lambda item: not item.nodeid.startswith("tests/system/"))
    if config.option.keyword or any("::" in argument for argument in config.args):
        return
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled") and not item.get_closest_marker("long"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for test, of_test in cases.items():
        (mark,) = of_test[0].iter_markers("sampled")
        chosen = sample_of(test, len(of_test), mark.args[0])
        for index, item in enumerate(of_test):
            if index not in chosen:
                item.add_marker(pytest.mark.long)


def sample_of(test: str, cases: int, wanted: int) -> set[int]:
    """Return which cases of a test run in the suite: evenly spaced, from one that depends on the test's name.

    So tests of all games play different games.
    """
    start = zlib.crc32(test.encode())
    return {(start + number * cases // wanted) % cases for number in range(min(wanted, cases))}


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


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser of all pages that this process tests: a second one would be refused."""
    from tests.cardtable.web.chromium import CHROMIUM, launched  # slow to load

    if not CHROMIUM:
        pytest.skip("needs chromium: make setup-dev installs it")
    with launched() as browser:
        yield browser
