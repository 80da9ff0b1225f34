"""The page that guides people through the set-up, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing

import cv2
import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect
from websockets.sync.client import connect

from cardtable.config.model import BoardConfig
from cardtable.doctor.finding import good
from cardtable.web.access import Access
from cardtable.web.guide import Guidance, Guide
from engine.texts import text
from tests.cardtable.web.access.devices import AWAY
from tests.cardtable.web.chromium import open_page
from tests.waiting import tries


@pytest.fixture
def guide() -> Iterator[Guide]:
    guide = Guide(BoardConfig(port=0))
    yield guide
    guide.close()


def test_the_picture_is_the_newest(guide: Guide) -> None:
    assert httpx.get(f"{guide.url}/camera.jpg").status_code == 404
    for level in (20, 220):
        guide.show(Guidance("Learning", "Show it."), np.full((90, 160, 3), level, np.uint8))
        answer = httpx.get(f"{guide.url}/camera.jpg")
        assert answer.headers["content-type"] == "image/jpeg" and "no-store" in answer.headers["cache-control"]
        picture = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
        assert picture.shape == (90, 160, 3) and abs(float(picture.mean()) - level) < 2
    state = httpx.get(f"{guide.url}/state.json").json()
    assert (state["title"], state["text"], state["picture"]) == ("Learning", "Show it.", 2)


def test_foreign_host_names_are_refused(guide: Guide) -> None:
    assert httpx.get(f"{guide.url}/state.json", headers={"host": "evil.example"}).status_code == 403


SEND = """text => {
    const socket = new WebSocket(`ws://${location.host}/live`);
    window.answer = new Promise((done) => {
        socket.onopen = () => socket.send(text);
        socket.onmessage = (event) => { if (event.data.includes("refused")) done(event.data); };
    });
}"""


@pytest.fixture
def page(browser: Browser, guide: Guide) -> Iterator[Page]:
    with open_page(browser, guide.url) as page:
        yield page


def test_the_next_step_is_shown_and_pressed_buttons_are_returned(guide: Guide, page: Page) -> None:
    finding = {"state": "trouble", "text": "it is <b>dark</b>", "advice": "light it"}
    picture = np.full((90, 160, 3), 90, np.uint8)
    guide.show(Guidance("Learning", "Show the Q♠.", True, [finding], (3, 52), [("skip", "Skip it")]), picture)
    expect(page.locator("#text")).to_have_text("Show the Q♠.")
    expect(page.locator("#text")).to_have_class("alert")
    expect(page.locator("#place")).to_have_text("3 / 52")
    expect(page.locator("#findings li.trouble")).to_contain_text("it is <b>dark</b>")
    expect(page.locator("#picture")).to_have_js_property("naturalWidth", 160)
    assert list(guide.pressed()) == []
    page.get_by_role("button", name="Skip it").click()
    page.evaluate("document.querySelector('#buttons button').click()")
    heard: list[str] = []
    for _ in tries("two presses", pause_s=0.01):
        heard += guide.pressed()
        if len(heard) >= 2:
            break
    assert heard == ["skip", "skip"]
    for sent in ('{"do": "format"}', "[]", "no json", '{"do": 7}'):
        page.evaluate(SEND, sent)
        assert "cannot be chosen now" in page.evaluate("window.answer")
    assert list(guide.pressed()) == []
    guide.show(Guidance("Learning", "Done."))
    expect(page.locator("#text")).to_have_text("Done.")
    expect(page.locator("#buttons button")).to_have_count(0)
    expect(page.locator("#place")).to_be_hidden()


def test_only_the_board_and_directors_press(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    access = Access()
    with closing(Guide(BoardConfig(port=0), access=access)) as guide:
        guide.show(Guidance("Learning", "Show it.", buttons=[("stop", "Stop")]))
        elsewhere = {"x-forwarded-for": "192.0.2.7"}  # what a proxy adds to the request of another device
        address = guide.url.replace("http", "ws") + "/live"
        for role, answer in (("spectator", "director’s devices"), ("seat", "director’s devices"), ("director", "")):
            headers = dict(elsewhere)
            if role != "spectator":
                token = access.pair(access.make_code("Ann", 0).code, AWAY, None, "").token
                if role == "director":
                    access.set_pin("1234")
                    token = access.enter_pin("1234", access.identify(False, token), None, "").token
                headers["cookie"] = f"cardtable-{guide.url.rpartition(':')[2]}={token}"
            state = httpx.get(f"{guide.url}/state.json", headers=headers).json()
            assert (len(state["buttons"]), answer in state.get("who", "")) == (0 if answer else 1, True), role
            with connect(address, additional_headers=headers, proxy=None) as sender:
                sender.send('{"do": "stop", "press": 1}')
                while "pressed" not in (heard := json.loads(sender.recv(timeout=10))):
                    pass
                assert answer in heard.get("refused", ""), role
        assert list(guide.pressed()) == ["stop"]
        monkeypatch.setattr("cardtable.web.connections.device_at", lambda client, server: "192.0.2.7")
        with open_page(browser, guide.url) as page:
            expect(page.locator("#who")).to_contain_text("on the director’s devices")
            expect(page.locator("#buttons button")).to_have_count(0)


def test_the_page_speaks_the_language_of_the_table(browser: Browser) -> None:
    with closing(Guide(BoardConfig(port=0), "fr")) as guide:
        page = browser.new_page()
        page.goto(guide.url)
        finding = good("camera", text("it reads {cards}", cards="K♦"))
        buttons = [("skip", text("Leave {card} out", card="Q♠"))]
        guide.show(
            Guidance(
                text("Learning the deck {name}", name="tarot"),
                text("Show {card}.", card="Q♠"),
                findings=[{"state": finding.state, "text": finding.text, "advice": finding.advice}],
                buttons=buttons,
            )
        )
        expect(page.locator("#text")).to_have_text("Montrez Q♠.")
        expect(page.locator("#title")).to_have_text("Apprentissage du jeu tarot")
        expect(page.locator("#findings li")).to_contain_text("elle lit K♦")
        expect(page.get_by_role("button")).to_have_text("Passer Q♠")
        expect(page.locator("#picture")).to_have_attribute("alt", "Ce que la caméra voit maintenant")
        expect(page.locator("html")).to_have_attribute("lang", "fr")
        offline = page.locator("#offline")
        expect(offline).to_have_text("Pas de connexion au programme. Nouvel essai…")
        expect(offline).to_be_hidden()
    expect(offline).to_be_visible()
    page.close()
