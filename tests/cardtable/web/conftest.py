"""Fixtures of the tests of the board's page: a table, and the table's page in the browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.cardtable.at_the_table import AtTheTable
from tests.cardtable.web.chromium import open_page


@pytest.fixture
def table() -> Iterator[AtTheTable]:
    table = AtTheTable()
    yield table
    table.board.close()


@pytest.fixture
def page(browser: Browser, table: AtTheTable) -> Iterator[Page]:
    with open_page(browser, table.board.url) as page:
        yield page
