"""The page's dialog for a word that names a player and a card, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from engine.observations import Said
from tests.cardtable.at_the_table import AtTheTable
from tests.cardtable.web.chromium import CHROMIUM, colour

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")


@pytest.fixture
def revoked(table: AtTheTable) -> AtTheTable:
    """A table at which Ann has not followed suit."""
    table.lay(("4H", "turn-up", None))
    table.say(1, "stand")
    table.lay(("10S", "play", 1), ("2C", "play", 0))
    return table


def test_a_revoke_is_called_with_its_evidence(revoked: AtTheTable, page: Page) -> None:
    table, ask, revoke = revoked, page.locator("#ask"), page.get_by_role("button", name="call a revoke")
    page.get_by_role("button", name="Menu").click()
    revoke.click()
    page.get_by_role("button", name="Never mind").click()
    expect(ask).to_be_hidden()
    # The browser reports that a dialog has closed only after the next question is open: that one must stay open.
    page.get_by_role("button", name="Menu").click()
    revoke.click()
    expect(ask).to_be_visible()
    page.locator("#accusing button").first.evaluate(
        "button => { document.getElementById('ask').close(); button.click(); }"
    )
    page.get_by_role("button", name="ace of spades").click()
    expect(page.get_by_role("button", name="Another card")).to_be_focused()
    page.get_by_role("button", name="Another card").click()
    # A double tap on a card calls nothing, wherever the buttons of the second step come to lie.
    for card in ("ace", "king", "queen", "jack"):
        page.get_by_role("button", name=f"{card} of spades").dblclick()
        expect(ask).to_be_visible()  # the next question opens a moment after the last one closes
        if page.locator("#ask-text").is_visible():
            page.get_by_role("button", name="Another card").click()
    assert table.entered.empty()
    expect(ask).to_contain_text("Ann still holds")
    expect(page.locator("#ask-choices .card")).to_have_count(12)  # spades, but the 10 that lies there
    page.get_by_role("button", name="king of spades").click()
    costs = "Ann should have followed suit: Ann loses 3 points and cannot win on this hand."
    expect(page.locator("#ask-text")).to_have_text(costs)
    expect(ask).to_contain_text("Bo calls “revoke” against Ann.")
    page.get_by_role("button", name="Another card").click()
    page.get_by_role("button", name="ace of spades").click()
    expect(ask.get_by_role("img", name="ace of spades")).to_be_visible()
    assert table.entered.empty()
    page.get_by_role("button", name="Yes: call a revoke").click()
    message = table.pass_on()
    assert isinstance(message, Said)
    assert (message.seat, message.word, message.against, str(message.card)) == (1, "revoke", 0, "AS")
    expect(page.locator("#news .loss")).to_have_text("Ann −3")
    assert colour(page, "#history .loss b") == colour(page, "#refused") != colour(page, "#history li")


def test_a_revoke_is_called_with_the_keyboard(revoked: AtTheTable, page: Page) -> None:
    revoke = page.get_by_role("button", name="call a revoke")
    another, yes = (page.get_by_role("button", name=name) for name in ("Another card", "Yes: call a revoke"))
    page.get_by_role("button", name="Menu").click()
    revoke.press("Enter")
    expect(page.get_by_role("button", name="ace of spades")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(another).to_be_focused()  # a second Enter costs nothing
    expect(yes).to_be_enabled()
    page.keyboard.press("Escape")
    expect(page.locator("#ask")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    revoke.press("Enter")
    expect(page.get_by_role("button", name="ace of spades")).to_be_focused()
    page.keyboard.press("Enter")
    expect(another).to_be_focused()
    expect(yes).to_be_enabled()
    page.keyboard.press("ArrowUp")
    expect(yes).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#ask")).to_be_hidden()
    expect(page.locator("#refused")).to_be_hidden()
    message = revoked.pass_on()
    assert isinstance(message, Said) and (message.word, str(message.card)) == ("revoke", "AS")


def test_the_question_disappears_when_it_is_too_late(revoked: AtTheTable, page: Page) -> None:
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="call a revoke").click()
    expect(page.locator("#ask")).to_be_visible()
    revoked.game.take(revoked.scenes.lift("10S", "2C"))
    revoked.lay(("KD", "play", 1))  # the next lead
    expect(page.locator("#ask")).to_be_hidden()
    assert revoked.entered.empty()
