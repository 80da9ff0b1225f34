"""The page of a phone, and the board's sheet that connects it, in a real browser."""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any, Final, cast

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from websockets.sync.client import ClientConnection

from cardtable.table.live_game import LiveGame
from cardtable.table.messages import HERE, Sender
from cardtable.web.screens import GameScreen
from cardtable.web.state import state_of
from engine.actions import Action
from engine.games import HOUSE, load_game
from engine.observations import Said, UndoAsked
from engine.record import Header
from engine.table import Table
from tests.cardtable.boards import board_for
from tests.cardtable.web.access.phones import device, heard
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.states import ASLEEP, LOBBY, NAMES

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

DEALT = ("0 deal AS KS QS JS 10S 9S", "1 deal AD KD QD JD 10D 9D", "turn 4H")
VIBRATIONS = "void (navigator.vibrate = () => { window.vibrated = (window.vibrated ?? 0) + 1; return true; })"
UPRIGHT, LYING = {"width": 390, "height": 844}, {"width": 844, "height": 390}
FAULTS = """() => [...document.querySelectorAll("main:not([hidden]) *")].filter((element) => {
    const box = element.getBoundingClientRect();
    if (!box.width || !box.height || element.closest("svg")) return false;
    const cut = box.right > innerWidth + 1 || box.bottom > innerHeight + 1 || box.left < -1 || box.top < -1;
    return cut && !element.closest("#words, #tell"); // these two may scroll
}).map((element) => `${element.tagName} ${element.id} ${element.className}`)"""


class PhoneTable:
    """A game in a network: what is entered on pages reaches it when the test lets it."""

    def __init__(self, header: Header, actions: tuple[str, ...] = (), host: str = "0.0.0.0") -> None:
        self.entered: queue.SimpleQueue[tuple[Said | UndoAsked, Sender]] = queue.SimpleQueue()
        self.board = board_for(
            "The game", lambda message, sender: self.entered.put((message, sender)), port=0, host=host
        )
        self.url = f"http://127.0.0.1:{self.board.port}"
        self.table = Table(header)
        self.game = LiveGame(self.table, None, [self.board], [Action.parse(a) for a in actions])

    def pass_on(self) -> tuple[Said | UndoAsked, Sender]:
        message, sender = self.entered.get(timeout=10)
        self.game.take(message)
        return message, sender

    def version(self) -> int:
        return int(json.loads(self.board._pages._render(HERE))["version"])


@pytest.fixture
def here(browser: Browser) -> Iterator[tuple[PhoneTable, Page]]:
    """All Fives with the board's page: Bo must beg or stand, both hands are known."""
    table = PhoneTable(Header("all-fives", ("Ann", "Bo"), 0), DEALT)
    with closing(table.board), open_page(browser, table.url) as board:
        yield table, board


def code_of(board: Page, name: str) -> str:
    """Return a code for the phone of a player."""
    seats = httpx.get(f"{board.url}state.json").json()["seats"]
    seat = [each["name"] for each in seats].index(name)
    return str(httpx.post(f"{board.url}phone/code", json={"seat": seat}).json()["code"])


def test_a_phone_without_a_code_shows_where_to_get_one(browser: Browser) -> None:
    with closing(board_for("", None, port=0)) as board:
        board.show_screen(cast(GameScreen, LOBBY))
        with open_page(browser, f"{board.url}/phone", viewport=UPRIGHT) as phone:
            expect(phone.locator("#away")).to_have_text("Scan the code on the board, or type it here.")
            board.show_screen(cast(GameScreen, ASLEEP))
            expect(phone.locator("#away")).to_have_text("Touch ☰ on the board, then “Your phone”, and scan the code.")


