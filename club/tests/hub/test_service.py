"""A whole hub with the mosquitto that it starts: neither the wall nor the broker ends for good."""

from __future__ import annotations

import json
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from cardtable.journal.journal import Journal
from cardtable.languages import translator
from cardtable_club.config import ClubConfig
from cardtable_club.hub import service
from cardtable_club.hub.broker import mosquitto_program
from cardtable_club.hub.config import BrokerConfig, HubConfig
from cardtable_club.hub.receiver import OFTEN
from cardtable_club.hub.service import Hub
from cardtable_club.hub.store import Seat
from cardtable_club.member.link import Link
from engine.actions import Action
from engine.record import Header
from tests.cardtable.stored import append

pytestmark = pytest.mark.skipif(mosquitto_program() is None, reason="needs mosquitto")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def wait(until: Callable[[], bool]) -> None:
    end = time.monotonic() + 30.0
    while not until():
        assert time.monotonic() < end
        time.sleep(0.01)


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the hub look and connect again at once instead of after a second or more."""
    monkeypatch.setattr(service, "_SEATS_S", 0.05)
    real = mqtt.Client.reconnect_delay_set
    monkeypatch.setattr(mqtt.Client, "reconnect_delay_set", lambda client, least, most: real(client, 0.05, 0.1))


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    hurry(monkeypatch)
    database = f"sqlite:///{tmp_path}/club.sqlite"
    config = HubConfig(port=0, database=database, broker=BrokerConfig(port=free_port()))
    with closing(Hub(config, tmp_path / "mosquitto")) as hub:
        wait(lambda: hub.receiver.connected)
        yield hub


def test_a_mosquitto_that_has_ended_is_started_again_as_soon_as_it_can_be(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def kill() -> Callable[[], bool]:
        """End the present mosquitto; return whether another one is connected."""
        first = hub.mosquitto
        assert first is not None
        first.kill()
        return lambda: hub.mosquitto is not first and hub.receiver.connected

    wait(kill())
    assert [record.message for record in caplog.records if record.name == "cardtable_club.member.hub"] == [
        "mosquitto has ended"
    ]
    real, tried = hub._start_broker, list[None]()

    def full() -> None:
        tried.append(None)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(hub, "_start_broker", full)
    connected = kill()
    wait(lambda: len(tried) > 2)
    monkeypatch.setattr(hub, "_start_broker", real)
    wait(connected)
    assert sum("No space left" in record.message for record in caplog.records) == 1


def test_a_seat_at_a_table_that_no_topic_can_have_does_not_end_the_wall(hub: Hub) -> None:
    hub.store.assign([Seat(1, "t#1", 0, "Ann"), Seat(1, "table-1", 0, "Bo")])
    wait(lambda: "table-1" in hub.receiver._assigned)
    assert "t#1" not in hub.receiver._assigned


def test_an_older_copy_of_a_journal_is_shown_on_the_wall_and_not_mixed(hub: Hub, tmp_path: Path) -> None:
    path, copy = tmp_path / "journal.sqlite", tmp_path / "copy.sqlite"
    config = ClubConfig(name="club", table="t1", port=hub.config.broker.port)

    def stored() -> list[str]:
        return [line.line for key, _ in hub.store.cursors() for line in hub.store.lines(key)]

    journal = Journal(path, clock=lambda: 1000.0)
    with closing(Link(config, path).start()):
        number = journal.begin(Header("cribbage", ("Ann", "Bo"), 0))
        append(journal, [Action.parse("turn 9C"), Action.parse("undo")])
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        append(journal, [Action.parse(each) for each in ("turn 2C", "undo", "turn 3C")])
        journal.close()
        wait(lambda: len(stored()) == 6)
    before = stored()
    for rest in ("-wal", "-shm"):
        path.with_name(path.name + rest).unlink(missing_ok=True)
    copy.replace(path)
    journal = Journal(path, clock=lambda: 1000.0)
    journal.resume(number)
    with closing(Link(config, path).start()) as link:
        append(journal, [Action.parse("turn 4D")])
        wait(lambda: link.connected and hub.state()["tables"][0]["conflict"])
        append(journal, [Action.parse(each) for each in ("undo", "turn 5D", "undo", "turn 6D")])
        wait(lambda: link.waiting == 0)
        journal.close()
    assert stored() == before


def test_two_hubs_of_a_club_say_so(hub: Hub, tmp_path: Path) -> None:
    path, port = tmp_path / "journal.sqlite", hub.config.broker.port
    Journal(path).close()
    config = HubConfig(port=0, database=f"sqlite:///{tmp_path}/other.sqlite", broker=BrokerConfig(port=port))
    with closing(Link(ClubConfig(name="club", table="t1", port=port), path).start()):
        assert not hub.state()["twin"]
        with closing(Hub(config, tmp_path / "other")) as other, closing(Journal(path)) as journal:
            wait(lambda: other.receiver.connected)
            journal.begin(Header("cribbage", ("Ann", "Bo"), 0))
            wait(lambda: hub.state()["twin"] and other.state()["twin"])


def test_the_director_sees_how_a_table_is_and_speaks_to_it(hub: Hub, tmp_path: Path) -> None:
    path, shown = tmp_path / "journal.sqlite", list[str]()
    Journal(path).close()
    config = ClubConfig(name="club", table="t1", port=hub.config.broker.port)
    with closing(Link(config, path).start()) as link:
        link.show_message, link.faults = shown.append, lambda: ["camera: it is too dark"]
        link._health_at = 0.0  # what it sent before it knew of the fault is sent again now, not in a minute
        wait(lambda: any(table["faults"] for table in hub.health(translator("fr"))))
        [table] = hub.health(translator("fr"))
        assert (table["name"], table["online"], table["waiting"]) == ("t1", True, 0) and table["free"]
        assert table["faults"] == ["camera: it is too dark"] and table["version"]
        assert hub.show_message(["t1"], "Please finish this game.") == {"t1": None}
        assert hub.show_message(["t1"], "two\nlines") == {"t1": "'text' is not a line of text"}
        assert shown == ["The director of the club: Please finish this game."]
        for now in range(OFTEN):
            hub.receiver.reconnects.connected("t1", time.monotonic() + now / 100)
        assert hub.state()["tables"][0]["double"]
        assert hub.health(translator("fr"))[0]["faults"][0].startswith("Deux tables ont ce nom")


def test_a_fault_of_the_wall_does_not_end_it(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    real = service.as_json
    failed, shown = list[None](), list[str]()

    def faulty(state: service.WallState) -> str:
        if len(failed) < 2:
            failed.append(None)
            raise LookupError("a fault")
        shown.append(real(state))
        return shown[-1]

    monkeypatch.setattr(service, "as_json", faulty)
    wait(lambda: bool(shown))
    assert json.loads(shown[0])["club"] == "club" and hub._thread.is_alive()


def test_a_table_that_went_while_the_broker_was_away_is_not_online(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broker that is killed has no time to tell the hub, and has forgotten what it kept."""
    path, real = tmp_path / "journal.sqlite", hub._start_broker
    Journal(path).close()
    monkeypatch.setattr(hub, "_start_broker", lambda: (_ for _ in ()).throw(OSError("away")))
    with closing(Link(ClubConfig(name="club", table="t1", port=hub.config.broker.port), path).start()):
        wait(lambda: hub.receiver.online.get("t1", False))
        assert hub.mosquitto is not None
        hub.mosquitto.kill()
        wait(lambda: not hub.receiver.connected)
    monkeypatch.setattr(hub, "_start_broker", real)
    wait(lambda: hub.receiver.connected)
    assert hub.receiver.online == {"t1": False}


