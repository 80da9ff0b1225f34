"""Certificates: enrolment with a code, and a real mosquitto that lets each table write its own topics only."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import paho.mqtt.client as mqtt
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from paho.mqtt.enums import CallbackAPIVersion

from cardtable.cli import main
from cardtable.config.load import read_config
from cardtable.errors import CardtableError, UsageError
from cardtable_club.broker import Broker
from cardtable_club.config import ClubConfig
from cardtable_club.hub.authority import HOME_ASSISTANT, RESERVED, Authority, Enrolment, access_rules
from cardtable_club.hub.broker import Mosquitto, mosquitto_program
from cardtable_club.hub.config import BrokerConfig, HubConfig
from cardtable_club.hub.games import Mirror
from cardtable_club.hub.pages import Hub, HubPages
from cardtable_club.hub.service import Hub as WholeHub
from cardtable_club.hub.store import ENROLMENT, Store
from cardtable_club.member.enrolment import enrol, read_code
from cardtable_club.member.step import ClubStep
from tests.cardtable.setup.conftest import Site


class Enrolling:
    """The part of a hub that enrols tables."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(f"sqlite:///{folder}/club.sqlite")
        self.mirror = Mirror()
        self.receiver = SimpleNamespace(states={})
        self.authority = Authority(folder / "certificates", "north", ["127.0.0.1"])
        self.enrolment = Enrolment(self.store, self.authority)

    def enrol(self, request: bytes, proof: str, at: str) -> dict[str, object] | None:
        accepted = self.enrolment.accept(request, proof)
        if accepted is None:
            return None
        about = {"club": "north", "host": "127.0.0.1", "port": 8883}
        return {**about, "table": accepted[0], "certificate": accepted[1].decode(), "ca": self.ca}

    @property
    def ca(self) -> str:
        return self.authority.certificate.decode()


@pytest.fixture
def hub(tmp_path: Path) -> Enrolling:
    return Enrolling(tmp_path)


