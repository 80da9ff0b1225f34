"""`cardtable run --safe-mode`: a table that cannot start says why on its board, and gets going again from there."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from cardtable.maintenance.backup import write_backup
from cardtable.plugins import IGNORED, VARIABLE
from cardtable.starts import last_good, note_start
from tests.cardtable.history.past_games import some_games, store
from tests.cardtable.journal.test_salvage import blank, log_of
from tests.cardtable.setup.test_first_start_page import FAULTS
from tests.cardtable.stored import read_games
from tests.cardtable.web.chromium import CHROMIUM, open_page
from tests.programs import ROOT, Program
from tests.waiting import lines_up_to, tries

pytestmark = pytest.mark.slow
in_chromium = pytest.mark.skipif(not CHROMIUM, reason="needs chromium: make setup-dev installs it")
GOOD = 'language = "{}"\nsource = "none.avi"\n[board]\nport = 0\n'
BOARD, SAFE = "(Ctrl-C", "mode"
"""Words in the lines with the address of the board, and of the page of safe mode, in English and French."""
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
DISPLAY: dict[str, Any] = {"viewport": {"width": 800, "height": 480}, "has_touch": True}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "table.toml").write_text(GOOD.format("fr"), "utf-8")
    return tmp_path / "table.toml"


@pytest.fixture
def port() -> str:
    """A port at which both the page of safe mode and the board are found, as by the table's display."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


@contextmanager
def running(config: Path, port: str, words: str = SAFE) -> Iterator[tuple[Program, str]]:
    """`cardtable run --safe-mode`, as the unit runs it: the program, and the URL in the first line with these words."""
    with Program("run", "--safe-mode", "-c", str(config), "--port", port) as process:
        yield process, url_in(process, words)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 143


def url_in(process: Program | subprocess.Popen[str], words: str = BOARD) -> str:
    return "http://" + lines_up_to(process, words)[-1].partition("http://")[2].split()[0]


def state_of(url: str) -> dict[str, Any]:
    state: dict[str, Any] = httpx.get(f"{url}/safe/state.json", timeout=60).json()
    return state


def choose(url: str, do: str) -> None:
    answer = httpx.post(f"{url}/safe/do", json={"do": do}, timeout=60)
    assert answer.json().get("opening"), answer.text


def tap(page: Page, name: str) -> None:
    assert page.evaluate(FAULTS) == []
    page.get_by_role("button", name=name, exact=True).tap()
    page.locator("#ask").get_by_role("button", name=name, exact=True).tap()


@in_chromium
@pytest.mark.sampled(1)
@pytest.mark.parametrize("device", [DISPLAY, PHONE], ids=["display", "phone"])
def test_the_last_settings_that_worked(browser: Browser, config: Path, port: str, device: dict[str, Any]) -> None:
    """As on the table's display: the page of the board is open before, while and after the table cannot start."""
    with ExitStack() as stack:
        with running(config, port, BOARD) as (_, url):
            page = stack.enter_context(open_page(browser, url, **device))
            expect(page.locator("#lobby")).to_be_visible()
            for _ in tries("the copy of the configuration", pause_s=0.02):
                if last_good(config).exists():
                    break
        config.write_text(broken := config.read_text("utf-8") + "hosst = [\n", "utf-8")
        with running(config, port):
            expect(page).to_have_url(f"{url}/safe")
            expect(page.locator("#title")).to_have_text("La table ne peut pas démarrer")
            expect(page.locator("#text")).to_contain_text("table.toml, ligne 5")
            tap(page, "Les derniers réglages qui marchaient")
            expect(page.locator("#lobby")).to_be_visible()
            expect(page.locator("#notice")).to_contain_text("table.toml.aside-1")
    assert config.read_text("utf-8") == GOOD.format("fr")
    assert config.with_name("table.toml.aside-1").read_text("utf-8") == broken


@in_chromium
def test_a_damaged_journal_is_kept_and_its_games_saved(browser: Browser, config: Path, port: str) -> None:
    journal = config.with_name("journal.sqlite")
    store(journal, some_games(1)[:3])
    games = [game.actions for game in read_games(journal)]
    journal.write_bytes(damaged := blank(4)(journal.read_bytes()))
    config.write_text(GOOD.format("en"), "utf-8")
    with running(config, port) as (_, url), open_page(browser, f"{url}/phone", **PHONE) as page:
        expect(page.locator("#title")).to_have_text("The table cannot start")
        expect(page.locator("#text")).to_contain_text("the file is damaged")
        tap(page, "Save the games")
        expect(page).to_have_url(f"{url}/")
        expect(page.locator("#lobby")).to_be_visible()
        expect(page.locator("#notice")).to_contain_text("3 games and")
    assert [game.actions for game in read_games(journal)] == games
    assert journal.with_name("journal.sqlite.aside-1").read_bytes() == damaged