def test_a_command_is_carried_out_once_and_not_if_the_broker_has_kept_it(hub: Hub, tmp_path: Path) -> None:
    path, shown, replies = tmp_path / "journal.sqlite", list[str](), list[bytes]()
    Journal(path).close()
    port = hub.config.broker.port
    other = mqtt.Client(CallbackAPIVersion.VERSION2)
    other.on_message = lambda client, data, message: replies.append(message.payload)
    other.connect("127.0.0.1", port)
    other.loop_start()
    other.subscribe("ct/v1/club/t1/cmd/reply", 1)

    def send(number: str, text: str, retain: bool = False) -> None:
        payload = json.dumps({"v": 1, "id": number, "expires": 1e10, "do": "show", "text": text})
        other.publish("ct/v1/club/t1/cmd", payload, 1, retain).wait_for_publish(30)

    send("1", "of yesterday", retain=True)
    link = Link(ClubConfig(name="club", table="t1", port=port), path)
    link.show_message = shown.append
    with closing(link.start()):
        wait(lambda: link.connected and hub.receiver.online.get("t1", False))
        for number in ("2", "2", "3"):
            send(number, number)
        wait(lambda: len(replies) == 3)
    other.loop_stop()
    assert shown == ["The director of the club: 2", "The director of the club: 3"]
    assert [json.loads(reply)["done"] for reply in replies] == [True] * 3
