"""A short evening by keys alone, from the lobby to a rematch, with what a screen reader hears."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.cardtable.evening.evenings import TestEvening
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.evening_page import EveningPage

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

FOCUSED = "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()"
MOST_TABS = 60
LOBBY_KEYS = [
    *("N Add a player", "O Options: Play to", "E No camera", "H History", "Z Good night", "S Settings", "B Begin"),
    "Tab · Enter · Esc everything else",
]
GAME_KEYS = [
    *("U ↶ Take back", "M Menu", "C Correct a card", "A Add a card", "W What happened", "V Camera"),
    *("P Your phone", "S Settings", "L Show the last trick", "H History", "I Say how it stands", "X Break off"),
    "Tab · Enter · Esc everything else",
]


class Keys(EveningPage):
    """Hands on a keyboard: they tab to what they want and press Enter."""

    def tab_to(self, name: str) -> None:
        """Press Tab until the focus is on the element with this name."""
        for _ in range(MOST_TABS):
            if str(self.page.evaluate(FOCUSED)).startswith(name):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"no key leads to {name}: the focus is on {self.page.evaluate(FOCUSED)}")

    def press(self, name: str) -> None:
        self.tab_to(name)
        self.page.keyboard.press("Enter")


def test_an_evening_by_keys_alone(browser: Browser, tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening, open_page(browser, evening.board.url) as page:
        keys = Keys(page, evening)
        polite = page.locator("#polite")
        keys.tab_to("All Fives")
        page.keyboard.press("ArrowRight")
        keys.until({"game": "belote"})
        page.keyboard.press("ArrowLeft")  # the focus has followed
        keys.until({"game": "all-fives"})
        for name, players in (("Ann", ["Ann"]), ("Bo", ["Ann", "Bo"])):
            keys.press("Add a player")
            keys.tab_to("New player")
            page.keyboard.type(name)
            page.keyboard.press("Enter")
            keys.until({"players": players})
        keys.tab_to("Bo")
        page.keyboard.press("ArrowRight")
        keys.until({"players": ["Bo", "Ann"]})
        page.keyboard.press("ArrowRight")
        keys.until({"players": ["Ann", "Bo"]})
        keys.press("Ann")
        keys.press("Ann deals first")
        keys.until({"dealer": 0})
        keys.press("Options")
        keys.tab_to("Play to −10")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Control+A")
        page.keyboard.type("1")
        page.keyboard.press("Enter")
        evening.turn(lambda: evening.host.evening.lobby.header().options.get("target") == 1)
        page.keyboard.press("Escape")
        expect(page.locator("#options-sheet")).to_be_hidden()
        expect(page.get_by_role("button", name="Options: Play to")).to_be_visible()  # the page knows it as well
        expect(polite).to_have_text("Everything is ready: begin.")
        page.keyboard.press("?")
        expect(page.locator("#keys li")).to_contain_text(LOBBY_KEYS)
        page.keyboard.press("b")  # not while a sheet is open
        page.keyboard.press("Escape")
        page.keyboard.press("Control+b")
        page.keyboard.press("h")
        expect(page.locator("#past")).to_be_visible()
        page.keyboard.press("Escape")
        assert keys.shown()["screen"] == "lobby"
        page.keyboard.press("b")
        keys.until({"screen": "game"})
        expect(polite).to_have_text("All Fives. Ann 0, Bo 0. Ann deals and turns the next card up.")
        evening.see(evening.scenes.again())
        evening.lay("4H", "turn-up")
        expect(polite).to_have_text("4 of hearts is turned up. hearts are trumps. Bo: stand or beg?")
        page.keyboard.press("w")
        expect(page.locator("#history-sheet")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("c")
        expect(page.locator("#ask")).to_contain_text("Which card was misread?")
        page.keyboard.press("Escape")
        page.keyboard.press("a")
        expect(page.locator("#ask")).to_contain_text("Who laid the card?")
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        expect(page.locator("#keys li")).to_contain_text(GAME_KEYS)
        page.keyboard.press("Escape")
        page.evaluate("import('./base.js').then(({ settings }) => { settings.keys = 'off'; })")
        page.keyboard.press("w")
        expect(page.locator("#history-sheet")).to_be_hidden()
        page.evaluate("import('./base.js').then(({ settings }) => { settings.keys = 'on'; })")
        keys.press("beg")
        keys.until({"turn": 0})
        expect(polite).to_contain_text("Bo: beg.")
        keys.press("↶ Take back")
        keys.press("Really take back")
        keys.until({"turn": 1})
        expect(polite).to_contain_text("Taken back: Bo: beg.")
        keys.press("beg")
        keys.until({"turn": 0})
        keys.press("take one")
        keys.until({"screen": "result"})
        expect(polite).to_contain_text("The game is over: Bo won, 1, 0.")
        page.keyboard.press("1")
        keys.until({"screen": "game"})
        assert [seat["dealer"] for seat in keys.shown()["seats"]] == [False, True]
        page.keyboard.press("x")
        keys.press("Break off")
        keys.until({"screen": "lobby"})
        page.keyboard.press("z")
        keys.until({"screen": "asleep"})
        page.locator("#asleep .wake").wait_for()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        keys.until({"screen": "lobby"})