@in_chromium
def test_a_backup_in_place_of_a_damaged_journal(browser: Browser, config: Path, port: str) -> None:
    """A damaged journal makes room for that of the backup."""
    journal = config.with_name("journal.sqlite")
    store(journal, some_games(1)[:2])
    write_backup(config, config.with_name("backup.zip"))
    journal.write_bytes(damaged := blank(2)(journal.read_bytes()))
    with running(config, port) as (_, url), open_page(browser, f"{url}/care") as page:
        page.locator("body[data-version]").wait_for()  # the page's program has begun
        page.locator("#file").set_input_files(config.with_name("backup.zip"))
        page.locator("#ask").get_by_role("button", name="Remettre").click()
        expect(page.locator("#text")).to_contain_text("la sauvegarde a été restaurée")
        page.goto(url)
        expect(page.locator("#lobby")).to_be_visible()
    assert len(read_games(journal)) == 2
    assert journal.with_name("journal.sqlite.aside-1").read_bytes() == damaged


def test_default_settings_if_none_ever_worked(config: Path) -> None:
    """Of settings that are no TOML, the language and the journal are kept."""
    store(config.with_name("games.sqlite"), some_games(1)[:2])
    broken = 'language = "fr"\nsource = [\njournal = "games.sqlite"\n[board]\nport = 0\n'
    config.write_text(broken, "utf-8")
    with running(config, "0") as (process, url):
        assert [choice["do"] for choice in state_of(url)["choices"]] == ["again", "defaults"]
        choose(url, "defaults")
        board = url_in(process)
        assert httpx.get(f"{board}/start/state.json", timeout=60).json()["question"]["title"]
    assert config.with_name("table.toml.aside-1").read_text("utf-8") == broken
    kept = tomllib.loads(config.read_text("utf-8"))
    assert (kept["language"], kept["journal"], kept["first_start"]) == ("fr", "games.sqlite", True)
    assert len(read_games(config.with_name("games.sqlite"))) == 2


def test_the_address_of_another_machine(config: Path) -> None:
    config.write_text('[board]\nnetwork = true\nhost = "192.0.2.7"\nport = 0\n', "utf-8")
    with running(config, "0") as (process, url):
        assert "192.0.2.7" in (state := state_of(url))["text"]
        assert [choice["do"] for choice in state["choices"]] == ["again", "defaults"]
        stranger = httpx.Client(base_url=url, timeout=60, headers={"X-Forwarded-For": "192.168.1.7"})
        with stranger:
            refused = stranger.get("/safe/state.json")
            assert refused.status_code == 403 and "192.0.2.7" not in refused.text
            assert stranger.post("/safe/do", json={"do": "defaults"}).status_code == 403
            assert stranger.post("/care/do", json={"do": "check"}).status_code == 403
            assert stranger.get("/doctor/findings.json").status_code == 403
        assert httpx.get(f"{url}/healthz").status_code == 404  # so an update that cannot start is undone
        assert httpx.post(f"{url}/safe/do", json={"do": "format"}).status_code == 400
        trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        trusting.load_verify_locations(cadata=httpx.get(f"{url}/card-table.crt").content)
        here = f"https://127.0.0.1:{httpx.URL(url).port}"  # the certificate names no public address
        assert httpx.get(f"{here}/safe", verify=trusting).status_code == 200
        config.write_text(GOOD.format("en"), "utf-8")
        choose(url, "again")
        url_in(process)


def test_a_new_journal_beside_a_log_without_its_journal(config: Path) -> None:
    journal, log = config.with_name("journal.sqlite"), config.with_name("journal.sqlite-wal")
    log.write_bytes(content := log_of(config.with_name("other.sqlite")))
    with running(config, "0") as (process, url):
        assert [choice["do"] for choice in state_of(url)["choices"]] == ["again", "salvage", "begin"]
        choose(url, "begin")
        url_in(process)
    assert read_games(journal) == []
    assert config.with_name("journal.sqlite.aside-1-wal").read_bytes() == content


def test_starts_that_are_killed(config: Path) -> None:
    for _ in range(3):
        note_start(config)
    with running(config, "0") as (process, url):
        assert "il s’est terminé 3 fois" in state_of(url)["text"]
        choose(url, "again")
        url_in(process)
    files = {path.name for path in config.parent.glob("table.toml*")}
    assert files == {"table.toml", "table.toml-lock", "table.toml.last-good"}


