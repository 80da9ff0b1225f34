"""A short evening by keys and ears alone, from the lobby to a rematch; and what a screen reader hears."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.cardtable.evening.evenings import TestEvening
from tests.cardtable.web.chromium import CHROMIUM, VOICE, open_page
from tests.cardtable.web.evening_page import EveningPage

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

STOP = """() => {
    const shown = document.activeElement.matches("input[type=radio]") ? document.activeElement.nextSibling
        : document.activeElement, style = getComputedStyle(shown);
    return [heard.at(-1) ?? "", shown === document.body || (style.outlineStyle !== "none"
        && parseFloat(style.outlineWidth) >= 3)];
}"""
"""What was heard last, and whether the keyboard's focus is seen."""
MOST_TABS = 60
MOST_ANSWERS = 20
"""What is said after the question and before the answer that is chosen."""
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
    """Hands on a keyboard and ears: they tab until they hear what they want, or press the key that the voice names."""

    _from = 0

    def tab_to(self, name: str) -> None:
        """Press Tab until the voice says this name."""
        for _ in range(MOST_TABS):
            said, seen = self.page.evaluate(STOP)
            if said.startswith(name):
                assert seen, f"the focus on {name} is not seen"
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"no key leads to {name}: heard {self.heard()[-20:]}")

    def press(self, name: str) -> None:
        self.tab_to(name)
        self.page.keyboard.press("Enter")

    def heard(self) -> list[str]:
        return list(self.page.evaluate("heard"))

    def hears(self, *sentences: str) -> None:
        """Wait until these sentences have been said, in this order, since the last one that was waited for."""
        for sentence in sentences:
            ask = "([sentence, from]) => heard.indexOf(sentence, from) + 1"
            found = self.page.wait_for_function(ask, arg=[sentence, self._from]).json_value()
            self._from = int(str(found))

    def answer(self, what: str) -> None:
        """Press the key that the voice names for this answer."""
        said = "([what, from]) => heard.slice(from).findLast((each) => /^\\w: /.test(each) && each.slice(3) === what)"
        choice = self.page.wait_for_function(said, arg=[f"{what}.", max(0, self._from - MOST_ANSWERS)]).json_value()
        self.page.keyboard.press(str(choice)[0])


def test_an_evening_by_keys_and_by_speech_alone(browser: Browser, tmp_path: Path) -> None:
    with (
        TestEvening(tmp_path / "journal.sqlite") as evening,
        open_page(browser, evening.board.url, before=VOICE) as page,
    ):
        keys = Keys(page, evening)
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
        keys.tab_to("Play to: 61")
        page.keyboard.press("Control+A")
        page.keyboard.type("1")
        page.keyboard.press("Enter")
        evening.turn(lambda: evening.host.evening.lobby.header().options.get("target") == 1)
        page.keyboard.press("Escape")
        expect(page.locator("#options-sheet")).to_be_hidden()
        expect(page.get_by_role("button", name="Options: Play to")).to_be_visible()  # the page knows it as well
        keys.hears("Everything is ready: begin.")
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
        keys.hears("All Fives.", "Ann 0, Bo 0.", "Ann deals and turns the next card up.")
        evening.see(evening.scenes.again())
        evening.lay("4H", "turn-up")
        keys.hears("4 of hearts is turned up.", "hearts are trumps.", "Bo: stand or beg?")
        page.keyboard.press("w")
        expect(page.locator("#history-sheet")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        expect(page.locator("#keys li")).to_contain_text(GAME_KEYS)
        page.keyboard.press("Escape")
        page.evaluate("import('./base.js').then(({ settings }) => { settings.keys = 'off'; })")
        page.keyboard.press("w")
        expect(page.locator("#history-sheet")).to_be_hidden()
        page.evaluate("import('./base.js').then(({ settings }) => { settings.keys = 'on'; })")
        page.keyboard.press("m")
        keys.hears("All Fives", "C: Correct a card.")
        keys.answer("Correct a card")
        keys.hears("Which card was misread?")
        keys.answer("4 of hearts")
        keys.hears("That was not 4 of hearts. What was it?")
        keys.answer("5 of hearts")
        keys.turn(lambda: [card["card"] for card in keys.shown()["lying"]] == ["5H"])
        page.keyboard.press("i")
        keys.hears("Ann 0, Bo 0. hearts are trumps. in the turn-up zone: 5 of hearts.")
        keys.answer("beg")
        keys.until({"turn": 0})
        keys.hears("Bo: beg.")
        page.keyboard.press("u")
        page.keyboard.press("u")
        keys.until({"turn": 1})
        keys.hears("Taken back: Bo: beg.", "Bo: stand or beg?")
        keys.answer("beg")
        keys.until({"turn": 0})
        keys.hears("Bo: beg.")
        keys.answer("take one")
        keys.until({"screen": "result"})
        keys.hears("The game is over: Bo won, 1 to 0.", "1: Again.")
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
