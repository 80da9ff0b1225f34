"""Pages that find no place, and pages among clients that only hold connections, in a real browser."""

from __future__ import annotations

import socket
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.cardtable.at_the_table import AtTheTable
from tests.cardtable.web.chromium import CHROMIUM

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")


def test_a_page_that_finds_no_place_says_so_and_comes_when_there_is_one(
    browser: Browser, table: AtTheTable, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    expect(page.locator(".seat")).to_have_count(2)
    monkeypatch.setattr("cardtable.web.connections.MAX_PAGES_OF_DEVICE", 1)
    monkeypatch.setattr("cardtable.web.serving.device_of", lambda page: "192.168.1.20")
    first, second = browser.new_page(), browser.new_page()
    first.goto(table.board.url)
    expect(first.locator(".seat")).to_have_count(2)
    second.goto(table.board.url)
    expect(second.locator("#offline")).to_contain_text("Too many pages of this table are open")
    phone = browser.new_page()
    phone.goto(f"{table.board.url}/phone")
    expect(phone.get_by_role("textbox", name="Code")).to_be_visible()  # once it is paired, it comes first
    phone.close()
    first.close()
    expect(second.locator("#offline")).to_be_hidden(timeout=15000)
    expect(second.locator(".seat")).to_have_count(2)
    second.close()


def test_a_browser_finds_its_place_among_silent_connections(browser: Browser, table: AtTheTable) -> None:
    with ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(socket.create_connection(("127.0.0.1", table.board.port)))
        page = browser.new_page()
        page.goto(table.board.url)
        expect(page.locator(".seat")).to_have_count(2)
        page.close()
