"""The pages of the lobby, the result and the sleeping table in a real browser: what taps send."""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Page, expect

from cardtable.evening.lobby import Lobby, LobbyContent, lobby_state
from cardtable.table.messages import EveningMessage, Sender
from cardtable.web.screens import LobbyState
from engine.texts import as_written
from tests.cardtable.boards import board_for
from tests.cardtable.web.chromium import CHROMIUM, colour, open_page, tidy
from tests.cardtable.web.states import ASLEEP, LOBBY, result_state

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")


class Evening:
    """A board that shows screens of an evening, and what its page asks for."""

    def __init__(self) -> None:
        self.asked: queue.SimpleQueue[EveningMessage] = queue.SimpleQueue()
        self.board = board_for("", None, port=0, manage=self._manage)

    def _manage(self, message: EveningMessage, sender: Sender) -> Future[str | None]:
        self.asked.put(message)
        done: Future[str | None] = Future()
        done.set_result(None)
        return done

    def show(self, state: dict[str, Any]) -> None:
        self.board.show_screen(cast(LobbyState, json.loads(json.dumps(state))))

    def message(self) -> dict[str, Any]:
        return self.asked.get(timeout=10).model_dump(exclude_none=True)


@pytest.fixture(scope="module")
def evening() -> Iterator[Evening]:
    evening = Evening()
    yield evening
    evening.board.close()


@pytest.fixture(scope="module")
def open_lobby(browser: Browser, evening: Evening) -> Iterator[Page]:
    with open_page(browser, evening.board.url) as page:
        yield page


@pytest.fixture
def page(open_lobby: Page, evening: Evening) -> Page:
    """The page of the board, on which nothing is open or announced."""
    tidy(open_lobby)
    evening.board.announce(None, None)
    evening.board.show_message("")
    return open_lobby


def test_game_and_players_are_chosen_by_tapping(evening: Evening, page: Page) -> None:
    evening.show(LOBBY | {"players": ["Ann", "Bo"], "ready": True, "why_not": None})
    about = page.locator("#choice .about")
    expect(about).to_contain_text("Score fifteens")
    page.get_by_role("radio", name="Hearts").hover()
    expect(about).to_contain_text("Avoid hearts")
    page.get_by_role("radio", name="Skat").focus()
    expect(about).to_contain_text("play alone against the others")
    page.get_by_role("radio", name="Le Quinze").click()
    assert evening.message() == {"do": "choose-game", "game": "le-quinze"}
    page.get_by_role("button", name="Add a player").click()
    page.get_by_role("button", name="Flo").click()
    assert evening.message() == {"do": "add-player", "name": "Flo"}
    page.get_by_role("button", name="Add a player").click()
    for key in ("j", "o", "space", "m"):
        page.locator(".keyboard").get_by_role("button", name=key, exact=True).click()
    page.get_by_role("button", name="Done").click()
    assert evening.message() == {"do": "add-player", "name": "Jo M"}
    page.locator(".chip", has_text="Ann").click()
    page.locator("#ask").get_by_role("button", name="Ann deals first").click()
    assert evening.message() == {"do": "set-dealer", "seat": 0}
    page.get_by_role("button", name="Begin").click()
    assert evening.message() == {"do": "begin"}
    shown = page.locator("#notice")
    for notice in ("A reader has stopped.", "Bridge is left out."):
        evening.board.announce(notice, None)
        expect(shown).to_contain_text(notice)
        shown.get_by_role("button", name="Close").click()
        expect(shown).to_be_hidden()
    alarm = colour(page, "#notice")
    evening.board.announce("Break this game off?", None, (), True)
    expect(shown).to_have_class("calm")
    assert colour(page, "#notice") != alarm
    evening.board.announce(None, None)
    evening.board.show_message("The director: please finish this game.")
    expect(shown).to_contain_text("The director: please finish this game.")
    assert colour(page, "#notice") != alarm
    evening.board.announce("A reader has stopped.", None)
    expect(shown).to_contain_text("A reader has stopped. · The director")
    assert colour(page, "#notice") == alarm


def test_players_are_moved_by_dragging_and_with_the_arrow_keys(evening: Evening, page: Page) -> None:
    evening.show(LOBBY | {"players": ["Ann", "Bo", "Cy"]})
    page.locator(".chip", has_text="Cy").drag_to(page.locator(".chip", has_text="Ann"))
    assert evening.message() == {"do": "move-player", "name": "Cy", "seat": 0}
    page.locator(".chip", has_text="Bo").press("ArrowRight")
    assert evening.message() == {"do": "move-player", "name": "Bo", "seat": 2}
    assert evening.asked.empty()


