"""The table as an app: a phone is guided through trusting its authority, and then has what browsers keep for HTTPS.

The browser knows the table as cardtable.local, because it takes the loopback address for safe over HTTP, too.
"""

from __future__ import annotations

import base64
import hashlib
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playwright.sync_api import Browser, BrowserContext, Page, expect

from cardtable.web.https import Https
from cardtable.web.server import Board
from tests.cardtable.boards import board_for
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.states import LOBBY
from tests.cardtable.web.test_https import certificate_for

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")

IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Safari/604.1"
ANDROID = "Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36"
UPRIGHT, LYING, DISPLAY = (390, 844), (844, 390), (800, 480)
CUT = """() => [...document.querySelectorAll("body *")].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width && (box.right > innerWidth + 1 || box.left < -1);
}).map((element) => element.outerHTML.slice(0, 80))"""
SECURE = """async () => ({
    secure: isSecureContext, awake: Boolean(navigator.wakeLock),
    kept: Boolean((await import("./connection.js").then((app) => app.keep())) && await navigator.serviceWorker.ready),
})"""


@pytest.fixture
def https(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Https:
    monkeypatch.setattr(socket, "gethostname", lambda: "cardtable")
    return Https(tmp_path / "journal-https.key")


@pytest.fixture
def board(https: Https) -> Iterator[Board]:
    with closing(board_for("Euchre", None, host="0.0.0.0", port=0, https=https)) as board:
        board.show_screen(LOBBY)
        yield board


def address(board: Board, page: str, scheme: str = "http") -> str:
    return f"{scheme}://cardtable.local:{board.port}/{page}"


@contextmanager
def phone(browser: Browser, https: Https | None, agent: str = IPHONE) -> Iterator[BrowserContext]:
    """Another browser, which trusts the certificate of `https`, or no such certificate."""
    options = ["--no-sandbox", "--host-resolver-rules=MAP cardtable.local 127.0.0.1"]
    if https:
        found: x509.Certificate = certificate_for(https, "127.0.0.1")
        key = found.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        hashed = base64.b64encode(hashlib.sha256(key).digest()).decode()
        options.append(f"--ignore-certificate-errors-spki-list={hashed}")
    with closing(browser.browser_type.launch(executable_path=CHROMIUM, args=options)) as other:
        yield other.new_context(user_agent=agent, viewport={"width": 390, "height": 844})


def faultless(page: Page) -> None:
    for width, height in (UPRIGHT, LYING, DISPLAY):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(CUT) == []


@pytest.mark.slow
def test_a_phone_that_trusts_the_table_has_it_as_an_app(browser: Browser, board: Board, https: Https) -> None:
    with phone(browser, https) as context:
        page = context.new_page()
        code = httpx.post(f"http://127.0.0.1:{board.port}/phone/code", json={"seat": 1}).json()["code"]
        page.goto(address(board, f"phone#{code}"))
        expect(page.locator("#turn")).to_contain_text("next game")
        plain = {cookie["name"]: cookie for cookie in context.cookies()}
        assert [*plain] == [f"cardtable-{board.port}"] and not page.evaluate("isSecureContext")
        page.get_by_role("button", name="Settings").click()
        page.get_by_role("link", name="The table as an app").click()
        expect(page.locator("#text")).to_have_text("This phone trusts the table.")
        faultless(page)
        page.get_by_role("link", name="Go on").click()
        expect(page.locator("#install .ios")).to_be_visible()
        assert not page.locator("#install .android").is_visible() and page.url.startswith("https:")
        faultless(page)
        [kept] = context.cookies()
        assert kept["name"] == f"__Host-cardtable-{board.port}" and kept["secure"] and kept["httpOnly"]
        assert kept["value"] != plain[f"cardtable-{board.port}"]["value"]
        page.get_by_role("link", name="To the table").click()
        expect(page.locator("#turn")).to_contain_text("next game")  # over wss, and still paired
        assert page.evaluate(SECURE) == {"secure": True, "awake": True, "kept": True}
        session = context.new_cdp_session(page)
        assert session.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
        assert session.send("Page.getAppManifest")["manifest"]["startUrl"] == address(board, "phone", "https")
        board.close()
        page.reload()  # the app opens without the table
        expect(page.locator("#offline")).to_be_visible()


@pytest.mark.slow
def test_a_phone_that_does_not_trust_the_table_is_guided(browser: Browser, board: Board, https: Https) -> None:
    with phone(browser, None) as context:
        assert context.browser is not None
        for agent, there, other in ((IPHONE, "ios", "android"), (ANDROID, "android", "ios")):
            page = context.browser.new_page(user_agent=agent)
            page.goto(address(board, "app"))
            expect(page.locator("#text")).to_contain_text("must trust the table once")
            expect(page.locator(f"#{there} li").first).to_be_visible()
            assert not page.locator(f"#{other} li").first.is_visible()
            page.locator(f"#{other} summary").click()
            expect(page.locator(f"#{other} li").first).to_be_visible()
            faultless(page)
            with page.expect_download() as download:
                page.get_by_role("link", name="Get the certificate").click()
            assert Path(download.value.path()).read_bytes() == https.certificate
            assert page.locator("#go").get_attribute("href") == "phone"  # over HTTP, as before


def test_the_guide_says_what_is_in_the_way(browser: Browser, board: Board) -> None:
    with ExitStack() as stack:
        plain = stack.enter_context(closing(board_for("Euchre", None, port=0)))
        page = stack.enter_context(open_page(browser, f"{plain.url}/app"))
        expect(page.locator("#text")).to_contain_text("no certificate")
        page.clock.install(time="2099-01-01T00:00:00Z")
        page.goto(f"http://127.0.0.1:{board.port}/app")
        expect(page.locator("#clock")).to_contain_text("clock is wrong")


def test_the_board_shows_the_address_of_the_guide(browser: Browser, board: Board) -> None:
    with open_page(browser, f"http://127.0.0.1:{board.port}/") as page:
        page.locator("#around button").first.click()
        page.locator("#ask").get_by_role("button", name="phone").click()
        page.get_by_role("button", name="The table as an app…").click()
        expect(page.locator("#phones .url")).to_contain_text("/app")
        expect(page.locator("#phones .qr")).to_be_visible()
        page.get_by_role("button", name="Back").click()
        expect(page.get_by_role("button", name="The table as an app…")).to_be_visible()
