"""The receiver at a broker that is imitated: lines are stored and acknowledged, whatever comes and however it fails."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cardtable.languages import translator
from cardtable_club.broker import Broker
from cardtable_club.hub import receiver as module
from cardtable_club.hub.games import Mirror
from cardtable_club.hub.receiver import OFTEN, WARNING_S, Receiver
from cardtable_club.hub.store import Key, Seat, Store, StoreError
from cardtable_club.member.link import answer
from cardtable_club.member.messages import HANDS, Line, compact, read_ack, read_line
from engine.record import Header

GAME = "1000-00000000"


class FakeClient:
    """The part of paho's client that the receiver uses."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.sent: list[tuple[str, bytes]] = []
        self.on_publish: Any = None
        self.takes = True
        """Whether the broker takes messages at once."""
        self.subscribed: list[str] = []
        self.on_connect: Any = None
        self.on_disconnect: Any = None
        self.on_message: Any = None
        self.published: Callable[[str, bytes], None] = lambda topic, payload: None

    def publish(self, topic: str, payload: bytes, qos: int = 0, retain: bool = False) -> SimpleNamespace:
        self.sent.append((topic, payload))
        self.published(topic, payload)
        if self.takes and self.on_publish:
            self.on_publish(self, None, len(self.sent), None, None)
        return SimpleNamespace(mid=len(self.sent))

    def subscribe(self, topics: list[tuple[str, int]]) -> None:
        self.subscribed = [topic for topic, _ in topics]

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *arguments, **options: None


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Receiver]:
    monkeypatch.setattr(module.mqtt, "Client", FakeClient)
    receiver = Receiver("north", Broker(), Store(f"sqlite:///{tmp_path}/club.sqlite"), Mirror())
    yield receiver
    receiver.close()


def client(receiver: Receiver) -> FakeClient:
    return receiver._client  # type: ignore[return-value]


def deliver(receiver: Receiver, table: str, what: str, payload: bytes, retain: bool = False) -> None:
    message = SimpleNamespace(topic=f"ct/v1/north/{table}/{what}", payload=payload, retain=retain)
    client(receiver).on_message(None, None, message)


def wait(until: Callable[[], bool]) -> None:
    end = time.monotonic() + 5.0
    while not until():
        assert time.monotonic() < end
        time.sleep(0.005)


def acknowledged(receiver: Receiver, table: str = "t1") -> dict[str, int]:
    found = [read_ack(payload).games for topic, payload in client(receiver).sent if topic == f"ct/v1/north/{table}/ack"]
    return found[-1] if found else {}


def line(n: int, content: str = '{"do":"undo"}') -> bytes:
    header = compact(Header("cribbage", ("Ann", "Bo")).to_json())
    return Line(GAME, n, content if n else header, 1000.0 + n).to_bytes()


def test_lines_are_acknowledged_once_stored_and_gaps_refused(receiver: Receiver) -> None:
    deliver(receiver, "t1", "journal", line(0))
    deliver(receiver, "t1", "journal", line(2))
    wait(lambda: acknowledged(receiver) == {GAME: 0})
    deliver(receiver, "t1", "journal", line(1))
    wait(lambda: acknowledged(receiver) == {GAME: 1})
    count = len(client(receiver).sent)
    deliver(receiver, "t1", "journal", line(0))  # a duplicate is answered again
    wait(lambda: len(client(receiver).sent) > count)
    assert acknowledged(receiver) == {GAME: 1}


def test_only_the_newest_acknowledgement_waits_for_a_busy_broker(receiver: Receiver) -> None:
    client(receiver).takes = False
    for n in range(5):
        deliver(receiver, "t1", "journal", line(n))
        wait(partial(lambda count: [*receiver._store.cursors()] == [(Key("t1", GAME), count)], n + 1))
    assert acknowledged(receiver) == {GAME: 0}
    deliver(receiver, "t2", "journal", line(0))
    wait(lambda: acknowledged(receiver, "t2") == {GAME: 0})
    [number] = [n for n, (topic, _) in enumerate(client(receiver).sent, 1) if topic == "ct/v1/north/t1/ack"]
    client(receiver).on_publish(None, None, number, None, None)
    wait(lambda: acknowledged(receiver) == {GAME: 4})
    assert [topic for topic, _ in client(receiver).sent].count("ct/v1/north/t1/ack") == 2


