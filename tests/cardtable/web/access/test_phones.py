"""Phones over HTTP and WebSocket: pairing, roles, what each may do, what each is shown."""

from __future__ import annotations

from contextlib import ExitStack

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from cardtable.table.live_game import LiveGame
from cardtable.table.messages import Sender
from cardtable.web.server import STATE, Board
from engine.observations import Said, UndoAsked
from engine.record import Header
from engine.table import Table
from tests.cardtable.shown import Shown
from tests.cardtable.web.access.phones import HERE, Device, Heard, device, heard, refused
from tests.cardtable.web.states import ASLEEP

# Pairing


def test_a_phone_is_paired_by_the_code_and_shows_its_hand_only(board: Board, table: Table, phone: Device) -> None:
    assert phone.state()["you"] == {
        "role": "spectator",
        "seat": None,
        "name": "spectator",
        "player": None,
        "may": [],
        "hand": [],
    }
    assert phone.pair(1) == {"role": "seat", "seat": 1, "name": "seat 1: Bo"}
    state = phone.state()
    STATE.validate_python(state)
    assert state["you"]["hand"] == ["AD", "KD", "QD", "JD", "10D", "9D"]
    assert state["you"]["may"] == ["say", "accuse"] and state["phones"] == []
    here = httpx.get(f"{board.url}/state.json").json()
    assert here["you"]["hand"] == [] and here["you"]["may"] == ["say", "accuse", "undo", "correct", "host"]
    assert here["phones"] == [{"id": 1, "player": "Bo", "seat": 1, "director": False, "device": "", "connected": False}]


def test_the_cookie_belongs_to_this_host_and_no_script_can_read_it(board: Board, table: Table, phone: Device) -> None:
    code = httpx.post(f"{board.url}/phone/code", json={"seat": 0}).json()
    assert code["player"] == "Ann" and 170 <= code["seconds"] <= 180
    assert code["url"] is None and code["qr"] is None  # this board can be reached from this machine only
    answer = phone.post("/phone/pair", code=code["code"])
    name, *attributes = [part.strip() for part in answer.headers["set-cookie"].split(";")]
    assert name.startswith(f"cardtable-{board.port}=") and len(name.partition("=")[2]) == 43
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(attributes)
    assert not any(attribute.lower().startswith("domain") for attribute in attributes)


def test_a_wrong_code_and_a_used_one_are_refused_with_words(board: Board, table: Table, phone: Device) -> None:
    code = httpx.post(f"{board.url}/phone/code", json={"seat": 0}).json()["code"]
    assert phone.post("/phone/pair", code=code).status_code == 200
    with device(board, "127.0.0.21") as other:
        again = other.post("/phone/pair", code=code)
        assert again.status_code == 403 and "no longer valid" in again.json()["refused"]
        for _ in range(4):
            other.post("/phone/pair", code="AAAAAA")
        assert other.post("/phone/pair", code=code).status_code == 429


@pytest.mark.parametrize("path", ["/phone/code", "/phone/hide", "/phone/remove", "/director/pin"])
def test_only_the_board_makes_codes_removes_phones_and_sets_the_pin(
    board: Board, table: Table, phone: Device, path: str
) -> None:
    body = {"/phone/remove": {"id": 1}, "/director/pin": {"pin": "1234"}}.get(path, {"seat": 0})
    assert phone.http.post(path, json=body).status_code == 403
    phone.pair(0)
    assert phone.http.post(path, json=body).status_code == 403
    assert httpx.post(f"{board.url}{path}", json=body).status_code == 200


