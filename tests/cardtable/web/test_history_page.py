"""The history on the page, in a real browser: lists, one game with its curve, a replay on the felt, the last trick."""

from __future__ import annotations

import json
import queue
import re
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from cardtable.history.pages import Answers, history_routes
from cardtable.history.pictures import folder_of, picture_path
from cardtable.languages import Language
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
WIDER = """() => [...document.querySelectorAll("#past, #past-body, #past header, #past-choice")]
    .filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => `${box.id} ${box.tagName}`)"""


class Table:
    """A board with the history of a journal, in which the last game is being played."""

    count = len(GAMES) + 1
    """The number of games."""

    def __init__(self, path: Path, language: Language = "en") -> None:
        answers = Answers(path, as_written, lambda: self.count)
        self.asked: queue.SimpleQueue[EveningMessage] = queue.SimpleQueue()
        self.board = board_for(
            "",
            lambda message, sender: None,
            port=0,
            manage=self._manage,
            more=history_routes(answers, as_written),
            language=language,
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


@pytest.mark.long
def test_averages_have_the_decimal_mark_of_the_language(browser: Browser, journal: Path) -> None:
    french = Table(journal, "fr")
    with closing(french.board), open_page(browser, french.board.url) as page:
        french.show(LOBBY)
        page.get_by_role("button", name="Historique").click()
        page.locator("#past").get_by_role("button", name="Joueurs").click()
        page.locator("#past-game").select_option("cribbage")
        expect(page.locator("#past tbody tr").first).to_contain_text(re.compile(r"\d,\d"))
        expect(page.locator("#past tbody")).not_to_contain_text(re.compile(r"\d\.\d"))


def test_players_and_games_are_chosen_after_another_part_was_opened(page: Page, table: Table) -> None:
    """An unfinished game goes on from the list."""
    page.route("**/history/games.json*", lambda route: route.abort())
    table.show(LOBBY)
    page.get_by_role("button", name="History").click()
    page.locator("#past").get_by_role("button", name="Players").click()
    games = page.locator("#past-game")
    games.focus()
    games.select_option("cribbage")
    expect(page.locator("#past tbody tr").first).to_be_visible()
    expect(games).to_have_value("cribbage")
    expect(games).to_be_focused()
    page.unroute("**/history/games.json*")
    past = page.locator("#past")
    games.select_option("")
    past.get_by_role("button", name="Games").click()
    past.locator(".rows button").nth(1).click()
    past.get_by_role("button", name="Replay").wait_for()
    expect(past.get_by_role("button", name="Go on")).to_have_count(0)
    past.get_by_role("button", name="All games").click()
    past.locator(".rows button").first.click()
    past.get_by_role("button", name="Go on").click()
    assert table.asked.get(timeout=10).model_dump() == {"do": "go-on", "id": table.count}


def test_the_history_from_the_lobby_to_a_replay(page: Page, table: Table) -> None:
    table.show(LOBBY)
    page.get_by_role("button", name="History").click()
    past = page.locator("#past")
    expect(past.locator(".rows button")).to_have_count(table.count)
    expect(past.locator(".rows")).to_contain_text("Cy −8")
    fits(page, "the list")
    past.locator("#past-game").select_option("cribbage")
    expect(past.locator(".rows button")).to_have_count(2)
    past.get_by_role("button", name="Players").click()
    expect(past.locator("tbody tr")).to_have_count(4)
    past.get_by_role("button", name="Ann").click()
    expect(past.locator("h3")).to_have_text("Ann against")
    past.locator("#past-game").select_option("")
    past.get_by_role("button", name="Cribbage").click()
    expect(past.get_by_role("img", name="Ann: Cribbage")).to_be_visible()
    fits(page, "the players")
    past.locator("#past-game").select_option("cribbage")
    past.get_by_role("button", name="Evenings").click()
    expect(past.locator("section").first).to_contain_text("1/1")
    fits(page, "the evenings")
    past.get_by_role("button", name="Games").click()
    past.locator(".rows button").first.click()
    curve = past.get_by_role("img", name="Cribbage, game")
    expect(curve).to_be_visible()
    assert "The lead changed" in curve.locator("desc").inner_html()
    lines = curve.locator('[class^="side-"]').evaluate_all(
        "lines => lines.map((line) => getComputedStyle(line).stroke)"
    )
    assert lines and "none" not in lines
    past.get_by_text("The score as a table").click()
    assert past.locator("tbody tr").count() > 3
    fits(page, "one game")
    with page.expect_download() as taken:
        past.get_by_role("link", name="Record").click()
    assert taken.value.suggested_filename.endswith(".jsonl")
    assert b'"record": 1' in Path(taken.value.path()).read_bytes()
    past.get_by_role("button", name="Replay").click()
    expect(past).to_be_hidden()
    steps = int(page.locator("#replay-slider").get_attribute("max") or 0)
    expect(page.locator("#replay-at")).to_have_text(f"0 / {steps}")
    for key, at in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.locator("body").press(key)
        expect(page.locator("#replay-at")).to_have_text(f"{at} / {steps}")
    camera, picture = page.get_by_role("button", name="Camera", exact=True), page.locator("#replay-picture")
    expect(picture).to_be_hidden()
    camera.click()
    expect(picture).to_be_visible()
    expect(picture).not_to_have_js_property("naturalWidth", 0)
    fits(page, "a replay with the picture of the moment")
    camera.click()
    expect(picture).to_be_hidden()
    page.get_by_role("button", name="Next trick").click()
    expect(page.locator("#replay-at")).not_to_have_text(f"1 / {steps}")
    page.locator("#replay-slider").fill(str(steps))
    expect(page.locator("#seats .winner").first).to_be_visible()
    page.get_by_role("button", name="Previous hand").click()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("Home")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    fits(page, "a replay")
    page.keyboard.press("Escape")
    expect(page.locator("#lobby")).to_be_visible()
    expect(page.locator("#replay")).to_have_count(0)


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
    at = page.locator("#replay-at")
    expect(at).to_be_visible()
    first = int(at.inner_text().split("/")[0])
    steps = int(at.inner_text().split("/")[1])
    assert 0 < first < steps
    for _ in range(60):
        if at.inner_text() == f"{steps} / {steps}":
            break
        page.clock.run_for(250)
        for _ in tries("the answers to the page's requests"):
            page.wait_for_timeout(5)
            if not waits_for:
                break
    expect(at).to_have_text(f"{steps} / {steps}")
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
