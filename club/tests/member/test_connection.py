"""The connection of a table to its club when something is wrong with it: what the link does, and the board says."""

from __future__ import annotations

import datetime
import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from cardtable.journal.journal import Journal
from cardtable_club.broker import Broker
from cardtable_club.config import ClubConfig
from cardtable_club.hub.authority import Authority
from cardtable_club.hub.broker import Mosquitto, mosquitto_program
from cardtable_club.hub.config import BrokerConfig, HubConfig
from cardtable_club.hub.service import Hub
from cardtable_club.member import link as link_module
from cardtable_club.member.link import Link, check_broker
from club.tests.hub.test_service import hurry
from tests.waiting import tries

pytestmark = pytest.mark.skipif(mosquitto_program() is None, reason="needs mosquitto")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def linked(config: ClubConfig, folder: Path) -> tuple[Link, list[str]]:
    """Return the link of a table with an empty journal, and the messages on its board."""
    folder.mkdir(exist_ok=True)
    path, shown = folder / "journal.sqlite", list[str]()
    Journal(path).close()
    link = Link(config, path)
    link.show_message = shown.append
    return link.start(), shown


def test_without_a_broker_the_board_says_so_until_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)
    monkeypatch.setattr(link_module, "_PATIENCE_S", 0.0)
    port = free_port()
    config = ClubConfig(name="north", table="t1", port=port)
    link, shown = linked(config, tmp_path)
    with closing(link):
        found = check_broker(config)
        assert (found.state, found.text) == (
            "trouble",
            f"the club's broker at 127.0.0.1:{port} cannot be used: Connection refused",
        )
        for _ in tries("the message", pause_s=0.02):
            if shown:
                break
        assert shown == [
            f"No connection to the club (127.0.0.1:{port}): games are kept here and sent later. Is the hub on, and in "
            "the same network?"
        ]
        with closing(Mosquitto(tmp_path / "mosquitto", "127.0.0.1", port)):
            for _ in tries("the end of the message", pause_s=0.02):
                if shown[-1] == "":
                    break
            assert check_broker(config).state == "good"


def test_two_tables_of_one_name_say_so_and_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "cardtable_club.member.link")
    hurry(monkeypatch)
    port = free_port()
    config = ClubConfig(name="north", table="t1", port=port)
    with closing(Mosquitto(tmp_path / "mosquitto", "127.0.0.1", port)):
        tables = [linked(config, tmp_path / name) for name in ("first", "second")]
        for _ in tries("both tables to stop", pause_s=0.02):
            if caplog.messages.count("disconnected from the club: Normal disconnection") == 2:
                break
        for link, shown in tables:
            assert len(shown) == 1
            assert shown[0].startswith('Another table of the club is called "t1", too: give one of them another name')
            assert not link.connected
            link.close()


@pytest.mark.parametrize("year", [1990, 2090])
def test_a_table_connects_whatever_its_clock_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, year: int) -> None:
    """The broker's certificate is as far from the table's clock as if that clock was wrong."""
    hurry(monkeypatch)
    port = free_port()
    authority = Authority(tmp_path / "authority", "north", ["127.0.0.1"])
    authority.issue_to("t1", tmp_path)
    authority.write_access("north")
    _date(authority.folder, datetime.datetime(year, 1, 1))
    config = ClubConfig(
        name="north",
        table="t1",
        port=port,
        ca=tmp_path / "club-ca.crt",
        certificate=tmp_path / "t1.crt",
        key=tmp_path / "t1.key",
    )
    with closing(Mosquitto(tmp_path / "mosquitto", "127.0.0.1", port, authority.folder)):
        link, _ = linked(config, tmp_path)
        with closing(link):
            for _ in tries("the connection", pause_s=0.02):
                if link.connected:
                    break


