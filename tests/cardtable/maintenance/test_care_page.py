"""The page of the care of a table: in Chromium, and on a running table."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from cardtable.languages import translator
from cardtable.maintenance.backup import Stick, write_backup
from cardtable.maintenance.pages import CarePages
from cardtable.maintenance.updates import Updates
from cardtable.table.messages import Role
from tests.cardtable.boards import board_for
from tests.cardtable.history.past_games import GAMES, some_games, store, whole_game
from tests.cardtable.setup.programs import Programs
from tests.cardtable.setup.programs import install as install_programs
from tests.cardtable.setup.test_first_start_page import FAULTS, running
from tests.cardtable.stored import seen_games
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.cardtable.web.states import LOBBY
from tests.waiting import tries

SIZES: Final = [(800, 480), (1024, 600), (1920, 1080), (390, 844)]
in_chromium = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")


class Table:
    """A board with the page, whose updater and USB stick the test decides."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "table" / "table.toml"
        self.config.parent.mkdir()
        self.config.write_text('language = "fr"\n', "utf-8")
        store(self.config.parent / "journal.sqlite", some_games(1), since=1_763_800_000.0)
        self.role: Role = "board"
        self.screen = "lobby"
        self.opened_again = 0
        self.sticks: list[Stick] = []
        (folder / "updater").touch()

    def status(self, **status: object) -> None:
        written = json.dumps({"installed": "0.2.0+deb13"} | status)
        (self.folder / "status.json").write_text(written, "utf-8")

    def plug_in(self) -> Path:
        place = self.folder / "stick"
        place.mkdir()
        self.sticks.append(Stick(place, "KODAK", 7_400_000_000, writable=True))
        return place

    @contextmanager
    def board(self) -> Iterator[str]:
        services = SimpleNamespace(translate=translator("fr"))
        host: Any = SimpleNamespace(evening=SimpleNamespace(screen="lobby"), services=services)

        def now() -> Any:
            host.evening.screen = self.screen
            return host

        def reopen() -> None:
            self.opened_again += 1

        updates = Updates(self.folder / "updater", self.folder / "status.json", self.folder)
        pages = CarePages(self.config, now, lambda request: self.role, reopen, updates, lambda: self.sticks)
        with (
            closing(pages),
            closing(board_for("", None, port=0, language="fr", more=pages.routes())) as board,
        ):
            board.show_screen(LOBBY)
            yield board.url


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def tap(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).first.click()


def test_who_saves_a_backup_is_told_which_game_is_left_out(table: Table) -> None:
    journal = table.config.with_name("journal.sqlite")
    journal.unlink()
    store(journal, [(GAMES[0], whole_game(0, 1)[:5])])
    with closing(sqlite3.connect(journal)) as database, database:
        database.execute("UPDATE action SET action = '{' WHERE n = 0")
    before, stick = journal.read_bytes(), table.plug_in()
    why = (
        f"N’est pas dans la sauvegarde\N{NO-BREAK SPACE}: {journal}\N{NO-BREAK SPACE}: la partie 1 ne peut pas être lue"
    )
    with table.board() as url:
        said = httpx.post(f"{url}/care/do", json={"do": "save", "value": str(stick)}, timeout=60).json()["said"]
        assert why in said
        assert httpx.get(f"{url}/care/state.json").json()["left_out"] == []
        assert httpx.get(f"{url}/start/backup.zip", timeout=60).status_code == 200
        assert httpx.get(f"{url}/care/state.json").json()["left_out"][0].startswith(why)
    assert journal.read_bytes() == before


@pytest.mark.slow
@in_chromium
@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", SIZES)
def test_an_update_and_a_backup_on_a_stick(browser: Browser, table: Table, size: tuple[int, int]) -> None:
    table.status(state="available", available="0.3.0+deb13")
    stick = table.plug_in()
    for month in range(1, 6):
        (stick / f"cardtable-backup-2026{month:02}01-120000.zip").touch()
    width, height = size
    with table.board() as url, open_page(browser, f"{url}/care", viewport={"width": width, "height": height}) as page:
        expect(page.locator("#findings")).to_contain_text("La version 0.3.0 est disponible. Cette table a la 0.2.0.")
        assert page.evaluate(FAULTS) == []
        tap(page, "Enregistrer sur KODAK (7,4 Go libres)")
        expect(page.locator("#text")).to_contain_text("Vous pouvez maintenant retirer la clé")
        assert len(list(stick.glob("*.zip"))) == 6
        listed = page.locator("#backups button", has_text="Remettre\u00a0:")
        expect(listed).to_have_count(6)
        expect(listed.last).to_have_text("Remettre\u00a0: 1\u00a0janv.\u00a02026,\u00a012:00")
        listed.first.click()
        expect(page.locator("#ask")).to_contain_text("Remettre la sauvegarde du ")
        page.locator("#ask").get_by_role("button", name="Remettre").click()
        expect(page.locator("#text")).to_contain_text("la table s’ouvre de nouveau")
        assert table.opened_again == 1
        page.reload()
        tap(page, "Installer la version 0.3.0")
        expect(page.locator("#findings")).to_contain_text("commence dans un instant")
        assert (table.folder / "update-install").exists()