def test_a_phone_is_paired_says_a_word_and_the_board_shows_it(browser: Browser, here: tuple[PhoneTable, Page]) -> None:
    table, board = here
    code = code_of(board, "Bo")
    board.click("#menu-button")
    board.click("#phones-button")
    expect(board.locator("#phones .qr")).to_be_visible()
    expect(board.locator("#phones .url")).to_contain_text(f":{table.board.port}/phone")
    with open_page(browser, f"{table.url}/phone", viewport=UPRIGHT) as phone:
        phone.evaluate(VIBRATIONS)
        phone.fill("#code", "AAAAAA")
        phone.click("#code-form button")
        expect(phone.locator("#refused")).to_contain_text("wrong or no longer valid")
        phone.fill("#code", code.lower())
        phone.click("#code-form button")
        expect(phone.locator("#turn")).to_have_text("Your turn")
        assert phone.locator("#refused").is_hidden(), "it was about the first code"
        expect(board.locator("#phones .notice")).to_have_text("Bo’s phone is connected.")
        expect(phone.locator("#hand .card")).to_have_count(6)
        assert phone.locator("#hand .card").first.get_attribute("aria-label") == "ace of diamonds"
        enabled = phone.locator("#words button:enabled")
        expect(enabled).to_have_text(["stand", "beg"])
        phone.get_by_role("button", name="beg", exact=True).click()
        message, sender = table.pass_on()
        assert isinstance(message, Said) and message.word == "beg" and sender.name == "seat 1: Bo"
        board.keyboard.press("Escape")
        expect(board.locator("#prompts")).to_contain_text("Ann")
        expect(phone.locator("#turn")).to_have_text("Ann’s turn")
        # Back to Bo by an undo on the board: his turn begins again, and the phone vibrates once more.
        assert phone.evaluate("window.vibrated") == 1
        phone.click("#undo")
        phone.get_by_role("button", name="Take back", exact=True).last.click()
        assert isinstance(table.pass_on()[0], UndoAsked)
        expect(phone.locator("#turn")).to_have_text("Your turn")
        assert phone.evaluate("window.vibrated") == 2
        # The table misread Bo: a calm prompt on the board.
        phone.click("#misread")
        expect(board.locator("#prompts")).to_contain_text("Bo: the table has misread a card.")
        phone.click("#misread")
        expect(board.locator("#prompts")).not_to_contain_text("misread")
        # The hand can be hidden from the neighbours.
        phone.get_by_role("button", name="Hide").click()
        expect(phone.locator("#hand .card")).to_have_count(0)
        # The board takes the phone away.
        board.click("#menu-button")
        board.click("#phones-button")
        board.get_by_role("button", name="Take away: Bo").click()
        expect(phone.locator("#pairing")).to_be_visible()
        expect(phone.locator("#hand .card")).to_have_count(0)


def test_the_code_in_the_address_pairs_and_the_phone_comes_back_by_itself(
    browser: Browser, here: tuple[PhoneTable, Page]
) -> None:
    table, board = here
    code = code_of(board, "Ann").replace(" ", "")
    port = table.board.port
    with open_page(browser, f"{table.url}/phone#{code}", viewport=LYING) as phone:
        expect(phone.locator("#turn")).to_have_text("Bo’s turn")
        assert "#" not in phone.url
        phone.reload()
        expect(phone.locator("#turn")).to_have_text("Bo’s turn")
        table.board.close()
        expect(phone.locator("#offline")).to_be_visible()
        again = board_for("The game", None, port=port, host="0.0.0.0", access=table.board.access)
        with closing(again):
            again.show(table.game.snapshot, table.table.view)
            expect(phone.locator("#offline")).to_be_hidden(timeout=15000)
            expect(phone.locator("#hand .card")).to_have_count(6)
            phone.click("#settings-button")
            phone.get_by_role("button", name="Not my phone any more").click()
            expect(phone.locator("#pairing")).to_be_visible()
            assert again.access.phones() == ()


