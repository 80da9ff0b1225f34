"""Everybody can use every screen: axe-core finds nothing, and every text stands out from its background."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser

from tests.cardtable.board.chromium import CHROMIUM
from tests.cardtable.board.contrast import LOW_CONTRAST
from tests.cardtable.board.every_screen import every_screen, showing

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

THEMES = [
    {"theme": theme, "contrast": contrast, "suits": suits}
    for theme, contrast, suits in [
        ("light", "normal", "two"),
        ("dark", "normal", "two"),
        ("light", "normal", "four"),
        ("light", "high", "two"),
        ("dark", "high", "four"),
    ]
]
USE = (
    "async (options) => (await axe.run(document, options)).violations.map((each) => "
    "`${each.id}: ${each.nodes.map((node) => node.target.join(' ')).join(', ')}`)"
)
SET = "(settings) => Object.assign(document.documentElement.dataset, settings)"


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_axe_finds_nothing_on_any_screen(browser: Browser, theme: str) -> None:
    """The themes differ in colours alone, and the test below measures those; so one of them is enough each time."""
    found: dict[str, Any] = {}
    with showing(browser) as shown:
        shown.page.evaluate(AXE_SCRIPT)
        shown.page.evaluate(SET, {"theme": theme})
        for screen in every_screen():
            shown.show(screen)
            if violations := shown.page.evaluate(USE, {"resultTypes": ["violations"]}):
                found[screen.name] = violations
    assert found == {}


def test_every_text_stands_out_in_every_theme(browser: Browser) -> None:
    found: dict[str, Any] = {}
    with showing(browser) as shown:
        for screen in every_screen():
            shown.show(screen)
            for theme in THEMES:
                shown.page.evaluate(SET, theme)
                low, measured = shown.page.evaluate(LOW_CONTRAST)
                assert measured, screen.name
                if low:
                    found[" ".join([screen.name, *theme.values()])] = low
    assert found == {}


@pytest.mark.parametrize(
    ("style", "low"),
    [
        ("color: #777; background: #fff", True),  # 4.48
        ("color: #767676; background: #fff", False),  # 4.54
        ("color: #949494; background: #fff; font-size: 24px", False),  # 3.03
        ("color: #000; background: #fff; opacity: .5", True),  # as #7f7f7f: 4.0
        ("color: #fff; background: linear-gradient(#000, #999)", True),  # 2.85 at its end
        ("color: #fffc; background: #0009", True),
    ],
)
def test_the_measurement_of_contrast_finds_what_is_low(browser: Browser, style: str, low: bool) -> None:
    page = browser.new_page()
    page.set_content(f'<body style="background: #fff"><p style="{style}">Text</p>')
    found, measured = page.evaluate(LOW_CONTRAST)
    page.close()
    assert (bool(found), measured) == (low, 1)
