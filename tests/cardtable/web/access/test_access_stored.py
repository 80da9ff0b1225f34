"""Phones and PIN after a restart, in files that are damaged or cannot be written, and with another date."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cardtable.errors import CardtableError
from cardtable.table.messages import SPECTATOR
from cardtable.web.access import Access, Denied
from tests.cardtable.web.access.devices import AWAY, PLAYERS, Clocks, paired, wrong_from_everywhere


def test_phones_survive_a_restart_and_no_token_is_stored(tmp_path: Path, clocks: Clocks) -> None:
    path = tmp_path / "phones.json"
    access = clocks.access(path)
    token = access.pair(access.make_code("Ann", 0).code, AWAY, None, "iPhone").token
    access.set_pin("2468")
    assert path.stat().st_mode & 0o777 == 0o600
    written = path.read_text("utf-8")
    assert token not in written and "2468" not in written
    again = clocks.access(path)
    assert again.sender(again.identify(False, token), PLAYERS).name == "seat 0: Ann" and again.has_pin


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"version": 9}', '{"phones": [{"id": 0}]}', "\x00" * 100])
def test_a_damaged_file_counts_as_empty_and_is_replaced(tmp_path: Path, clocks: Clocks, damage: str) -> None:
    path = tmp_path / "phones.json"
    path.write_text(damage, "utf-8")
    access = clocks.access(path)
    assert access.phones() == () and not access.has_pin
    paired(access, "Ann", 0)
    assert [phone.player for phone in clocks.access(path).phones()] == ["Ann"]


def test_what_cannot_be_stored_is_refused(tmp_path: Path, clocks: Clocks) -> None:
    access = clocks.access(tmp_path / "gone" / "phones.json")
    with pytest.raises(CardtableError, match="cannot be written"):
        paired(access, "Ann", 0)
    assert access.phones() == ()


HOURS_S = 3600.0


def may(access: Access) -> bool:
    """Return whether a device that is not paired may enter a PIN."""
    try:
        return access.enter_pin("1234", AWAY, "192.168.1.20", "").phone > 0
    except Denied as denied:
        assert denied.wait
        return False


def locked(access: Access) -> Access:
    access.set_pin("1234")
    wrong_from_everywhere(access)
    return access


def test_the_strangers_wrong_pins_are_counted_after_a_restart(tmp_path: Path, clocks: Clocks) -> None:
    path = tmp_path / "phones.json"
    locked(clocks.access(path))
    clocks.wait(HOURS_S)
    clocks.seconds = 0.0  # the machine was started again
    again = clocks.access(path)
    assert not may(again)
    clocks.wait(1.5 * HOURS_S)
    assert may(again)


@pytest.mark.parametrize("date", [0.0, 500_000.0, 10_000_000.0])
def test_setting_the_date_ends_no_wait_and_makes_none_longer(tmp_path: Path, clocks: Clocks, date: float) -> None:
    access = locked(clocks.access(tmp_path / "phones.json"))
    clocks.date = date
    clocks.seconds += 2.3 * HOURS_S
    assert not may(access)
    clocks.seconds += 0.2 * HOURS_S
    assert may(access)


def test_a_date_set_back_before_a_restart_costs_one_wait(tmp_path: Path, clocks: Clocks) -> None:
    path = tmp_path / "phones.json"
    locked(clocks.access(path))
    clocks.date = 0.0
    again = clocks.access(path)
    assert not may(again)
    clocks.wait(2.5 * HOURS_S)
    assert may(again)


def test_the_file_of_an_earlier_version_is_read(tmp_path: Path, clocks: Clocks) -> None:
    path = tmp_path / "phones.json"
    token = (access := clocks.access(path)).pair(access.make_code("Ann", 0).code, AWAY, None, "").token
    access.set_pin("1234")
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"failures": 40, "until": clocks.date + 3600.0}))
    again = clocks.access(path)
    assert again.sender(again.identify(False, token), PLAYERS).name == "seat 0: Ann" and may(again)


def test_a_pin_set_in_a_terminal_counts_at_once(tmp_path: Path, clocks: Clocks) -> None:
    path = tmp_path / "phones.json"
    running, terminal = clocks.access(path), clocks.access(path)
    running.set_pin("1234")
    director = running.identify(False, running.enter_pin("1234", AWAY, None, "").token)
    ann = paired(running, "Ann", 0)
    terminal.set_pin("5678")
    clocks.wait(1)
    assert running.sender(director, PLAYERS) == SPECTATOR
    assert running.sender(ann, PLAYERS).role == "seat"
    running.enter_pin("5678", AWAY, None, "")
    assert len(json.loads(path.read_text("utf-8"))["phones"]) == 2
