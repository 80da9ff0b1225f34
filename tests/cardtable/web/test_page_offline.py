"""The page as an app: it can be installed, opens without the table, asks no other host, and stays small."""

from __future__ import annotations

import gzip
import re
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from cardtable.web.server import PAGE
from tests.cardtable.at_the_table import AtTheTable
from tests.cardtable.boards import board_for
from tests.cardtable.web.chromium import CHROMIUM, open_page

MOST_BYTES = 250_000
KEPT = "import('./connection.js').then((app) => app.keep()).then(() => navigator.serviceWorker.ready).then(() => true)"
CONTROLLED = "() => navigator.serviceWorker.controller !== null"
"""A function: a page's CSP refuses other text from the second try on."""


def loaded_by(page: str) -> set[str]:
    """Return the files that a page loads: itself, its styles, scripts, icons, fonts and pictures, and imported modules.

    A module that is only imported when it is needed, such as the history, is not among them.
    """
    found: set[str] = set()
    waiting = [page]
    while waiting:
        name = waiting.pop()
        if name in found or not (PAGE / name).is_file():
            continue
        found.add(name)
        if name.endswith((".html", ".js", ".css")):
            content = (PAGE / name).read_text("utf-8")
            waiting += re.findall(r'(?:href|src)="([^"#:]+)"', content) if name.endswith(".html") else []
            waiting += re.findall(r'(?:(?:from |import )"\./|url\(|`(?=look/))([^"#)`]+)', content)
    return found


def test_what_a_page_loads_is_small() -> None:
    for page in PAGE.glob("*.html"):
        sizes = {name: len(gzip.compress((PAGE / name).read_bytes())) for name in loaded_by(page.name)}
        assert sum(sizes.values()) < MOST_BYTES, sorted(sizes.items(), key=lambda each: -each[1])[:10]
        assert len(sizes) >= 3


def test_the_files_of_a_page_are_compressed_but_pictures_are_not(table: AtTheTable) -> None:
    def bytes_of(name: str, encoding: str) -> int:
        with client.stream("GET", f"/{name}", headers={"accept-encoding": encoding}) as answer:
            assert answer.status_code == 200
            return sum(len(part) for part in answer.iter_raw())

    with httpx.Client(base_url=table.board.url) as client:
        names = [*sorted(loaded_by("index.html") - {"index.html"}), "", "texts.json"]
        plain, small = (sum(bytes_of(name, encoding) for name in names) for encoding in ("identity", "gzip"))
        assert 0 < small < 0.5 * plain
        assert client.get("/icon-192.png").headers.get("content-encoding") is None
        assert client.get("/main.js").headers["vary"] == "Accept-Encoding"
        again = client.get("/main.js", headers={"if-none-match": client.get("/main.js").headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_no_file_of_the_page_names_another_host() -> None:
    for path in PAGE.rglob("*"):
        if path.suffix in (".js", ".css", ".html", ".svg", ".webmanifest"):
            found = set(re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]+[^\"'` )]*", path.read_text("utf-8")))
            assert found <= {"http://www.w3.org/2000/svg"}, path.name


def test_the_manifest_and_its_icons_are_served(table: AtTheTable) -> None:
    with httpx.Client(base_url=table.board.url) as client:
        manifest = client.get("/manifest.webmanifest")
        assert manifest.headers["content-type"].startswith("application/manifest+json")
        assert "manifest-src 'self'" in manifest.headers["content-security-policy"]
        for icon in manifest.json()["icons"]:
            answer = client.get(f"/{icon['src']}")
            assert (answer.status_code, answer.headers["content-type"]) == (200, icon["type"])
        for file in client.get("/files.json").json()["files"]:
            assert client.head(f"/{file}").status_code == 200


@pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")
def test_the_page_opens_without_the_table_and_comes_back_by_itself(browser: Browser) -> None:
    table = AtTheTable()
    port, hosts = table.board.port, set()
    with open_page(browser, table.board.url) as page:
        page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname))
        expect(page.locator(".seat")).to_have_count(2)
        assert page.evaluate(KEPT)
        page.wait_for_function(CONTROLLED)
        table.board.close()
        expect(page.locator("#offline")).to_be_visible()
        page.reload()
        expect(page.locator("#offline")).to_be_visible()
        expect(page.locator("#offline")).to_have_text("No connection to the table. Trying again…")
        box = page.locator("#offline").bounding_box()
        assert box and box["height"] == 480, "nothing else can be shown, so it has the whole screen"
        again = board_for("All Fives", lambda message, sender: None, port=port)
        try:
            again.show(table.game.snapshot)
            expect(page.locator("#offline")).to_be_hidden(timeout=15000)
            expect(page.locator(".seat")).to_have_count(2)
        finally:
            again.close()
        assert hosts == {"127.0.0.1"}


LOCKS = """() => { window.locks = []; navigator.wakeLock.request = async () => {
    const lock = { released: false, release() { this.released = true; } };
    window.locks.push(lock);
    return lock;
}; }"""


@pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")
def test_the_display_stays_on_as_soon_as_the_settings_say_so(page: Page) -> None:
    expect(page.locator(".seat")).to_have_count(2)
    page.evaluate(LOCKS)
    page.click("#menu-button")
    page.click("#settings-button")
    screen = page.locator("#settings fieldset", has_text="The screen")
    held = "[window.locks.length, window.locks.filter((lock) => !lock.released).length]"
    for choice, expected in (("may go off", [0, 0]), ("stays on", [1, 1]), ("may go off", [1, 0])):
        screen.get_by_text(choice).click()
        page.wait_for_function(f"wanted => String({held}) === String(wanted)", arg=expected)
