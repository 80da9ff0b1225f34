"""HTTPS on the port of the board: what the table's certificates vouch for, and who may do what over it."""

from __future__ import annotations

import select
import socket
import ssl
import stat
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from cardtable.certificates import alternative, issued, key_pem, new_key, pem
from cardtable.errors import CardtableError
from cardtable.web import connections
from cardtable.web.connections import Connections
from cardtable.web.https import PROGRAM_DATE, Https
from cardtable.web.server import Board
from cardtable.web.serving import Pages
from tests.cardtable.boards import board_for
from tests.cardtable.web.access.phones import PHONE, make_network
from tests.cardtable.web.states import LOBBY
from tests.waiting import tries

SOON = 30.0
NOW = datetime(2027, 3, 1, tzinfo=UTC)


def trusting(https: Https) -> ssl.SSLContext:
    """What a phone that trusts the table's authority accepts, and nothing else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=https.certificate)
    return context


def talking(https: Https) -> ssl.SSLContext:
    """The same for a WebSocket: the client reads and writes in two threads, which Python's TLS 1.3 does not bear."""
    context = trusting(https)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    return context


def shaken(server: ssl.SSLContext, client: ssl.SSLContext, name: str | None) -> x509.Certificate:
    """Shake hands, and return the certificate of the server. Raises `ssl.SSLError`."""
    one, other = ssl.MemoryBIO(), ssl.MemoryBIO()
    here = client.wrap_bio(one, other, server_hostname=name)
    there = server.wrap_bio(other, one, server_side=True)
    for side in (here, there, here):
        with suppress(ssl.SSLWantReadError):
            side.do_handshake()
    found = here.getpeercert(binary_form=True)
    assert found is not None
    return x509.load_der_x509_certificate(found)


def certificate_for(https: Https, address: str) -> x509.Certificate:
    """Return the certificate that a client sees which connects to `address`; its dates are not checked."""
    careless = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    careless.check_hostname, careless.verify_mode = False, ssl.CERT_NONE
    return shaken(https.context(address), careless, None)


@pytest.fixture
def https(tmp_path: Path) -> Https:
    return Https(tmp_path / "journal-https.key")


@pytest.fixture
def board(https: Https) -> Iterator[Board]:
    with closing(board_for("Euchre", None, port=0, https=https)) as board:
        board.show_screen(LOBBY)
        yield board


# Certificates


@pytest.mark.parametrize("name", ["192.168.7.8", "10.0.0.9", "fd00::1", "fe80::1%wlan0", "::ffff:172.16.0.3"])
def test_a_phone_that_trusts_the_table_connects_to_each_of_its_addresses(https: Https, name: str) -> None:
    asked = name.partition("%")[0].removeprefix("::ffff:")
    found = shaken(https.context(name), trusting(https), asked)
    assert found.not_valid_after_utc - found.not_valid_before_utc <= timedelta(days=825)
    assert "serverAuth" in str(found.extensions.get_extension_for_class(x509.ExtendedKeyUsage))


def test_one_certificate_has_the_names_and_all_addresses(https: Https, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "Table2.example.org")
    context = https.context("192.168.7.8")
    assert https.context("10.1.2.3") is context  # which connections use that are open
    for name in ("table2.local", "table2.fritz.box", "localhost", "192.168.7.8", "10.1.2.3"):
        shaken(context, trusting(https), name)
    monkeypatch.setattr(socket, "gethostname", lambda: "renamed")
    shaken(https.context("10.1.2.3"), trusting(https), "renamed.local")


def test_an_address_in_the_internet_is_left_out(https: Https) -> None:
    shaken(https.context("203.0.113.5"), trusting(https), "localhost")
    with pytest.raises(ssl.SSLCertVerificationError):
        shaken(https.context("203.0.113.5"), trusting(https), "203.0.113.5")


@pytest.mark.parametrize("name", ["example.org", "local.example.org", "cardtable", "203.0.113.5", "2001:db8::1"])
def test_a_stolen_authority_vouches_for_no_website(https: Https, tmp_path: Path, name: str) -> None:
    key = new_key()
    dates = datetime.now(UTC) - timedelta(1), datetime.now(UTC) + timedelta(1)
    forged = pem(issued("x", key.public_key(), dates, https._authority, [alternative(name)], server=True))
    (tmp_path / "forged.pem").write_bytes(key_pem(key) + forged)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(tmp_path / "forged.pem")
    with pytest.raises(ssl.SSLCertVerificationError, match="permitted subtree violation"):
        shaken(server, trusting(https), name)


