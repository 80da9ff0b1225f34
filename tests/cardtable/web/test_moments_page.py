"""Moments on the board's page, in a real browser: each is shown once, and a revoke until it is answered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Page, expect

from cardtable.web.screens import GameScreen
from engine.observations import UndoAsked
from tests.cardtable.at_the_table import AtTheTable
from tests.cardtable.boards import BoardOfTest, board_for
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.states import states_of_a_game

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

SIZES = [(800, 480), (1024, 600), (1280, 800), (1920, 1080), (480, 800), (390, 844)]
LONGEST = "Maximiliane-Theodora"
REVOKE: dict[str, Any] = {
    "kind": "revoke",
    "headline": f"{LONGEST} had a diamond",
    "seat": 1,
    "cards": ["5C", "8D"],
    "captions": [
        f"Trick 5: Bartholomew led diamonds, {LONGEST} played 5♣.",
        f"Trick 9: {LONGEST} still has 8♦.",
    ],
    "follows": f"{LONGEST} should have followed suit: {LONGEST} scores 26 points for this hand, the others none.",
}
LAST: dict[str, Any] = {
    "kind": "last-trick",
    "headline": f"{LONGEST} takes the last trick",
    "seat": 1,
    "cards": ["5C", "8C", "QS", "KC", "2C", "3C", "4C"],
    "captions": [],
    "follows": "",
}
CUT = """() => {
    const box = document.getElementById("moment"), buttons = [...box.querySelectorAll("button")];
    const small = buttons.filter((button) => button.offsetHeight < 48 || button.offsetWidth < 48);
    return [box.hidden, box.scrollHeight > box.clientHeight + 1, box.scrollWidth > box.clientWidth + 1, small.length];
}"""


@pytest.fixture(scope="module")
def shared_page(browser: Browser, shared_table: AtTheTable) -> Iterator[Page]:
    with open_page(browser, shared_table.board.url, moments=True) as page:
        page.locator("body[data-version]").wait_for()  # moments of the first state are over
        yield page


@pytest.fixture
def moment(page: Page) -> Any:
    page.evaluate("localStorage.clear()")
    return page.locator("#moment")


def revoke(table: AtTheTable) -> None:
    """Let Ann discard a club on spades, and then play a spade after all."""
    table.lay(("4H", "turn-up", None))
    table.say(1, "stand")
    table.lay(("10S", "play", 1), ("2C", "play", 0))
    table.game.take(table.scenes.lift("10S", "2C"))
    table.lay(("KD", "play", 1), ("3S", "play", 0))


def test_trumps_are_a_moment_once_until_a_press_or_an_action(table: AtTheTable, page: Page, moment: Any) -> None:
    table.lay(("4H", "turn-up", None))
    expect(moment).to_have_text("hearts are trumps4")
    expect(moment.get_by_role("img", name="4 of hearts")).to_be_visible()
    table.say(1, "stand")
    expect(moment).to_be_hidden()
    table.game.take(UndoAsked(0.0, "page"))
    table.game.take(UndoAsked(0.0, "page"))
    table.game.take(table.scenes.lift("4H"))
    table.lay(("4H", "turn-up", None))
    expect(page.locator("#words")).to_contain_text("stand")
    expect(moment).to_be_hidden()  # the same trumps were shown before the undo
    page.reload()
    expect(page.locator("#words")).to_contain_text("stand")
    expect(moment).to_be_hidden()
    table.begin()
    expect(page.locator("#words")).not_to_contain_text("stand")
    table.lay(("5S", "turn-up", None))
    expect(moment).to_be_visible()
    page.keyboard.press("Escape")
    expect(moment).to_be_hidden()


def test_a_revoke_stays_until_it_is_accepted(table: AtTheTable, page: Page, moment: Any) -> None:
    revoke(table)
    expect(moment.get_by_role("heading")).to_have_text("Ann had a spade")
    expect(moment).to_contain_text("Trick 1: Bo led spades, Ann played 2♣.")
    expect(moment).to_contain_text("Nobody has called it, so it costs nothing.")
    said = page.locator("#polite")
    expect(said).to_contain_text("Ann had a spade")
    assert said.inner_text().count("Ann had a spade") == 1
    page.mouse.click(400, 20)
    page.keyboard.press("Escape")
    page.reload()
    expect(moment.get_by_role("heading")).to_have_text("Ann had a spade")
    moment.get_by_role("button", name="Go on").click()
    expect(moment).to_be_hidden()
    page.reload()
    expect(page.locator("#seats")).to_contain_text("Bo")
    expect(moment).to_be_hidden()


def test_after_another_card_a_revoke_waits_on_the_slip(table: AtTheTable, page: Page, moment: Any) -> None:
    revoke(table)
    expect(moment).to_be_visible()
    table.game.take(table.scenes.lift("KD", "3S"))
    table.lay(("QD", "play", 1))
    expect(moment).to_be_hidden()
    slip = page.locator("#prompts")
    expect(slip).to_contain_text("Ann had a spade")
    slip.get_by_role("button", name="Not so").click()
    expect(page.locator("#ask-choices .card")).to_have_count(2)
    page.get_by_role("button", name="Never mind").click()
    slip.get_by_role("button", name="Go on").click()
    expect(slip.get_by_role("button", name="Go on")).to_have_count(0)


def test_a_contested_revoke_asks_which_card_was_misread(table: AtTheTable, page: Page, moment: Any) -> None:
    revoke(table)
    moment.get_by_role("button", name="Not so").click()
    page.locator("#ask").get_by_role("button", name="2 of clubs").click()
    expect(page.locator("#ask-title")).to_have_text("That was not 2 of clubs. What was it?")
    page.get_by_role("button", name="Never mind").click()
    expect(moment).to_be_visible()
    table.game.take(UndoAsked(0.0, "page"))
    expect(moment).to_be_hidden()


@pytest.fixture
def board() -> Iterator[BoardOfTest]:
    board = board_for("Hearts", lambda message, sender: None, port=0, language="fr")
    yield board
    board.close()


@pytest.mark.parametrize(
    ("theme", "sizes"),
    [
        ("light", SIZES[-1:]),
        *(pytest.param(theme, SIZES, marks=pytest.mark.long) for theme in ("light", "dark")),
    ],
)
def test_moments_with_long_names_fit_at_every_size(
    browser: Browser, board: BoardOfTest, theme: Any, sizes: list[tuple[int, int]]
) -> None:
    state = next(state for state in states_of_a_game("hearts", 4) if state["phase"] == "play")
    with open_page(browser, board.url, moments=True, color_scheme=theme) as page:
        n = state["n"]
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            for shown in (LAST, REVOKE):
                n += 1
                headline = f"{shown['headline']} {n}"
                for moments in ([], [shown | {"n": n + 2, "headline": headline}]):
                    n += bool(moments)
                    new = state | {"n": n, "moments": moments, "history": [], "prompts": []}
                    board.show_screen(cast(GameScreen, json.loads(json.dumps(new))))
                    page.wait_for_function("v => Number(document.body.dataset.version) >= v", arg=board._version)
                expect(page.locator("#moment h2")).to_have_text(headline)
                assert page.evaluate(CUT) == [False, False, False, 0], (width, shown["kind"])