@pytest.fixture
def address(hub: Enrolling, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr("cardtable_club.hub.pages._GUESS_S", 0.0)
    with closing(HubPages(HubConfig(port=0), cast(Hub, hub))) as pages:
        yield pages.url


def test_a_code_enrols_one_table_once(hub: Enrolling, address: str, tmp_path: Path) -> None:
    code = str(hub.enrolment.invite("table-1"))
    enrolled = enrol(code.lower().replace("-", " "), address, tmp_path / "table")
    assert enrolled == ("north", "table-1", "127.0.0.1", 8883)
    assert 'certificate = "club-table.crt"' in enrolled.lines()
    assert (tmp_path / "table" / "club-table.key").stat().st_mode & 0o777 == 0o600
    with pytest.raises(CardtableError, match="refuses"):
        enrol(code, address, tmp_path / "other")
    with pytest.raises(UsageError, match="six groups"):
        enrol("ABCD", address, tmp_path)
    assert not (tmp_path / "other").exists()


def test_a_code_is_not_valid_for_ever_nor_at_another_hub(
    hub: Enrolling, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = hub.enrolment.invite("table-1")
    with pytest.raises(CardtableError, match="not the hub of this code"):
        enrol(str(code._replace(fingerprint="A" * 12)), address, tmp_path)
    code = hub.enrolment.invite("table-1")
    later = time.time() + 3601
    monkeypatch.setattr("cardtable_club.hub.authority.time", SimpleNamespace(time=lambda: later))
    with pytest.raises(CardtableError, match="refuses"):
        enrol(str(code), address, tmp_path)


def test_codes_are_read_as_people_write_them() -> None:
    assert read_code("0bcd-1fgh-8jkl-mnop-qrst-uvwx") == ("OBCDIFGHBJKL", "MNOPQRSTUVWX")
    for wrong in ("", "ABCD", "A" * 23, "A" * 25, "Ä" * 24, "9" * 24):
        assert read_code(wrong) is None


def connected(port: int, folder: Path, name: str) -> tuple[mqtt.Client, list[tuple[str, bytes]], threading.Event]:
    """Return a client with the certificate `name`, what it receives, and whether it is connected."""
    there, received = threading.Event(), list[tuple[str, bytes]]()
    client = mqtt.Client(CallbackAPIVersion.VERSION2, reconnect_on_failure=False)
    client.tls_set(str(folder / "ca.crt"), str(folder / f"{name}.crt"), str(folder / f"{name}.key"))

    def arrived(client: Any, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if not reason.is_failure:
            client.subscribe("#", 1)

    client.on_connect = arrived
    client.on_subscribe = lambda *about: there.set()
    client.on_message = lambda client, data, message: received.append((message.topic, message.payload))
    client.connect_async("127.0.0.1", port)
    client.loop_start()
    return client, received, there


def test_the_first_start_asks_for_the_hub_and_its_code(hub: Enrolling, address: str, tmp_path: Path) -> None:
    folder = tmp_path / "table"
    folder.mkdir()
    site, step = Site(folder), ClubStep()
    step.begin(site)
    assert step.question(site).forward == "Continue without a club"
    assert not step.answer(site, f"hub:{address.removeprefix('http://')}")
    with pytest.raises(CardtableError, match="six groups"):
        step.answer(site, "code:ABCD")
    assert step.back() and not step.answer(site, f"hub:{address}")
    assert step.answer(site, f"code:{hub.enrolment.invite('table-1')}")
    assert site.config.section(ClubConfig) == read_config(site.path).section(ClubConfig)
    club = site.config.section(ClubConfig)
    assert club is not None and (club.name, club.table, club.port) == ("north", "table-1", 8883)
    assert club.key is not None and club.key.read_bytes().startswith(b"-----BEGIN PRIVATE KEY")
    assert [str(found.text) for found in ClubStep().question(site).findings] == ["this is table table-1 of north"]


@pytest.mark.skipif(mosquitto_program() is None, reason="needs mosquitto")
def test_no_table_writes_for_another_and_one_that_is_cut_off_stays_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    hub = Enrolling(tmp_path)
    folder = hub.authority.folder
    (folder / "access.txt").write_text(access_rules("north"))
    with ExitStack() as stack, closing(HubPages(HubConfig(port=0), cast(Hub, hub))) as pages:
        for name in ("t1", "t2"):
            enrol(str(hub.enrolment.invite(name)), pages.url, tmp_path / name)
            for kind in ("crt", "key"):
                (folder / f"{name}.{kind}").write_bytes((tmp_path / name / f"club-table.{kind}").read_bytes())
        mosquitto = Mosquitto(tmp_path / "mosquitto", "127.0.0.1", port, folder)
        stack.callback(lambda: mosquitto.close())
        clients = {name: connected(port, folder, name) for name in ("hub", "t1", "t2")}
        for client, _, there in clients.values():
            stack.callback(client.loop_stop)
            stack.callback(client.disconnect)
            assert there.wait(30.0)
        table = clients["t1"][0]
        table.publish("ct/v1/north/t2/journal", b"forged", 1)
        table.publish("ct/v1/north/t1/ack", b"forged", 1)
        table.publish("ct/v1/south/t1/journal", b"forged", 1)
        table.publish("ct/v1/north/t1/journal", b"own", 1)
        clients["hub"][0].publish("ct/v1/north/t2/cmd", b"for t2", 1)

        def at_the_hub() -> list[tuple[str, bytes]]:
            return [each for each in clients["hub"][1] if each[1] != b"for t2"]

        until = time.monotonic() + 30.0
        while (not at_the_hub() or not clients["t2"][1]) and time.monotonic() < until:
            time.sleep(0.01)
        assert at_the_hub() == [("ct/v1/north/t1/journal", b"own")]
        assert clients["t2"][1] == [("ct/v1/north/t2/cmd", b"for t2")] and clients["t1"][1] == []
        assert hub.authority.cut_off("t1") == 1 and hub.authority.cut_off("nobody") == 0
        mosquitto.close()
        mosquitto = Mosquitto(tmp_path / "mosquitto", "127.0.0.1", port, folder)
        again = {name: connected(port, folder, name) for name in ("t1", "t2")}
        for client, _, _ in again.values():
            stack.callback(client.loop_stop)
        assert again["t2"][2].wait(30.0) and not again["t1"][2].wait(0.3)
        assert Broker("127.0.0.1", port).listens()


def alternatives(authority: Authority) -> set[str]:
    certificate = x509.load_pem_x509_certificate((authority.folder / "broker.crt").read_bytes())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return {str(each.value) for each in names}


def test_the_certificate_of_the_broker_has_the_names_of_the_configuration(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "north", ["192.0.2.1", "localhost"])
    before = (tmp_path / "broker.crt").read_bytes()
    Authority(tmp_path, "north", ["localhost", "192.0.2.1"])
    assert (tmp_path / "broker.crt").read_bytes() == before, "nothing has changed"
    Authority(tmp_path, "north", ["club.example", "localhost"])
    assert alternatives(authority) == {"club.example", "localhost"}
    authority.name_broker(["192.0.2.7"], more=True)
    assert alternatives(authority) == {"club.example", "localhost", "192.0.2.7"}


@pytest.mark.skipif(mosquitto_program() is None, reason="needs mosquitto")
def test_a_table_gets_an_address_at_which_it_reaches_the_broker(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    broker = BrokerConfig(port=port, secure=True)
    config = HubConfig(port=0, database=f"sqlite:///{tmp_path}/club.sqlite", network=True, broker=broker)
    with closing(WholeHub(config, tmp_path / "mosquitto")) as hub:
        assert hub.authority is not None
        enrolment = Enrolment(hub.store, hub.authority)
        for address, host in (("192.0.2.7", "192.0.2.7"), ("127.0.0.1", "127.0.0.1")):
            key = ec.generate_private_key(ec.SECP256R1())
            name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "table")])
            request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
            written = request.public_bytes(serialization.Encoding.PEM)
            enrolled = hub.enrol(written, enrolment.invite("table-1").proof(written), address)
            assert enrolled is not None and enrolled["host"] == host
        assert {"192.0.2.7", "127.0.0.1", "localhost"} <= alternatives(hub.authority)


def test_the_commands_of_the_hub(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hub.toml").write_text("[broker]\nsecure = true\n")
    hub = ["hub", "-c", str(tmp_path / "hub.toml"), "--database", f"sqlite:///{tmp_path / 'club.sqlite'}"]
    assert main([*hub, "enroll", "table-1"]) == 0
    assert read_code(capsys.readouterr().out) is not None
    code = Store(f"sqlite:///{tmp_path / 'club.sqlite'}")
    with code.transaction() as database:
        assert [row.table for row in database.execute(ENROLMENT.select())] == ["table-1"]
    assert main([*hub, "cut-off", "table-1"]) == 0
    message = capsys.readouterr().err
    assert "certificates revoked: 0" in message and "the code for this table is no longer valid" in message
    with code.transaction() as database:
        assert not database.execute(ENROLMENT.select()).all()
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "table")])
    request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    authority = Authority(tmp_path / "mosquitto" / "certificates", "club")
    authority.sign(request.public_bytes(serialization.Encoding.PEM), "table-2")
    assert main([*hub, "cut-off", "tabel-2"]) == 2
    assert "table tabel-2 has no certificate and no code; known: table-2" in capsys.readouterr().err
    for reserved in RESERVED:
        for task in ("enroll",) if reserved == HOME_ASSISTANT else ("enroll", "cut-off"):
            assert main([*hub, task, reserved]) == 2
            assert f"'{reserved}' is not the name of a table" in capsys.readouterr().err
    assert not authority.revoked()
    assert main([*hub, "enroll"]) == 2
    assert "name the table: cardtable hub enroll table-1" in capsys.readouterr().err


def test_no_certificate_ends_before_the_clock_of_a_hub_that_is_wrong(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "north", ["192.0.2.1"])
    authority.issue_to("t1", tmp_path)
    for name in ("ca", "broker", "hub", "t1"):
        certificate = x509.load_pem_x509_certificate((tmp_path / f"{name}.crt").read_bytes())
        assert certificate.not_valid_after_utc.year == 9999
    assert x509.load_pem_x509_crl((tmp_path / "crl.pem").read_bytes()).next_update_utc.year == 9999
