"""Everybody can use every screen of a phone: axe-core finds nothing, every text stands out, and everything fits."""

from __future__ import annotations

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, ViewportSize

from tests.cardtable.web.chromium import CHROMIUM
from tests.cardtable.web.contrast import (
    AXE_OPTIONS,
    LEAST_TARGET_PX,
    LOW_CONTRAST,
    SET,
    SMALL_TARGETS,
    THEMES,
    USE,
)
from tests.cardtable.web.phone_screens import phone_screens, showing_phone
from tests.cardtable.web.pictures import DEVICES
from tests.cardtable.web.test_phone_page import FAULTS

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")


def test_every_screen_of_a_phone_can_be_used(browser: Browser) -> None:
    """By either hand, and with larger type, which scrolls."""
    found: dict[str, list[str]] = {}
    sizes = [ViewportSize(width=width, height=height) for width, height in DEVICES[1].sizes]
    with showing_phone(browser, viewport=sizes[0]) as shown:
        page = shown.page
        for number, screen in enumerate(phone_screens()):
            shown.show(screen)
            page.evaluate(AXE_SCRIPT)  # again, because the page may have been loaded again
            page.evaluate(SET, THEMES[0])
            faults = list(page.evaluate(USE, AXE_OPTIONS))
            for theme in THEMES[number % 3 :: 3]:
                page.evaluate(SET, theme)
                low, measured = page.evaluate(LOW_CONTRAST)
                assert measured, screen.name
                faults += low
            page.evaluate(SET, THEMES[0])
            faults += page.evaluate(SMALL_TARGETS, LEAST_TARGET_PX)
            for size, hand in zip(sizes, ("left", "right"), strict=True):
                page.set_viewport_size(size)
                page.evaluate(SET, {"hand": hand})
                faults += page.evaluate(FAULTS)
            page.set_viewport_size(sizes[0])
            if faults:
                found[screen.name] = faults
    assert found == {}
