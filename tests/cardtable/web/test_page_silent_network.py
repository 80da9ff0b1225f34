"""A network that silently forwards nothing any more: the page says so within five seconds, and no press is lost."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect

from engine.observations import Said
from tests.cardtable.at_the_table import AtTheTable
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.silent_network import SilentNetwork, silent_network

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")
UNHEARD = "Your last press has not reached the table: press again."


@pytest.fixture
def network(table: AtTheTable) -> Iterator[SilentNetwork]:
    with silent_network(table.board.port) as network:
        yield network


@pytest.fixture
def far(browser: Browser, table: AtTheTable, network: SilentNetwork) -> Iterator[Page]:
    """The board's page behind that network, on which Bo may beg. Its clock is set by the test."""
    table.lay(("4H", "turn-up", None))
    with open_page(browser, "about:blank") as page:
        page.clock.install()
        page.goto(network.url)
        expect(page.locator(".seat")).to_have_count(2)
        yield page


def pass_5_s(page: Page) -> None:
    for _ in range(10):
        page.clock.run_for(500)


def press(page: Page) -> None:
    page.get_by_role("button", name="beg").click()


def test_a_lost_press_is_reported_and_counts_once_if_repeated(
    table: AtTheTable, network: SilentNetwork, far: Page
) -> None:
    network.stop()
    network.stop_new()
    press(far)
    press(far)
    pass_5_s(far)
    expect(far.locator("#offline")).to_have_text("No connection to the table. It has not answered yet. Trying again…")
    network.resume_new()
    pass_5_s(far)
    expect(far.locator("#offline")).to_be_hidden()
    expect(far.locator("#refused")).to_have_text(UNHEARD)
    press(far)
    expect(far.locator("#refused")).to_be_hidden()
    network.resume_all()  # the first press arrives now, over the connection that the page has given up
    assert isinstance(table.pass_on(), Said)
    take_one = far.get_by_role("button", name="take one")
    take_one.click()
    assert table.entered.get(timeout=30) == Said(pytest.approx(0, abs=1e9), "page", 0, "take-one")
    assert table.entered.empty()


def test_a_press_whose_answer_is_lost_has_counted(table: AtTheTable, network: SilentNetwork, far: Page) -> None:
    network.stop(to_table=False)
    press(far)
    assert isinstance(table.entered.get(timeout=30), Said)
    pass_5_s(far)
    expect(far.locator("#offline")).to_be_hidden()
    expect(far.locator("#refused")).to_be_hidden()
    assert table.entered.empty()


def test_two_equal_presses_in_a_slow_network_are_two(table: AtTheTable, network: SilentNetwork, far: Page) -> None:
    network.stop(to_table=False)
    press(far)
    press(far)
    for _ in range(2):
        assert isinstance(table.entered.get(timeout=30), Said)
    pass_5_s(far)
    expect(far.locator("#offline")).to_be_hidden()
    expect(far.locator("#refused")).to_be_hidden()
    assert table.entered.empty()


def test_if_the_table_starts_again_it_is_uncertain_whether_a_press_counts(
    table: AtTheTable, network: SilentNetwork, far: Page
) -> None:
    network.stop(to_table=False)
    press(far)
    again = AtTheTable()
    network.lead_to(again.board.port)
    pass_5_s(far)
    expect(far.locator("#refused")).to_have_text(
        "The table has started again: look whether your last press has counted."
    )
    again.board.close()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "event",
    [
        "dispatchEvent(new Event('online'))",
        "dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))",
        "document.dispatchEvent(new Event('visibilitychange'))",
    ],
)
def test_a_page_that_comes_back_connects_at_once(
    table: AtTheTable, network: SilentNetwork, far: Page, event: str
) -> None:
    network.stop()
    table.say(1, "beg")
    far.evaluate(event)
    expect(far.get_by_role("button", name="take one")).to_be_visible()
    expect(far.locator("#offline")).to_be_hidden()


@pytest.mark.parametrize(("path", "shown"), [("phone", "#pairing"), ("wall", ".seat")])
def test_other_pages_notice_it_too(browser: Browser, network: SilentNetwork, path: str, shown: str) -> None:
    with open_page(browser, "about:blank") as page:
        page.clock.install()
        page.goto(f"{network.url}/{path}")
        expect(page.locator(shown).first).to_be_visible()
        network.stop()
        network.stop_new()
        pass_5_s(page)
        expect(page.locator("#offline")).to_be_visible()


