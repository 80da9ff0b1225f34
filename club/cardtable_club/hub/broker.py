"""The MQTT broker of the club: the configured one, or a mosquitto that the hub starts itself."""

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
"""Answers of a broker that is running but accepts no clients at the moment."""
_FOLDERS: Final = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin")
"""Where mosquitto may be installed besides the folders in PATH."""


@dataclass(frozen=True, slots=True)
class Broker:
    """The address of the broker, and the credentials with which the hub connects."""

    host: str = "127.0.0.1"
    port: int = 1883
    user: str | None = None
    password: str | None = None
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def prepare(self, client: mqtt.Client) -> None:
        """Give a client the credentials. Raises `CardtableError` if the certificates cannot be used."""
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
        """Connect once as the hub, and disconnect.

        Raises `OSError` if the broker cannot be reached, and `CardtableError` if it refuses the hub: then the
        configuration of one of them must be changed.
        """
        answer = None
        for _ in range(_TRIES):  # a broker that is stopping ends connections too
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
        """Connect and return the answer of the broker; None if it closes the connection without one."""
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
    """Return the configuration of mosquitto. `certificates`: the authority's folder; None to accept every client."""
    lines = [
        f"listener {port} {host}",
        "persistence true",
        f"persistence_location {folder.resolve()}/",
        *("max_queued_messages 20000", "message_size_limit 400000", "log_type warning", "log_type error"),
    ]
    if certificates is None:
        lines.append("allow_anonymous true")
    else:
        path = certificates.resolve()
        lines += [
            *("allow_anonymous false", "require_certificate true", "use_identity_as_username true"),
            *(f"cafile {path}/ca.crt", f"certfile {path}/broker.crt", f"keyfile {path}/broker.key"),
            *(f"crlfile {path}/crl.pem", f"acl_file {path}/access.txt", "tls_version tlsv1.2"),
        ]
    if os.geteuid() == 0:
        lines.append("user root")
    return "\n".join([*lines, ""])


class Mosquitto:
    """A mosquitto process that listens at `host`:`port` until `close`, with its files in `folder`.

    With `certificates`, the folder of the club's authority, it accepts only clients with a certificate, and each table
    writes only its own topics. Without, it accepts every client: for a single machine, or a network of the club alone.
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
        setpriv = shutil.which("setpriv")  # on Linux: mosquitto ends with the hub, even if that is killed
        command = [setpriv, "--pdeathsig", "TERM", "--"] if setpriv else []
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
        """Whether the process is running."""
        return self._process.poll() is None

    def reload(self) -> None:
        """Make it read its access list again, without closing connections."""
        self._process.send_signal(signal.SIGHUP)

    @property
    def pid(self) -> int:
        """The process id."""
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
