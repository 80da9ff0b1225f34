"""The first start in a real browser: from the first page to the first card played, without a command."""

from __future__ import annotations

import io
import json
import signal
import tomllib
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from cardtable.config.load import read_config
from cardtable.languages import NAMES
from cardtable.open_table import OpenTable
from cardtable.setup import steps_camera
from cardtable.web.connections import own_addresses
from tests.cardtable.setup.programs import Programs
from tests.cardtable.stored import read_games
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.programs import Program
from tests.system.conftest import images as images
from tests.system.test_run import LOOKED, Camera, wait_for
from tests.system.test_run import camera as camera
from tests.waiting import lines_up_to, tries

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")]
FILE = '# ours\nfirst_start = true\nmarks = ["aruco"]\nsource = "{}"\n\n[board]\nport = 0  # any\n'
FAULTS = """() => [...document.querySelectorAll("header *, main, main > *, footer *, #asked > *")].filter((element) => {
    const box = element.getBoundingClientRect();
    const inside = element.closest("#asked > *") ? [box.left, innerHeight - 1] : [box.top, box.bottom];
    const cut = element.scrollWidth > element.clientWidth + 1 && element.matches("#asked, #asked > *, h1, p, button");
    const outside = box.left < 0 || box.right > innerWidth + 1 || Math.min(...inside) < 0;
    return box.width && (cut || outside || Math.max(...inside) > innerHeight + 1);
}).map((element) => `${element.tagName} ${element.id} ${element.className}`)"""
"""What is outside the window, or cut at the side; only the answers may scroll."""
ACTIONS = ["turn", "say", "play"]


@contextmanager
def running(folder: Path, source: str) -> Iterator[str]:
    """`cardtable run` as it starts for the first time; the address of its board."""
    (folder / "table.toml").write_text(FILE.format(source), "utf-8")
    with Program("run", "-c", str(folder / "table.toml")) as process:
        yield lines_up_to(process, "the first start: ")[-1].split()[-1].removesuffix("/start")
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130


KEYS_BELOW = """() => document.querySelector("#entry").getBoundingClientRect().bottom
    - document.querySelector("#asked").getBoundingClientRect().bottom"""
"""Pixels of the keyboard that are out of view."""


TAP_S = 1.3
THINK_S = 1.35
"""To move a finger to a button and press it, and to decide what to do on a page (the keystroke-level model of Card,
Moran and Newell, 1980)."""
WORDS_PER_MINUTE = 200
"""A slow reader."""


