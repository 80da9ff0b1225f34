"""Home Assistant at a secure broker: it gets what it needs and nothing more, from a real mosquitto."""

from __future__ import annotations

import json
import re
import threading
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from cardtable.cli import main
from cardtable.journal.journal import Journal
from cardtable_club.config import ClubConfig
from cardtable_club.hub.authority import HOME_ASSISTANT, Enrolment, access_rules
from cardtable_club.hub.broker import mosquitto_program
from cardtable_club.hub.config import BrokerConfig, HubConfig
from cardtable_club.hub.service import Hub
from cardtable_club.member.enrolment import enrol
from cardtable_club.member.home_assistant import STATUS, topic_of
from cardtable_club.member.link import Link
from cardtable_club.member.messages import Topics
from club.tests.hub.test_service import free_port, wait

TABLE = "t.1"
STATE = '{"screen":"game","seats":[{"name":"Ann","score":0}],"words":[{"word":"go","label":"Go","needs":[]}]}'


def test_the_access_list_names_what_home_assistant_may_do() -> None:
    rules = access_rules("n.1", ["t1", TABLE])
    section = re.search(rf"user {HOME_ASSISTANT}\n(.*?)\n\n", rules, re.DOTALL)
    assert section is not None and section[1].splitlines() == [
        "topic readwrite homeassistant/status",
        "topic read homeassistant/device/+/config",
        "topic read ct/v1/n.1/+/online",
        "topic read ct/v1/n.1/+/state",
        "topic read ct/v1/n.1/+/health",
        "topic write ct/v1/n.1/+/cmd",
    ]
    assert f"user {TABLE}\ntopic write homeassistant/device/cardtable_n_dot_1_t_dot_1/config\n" in rules
    assert "user t1\n" not in rules  # the pattern says it
    assert "pattern write homeassistant/device/cardtable_n_dot_1_%u/config" in rules
    for topic in (topic_of(Topics("n.1", "t1")), topic_of(Topics("n.1", TABLE))):
        assert re.fullmatch(r"homeassistant/device/[a-zA-Z0-9_-]+/config", topic)  # what Home Assistant takes


class Device:
    """A client with a certificate: what it receives, and how the broker answers what it sends."""

    def __init__(self, port: int, ca: Path, certificate: Path, key: Path) -> None:
        self.received: dict[str, bytes] = {}
        there = threading.Event()
        self.client = client = mqtt.Client(CallbackAPIVersion.VERSION2, reconnect_on_failure=False)
        client.tls_set(str(ca), str(certificate), str(key))
        client.on_connect = lambda client, *about: client.subscribe("#", 1)
        client.on_subscribe = lambda *about: there.set()
        client.on_message = self._take
        client.connect("127.0.0.1", port)
        client.loop_start()
        assert there.wait(30.0)

    def _take(self, client: mqtt.Client, data: Any, message: mqtt.MQTTMessage) -> None:
        self.received[message.topic] = message.payload

    def send(self, topic: str, message: bytes) -> None:
        """Send a message, and wait until the broker has taken it, or thrown it away."""
        self.client.publish(topic, message, 1).wait_for_publish(10.0)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@pytest.mark.skipif(mosquitto_program() is None, reason="needs mosquitto")
def test_home_assistant_presses_buttons_of_a_table_with_a_dot(tmp_path: Path) -> None:
    port = free_port()
    config = HubConfig(
        port=0, database=f"sqlite:///{tmp_path}/club.sqlite", broker=BrokerConfig(port=port, secure=True)
    )
    Journal(tmp_path / "journal.sqlite").close()
    with ExitStack() as stack:
        hub = stack.enter_context(closing(Hub(config, tmp_path / "mosquitto")))
        assert hub.authority is not None
        folder = tmp_path / "table"
        enrol(str(Enrolment(hub.store, hub.authority).invite(TABLE)), hub.pages.url, folder)
        names = {"ca": "club-ca.crt", "certificate": "club-table.crt", "key": "club-table.key"}
        files: dict[str, Any] = {key: folder / name for key, name in names.items()}
        about = ClubConfig(name="club", table=TABLE, host="127.0.0.1", port=port, home_assistant=True, **files)
        link = stack.enter_context(closing(Link(about, tmp_path / "journal.sqlite").start()))
        words: list[tuple[int, str]] = []
        link.say = lambda seat, word: not words.append((seat, word))
        link.show(STATE)
        admitted = hub.authority.issue_to(HOME_ASSISTANT, tmp_path / "home")
        home = stack.enter_context(closing(Device(port, *admitted)))
        topics = Topics("club", TABLE)
        described = topic_of(topics)
        wait(lambda: {described, topics.of("state"), topics.of("online"), topics.of("health")} <= {*home.received})
        button = json.loads(home.received[described])["cmps"]["say_0_go"]
        assert button["cmd_t"] == topics.of("cmd")
        home.send(topics.of("cmd"), b'{"v":1,"id":"1","expires":99999999999,"do":"say","seat":0,"word":"go"}')
        wait(lambda: words == [(0, "go")])
        for what in ("journal", "ack", "online", "state"):
            home.send(topics.of(what), b"forged")
        home.send(described, b"")
        home.send(STATUS, b"online")  # last, and the only one of these that arrives
        wait(lambda: STATUS in home.received)
        assert json.loads(home.received[described]) and b"forged" not in home.received.values()
        private = {topic for topic in home.received if topic.endswith(("journal", "ack", "reply")) or "league" in topic}
        assert private == set()
        assert hub.authority.cut_off(HOME_ASSISTANT) == 1


def test_the_command_writes_what_home_assistant_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hub.toml").write_text("[broker]\nsecure = true\n")
    hub = ["hub", "-c", str(tmp_path / "hub.toml"), "--database", f"sqlite:///{tmp_path / 'club.sqlite'}"]
    assert main([*hub, "home-assistant", "--into", str(tmp_path / "home")]) == 0
    files = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert [file.name for file in files] == ["club-ca.crt", "home-assistant.crt", "home-assistant.key"]
    assert files[2].stat().st_mode & 0o777 == 0o600
    assert main([*hub, "cut-off", HOME_ASSISTANT]) == 0
    assert "certificates revoked: 1" in capsys.readouterr().err
