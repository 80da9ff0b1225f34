"""NetworkManager and timedatectl, with programs that stand in for them on PATH."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardtable.setup.network import Network, System, SystemRefused
from tests.cardtable.setup.programs import Programs


def test_networks_are_listed_once_the_strongest_first(programs: Programs) -> None:
    system = System()
    assert system.has_wifi() and system.connection() is None
    assert system.networks() == [
        Network("Home", 81, True),
        Network("Café", 70, False),
        Network("Anna:s \\ flat", 42, True),
    ]
    system.join("Home", "correct-horse")
    assert system.connection() == "Home"
    assert system.networks()[0] == Network("Home", 81, True, joined=True)
    hotspot = system.open_hotspot()
    assert system.connection() == "cardtable" == hotspot.name
    assert programs.log("nmcli")[-2].endswith(f"password {hotspot.password}")
    assert hotspot.code == f"WIFI:T:WPA;S:cardtable;P:{hotspot.password};;"


def test_a_wrong_password_is_not_kept(programs: Programs) -> None:
    with pytest.raises(SystemRefused, match="Home cannot be joined: is the password right"):
        System().join("Home", "wrong-horse")
    assert programs.log("nmcli")[-1] == "connection delete id Home"
    with pytest.raises(SystemRefused, match="Elsewhere is out of range now: search again"):
        System().join("Elsewhere", "correct-horse")


def test_what_is_missing_is_said_with_what_to_do(
    programs: Programs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs.set("no-right")
    with pytest.raises(SystemRefused, match=r"This user may not change the network: .*docs/start/first-start\.md"):
        System().join("Home", "correct-horse")
    with pytest.raises(SystemRefused, match="this user may not set the machine’s time zone"):
        System().set_time_zone("Europe/Paris")
    programs.set("not-running")
    with pytest.raises(SystemRefused, match="NetworkManager is not running: start it"):
        System().networks()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemRefused, match="NetworkManager is not installed here"):
        System().connection()
    with pytest.raises(SystemRefused, match="this machine has no timedatectl"):
        System().time_zone()


def test_the_time_zone_is_read_and_set(programs: Programs) -> None:
    system = System()
    assert system.time_zone() == "Etc/UTC" and "Europe/Paris" in system.time_zones()
    system.set_time_zone("Europe/Paris")
    assert system.time_zone() == "Europe/Paris"
    assert programs.log("timedatectl")[-2] == "--no-ask-password set-timezone Europe/Paris"
