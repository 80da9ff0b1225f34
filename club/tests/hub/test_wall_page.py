"""The pages of the hub in the browser: the wall with few and many tables, the history, a table's page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from typing import Any, cast

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, expect

from cardtable_club.hub.config import HubConfig
from cardtable_club.hub.pages import Hub, HubPages
from cardtable_club.hub.store import GameResult, Seat
from cardtable_club.member.messages import compact
from club.tests.hub.test_hub_pages import FakeHub
from engine.record import Header
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.contrast import LOW_CONTRAST
from tests.cardtable.web.page_faults import FAULTS
from tests.cardtable.web.silent_network import silent_network

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

SIZES = [(800, 480), (1024, 600), (1920, 1080), (390, 844)]
SMALLEST_AND_LARGEST = [
    (800, 480),
    *(pytest.param(size, marks=pytest.mark.long) for size in [(1024, 600), (1920, 1080)]),
    (390, 844),
]
NAMES = ("Ann-Sophie", "Bartholomew", "Cy", "Dimitri", "Eve", "Fay", "Gus")
SHOWN_SEATS = """
    () => {
        const end = document.querySelector("#round").getBoundingClientRect().bottom + 1;
        const rows = [...document.querySelectorAll("#round li")].filter(row => row.checkVisibility());
        return rows.map(row => [
            row.innerText,
            row.scrollWidth <= row.clientWidth + 1 && row.getBoundingClientRect().bottom <= end,
        ]);
    }