@pytest.mark.parametrize("path", ["start", "care", "doctor", "safe"])
def test_pages_that_ask_over_http_notice_it_too(browser: Browser, network: SilentNetwork, path: str) -> None:
    with open_page(browser, "about:blank") as page:
        page.clock.install()
        # This table has started: without a state, the page of safe mode would go to its board.
        page.route("**/safe/state.json", lambda route: route.fulfill(json={"session": "1", "text": "", "choices": []}))
        with page.expect_event("websocket"):
            page.goto(f"{network.url}/{path}.html")
        network.stop()
        network.stop_new()
        pass_5_s(page)
        expect(page.locator("#offline")).to_have_text("No connection to the table. Trying again…")
        expect(page.locator("#offline")).to_be_visible()
        network.resume_new()
        pass_5_s(page)
        expect(page.locator("#offline")).to_be_hidden()


def test_a_phone_that_pairs_twice_in_a_silent_network_is_paired_once(
    browser: Browser, table: AtTheTable, network: SilentNetwork
) -> None:
    table.lay()
    with open_page(browser, "about:blank") as phone:
        phone.clock.install()
        phone.goto(f"{network.url}/phone?as=phone")
        phone.locator("#code").fill(httpx.post(f"{table.board.url}/phone/code", json={"seat": 1}).json()["code"])
        network.stop()
        network.stop_new()
        pair = phone.locator("#code-form button")
        with phone.expect_request("**/phone/pair"):
            pair.click()
        phone.clock.run_for(4500)
        expect(phone.locator("#refused")).to_have_text("The table has not answered: press again. It counts only once.")
        network.resume_new()
        pair.click()
        expect(phone.locator("#pairing")).to_be_hidden()
        network.resume_all()
        assert len(table.board.access.phones()) == 1
    table.board.access.remove(table.board.access.phones()[0].id)


def test_a_request_whose_answer_is_lost_is_answered_again(table: AtTheTable) -> None:
    table.lay()
    code = httpx.post(f"{table.board.url}/phone/code", json={"seat": 1}).json()["code"]
    first, second, other = (
        httpx.post(f"{table.board.url}/phone/pair", json={"code": code}, headers={"Idempotency-Key": key})
        for key in ("1", "1", "2")
    )
    assert first.json() == second.json() and first.headers["set-cookie"] == second.headers["set-cookie"]
    assert other.status_code == 403
    table.board.access.remove(table.board.access.phones()[0].id)


CARE = {"update": {"text": "", "can_look": True}, "sticks": [], "saves": False, "left_out": []}


def test_a_press_that_gets_no_answer_blocks_no_page(browser: Browser, network: SilentNetwork) -> None:
    with open_page(browser, "about:blank") as page:
        page.clock.install()
        page.route("**/care/state.json", lambda route: route.fulfill(json=CARE))
        with page.expect_event("websocket"):
            page.goto(f"{network.url}/care.html")
        look = page.get_by_role("button", name="Look for updates")
        expect(look).to_be_visible()
        network.stop()
        network.stop_new()
        look.click()
        look.click()
        expect(page.locator("#refused")).to_have_text("Wait: your last press is not answered yet.")
        pass_5_s(page)
        expect(page.locator("#offline")).to_be_visible()
        expect(page.locator("body")).to_contain_class("busy")
        network.resume_new()
        pass_5_s(page)
        expect(page.locator("#refused")).to_have_text(
            "The connection was lost: look whether your last press has counted; if not, press again."
        )
        expect(page.locator("body")).not_to_contain_class("busy")


def test_an_answer_that_takes_long_shows_how_long_and_is_not_cut(browser: Browser, table: AtTheTable) -> None:
    held: list[Route] = []
    sockets: list[WebSocketRoute] = []
    with open_page(browser, "about:blank") as page:
        page.clock.install()
        page.route("**/doctor/findings.json", lambda route: held.append(route))
        page.route_web_socket("**/live?*", lambda socket: sockets.append(socket))
        page.goto(f"{table.board.url}/doctor.html")
        expect(page.locator("#text")).to_have_text("Looking…")
        for _ in range(6):
            page.clock.run_for(2000)
            sockets[-1].send("{}")  # the table's beat
        shown = page.locator("#place").evaluate("place => getComputedStyle(place, '::after').content")
        assert "12" in shown and page.locator("#place").get_attribute("data-waited") == "12"
        held[0].fulfill(json={"findings": []})
        expect(page.locator("#text")).to_have_text("Everything is well.")
        assert page.locator("#place").get_attribute("data-waited") is None