class Person:
    """Taps what the page shows, and counts taps, pages, and words on them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps = self.pages = self.words = 0

    @property
    def seconds(self) -> float:
        """What the pages cost a person who reads every word of them; walking about and laying marks is not in it."""
        return self.taps * TAP_S + self.pages * THINK_S + self.words * 60 / WORDS_PER_MINUTE

    def at(self, title: str) -> None:
        expect(self.page.locator("#title")).to_have_text(title)
        self.pages += 1
        shown, keys = (self.page.locator(each).all_inner_texts() for each in ("body", ".keys"))
        self.words += len(" ".join(shown).split()) - len(" ".join(keys).split())
        assert self.page.evaluate(FAULTS) == []
        assert self.page.evaluate(KEYS_BELOW) <= 1, f"{title}: the last keys are seen after scrolling only"

    def tap(self, *names: str) -> None:
        for name in names:
            self.page.get_by_role("button", name=name, exact=True).or_(
                self.page.locator("#choices button", has_text=name)
            ).first.click()
            self.taps += 1

    def type(self, letters: str) -> None:
        for letter in letters:
            key = self.page.locator(".key", has_text=letter).or_(
                self.page.get_by_role("button", name=letter, exact=True)
            )
            key.first.click()
            self.taps += 1
        self.tap("Terminé")


def test_from_the_first_page_to_the_first_card_played(
    browser: Browser, camera: Camera, tmp_path: Path, programs: Programs
) -> None:
    with running(tmp_path, camera.address) as url, open_page(browser, url) as page:
        expect(page).to_have_url(f"{url}/start")
        person = Person(page)
        person.at(" · ".join(NAMES.values()))
        person.tap("Français")
        person.at("Fuseau horaire")
        person.tap("Europe", "Paris")
        person.at("Wi-Fi")
        person.tap("Home")
        person.at("Home")
        person.type("correct-horse")
        if next(own_addresses(), None):
            person.at("Un téléphone")
            person.tap("Sans téléphone")
        person.at("La caméra")
        person.tap("Continuer")
        person.at("Les quatre coins.")
        expect(page.locator("#picture")).to_have_js_property("complete", True)
        person.tap("Continuer")
        person.at("La première carte")
        camera.done = 1
        expect(page.locator("#findings")).to_contain_text("c’est 4♥")
        person.tap("C’est juste")
        camera.done = 0
        expect(page.locator("#lobby")).to_be_visible()
        assert person.taps <= 22  # 15 of them on the keys of a password
        assert person.seconds < 3 * 60, (person.pages, person.words)  # the rest of ten minutes is for the mat
        page.get_by_role("radio", name="All Fives").click()
        page.get_by_role("button", name="2 joueurs, avec des invités").click()
        page.locator("#around button", has_text="Invité 1").click()
        page.locator("#ask").get_by_role("button", name="Invité 1 donne").click()  # nobody cuts in the film
        page.get_by_role("button", name="Commencer").click()
        expect(page.locator("#table")).to_be_visible()
        wait_for(url, lambda camera: camera.get("frames_total", 0) >= LOOKED and camera.get("cards") == 0)
        for n in range(1, len(ACTIONS) + 1):
            camera.done = n
            for _ in tries(f"action {n} of the film", pause_s=0.05):
                state = httpx.get(f"{url}/state.json", timeout=60).json()
                if state["n"] >= n:
                    break
        assert [seat["name"] for seat in state["seats"]] == ["Invité 1", "Invité 2"]
        assert httpx.get(f"{url}/start/backup.zip").status_code == 409  # hands are hidden
    written = (tmp_path / "table.toml").read_text("utf-8")
    assert written.startswith("# ours\n") and "port = 0  # any" in written
    assert not tomllib.loads(written)["first_start"]
    assert json.loads((tmp_path / "camera.calibration.json").read_text())["image_size"]
    assert [action.do for action in read_games(tmp_path / "journal.sqlite")[-1].actions] == ACTIONS


def test_only_who_stands_at_the_table_or_directs_it_may_answer(tmp_path: Path, programs: Programs) -> None:
    with running(tmp_path, "none.avi") as url, httpx.Client(base_url=url, timeout=60) as here:
        assert here.get("/").headers["location"] == "start"
        with httpx.Client(base_url=url, timeout=60, headers={"X-Forwarded-For": "192.168.1.7"}) as phone:
            go_on = {"do": "next", "step": "language"}
            assert phone.get("/").headers["location"] == "start"
            asked = phone.get("/start/state.json")
            assert asked.status_code == 403 and asked.json()["code"]
            assert phone.post("/director", json={"pin": "x"}).status_code == 403
            assert phone.post("/start/do", json=go_on).status_code == 403
            assert phone.get("/start/mat.jpg").status_code == 404
            assert phone.get("/start/backup.zip").status_code == 403
            here.post("/director/pin", json={"pin": "2468"})
            assert phone.post("/director", json={"pin": "2468"}).json()["role"] == "director"
            assert phone.get("/start/state.json").json()["step"] == "language"
            assert phone.post("/start/do", json=go_on).json()["step"] == "time-zone"
            here.post("/start/do", json={"do": "go", "step": "time-zone", "value": "phone"})
            pin = {"do": "answer", "step": "phone", "value": "pin:1357"}
            assert phone.post("/start/do", json=pin).status_code == 403
        assert here.post("/start/do", json=go_on).json()["refused"].startswith("Another question is asked now")
        assert here.post("/start/do", content=b"do=next").status_code == 415
        assert here.post("/start/do", json={"do": "jump", "step": "phone"}).status_code == 400
        assert here.post("/start/do", json=go_on | {"value": "x" * 2000}).status_code == 413
        with zipfile.ZipFile(io.BytesIO(here.get("/start/backup.zip").content)) as packed:
            assert {"backup.json", "table.toml", "journal.sqlite"} <= set(packed.namelist())
        assert here.get("/start/corners.pdf").content.startswith(b"%PDF")
        assert here.get("/start/mat-cribbage-3.pdf").headers["content-type"] == "application/pdf"
        assert here.get("/start/mat-cribbage-9.pdf").status_code == 404


def test_sheets_that_take_long_hold_up_no_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any device may download a sheet, which takes seconds on a Raspberry Pi."""
    made = Event()

    def slow(name: str, translate: object) -> bytes:
        assert made.wait(60)
        return b"%PDF"

    monkeypatch.setattr(steps_camera, "sheet_pdf", slow)
    (tmp_path / "table.toml").write_text(FILE.format("none.avi"), "utf-8")
    config = read_config(tmp_path / "table.toml")
    with ExitStack() as stack:
        table = OpenTable(config, tmp_path / "table.toml", stack)
        stack.callback(made.set)
        table.begin(False, None)
        pool = stack.enter_context(ThreadPoolExecutor())
        with httpx.Client(base_url=table.page.url, timeout=60) as here:
            sheets = [pool.submit(here.get, "/start/corners.pdf") for _ in range(4)]
            assert here.get("/start/state.json").json()["step"] == "language"
            made.set()
            assert {sheet.result().content for sheet in sheets} == {b"%PDF"}
