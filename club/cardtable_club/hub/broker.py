"""The MQTT broker of the club: the one that the configuration names, or a mosquitto that the hub starts itself."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.reasoncodes import ReasonCode

from cardtable.errors import CardtableError
from engine.texts import text

_START_S: Final = 5.0
_CONNECT_S: Final = 3.0
"""Seconds within which a broker must answer."""
_TRIES: Final = 3
_BETWEEN_S: Final = 0.3
_PASSING: Final = ("Server unavailable", "Server busy", "Server shutting down", "Quota exceeded")
"""Answers of a broker that is there, but takes no client now."""
_FOLDERS: Final = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin")
"""Where mosquitto is, if not on the path of an ordinary user."""


@dataclass(frozen=True, slots=True)
class Broker:
    """Where the broker is, and who connects to it."""

    host: str = "127.0.0.1"
    port: int = 1883
    user: str | None = None
    password: str | None = None
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def prepare(self, client: mqtt.Client) -> None:
        """Give a client the name, the password and the certificates. Raises `CardtableError` for bad files."""
        if self.user is not None:
            client.username_pw_set(self.user, self.password)
        if self.ca is None:
            return
        try:
            client.tls_set(
                str(self.ca),
                str(self.certificate) if self.certificate else None,
                str(self.key) if self.key else None,
                tls_version=ssl.PROTOCOL_TLS_CLIENT,
            )
        except (OSError, ValueError) as error:
            message = "the certificates of the hub cannot be used: {why}; name ca, certificate and key in hub.toml"
            raise CardtableError(text(message, why=str(error))) from error

    def try_connection(self) -> None:
        """Connect once as the hub, and part again.

        Raises `OSError` if the broker is away, `CardtableError` if it takes no such client: its configuration, or that
        of the hub, must be changed.
        """
        answer = None
        for _ in range(_TRIES):  # a broker that is just being stopped ends connections too
            answer = self._answer()
            if answer is not None:
                break
            time.sleep(_BETWEEN_S)
        if answer is None:
            raise self._refused("it ends the connection")
        if answer.is_failure and answer.getName() in _PASSING:
            raise ConnectionRefusedError(answer.getName())
        if answer.is_failure:
            raise self._refused(answer.getName())

    def _answer(self) -> ReasonCode | None:
        """Return how the broker answers to a connection; None if it ends it without an answer."""
        client = mqtt.Client(CallbackAPIVersion.VERSION2, f"ct-hub-{secrets.token_hex(4)}", reconnect_on_failure=False)
        self.prepare(client)
        client.connect_timeout = _CONNECT_S
        answers: list[ReasonCode] = []
        client.on_connect = lambda client, data, flags, reason, more: answers.append(reason)
        until = time.monotonic() + _CONNECT_S
        try:
            client.connect(self.host, self.port, keepalive=15)
            while not answers and client.loop(0.2) == mqtt.MQTT_ERR_SUCCESS:
                if time.monotonic() > until:
                    raise TimeoutError("it does not answer as an MQTT broker")
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
            return None
        except (ssl.SSLError, ssl.CertificateError) as error:
            raise self._refused(str(error)) from error
        finally:
            client.disconnect()
        return answers[0] if answers else None

    def _refused(self, reason: str) -> CardtableError:
        message = (
            "the broker at {host}:{port} refuses the hub ({why}): check port, user, password, ca, certificate and key "
            "under [broker] in hub.toml"
        )
        return CardtableError(text(message, host=self.host, port=self.port, why=reason))

    def answers(self) -> bool:
        """Return whether something listens at its address."""
        try:
            socket.create_connection((self.host, self.port), 1.0).close()
        except OSError:
            return False
        return True


def mosquitto_program() -> str | None:
    """Return the path of mosquitto; None if it is not installed."""
    return shutil.which("mosquitto", path=os.pathsep.join((os.environ.get("PATH", ""), *_FOLDERS)))


def configuration(folder: Path, host: str, port: int, certificates: Path | None) -> str:
    """Return the configuration of mosquitto. `certificates`: the folder of the authority; None for no security."""
    lines = [
        f"listener {port} {host}",
        "persistence true",
        f"persistence_location {folder.resolve()}/",
        *("max_queued_messages 20000", "message_size_limit 400000", "log_type warning", "log_type error"),
    ]
    if certificates is None:
        lines.append("allow_anonymous true")
    else:
        at = certificates.resolve()
        lines += [
            *("allow_anonymous false", "require_certificate true", "use_identity_as_username true"),
            *(f"cafile {at}/ca.crt", f"certfile {at}/broker.crt", f"keyfile {at}/broker.key"),
            *(f"crlfile {at}/crl.pem", f"acl_file {at}/access.txt", "tls_version tlsv1.2"),
        ]
    if os.geteuid() == 0:
        lines.append("user root")
    return "\n".join([*lines, ""])


class Mosquitto:
    """A mosquitto that runs at `host`:`port` until `close`; its files are in `folder`.

    With `certificates`, the folder of the club's authority, it takes only clients with a certificate, and each table
    writes its own topics only. Without, it takes every client: for one machine, or a network that only the club uses.
    Raises `CardtableError` if mosquitto is not installed or does not start.
    """

    def __init__(self, folder: Path, host: str, port: int, certificates: Path | None = None) -> None:
        program = mosquitto_program()
        if program is None:
            message = "mosquitto, the MQTT broker, is not installed: sudo apt install mosquitto; or name another broker"
            raise CardtableError(text(message))
        folder.mkdir(parents=True, exist_ok=True)
        config = folder / "mosquitto.conf"
        config.write_text(configuration(folder, host, port, certificates))
        bound = shutil.which("setpriv")  # Linux: mosquitto ends with the hub, however that ends
        command = [bound, "--pdeathsig", "TERM", "--"] if bound else []
        command += [program, "-c", str(config)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        waiting = Broker("127.0.0.1" if host == "0.0.0.0" else host, port)
        until = time.monotonic() + _START_S
        while not waiting.answers():
            if self._process.poll() is not None or time.monotonic() > until:
                self.close()
                message = "mosquitto does not start at {host}:{port}: try mosquitto -v -c {config}"
                raise CardtableError(text(message, host=host, port=port, config=config))
            time.sleep(0.02)

    @property
    def runs(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def reload(self) -> None:
        """Let it read its access list again; connections stay."""
        self._process.send_signal(signal.SIGHUP)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def kill(self) -> None:
        """End it as a power cut would."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it. May be called twice."""
        self._process.terminate()
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self.kill()
