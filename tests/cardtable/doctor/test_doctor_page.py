"""The doctor as a page of the board, with faults of the machine injected."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from cardtable.doctor import Machine
from cardtable.doctor.pages import doctor_routes
from cardtable.languages import translator
from cardtable.table.messages import Role
from tests.cardtable.boards import board_for
from tests.cardtable.doctor.tables import config
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.states import LOBBY

SAID = {
    "vcgencmd get_throttled": "throttled=0x50000",
    "journalctl --dmesg --boot --no-pager --output=cat": "mmc0: card 0001\nI/O error, dev mmcblk0, sector 12 op 0x1",
}


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")
@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(800, 480), (390, 844)])
def test_the_page_names_each_fault_and_what_to_do(browser: Browser, tmp_path: Path, size: tuple[int, int]) -> None:
    role: list[Role] = ["board"]
    broken = dict(SAID)

    def run(command: Sequence[str]) -> str | None:
        return broken.get(" ".join(command))

    machine = Machine(dev=tmp_path, run=run, free=lambda path: 1000)
    table = config(tmp_path, 'language = "fr"\n' + 'source = "usb:7"\n')
    routes = doctor_routes(table, translator("fr"), lambda request: role[0], machine)
    width, height = size
    with (
        closing(board_for("", None, port=0, language="fr", more=routes)) as board,
        open_page(browser, "about:blank", viewport={"width": width, "height": height}) as page,
    ):
        board.show_screen(LOBBY)
        page.goto(f"{board.url}/doctor")
        first = page.locator("#findings li").first
        expect(first).to_have_class("trouble")
        for fault in ("carte mémoire", "trop basse depuis", "0,0 Go libres", "video7"):
            expect(page.locator("#findings")).to_contain_text(fault)
        expect(page.locator("#findings")).to_contain_text("un écran sur la même alimentation")
        assert page.evaluate(
            "document.documentElement.scrollWidth <= innerWidth && innerHeight >= document.body.scrollHeight"
        )
        broken.clear()
        page.get_by_role("button", name="Regarder de nouveau").click()
        expect(page.locator("#findings")).not_to_contain_text("carte mémoire")
        role[0] = "spectator"
        assert httpx.get(f"{board.url}/doctor/findings.json").status_code == 403
