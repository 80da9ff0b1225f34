"""The search for the reader board and the recovery from failures, with every time-out at its limit."""

from __future__ import annotations

from firmware_bridge.link import DEAD_S, Connected
from firmware_bridge.messages import TagEvent
from tests.firmware_bridge.desk import EVENT, HELLO, Desk, connected


def test_without_ports_it_sleeps_and_reports_once() -> None:
    desk = Desk()
    assert desk.reasons() == ["No reader board is plugged in: connect the readers' USB cable."]
    assert desk.slept == [0.1]
    assert desk.reasons(0.4999) == [] and desk.specs == ["auto"]
    assert desk.reasons(0.0001) == [] and desk.specs == ["auto", "auto"]


def test_ports_are_tried_in_order_and_reported_together() -> None:
    desk = Desk("/dev/a", "/dev/b")
    desk.working.clear()
    assert desk.reasons() == []
    message = "The reader board is not connected ({}): plug in its USB cable."
    assert desk.reasons(0.5) == [f"No reader board is found. {message.format('/dev/a')} {message.format('/dev/b')}"]
    assert [address for address, _ in desk.opened] == ["/dev/a", "/dev/b"]
    assert desk.reasons(0.5) == [] and desk.reasons(0.5) == []
    assert [address for address, _ in desk.opened] == ["/dev/a", "/dev/b"] * 2
    desk.addresses.clear()
    assert desk.reasons(0.5) == ["No reader board is plugged in: connect the readers' USB cable."]


def test_single_port_that_cannot_be_opened() -> None:
    desk = Desk("/dev/a")
    desk.working.clear()
    assert desk.reasons() == ["The reader board is not connected (/dev/a): plug in its USB cable."]
    assert desk.slept == [0.1]
    desk.working.add("/dev/a")
    assert [type(update) for update in desk.step(0.5, HELLO)] == [Connected]
    desk.ports["/dev/a"].broken = True
    assert desk.reasons() == ["The reader board's cable is unplugged (/dev/a): plug it in again."]
    desk.working.clear()
    assert desk.reasons(0.5) == ["The reader board is not connected (/dev/a): plug in its USB cable."]


def test_silent_port_is_given_up_after_five_seconds() -> None:
    desk = Desk("/dev/a")
    assert desk.reasons() == []
    assert desk.reasons(5.0) == []
    assert desk.ports["/dev/a"].closed == 0
    reason = "Nothing answers at /dev/a: is it the reader board, and is the firmware on it (docs/how-to/rfid.md)?"
    assert desk.reasons(0.001) == [reason]
    assert desk.ports["/dev/a"].closed == 1
    assert desk.reasons(0.499) == [] and len(desk.opened) == 1
    assert desk.reasons(0.002) == [] and len(desk.opened) == 2


def test_device_that_is_not_a_board_keeps_its_reason() -> None:
    desk = Desk("/dev/a")
    desk.step(0.0, b"?")
    reason = (
        "The device at /dev/a is not a card table's reader board: "
        "give the right port, or put the firmware on it (docs/how-to/rfid.md)."
    )
    assert desk.reasons(3.001) == [reason]
    assert desk.reasons(3.0) == []
    assert desk.ports["/dev/a"].closed == 1


def test_disconnected_board_is_reported_and_given_five_more_seconds() -> None:
    desk, port = connected()
    assert desk.reasons(DEAD_S) == []
    reason = "The reader board does not answer (/dev/a): check its cable, or press its reset button."
    assert desk.reasons(0.001) == [reason]
    assert desk.reasons(5.0) == [] and port.closed == 0
    assert desk.reasons(0.001) == [] and port.closed == 1


def test_board_that_returns_is_reported_again_when_it_fails_again() -> None:
    desk, port = connected()
    assert len(desk.reasons(3.001)) == 1
    assert [type(update) for update in desk.step(1.0, HELLO)] == [Connected]
    assert port.closed == 0
    assert len(desk.reasons(3.001)) == 1


def test_last_address_is_tried_first() -> None:
    desk = Desk("/dev/a", "/dev/b", "/dev/c")
    desk.working = {"/dev/b"}
    desk.step()
    assert [type(update) for update in desk.step(0.5, HELLO)] == [Connected]
    desk.ports["/dev/b"].broken = True
    assert desk.reasons() == ["The reader board's cable is unplugged (/dev/b): plug it in again."]
    desk.ports["/dev/b"].broken = False
    assert [type(update) for update in desk.step(0.5, HELLO)] == [Connected]
    assert [address for address, _ in desk.opened] == ["/dev/a", "/dev/b", "/dev/b"]


def test_failure_of_the_port_closes_it_and_is_retried() -> None:
    desk, port = connected()
    port.broken = True
    assert desk.reasons() == ["The reader board's cable is unplugged (/dev/a): plug it in again."]
    assert port.closed == 1
    port.broken = False
    assert desk.step(0.499, HELLO) == [] and len(desk.opened) == 1
    assert [type(update) for update in desk.step(0.002, b"")] == [Connected]


def test_failure_while_sending_is_reported_by_the_next_step() -> None:
    desk, port = connected()
    (event,) = desk.step(0.1, EVENT)
    desk.now += 1.0
    port.broken = True
    assert isinstance(event, TagEvent)
    desk.bridge.stored(event)
    assert port.closed == 1
    assert desk.reasons() == ["The reader board's cable is unplugged (/dev/a): plug it in again."]


def test_retry_interval_begins_at_the_failure() -> None:
    desk, port = connected()
    desk.now += 1.0
    port.broken = True
    assert len(desk.reasons()) == 1
    assert desk.step(0.499) == [] and len(desk.opened) == 1
    desk.step(0.002)
    assert len(desk.opened) == 2


def test_search_starts_again_after_a_connection() -> None:
    desk = Desk("/dev/a", "/dev/b")
    desk.working = {"/dev/b"}
    desk.step()
    assert [type(update) for update in desk.step(0.5, HELLO)] == [Connected]
    desk.ports["/dev/b"].broken = True
    assert len(desk.reasons()) == 1
    desk.working.clear()
    assert desk.reasons(0.5) == []
    message = "The reader board is not connected ({}): plug in its USB cable."
    assert desk.reasons(0.5) == [f"No reader board is found. {message.format('/dev/b')} {message.format('/dev/a')}"]


def test_trouble_of_a_connected_board_is_reported_despite_other_ports() -> None:
    desk = Desk("/dev/a", "/dev/b")
    assert [type(update) for update in desk.step(0.0, HELLO)] == [Connected]
    assert len(desk.reasons(3.001)) == 1


def test_ports_that_vanish_during_the_search_are_reported() -> None:
    desk = Desk("/dev/a", "/dev/b")
    desk.working.clear()
    assert desk.reasons() == []
    desk.addresses.clear()
    assert desk.reasons(0.5) == ["No reader board is plugged in: connect the readers' USB cable."]
