"""Fixtures of the tests of the board's page: a table, and the table's page in the browser.

The tests of a file share one board and one page, on which each test begins a new game: loading a page takes longer
than most tests.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.cardtable.at_the_table import AtTheTable
from tests.cardtable.web.chromium import open_page, tidy


@pytest.fixture(scope="module")
def shared_table() -> Iterator[AtTheTable]:
    table = AtTheTable()
    yield table
    table.board.close()


@pytest.fixture(scope="module")
def shared_page(browser: Browser, shared_table: AtTheTable) -> Iterator[Page]:
    with open_page(browser, shared_table.board.url) as page:
        yield page


@pytest.fixture
def table(shared_table: AtTheTable) -> AtTheTable:
    shared_table.begin()
    return shared_table


@pytest.fixture
def page(shared_page: Page, table: AtTheTable) -> Page:
    tidy(shared_page)
    return shared_page
