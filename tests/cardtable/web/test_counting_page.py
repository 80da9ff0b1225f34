"""A count on the page: a tap goes on, a tap on a card corrects it, and each hand can be shown again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Final, cast

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from cardtable.table.live_game import LiveGame
from cardtable.web.screens import GameScreen
from engine.observations import UndoAsked
from engine.record import Header
from engine.table import Table
from tests.cardtable.boards import WatchedGame, board_for
from tests.cardtable.web.asked import Asked
from tests.cardtable.web.chromium import CHROMIUM, open_page, tidy
from tests.cardtable.web.page_faults import FAULTS
from tests.cardtable.web.states import states_of_a_game
from tests.engine.talk import action

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

DEAL: Final = (
    *("turn 5C", "1 play 10S", "0 play 5H", "1 play JD", "0 play 4S", "1 say go", "0 say go"),
    *("1 play QH", "0 play KC", "1 play 9D", "0 play 3S", "crib show 2H 2D 8C 8S"),
)


class Count:
    """The count of a deal of cribbage, which can be corrected on the page."""

    def __init__(self) -> None:
        self.asked = Asked()
        self.board = board_for("Cribbage", None, port=0)
        self.board.watch(WatchedGame("Cribbage", None, put=self.asked.put))
        self.begin()

    def begin(self) -> None:
        """Count a new deal on the same board."""
        table = Table(Header("cribbage", ("Ann", "Bo"), 0))
        self.game = LiveGame(table, None, [self.board], [action(each) for each in DEAL])

    def answer(self) -> None:
        """Make the correction that the page asks for."""
        self.asked.answer(self.game)

    @property
    def record(self) -> list[str]:
        return [str(action) for action in self.game.table.actions]


@pytest.fixture(scope="module")
def shared_count() -> Iterator[Count]:
    count = Count()
    yield count
    count.asked.close()
    count.board.close()


@pytest.fixture(scope="module")
def open_count(browser: Browser, shared_count: Count) -> Iterator[Page]:
    with open_page(browser, shared_count.board.url) as page:
        yield page


@pytest.fixture
def count(shared_count: Count) -> Count:
    shared_count.begin()
    return shared_count


@pytest.fixture
def page(open_count: Page, count: Count) -> Page:
    tidy(open_count)
    return open_count


def hand(page: Page) -> Locator:
    """Return the cards of the hand that is shown."""
    return page.locator("#counting .cards .card")


def test_a_card_of_a_count_is_corrected_by_a_tap(count: Count, page: Page) -> None:
    counting, ask = page.locator("#counting"), page.locator("#ask")
    counting.get_by_role("button", name="Bo").click()
    expect(counting.locator("h2")).to_have_text("Bo’s hand")
    expect(counting.locator(".sum")).to_have_text("10")
    hand(page).and_(page.get_by_role("button", name="queen of hearts")).click()
    expect(ask).to_contain_text("That was not queen of hearts.")
    expect(ask.get_by_role("button", name="Another seat")).to_be_visible()
    ask.get_by_role("button", name="king of hearts").click()
    count.answer()
    assert count.record[7] == "1 play KH"
    # The corrected hand is shown, with what scores in it now; the lines of its other cards have changed.
    expect(counting.locator("h2")).to_have_text("Bo’s hand")
    expect(hand(page).nth(2)).to_have_accessible_name("king of hearts")
    expect(counting.locator(".sum")).to_have_text("9")
    counting.get_by_role("button", name="Bo").click()
    hand(page).nth(3).click()
    ask.get_by_role("button", name="8 of diamonds").click()
    count.answer()
    assert count.record[9] == "1 play 8D"
    expect(hand(page).nth(3)).to_have_accessible_name("8 of diamonds")


def test_a_tap_beside_the_cards_goes_on_and_an_undo_goes_back(count: Count, page: Page) -> None:
    counting = page.locator("#counting")
    counting.get_by_role("button", name="Bo").click()
    counting.locator(".sum").click()
    expect(counting.locator("h2")).to_have_text("Ann’s hand")
    expect(page.locator("#ask")).to_be_hidden()
    counting.get_by_role("button", name="Bo").click()
    expect(counting.locator("h2")).to_have_text("Bo’s hand")
    expect(counting.get_by_role("button", name="Bo")).to_have_attribute("aria-current", "true")
    counting.get_by_role("button", name="the crib").click()
    expect(counting.locator("h2")).to_have_text("the crib")
    count.game.take(UndoAsked(1.0, "page"))
    expect(counting.locator("h2")).to_have_text("Ann’s hand")
    expect(counting.locator(".others button")).to_have_count(2)


def test_the_crib_and_the_starter_are_corrected_with_the_keyboard(count: Count, page: Page) -> None:
    counting, ask = page.locator("#counting"), page.locator("#ask")
    counting.get_by_role("button", name="the crib").press("Enter")
    expect(counting.locator("h2")).to_have_text("the crib")
    hand(page).nth(2).press("Enter")
    expect(ask).to_contain_text("That was not 8 of clubs.")
    expect(ask.get_by_role("button", name="Another seat")).to_have_count(0)
    ask.get_by_role("button", name="7 of clubs").press("Enter")
    count.answer()
    assert count.record[-1] == "crib show 2H 2D 7C 8S"
    expect(hand(page).nth(2)).to_have_accessible_name("7 of clubs")
    page.locator("#counting .starter button").press("Enter")
    ask.get_by_role("button", name="9 of hearts").press("Enter")
    count.answer()
    assert count.record[0] == "turn 9H"
    # All hands are counted again, from the first.
    expect(counting.locator("h2")).to_have_text("Bo’s hand")


def test_scores_and_names_stay_whole_while_points_rise(browser: Browser) -> None:
    """What a seat has gained is shown for a moment, if things may move."""
    board = board_for("", None, port=0)
    with closing(board), open_page(browser, board.url, reduced_motion="no-preference") as page:
        state = max(states_of_a_game("cribbage", 4), key=lambda state: len(state["counts"]))
        points = [{"seat": seat, "points": -400, "for": "fifteen"} for seat in range(4)]
        seats = [seat | {"score": -400} for seat in state["seats"]]
        shown = state | {"seats": seats, "points": {"fresh": True, "list": points}}
        board.show_screen(cast(GameScreen, shown))
        page.wait_for_selector("#counting h2")
        cut = page.locator(".seat .line").evaluate_all(
            "lines => lines.filter((line) => line.scrollWidth > line.clientWidth + 1).length"
        )
        assert cut == 0
        assert page.evaluate(FAULTS, 0) == []
