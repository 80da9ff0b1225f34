"""The overlay for streams, a transparent page without hidden cards; the page for streamers; and the wall of a table."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from typing import Any, cast

import httpx
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from cardtable.table.live_game import LiveGame
from cardtable.web.integrations import DelayedHands
from cardtable.web.screens import GameScreen
from cardtable.web.server import Board
from engine.observations import Swiped
from engine.table import Table
from tests.cardtable.boards import board_for
from tests.cardtable.people.people import observations
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.contrast import AXE_OPTIONS, LOW_CONTRAST, USE
from tests.cardtable.web.every_screen import every_screen
from tests.cardtable.web.states import ASLEEP, LOBBY, result_state

needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")
STYLES = ["planks", "column", "strip"]
SIZES = [(1280, 720), (1920, 1080), (1080, 1920)]
WALLS = [(1920, 1080), (3840, 2160), (1080, 1920)]
KEY = "for-the-stream"
OUTSIDE = """() => [...document.querySelectorAll("#overlay *")].filter((element) => {
    const box = element.getBoundingClientRect();
    const shows = box.width && getComputedStyle(element).display !== "inline"; // whose box is higher than its line
    return shows && (box.right > innerWidth + 1 || box.left < -1 || box.top < -1 || box.bottom > innerHeight + 1);
}).map((element) => element.outerHTML.slice(0, 80))"""


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_hands_are_shown_as_they_were_before_the_delay() -> None:
    clock = Clock()
    hands = DelayedHands(60.0, clock)
    assert hands.shown() == ()
    hands.note((("KD",), ()))
    clock.now += 30
    hands.note((("KD", "2C"), ()))
    hands.note((("KD", "2C"), ()))
    clock.now += 29.9
    assert hands.shown() == ()
    clock.now += 0.1
    assert hands.shown() == (("KD",), ())
    hands.note(())
    clock.now += 30
    assert hands.shown() == (("KD", "2C"), ())
    clock.now += 60
    assert hands.shown() == ()


def test_without_a_delay_no_hand_is_kept_or_shown() -> None:
    clock = Clock()
    hands = DelayedHands(None, clock)
    hands.note((("KD",),))
    clock.now += 1e9
    assert hands.shown() == () and not hands._kept


@pytest.mark.parametrize(("after_s", "shows"), [(None, False), (1e-9, True), (3600.0, False)])
def test_a_dealt_hand_reaches_the_overlay_only_after_the_delay(after_s: float | None, shows: bool) -> None:
    header, observed = observations("all-fives", 2, 1, 20)
    table = Table(header)
    board = board_for("All Fives", None, port=0, overlay_hands_s=after_s)
    try:
        live = LiveGame(table, None, [board])
        for observation in observed:
            live.take(observation)
            if isinstance(observation, Swiped):
                break
        board.show(live.snapshot, table.view)
        known = [[str(card) for card in table.view(seat).hands[seat].cards] for seat in range(2)]
        assert any(known)
        answer = httpx.get(f"{board.url}/overlay/hands.json").json()
        assert answer == {"after_s": after_s, "hands": known if shows else []}
        state = httpx.get(f"{board.url}/state.json").json()
        assert not any(f'"{card}"' in json.dumps(state) for card in known[0])
    finally:
        board.close()


def test_with_a_key_only_the_overlay_that_has_it_gets_hands() -> None:
    board = board_for("", None, port=0, overlay_hands_s=1e-9, overlay_key=KEY)
    try:
        board._show(cast(GameScreen, result_state("fifteen", 2)), (("KD", "2C"), ()))
        for query in ("", "?key=", "?key=wrong", "?key=é"):
            answer = httpx.get(f"{board.url}/overlay/hands.json{query}")
            assert (answer.status_code, answer.json()["hands"]) == (403, [])
            assert "?key=" in answer.json()["refused"]
        answer = httpx.get(f"{board.url}/overlay/hands.json?key={KEY}")
        assert (answer.status_code, answer.json()["hands"]) == (200, [["KD", "2C"], []])
    finally:
        board.close()


def test_overlay_and_wall_only_watch() -> None:
    board = board_for("", None, port=0)
    try:
        board._show(cast(GameScreen, result_state("fifteen", 2)), (("KD",), ("2C",)))
        state = httpx.get(f"{board.url}/state.json?as=spectator").json()
        assert (state["you"]["role"], state["you"]["may"], state["phones"]) == ("spectator", [], [])
        assert all(seat["words"] == [] for seat in state["seats"])
    finally:
        board.close()


class Stream:
    """A page that shows the states a test chooses."""

    def __init__(self, board: Board, page: Page) -> None:
        self.board = board
        self.page = page

    def show(self, state: dict[str, Any]) -> None:
        """Show the state, with four known cards in the hands of the first two players."""
        self.board._show(cast(GameScreen, json.loads(json.dumps(state))), (("KD", "2C", "10H", "AS"),) * 2)
        self.page.wait_for_function("n => Number(document.body.dataset.version) >= n", arg=self.board._version)

    def open(self, path: str, width: int = 1920, height: int = 1080) -> None:
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.goto(f"{self.board.url}/{path}")


@pytest.fixture(scope="module")
def stream(browser: Browser) -> Iterator[Stream]:
    board = board_for("", None, port=0, overlay_hands_s=1e-9, overlay_key=KEY)
    with open_page(browser, "about:blank", moments=True) as page:
        yield Stream(board, page)
    board.close()


def shown_states(step: int = 1) -> list[dict[str, Any]]:
    """Return a state of each phase of each game, or of every `step`th."""
    shown = [screen.state for screen in every_screen() if screen.state["screen"] in ("game", "result")]
    return list({(state["game"], state["screen"], state["phase"]): state for state in shown}.values())[::step]


def hearts() -> dict[str, Any]:
    return next(screen.state for screen in every_screen() if screen.name == "hearts")


def with_moment(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state after an action that has proven a revoke."""
    moment = {"n": state["n"] + 2, "kind": "revoke", "headline": "Cy had a club", "seat": 2, "cards": ["6H", "AC"]}
    return state | {"n": state["n"] + 1, "moments": [moment | {"captions": [], "follows": ""}]}


