"""A table that is set up already joins a club: its lobby takes the address of the hub and the code."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Route, expect

from cardtable.config.load import read_config
from cardtable_club.config import ClubConfig
from club.tests.hub.test_enrolment import Enrolling
from club.tests.hub.test_enrolment import address as address
from club.tests.hub.test_enrolment import hub as hub
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.programs import Program
from tests.waiting import lines_up_to

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")]


def test_the_lobby_takes_the_code(browser: Browser, tmp_path: Path, hub: Enrolling, address: str) -> None:
    folder = tmp_path / "table"
    folder.mkdir()
    config = folder / "table.toml"
    config.write_text('# ours\nsource = "none.avi"\n[board]\nport = 0\n', "utf-8")
    code = str(hub.enrolment.invite("table-1"))
    with Program("run", "-c", str(config)) as process:
        url = next(word for word in lines_up_to(process, "the board: ")[-1].split() if word.startswith("http"))
        with open_page(browser, url) as page:
            page.locator("#checks .light").click()
            page.get_by_role("link", name="Club…").click()
            expect(page.locator("#title")).to_have_text("Club")
            done, line = (
                page.get_by_role("button", name="Done"),
                page.get_by_label("Address of the hub", exact=True),
            )
            held: list[Route] = []
            page.route("**/start/do*", lambda route: held.append(route))
            line.fill(address)
            done.click()
            expect(line).to_have_value("")
            line.fill("typed too early")
            done.click()
            expect(line).to_have_value("typed too early")  # kept while the first answer is on its way
            (answer,) = held
            answer.continue_()
            page.unroute("**/start/do*")
            page.get_by_label("Code", exact=True).fill(code)
            expect(page.locator("#polite")).to_contain_text("The code from")
            done.click()
            expect(page.locator("#findings")).to_contain_text("this is table table-1 of north", timeout=60_000)
            page.get_by_role("button", name="Continue", exact=True).click()
            expect(page.locator("#lobby")).to_be_visible()
        assert httpx.get(f"{url}/start/state.json?only=paint").status_code == 409
        assert httpx.get(f"{url}/start/state.json").json()["step"] == "language"  # nothing else was begun
    club = read_config(config).section(ClubConfig)
    assert club is not None and (club.name, club.table) == ("north", "table-1")
    assert config.read_text("utf-8").startswith("# ours\n")
    assert (folder / "club-table.key").read_bytes().startswith(b"-----BEGIN PRIVATE KEY")
