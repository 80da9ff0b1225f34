"""The rules over the table and on a phone, in a real browser: opened from the menu, the section played now first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from cardtable.web.server import Board
from tests.cardtable.boards import board_for
from tests.cardtable.web.chromium import CHROMIUM, open_page, tidy
from tests.cardtable.web.states import LOBBY, states_of_a_game

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")


@pytest.fixture(scope="module")
def board() -> Iterator[Board]:
    with closing(board_for("", None, port=0)) as board:
        yield board


@pytest.fixture(scope="module")
def shared(browser: Browser, board: Board) -> Iterator[Page]:
    with open_page(browser, board.url) as page:
        yield page


@pytest.fixture
def page(shared: Page) -> Page:
    tidy(shared)
    return shared


def show(board: Board, page: Page, state: dict[str, Any]) -> None:
    board.show_screen(json.loads(json.dumps(state)))
    page.wait_for_function("version => Number(document.body.dataset.version) >= version", arg=board._version)


def hearts() -> dict[str, Any]:
    """Return a state in which somebody must play a card."""
    states = states_of_a_game("hearts", 4)
    return next(state for state in states if state["phase"] == "play" and state["turn"] is not None)


def test_the_menu_opens_the_rules_at_what_is_played_now(board: Board, page: Page) -> None:
    state = hearts()
    show(board, page, state)
    page.keyboard.press("m")
    page.get_by_role("button", name="Rules").click()
    rules = page.get_by_role("dialog", name="Hearts")
    expect(rules.get_by_role("tab", selected=True)).to_have_text("Playing")
    expect(rules.get_by_role("tabpanel")).to_contain_text("Follow the suit that was led.")
    expect(rules.get_by_role("img", name="king of diamonds")).to_have_class("card D court lit")
    back = rules.get_by_role("button", name="Back to the table")
    expect(back).to_contain_text(state["seats"][state["turn"]]["name"])
    other = (state["turn"] + 1) % 4
    show(board, page, {**state, "turn": other, "actor": other})
    expect(back).to_contain_text(state["seats"][other]["name"])
    back.click()
    expect(rules).to_be_hidden()


def test_the_arrow_keys_turn_to_the_other_sections(board: Board, page: Page) -> None:
    show(board, page, hearts())
    page.keyboard.press("r")
    rules = page.get_by_role("dialog", name="Hearts")
    expect(rules.get_by_role("tab", name="Playing")).to_be_focused()
    for key, name, words in (
        ("ArrowRight", "Scoring", "Once somebody has 100"),
        ("End", "Options", "Queen breaks hearts"),
        ("ArrowRight", "Aim", "Avoid hearts"),
        ("ArrowLeft", "Options", "Play to"),
    ):
        page.keyboard.press(key)
        expect(rules.get_by_role("tab", name=name)).to_be_focused()
        expect(rules.get_by_role("tabpanel", name=name)).to_contain_text(words)
    page.keyboard.press("Escape")
    expect(rules).to_be_hidden()


def test_the_lobby_has_the_rules_of_the_chosen_game_with_its_options(board: Board, page: Page) -> None:
    lobby = json.loads(json.dumps(LOBBY))
    chosen = next(game for game in lobby["games"] if game["game"] == lobby["game"])
    next(option for option in chosen["options"] if option["name"] == "target")["value"] = 87
    show(board, page, lobby)
    page.get_by_role("button", name="Rules").click()
    rules = page.get_by_role("dialog", name=chosen["title"])
    expect(rules.get_by_role("tab", selected=True)).to_have_text("Aim")
    rules.get_by_role("tab", name="Scoring").click()
    expect(rules.get_by_role("tabpanel")).to_contain_text("with 87 points wins")
    page.keyboard.press("Escape")


def test_a_game_without_rules_has_no_way_to_them(board: Board, page: Page) -> None:
    show(board, page, hearts() | {"rules": False})
    page.keyboard.press("r")
    page.keyboard.press("m")
    expect(page.locator("#menu-sheet")).to_be_visible()
    expect(page.get_by_role("button", name="Rules")).to_be_hidden()


def test_the_rules_are_in_the_language_of_the_table(browser: Browser) -> None:
    with (
        closing(board_for("", None, port=0, language="fr")) as board,
        open_page(browser, board.url, viewport={"width": 390, "height": 844}) as page,
    ):
        show(board, page, hearts())
        page.keyboard.press("r")
        rules = page.get_by_role("dialog", name="Hearts")
        expect(rules.get_by_role("tab", selected=True)).to_have_text("Jouer")
        expect(rules.get_by_role("tabpanel")).to_contain_text("Fournissez la couleur entamée.")
        assert page.evaluate("document.querySelector('#rules-text').scrollWidth <= innerWidth")
