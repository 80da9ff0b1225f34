"""A broker that the hub does not start: it is waited for, and one that refuses the hub ends it with a sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest

from cardtable.errors import CardtableError
from cardtable_club.broker import Broker
from cardtable_club.hub import broker as module
from cardtable_club.hub.authority import Authority, access_rules
from cardtable_club.hub.broker import Mosquitto, mosquitto_program, try_connection
from cardtable_club.hub.config import BrokerConfig, HubConfig
from cardtable_club.hub.service import Hub
from club.tests.hub.test_service import free_port, hurry, wait

pytestmark = pytest.mark.skipif(mosquitto_program() is None, reason="needs mosquitto")


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[ExitStack]:
    hurry(monkeypatch)
    with ExitStack() as stack:
        yield stack


def config(folder: Path, **broker: Any) -> HubConfig:
    about = BrokerConfig(**{"port": free_port(), "start": False} | broker)
    return HubConfig(port=0, database=f"sqlite:///{folder}/club.sqlite", broker=about)


def passwords_only(*settings: Any) -> str:
    return "\n".join(line for line in CONFIGURATION(*settings).splitlines() if "anonymous" not in line)


CONFIGURATION = module.configuration


def test_a_broker_that_is_away_is_waited_for(tmp_path: Path, stack: ExitStack) -> None:
    hub = stack.enter_context(closing(Hub(wanted := config(tmp_path), tmp_path / "mosquitto")))
    assert hub.awaited is not None and "refused" in hub.awaited and hub.mosquitto is None
    assert not hub.state()["broker"]
    stack.enter_context(closing(Mosquitto(tmp_path / "other", "127.0.0.1", wanted.broker.port)))
    wait(lambda: hub.receiver.connected and hub.awaited is None)


def test_a_broker_that_refuses_the_hub_ends_it_at_the_start(
    tmp_path: Path, stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "configuration", passwords_only)
    for more in ({}, {"user": "hub", "password": "wrong"}):
        wanted = config(tmp_path, **more)
        refused = pytest.raises(CardtableError, match=r"refuses the hub \(Not authorized\): check port, user, password")
        with closing(Mosquitto(tmp_path / "other", "127.0.0.1", wanted.broker.port)), refused:
            Hub(wanted, tmp_path / "mosquitto")


COMMAND = """
import sys
from cardtable.cli import main
from paho.mqtt.client import Client

real = Client.reconnect_delay_set
Client.reconnect_delay_set = lambda client, least, most: real(client, 0.05, 0.1)
sys.exit(main(sys.argv[1:]))
"""
"""The program, which connects again sooner than after a second or more."""


def test_the_command_says_that_it_waits_and_why_it_ends(tmp_path: Path, stack: ExitStack) -> None:
    port = free_port()
    (tmp_path / "hub.toml").write_text(f"port = 0\n[broker]\nport = {port}\nstart = false\n")
    command = [sys.executable, "-c", COMMAND, "hub", "-c", str(tmp_path / "hub.toml")]
    hub = stack.enter_context(Popen(command, cwd=tmp_path, stderr=PIPE, text=True))
    stack.callback(hub.kill)
    assert hub.stderr is not None
    output = ""
    while "the wall: http" not in output:
        line = hub.stderr.readline()
        assert line, output
        output += line
    assert f"no MQTT broker answers at 127.0.0.1:{port} (" in output and "the hub waits for it" in output
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "configuration", passwords_only)
        stack.enter_context(closing(Mosquitto(tmp_path / "other", "127.0.0.1", port)))
    assert "refuses the hub (Not authorized)" in hub.stderr.read() and hub.wait(30.0) == 1


def test_certificates_that_the_broker_does_not_take_end_the_hub(tmp_path: Path, stack: ExitStack) -> None:
    ours, theirs = (Authority(tmp_path / name, "club", ["127.0.0.1"]).folder for name in ("ours", "theirs"))
    (theirs / "access.txt").write_text(access_rules("club"))
    port = free_port()
    stack.enter_context(closing(Mosquitto(tmp_path / "other", "127.0.0.1", port, theirs)))

    def files(folder: Path, ca: Path) -> dict[str, Any]:
        return {"ca": ca / "ca.crt", "certificate": folder / "hub.crt", "key": folder / "hub.key"}

    try_connection(Broker(port=port, **files(theirs, theirs)))
    for certificates in ({}, files(ours, ours), files(ours, theirs)):
        with pytest.raises(CardtableError, match="refuses the hub"):
            Hub(config(tmp_path, port=port, **certificates), tmp_path / "mosquitto")
