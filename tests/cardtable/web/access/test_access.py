"""Pairing by codes, the director's PIN, and what survives a restart."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest

from cardtable.table.messages import BOARD, HERE, SPECTATOR
from cardtable.web.access import (
    CODES,
    CODES_OF_DEVICE,
    LENGTH,
    LETTERS,
    MOST_ASKS,
    MOST_PHONES,
    PINS_OF_DEVICE,
    VALID_S,
    Access,
    Denied,
)
from cardtable.web.access_file import Stored
from tests.cardtable.web.access.devices import AWAY, PLAYERS, Clocks, ask_for, paired, wrong, wrong_from_everywhere


@pytest.fixture
def access(clocks: Clocks) -> Access:
    return clocks.access()


# Codes


def test_a_code_makes_a_phone_its_seat(access: Access) -> None:
    assert access.sender(HERE, PLAYERS) == BOARD and access.sender(AWAY, PLAYERS) == SPECTATOR
    sender = access.sender(paired(access, "Bo", 1), PLAYERS)
    assert (sender.role, sender.seat, sender.name) == ("seat", 1, "seat 1: Bo")


def test_a_code_is_used_once(access: Access) -> None:
    code = access.make_code("Ann", 0).code
    access.pair(code, AWAY, None, "")
    with pytest.raises(Denied, match="no longer valid"):
        access.pair(code, AWAY, None, "")


def test_a_code_expires(access: Access, clocks: Clocks) -> None:
    code = access.make_code("Ann", 0).code
    clocks.wait(VALID_S - 0.1)
    later = access.make_code("Ann", 0).code
    clocks.wait(0.1)
    with pytest.raises(Denied):
        access.pair(code, AWAY, None, "")
    access.pair(later, AWAY, None, "")


def test_the_two_newest_codes_of_a_player_are_valid(access: Access) -> None:
    first, second, third = (access.make_code("Ann", 0).code for _ in range(3))
    with pytest.raises(Denied):
        access.pair(first, AWAY, None, "")
    access.pair(second, AWAY, None, "")
    access.pair(third, AWAY, None, "")


def test_a_withdrawn_code_is_not_valid(access: Access) -> None:
    ann, bo = access.make_code("Ann", 0).code, access.make_code("Bo", 1).code
    access.withdraw_codes("Ann")
    with pytest.raises(Denied):
        access.pair(ann, AWAY, None, "")
    access.pair(bo, AWAY, None, "")


def test_a_code_can_be_typed_in_any_way(access: Access) -> None:
    code = access.make_code("Ann", 0).code
    assert len(code) == LENGTH and set(code) <= set(LETTERS)
    access.pair(f" {code[:3].lower()}-{code[3:]} ", AWAY, None, "")


def test_a_stranger_with_many_addresses_keeps_no_phone_from_pairing(access: Access) -> None:
    code = access.make_code("Ann", 0).code
    for guess in range(100 * CODES_OF_DEVICE):
        with pytest.raises(Denied, match="wrong"):
            access.pair("AAAAAA", AWAY, f"192.168.1.{guess % 100}", "")
    access.pair(code, AWAY, "192.168.1.200", "")


def test_wrong_codes_are_limited_for_each_device_and_for_all(access: Access, clocks: Clocks) -> None:
    code = access.make_code("Ann", 0).code
    for _ in range(CODES_OF_DEVICE):
        with pytest.raises(Denied, match="wrong"):
            access.pair("AAAAAA", AWAY, "192.168.1.66", "")
    with pytest.raises(Denied, match="wait a minute") as denied:
        access.pair(code, AWAY, "192.168.1.66", "")
    assert denied.value.wait
    for guess in range(CODES - CODES_OF_DEVICE):
        with pytest.raises(Denied, match="wrong"):
            access.pair("AAAAAA", AWAY, f"192.168.2.{guess}", "")
    with pytest.raises(Denied, match="wait a minute"):
        access.pair(code, AWAY, "192.168.1.20", "")
    clocks.wait(60)
    access.pair(code, AWAY, "192.168.1.66", "")


# Phones


def test_a_phone_follows_the_name_of_its_player(access: Access) -> None:
    phone = paired(access, "Bo", 1)
    assert access.sender(phone, ("Bo", "Ann")).seat == 0
    assert access.sender(phone, ("Ann", "Cy")) == access.sender(phone, ())
    assert access.sender(phone, ()).seat is None and access.sender(phone, ()).role == "seat"
    access.rename_player("Bo", "Bob")
    assert access.sender(phone, ("Ann", "Bob")).seat == 1 and access.player_of(phone) == "Bob"


def test_of_two_players_with_the_same_name_each_keeps_a_phone(access: Access) -> None:
    phones = [paired(access, "Ann", seat) for seat in (0, 2)]
    assert [access.sender(phone, ("Ann", "Bo", "Ann")).seat for phone in phones] == [0, 2]


def test_a_phone_that_was_removed_is_a_spectator(access: Access) -> None:
    phone = access.pair(access.make_code("Ann", 0).code, AWAY, None, "")
    identity = access.identify(False, phone.token)
    access.remove(phone.phone)
    assert access.sender(identity, PLAYERS) == SPECTATOR
    assert access.identify(False, phone.token) == AWAY


def test_a_phone_that_is_paired_again_has_a_new_token_and_the_new_seat(access: Access) -> None:
    first = access.pair(access.make_code("Ann", 0).code, AWAY, None, "")
    again = access.pair(access.make_code("Bo", 1).code, access.identify(False, first.token), None, "")
    assert again.phone == first.phone and again.token != first.token
    assert access.identify(False, first.token) == AWAY
    assert [phone.player for phone in access.phones()] == ["Bo"]


def test_the_oldest_phone_makes_room(access: Access) -> None:
    phones = [paired(access, "Ann", 0) for _ in range(MOST_PHONES + 1)]
    assert access.sender(phones[0], PLAYERS) == SPECTATOR
    assert access.sender(phones[1], PLAYERS).role == access.sender(phones[-1], PLAYERS).role == "seat"


def test_a_device_asks_for_one_place(access: Access) -> None:
    for player in PLAYERS:
        paired(access, player, 0)
    asked = [ask_for(access, player, "192.168.1.66") for player in ("Ann", "Bo", "Cy", "Cy")]
    assert [ask.player for ask in access.asks] == ["Cy"] and asked[2] == asked[3]
    for last in range(1, MOST_ASKS):
        ask_for(access, "Bo", f"192.168.1.{last}")
    with pytest.raises(Denied, match="Other phones wait") as denied:
        access.pair(access.make_code(None, 0).code, AWAY, "192.168.1.99", "", ("Bo", 1))
    assert denied.value.wait


def test_a_code_follows_its_player(access: Access) -> None:
    bo, ann = access.make_code("Bo", 1).code, access.make_code("Ann", 0).code
    access.rename_player("Bo", "Bob")
    access.let_go("Ann")
    assert access.player_of(access.identify(False, access.pair(bo, AWAY, None, "").token)) == "Bob"
    with pytest.raises(Denied):
        access.pair(ann, AWAY, None, "")


# The PIN


def test_the_pin_makes_a_device_the_director(access: Access) -> None:
    with pytest.raises(Denied, match="no PIN yet"):
        access.enter_pin("1234", AWAY, None, "")
    access.set_pin("1234")
    with pytest.raises(Denied, match="wrong"):
        access.enter_pin("1235", AWAY, None, "")
    director = access.identify(False, access.enter_pin("1234", AWAY, None, "iPad").token)
    assert access.sender(director, PLAYERS).role == "director" and access.sender(director, PLAYERS).seat is None
    player = access.identify(False, access.enter_pin("1234", paired(access, "Cy", 2), None, "").token)
    assert (access.sender(player, PLAYERS).role, access.sender(player, PLAYERS).seat) == ("director", 2)


@pytest.mark.parametrize("pin", ["", "123", "1234567890123", "12a4", "１２３４", "12 34", "-1234"])
def test_a_pin_is_4_to_12_digits(access: Access, pin: str) -> None:
    with pytest.raises(Denied, match="4 to 12 digits"):
        access.set_pin(pin)


def test_another_pin_ends_what_the_old_one_allowed(access: Access) -> None:
    access.set_pin("1234")
    alone = access.identify(False, access.enter_pin("1234", AWAY, None, "").token)
    player = access.identify(False, access.enter_pin("1234", paired(access, "Bo", 1), None, "").token)
    access.let_go("Bo", inf)
    assert access.sender(player, PLAYERS).name == "director"
    player = access.identify(False, access.enter_pin("1234", paired(access, "Bo", 1), None, "").token)
    access.set_pin("9999")
    assert access.sender(alone, PLAYERS) == SPECTATOR
    assert access.sender(player, PLAYERS).role == "seat"
    access.set_pin(None)
    assert not access.has_pin


def test_a_device_must_wait_after_some_wrong_pins(access: Access, clocks: Clocks) -> None:
    access.set_pin("1234")
    wrong(access, PINS_OF_DEVICE)
    with pytest.raises(Denied, match=r"wait 288 minutes, or set a new PIN") as denied:
        access.enter_pin("1234", AWAY, "192.168.1.66", "")
    assert denied.value.wait
    clocks.wait(288 * 60)
    wrong(access, 1)
    with pytest.raises(Denied, match="wait 288 minutes"):
        access.enter_pin("1234", AWAY, "192.168.1.66", "")
    clocks.wait(287.5 * 60)
    with pytest.raises(Denied, match="wait 1 minute,"):
        access.enter_pin("1234", AWAY, "192.168.1.66", "")
    clocks.wait(30)
    access.enter_pin("1234", AWAY, "192.168.1.66", "")


def test_a_right_pin_counts_as_no_wrong_one(access: Access) -> None:
    access.set_pin("1234")
    for _ in range(100):
        access.enter_pin("1234", AWAY, "192.168.1.66", "")
    wrong(access, PINS_OF_DEVICE)


def test_a_stranger_at_one_address_keeps_nobody_out(access: Access, clocks: Clocks) -> None:
    access.set_pin("1234")
    for _ in range(100):  # which tries again as soon as it may
        wrong(access, 1)
        clocks.wait(24 * 3600 / PINS_OF_DEVICE)
    wrong(access, PINS_OF_DEVICE - 1)
    access.enter_pin("1234", AWAY, "192.168.1.20", "")


def test_a_stranger_at_many_addresses_keeps_out_no_paired_device(access: Access) -> None:
    phone = paired(access, "Bo", 1)
    access.set_pin("1234")
    director = access.identify(False, access.enter_pin("1234", AWAY, "192.168.1.30", "").token)
    wrong_from_everywhere(access)
    with pytest.raises(Denied, match="pair this one with a player first") as denied:
        access.enter_pin("1234", AWAY, "192.168.1.20", "")
    assert denied.value.wait
    assert access.sender(director, PLAYERS).role == "director"
    access.enter_pin("1234", phone, "192.168.1.20", "")
    access.enter_pin("1234", HERE, None, "")
    access.enter_pin("1234", paired(access, "Cy", 2), "192.168.1.20", "")


def test_neither_another_phone_nor_a_proxy_keeps_out_a_paired_device(access: Access) -> None:
    ann, bo = paired(access, "Ann", 0), paired(access, "Bo", 1)
    access.set_pin("1234")
    wrong(access, PINS_OF_DEVICE, ann)
    wrong(access, PINS_OF_DEVICE, AWAY, None)  # through a proxy on the table's machine
    access.enter_pin("1234", bo, "192.168.1.66", "")
    access.enter_pin("1234", HERE, None, "")
    with pytest.raises(Denied, match="wait"):
        access.enter_pin("1234", ann, "192.168.1.99", "")


def test_ten_thousand_pins_take_years(access: Access, clocks: Clocks) -> None:
    access.set_pin("1234")
    began, tried = clocks.seconds, 0
    while tried < 100:  # a hundredth of all PINs, each from another address
        try:
            access.enter_pin("0000", AWAY, f"10.0.{tried // 256}.{tried % 256}", "")
        except Denied as denied:
            tried += not denied.wait
            clocks.wait(600 * denied.wait)
    assert 100 * (clocks.seconds - began) > 2 * 365 * 24 * 3600


def test_a_guess_is_stored_before_it_is_checked(
    tmp_path: Path, clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "phones.json"
    access = clocks.access(path)
    access.set_pin("1234")

    def stopped(self: object, pin: str) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr("cardtable.web.access_file.PinHash.fits", stopped)
    with pytest.raises(KeyboardInterrupt):
        access.enter_pin("1111", AWAY, None, "")
    assert Stored.model_validate_json(path.read_bytes()).until > clocks.date
