"""The overlay for streams: a transparent page without hidden cards, except known hands after the delay for them."""

from __future__ import annotations

import json
from typing import cast

import httpx
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, expect

from cardtable.table.live_game import LiveGame
from cardtable.web.integrations import DelayedHands
from cardtable.web.screens import GameScreen
from engine.observations import Swiped
from engine.table import Table
from tests.cardtable.boards import board_for
from tests.cardtable.people.people import observations
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.contrast import AXE_OPTIONS, LOW_CONTRAST, USE
from tests.cardtable.web.every_screen import every_screen
from tests.cardtable.web.states import result_state

SIZES = [(800, 480), (1024, 600), (1920, 1080), (390, 844), (480, 800)]
KEY = "for-the-stream"
OUTSIDE = """() => [...document.querySelectorAll("#overlay *")].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width && (box.right > innerWidth + 1 || box.left < -1 || box.top < -1 || box.bottom > innerHeight + 1);
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


@pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])
def test_the_overlay_shows_every_game_at_every_size(browser: Browser, step: int) -> None:
    """Each game is shown at one size, and each size shows several games; everybody can use it.

    `make test` shows every third game, `make long` all.
    """
    board = board_for("", None, port=0, overlay_hands_s=1e-9, overlay_key=KEY)
    shown = [screen.state for screen in every_screen() if screen.state["screen"] in ("game", "result")]
    states = list({(state["game"], state["screen"], state["phase"]): state for state in shown}.values())[::step]
    try:
        with open_page(browser, f"{board.url}/overlay?key={KEY}") as page:
            page.evaluate(AXE_SCRIPT)
            for number, state in enumerate(states):
                board._show(cast(GameScreen, json.loads(json.dumps(state))), (("KD", "2C", "10H", "AS"),) * 2)
                page.wait_for_function("n => Number(document.body.dataset.version) > n", arg=number)
                expect(page.locator(".seat")).to_have_count(len(state["seats"]))
                width, height = SIZES[number % len(SIZES)]
                page.set_viewport_size({"width": width, "height": height})
                assert page.evaluate(OUTSIDE) == []
                if number % 5 == 0:
                    low, measured = page.evaluate(LOW_CONTRAST)
                    assert measured and not low
                    assert page.evaluate(USE, AXE_OPTIONS) == []
            expect(page.locator(".seat").first.locator(".card")).to_have_count(4)
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
            board.close()
            expect(page.locator(".seat")).to_have_count(0)
    finally:
        board.close()