@needs_chromium
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])
def test_each_style_shows_every_game_at_every_size(stream: Stream, step: int) -> None:
    """Each game is shown at one size, and each size shows several games; `make long` shows all games in all styles."""
    page = stream.page
    for at, style in enumerate(STYLES):
        stream.open(f"overlay?style={style}&key={KEY}")
        page.evaluate(AXE_SCRIPT)
        for number, state in enumerate(shown_states(step)[at % step :: 1 if step == 1 else 2]):
            width, height = SIZES[(number + at) % len(SIZES)]
            page.set_viewport_size({"width": width, "height": height})
            stream.show(state)
            expect(page.locator(".seat")).to_have_count(len(state["seats"]))
            page.evaluate("document.fonts.ready")
            assert page.evaluate(OUTSIDE) == [], (style, state["game"], width)
            if number % 5 == 0:
                low, measured = page.evaluate(LOW_CONTRAST)
                assert measured and not low
                assert page.evaluate(USE, AXE_OPTIONS) == []
    if step == 3:
        stream.open(f"overlay?key={KEY}")
        stream.show(hearts())
        expect(page.locator(".chair").first.locator(".hand p")).to_have_count(4)


@needs_chromium
@pytest.mark.parametrize("style", STYLES)
def test_what_is_not_the_overlay_is_transparent(stream: Stream, style: str) -> None:
    stream.open(f"overlay?style={style}", 1280, 720)
    stream.show(hearts())
    picture = Image.open(io.BytesIO(stream.page.screenshot(omit_background=True))).getchannel("A")
    box = stream.page.locator(".seat").last.bounding_box()
    assert box
    opaque = int(box["x"] + box["width"] / 2), int(box["y"] + box["height"] / 2)
    assert [picture.getpixel(at) for at in ((0, 0), (640, 200), opaque)] == [0, 0, 255]


@needs_chromium
def test_viewers_see_no_lost_connection_unless_it_lasts(stream: Stream, browser: Browser) -> None:
    board = board_for("", None, port=0)
    with open_page(browser, "about:blank") as page:
        page.clock.install()
        page.goto(f"{board.url}/overlay")
        own = Stream(board, page)
        own.show(hearts())
        before = page.locator("#overlay").inner_text()
        board.close()
        page.clock.run_for(15_000)
        assert page.locator("#overlay").inner_text() == before and "Cy" in before
        page.clock.run_for(10_000)
        expect(page.locator(".seat")).to_have_count(0)
        assert page.locator("body").inner_text().strip() == "Card table"  # which only screen readers find


@needs_chromium
def test_a_moment_passes(stream: Stream) -> None:
    page = stream.page
    page.clock.install()
    stream.open("overlay")
    stream.show(hearts() | {"moments": []})
    stream.show(with_moment(hearts()))
    expect(page.locator(".banner")).to_have_text(re.compile("Revoke.*Cy had a club"))
    page.clock.run_for(7000)
    expect(page.locator(".banner")).to_have_count(0)


BUTTONS = """() => [...document.querySelectorAll("button, a, input, dialog")]
    .filter((element) => element.checkVisibility()).map((element) => element.outerHTML)"""
SCROLLS = "document.documentElement.scrollHeight > innerHeight || document.documentElement.scrollWidth > innerWidth"


@needs_chromium
def test_the_wall_has_everything_but_buttons(stream: Stream) -> None:
    page = stream.page
    stream.open("wall")
    for number, state in enumerate([*shown_states(3), LOBBY, ASLEEP]):
        width, height = WALLS[number % len(WALLS)]
        page.set_viewport_size({"width": width, "height": height})
        stream.show(state)
        assert page.evaluate(BUTTONS) == [] and not page.evaluate(SCROLLS), (state.get("game"), width)
        if state["screen"] == "game":
            expect(page.locator("#table .seat")).to_have_count(len(state["seats"]))
    page.clock.install()
    stream.open("wall")
    stream.show(hearts() | {"moments": []})
    stream.show(with_moment(hearts()))
    expect(page.locator("#moment.revoke h2")).to_have_text("Cy had a club")
    assert page.evaluate(BUTTONS) == []
    page.clock.run_for(9000)
    expect(page.locator("#moment")).to_be_hidden()
    expect(page.locator("#words")).to_have_text("Cy had a club")


@needs_chromium
def test_the_page_for_streamers_has_an_address_for_each_style(stream: Stream) -> None:
    page = stream.page
    stream.open("streaming", 390, 844)
    expect(page.locator("#wall input")).to_have_value(f"{stream.board.url}/wall")
    addresses = page.locator("#styles input").evaluate_all("lines => lines.map((line) => line.value)")
    assert addresses == [f"{stream.board.url}/overlay{style}" for style in ("", "?style=column", "?style=strip")]
    expect(page.locator("#styles .seat")).to_have_count(12)
    page.get_by_role("button", name="Copy").first.click()
    expect(page.get_by_text("Copied")).to_be_visible()
    page.evaluate(AXE_SCRIPT)
    assert page.evaluate(USE, AXE_OPTIONS) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    stream.open("", 800, 480)
    stream.show(hearts())
    for name in ("Menu", "Your phone", "Stream, or a large screen…"):
        page.get_by_role("button", name=name).click()
    expect(page.get_by_role("button", name="Let phones in")).to_be_visible()  # there is no address yet