def test_openssl_accepts_the_chain(https: Https, tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_bytes(ssl.DER_cert_to_PEM_cert(https.certificate).encode())
    (tmp_path / "leaf.pem").write_bytes(pem(certificate_for(https, "192.168.7.8")))
    strict = ["openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-verify_ip", "192.168.7.8"]
    done = subprocess.run(
        [*strict, "-CAfile", tmp_path / "ca.pem", tmp_path / "leaf.pem"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_certificate_is_renewed_long_before_it_ends(tmp_path: Path) -> None:
    now = NOW
    https = Https(tmp_path / "ca.key", lambda: now.timestamp())
    serials = set()
    for _ in range(80):  # eight years
        found = certificate_for(https, "192.168.7.8")
        assert found.not_valid_before_utc + timedelta(150) < now < found.not_valid_after_utc - timedelta(150)
        serials.add(found.serial_number)
        now += timedelta(37)
    assert 10 < len(serials) < 20


@pytest.mark.parametrize("days", [-390, 390])
def test_a_clock_that_is_a_year_off_does_no_harm(tmp_path: Path, days: int) -> None:
    https = Https(tmp_path / "ca.key", lambda: (NOW + timedelta(days)).timestamp())
    found = certificate_for(https, "192.168.7.8")
    assert found.not_valid_before_utc < NOW < found.not_valid_after_utc


@pytest.mark.parametrize("wrong", [0.0, -1e9, NOW.timestamp() + 10 * 365 * 86_400, 1e10, 1e12])
def test_a_clock_that_is_wrong_at_the_first_start_spoils_nothing(tmp_path: Path, wrong: float) -> None:
    seconds = wrong
    https = Https(tmp_path / "ca.key", lambda: seconds)
    early = certificate_for(https, "192.168.7.8")
    authority = x509.load_der_x509_certificate(https.certificate)
    assert authority.not_valid_before_utc <= early.not_valid_before_utc
    assert early.not_valid_after_utc <= authority.not_valid_after_utc
    if wrong <= 0:  # the program cannot be older
        assert early.not_valid_before_utc < PROGRAM_DATE < early.not_valid_after_utc
    seconds = NOW.timestamp()
    corrected = certificate_for(https, "192.168.7.8")
    assert corrected.not_valid_before_utc < NOW < corrected.not_valid_after_utc


def test_the_authority_is_the_same_after_a_restart_and_nobody_else_reads_its_key(tmp_path: Path) -> None:
    path = tmp_path / "journal-https.key"
    first = Https(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Https(path).certificate == first.certificate
    assert Https(tmp_path / "other.key").name != first.name


def test_a_damaged_authority_is_kept_and_named(https: Https, tmp_path: Path) -> None:
    path = tmp_path / "journal-https.key"
    whole = path.read_bytes()
    Https(tmp_path / "other.key")
    mixed = (tmp_path / "other.key").read_bytes().partition(b"-----BEGIN CERT")[0] + whole[
        whole.index(b"-----BEGIN CERT") :
    ]
    for damaged in (b"", b"x", whole[:100], whole[: len(whole) - 100], mixed):
        path.write_bytes(damaged)
        with pytest.raises(CardtableError, match=r"journal-https\.key is damaged: delete it"):
            Https(path)
        assert path.read_bytes() == damaged
    with pytest.raises(CardtableError):
        Https(tmp_path / "missing" / "x.key")


# The port


def test_one_port_answers_both(board: Board, https: Https) -> None:
    for scheme in ("http", "https"):
        with httpx.Client(base_url=f"{scheme}://127.0.0.1:{board.port}", verify=trusting(https)) as client:
            answer = client.get("/state.json")
            assert answer.json()["screen"] == "lobby"
            assert "strict-transport-security" not in answer.headers
            assert client.get("/card-table.crt").content == https.certificate
            assert client.get("/card-table.crt").headers["content-type"] == "application/x-x509-ca-cert"
            assert "Get the certificate" in client.get("/app").text
    with connect(f"wss://127.0.0.1:{board.port}/live?page=a", ssl=talking(https), proxy=None) as page:
        assert page.recv() == '{"pressed": null}'


def test_a_phone_that_does_not_trust_the_table_gets_nothing_over_https(board: Board) -> None:
    with pytest.raises(httpx.ConnectError, match="certificate verify failed"):
        httpx.get(f"https://127.0.0.1:{board.port}/state.json", verify=ssl.create_default_context())
    assert httpx.get(f"http://127.0.0.1:{board.port}/state.json").status_code == 200


def test_without_certificates_there_is_http_alone() -> None:
    with closing(board_for("Euchre", None, port=0)) as board:
        assert httpx.get(f"{board.url}/trusted").status_code == 404
        assert httpx.get(f"{board.url}/card-table.crt").status_code == 404
        with pytest.raises((httpx.ConnectError, httpx.RemoteProtocolError)):
            httpx.get(f"https://127.0.0.1:{board.port}/", verify=False)


def test_a_request_in_the_same_packet_as_the_end_of_the_handshake_is_answered(board: Board, https: Https) -> None:
    received, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting(https).wrap_bio(received, sent, server_hostname="localhost")
    with socket.create_connection(("127.0.0.1", board.port), SOON) as raw:
        with suppress(ssl.SSLWantReadError):
            client.do_handshake()
        hello = sent.read()
        raw.sendall(hello[:1])  # in two parts: one byte is enough to tell TLS from HTTP
        raw.sendall(hello[1:])
        for _ in tries("the server's part of the handshake"):
            received.write(raw.recv(65536))
            with suppress(ssl.SSLWantReadError):
                client.do_handshake()
                break
        client.write(b"GET /state.json HTTP/1.1\r\nhost: localhost\r\n\r\n")
        raw.sendall(sent.read())
        answer = b""
        while b'"lobby"' not in answer:
            received.write(raw.recv(65536))
            with suppress(ssl.SSLWantReadError):
                while True:
                    answer += client.read(65536)
        assert answer.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("sent", [b"\x16", b"\x16\x03\x01\x02\x00\x01", b"\x16" * 300, b"\x16\x03\x01GET / HTTP/1.1"])
def test_a_handshake_that_leads_nowhere_is_closed_and_delays_nobody(
    board: Board, https: Https, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(connections, "REQUEST_S", 0.5)
    with socket.create_connection(("127.0.0.1", board.port), SOON) as slow:
        slow.sendall(sent)
        assert httpx.get(f"https://127.0.0.1:{board.port}/trusted", verify=trusting(https)).status_code == 200
        waiting = select.poll()
        waiting.register(slow, select.POLLRDHUP)
        assert waiting.poll(SOON * 1000)


def test_handshakes_count_as_connections(board: Board, https: Https, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_LOCAL_CONNECTIONS", 4)
    begun = [socket.create_connection(("127.0.0.1", board.port), SOON) for _ in range(8)]
    for each in begun:
        with suppress(ConnectionError):  # those above the limit may be closed by now
            each.sendall(b"\x16\x03\x01")
    assert httpx.get(f"https://127.0.0.1:{board.port}/trusted", verify=trusting(https)).status_code == 200
    found: Connections = board.network()._connections
    assert len(found) <= 4
    for each in begun:
        each.close()


async def large(request: Request) -> Response:
    return Response(b"x" * (16 << 20))


def test_a_client_that_reads_nothing_is_closed_and_a_slow_one_gets_everything(
    https: Https, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(connections, "READING_S", 1.0)
    monkeypatch.setattr(connections, "CHECK_S", 0.01)
    ask = b"GET /large HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    routes, context = [Route("/large", large)], trusting(https)
    with ExitStack() as stack:
        served = Pages(tmp_path, lambda message, sender: None, lambda name: None, port=0, routes=routes, https=https)
        stack.enter_context(closing(served))
        raw = [socket.create_connection(("127.0.0.1", served.port), SOON) for _ in range(2)]
        deaf, slow = (stack.enter_context(context.wrap_socket(each, server_hostname="localhost")) for each in raw)
        deaf.sendall(ask)
        slow.sendall(ask)
        count = 0
        while data := slow.recv(16384):
            count += len(data)
        assert count > 16 << 20
        waiting = select.poll()
        waiting.register(deaf, select.POLLRDHUP)
        assert waiting.poll(SOON * 1000)


# Pages that came over HTTP


def test_a_page_that_came_over_http_can_only_try_https(board: Board, https: Https) -> None:
    host = f"127.0.0.1:{board.port}"
    with httpx.Client(base_url=f"https://{host}", verify=trusting(https)) as client:
        changed, own = {"origin": f"http://{host}"}, {"origin": f"https://{host}"}
        for path in ("/phone/secure", "/phone/leave"):
            assert client.post(path, json={}, headers=changed).status_code == 403
            assert client.post(path, json={}, headers=own).status_code == 200
        assert client.get("/state.json", headers=changed).status_code == 403
        tried = client.get("/trusted", headers=changed)
        assert tried.status_code == 200 and tried.headers["access-control-allow-origin"] == "*"
        assert client.get("/trusted", headers={"origin": "http://example.org"}).status_code == 403
    with (
        pytest.raises(InvalidStatus),
        connect(f"wss://{host}/live", ssl=talking(https), origin=Origin(f"http://{host}"), proxy=None),
    ):
        pass
    with connect(f"wss://{host}/live", ssl=talking(https), origin=Origin(f"https://{host}"), proxy=None) as page:
        assert page.recv()


def test_the_guide_is_shown_at_an_address_that_the_authority_covers(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = httpx.get(f"http://localhost:{board.port}/app", headers={"host": f"localhost:{board.port}"})
    assert answer.status_code == 200
    board.network()._guard._names |= {"table", "table.local"}
    moved = httpx.get(f"http://127.0.0.1:{board.port}/app", headers={"host": f"table:{board.port}"})
    assert moved.headers["location"] == f"http://127.0.0.1:{board.port}/app"
    monkeypatch.setattr("cardtable.web.phones.covers", lambda name: name.endswith(".local"))
    monkeypatch.setattr(socket, "gethostname", lambda: "table")
    moved = httpx.get(f"http://127.0.0.1:{board.port}/app")  # as at an address in the internet
    assert moved.headers["location"] == f"http://table.local:{board.port}/app"
    assert httpx.get(f"{board.url}/app", headers={"host": f"table.local:{board.port}"}).status_code == 200


# Cookies


def client_at(board: Board, https: Https, scheme: str) -> httpx.Client:
    transport = httpx.HTTPTransport(verify=trusting(https), local_address=PHONE)
    return httpx.Client(base_url=f"{scheme}://127.0.0.1:{board.port}", transport=transport, timeout=SOON)


def paired(board: Board, client: httpx.Client) -> httpx.Response:
    code = httpx.post(f"http://127.0.0.1:{board.port}/phone/code", json={"seat": 1}).json()["code"]
    return client.post("/phone/pair", json={"code": code})


def test_a_pairing_is_passed_over_to_https_once(board: Board, https: Https, monkeypatch: pytest.MonkeyPatch) -> None:
    make_network(monkeypatch)
    plain, secure = f"cardtable-{board.port}", f"__Host-cardtable-{board.port}"
    with client_at(board, https, "http") as before, client_at(board, https, "https") as after:
        paired(board, before)
        heard = before.cookies[plain]
        name = before.get("/state.json").json()["you"]["name"]
        assert name.startswith("seat")
        assert before.post("/phone/secure", json={}).json() == {}  # over HTTP nothing is passed over
        after.cookies.set(plain, heard, "127.0.0.1")  # a browser sends this cookie over HTTPS, too
        assert after.get("/state.json").json()["you"]["name"] == name
        answer = after.post("/phone/secure", json={})
        cookies = {each.partition("=")[0]: each for each in answer.headers.get_list("set-cookie")}
        assert cookies.keys() == {plain, secure}
        assert "Secure" in cookies[secure] and "HttpOnly" in cookies[secure] and "Path=/" in cookies[secure]
        assert "Domain" not in cookies[secure] and "Max-Age=0" in cookies[plain]
        assert answer.json()["name"] == name
        token = cookies[secure].partition("=")[2].partition(";")[0]
        with client_at(board, https, "https") as app:
            app.cookies.set(secure, token, "127.0.0.1")
            assert app.get("/state.json").json()["you"]["name"] == name
            assert app.post("/phone/secure", json={}).json() == {}  # only once
            here = httpx.get(f"http://127.0.0.1:{board.port}/state.json").json()
            assert len(here["phones"]) == 1
            before.cookies.set(plain, heard, "127.0.0.1")  # what others may have heard is of no use any more
            assert before.get("/state.json").json()["you"]["role"] == "spectator"
            app.post("/phone/leave", json={})
            assert app.get("/state.json").json()["you"]["role"] == "spectator"


def test_a_phone_paired_over_https_has_a_secure_cookie_only(
    board: Board, https: Https, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_network(monkeypatch)
    with client_at(board, https, "https") as client:
        answer = paired(board, client)
        kept = [each for each in answer.headers.get_list("set-cookie") if "Max-Age=0" not in each]
        assert [each.partition("=")[0] for each in kept] == [f"__Host-cardtable-{board.port}"]
        assert "Secure" in kept[0]
        token = kept[0].partition("=")[2].partition(";")[0]
    with client_at(board, https, "http") as client:
        client.cookies.set(f"__Host-cardtable-{board.port}", token, "127.0.0.1")
        assert client.get("/state.json").json()["you"]["role"] == "spectator"
