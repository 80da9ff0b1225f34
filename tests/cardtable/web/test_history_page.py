"""The history on the page, in a real browser: evenings, records, head to head, a replay on the felt, the last trick."""

from __future__ import annotations

import json
import queue
import re
from collections.abc import Iterator
from concurrent.futures import Future
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, expect

from cardtable.history.pages import Answers, history_routes
from cardtable.history.pictures import folder_of, picture_path
from cardtable.journal.games import open_games
from cardtable.table.messages import EveningMessage, Sender
from cardtable.web.screens import LobbyState
from engine.texts import as_written
from tests.cardtable.boards import board_for
from tests.cardtable.history.past_games import DAY, GAMES, some_games, store, whole_game
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.every_screen import CAMERA
from tests.cardtable.web.states import LOBBY, states_of_a_game
from tests.cardtable.web.test_page_sizes import FAULTS, LEAST_PX, OFTEN
from tests.waiting import tries

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

LINES = range(2, 9)
"""Those of the records of all games of which there is a camera picture."""
NIGHT = datetime(2026, 11, 23)
TIMED = """() => {
    const began = performance.now();
    let shown = false;
    new MutationObserver(() => {
        const replay = Boolean(document.getElementById("replay"));
        if (shown && !replay) window.took ??= performance.now() - began;
        shown ||= replay;
    }).observe(document.body, { childList: true });
}"""
"""Measures the milliseconds from now until the next replay is over."""
WIDER = """() => [...document.querySelectorAll("#past, #past-body, #past header, #past-head")]
    .filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => `${box.id} ${box.tagName}`)"""


