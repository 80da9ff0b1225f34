"""What an evening costs in taps: each test fails if one tap more is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from engine.record import Header
from tests.cardtable.evening.evenings import TestEvening
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.evening_page import EveningPage
from tests.cardtable.web.test_correct_page import CorrectedTable
from tests.cardtable.web.test_phone_page import DEALT, UPRIGHT, PhoneTable

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")


class Finger:
    """Taps what the page shows, at most `left` times."""

    left = 0

    def __init__(self, page: Page) -> None:
        self.page = page

    def may(self, most: int) -> None:
        self.left = most

    def tap(self, what: Locator) -> None:
        self.left -= 1
        assert self.left >= 0, "a tap too many"
        what.click()

    def named(self, name: str, inside: str = "body") -> None:
        self.tap(self.page.locator(inside).get_by_role("button", name=name, exact=True))


class HostsFinger(EveningPage, Finger):
    """Taps the board of an evening."""


@pytest.fixture(scope="module")
def finger(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostsFinger]:
    path: Path = tmp_path_factory.mktemp("evening") / "journal.sqlite"
    with TestEvening(path) as evening, open_page(browser, evening.board.url) as page:
        yield HostsFinger(page, evening)


def test_four_new_players_and_a_game_and_another_one(finger: HostsFinger) -> None:
    """Hearts is chosen, four guests sit down, the game begins: three taps; Spades instead: three more."""
    page, guests = finger.page, [f"Guest {number}" for number in range(1, 5)]
    finger.may(3)
    finger.tap(page.get_by_role("radio", name="Hearts"))
    finger.until({"game": "hearts"})
    finger.named("4 players, with guests")
    finger.until({"players": guests})
    finger.named("Begin")
    finger.until({"screen": "game", "game": "hearts"})
    assert finger.evening.host.remembered == []
    finger.may(3)
    finger.named("Menu")
    finger.named("Another game…")
    finger.named("Spades", "#ask")
    finger.until({"screen": "game", "game": "spades"})
    assert [seat["name"] for seat in finger.shown()["seats"]] == guests


def test_a_target_is_chosen_or_typed(finger: HostsFinger) -> None:
    page = finger.page
    finger.evening.send("break-off")
    finger.until({"screen": "lobby"})
    page.get_by_role("radio", name="Hearts").click()
    finger.until({"game": "hearts"})

    def target() -> object:
        shown = finger.shown()
        (chosen,) = [game for game in shown["games"] if game["game"] == shown["game"]]
        return chosen["options"][0]["value"]

    finger.may(2)
    finger.named("Options…")
    finger.named("10", "#options")
    finger.turn(lambda: target() == 10)
    finger.may(4)  # any other number
    finger.tap(page.locator("#options .typed").first)
    finger.named("3", "#options .pad")
    finger.named("7", "#options .pad")
    finger.named("Done", "#options .pad")
    finger.turn(lambda: target() == 37)


@pytest.fixture(scope="module")
def network() -> Iterator[PhoneTable]:
    table = PhoneTable(Header("all-fives", ("Ann", "Bo"), 0), DEALT)
    with closing(table.board):
        yield table


def test_a_phone_scans_the_code_of_all_and_chooses_its_seat(browser: Browser, network: PhoneTable) -> None:
    """One tap after the scan; a second phone for the same player waits until the board allows it."""

    def scanned() -> str:
        code = httpx.post(f"{network.url}/phone/code", json={}).json()["code"]
        return f"{network.url}/phone#{code}"

    with open_page(browser, network.url) as board, open_page(browser, scanned(), viewport=UPRIGHT) as first:
        expect(first.locator("#where h1")).to_have_text("Where do you sit?")
        first.locator("#around").get_by_role("button", name="Bo").click()
        expect(first.locator("#turn")).to_have_text("Your turn")
        assert first.locator("#playing button:disabled:visible").count() == 0  # nothing grey
        with open_page(browser, scanned(), viewport=UPRIGHT) as second:
            expect(second.locator("#taken")).to_have_text("Bo’s phone is here already.")
            second.locator("#around").get_by_role("button", name="Bo").click()
            expect(board.locator("#ask-title")).to_have_text("A second phone for Bo?")
            expect(second.locator("#playing")).to_be_hidden()
            board.locator("#ask").get_by_role("button", name="Refuse").click()
            expect(second.locator("#refused")).to_contain_text("has not allowed")
            second.locator("#around").get_by_role("button", name="Bo").click()
            board.locator("#ask").get_by_role("button", name="Allow").click()
            expect(second.locator("#playing")).to_be_visible()


@pytest.fixture
def corrected(browser: Browser) -> Iterator[tuple[CorrectedTable, Page]]:
    table = CorrectedTable(("Ann", "Bo"))
    with closing(table.board), closing(table.asked), open_page(browser, table.board.url) as page:
        yield table, page


def test_a_wrong_card_is_corrected_in_two_taps(corrected: tuple[CorrectedTable, Page]) -> None:
    """The card on the felt, then the right one: the likeliest faces come first, as pictures."""
    table, page = corrected
    table.lay(("2H", "turn-up", None))
    table.say(1, "stand")
    table.lay(("KS", "play", 1))
    finger = Finger(page)
    finger.may(2)
    finger.tap(page.locator("#lying").get_by_role("button", name="king of spades"))
    faces = page.locator("#ask .card:not(.cell)")
    assert [face.get_attribute("aria-label") for face in faces.all()][:2] == ["king of clubs", "king of hearts"]
    finger.tap(faces.first)
    table.answer()
    assert table.record[-1] == "1 play KC"
