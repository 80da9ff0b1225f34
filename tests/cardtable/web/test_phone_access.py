"""Everybody can use every screen of a phone: axe-core finds nothing, every text stands out, and everything fits."""

from __future__ import annotations

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, ViewportSize

from tests.cardtable.web.chromium import CHROMIUM
from tests.cardtable.web.contrast import AXE_OPTIONS, LOW_CONTRAST, SET, THEMES, USE
from tests.cardtable.web.phone_screens import phone_screens, showing_phone
from tests.cardtable.web.pictures import PHONE_SIZES
from tests.cardtable.web.test_phone_page import FAULTS

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.long)])
def test_every_screen_of_a_phone_can_be_used(browser: Browser, step: int) -> None:
    """`make test` shows every fourth screen and measures contrast in every fourth theme, `make long` in all."""
    found: dict[str, list[str]] = {}
    sizes = [ViewportSize(width=width, height=height) for width, height in PHONE_SIZES]
    with showing_phone(browser, viewport=sizes[0]) as shown:
        page = shown.page
        for number, screen in enumerate(phone_screens()[::step]):
            shown.show(screen)
            page.evaluate(AXE_SCRIPT)  # again, because the page may have been loaded again
            page.evaluate(SET, THEMES[0])
            faults = list(page.evaluate(USE, AXE_OPTIONS))
            for theme in THEMES[number % step :: step]:
                page.evaluate(SET, theme)
                low, measured = page.evaluate(LOW_CONTRAST)
                assert measured, screen.name
                faults += low
            page.evaluate(SET, THEMES[0])
            for size in sizes:
                page.set_viewport_size(size)
                faults += page.evaluate(FAULTS)
            page.set_viewport_size(sizes[0])
            if faults:
                found[screen.name] = faults
    assert found == {}