FAKETIME: Final = shutil.which("faketime") or ""
TABLE: Final = """
import sys, threading, time
from pathlib import Path
from types import SimpleNamespace
from cardtable.journal.journal import Journal
from cardtable_club.config import ClubConfig
from cardtable_club.plugin import ClubPlugin
from engine.record import Header

folder, port = Path(sys.argv[1]), int(sys.argv[2])
files = {name: folder / file for name, file in (("ca", "club-ca.crt"), ("certificate", "t1.crt"), ("key", "t1.key"))}
config = ClubConfig(name="club", table="t1", port=port, **files)
journal = Journal(folder / "journal.sqlite")
known, all_known = [], threading.Event()


def note(time):
    known.append(time)
    if len(known) == 3:  # from its own certificate, the broker's, and the hub's answer
        all_known.set()


table = SimpleNamespace(
    config=SimpleNamespace(section=lambda kind: config),
    journal=journal.path,
    next_round=SimpleNamespace(offer=lambda *about: None),
    playing=lambda: journal.number,
    say=None,
    faults=list,
    show_message=print,
    not_before=note,
)
link = ClubPlugin().join(table)
journal.begin(Header("cribbage", ("Ann", "Bo"), 0))
all_known.wait(30.0)
link.close()
print(time.time(), *known[:3])
"""
"""A table that joins the club, begins a game, and says what its clock and the others say."""


@pytest.mark.skipif(not FAKETIME, reason="needs faketime")
@pytest.mark.parametrize(
    "years", [pytest.param(-56, id="no battery"), pytest.param(10, id="ahead", marks=pytest.mark.long)]
)
def test_a_table_with_a_wrong_clock_learns_the_time_in_the_club(tmp_path: Path, years: int) -> None:
    broker = BrokerConfig(port=free_port(), secure=True)
    config = HubConfig(port=0, database=f"sqlite:///{tmp_path}/club.sqlite", broker=broker)
    with closing(Hub(config, tmp_path / "mosquitto")) as hub:
        assert hub.authority is not None
        hub.authority.issue_to("t1", tmp_path)
        wrong = [FAKETIME, "--exclude-monotonic", "-f", f"{years:+}y"]
        table = [*wrong, sys.executable, "-c", TABLE, str(tmp_path), str(broker.port)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        shown = subprocess.run(table, capture_output=True, text=True, timeout=60, env=environment)
        assert not shown.stderr, shown.stderr
    clock, of_table, of_broker, of_hub = map(float, shown.stdout.split())
    now = time.time()
    assert clock == pytest.approx(now + years * 365 * 86_400, abs=86_400 * 20)
    assert (of_table, of_broker) == pytest.approx((now - 86_400, now - 86_400), abs=60)
    assert of_hub == pytest.approx(now, abs=60)


def test_a_table_of_a_club_knows_that_it_is_later_than_its_certificate(tmp_path: Path) -> None:
    authority = Authority(tmp_path / "authority", "north")
    authority.issue_to("t1", tmp_path)
    ca, certificate, key = tmp_path / "club-ca.crt", tmp_path / "t1.crt", tmp_path / "t1.key"
    assert Broker(ca=ca, certificate=certificate, key=key).since() == pytest.approx(time.time() - 86_400, abs=60)
    certificate.write_text("damaged")
    assert Broker(ca=ca, certificate=certificate, key=key).since() == 0.0


def _date(folder: Path, since: datetime.datetime) -> None:
    """Replace the broker's certificate by one that is valid for a year `since` then."""
    old = x509.load_pem_x509_certificate((folder / "broker.crt").read_bytes())
    key = serialization.load_pem_private_key((folder / "ca.key").read_bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    builder = x509.CertificateBuilder(
        old.issuer, old.subject, old.public_key(), old.serial_number, since, since + datetime.timedelta(365)
    )
    for extension in old.extensions:
        builder = builder.add_extension(extension.value, extension.critical)
    signed = builder.sign(key, hashes.SHA256())
    (folder / "broker.crt").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
