"""The switch for the network, and the address at which the board listens."""

from __future__ import annotations

import pytest

from cardtable.config.model import BoardConfig
from cardtable.web.connections import phone_url


@pytest.mark.parametrize(
    ("host", "network", "listens_at"),
    [
        ("127.0.0.1", False, "127.0.0.1"),
        ("127.0.0.1", True, "0.0.0.0"),
        ("localhost", True, "0.0.0.0"),
        ("192.168.1.9", True, "192.168.1.9"),
        ("0.0.0.0", False, "0.0.0.0"),
    ],
)
def test_one_switch_opens_the_board_to_the_network(host: str, network: bool, listens_at: str) -> None:
    assert BoardConfig(host=host, network=network).listens_at == listens_at


def test_the_address_for_phones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardtable.web.connections.own_addresses", lambda: iter(["192.168.1.9"]))
    assert phone_url("0.0.0.0", 8015) == "http://192.168.1.9:8015/phone"
    assert phone_url("table.local", 80) == "http://table.local:80/phone"
    assert phone_url("127.0.0.1", 8015) is phone_url("localhost", 8015) is phone_url("::1", 8015) is None
    monkeypatch.setattr("cardtable.web.connections.own_addresses", lambda: iter(()))
    assert phone_url("0.0.0.0", 8015) is None
