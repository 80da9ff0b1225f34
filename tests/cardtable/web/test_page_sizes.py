"""Every state of whole games, and every other screen, fits the screen: nothing scrolls, is cut, or is too small."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Page

from cardtable.web.screens import GameScreen
from cardtable.web.server import Board
from engine.games import HOUSE, load_game
from tests.cardtable.boards import board_for
from tests.cardtable.web.chromium import CHROMIUM
from tests.cardtable.web.page_faults import FAULTS
from tests.cardtable.web.states import SCREENS_OF_AN_EVENING, VARIANTS, states_of_every_kind

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

SIZES = [(800, 480), (1920, 1080), (390, 844), (1024, 600), (480, 800), (600, 1024), (1080, 1920), (844, 390)]
OFTEN = SIZES[:3]
AT_EVERY_SIZE = pytest.mark.parametrize(
    ("width", "height", "letters"),
    [
        pytest.param(*size, letters, marks=pytest.mark.long if letters == "large" or size not in OFTEN else ())
        for letters in ("normal", "large")
        for size in SIZES
    ],
)
SEEDS = {"all-fives": 4, "bridge": 2, "cribbage": 4, "skat": 4}
"""Seeds with which a random game has every kind of state, or nearly every one; 1 for the other games."""
GAMES = [(game, load_game(game).seats[-1], SEEDS.get(game, 1)) for game in HOUSE]
GAMES += [*((variant, 4, 1) for variant in VARIANTS), ("cribbage", 2, 4), ("hearts", 4, 1), ("oh-hell", 3, 1)]
"""Games, numbers of players, and seeds."""
LEAST_PX = 25.9
"""Size of the type in pixels at 800 x 480, with which a capital letter on a 7-inch display is 8 minutes of arc high at
1.5 m: 0.72 of 26 px, at 0.1925 mm a pixel."""


def test_every_game_is_among_those_whose_states_are_shown() -> None:
    assert {game for game, *_ in GAMES} == {*HOUSE, *VARIANTS}


@pytest.fixture
def board() -> Iterator[Board]:
    board = board_for("Card table", lambda said, sender: None, port=0)
    yield board
    board.close()


def faults_in(page: Page, board: Board, states: list[dict[str, Any]], least: float) -> set[str]:
    """Show every state; return what does not fit, or is smaller than `least` pixels."""
    found: set[str] = set()
    for number, state in enumerate(states, 1):
        board.show_screen(cast(GameScreen, state))
        page.wait_for_selector(f'body[data-version="{number}"]')
        found |= {
            f"{state.get('game', state['screen'])} {state.get('n', '')}: {fault}"
            for fault in page.evaluate(FAULTS, least)
        }
        if _asks_a_player(state) and not page.locator(".seat.turn").count():
            found.add(f"{state['game']} {state['n']}: no seat is marked as the one that must act")
    return found


def _asks_a_player(state: dict[str, Any]) -> bool:
    """Return whether the game goes on and the request to act names a player."""
    asked = [prompt["text"] for prompt in state.get("prompts", ()) if prompt["kind"] == "turn"]
    return not state.get("over") and any(seat["name"] in text for text in asked for seat in state["seats"])


@pytest.fixture
def games(request: pytest.FixtureRequest) -> list[tuple[str, int, int]]:
    """All games in `make long`; in `make test` a third of them at each of three sizes."""
    if request.node.get_closest_marker("long"):
        return GAMES
    size = tuple(request.node.callspec.params[side] for side in ("width", "height"))
    return GAMES[OFTEN.index(size) :: len(OFTEN)]


@AT_EVERY_SIZE
def test_every_state_of_a_game_fits(
    browser: Browser, board: Board, games: list[tuple[str, int, int]], width: int, height: int, letters: str
) -> None:
    page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page.add_init_script(f"localStorage.setItem('type', '{letters}')")
    page.goto(board.url)
    states = [state for game in games for state in states_of_every_kind(*game)]
    assert {"over", "play", "turn"} <= {state["phase"] for state in states}
    assert faults_in(page, board, states, LEAST_PX if (width, height) == (800, 480) else 0) == set()
    page.close()


@pytest.mark.parametrize(
    ("width", "height"), [pytest.param(*size, marks=() if size == SIZES[0] else pytest.mark.long) for size in SIZES]
)
def test_every_state_of_a_game_fits_in_french(
    browser: Browser, games: list[tuple[str, int, int]], width: int, height: int
) -> None:
    board = board_for("Card table", lambda said, sender: None, port=0, language="fr")
    page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    try:
        page.goto(board.url)
        states = [state for game in games for state in states_of_every_kind(*game, language="fr")]
        assert faults_in(page, board, states, LEAST_PX if (width, height) == (800, 480) else 0) == set()
    finally:
        page.close()
        board.close()


@AT_EVERY_SIZE
def test_every_screen_of_an_evening_fits(browser: Browser, board: Board, width: int, height: int, letters: str) -> None:
    page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page.add_init_script(f"localStorage.setItem('type', '{letters}')")
    page.goto(board.url)
    assert faults_in(page, board, json.loads(json.dumps(SCREENS_OF_AN_EVENING)), 0) == set()
    page.close()


@pytest.mark.parametrize(("width", "height"), [(800, 480), (1920, 1080)])
def test_larger_letters_are_larger_in_most_states(browser: Browser, board: Board, width: int, height: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page.add_init_script("localStorage.setItem('type', 'large')")
    page.goto(board.url)
    larger = []
    for number, state in enumerate(states_of_every_kind("all-fives", 3, 4) + states_of_every_kind("hearts", 4), 1):
        board.show_screen(cast(GameScreen, state))
        page.wait_for_selector(f'body[data-version="{number}"]')
        larger.append(page.evaluate("document.documentElement.style.getPropertyValue('--larger')") > "1")
    page.close()
    assert len(larger) > 5 and sum(larger) > 0.8 * len(larger)


@pytest.mark.parametrize("letters", ["normal", "large"])
def test_a_result_still_fits_after_the_page_was_turned(browser: Browser, board: Board, letters: str) -> None:
    result = next(dict(state) for state in SCREENS_OF_AN_EVENING if state["screen"] == "result")
    page = browser.new_page(viewport={"width": 844, "height": 390}, reduced_motion="reduce")
    page.add_init_script(f"localStorage.setItem('type', '{letters}')")
    page.goto(board.url)
    board.show_screen(cast(GameScreen, result))
    page.wait_for_selector("#result:not([hidden])")
    found = {}
    for width, height in ((390, 844), (844, 390), (480, 800), (800, 480)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found[f"{width}x{height}"] = page.evaluate(FAULTS, 0)
    page.close()
    assert set(map(str, found.values())) == {"[]"}, found


def test_at_a_result_the_keys_reach_nothing_that_it_covers(browser: Browser, board: Board) -> None:
    result = next(dict(state) for state in SCREENS_OF_AN_EVENING if state["screen"] == "result")
    page = browser.new_page(viewport={"width": 800, "height": 480}, reduced_motion="reduce")
    page.goto(board.url)
    board.show_screen(cast(GameScreen, result))
    page.wait_for_selector("#result:not([hidden])")
    reached = set()
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.closest('#result, #seats, #felt, #bar')?.id"))
    page.get_by_role("button", name="Look at the table").click()
    assert page.evaluate("[...document.querySelectorAll('#table > *')].some((each) => each.inert)") is False
    page.close()
    assert "result" in reached and not reached & {"seats", "felt", "bar"}
