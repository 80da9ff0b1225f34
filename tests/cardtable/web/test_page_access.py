"""Everybody can use every screen: axe-core finds nothing, and every text stands out from its background."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser

from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.contrast import LOW_CONTRAST
from tests.cardtable.web.every_screen import every_screen, showing

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


COLOURS = {"resultTypes": ["violations"], "runOnly": ["color-contrast"]}


STEPS = pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])
"""Of the screens and themes, each third one is looked at in the suite; `make long` looks at all."""


@STEPS
def test_axe_finds_nothing_on_any_screen(browser: Browser, step: int) -> None:
    """The dark theme differs in colours alone: only the rules about them are checked again in it, on fewer
    screens; `test_every_text_stands_out_in_every_theme` measures the contrast of all texts in it.
    """
    found: dict[str, Any] = {}
    with showing(browser) as shown:
        shown.page.evaluate(AXE_SCRIPT)
        for number, screen in enumerate(every_screen()[::step]):
            shown.page.evaluate(SET, {"theme": "light"})
            shown.show(screen)
            violations = shown.page.evaluate(USE, {"resultTypes": ["violations"]})
            if number % (2 * step) == 0:
                shown.page.evaluate(SET, {"theme": "dark"})
                violations += shown.page.evaluate(USE, COLOURS)
            if violations:
                found[screen.name] = violations
    assert found == {}


def test_the_pages_of_spectators_and_of_streams_can_be_used_by_everybody(browser: Browser) -> None:
    """A spectator has the board's page without its buttons; the overlay has a ground of its own, and no settings."""
    found: dict[str, Any] = {}
    games = [screen for screen in every_screen() if screen.name in ("all-fives", "cribbage-show", "its-15", "result")]
    with showing(browser) as shown, open_page(browser, f"{shown.url}/overlay") as overlay:
        for page in (shown.page, overlay):
            page.evaluate(AXE_SCRIPT)
        for screen in games:
            shown.show(replace(screen, watches=True))
            version = shown.page.evaluate("Number(document.body.dataset.version)")
            overlay.wait_for_function("version => Number(document.body.dataset.version) >= version", arg=version)
            for page, name in ((shown.page, "spectator"), (overlay, "overlay")):
                violations = page.evaluate(USE, {"resultTypes": ["violations"]})
                for theme in THEMES if page is shown.page else THEMES[:1]:
                    page.evaluate(SET, theme)
                    low, measured = page.evaluate(LOW_CONTRAST)
                    violations += low
                    assert measured, screen.name
                if violations:
                    found[f"{name} {screen.name}"] = violations
    assert found == {}


@STEPS
def test_every_text_stands_out_in_every_theme(browser: Browser, step: int) -> None:
    found: dict[str, Any] = {}
    with showing(browser) as shown:
        for number, screen in enumerate(every_screen()):
            shown.show(screen)
            for theme in THEMES[number % step :: step]:
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
