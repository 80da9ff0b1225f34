"""Every state of whole games, and every other screen, fits the screen: nothing scrolls, is cut, or is too small."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Page

from cardtable.languages import LANGUAGES, Language
from cardtable.web.screens import GameScreen
from cardtable.web.server import Board
from engine.games import HOUSE, load_game
from tests.cardtable.boards import board_for
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.every_screen import every_screen, showing
from tests.cardtable.web.page_faults import FAULTS, UNREACHABLE
from tests.cardtable.web.states import VARIANTS, screens_of_an_evening, states_of_every_kind
from tests.cardtable.web.tracing import by_message, forced_layouts, traced

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

SIZES = [(800, 480), (1920, 1080), (390, 844), (1024, 600), (480, 800), (600, 1024), (1080, 1920), (844, 390)]
OFTEN = SIZES[:3]
TRANSLATED = [language for language in LANGUAGES if language != "en"]
SHARE = len(OFTEN) + len(TRANSLATED)
"""`make test` shows every game once: at one of the sizes `OFTEN`, or in another language than English."""
SEEDS = {"all-fives": 4, "bridge": 2, "cribbage": 4, "skat": 4}
"""Seeds with which a random game has every kind of state, or nearly every one; 1 for the other games."""
GAMES = [(game, load_game(game).seats[-1], SEEDS.get(game, 1)) for game in HOUSE]
GAMES += [*((variant, 4, 1) for variant in VARIANTS), ("cribbage", 2, 4), ("hearts", 4, 1), ("oh-hell", 3, 1)]
"""Games, numbers of players, and seeds."""
LEAST_PX = 21.9
"""Size of captions in pixels at 800 x 480; a name that is made narrower for its place may be smaller."""


def test_every_game_is_among_those_whose_states_are_shown() -> None:
    assert {game for game, *_ in GAMES} == {*HOUSE, *VARIANTS}


@pytest.fixture
def board() -> Iterator[Board]:
    board = board_for("Card table", lambda message, sender: None, port=0)
    yield board
    board.close()


def show(page: Page, board: Board, state: dict[str, Any]) -> None:
    """Show a state without its moments, which cover it, and wait until the page has drawn it."""
    before = page.evaluate("document.body.dataset.version ?? null")
    board.show_screen(
        cast(GameScreen, json.loads(json.dumps({**state, **({"moments": []} if "moments" in state else {})})))
    )
    page.wait_for_function("before => (document.body.dataset.version ?? null) !== before", arg=before)


def faults_in(page: Page, board: Board, states: list[dict[str, Any]], least: float) -> set[str]:
    """Show every state; return what does not fit, or is smaller than `least` pixels."""
    found: set[str] = set()
    for state in states:
        show(page, board, state)
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


@pytest.mark.parametrize(
    ("width", "height"),
    [pytest.param(*size, marks=() if size in OFTEN else pytest.mark.long) for size in SIZES],
)
def test_every_screen_fits(
    request: pytest.FixtureRequest, browser: Browser, board: Board, width: int, height: int
) -> None:
    """`make long` shows all games at every size, `make test` others at each of three sizes."""
    size = (width, height)
    games = GAMES if request.node.get_closest_marker("long") else GAMES[OFTEN.index(size) :: SHARE]
    states = [state for game in games for state in states_of_every_kind(*game)]
    assert {"over", "play"} <= {state["phase"] for state in states}
    with open_page(browser, board.url, viewport={"width": width, "height": height}) as page:
        assert faults_in(page, board, states, LEAST_PX if size == (800, 480) else 0) == set()
        assert faults_in(page, board, screens_of_an_evening(), 0) == set()


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize(
    ("width", "height"), [pytest.param(*size, marks=() if size == SIZES[0] else pytest.mark.long) for size in SIZES]
)
def test_every_state_of_a_game_fits_in_every_language(
    request: pytest.FixtureRequest, browser: Browser, width: int, height: int, language: Language
) -> None:
    """`make long` shows all games at every size, `make test` those that it does not show in English."""
    share = len(OFTEN) + TRANSLATED.index(language)
    games = GAMES if request.node.get_closest_marker("long") else GAMES[share::SHARE]
    states = [state for game in games for state in states_of_every_kind(*game, language=language)]
    board = board_for("Card table", lambda message, sender: None, port=0, language=language)
    try:
        with open_page(browser, board.url, viewport={"width": width, "height": height}) as page:
            assert faults_in(page, board, states, LEAST_PX if (width, height) == (800, 480) else 0) == set()
    finally:
        board.close()


def test_a_state_forces_one_layout(browser: Browser, board: Board) -> None:
    games = [("hearts", 4, 1), ("bridge", 4, 2), ("its-15", 6, 1), ("skat", 3, 4)]
    states = [state for game in games for state in states_of_every_kind(*game)]
    with open_page(browser, board.url, viewport={"width": 1920, "height": 1080}) as page:
        page.evaluate("Promise.all([...document.fonts].map((font) => font.load()))")
        show(page, board, states[-1])
        with traced(page) as events:
            for state in states:
                show(page, board, state)
    forced = [forced_layouts(shown) for shown in by_message(events)]
    assert len(forced) >= len(states) and any(forced)
    assert [each for each in forced if len(each) > 1] == []


def _faults_when_turned(page: Page, board: Board) -> dict[str, list[str]]:
    """Return what does not fit in a result after the page was turned, for each size."""
    show(page, board, next(state for state in screens_of_an_evening() if state["screen"] == "result"))
    page.wait_for_selector("#result:not([hidden])")
    found = {}
    for width, height in ((844, 390), (390, 844), (844, 390), (480, 800), (800, 480)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found[f"{width}x{height}"] = page.evaluate(FAULTS, 0)
    return {size: faults for size, faults in found.items() if faults}


NEEDED = """() => Object.fromEntries(Object.entries({
    turn: ".seat.turn .name", does: ".seat.turn .does", asked: "#prompts:not([hidden]) h2",
    score: ".seat .score, .parties .tally > b", trick: "#lying .trick > .card",
}).map(([part, what]) => [part, [...document.querySelectorAll(`#table :is(${what})`)]
    .filter((each) => each.checkVisibility()).map((each) => {
        const box = each.getBoundingClientRect();
        const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
        return [parseFloat(getComputedStyle(each).fontSize), box.left > -1 && box.top > -1
            && box.right < innerWidth + 1 && box.bottom < innerHeight + 1
            && Boolean(top) && (each.contains(top) || top.contains(each))];
    })]))"""
"""For each part that players need most: the size of the type, and whether all of it is seen."""
SET_TYPE = """async (type) => {
    (await import("./base.js")).settings.type = document.documentElement.dataset.type = type;
}"""


@pytest.mark.parametrize("size", [(800, 480), (1920, 1080), (480, 800), (390, 844)])
def test_type_of_150_and_200_percent_is_that_large_and_hides_nothing_that_is_needed(
    browser: Browser, board: Board, size: tuple[int, int]
) -> None:
    """Turn, request, score and trick; all of the scores, and the words of every game's fullest states."""
    states = [screen.state for screen in every_screen() if screen.name in ("hearts", "bridge", "skat-bid", "its-15")]
    asking = {"kind": "take-back", "seat": 1, "text": "Cy: pick up 2♠.", "urgent": True, "spoken": ""}
    states.append(states[0] | {"prompts": [asking, *states[0]["prompts"]]})
    with open_page(browser, board.url, viewport={"width": size[0], "height": size[1]}) as page:
        for state in states:
            sizes = {}
            for larger in (1.0, 1.5, 2.0):
                page.evaluate(SET_TYPE, "normal" if larger == 1 else f"{larger:.0%}")
                show(page, board, state)
                needed = page.evaluate(NEEDED)
                sizes[larger] = {part: [px for px, _ in found] for part, found in needed.items()}
                hidden = {part for part, found in needed.items() if not all(whole for _, whole in found)}
                assert larger == 1 or not hidden, (state["game"], larger, hidden)
                assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
            for larger in (1.5, 2.0):
                for part in ("does", "asked"):
                    for normal, large in zip(sizes[1.0][part], sizes[larger][part], strict=False):
                        assert large >= 0.75 * larger * normal, (state["game"], part, normal, large)


