"""The board's page in a real browser: what it shows, and what taps send."""

from __future__ import annotations

from contextlib import closing
from typing import Final, Literal, cast

import pytest
from playwright.sync_api import Browser, Page, expect

from cardtable.web.screens import GameScreen
from engine.observations import Back, Lost, Said, UndoAsked
from tests.cardtable.at_the_table import PICTURE, AtTheTable
from tests.cardtable.boards import WatchedGame, board_for
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.states import states_of_a_game

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

SCREENS: Final[list[tuple[int, int, Literal["light", "dark"]]]] = [(800, 480, "light"), (1920, 1080, "dark")]
RESIZED: Final = "(done) => { const look = () => innerWidth === WIDTH ? done() : requestAnimationFrame(look); look() }"


def test_a_hand_is_played_on_the_page(table: AtTheTable, page: Page) -> None:
    undo, turn = page.locator("#undo"), page.locator(".seat.turn")
    expect(undo).to_be_disabled()
    expect(page.locator("#prompts")).to_contain_text("Ann")
    expect(turn).to_contain_text("Ann")  # she deals
    table.lay(("4H", "turn-up", None))
    expect(page.get_by_role("img", name="hearts are trumps")).to_be_visible()
    expect(turn).to_contain_text("Bo")
    page.get_by_role("button", name="beg").click()
    message = table.pass_on()
    assert isinstance(message, Said) and (message.source, message.seat, message.word) == ("page", 1, "beg")
    page.get_by_role("button", name="take one").click()
    table.pass_on()
    expect(page.locator("#news")).to_have_text("Bo +1 beg")
    expect(page.locator(".seat", has_text="Bo").locator(".score")).to_contain_text("1")
    # Taking back needs two taps.
    page.get_by_role("button", name="Take back: Ann: “take one”").click()
    assert table.entered.empty()
    page.get_by_role("button", name="Really take back: Ann: “take one”?").click()
    assert isinstance(table.pass_on(), UndoAsked)
    expect(page.locator("#history li")).to_have_count(2)
    table.say(0, "take-one")
    table.lay(("KD", "play", 1))
    expect(page.get_by_role("button", name="king of diamonds")).to_be_visible()
    expect(turn).to_contain_text("Ann")
    expect(page.locator("#history li").first).to_have_text("Bo plays K♦", use_inner_text=False)
    assert "Ann" in page.title()


def test_a_trick_goes_to_its_winner_and_hides_no_card(table: AtTheTable, page: Page, browser: Browser) -> None:
    with open_page(browser, table.board.url, reduced_motion="no-preference") as moving:
        moving.context.new_cdp_session(moving).send("Animation.setPlaybackRate", {"playbackRate": 0})
        table.lay(("4H", "turn-up", None))
        table.say(1, "stand")
        table.lay(("KD", "play", 1), ("2D", "play", 0))
        expect(moving.locator(".trick > .card:not(.gone)")).to_have_count(2)
        table.game.take(table.scenes.lift("KD", "2D"))
        gone = moving.locator(".trick > .gone")
        expect(gone).to_have_count(2)
        expect(moving.locator(".trick > .free")).to_be_visible()
        tops = "[...document.querySelectorAll('.gone')].map((card) => card.getBoundingClientRect().top)"
        before = moving.evaluate(tops)
        moving.evaluate("for (const each of document.getAnimations()) each.currentTime = 300")
        assert all(now < then for now, then in zip(moving.evaluate(tops), before, strict=True))  # up, where Bo sits
        moving.evaluate("for (const each of document.getAnimations()) each.finish()")
        expect(gone).to_have_count(0)
        table.lay(("QD", "play", 1))
        expect(moving.get_by_role("button", name="queen of diamonds")).to_be_visible()
    expect(page.get_by_role("button", name="queen of diamonds")).to_be_visible()
    expect(page.locator(".gone")).to_have_count(0)  # without motion


