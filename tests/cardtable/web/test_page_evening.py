"""An evening by taps alone: lobby, a correction, a player who leaves, a rematch, another game, the history, good night.

The cards are scenes of a camera; the test says nothing to the table except by the page.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.cardtable.evening.evenings import TestEvening
from tests.cardtable.scenes import Scenes
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.evening_page import EveningPage

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")


class Taps(EveningPage):
    """Fingers on the board, and hands that lay cards."""

    def __init__(self, page: Page, evening: TestEvening) -> None:
        super().__init__(page, evening)
        self.ask = page.locator("#ask")
        self.sheet = page.locator("#history-sheet")

    def tap(self, name: str, inside: str = "body", exact: bool = True) -> None:
        self.page.locator(inside).get_by_role("button", name=name, exact=exact).click()

    def chip(self, name: str, what: str) -> None:
        """Tap the chip of a player, then what is to be done."""
        self.page.locator(".chip", has_text=name).click()
        expect(self.ask.locator("h2")).to_have_text(name)
        self.tap(what, "#ask")

    def option(self, name: str, value: int | bool | str) -> None:
        """Wait until an option of the chosen game has this value."""
        self.turn(lambda: self.options()[name] == value)

    def options(self) -> dict[str, int | bool | str]:
        """Return the options of the chosen game."""
        shown = self.shown()
        (chosen,) = [game for game in shown["games"] if game["game"] == shown["game"]]
        return {option["name"]: option["value"] for option in chosen["options"]}

    def deal(self, turned: str) -> None:
        """Clear the mat; turn a card up."""
        self.evening.scenes = Scenes()
        self.evening.see(self.evening.scenes.again())
        self.evening.lay(turned, "turn-up")

    def say(self, *words: str) -> None:
        """Say words, each the button of the seat whose turn it is then."""
        for word in words:
            done = self.shown()["n"] + 1
            self.page.locator("#words button.turn").get_by_text(word, exact=True).click()
            self.until({"n": done})

    def trick(self, leader: int, *faces: str) -> None:
        """Lay a trick card by card, and lift it."""
        for number, face in enumerate(faces):
            self.evening.lay(face, "play", (leader + number) % len(self.shown()["seats"]))
        self.evening.see(self.evening.scenes.lift(*faces))

    def scores(self, *scores: str) -> None:
        """Expect these names and scores on the page's result."""
        expect(self.page.locator("#result .sides li")).to_have_text(scores)


def test_an_evening_by_taps_alone(browser: Browser, tmp_path: Path) -> None:
    with TestEvening(tmp_path / "journal.sqlite") as evening, open_page(browser, evening.board.url) as page:
        taps = Taps(page, evening)
        choose_oh_hell(taps)
        hand_with_a_correction(taps)
        player_leaves(taps)
        result_and_rematch(taps)
        other_game(taps)
        history_and_good_night(taps)


def choose_oh_hell(taps: Taps) -> None:
    """Choose the game, the players and the options."""
    page, prompt = taps.page, taps.page.locator("#start .prompt")
    expect(page.get_by_role("button", name="Begin")).to_be_disabled()
    page.get_by_role("radio", name="Oh Hell").click()
    taps.until({"game": "oh-hell"})
    expect(page.locator("#choice")).to_contain_text("3–7 players.")
    players: list[str] = []
    for name in ("Ann", "Cy", "Bo", "Jo M"):
        taps.tap("Add a player")
        for key in name.lower():
            taps.tap("space" if key == " " else key, ".keyboard")
        taps.tap("Done")
        players.append(name)
        taps.until({"players": players})
    expect(page.locator(".chip")).to_have_text(players)
    page.locator(".chip", has_text="Bo").drag_to(page.locator(".chip", has_text="Cy"))
    taps.until({"players": ["Ann", "Bo", "Cy", "Jo M"]})
    taps.chip("Ann", "Ann deals first")
    taps.until({"dealer": 0})
    expect(page.locator(".chip", has_text="Ann").get_by_label("deals first")).to_be_visible()
    page.locator("#choice button").first.click()
    options = page.locator("#options-sheet")
    options.get_by_label("Cards", exact=True).fill("3")
    options.get_by_label("Cards", exact=True).press("Enter")
    taps.option("cards", 3)
    taps.tap("10", "#options")
    taps.option("cards", 10)
    options.get_by_label("Cards", exact=True).fill("2")
    options.get_by_label("Cards", exact=True).press("Enter")
    taps.option("cards", 2)
    taps.tap("up", "#options-sheet")
    taps.option("course", "up")
    taps.tap("no", "#options-sheet")
    taps.option("hook", False)
    taps.tap("Close", "#options-sheet")
    expect(page.locator("#choice button").first).to_have_text("Options: Cards 2, Deals up, Hook: no")
    expect(prompt).to_have_text("Everything is ready: begin.")
    taps.tap("Begin")
    taps.until({"screen": "game"})


