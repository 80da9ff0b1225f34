"""Devices that pair or guess, and clocks that a test sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardtable.table.messages import Identity
from cardtable.web.access import PINS, Access, Asking, Denied

AWAY = Identity(False)
PLAYERS = ("Ann", "Bo", "Cy")


class Clocks:
    """Both clocks of an `Access`, set by the test."""

    def __init__(self) -> None:
        self.seconds = 100.0
        self.date = 1_000_000.0

    def access(self, path: Path | None = None) -> Access:
        return Access(None, path, lambda: self.seconds, lambda: self.date)

    def wait(self, seconds: float) -> None:
        self.seconds += seconds
        self.date += seconds


def paired(access: Access, player: str, seat: int) -> Identity:
    phone = access.pair(access.make_code(player, seat).code, AWAY, "192.168.1.20", "Android")
    return access.identify(False, phone.token)


def ask_for(access: Access, player: str, device: str) -> str:
    """Ask for the place of a player who has a phone; return the code to ask again with."""
    with pytest.raises(Asking) as asking:
        access.pair(access.make_code(None, 0).code, AWAY, device, "", (player, 0))
    return asking.value.secret


def wrong(access: Access, times: int, identity: Identity = AWAY, device: str | None = "192.168.1.66") -> None:
    for _ in range(times):
        with pytest.raises(Denied, match="This PIN is wrong"):
            access.enter_pin("0000", identity, device, "")


def wrong_from_everywhere(access: Access) -> None:
    """Enter as many wrong PINs from different addresses as the table allows."""
    for last in range(PINS):
        wrong(access, 1, device=f"192.168.2.{last}")