def test_the_board_lets_the_network_in(
    board: Board, table: Table, phone: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """127.0.0.2 stands for an address of this machine in the network."""
    addresses: list[str] = []
    monkeypatch.setattr("cardtable.web.serving.own_addresses", lambda: iter(addresses))
    assert phone.post("/phone/network").status_code == 403
    refused = httpx.post(f"{board.url}/phone/network", json={})
    assert refused.status_code == 503 and "is not in a network" in refused.json()["refused"]
    addresses += ["127.0.0.2", "127.0.0.2"]
    there, host = f"http://127.0.0.2:{board.port}", {"host": f"192.168.1.9:{board.port}"}
    with pytest.raises(httpx.ConnectError):
        httpx.get(there)
    assert httpx.get(board.url, headers=host).status_code == 403
    for _ in range(2):
        assert httpx.post(f"{board.url}/phone/network", json={}).status_code == 200
    assert httpx.get(f"{there}/state.json", headers=host).status_code == 200
    assert board.network().address == ("127.0.0.2", board.port)
    board.close()
    with pytest.raises(httpx.ConnectError):
        httpx.get(there)


def test_a_request_of_a_proxy_is_not_from_this_machine(board: Board, table: Table) -> None:
    for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP"):
        answer = httpx.get(f"{board.url}/state.json", headers={name: "192.168.1.66"})
        assert answer.json()["you"]["role"] == "spectator"


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b'{"seat": 0}', "text/plain", 415),
        (b'{"seat": 0}', "application/x-www-form-urlencoded", 415),
        (b"", "application/json", 400),
        (b"[]", "application/json", 400),
        (b'{"seat": "0"}', "application/json", 400),
        (b'{"seat": 0, "more": 1}', "application/json", 400),
        (b'{"seat": -1}', "application/json", 400),
        (b'{"seat": 2}', "application/json", 403),
        (b" " * 2000, "application/json", 413),
    ],
)
def test_other_requests_are_refused(board: Board, table: Table, content: bytes, kind: str, status: int) -> None:
    answer = httpx.post(f"{board.url}/phone/code", content=content, headers={"content-type": kind})
    assert answer.status_code == status and answer.json()["refused"]


def test_a_page_of_another_site_cannot_use_the_cookie(board: Board, table: Table, phone: Device) -> None:
    phone.pair(0)
    answer = phone.http.post("/phone/leave", json={}, headers={"origin": "http://evil.example"})
    assert answer.status_code == 403 and phone.state()["you"]["role"] == "seat"
    with pytest.raises(InvalidStatus):
        phone.open(origin="http://evil.example")


# What each may do


def test_a_phone_says_its_own_words_and_no_others(board: Board, table: Table, phone: Device, entered: Heard) -> None:
    phone.pair(1)
    with phone.open() as page:
        page.send('{"do": "say", "seat": 1, "word": "beg"}')
        message, sender = entered.get(timeout=10)
        assert isinstance(message, Said) and (message.seat, message.word) == (1, "beg")
        assert sender == Sender("seat", 1, "seat 1: Bo")
        words = "Ann’s words cannot be said here. They can be said on the board, the director’s device or Ann’s phone."
        assert refused(page, do="say", seat=0, word="beg") == words
        assert refused(page, do="say", seat=0, word="revoke", against=1, card="QS").startswith("Ann cannot accuse here")
        assert refused(page, do="good-night").startswith("This cannot be chosen here")
        assert refused(page, do="undo", n=3).startswith("This action cannot be taken back here")
    assert entered.empty()


def test_a_phone_takes_back_its_own_last_action(board: Board, table: Table, phone: Device, entered: Heard) -> None:
    phone.pair(1)
    game = LiveGame(Table(table.header), None, [Shown(board.show)], table.actions)
    game.take(Said(0.0, "button", 1, "beg"))
    assert "undo" in phone.state()["you"]["may"]
    with phone.open() as page:
        page.send('{"do": "undo", "n": 4}')
        assert isinstance(entered.get(timeout=10)[0], UndoAsked)


def test_a_spectator_may_nothing(board: Board, table: Table, phone: Device, entered: Heard) -> None:
    with phone.open() as page:
        for message in (
            {"do": "say", "seat": 0, "word": "beg"},
            {"do": "undo", "n": 3},
            {"do": "misread", "seat": 0},
            {"do": "begin"},
            {"do": "wake"},
        ):
            assert "here" in refused(page, **message)
    assert entered.empty()


def test_a_program_on_this_machine_needs_no_cookie(board: Board, table: Table, entered: Heard) -> None:
    with device(board, HERE) as program, program.open() as page:
        page.send('{"do": "say", "seat": 1, "word": "beg"}')
        assert entered.get(timeout=10)[1].role == "board"
        page.send('{"do": "undo", "n": 3}')
        assert entered.get(timeout=10)[1].role == "board"


def test_the_board_stays_the_board_with_the_cookie_of_a_phone(board: Board, table: Table) -> None:
    with device(board, HERE) as browser:
        browser.pair(0)
        with browser.open() as page, browser.open("?as=phone") as phone:
            assert heard(page)["you"]["role"] == "board"
            assert heard(phone)["you"]["role"] == "seat"


# Taking a phone away