def hand_with_a_correction(taps: Taps) -> None:
    """Play one card each; Bo's two of spades is misread as the ace, and corrected before the trick is lifted."""
    page, evening = taps.page, taps.evening
    expect(page.locator("#prompts")).to_contain_text("Ann deals 1 card each and turns the next one up.")
    taps.deal("9H")
    taps.say("1", "1", "0", "0")
    evening.scenes.lay("AS", "play", 1)
    evening.scenes.doubt("AS", "2S", "AC")
    evening.see(evening.scenes.again())
    for face, seat in (("KS", 2), ("3D", 3), ("4C", 0)):
        evening.lay(face, "play", seat)
    expect(page.locator("#prompts")).to_contain_text("Bo")
    page.locator("#lying").get_by_role("button", name="ace of spades").click()
    expect(taps.ask).to_contain_text("That was not ace of spades. What was it?")
    expect(taps.ask.locator(".card").first).to_have_accessible_name("2 of spades")
    taps.tap("2 of spades", "#ask")
    taps.turn(lambda: "corrected" in str(taps.shown()["prompts"]).lower())
    expect(page.locator("#prompts")).to_contain_text("Corrected: Bo plays 2♠, not A♠.")
    expect(page.locator("#lying").get_by_role("button", name="2 of spades")).to_be_visible()
    expect(page.locator("#lying").get_by_role("button", name="ace of spades")).to_have_count(0)
    evening.see(evening.scenes.lift("AS", "KS", "3D", "4C"))
    taps.until({"between_hands": True})
    assert [(seat["name"], seat["score"]) for seat in taps.shown()["seats"]] == [
        ("Ann", 10),
        ("Bo", 0),
        ("Cy", 11),
        ("Jo M", 10),
    ]


def player_leaves(taps: Taps) -> None:
    """Let Jo M leave between two hands: the others begin at zero, and Bo, who would have dealt next, deals."""
    page = taps.page
    expect(page.locator("#prompts")).to_contain_text("Bo deals 2 cards each")
    taps.tap("Menu")
    taps.tap("What happened")
    expect(taps.sheet.locator("li.correction")).to_have_text(
        re.compile("^Corrected: Bo plays 2♠, not A♠. · on the board")
    )
    taps.tap("Close", "#history-sheet")
    taps.tap("Menu")
    taps.tap("A player leaves")
    expect(taps.ask).to_contain_text("Who leaves? A new game begins with the others.")
    taps.tap("Jo M", "#ask")
    taps.until({"n": 0})
    expect(taps.sheet).to_be_hidden()
    expect(page.locator("#seats")).not_to_contain_text("Jo M")
    assert [(seat["name"], seat["score"], seat["dealer"]) for seat in taps.shown()["seats"]] == [
        ("Ann", 0, False),
        ("Bo", 0, True),
        ("Cy", 0, False),
    ]
    taps.tap("Menu")
    taps.tap("Add a player", "#menu-sheet")
    expect(page.locator("#player .known button:not(.guest)")).to_have_text(["Jo M"])
    taps.tap("Close", "#player-sheet")


