"""The machine's network and time zone, through `nmcli` (NetworkManager) and `timedatectl`.

In its terse mode (nmcli(1), “--terse” and “--escape”), `nmcli` prints a line for each network, with fields separated by
colons; a colon in a value is written `\\:` and a backslash `\\\\`. Its exit codes: 4, activating a connection failed;
8, NetworkManager is not running; 10, something does not exist.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from cardtable.errors import CardtableError
from engine.texts import Text, text

_TIMEOUT_S: Final = 15.0
_CONNECT_TIMEOUT_S: Final = 60.0
"""Time limit for joining or opening a network."""
HOTSPOT: Final = "cardtable"
"""The name of the table's own network, and of its connection."""
_PASSWORD_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Characters that are not easily confused."""
_FAILED, _NOT_RUNNING, _DOES_NOT_EXIST = 4, 8, 10
_RIGHTS: Final = re.compile("not authorized|insufficient privileges|access denied|authentication", re.IGNORECASE)


class SystemRefused(CardtableError):
    """The machine cannot do this, or this user may not do it. The message says what to do."""


@dataclass(frozen=True, slots=True)
class Network:
    """A Wi-Fi network in range. `signal`: 0 to 100. `locked`: it needs a password. `joined`: it is in use."""

    name: str
    signal: int
    locked: bool
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Hotspot:
    """The table's own Wi-Fi network."""

    name: str
    password: str

    @property
    def code(self) -> str:
        """The text of a QR code with which a phone joins the network."""
        return f"WIFI:T:WPA;S:{self.name};P:{self.password};;"


@dataclass(frozen=True, slots=True)
class Output:
    """The exit status of a program, and what it printed on standard output and standard error."""

    status: int
    out: str
    errors: str


def run_program(command: Sequence[str], timeout: float) -> Output:
    """Run a program in English. Raises `FileNotFoundError` if it is not installed, `TimeoutExpired`."""
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, env=os.environ | {"LC_ALL": "C"}, check=False
    )
    return Output(done.returncode, done.stdout, done.stderr)


