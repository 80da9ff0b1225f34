"""Everybody can use every screen: axe-core finds nothing, all is large enough to tap, every text stands out."""

from __future__ import annotations

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser

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
from tests.cardtable.web.every_screen import every_screen, showing

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")


def test_every_screen_can_be_used_by_everybody(browser: Browser) -> None:
    """Contrast is measured in light and in dark, in high contrast, and with suits of two and of four colours.

    The themes differ in colours alone, so axe-core runs in the first one only.
    """
    found: dict[str, list[str]] = {}
    with showing(browser) as shown:
        page = shown.page
        page.evaluate(AXE_SCRIPT)
        for number, screen in enumerate(every_screen()):
            page.evaluate(SET, THEMES[0])
            shown.show(screen)
            faults = page.evaluate(USE, AXE_OPTIONS) + page.evaluate(SMALL_TARGETS, LEAST_TARGET_PX)
            for theme in (*THEMES[:3], THEMES[3 + number % 2]):
                page.evaluate(SET, theme)
                low, measured = page.evaluate(LOW_CONTRAST)
                assert measured, screen.name
                faults += [" ".join([*theme.values(), fault]) for fault in low]
            if faults:
                found[screen.name] = faults
    assert found == {}


MEASURED = {
    "color: #777; background: #fff": True,  # 4.48
    "color: #767676; background: #fff": False,  # 4.54
    "color: #949494; background: #fff; font-size: 24px": False,  # 3.03
    "color: #000; background: #fff; opacity: .5": True,  # as #7f7f7f: 4.0
    "color: #fff; background: linear-gradient(#000, #999)": True,  # 2.85 at its end
    "color: #fffc; background: #0009": True,
}
"""Styles of a text, and whether its contrast is too low."""


def test_the_measurement_of_contrast_finds_what_is_low(browser: Browser) -> None:
    page = browser.new_page()
    for style, low in MEASURED.items():
        page.set_content(f'<body style="background: #fff"><p style="{style}">Text</p>')
        found, measured = page.evaluate(LOW_CONTRAST)
        assert (bool(found), measured) == (low, 1), style
    page.close()
