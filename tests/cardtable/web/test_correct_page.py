"""Corrections on the page, in a real browser: one evening with a misread card, and who is right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from cardtable.config.model import AccessConfig
from cardtable.table.live_game import LiveGame
from cardtable.table.messages import BOARD, UndoTo
from engine.observations import Scene
from engine.table import Table
from tests.cardtable.at_the_table import AtTheTable
from tests.cardtable.boards import WatchedGame
from tests.cardtable.web.asked import Asked
from tests.cardtable.web.chromium import CHROMIUM, open_page, tidy

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

SIZES: Final = [(800, 480), (1920, 1080), (390, 844), (480, 800)]
FITS: Final = """() => {
    const dialog = document.querySelector("#ask[open]"), box = dialog.getBoundingClientRect();
    const inside = [...dialog.querySelectorAll("button")].every((button) => {
        const one = button.getBoundingClientRect();
        return one.left >= -1 && one.top >= -1 && one.right <= innerWidth + 1 && one.bottom <= innerHeight + 1;
    });
    return inside && box.bottom <= innerHeight + 1 && box.right <= innerWidth + 1;
}"""

ON_TOP: Final = """line => {
    const box = line.getBoundingClientRect();
    return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2) === line;
}"""
NAMES: Final = "buttons => buttons.map((button) => button.getAttribute('aria-label') ?? button.textContent)"


class CorrectedTable(AtTheTable):
    """A table whose game is corrected on the page; the cards lie in a row in the camera's picture."""

    def __init__(self, players: tuple[str, ...]) -> None:
        self.places: dict[str, tuple[tuple[float, float], ...]] = {}
        super().__init__(players)
        self.asked = Asked()
        done, jpeg = cv2.imencode(".png", np.full((270, 480, 3), 90, np.uint8))
        assert done
        picture = jpeg.tobytes()
        self.board.watch(WatchedGame("All Fives", None, lambda name: picture, ("camera",), put=self.asked.put))
        self.begin()

    def begin(self) -> None:
        super().begin()
        self.places.clear()
        self.game = self.corrected = LiveGame(
            Table(self.header), None, [self.board], places=lambda: {"camera": dict(self.places)}
        )
        self.take(self.scenes.again())

    def take(self, scene: Scene) -> None:
        for number, sighting in enumerate(scene.sightings):
            x, y = 0.1 + 0.1 * (number % 8), 0.1 + 0.4 * (number // 8)
            self.places[sighting.card_id] = ((x, y), (x + 0.06, y), (x + 0.06, y + 0.2), (x, y + 0.2))
        self.game.take(scene)

    def lay(self, *cards: tuple[str, str, int | None]) -> None:
        for card in cards:
            self.take(self.scenes.lay(*card))

    def answer(self) -> None:
        """Make the correction that the page asks for."""
        self.asked.answer(self.corrected)

    @property
    def record(self) -> list[str]:
        return [str(action) for action in self.game.table.actions]


@pytest.fixture(scope="module")
def shared(browser: Browser) -> Iterator[tuple[CorrectedTable, Page]]:
    table = CorrectedTable(("Ann", "Bo", "Cy"))
    with open_page(browser, table.board.url) as page:
        yield table, page
    table.asked.close()
    table.board.close()


@pytest.fixture
def three(shared: tuple[CorrectedTable, Page]) -> tuple[CorrectedTable, Page]:
    """A new game of three, in which the camera is not sure of Bo's king."""
    table, page = shared
    tidy(page)
    page.locator("#camera-close").dispatch_event("click")
    table.begin()
    table.lay(("2H", "turn-up", None))
    table.say(1, "stand")
    table.scenes.lay("KS", "play", 1)
    table.scenes.doubt("KS", "QS", "KC")
    table.take(table.scenes.again())
    table.lay(("3S", "play", 2))
    assert table.record == ["turn 2H", "1 say stand", "1 play KS", "2 play 3S"]
    return table, page


def test_an_evening_of_corrections(three: tuple[CorrectedTable, Page], tmp_path: Path) -> None:
    table, page = three
    ask = page.locator("#ask")
    # A misread card, tapped on the felt: the likeliest others first.
    page.locator("#lying").get_by_role("button", name="king of spades").click()
    expect(ask).to_contain_text("That was not king of spades.")
    expect(ask.locator(".card").first).to_have_accessible_name("queen of spades")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(FITS), (width, height)
    page.set_viewport_size({"width": 800, "height": 480})
    ask.get_by_role("button", name="queen of spades").click()
    table.answer()
    assert table.record[2] == "1 play QS"
    expect(page.locator("#lying").get_by_role("button", name="queen of spades")).to_be_visible()
    expect(page.locator("#prompts")).to_contain_text("Corrected: Bo plays Q♠, not K♠.")
    # With the keyboard, in the camera's picture: any card of the deck, with the second tap.
    page.locator("#menu-button").click()
    page.locator("#camera-button").click()
    spot = page.locator("#spots").get_by_role("button", name="3 of spades")
    spot.focus()
    page.locator("#picture").dispatch_event("load")  # a new picture comes every second
    expect(spot).to_be_focused()
    page.keyboard.press("Enter")
    expect(ask.locator(".card:not(.cell)").first).to_have_accessible_name("3 of clubs")  # they look alike
    expect(ask.locator(".card")).to_have_count(51)
    ask.get_by_role("button", name="4 of clubs").press("Enter")
    table.answer()
    assert table.record[3] == "2 play 4C"
    page.locator("#picture").click(position={"x": 5, "y": 5})
    expect(ask).to_be_hidden()
    page.locator("#camera-close").click()
    # A card of a trick that was gathered, and then a correction that later actions do not fit.
    table.lay(("5S", "play", 0))
    table.take(table.scenes.lift("KS", "3S", "5S"))
    assert table.record[-1] == "1 gather"
    sheet, happened = page.locator("#history-sheet"), page.locator("#history-button")
    page.locator("#menu-button").click()
    happened.click()
    expect(sheet.locator("li.correction")).to_have_count(2)
    for was, now in ("56", "65"):
        sheet.get_by_role("button", name=f"Ann plays {was}♠").click()
        for name in ("It was another card", f"{now} of spades"):
            ask.get_by_role("button", name=name).click()
        table.answer()
        page.locator("#menu-button").click()
        happened.click()
        expect(sheet).to_contain_text(f"Ann plays {now}♠")
    sheet.get_by_role("button", name="Bo plays Q♠").click()
    ask.get_by_role("button", name="This did not happen").click()
    table.answer()
    expect(ask).to_contain_text("no longer fits")
    assert page.evaluate(FITS)
    ask.get_by_role("button", name="Never mind").click()
    assert table.record[-1] == "1 gather"
    page.locator("#menu-button").click()
    happened.click()
    # Undo to a point: the second step shows what is taken back.
    sheet.get_by_role("button", name="Bo: “stand”").click()
    ask.get_by_role("button", name="Undo to here").click()
    expect(ask).to_contain_text("Bo gathers the trick · Ann plays 5♠ · Cy plays 4♣ · Bo plays Q♠")
    ask.get_by_role("button", name="Take back 4").click()
    table.answer()
    assert table.record == ["turn 2H", "1 say stand"]
    page.locator("#menu-button").click()
    happened.click()
    expect(sheet.locator("li").first).to_contain_text("Taken back: 4 actions.")
    sheet.get_by_role("button", name="Close").click()
    page.locator("#menu-button").click()
    page.get_by_role("button", name="Add a card").click()
    ask.get_by_role("button", name="Bo").click()
    ask.get_by_role("button", name="9 of hearts").click()
    table.answer()
    assert table.record[-1] == "1 play 9H"
    expect(sheet).to_be_hidden()
    page.screenshot(path=tmp_path / "corrected.png")


def test_a_card_is_given_to_another_seat(three: tuple[CorrectedTable, Page]) -> None:
    table, page = three
    ask = page.locator("#ask")
    page.get_by_role("button", name="2 of hearts").first.click()
    expect(ask).to_contain_text("That was not 2 of hearts.")
    expect(ask.get_by_role("button", name="Another seat")).to_have_count(0)
    ask.get_by_role("button", name="Never mind").click()
    page.locator("#menu-button").click()
    page.locator("#camera-button").click()
    page.locator("#spots").get_by_role("button", name="king of spades").click()
    ask.get_by_role("button", name="Another seat").click()
    expect(ask).to_contain_text("Whose card is it?")
    assert ask.locator("button").evaluate_all(NAMES) == ["Ann", "Cy", "Never mind"]
    ask.get_by_role("button", name="Cy").click()
    table.answer()
    assert table.record[2:] == ["1 play 3S", "2 play KS"]
    page.locator("#camera-close").click()
    expect(page.locator("#prompts")).to_contain_text("Corrected: Cy plays K♠, not 3♠.")


def test_who_is_right(three: tuple[CorrectedTable, Page]) -> None:
    table, page = three
    right = page.locator("#prompts").get_by_role("button", name="The table is right")
    expect(right).to_have_count(0)
    table.take(table.scenes.lift("KS"))
    table.lay(("QS", "play", 1))
    table.game.pass_time("camera", table.scenes.clock + 9)
    right.click()
    table.answer()
    assert table.record[2:] == ["1 play QS", "2 play 3S"]
    expect(right).to_have_count(0)
    table.take(table.scenes.lift("3S", "QS"))
    table.game.pass_time("camera", table.scenes.clock + 9)
    page.locator("#menu-button").click()
    page.locator("#menu-sheet").get_by_role("button", name="The record is right").click()
    table.answer()
    expect(page.locator("#menu-sheet")).to_be_hidden()
    expect(page.locator("#prompts")).to_contain_text("Lay Q♠ in front of Bo. Then 1 more.")
    table.lay(("QS", "play", 1))
    expect(page.locator("#prompts")).to_contain_text("Lay 3♠ in front of Cy.")
    table.lay(("3S", "play", 2))
    expect(page.locator("#prompts")).to_contain_text("The table agrees with the record again.")
    expect(page.locator("#prompts").get_by_role("button", name="Do not put cards back")).to_have_count(0)


def test_a_refusal_lies_over_the_sheet_that_is_open(three: tuple[CorrectedTable, Page]) -> None:
    table, page = three
    refused = page.locator("#refused")
    page.locator("#menu-button").click()
    page.locator("#menu-sheet").get_by_role("button", name="The table is right").click()
    page.locator("#menu-button").click()
    table.answer()
    expect(refused).to_have_text("The table and the record already agree.")
    assert refused.evaluate(ON_TOP)
    expect(page.get_by_role("alert").filter(has_text="already agree")).to_be_visible()
    page.locator("#menu-sheet").get_by_role("button", name="Close").click()
    page.locator("#lying").get_by_role("button", name="3 of spades").click()
    page.locator("#ask").get_by_role("button", name="king of spades").click()
    table.answer()
    expect(refused).to_contain_text("K♠")
    assert refused.evaluate(ON_TOP)


def test_a_phone_says_that_a_card_was_misread(
    three: tuple[CorrectedTable, Page], browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, page = three
    ask = page.locator("#ask")
    code = table.board.access.make_code("Bo", 1).code
    with open_page(browser, f"{table.board.url}/phone#{code}", viewport={"width": 390, "height": 844}) as phone:
        # Not allowed to correct: the board says whose phone it was, and asks which card.
        phone.click("#misread")
        expect(page.locator("#prompts")).to_contain_text("Bo: the table has misread a card.")
        page.locator("#prompts").get_by_role("button", name="Correct Bo’s card").click()
        expect(ask).to_contain_text("Which card was misread?")
        names = ["king of spades", "3 of spades", "2 of hearts", "Add a card", "Never mind"]
        assert ask.locator("button").evaluate_all(NAMES) == names
        assert page.evaluate(FITS)
        ask.get_by_role("button", name="king of spades").click()
        ask.get_by_role("button", name="queen of spades").click()
        table.answer()
        assert table.record[2] == "1 play QS"
        expect(page.locator("#prompts")).not_to_contain_text("Correct Bo’s card")
        expect(phone.locator("#misread")).to_have_text("The table misread me")
        # Allowed to correct: the phone asks itself, or leaves it to the others.
        allowed = AccessConfig(correct=("board", "director", "seat"))
        monkeypatch.setattr(table.board.access.permissions, "_config", allowed)
        table.board._send_again()
        phone.wait_for_function("version => Number(document.body.dataset.version) >= version", arg=table.board._version)
        phone.click("#misread")
        phone.locator("#ask").get_by_role("button", name="queen of spades").click()
        expect(phone.locator("#ask")).to_contain_text("That was not queen of spades.")
        assert phone.evaluate(FITS)
        expect(phone.locator("#ask .card")).to_have_count(51)
        assert phone.evaluate(FITS)
        phone.locator("#ask").get_by_role("button", name="king of spades").click()
        table.answer()
        assert table.record[2] == "1 play KS"
        phone.click("#misread")
        phone.locator("#ask").get_by_role("button", name="Let the others correct it").click()
        expect(page.locator("#prompts")).to_contain_text("Correct Bo’s card")
        assert table.game.correct(UndoTo(do="undo-to", n=table.game.snapshot.n, line=1), BOARD) is None
        expect(phone.locator("#tell")).to_contain_text("Taken back")
        assert phone.locator("#tell").inner_text().count("Taken back") == 1