READ = ("lobby", "menu", "rules", "what-happened", "settings", "keys", "phone", "director", "asleep", "history")
"""Screens and sheets that people read, by the beginnings of their names."""


@pytest.mark.parametrize(
    "size", [pytest.param(size, marks=() if size in OFTEN[::2] else pytest.mark.long) for size in SIZES]
)
def test_type_of_150_and_200_percent_leaves_all_to_be_read_by_scrolling_down(
    browser: Browser, size: tuple[int, int]
) -> None:
    screens = [screen for screen in every_screen() if screen.name.startswith(READ)]
    with showing(browser, viewport={"width": size[0], "height": size[1]}) as shown:
        for larger in ("150%", "200%"):
            shown.page.evaluate("larger => localStorage.setItem('type', larger)", larger)
            shown.page.reload()
            for screen in screens:
                shown.show(screen)
                assert shown.page.evaluate(UNREACHABLE) == [], (screen.name, larger)


def test_a_result_fits_and_keys_reach_nothing_that_it_covers(browser: Browser, board: Board) -> None:
    with open_page(browser, board.url) as page:
        assert _faults_when_turned(page, board) == {}
        reached = set()
        for _ in range(12):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.closest('#result, #seats, #felt, #bar')?.id"))
        page.get_by_role("button", name="Look at the table").click()
        assert page.evaluate("[...document.querySelectorAll('#table > *')].some((each) => each.inert)") is False
    assert "result" in reached and not reached & {"seats", "felt", "bar"}