"""
"""Return each row of seats that is shown, and whether it is shown whole."""
AXE = "async () => (await axe.run(document, { resultTypes: ['violations'] })).violations.map((each) => each.id)"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> FakeHub:
    return FakeHub(tmp_path_factory.mktemp("hub"))


@pytest.fixture(scope="module")
def pages(hub: FakeHub) -> Iterator[HubPages]:
    header = compact(Header("cribbage", NAMES[:2]).to_json())
    games = [
        GameResult(0, f"table-{n}", f"{n}-00000000", 1, header, 1000.0 + n, 1100.0, True, "[[121,90],[0],[]]")
        for n in range(40)
    ]
    hub.mirror.put(hub.store.keep_results(games))
    with closing(HubPages(HubConfig(port=0), cast(Hub, hub))) as pages:
        yield pages


@pytest.fixture(scope="module")
def page(browser: Browser, pages: HubPages) -> Iterator[Page]:
    """One page for the tests; each loads what it needs and sets the size of the window."""
    with open_page(browser, pages.url) as page:
        yield page


def wall(tables: int, sides: int, tournament: bool) -> str:
    """A state of the wall with this many tables and sides at each."""

    def table(number: int) -> dict[str, Any]:
        played = [{"name": NAMES[side], "score": 17 * side - number, "won": not side} for side in range(sides)]
        more = {
            "board": True,
            "conflict": number == 3,
            "double": number == 6,
            "game": number,
            "title": "German Whist",
            "over": number % 3 == 0,
        }
        return {"name": f"table-{number}", "online": number % 4 != 1, "sides": played, **more}

    about = {"score": "61.25 %", "more": "won 7, spread +132", "field": "NS"}
    rows = [{"rank": n, "entrant": f"{NAMES[n % 7]} & {NAMES[n % 5]}", **about} for n in range(1, 40)]
    state = {
        "club": "The card players of Thursday evening",
        "broker": True,
        "trouble": False,
        "twin": False,
        "tables": [table(number) for number in range(tables)],
        "standings": [{"rank": n, "player": NAMES[n % 7], "played": 9, "won": 3} for n in range(1, 40)],
        "waiting": [f"{name} the {n}th" for n in range(9) for name in NAMES],
        "round": 3 if tournament else None,
        "places": [{"table": f"table-{n}", "players": [*NAMES[:4]], "ready": n % 2 == 0} for n in range(20)],
        "tournament": {"name": "Howell, 14 pairs", "round": 3, "open": 7, "rows": rows} if tournament else None,
    }
    return json.dumps(state)


@pytest.mark.parametrize("size", SMALLEST_AND_LARGEST, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_wall_shows_any_number_of_tables_without_scrolling(
    page: Page, pages: HubPages, size: tuple[int, int]
) -> None:
    found: dict[str, list[str]] = {}
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(pages.url)
    for tables, sides, tournament in [(1, 2, False), (2, 7, True), (8, 2, True), (20, 4, True), (60, 2, False)]:
        if tables > 8 and size[1] > size[0]:
            continue  # a phone scrolls through them
        pages.show(wall(tables, sides, tournament))
        expect(page.locator("#tables > .card")).to_have_count(tables)
        faults = page.evaluate(FAULTS, 0)
        if sides > 2:  # these have everything that other states show
            faults += page.evaluate(LOW_CONTRAST)[0]
        if faults:
            found[f"{tables} tables of {sides}"] = faults
    assert found == {}


def test_the_wall_and_the_history_can_be_used_by_everybody(page: Page, pages: HubPages) -> None:
    page.set_viewport_size({"width": 800, "height": 480})
    page.goto(pages.url)
    pages.show(wall(8, 4, True))
    expect(page.locator("#tables > .card")).to_have_count(8)
    page.evaluate(AXE_SCRIPT)
    assert page.evaluate(AXE) == []
    page.goto(f"{pages.url}/history.html")
    expect(page.locator("#games tr")).to_have_count(41)
    page.evaluate(AXE_SCRIPT)
    assert page.evaluate(AXE) == []


def test_a_phone_scrolls_through_many_tables(page: Page, pages: HubPages) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(pages.url)
    pages.show(wall(60, 2, True))
    last = page.locator("#tables > .card").nth(59)
    last.scroll_into_view_if_needed()
    expect(last.locator("p").last).to_be_in_viewport()
    assert last.locator("p").last.evaluate("line => parseFloat(getComputedStyle(line).fontSize)") >= 12


def test_the_history_is_as_wide_as_the_page(page: Page, pages: HubPages) -> None:
    page.goto(f"{pages.url}/history.html")
    expect(page.locator("#games tr")).to_have_count(41)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.querySelector('#games').scrollWidth <= innerWidth")
        assert page.evaluate(LOW_CONTRAST)[0] == []
        for cell in ("#games td:nth-child(2)", "#games td:nth-child(3)"):
            assert page.locator(cell).first.evaluate("cell => cell.getClientRects().length") == 1


def test_a_table_says_that_it_is_ready_with_one_tap(page: Page, pages: HubPages, hub: FakeHub) -> None:
    hub.store.assign([Seat(3, "table-1", seat, name) for seat, name in enumerate(NAMES[:4])])
    page.goto(f"{pages.url}/table.html#table-1")
    pages.show(wall(2, 2, True))
    page.get_by_role("button", name="We are ready").click()
    expect(page.locator("body")).to_contain_text("Ann-Sophie")
    page.wait_for_function("async () => (await (await fetch('games.json')).json()).games.length === 40")
    assert all(seat.ready is not None for seat in hub.store.assigned())


@pytest.mark.parametrize(
    "size", [(800, 480), pytest.param((1920, 1080), marks=pytest.mark.long)], ids=lambda size: f"{size[0]}x{size[1]}"
)
def test_every_seat_of_the_next_round_is_shown_in_turn(
    browser: Browser, pages: HubPages, size: tuple[int, int]
) -> None:
    with open_page(browser, "about:blank", viewport={"width": size[0], "height": size[1]}) as page:
        page.clock.install(time=datetime(2026, 11, 23, 18))
        page.goto(pages.url)
        pages.show(wall(20, 2, True))
        rows = page.locator("#round li")
        expect(rows).to_have_count(20)
        page.clock.pause_at(datetime(2026, 11, 23, 19))  # a slow machine turns no pages meanwhile
        seen: set[str] = set()
        for _ in range(12):
            for shown, fits in page.evaluate(SHOWN_SEATS):
                assert fits, f"cut: {shown}"
                assert all(name in shown for name in NAMES[:4])
                seen.add(shown.split()[0])
            if len(seen) == 20:
                break
            page.clock.run_for(8000)
        assert seen == {f"table-{n}" for n in range(20)}


@pytest.mark.parametrize(
    ("path", "shown"), [("", "#standings li >> nth=0"), ("table.html#t1", "#title"), ("director.html", "#new")]
)
def test_a_network_that_goes_silent_is_noticed_within_5_s(
    browser: Browser, pages: HubPages, path: str, shown: str
) -> None:
    pages.show(wall(2, 2, True))
    with silent_network(pages.port) as network, open_page(browser, "about:blank") as page:
        page.clock.install()
        page.goto(f"{network.url}/{path}")
        expect(page.locator(shown)).to_be_visible()
        expect(page.locator("#trouble")).to_be_hidden()
        network.stop()
        network.stop_new()
        for _ in range(10):
            page.clock.run_for(500)
        expect(page.locator("#trouble")).to_have_text("No connection to the hub. Trying again…")
        network.resume_new()
        for _ in range(5):
            page.clock.run_for(1000)
        expect(page.locator("#trouble")).to_be_hidden()