def result_and_rematch(taps: Taps) -> None:
    """Play the game of three to its end, look at the table, and play the same again."""
    page = taps.page
    expect(page.locator("#prompts")).to_contain_text("Bo deals 1 card each")
    taps.deal("9H")
    taps.say("1", "0", "0")
    taps.trick(2, "AS", "3S", "4S")
    expect(page.locator("#prompts")).to_contain_text("Cy deals 2 cards each")
    taps.deal("9D")
    taps.say("0", "2", "0")
    taps.trick(0, "3C", "AC", "5C")
    taps.trick(1, "AH", "6H", "7H")
    taps.until({"screen": "result"})
    expect(page.locator("#result h2")).to_contain_text("Bo wins")
    taps.scores("22Bo", "21Cy", "20Ann")
    expect(page.locator("#result .won")).to_have_text("22Bo")
    taps.tap("Look at the table")
    expect(page.locator("#result")).to_be_hidden()
    page.reload()
    taps.tap("Again")
    taps.until({"screen": "game", "n": 0})
    expect(page.locator("#result")).to_be_hidden()
    expect(page.locator("#prompts")).to_contain_text("Cy deals 1 card each")
    taps.deal("9H")
    taps.say("1", "0", "0")
    taps.trick(0, "AS", "3S", "4S")
    taps.deal("9D")
    taps.say("0", "0", "0")
    taps.trick(1, "AC", "3C", "5C")
    taps.trick(1, "AH", "6H", "7H")
    taps.until({"screen": "result"})
    expect(page.locator("#result h2")).to_contain_text("Ann wins")
    expect(page.locator("#result .evening")).to_have_text("This evening: Ann 1/2 · Bo 1/2 · Cy 0/2")


def other_game(taps: Taps) -> None:
    """Go on with the first game, break it off; then play Fifteen with a player who is remembered."""
    page = taps.page
    taps.tap("Another game")
    taps.until({"screen": "lobby"})
    taps.tap("Go on…")
    taps.tap("Oh Hell Ann, Bo, Cy, Jo M", "#ask", exact=False)
    taps.until({"screen": "game"})
    expect(page.locator("#seats")).to_contain_text("Jo M")
    assert [seat["score"] for seat in taps.shown()["seats"]] == [10, 0, 11, 10]
    taps.tap("Menu")
    taps.tap("Break off")
    expect(taps.ask).to_contain_text("Break this game off?")
    taps.evening.turn()
    assert taps.shown()["screen"] == "game"
    taps.tap("Break off", "#ask")
    taps.until({"screen": "lobby"})
    page.get_by_role("radio", name="Fifteen").click()
    taps.until({"game": "fifteen"})
    expect(page.get_by_role("button", name="Begin")).to_be_disabled()
    while len(playing := taps.shown()["players"]) > 1:
        taps.chip(playing[-1], "Does not play")
        taps.until({"players": playing[:-1]})
    taps.tap("Add a player")
    taps.tap("Jo M", "#player .known")
    taps.until({"players": ["Ann", "Jo M"]})
    page.locator("#choice button").first.click()
    page.get_by_label("Play to", exact=True).fill("1")
    page.get_by_label("Play to", exact=True).press("Enter")
    taps.option("target", 1)
    taps.tap("Close", "#options-sheet")
    assert taps.shown()["dealer"] == 0  # as chosen for the first game
    taps.tap("Begin")
    taps.until({"screen": "game", "title": "Fifteen"})
    taps.deal("4H")
    taps.say("beg", "take one")
    taps.until({"screen": "result"})
    expect(page.locator("#result h2")).to_contain_text("Jo M wins")
    taps.scores("1Jo M", "0Ann")
    expect(page.locator("#result .evening")).to_contain_text("Ann 1/3")


def history_and_good_night(taps: Taps) -> None:
    """See all games in the history, put the table to sleep, and wake it."""
    page = taps.page
    page.locator("#result").get_by_role("button", name="History").click()
    rows = page.locator("#past .list button")
    expect(rows.first).to_contain_text("not over")
    expect(rows.last).to_contain_text("Jo M 1")
    taps.tap("Close", "#past")
    page.locator("#result").get_by_role("button", name="Good night").click()
    taps.until({"screen": "asleep"})
    taps.tap("Touch the screen", "#asleep", exact=False)
    taps.until({"screen": "lobby"})
    expect(page.locator("#lobby")).to_be_visible()
    expect(page.locator(".chip")).to_have_text(["Ann①", "Jo M"])
