"""The browser of the tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Programs that can be used, the fastest first."""
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name))), "")
VOICE = """localStorage.setItem("speech", "full"); window.heard = [];
Object.defineProperty(window, "speechSynthesis", { value: { speaking: false, cancel() {}, speak(utterance) {
    heard.push(utterance.text);
    queueMicrotask(() => utterance.onend());
} } });"""
"""A voice that keeps what it says, in place of that of the browser, which has none here."""


expect.set_options(timeout=30_000)  # a busy machine may need more than the five seconds that are usual


@contextmanager
def launched() -> Iterator[Browser]:
    """Start a browser. In tests use the fixture `browser`: a second one in a process would be refused."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
        )
        yield browser
        browser.close()


@contextmanager
def open_page(
    browser: Browser, url: str, letters: str | None = None, moments: bool = False, before: str = "", **options: Any
) -> Iterator[Page]:
    """Open the page at `url`, 800 x 480 by default; fail at the end if a script failed or the CSP refused something.

    `letters`: the setting of the size of letters. `before`: a script that runs before those of the page. `moments`:
    whether moments stay until they end; otherwise each is ended before what the test does or expects.
    """
    page = browser.new_page(**{"viewport": {"width": 800, "height": 480}, "reduced_motion": "reduce"} | options)
    if letters:
        page.add_init_script(f"localStorage.setItem('type', '{letters}')")
    if before:
        page.add_init_script(before)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if "Content Security" in message.text else None)
    if not moments:
        end = "document.getElementById('moment').click()"
        page.add_locator_handler(page.locator("#moment:not(.revoke)"), lambda: page.evaluate(end))
    page.goto(url)
    yield page
    page.close()
    assert not faults, faults


def tidy(page: Page) -> None:
    """Close what an earlier test has left open on a page that tests share."""
    page.evaluate("for (const open of document.querySelectorAll('dialog[open]')) open.close()")
    page.set_viewport_size({"width": 800, "height": 480})


def colour(page: Page, what: str) -> str:
    return str(page.locator(what).first.evaluate("element => getComputedStyle(element).color"))