class System:
    """The network and time zone of this machine. All methods raise `SystemRefused`."""

    seen_before: ClassVar[Sequence[Network]] = ()
    """The networks that were in range before the table opened its hotspot."""

    def __init__(self, run: Callable[[Sequence[str], float], Output] = run_program) -> None:
        self._run = run

    # The network

    def networks(self) -> list[Network]:
        """Return the Wi-Fi networks in range, strongest first, each name once. This takes seconds."""
        fields = "IN-USE,SIGNAL,SECURITY,SSID"
        out = self._nmcli("--terse", "--fields", fields, "device", "wifi", "list", "--rescan", "yes")
        found: dict[str, Network] = {}
        for line in out.splitlines():
            parts = fields_of(line)
            if len(parts) != 4 or not parts[3] or not parts[1].isdecimal():
                continue  # a hidden network
            joined, signal, security, name = parts
            network = Network(name, int(signal), security not in ("", "--"), joined == "*")
            if name not in found or (network.joined, network.signal) > (found[name].joined, found[name].signal):
                found[name] = network
        if any(network.joined and network.name == HOTSPOT for network in found.values()) or not found:
            found = {network.name: network for network in System.seen_before} | found
        return sorted(found.values(), key=lambda network: (-network.joined, -network.signal, network.name))

    def has_wifi(self) -> bool:
        """Return whether this machine has a Wi-Fi device that NetworkManager uses."""
        out = self._nmcli("--terse", "--fields", "TYPE,STATE", "device")
        states = [fields_of(line) for line in out.splitlines()]
        return any(parts[0] == "wifi" and parts[-1] not in ("unmanaged", "unavailable") for parts in states if parts)

    def connection(self) -> str | None:
        """Return the name of the connection in use, Wi-Fi or cable; None if there is none."""
        out = self._nmcli("--terse", "--fields", "TYPE,STATE,CONNECTION", "device")
        for line in out.splitlines():
            parts = fields_of(line)
            if len(parts) == 3 and parts[0] in ("wifi", "ethernet") and parts[1] == "connected":
                return parts[2]
        return None

    def join(self, name: str, password: str | None) -> None:
        """Join a Wi-Fi network, and remember it for later starts. This takes seconds."""
        secret = [] if password is None else ["password", password]
        before = self._known(name)
        try:
            self._nmcli("device", "wifi", "connect", name, *secret, seconds=_CONNECT_TIMEOUT_S, network=name)
        except SystemRefused:
            if not before:  # otherwise a wrong password would be tried again at each start
                self._run_nmcli(["connection", "delete", "id", name], _TIMEOUT_S)
            raise

    def open_hotspot(self, password: str | None = None) -> Hotspot:
        """Open a Wi-Fi network, by default with a new password, and return it. This takes seconds.

        The networks in range are remembered first, because most devices cannot scan while they provide a hotspot.
        """
        password = password or "".join(secrets.choice(_PASSWORD_LETTERS) for _ in range(8))
        with contextlib.suppress(SystemRefused):
            System.seen_before = tuple(network for network in self.networks() if not network.joined)
        hotspot = Hotspot(HOTSPOT, password)
        command = ["device", "wifi", "hotspot", "con-name", HOTSPOT, "ssid", HOTSPOT, "password", password]
        self._nmcli(*command, seconds=_CONNECT_TIMEOUT_S)
        return hotspot

    def _known(self, name: str) -> bool:
        out = self._nmcli("--terse", "--fields", "NAME", "connection", "show")
        return any(fields_of(line) == [name] for line in out.splitlines())

    def _nmcli(self, *arguments: str, seconds: float = _TIMEOUT_S, network: str = "") -> str:
        done = self._run_nmcli(arguments, seconds)
        if done.status == 0:
            return done.out
        message = (done.errors or done.out).strip()
        if _RIGHTS.search(message):
            raise SystemRefused(
                text(
                    "This user may not change the network: join it as root (sudo nmtui), or allow it as "
                    "described in docs/start/first-start.md."
                )
            )
        if done.status == _NOT_RUNNING:
            raise SystemRefused(text("NetworkManager is not running: start it (sudo systemctl start NetworkManager)."))
        if network and (done.status == _FAILED or "secrets" in message.lower() or "property is invalid" in message):
            raise SystemRefused(text("{network} cannot be joined: is the password right?", network=network))
        if network and done.status == _DOES_NOT_EXIST:
            raise SystemRefused(text("{network} is out of range now: search again.", network=network))
        last = message.splitlines()[-1].removeprefix("Error: ") if message else f"{done.status}"
        raise SystemRefused(text("NetworkManager refuses: {why}", why=last))

    def _run_nmcli(self, arguments: Sequence[str], seconds: float) -> Output:
        missing = text("NetworkManager is not installed here: set the network up with the tools of this system.")
        return self._start(["nmcli", *arguments], seconds, missing, text("NetworkManager does not answer: try again."))

    # The clock

    def time_zone(self) -> str:
        """Return the time zone of this machine, such as `Europe/Paris`, or an empty string if it is unknown."""
        done = self._timedatectl("show", "--property=Timezone", "--value")
        return done.out.strip() if done.status == 0 else ""

    def time_zones(self) -> list[str]:
        """Return the names of all time zones."""
        done = self._timedatectl("list-timezones")
        if done.status != 0:
            raise SystemRefused(text("the time zones cannot be listed: {why}", why=done.errors.strip()))
        return done.out.split()

    def set_time_zone(self, name: str) -> None:
        """Set the time zone of this machine."""
        done = self._timedatectl("set-timezone", name)
        if done.status != 0:
            message = done.errors.strip()
            if _RIGHTS.search(message):
                raise SystemRefused(text("this user may not set the machine’s time zone"))
            raise SystemRefused(text("the machine’s time zone cannot be set: {why}", why=message))
        time.tzset()

    def _timedatectl(self, *arguments: str) -> Output:
        command = ["timedatectl", "--no-ask-password", *arguments]
        missing = text("this machine has no timedatectl")
        return self._start(command, _TIMEOUT_S, missing, text("timedatectl does not answer"))

    def _start(self, command: Sequence[str], seconds: float, missing: Text, silent: Text) -> Output:
        """Run a program. Raises `SystemRefused` with the message for a missing program, or for a silent one."""
        try:
            return self._run(command, seconds)
        except FileNotFoundError as error:
            raise SystemRefused(missing) from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SystemRefused(silent) from error


def fields_of(line: str) -> list[str]:
    r"""Return the fields of a terse line of nmcli.

    >>> fields_of(r"*:80:WPA2:Caf\:e \\ bar")
    ['*', '80', 'WPA2', 'Caf:e \\ bar']
    """
    fields = re.findall(r"(?:^|:)((?:[^:\\]|\\.?)*+)", line, re.DOTALL)
    return [re.sub(r"\\(.?)", r"\1", field, flags=re.DOTALL) for field in fields]
