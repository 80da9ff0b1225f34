"""The browser of the tests of pages."""

from __future__ import annotations

import shutil

from playwright.sync_api import Page

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
)


def colour(page: Page, what: str) -> str:
    return str(page.locator(what).first.evaluate("element => getComputedStyle(element).color"))
