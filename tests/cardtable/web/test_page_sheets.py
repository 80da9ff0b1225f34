"""The sheets of the board during an evening: they close in time, and everything in them can be reached."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from playwright.sync_api import Browser, Page, expect

from cardtable.config.model import TableConfig
from cardtable.languages import LANGUAGES, Language
from cardtable.web.screens import GameScreen
from tests.cardtable.boards import board_for
from tests.cardtable.evening.evenings import TestEvening
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.evening_page import EveningPage
from tests.cardtable.web.page_faults import FAULTS
from tests.cardtable.web.states import states_of_a_game

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

SIZES = [(800, 480), (1920, 1080), (390, 844), (844, 390)]
OUTSIDE = """(sheet) => [...document.querySelectorAll(`${sheet}[open] :is(button, input)`)].filter((each) => {
    const box = each.getBoundingClientRect(), cut = each.scrollWidth > each.clientWidth + 1;
    return cut || box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight;
}).map((each) => each.textContent || each.placeholder)"""
LONG = ("Ann", "Bartholomew", "Maximiliane-Theodora")


def trick_without_spades(evening: TestEvening) -> None:
    """Bartholomew leads a spade, and the others have none."""
    evening.seat_players(*LONG)
    assert evening.send("begin") is None
    evening.see(evening.scenes.again())
    evening.lay("9H", "turn-up")
    evening.say(1, "stand")
    for face, seat in (("KS", 1), ("3D", 2), ("4C", 0)):
        evening.lay(face, "play", seat)


def pressed_undo_to(page: Page, action: str) -> None:
    """Undo to an action in the list of what happened."""
    page.locator("#menu-button").click()
    page.get_by_role("button", name="What happened").click()
    page.locator("#history").get_by_role("button", name=action).click()
    page.get_by_role("button", name="Undo to here").click()
    page.get_by_role("button", name="Take back 2").click()


def faults_at_every_size(page: Page) -> dict[str, list[str]]:
    """Return what does not fit, for each size of the window at which something does not."""
    found = {}
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found[f"{width}x{height}"] = page.evaluate(FAULTS, 0)
    return {size: faults for size, faults in found.items() if faults}


def outside_at_every_size(page: Page, sheet: str) -> dict[str, list[str]]:
    """Return what cannot be reached in a sheet, for each size of the window at which something cannot."""
    found = {}
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        found[f"{width}x{height}"] = page.evaluate(OUTSIDE, sheet)
    return {size: names for size, names in found.items() if names}


def test_after_taking_back_the_board_shows_everything_that_is_to_be_done(browser: Browser, tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening, open_page(browser, evening.board.url) as page:
        shown = EveningPage(page, evening)
        trick_without_spades(evening)
        pressed_undo_to(page, "Bartholomew plays K♠")
        shown.turn(lambda: "Taken back: 2 actions." in str(shown.shown()["prompts"]))
        expect(page.locator("#history-sheet")).to_be_hidden()
        evening.see(evening.scenes.again())
        evening.see(evening.scenes.again())
        shown.turn(lambda: [prompt["urgent"] for prompt in shown.shown()["prompts"]].count(True) == 2)
        expect(page.locator("#prompts .prompt:visible")).to_contain_text(
            [
                "Maximiliane-Theodora: pick up 3♦; that play was undone.",
                "Ann: pick up 4♣; that play was undone.",
                "Taken back: 2 actions.",
            ]
        )
        assert faults_at_every_size(page) == {}


def test_what_is_left_out_of_many_prompts_is_shown_after_a_tap(browser: Browser) -> None:
    state = next(state for state in states_of_a_game("cribbage", 4) if state["phase"] == "play")
    texts = [f"Bartholomew: take back {rank}♣, it is Maximiliane-Theodora’s turn." for rank in "34567"]
    prompts = [{"kind": "take-back", "seat": 1, "text": text, "urgent": True, "spoken": text} for text in texts]
    with closing(board_for("", None, port=0)) as board:
        board.show_screen(cast(GameScreen, state | {"prompts": prompts}))
        with open_page(browser, board.url) as page:
            more, inside = page.locator("#prompts nav button").last, page.locator("#prompts .prompt:visible")
            more.wait_for()
            assert faults_at_every_size(page) == {}
            page.set_viewport_size({"width": 800, "height": 480})
            more.click()
            shown = [*inside.all_inner_texts(), *page.locator("#ask-choices p").all_inner_texts()]
            assert ["".join(text.replace("♣", "").split()) for text in shown] == [
                "".join(text.replace("♣", "").split()) for text in texts
            ]


def test_a_key_wakes_the_table(browser: Browser, tmp_path: Path) -> None:
    """Also on a page that was opened while the table slept."""
    with TestEvening(tmp_path / "journal.sqlite") as evening, open_page(browser, evening.board.url) as page:
        shown = EveningPage(page, evening)
        for key in ("Enter", "Space"):
            assert evening.send("good-night") is None
            shown.until({"screen": "asleep"})
            if key == "Space":
                page.reload()
            page.locator("#asleep .wake").wait_for()
            page.keyboard.press(key)
            shown.until({"screen": "lobby"})


@pytest.mark.parametrize(
    "language", [pytest.param(name, marks=() if name == "fr" else pytest.mark.long) for name in LANGUAGES]
)
def test_what_is_in_the_sheets_between_hands_is_all_in_sight(
    browser: Browser, tmp_path: Path, language: Language
) -> None:
    config = TableConfig(language=language)
    with (
        TestEvening(tmp_path / "journal.sqlite", config) as evening,
        open_page(browser, evening.board.url) as page,
    ):
        shown = EveningPage(page, evening)
        evening.seat_players(*LONG)
        assert evening.send("begin") is None
        assert evening.send("leave", name="Ann") is None
        shown.until({"screen": "game"})
        page.locator("#menu-button").click()
        page.locator("#leaving button").nth(3).wait_for()
        assert outside_at_every_size(page, "#menu-sheet") == {}
        page.locator("#leaving button").nth(3).click()
        page.locator("#player-sheet .known button").first.wait_for()
        assert outside_at_every_size(page, "#player-sheet") == {}