def test_the_picture_of_a_camera_that_needs_help_is_shown(table: AtTheTable, page: Page) -> None:
    expect(page.locator("#camera")).to_be_hidden()
    table.game.take(Lost(1.0, "camera", "Mark 2 (bottom right) is missing: uncover it."))
    expect(page.locator("#prompts .alert")).to_contain_text("Mark 2 (bottom right) is missing: uncover it.")
    expect(page.locator("#camera")).to_be_visible()
    expect(page.locator("#picture")).to_have_js_property("naturalWidth", 1)
    expect(page.locator("#picture-text")).to_have_text("What “camera” saw last")
    table.game.take(Back(2.0, "camera"))
    expect(page.locator("#camera")).to_be_hidden()
    # Sources without a picture cover nothing.
    asked: list[str] = []
    page.on("response", lambda answer: asked.append(f"{answer.status} {answer.url}"))
    table.game.take(Lost(1.0, "above", "Plug the camera in."))
    with page.expect_response(lambda answer: "of=above" in answer.url and answer.status == 404):
        table.game.take(Lost(1.0, "voice", "Install espeak-ng."))
    expect(page.locator("#prompts .alert")).to_have_count(2)
    expect(page.locator("#camera")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Camera").click()
    expect(page.locator("#picture-text")).to_have_text("There is no picture from the camera now.")
    expect(page.locator("#picture")).to_be_hidden()
    table.pictures["above"] = PICTURE
    expect(page.locator("#picture")).to_be_visible()
    assert not any("of=voice" in answer for answer in asked)
    page.locator("#camera-close").click()


def test_a_page_in_french(browser: Browser) -> None:
    table = AtTheTable(("Ann", "Élodie"), language="fr")
    page = browser.new_page(viewport={"width": 800, "height": 480}, reduced_motion="reduce")
    page.goto(table.board.url)
    table.lay(("4H", "turn-up", None))
    expect(page.get_by_role("img", name="atout cœur")).to_be_visible()
    page.get_by_role("button", name="demande").click()
    table.pass_on()
    page.get_by_role("button", name="un point").click()
    table.pass_on()
    expect(page.locator("#news")).to_have_text("Élodie +1 demande")
    expect(page.locator("#undo")).to_have_attribute("aria-label", "↶ Annuler\u00a0: Ann\u00a0: «\u00a0un point\u00a0»")
    table.lay(("KD", "play", 1))
    expect(page.get_by_role("button", name="le roi de carreau")).to_be_visible()
    table.lay(("2C", "play", 0))
    page.get_by_role("button", name="Menu").click()
    expect(page.get_by_role("button", name="Caméra")).to_be_visible()
    page.get_by_role("button", name="dénoncer une renonce").click()
    page.get_by_role("button", name="l’as de carreau").click()
    expect(page.locator("#ask-text")).to_have_text(
        "Ann devait fournir la couleur\u00a0: Ann perd 3 points et ne peut gagner cette donne."
    )
    page.get_by_role("button", name="Laisser tomber").click()
    expect(page.locator("#history li").nth(1)).to_have_text("Élodie joue K♦")
    assert page.title().startswith("À Élodie de jouer – ")
    assert page.locator("html").get_attribute("lang") == "fr"
    page.close()
    table.board.close()


def test_names_are_never_inserted_as_markup_nor_in_the_grid_of_bids(browser: Browser) -> None:
    table = AtTheTable(("<img src=x onerror=alert(1)>", "</script><b>Bo", "Cy", "Di"), game="bridge")
    page = browser.new_page()
    page.goto(table.board.url)
    expect(page.locator(".seat .name", has_text="<img")).to_contain_text("<img src=x onerror=alert(1)>")
    page.get_by_role("button", name="bid…").click()
    bids = page.locator("#ask-choices .bid")
    expect(page.locator("#ask")).to_contain_text("<img src=x onerror=alert(1)>")
    expect(bids).to_have_count(35)
    places = bids.evaluate_all("bids => bids.map((bid) => [bid.offsetLeft, bid.offsetTop])")
    columns = [left for left, _ in places[:5]]
    assert len(set(map(tuple, places))) == 35 and [left for left, _ in places] == columns * 7
    bids.nth(2).click()
    message = table.pass_on()
    assert isinstance(message, Said) and (message.seat, message.word) == (0, "1h")
    page.get_by_role("button", name="bid…").click()
    expect(page.locator("#ask")).to_contain_text("</script><b>Bo")
    expect(bids).to_have_count(32)  # those above one heart, in their columns
    assert bids.evaluate_all("bids => bids.map((bid) => bid.offsetLeft)") == (columns * 7)[3:]
    page.locator("#ask").get_by_role("button", name="Never mind").click()
    page.get_by_role("button", name="double", exact=True).click()
    table.pass_on()
    expect(page.locator(".auction td")).to_have_text(["1♥", "×2", ""])
    expect(page.locator(".auction td").first).to_have_accessible_name("1 ♥")
    assert page.locator("#seats img, #seats script, #words b, #ask img, .auction :is(img, b)").count() == 0
    page.close()
    table.board.close()


BEYOND_THE_FELT: Final = """() => {
    const felt = document.getElementById("felt").getBoundingClientRect();
    return [...document.querySelectorAll("#lying .card")].filter((each) => {
        const box = each.getBoundingClientRect();
        const beside = box.left < felt.left || box.right > felt.right;
        return !box.width || beside || box.top < felt.top || box.bottom > felt.bottom;
    }).map((each) => each.textContent);
}"""


def all_on_the_felt(page: Page) -> float:
    """Assert that all cards and the names below are within the felt; return the width of the smallest card."""
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    page.evaluate("Promise.all(document.getAnimations().map((each) => each.finished))")  # cards that are being laid
    assert page.evaluate(BEYOND_THE_FELT) == []
    return float(page.locator("#lying .card").evaluate_all("cards => Math.min(...cards.map(card => card.offsetWidth))"))


def test_many_cards_and_long_names_all_fit(browser: Browser) -> None:
    table = AtTheTable(("Maximiliane-Theodora von Hohenzollern", "Bartholomew Featherstonehaugh"), game="le-quinze")
    cards = [f"{rank}{suit}" for rank in ("A", "2", "3", "4") for suit in "SHDC"]
    for card in cards[:14]:
        table.lay((card, "table", None))
    table.lay(("KC", "play", 1))
    with closing(table.board), open_page(browser, table.board.url) as page:
        expect(page.locator("#lying :is(.card, .free)")).to_have_count(16)  # with the place of the card that is to come
        for width, height in ((800, 480), (480, 800), (320, 568), (568, 320), (844, 390), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(f"new Promise({RESIZED.replace('WIDTH', str(width))})")
            assert all_on_the_felt(page) >= 15


def test_the_important_parts_fit_on_the_screen(browser: Browser) -> None:
    table = AtTheTable(("Annabel", "Bo", "Cy"))
    table.lay(("4H", "turn-up", None))
    table.say(1, "stand")
    table.lay(("10S", "play", 1), ("2C", "play", 2), ("9D", "show", 1))
    with closing(table.board), open_page(browser, table.board.url) as page:
        for width, height, scheme in SCREENS:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(f"new Promise({RESIZED.replace('WIDTH', str(width))})")
            expect(page.locator("#lying :is(.card, .free)")).to_have_count(5)  # with the place of the next card
            assert all_on_the_felt(page) > 30
            expect(page.locator(".poster")).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate("document.documentElement.scrollHeight") <= height
            undo = page.locator("#undo").bounding_box()
            assert undo and undo["y"] + undo["height"] <= height
            turn = page.locator(".turn .name").evaluate("element => parseFloat(getComputedStyle(element).fontSize)")
            assert turn >= min(width, height) / 16


def test_the_cards_of_each_of_several_cameras_can_be_tapped(browser: Browser) -> None:
    square = ((0.1, 0.1), (0.3, 0.1), (0.3, 0.5), (0.1, 0.5))
    cards = {"above": "QS", "side": "KS"}
    state = states_of_a_game("hearts", 4)[0] | {
        "sources": [{"name": name, "camera": True, "trouble": None, "works": True} for name in cards],
        "seen": [
            {"source": name, "id": "1", "card": card, "n": None, "others": [], "corners": square}
            for name, card in cards.items()
        ],
    }
    with closing(board_for("", None, port=0)) as board:
        board.watch(WatchedGame("Hearts", lambda message, sender: None, lambda name: PICTURE, tuple(cards)))
        board.show_screen(cast(GameScreen, state))
        with open_page(browser, board.url) as page:
            page.locator("#menu-button").click()
            page.locator("#camera-button").click()
            spot = page.locator("#spots").get_by_role("button")
            expect(spot).to_have_accessible_name("queen of spades")
            page.locator("#camera-choice").get_by_role("button", name="side").click()
            expect(spot).to_have_accessible_name("king of spades")
            spot.click()
            expect(page.locator("#ask")).to_contain_text("That was not king of spades.")