class Table:
    """A board with the history of a journal, in which the last game is being played."""

    count = len(GAMES) + 1
    """The number of games."""

    def __init__(self, path: Path) -> None:
        answers = Answers(path, as_written, lambda: self.count)
        self.asked: queue.SimpleQueue[EveningMessage] = queue.SimpleQueue()
        self.board = board_for(
            "",
            lambda message, sender: None,
            port=0,
            manage=self._manage,
            more=history_routes(answers, as_written),
        )

    def _manage(self, message: EveningMessage, sender: Sender) -> Future[str | None]:
        self.asked.put(message)
        done: Future[str | None] = Future()
        done.set_result(None)
        return done

    def show(self, state: dict[str, Any]) -> None:
        self.board.show_screen(cast(LobbyState, json.loads(json.dumps(state))))


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of some games, the last of which is being played, with a camera picture of some lines."""
    path = tmp_path_factory.mktemp("history") / "journal.sqlite"
    games = [*some_games(1), (GAMES[0], whole_game(0, 7)[:40])]
    store(path, games)
    folder_of(path).mkdir()
    for number, line in product(range(1, len(games) + 1), LINES):
        picture_path(folder_of(path), number, number * DAY, line).write_bytes(CAMERA.read_bytes())
    return path


@pytest.fixture(scope="module")
def table(journal: Path) -> Iterator[Table]:
    table = Table(journal)
    yield table
    table.board.close()


@pytest.fixture
def page(browser: Browser, table: Table) -> Iterator[Page]:
    with open_page(browser, table.board.url) as page:
        yield page


def fits(page: Page, what: str) -> None:
    for width, height in OFTEN:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        least = LEAST_PX if (width, height) == (800, 480) else 0
        wrong = page.evaluate(FAULTS, least) if "replay" in what else page.evaluate(WIDER)
        assert wrong == [], (what, width, height)


def history(page: Page, table: Table) -> Locator:
    """Open the history, and wait for all highlights."""
    table.show(LOBBY)
    page.get_by_role("button", name="History").click()
    past = page.locator("#past")
    past.locator('#past-body[aria-busy="false"]').wait_for()
    past.locator("#past-note:empty").wait_for(state="attached")
    return past


def test_the_history_is_read_with_the_keyboard_alone(page: Page, table: Table, journal: Path) -> None:
    """An evening and its way back, and a game that is not over goes on."""
    past = history(page, table)
    past.locator(".list button", has_text="not over").last.wait_for()
    evening = past.locator(".list .tally").first.locator("xpath=..")
    evening.focus()
    page.keyboard.press("Enter")
    past.locator(".games button").first.wait_for()
    page.keyboard.press("Escape")
    past.locator(".list").wait_for()
    past.locator(".list button", has_text="not over").first.press("Enter")
    past.get_by_role("button", name="Go on").press("Enter")
    expect(past).to_be_hidden()
    with open_games(journal) as games:
        _, newest = games.entries(over=False, newest=True, most=2)  # the other one is being played
    assert table.asked.get(timeout=10).model_dump() == {"do": "go-on", "id": newest.id}


def test_records_and_head_to_head(page: Page, table: Table) -> None:
    past = history(page, table)
    past.get_by_role("button", name="Records").click()
    past.locator(".kinds").get_by_role("button", name="Cribbage").click()
    best = past.locator(".held li", has_text="Best hand")
    expect(best.locator(".card")).to_have_count(5)
    fits(page, "the records")
    past.get_by_role("button", name="Head to head").click()
    one, other = past.get_by_label("One side"), past.get_by_label("The other side")
    for player, against in (("Bo", "Ann"), ("Ann", "Bo")):
        for box, name in ((other, "Di" if player == "Bo" else "Cy"), (one, player), (other, against)):
            box.select_option(name)
            past.locator('#past-body[aria-busy="false"]').wait_for()
        expect(one).to_have_value(player)
        expect(other).to_have_value(against)
        won, lost = past.locator(".versus > .sides > b").all_inner_texts()
        expect(past.get_by_role("img", name=f"{player} {won}, {against} {lost}")).to_be_visible()
    fits(page, "head to head")
    past.locator(".met button").first.click()
    expect(past.get_by_role("button", name="Replay")).to_be_visible()


def test_a_player_and_evenings_with_a_filter_have_an_address(page: Page, table: Table) -> None:
    """It can be opened again after that; “back” in the browser leads through what was shown."""
    past = history(page, table)
    past.get_by_label("Player").select_option("Di")
    past.get_by_label("Game").select_option("cribbage")
    expect(page).to_have_url(re.compile(r"#history\?player=Di&game=cribbage$"))
    expect(past.locator(".list > li")).to_have_count(1)
    fits(page, "the evenings of a player")
    past.get_by_role("button", name="Players").click()
    past.get_by_label("Player").select_option("Cy")
    expect(page).to_have_url(re.compile(r"#history\?tab=players&player=Cy$"))
    expect(past.locator(".held .standings").last.get_by_role("button").first).to_contain_text("Ann")
    fits(page, "a player")
    page.reload()
    expect(past.get_by_label("Player")).to_have_value("Cy")
    for _ in range(2):
        page.go_back()
    expect(past.get_by_label("Game")).to_have_value("cribbage")
    page.keyboard.press("Escape")
    expect(past).to_be_hidden()
    assert "#" not in page.url


def test_from_an_evening_to_a_replay_and_back(page: Page, table: Table) -> None:
    past = history(page, table)
    fits(page, "the evenings")
    past.locator(".list button:has(.tally):has(.picture .card)").first.click()
    curve = past.locator(".story svg[role=img] .line")
    expect(curve.first).to_be_visible()
    assert "none" not in curve.evaluate_all("lines => lines.map((line) => getComputedStyle(line).stroke)")
    fits(page, "one evening")
    past.get_by_role("button", name="Save…").click()
    with page.expect_download() as taken:
        page.get_by_role("link", name="Record").click()
    assert b'"record": 1' in Path(taken.value.path()).read_bytes()
    past.locator(".best button").first.click()
    slider, place = page.get_by_role("slider", name="Place in the game"), page.locator("#replay-at")
    expect(past).to_be_hidden()
    expect(place).to_contain_text("Hand")
    steps = int(slider.get_attribute("max") or 0)
    assert 0 < int(slider.input_value()) <= steps
    slider.fill("0")
    expect(place).to_have_text("Hand 1, trick 1")
    for key, at in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.locator("body").press(key)
        expect(slider).to_have_value(str(at))
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^Hand 1, trick 1. .+"))
    camera, picture = page.get_by_role("button", name="Camera", exact=True), page.locator("#replay-picture")
    expect(picture).to_be_hidden()
    camera.click()
    expect(picture).to_be_visible()
    expect(picture).not_to_have_js_property("naturalWidth", 0)
    fits(page, "a replay with the picture of the moment")
    camera.click()
    expect(picture).to_be_hidden()
    page.get_by_role("button", name="Next trick").click()
    expect(slider).not_to_have_value("1")
    box = slider.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)  # as a finger on the curve
    expect(slider).to_have_value(str(steps))
    expect(page.locator("#seats .winner").first).to_be_visible()
    page.keyboard.press("Home")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("Home")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    fits(page, "a replay")
    page.keyboard.press("Escape")
    expect(page.locator("#replay")).to_have_count(0)
    expect(past.get_by_role("button", name="Replay")).to_be_visible()


def test_the_last_trick_is_shown_and_the_game_comes_back(page: Page, table: Table) -> None:
    game = states_of_a_game("all-fives", 2)[1] | {"prompts": []}
    waits_for: set[Request] = set()
    page.on("request", lambda request: waits_for.add(request))
    page.on("requestfinished", lambda request: waits_for.discard(request))
    table.show(game)
    page.clock.install(time=NIGHT)
    page.clock.pause_at(NIGHT + timedelta(hours=1))  # what a slow machine needs does not count
    page.get_by_role("button", name="Menu").click()
    page.evaluate(TIMED)
    page.get_by_role("button", name="Show the last trick").click()
    at = page.locator("#replay-slider")
    expect(at).to_be_visible()
    expect(at).not_to_have_value("0")
    first, steps = int(at.input_value()), int(at.get_attribute("max") or 0)
    assert 0 < first < steps
    for _ in range(60):
        if at.input_value() == str(steps):
            break
        page.clock.run_for(250)
        for _ in tries("the answers to the page's requests"):
            page.wait_for_timeout(5)
            if not waits_for:
                break
    expect(at).to_have_value(str(steps))
    expect(page.locator("#tools")).to_be_hidden()
    page.clock.run_for(1500)
    expect(page.locator("#replay")).to_have_count(1)
    page.clock.run_for(1100)
    expect(page.locator("#replay")).to_have_count(0)
    assert 7_000 < page.evaluate("window.took") < 10_000
    expect(page.locator("#tools")).to_be_visible()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Show the last trick").click()
    expect(at).to_be_visible()
    table.show(game | {"facts": [["count", "count", "1"]]})
    expect(page.locator("#replay")).to_have_count(1)
    page.clock.resume()  # a page that has lost its connection must be able to wait before it connects again
    table.show(game | {"n": game["n"] + 1})
    expect(page.locator("#replay")).to_have_count(0, timeout=6_000)  # by itself it would end later