@pytest.mark.slow
@in_chromium
def test_the_lobby_offers_the_update_to_who_may_install_it(browser: Browser, table: Table) -> None:
    table.status(state="available", available="0.3.0+deb13")
    with table.board() as url:
        with open_page(browser, url, viewport={"width": 800, "height": 480}) as page:
            page.get_by_role("button", name="Mettre à jour vers la version 0.3.0").click()
            expect(page).to_have_url(f"{url}/care")
        table.role = "spectator"
        with open_page(browser, url, viewport={"width": 800, "height": 480}) as page:
            expect(page.get_by_role("button", name="Historique")).to_be_visible()
            expect(page.get_by_role("button", name="Mettre à jour")).to_have_count(0)


def test_who_may_do_it_and_when(table: Table) -> None:
    zipped = {"Content-Type": "application/zip"}
    with table.board() as url, httpx.Client(base_url=url, timeout=60) as page:
        assert page.post("/care/do", content=b'{"do": "check"}').status_code == 415
        assert page.post("/care/do", json={"do": "jump"}).status_code == 400
        assert page.post("/care/do", json={"do": "save", "value": "x" * 2000}).status_code == 413
        assert "rebranchez-la" in page.post("/care/do", json={"do": "save", "value": "/"}).json()["refused"]
        refused = page.post("/care/do", json={"do": "restore", "value": str(table.config)})
        assert "rebranchez la clé" in refused.json()["refused"]
        assert page.post("/care/restore", content=b"no zip", headers=zipped).status_code == 409
        assert page.post("/care/do", json={"do": "check"}).json()["said"].startswith("La mise à jour est demandée")
        table.screen = "game"
        for path, headers in (("do", {"Content-Type": "application/json"}), ("restore", zipped)):
            answer = page.post(f"/care/{path}", content=b"{}", headers=headers)
            assert answer.status_code == 409 and "partie" in answer.json()["refused"]
        table.role = "seat"
        assert page.get("/care/state.json").status_code == 403
        assert page.get("/care/offer.json").json() == {"offer": None}
        assert page.post("/care/do", json={"do": "install"}).status_code == 403
        assert page.post("/care/restore", content=b"", headers=zipped).status_code == 403
    assert table.opened_again == 0 and not (table.folder / "update-install").exists()


def test_a_game_begun_while_a_backup_is_sent_goes_on(table: Table) -> None:
    backup = table.folder / "backup.zip"
    write_backup(table.config, backup)

    def sending() -> Iterator[bytes]:
        packed = backup.read_bytes()
        yield packed[:100]
        for _ in tries("the table to receive the backup"):
            if any(table.config.parent.glob(".received-*/*")):
                break
        table.screen = "game"
        yield packed[100:]

    with table.board() as url:
        answer = httpx.post(f"{url}/care/restore", content=sending(), headers={"Content-Type": "application/zip"})
    assert answer.status_code == 409 and "partie" in answer.json()["refused"]
    assert table.opened_again == 0 and not list(table.config.parent.glob("*.zip"))


@pytest.mark.slow
def test_a_running_table_puts_a_backup_back(table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file comes from a page; the table is opened again with the games of the backup."""
    programs: Programs = install_programs(tmp_path / "bin", monkeypatch)
    assert programs
    backup = tmp_path / "backup.zip"
    table.config.write_text('language = "fr"\n[board]\nport = 0\n', "utf-8")
    write_backup(table.config, backup)
    folder = tmp_path / "running"
    folder.mkdir()
    with running(folder, "none.avi") as url, httpx.Client(base_url=url, timeout=60) as page:
        session = page.get("/care/state.json").json()["session"]
        sent = page.post("/care/restore", content=backup.read_bytes(), headers={"Content-Type": "application/zip"})
        assert sent.json() == {"opening": True, "session": session}
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                answer, shown = page.get("/care/state.json"), page.get("/state.json").json()
            except httpx.TransportError:
                continue
            assert answer.status_code in (200, 503)  # 503: it is being opened
            if answer.status_code == 200 and answer.json()["session"] != session and shown.get("notice"):
                break
        else:
            pytest.fail("the table was not opened again")
        assert "restaurée" in shown["notice"] and answer.json()["restored"] == shown["notice"]
    assert seen_games(folder / "journal.sqlite") == seen_games(table.config.parent / "journal.sqlite")
    assert (folder / "table.toml.aside-1").exists()