def test_options_and_old_games(evening: Evening, page: Page) -> None:
    evening.show(LOBBY)
    page.get_by_role("button", name="Options: Play to 61").click()
    page.locator("#options").get_by_role("button", name="121", exact=True).click()
    assert evening.message() == {"do": "set-option", "name": "target", "value": 121}
    page.get_by_role("button", name="no", exact=True).click()
    assert evening.message() == {"do": "set-option", "name": "skunks", "value": False}
    page.locator("#options-sheet").get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Go on…").click()
    page.locator("#ask").get_by_role("button", name="Fifteen").click()
    assert evening.message() == {"do": "go-on", "id": 3}


def test_many_games_and_many_players(evening: Evening, page: Page) -> None:
    games = [LOBBY["unfinished"][0] | {"id": number} for number in range(8)]
    names = [f"Guest {number}" for number in range(40)]
    evening.show(LOBBY | {"players": ["Ann"], "unfinished": games, "remembered": names})
    page.get_by_role("button", name="Go on…").click()
    expect(page.locator("#ask").get_by_role("button", name="Older games")).to_be_visible()
    page.locator("#ask").get_by_role("button", name="Never mind").click()
    page.get_by_role("button", name="Add a player").click()
    known = page.locator("#player .known button:not(.guest):visible")
    expect(known).to_have_count(40)
    for shown in (known.first, page.get_by_role("button", name="Done")):
        box = shown.bounding_box()
        assert box and box["y"] + box["height"] <= 480
    page.get_by_label("New player").fill("guest 1")
    expect(known).to_have_count(11)


def test_what_is_wrong_is_shown_with_what_to_do(evening: Evening, page: Page) -> None:
    check = {"what": "mat", "state": "bad", "text": "corner marks are missing: 2", "advice": "move the lamp"}
    good = {"what": "cards", "state": "good", "text": "no card lies there", "advice": "lay a card to try it"}
    (camera, *others) = LOBBY["sources"]
    evening.show(LOBBY | {"sources": [camera | {"state": "bad", "checks": [check, good]}, *others]})
    light = page.locator("#checks").get_by_role("button", name="corner marks are missing: 2: move the lamp")
    light.click()
    expect(page.locator("#all-checks")).to_contain_text("move the lamp")
    expect(page.locator("#all-checks")).to_contain_text("lay a card to try it")


def test_the_result_leads_on_and_can_be_put_aside(evening: Evening, page: Page) -> None:
    evening.show(result_state("fifteen", 2))
    expect(page.locator("#result h2")).to_have_text("Ann wins")
    page.get_by_role("button", name="Look at the table").click()
    expect(page.locator("#result")).to_be_hidden()
    page.get_by_role("button", name="What next?").click()
    expect(page.locator("#result")).to_be_visible()
    evening.show(ASLEEP)
    page.get_by_role("button", name="Touch the screen").click()
    assert evening.message() == {"do": "wake"}
    evening.show(result_state("cribbage", 4))
    expect(page.locator("#polite")).to_contain_text("A skunk. 1: Again. 2: Another game.")
    page.get_by_role("button", name="Again").click()
    assert evening.message() == {"do": "again"}


def test_a_game_is_broken_off_with_two_taps(evening: Evening, page: Page) -> None:
    evening.show(result_state("fifteen", 2) | {"screen": "game"})
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Break off").click()
    expect(page.locator("#ask")).to_be_visible()
    assert evening.asked.empty()
    page.locator("#ask").get_by_role("button", name="Break off").click()
    assert evening.message() == {"do": "break-off"}


def test_the_first_dealer_is_asked_for_in_the_words_of_the_game(evening: Evening, page: Page) -> None:
    lobby = Lobby("its-15", ("Ann", "Bo"))
    shown = lobby_state(LobbyContent(lobby), [], [], as_written)
    assert shown["why_not"] == "It's 15 is not cut for: choose who starts."
    evening.show(dict(shown))
    ask = page.locator("#ask")
    page.locator(".chip", has_text="Ann").click()
    expect(ask.get_by_role("button", name="Ann starts")).to_be_visible()
    ask.get_by_role("button", name="Never mind").click()
    page.get_by_role("button", name="Begin").click()
    expect(ask.locator("h2")).to_have_text("Who starts?")
    ask.get_by_role("button", name="Never mind").click()
    page.get_by_role("button", name="Begin").click()
    ask.get_by_role("button", name="Bo").click()
    assert [evening.message(), evening.message()] == [{"do": "set-dealer", "seat": 1}, {"do": "begin"}]
    evening.show(dict(shown | {"dealer": 1}))
    expect(page.locator(".chip", has_text="Bo").get_by_label("starts")).to_be_visible()
    page.locator(".chip", has_text="Bo").click()
    expect(ask).not_to_contain_text("The cut decides")
