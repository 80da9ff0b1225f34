"""The browser of all tests of pages: one for a process, because a second one would be refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.cardtable.web.chromium import CHROMIUM, launched


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser of all pages that this process tests."""
    if not CHROMIUM:
        pytest.skip("needs chromium: make setup-dev installs it")
    with launched() as browser:
        yield browser
