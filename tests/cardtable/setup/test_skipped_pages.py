"""The first start in a real browser: every page can be skipped, and come back to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from cardtable.languages import NAMES
from tests.cardtable.setup.programs import Programs
from tests.cardtable.setup.test_first_start_page import FAULTS, running
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.page_faults import UNREACHABLE

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")]

HOLD = """() => {
    const fetched = window.fetch;
    window.fetch = async (path, options) => {
        const answer = await fetched(path, options);
        if (!String(path).startsWith("start/state.json") || window.release) return answer;
        document.body.dataset.held = "1";
        await new Promise((go) => { window.release = go; });
        return answer;
    };
}"""
"""Keeps the next question that the page asks for until `window.release()`."""


def title_at(page: Page, number: int) -> str:
    """Return the title of the question with this number, once it is shown; nothing is cut, with large type as well."""
    expect(page.locator("#place")).to_have_text(re.compile(rf"^{number} / \d$"))
    expect(page.locator("#title")).not_to_be_empty()
    assert page.evaluate(FAULTS) == []
    for larger in ("200%", "normal"):
        page.evaluate("larger => { document.documentElement.dataset.type = larger; }", larger)
        assert page.evaluate(UNREACHABLE) == []
    return page.locator("#title").inner_text()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("size", "language"), [((800, 480), "English"), *(((390, 844), name) for name in list(NAMES.values())[1:])]
)
def test_every_page_is_skipped_and_come_back_to_without_a_camera(
    browser: Browser, tmp_path: Path, programs: Programs, size: tuple[int, int], language: str
) -> None:
    width, height = size
    with (
        running(tmp_path, "none.avi") as url,
        open_page(browser, f"{url}/start", viewport={"width": width, "height": height}) as page,
    ):
        title_at(page, 1)
        page.get_by_role("button", name=language, exact=True).click()
        titles: list[str] = []
        while not titles or titles[-1] not in ("The camera", "La caméra"):
            titles.append(title_at(page, len(titles) + 2))
            if titles[-1] not in ("The camera", "La caméra"):
                page.locator("#skip").click()
        assert len({*titles}) == len(titles) <= 5  # each has a title of its own
        expect(page.locator("#see")).to_be_hidden()  # nothing is broken where there is no picture
        for number, title in reversed([*enumerate(titles[:-1], 2)]):
            page.locator("#back").click()
            assert title_at(page, number) == title
        page.evaluate("""fetch("start/do", {
            method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({do: "go", step: "time-zone", value: "camera"}),
        })""")
        title_at(page, len(titles) + 1)
        page.locator("#forward").click()
        expect(page).to_have_url(f"{url}/")
        expect(page.locator("#lobby")).to_be_visible()
        page.goto(f"{url}/start")
        title_at(page, 1)
        page.locator("#skip").click()
        title_at(page, 2)
    assert "first_start = false" in (tmp_path / "table.toml").read_text("utf-8")


def test_an_answer_that_comes_late_does_not_bring_the_last_question_back(
    browser: Browser, tmp_path: Path, programs: Programs
) -> None:
    """What the page asked before a tap may arrive after it; the next tap was refused then."""
    with running(tmp_path, "none.avi") as url, open_page(browser, f"{url}/start") as page:
        title_at(page, 1)
        page.evaluate(HOLD)
        expect(page.locator("body[data-held]")).to_have_count(1)
        page.locator("#skip").click()
        title_at(page, 2)
        page.evaluate("window.release()")
        page.locator("#skip").click()
        title_at(page, 3)
        expect(page.locator("#refused")).to_be_hidden()