def test_the_pin_is_set_on_the_board_and_makes_a_director(browser: Browser, here: tuple[PhoneTable, Page]) -> None:
    table, board = here
    board.click("#menu-button")
    board.click("#phones-button")
    board.get_by_role("button", name="Director…").click()
    for digit in "1234":
        board.get_by_role("button", name=digit, exact=True).click()
    board.get_by_role("button", name="Done").click()
    expect(board.locator("#phones .notice")).to_contain_text("The PIN is set.")
    with open_page(browser, f"{table.url}/phone", viewport=UPRIGHT) as phone:
        phone.fill("#pin", "9999")
        phone.click("#pin-form button")
        expect(phone.locator("#refused")).to_have_text("This PIN is wrong.")
        phone.fill("#pin", "1234")
        phone.click("#pin-form button")
        expect(phone.locator(".seat")).to_have_count(2)  # the whole board
        expect(board.locator("#phones .list")).to_contain_text("director")


def test_without_a_network_the_board_offers_to_let_phones_in(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardtable.web.serving.own_addresses", lambda: iter(()))
    table = PhoneTable(Header("all-fives", ("Ann", "Bo"), 0), DEALT, host="127.0.0.1")
    with closing(table.board), open_page(browser, table.url) as board:
        board.click("#menu-button")
        board.click("#phones-button")
        expect(board.locator("#phones .qr")).to_have_count(0)
        board.get_by_role("button", name="Let phones in").click()
        expect(board.locator("#phones .notice")).to_contain_text("This table is not in a network")
        board.route("**/phone/network", lambda route: route.fulfill(json={}))
        with board.expect_request("**/phone/code"):
            board.get_by_role("button", name="Let phones in").click()


def test_six_phones_at_once(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five over WebSocket, one in a browser; each says its word and sees only its own hand."""
    names = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo")
    table = PhoneTable(Header("its-15", names, 0))
    with closing(table.board), ExitStack() as stack:
        phones = [stack.enter_context(device(table.board, f"127.0.0.{20 + seat}")) for seat in range(5)]
        pages: list[ClientConnection] = []
        for seat, phone in enumerate(phones):
            phone.pair(seat)
            pages.append(stack.enter_context(phone.open("?as=phone")))
            assert heard(pages[-1])["you"]["seat"] == seat
        code = table.board.access.make_code("Flo", 5).code
        sixth = stack.enter_context(open_page(browser, f"{table.url}/phone#{code}", viewport=UPRIGHT))
        expect(sixth.locator("#scores .own")).to_contain_text("Flo")
        for seat, page in enumerate(pages):
            page.send(json.dumps({"do": "misread", "seat": seat}))
        for page in pages:
            heard(page, lambda state: sum(prompt["kind"] == "misread-claim" for prompt in state["prompts"]) == 5)
        sixth.click("#misread")
        for page in pages:
            heard(page, lambda state: sum(prompt["kind"] == "misread-claim" for prompt in state["prompts"]) == 6)
        expect(sixth.locator("#misread")).to_have_text("It was read right after all")


def fullest_state(game: str, players: int) -> dict[str, Any]:
    """Return a state with every word of the game, long names and several long prompts."""
    snapshot = LiveGame(Table(Header(game, NAMES[:players], 0)), None, ()).snapshot
    state: dict[str, Any] = dict(state_of(snapshot, "The game"))
    asking = "Maximiliane-Theodora, compare the cards that lie before you with those on the screen of the table."
    words = [{"word": word["word"], "needs": []} for word in state["words"]]
    return state | {
        "turn": 0,
        "prompts": [{"kind": "other", "seat": 0, "text": asking, "urgent": urgent} for urgent in (True, False, False)],
        "seats": [seat | {"words": words, "score": 120} for seat in state["seats"]],
        "trouble": "No space is left on the disk: delete something.",
    }


HEIGHT_OF: Final = """(element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getClientRects()[0].height;
}"""
"""The height of a line of text."""


def test_larger_letters_are_larger_on_phones_and_in_sheets(browser: Browser, here: tuple[PhoneTable, Page]) -> None:
    table, board = here
    code = table.board.access.make_code("Bo", 1).code
    with open_page(browser, f"{table.url}/phone#{code}", viewport=UPRIGHT) as phone:
        for page, button in ((phone, "#words button"), (board, "#settings-sheet form button")):
            if page is board:
                page.click("#menu-button")
            page.click("#settings-button")
            expect(page.get_by_text("Speech", exact=True)).to_have_count(int(page is board))
            before = page.locator(button).first.evaluate(HEIGHT_OF)
            page.locator("#settings").get_by_text("200%").click()
            assert page.locator(button).first.evaluate(HEIGHT_OF) > 1.5 * before, button


def test_every_screen_fits_the_phone_both_ways_up(browser: Browser) -> None:
    """Only the words and the prompts may scroll. Half of the games are shown one way up, half the other."""
    table = PhoneTable(Header("all-fives", NAMES[:2], 0))
    games = [fullest_state(game, load_game(game).seats[-1]) for game in HOUSE]
    over = games[-1] | {
        "screen": "result",
        "over": True,
        "turn": None,
        "result": {"headline": " and ".join(NAMES), "notes": [], "ways_on": []},
    }
    with closing(table.board) as board:
        code = board.access.make_code(NAMES[0], 0).code
        with open_page(browser, f"{table.url}/phone#{code}", viewport=UPRIGHT) as phone:
            expect(phone.locator("#playing")).to_be_visible()
            found: set[str] = set()
            for size, half in ((UPRIGHT, games[::2]), (LYING, games[1::2])):
                phone.set_viewport_size(size)  # type: ignore[arg-type]
                for state in [*half, over, cast(dict[str, Any], LOBBY), cast(dict[str, Any], ASLEEP)]:
                    hand = ("AS", "KD", "10H", "9C", "8S", "7D", "6H", "5C") if "seats" in state else ()
                    board._show(cast(GameScreen, state), (hand,))
                    phone.wait_for_selector(f'body[data-version="{table.version()}"]')
                    found |= {
                        f"{size['width']} {state.get('game', state['screen'])}: {fault}"
                        for fault in phone.evaluate(FAULTS)
                    }
            assert found == set()
            # A showdown, in which several players must act: each phone shows its turn.
            showdown = {"actor": None, "phase": "show", "over": False}
            for named, headline in ((NAMES[0], "Your turn"), (NAMES[1], "")):
                request = {"kind": "turn", "seat": None, "text": f"{named} and {NAMES[2]} show.", "urgent": False}
                board._show(cast(GameScreen, games[-1] | showdown | {"prompts": [request]}), ((),))
                phone.wait_for_selector(f'body[data-version="{table.version()}"]')
                assert (phone.locator("#turn").inner_text() == "Your turn") is bool(headline)


def test_a_spectator_sees_no_buttons_that_it_may_not_use(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    table = PhoneTable(Header("all-fives", ("Ann", "Bo"), 0), DEALT)
    monkeypatch.setattr("cardtable.web.connections.device_at", lambda client, server: client)
    with closing(table.board), open_page(browser, table.url) as page:
        expect(page.locator(".seat")).to_have_count(2)
        expect(page.locator("#words")).to_be_hidden()
        expect(page.locator("#undo")).to_be_hidden()
        page.click("#menu-button")
        page.click("#phones-button")
        expect(page.locator("#pairing")).to_be_visible()


def test_the_phone_speaks_french(browser: Browser) -> None:
    with closing(board_for("Le jeu", None, port=0, language="fr")) as board, ExitStack() as stack:
        phone = stack.enter_context(open_page(browser, f"{board.url}/phone", viewport=UPRIGHT))
        LiveGame(Table(Header("all-fives", ("Ann", "Bo"), 0)), None, [board])
        expect(phone.locator("#pairing > h1")).to_have_text("Ce téléphone comme place")
