"""A table without a display begins its first start from a phone alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.testclient import TestClient

from cardtable.config.load import read_config
from cardtable.languages import NAMES, translator
from cardtable.setup.network import System
from cardtable.setup.pages import StartPages
from cardtable.setup.without_display import (
    PASSWORD,
    SPEAKING_PERIOD_S,
    WithoutDisplay,
    code_on_card,
    has_display,
)
from cardtable.table.messages import HERE, SPECTATOR, Identity, Role
from cardtable.web.access import SETUP_CODES, SETUP_CODES_OF_DEVICE, Access, Denied
from engine.texts import Text, text
from tests.cardtable.boards import board_for
from tests.cardtable.setup.programs import Programs
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.states import LOBBY

PHONE = {"X-Forwarded-For": "192.168.1.7"}
STRANGER = Identity(here=False)


def opened() -> tuple[Access, str]:
    """Access to a new table, and its code."""
    access = Access()
    access.open_setup()
    assert access.setup_code is not None
    return access, access.setup_code


def test_the_code_makes_one_device_the_directors() -> None:
    access, code = opened()
    assert len(code) == 6 and code.isdecimal()
    paired = access.enter_pin(code, STRANGER, None, "iPhone")
    assert access.sender(access.identify(False, paired.token), ()).role == "director"
    assert access.setup_code is None
    with pytest.raises(Denied, match="no PIN yet"):
        access.enter_pin(code, STRANGER, None, "another one")
    access.open_setup()  # the table is opened again
    assert access.setup_code is None


def test_guessing_takes_years_and_keeps_nobody_else_out() -> None:
    now = [0.0]
    access = Access(clock=lambda: now[0])
    access.open_setup()
    code = access.setup_code
    assert code is not None
    wrong = f"{(int(code) + 1) % 10**6:06}"
    for _ in range(SETUP_CODES_OF_DEVICE):
        with pytest.raises(Denied, match="wrong"):
            access.enter_pin(wrong, STRANGER, "192.168.1.66", "")
    with pytest.raises(Denied, match="wait 72 minutes"):
        access.enter_pin(code, STRANGER, "192.168.1.66", "")
    for guess in range(SETUP_CODES - SETUP_CODES_OF_DEVICE):
        with pytest.raises(Denied, match="wrong"):
            access.enter_pin(wrong, STRANGER, f"192.168.2.{guess}", "")
    with pytest.raises(Denied, match="wait 2 minutes"):
        access.enter_pin(code, STRANGER, "192.168.1.20", "")
    now[0] = 120.0
    assert access.enter_pin(code, STRANGER, "192.168.1.20", "").phone


def test_a_pin_closes_the_setup_and_keeps_who_sets_it() -> None:
    access, code = opened()
    phone = access.enter_pin(code, STRANGER, None, "")
    access.set_pin("2468", keep_directors=True)
    assert access.sender(access.identify(False, phone.token), ()).role == "director"
    access.set_pin("1357")
    assert access.sender(access.identify(False, phone.token), ()) == SPECTATOR
    access.open_setup()
    assert access.setup_code is None
    assert access.sender(HERE, ()).role == "board"


class Table:
    """A board whose address and network the test decides."""

    def __init__(self, folder: Path, screens: Path) -> None:
        (folder / "table.toml").write_text("first_start = true\n", "utf-8")
        self.access, self.code = opened()
        self.address = ("127.0.0.1", 8015)
        self.let_in = 0
        self.printed: list[Text] = []
        self.spoken: list[str] = []
        self.now = 0.0
        network = SimpleNamespace(address=self.address, let_network_in=self._let_in)
        board: Any = SimpleNamespace(access=self.access, network=lambda: network)
        self._network = network
        services: Any = SimpleNamespace(
            board=board, config=read_config(folder / "table.toml"), outputs=None, translate=str
        )
        voice: Any = SimpleNamespace(say=lambda sentences: self.spoken.extend(sentences), close=lambda: None)
        self.without = WithoutDisplay(services, self.printed.append, screens, lambda language: voice, lambda: self.now)

    def _let_in(self) -> None:
        self.let_in += 1
        self._network.address = ("10.42.0.1", 8015)


@pytest.fixture
def table(tmp_path: Path, programs: Programs) -> Iterator[Table]:
    made = Table(tmp_path, tmp_path / "drm")
    with closing(made.without):
        yield made


def test_a_network_is_made_and_address_and_code_are_said(table: Table, programs: Programs) -> None:
    table.without.step()
    calls = [call for call in programs.log("nmcli") if "hotspot" in call]
    assert calls == [f"device wifi hotspot con-name cardtable ssid cardtable password {PASSWORD}"]
    assert table.let_in == 1
    (message,) = table.printed
    assert "http://10.42.0.1:8015" in message and table.code in message and PASSWORD in message
    assert [" ".join(table.code) in sentence for sentence in table.spoken] == [True]
    table.without.step()
    assert len(table.printed) == len(table.spoken) == 1
    table.now = SPEAKING_PERIOD_S
    table.without.step()
    assert len(table.printed) == 1 and len(table.spoken) == 2
    table.access.enter_pin(table.code, STRANGER, None, "")
    table.now = 10 * SPEAKING_PERIOD_S
    table.without.step()
    assert len(table.spoken) == 2


def test_what_was_in_reach_before_is_still_offered(table: Table) -> None:
    table.without.step()
    assert [network.name for network in System.seen_before][:2] == ["Home", "Café"]
    assert not any(network.joined for network in System.seen_before)


def test_a_table_in_a_network_or_with_a_display_makes_none_and_is_silent(
    table: Table, programs: Programs, tmp_path: Path
) -> None:
    (programs.folder / "joined").write_text("Home", "utf-8")
    status = tmp_path / "drm" / "card1-HDMI-A-1" / "status"
    status.parent.mkdir(parents=True)
    status.write_text("connected\n", "ascii")
    table._network.address = ("192.168.1.23", 8015)
    table.without.step()
    assert not [call for call in programs.log("nmcli") if "hotspot" in call]
    assert table.printed == [f"Open http://192.168.1.23:8015 on a phone. The code is {table.code}."]
    assert table.spoken == [] and table.let_in == 0


def test_a_display_is_one_that_linux_calls_connected(tmp_path: Path) -> None:
    assert not has_display(tmp_path)
    for name, state in (("card0-HDMI-A-1", "disconnected"), ("card0-DSI-1", "connected")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "status").write_text(f"{state}\n", "ascii")
        assert has_display(tmp_path) is (state == "connected")


@pytest.mark.parametrize(
    ("written", "code"),
    [(b"13572468\r\n", "13572468"), (b"1234", None), (b"cardtable", None), (b"\xff\xfe1\x00", None)],
)
def test_the_code_may_be_written_on_the_memory_card(tmp_path: Path, written: bytes, code: str | None) -> None:
    path = tmp_path / "cardtable-code.txt"
    assert code_on_card(path) is None
    path.write_bytes(written)
    assert code_on_card(path) == code
    access = Access()
    access.open_setup(code_on_card(path))
    assert access.setup_code and (code is None or access.setup_code == code)


SAID = text("Open {address} on a phone. The code is {code}.", address="http://10.42.0.1:8015", code="123456")


@contextmanager
def board(folder: Path) -> Iterator[tuple[str, Access]]:
    """A real board with the pages of the first start."""
    config = folder / "table.toml"
    config.write_text('language = "fr"\nfirst_start = true\n', "utf-8")
    access, _ = opened()
    host: Any = SimpleNamespace(evening=SimpleNamespace(screen="lobby"), activity=None)
    pages = StartPages(config, lambda: host, lambda request: served.role_of(request), lambda: None, lambda: SAID)
    served = board_for("", None, port=0, language="fr", more=pages.routes(first=True), access=access)
    host.services = SimpleNamespace(board=served, translate=translator("fr"), config=read_config(config))
    with closing(pages), closing(served):
        served.show_screen(LOBBY)
        yield served.url, access


def test_no_phone_is_given_the_code_not_even_in_the_tables_own_network(tmp_path: Path, programs: Programs) -> None:
    (programs.folder / "joined").write_text("cardtable", "utf-8")
    config = tmp_path / "table.toml"
    config.write_text("first_start = true\n", "utf-8")
    access, code = opened()
    services = SimpleNamespace(board=SimpleNamespace(access=access), translate=str, config=read_config(config))
    host: Any = SimpleNamespace(evening=SimpleNamespace(screen="lobby"), activity=None, services=services)
    roles: dict[str, Role] = {"127.0.0.1": "board"}

    def role_of(request: Request) -> Role:
        assert request.client is not None
        return roles.get(request.client.host, "spectator")

    pages = StartPages(config, lambda: host, role_of, lambda: None, lambda: SAID)
    app = Starlette(routes=pages.routes(first=True))
    display = TestClient(app, client=("127.0.0.1", 50000))
    phone = TestClient(app, client=("10.42.0.17", 50000))
    with closing(pages):
        asked = phone.get("/start/state.json")
        assert asked.status_code == 403 and asked.json().keys() == {"code", "language"}
        assert code not in asked.text
        assert display.get("/start/state.json").json()["by_phone"] == SAID
        access.enter_pin(code, STRANGER, None, "")
        assert "by_phone" not in display.get("/start/state.json").json()


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")
def test_a_phone_types_the_code_and_goes_on(browser: Browser, tmp_path: Path, programs: Programs) -> None:
    size: Any = {"width": 390, "height": 844}
    with board(tmp_path) as (url, access), open_page(browser, "about:blank", viewport=size) as page:
        page.set_extra_http_headers(PHONE)
        page.goto(url)
        expect(page).to_have_url(f"{url}/start")
        expect(page.locator("#text")).to_contain_text("Le code que la table dit ou affiche")
        code = access.setup_code
        assert code is not None
        page.locator("#entry input").fill("000000" if code != "000000" else "111111")
        page.get_by_role("button", name="Terminé").click()
        expect(page.locator("#refused")).to_have_text("Ce code est faux.")
        page.locator("#entry input").fill(code)
        page.get_by_role("button", name="Terminé").click()
        expect(page.locator("#title")).to_have_text(" · ".join(NAMES.values()))
        page.get_by_role("button", name="Français").click()
        expect(page.locator("#title")).to_have_text("Fuseau horaire")
        other = httpx.get(f"{url}/start/state.json", headers=PHONE)
        assert other.status_code == 403 and "refused" in other.json()