MOUNT = ("unshare", "--user", "--map-root-user", "--mount")


@pytest.mark.skipif(
    subprocess.run([*MOUNT, "true"], capture_output=True, check=False).returncode != 0,
    reason="needs mount namespaces for users",
)
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("cat /dev/zero >fill; true", "est plein. Faites de la place"),
        ("mount -o remount,ro .", "est en lecture seule"),
    ],
    ids=["full", "read-only"],
)
@pytest.mark.parametrize("broken", ["", "hosst = ["], ids=["journal", "settings"])
def test_a_disk_that_cannot_be_written(fault: str, why: str, broken: str, config: Path, tmp_path: Path) -> None:
    """It says what is wrong with the disk, and offers nothing that would have to write."""
    config.write_text(config.read_text("utf-8") + broken, "utf-8")
    store(config.with_name("journal.sqlite"), some_games(1)[:1])
    disk = (tmp_path / "disk").as_posix()
    ready = f"mkdir {disk} && mount -t tmpfs -o size=1m none {disk} && cp table.toml journal.sqlite {disk} && cd {disk}"
    run = f'cd "{ROOT}" && exec "{sys.executable}" -m cardtable run --safe-mode -c {disk}/table.toml'
    command = [*MOUNT, "sh", "-c", f"{ready} && {{ {fault}; }} 2>/dev/null; {run}"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        state = state_of(url_in(process, SAFE))
        process.terminate()
        process.communicate()
    assert why in state["text"] and state["care"] is False
    assert [choice["do"] for choice in state["choices"]] == ["again"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("vision/faces/integers/glyphs.onnx", lambda content: content[:3000]),
        ("vision/faces/integers/glyphs.onnx", None),
        ("cardtable/web/server.py", None),
        ("cardtable/cli/run.py", None),
        ("engine/texts.py", lambda content: bytes(len(content))),
        ("cardtable/config/model.py", lambda content: content[: len(content) // 2]),
    ],
)
def test_a_file_of_the_program(
    file: str, damage: Callable[[bytes], bytes] | None, config: Path, tmp_path: Path
) -> None:
    """It says that the program must be installed again."""
    program = tmp_path / "program"
    for room in ("cardtable", "engine", "vision", "firmware_bridge", "hardware"):
        shutil.copytree(ROOT / room, program / room, ignore=shutil.ignore_patterns("__pycache__"))
    for form in ("integers", "floats"):
        part = program / file.replace("integers", form)
        if part.exists():
            content = part.read_bytes()
            part.unlink()
            if damage is not None:
                part.write_bytes(damage(content))
    config.write_text('language = "fr"\n[board]\nport = 0\n', "utf-8")
    environment = {**os.environ, VARIABLE: IGNORED, "PYTHONPATH": str(program)}
    command = [sys.executable, "-m", "cardtable", "run", "--safe-mode", "-c", str(config)]
    with subprocess.Popen(command, env=environment, cwd=program, stderr=subprocess.PIPE, text=True) as process:
        url = url_in(process, "http://")
        answer = httpx.get(f"{url}/safe/state.json" if file.startswith("vision") else url, timeout=60)
        process.terminate()
        process.communicate()
    assert "un fichier du programme" in answer.text.replace("\n", " ")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("import nothing_of_this_name", "le module 'ladder' a échoué (No module named 'nothing_of_this_name')"),
        ("class Ladder:\n    def __init__(self): raise SystemExit(3)", "le module 'ladder' a échoué (3)"),
    ],
)
def test_a_plugin_that_fails(fault: str, why: str, config: Path, tmp_path: Path) -> None:
    info = tmp_path / "packages" / "ladder-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ladder\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[cardtable.plugins]\nladder = ladder_plugin:Ladder\n", "utf-8")
    (info.parent / "ladder_plugin.py").write_text(f"{fault}\n", "utf-8")
    config.write_text(config.read_text("utf-8") + "[ladder]\nrungs = 9\n", "utf-8")
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    environment["PYTHONPATH"] = os.pathsep.join([str(info.parent), str(ROOT)])
    command = [sys.executable, "-m", "cardtable", "run", "--safe-mode", "-c", str(config)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        url = url_in(process, SAFE)
        assert why in state_of(url)["text"]
        choose(url, "plain")
        url_in(process)
        process.terminate()
        process.communicate()
        assert process.returncode == 143


def test_without_the_option_the_error_ends_the_program(config: Path) -> None:
    config.write_text("hosst = 1\n", "utf-8")
    with Program("run", "-c", str(config)) as process:
        errors = process.communicate(60)[1]
    assert process.returncode == 2 and errors.startswith("cardtable: ") and "'hosst'" in errors