def test_a_removed_phone_may_nothing_more_on_its_open_page(
    board: Board, table: Table, phone: Device, entered: Heard
) -> None:
    phone.pair(1)
    with phone.open() as page:
        assert heard(page)["you"]["hand"]
        (listed,) = httpx.get(f"{board.url}/state.json").json()["phones"]
        assert listed["connected"]
        httpx.post(f"{board.url}/phone/remove", json={"id": listed["id"]})
        state = heard(page, lambda state: state["you"]["role"] == "spectator")
        assert state["you"]["hand"] == []
        assert "here" in refused(page, do="say", seat=1, word="beg")
    assert phone.state()["you"]["role"] == "spectator" and entered.empty()


def test_a_phone_leaves_by_itself(board: Board, table: Table, phone: Device) -> None:
    phone.pair(0)
    assert phone.post("/phone/leave").status_code == 200
    assert not phone.http.cookies.jar._cookies or phone.state()["you"]["role"] == "spectator"
    assert httpx.get(f"{board.url}/state.json").json()["phones"] == []


# The director


def test_the_director_may_everything_but_set_the_pin(board: Board, table: Table, phone: Device, entered: Heard) -> None:
    assert phone.post("/director", pin="1234").status_code == 403
    assert httpx.post(f"{board.url}/director/pin", json={"pin": "1234"}).status_code == 200
    assert phone.post("/director", pin="1235").json() == {"refused": "This PIN is wrong."}
    assert phone.post("/director", pin="1234").json()["role"] == "director"
    state = phone.state()
    assert state["you"]["may"] == ["say", "accuse", "undo", "correct", "host"] and state["you"]["hand"] == []
    assert state["phones"][0]["director"]
    assert phone.post("/phone/code", seat=0).status_code == 200
    assert phone.post("/director/pin", pin="0000").status_code == 403
    with phone.open() as page:
        page.send('{"do": "say", "seat": 1, "word": "beg"}')
        assert entered.get(timeout=10)[1].role == "director"


# What a phone says of the table


def test_the_table_misread_me(board: Board, table: Table, phone: Device) -> None:
    phone.pair(1)
    with phone.open() as page, device(board, HERE) as here, here.open() as display:
        page.send('{"do": "misread", "seat": 1}')
        state = heard(display, lambda state: state["prompts"][0]["kind"] == "misread-claim")
        prompt = STATE.validate_python(state)["prompts"][0]
        assert (prompt["seat"], prompt["urgent"]) == (1, False) and prompt["text"].startswith(
            "Bo: the table has misread"
        )
        page.send('{"do": "misread", "seat": 1, "over": true}')
        heard(display, lambda state: all(prompt["kind"] != "misread-claim" for prompt in state["prompts"]))
        assert "there is no seat 5" in refused(page, do="misread", seat=5)


def test_what_was_said_of_a_misread_card_ends_with_the_next_action(board: Board, table: Table, phone: Device) -> None:
    phone.pair(1)
    with phone.open() as page:
        page.send('{"do": "misread", "seat": 1}')
        heard(page, lambda state: state["prompts"][0]["kind"] == "misread-claim")
        game = LiveGame(Table(table.header), None, [Shown(board.show)], table.actions)
        game.take(Said(0.0, "button", 1, "beg"))
        state = heard(page, lambda state: state["n"] == 4)
        assert all(prompt["kind"] != "misread-claim" for prompt in state["prompts"])


# Many


def test_six_phones_play_at_once(board: Board, entered: Heard) -> None:
    names = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo")
    game = LiveGame(Table(Header("its-15", names, 0)), None, [board])
    with ExitStack() as stack:
        phones = [stack.enter_context(device(board, f"127.0.0.{20 + seat}")) for seat in range(6)]
        assert [phone.pair(seat)["seat"] for seat, phone in enumerate(phones)] == list(range(6))
        pages = [stack.enter_context(phone.open()) for phone in phones]
        for seat, page in enumerate(pages):
            assert heard(page)["you"]["name"] == f"seat {seat}: {names[seat]}"
            page.send(f'{{"do": "say", "seat": {seat}, "word": "stay"}}')
        messages = [entered.get(timeout=10) for _ in names]
        assert {(each.seat, sender.seat) for each, sender in messages if isinstance(each, Said)} == {
            (seat, seat) for seat in range(6)
        }
        board.show_screen(ASLEEP)
        assert [heard(page, lambda state: state["screen"] == "asleep")["you"]["seat"] for page in pages] == list(
            range(6)
        )
    assert game.snapshot.n == 0