def test_what_is_not_a_message_changes_nothing(receiver: Receiver) -> None:
    for payload in (b"", b"\xff", b"[]", b'{"v":2}', b"{" * 9000, b'{"v":1,"game":"x","n":-1}'):
        for what in ("journal", "online", "health"):
            deliver(receiver, "t1", what, payload)
    client(receiver).on_message(None, None, SimpleNamespace(topic="ct/v1/south/t1/journal"))
    deliver(receiver, "t1", "online", b'{"v":1,"online":true}')
    deliver(receiver, "t1", "health", b'{"v":1,"time":1000,"waiting":7}')
    deliver(receiver, "t1", "state", b"\xff{}")
    wait(lambda: receiver.online.get("t1") is True)
    [shown] = receiver.healths.shown(receiver.online, (), (), translator("en"))
    assert shown["waiting"] == 7 and receiver.states["t1"][0] == 1


def test_a_database_that_is_away_is_waited_for(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AGAIN_S", 0.01)
    wait(lambda: not receiver._queue.qsize())
    real, store = Store.take, receiver._store

    def away(self: Store, received: Any) -> Any:
        raise StoreError("away")

    monkeypatch.setattr(Store, "take", away)
    deliver(receiver, "t1", "journal", line(0))
    wait(lambda: receiver.trouble == "away")
    assert acknowledged(receiver) == {}
    monkeypatch.setattr(Store, "take", real)
    deliver(receiver, "t1", "journal", line(0))  # the table sends it again
    wait(lambda: acknowledged(receiver) == {GAME: 0})
    wait(lambda: receiver.trouble is None)
    assert store.cursors() == [(Key("t1", GAME), 1)]


def test_trouble_lasts_until_everything_can_be_stored(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "_AGAIN_S", 0.01)
    real, tried = Store.keep_results, list[bool]()

    def full(self: Store, results: Any) -> Any:
        tried.append(receiver.trouble is None)
        raise StoreError("disk is full")

    monkeypatch.setattr(Store, "keep_results", full)
    deliver(receiver, "t1", "journal", line(0))
    wait(lambda: len(tried) > 2)
    for n in range(1, 4):
        deliver(receiver, "t1", "journal", line(n))
        wait(partial(lambda count: len(tried) > count + 1, len(tried)))
    assert tried[0] and not any(tried[1:])
    monkeypatch.setattr(Store, "keep_results", real)
    wait(lambda: receiver.trouble is None)
    messages = [record.message for record in caplog.records if "the database" in record.message]
    assert messages == ["the database cannot be used now: disk is full"]


def test_a_table_that_is_ready_is_stored_when_the_database_is_back(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AGAIN_S", 0.01)
    real, store = Store.ready, receiver._store
    store.assign([Seat(1, "t1", 0, "Ann")])

    def away(self: Store, number: int, table: str) -> bool:
        raise StoreError("away")

    monkeypatch.setattr(Store, "ready", away)
    deliver(receiver, "t1", "ready", b'{"v":1,"round":1}')
    wait(lambda: receiver.trouble == "away")
    monkeypatch.setattr(Store, "ready", real)
    wait(lambda: store.assigned()[0].ready is not None)
    wait(lambda: receiver.trouble is None)


def test_two_tables_of_one_name_are_noticed(receiver: Receiver, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(OFTEN):  # the hub connects again, and the broker says what it has kept
        deliver(receiver, "t1", "online", b'{"v":1,"online":true}', retain=True)
    for _ in range(OFTEN):
        assert not receiver.reconnects.duplicates(time.monotonic())
        for there in (b"false", b"true"):
            deliver(receiver, "t1", "online", b'{"v":1,"online":' + there + b"}")
    messages = [record.message for record in caplog.records if "two tables" in record.message]
    assert messages == ["table t1 keeps reconnecting: do two tables have this name?"]
    assert receiver.reconnects.duplicates(time.monotonic()) == {"t1"}
    assert receiver.reconnects.duplicates(time.monotonic() + WARNING_S) == set()


def test_a_command_expires_by_the_clock_of_the_table(receiver: Receiver) -> None:
    shown: list[str] = []

    def table_1(topic: str, payload: bytes) -> None:
        """A table an hour fast, which does what a command says; another one does not answer."""
        if topic == "ct/v1/north/t1/cmd":
            reply = answer(payload, time.time() + 3600.0, lambda: None, 0, None, shown.append)
            deliver(receiver, "t1", "cmd/reply", json.dumps({"v": 1, **reply}).encode())

    client(receiver).on_connect(client(receiver), None, None, SimpleNamespace(is_failure=False), None)
    client(receiver).published = table_1
    give = partial(receiver.commands.give, ["t1"], do="show", text="Please finish this game.")
    assert give() == {"t1": "expired"} and shown == []
    deliver(receiver, "t1", "health", json.dumps({"v": 1, "time": time.time() + 3600.0, "waiting": 0}).encode())
    assert give() == {"t1": None} and shown == ["Please finish this game."]
    assert receiver.commands.give(["t2"], 0.01, do="report") == {"t2": ""}
    deliver(receiver, "t1", "cmd/reply", b'{"v":1,"id":"nobody asked","done":true}')


def test_after_a_connection_every_table_gets_its_acknowledgement(receiver: Receiver) -> None:
    deliver(receiver, "t1", "journal", line(0))
    deliver(receiver, "t2", "journal", line(0))
    wait(lambda: bool(acknowledged(receiver, "t2")))
    client(receiver).sent.clear()
    client(receiver).on_connect(client(receiver), None, None, SimpleNamespace(is_failure=False), None)
    wait(lambda: acknowledged(receiver, "t1") == acknowledged(receiver, "t2") == {GAME: 0})
    assert receiver.connected and "ct/v1/north/+/journal" in client(receiver).subscribed
    client(receiver).on_disconnect(None, None, None, "cut", None)
    assert not receiver.connected


def test_lines_that_contradict_are_noticed(receiver: Receiver) -> None:
    for payload in (line(0), line(1), line(1, '{"do":"other"}')):
        deliver(receiver, "t1", "journal", payload)
        wait(lambda: not receiver._queue.qsize())
        time.sleep(0.02)
    wait(lambda: receiver.conflicts == {Key("t1", GAME)})
    deliver(receiver, "t1", "journal", line(2))  # nothing more of this game is mixed with what the hub has
    deliver(receiver, "t1", "journal", Line(GAME + HANDS, 0, "{}", 1000.0).to_bytes())
    deliver(receiver, "t1", "journal", Line("2000-00000000", 0, "{}", 1000.0).to_bytes())
    wait(lambda: acknowledged(receiver) == {GAME: 1, "2000-00000000": 0})
    assert {key.game: count for key, count in receiver._store.cursors()} == {GAME: 2, "2000-00000000": 1}
    last = [read_ack(payload) for topic, payload in client(receiver).sent if topic.endswith("/ack")][-1]
    assert last.conflicts == {GAME}


def test_a_line_after_other_lines_than_the_hub_has_is_refused(receiver: Receiver) -> None:
    for n in range(3):
        deliver(receiver, "t1", "journal", line(n))
    wait(lambda: acknowledged(receiver) == {GAME: 2})
    deliver(receiver, "t1", "journal", replace(read_line(line(3)), before=1).to_bytes())
    wait(lambda: receiver.conflicts == {Key("t1", GAME)})
    wait(lambda: acknowledged(receiver) == {GAME: 2})
    deliver(receiver, "t2", "journal", replace(read_line(line(0)), probe=True).to_bytes())  # asks, and stores nothing
    wait(lambda: acknowledged(receiver, "t2") == {GAME: -1})
