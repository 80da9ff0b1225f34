"""The MQTT broker of the club: the configured one, or a mosquitto that the hub starts itself."""

from __future__ import annotations

import os
import shutil
import signal
import ssl
import subprocess
import time
from pathlib import Path
from typing import Final

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from cardtable.errors import CardtableError
from cardtable_club.broker import Broker
from engine.texts import text

_START_S: Final = 5.0
_TRIES: Final = 3
_BETWEEN_S: Final = 0.3
_PASSING: Final = ("Server unavailable", "Server busy", "Server shutting down", "Quota exceeded")
"""Answers of a broker that is running but accepts no clients at the moment."""
_FOLDERS: Final = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin")
"""Where mosquitto may be installed besides the folders in PATH."""


def prepare(client: mqtt.Client, broker: Broker) -> None:
    """Give the hub's client its credentials. Raises `CardtableError` if the certificates cannot be used."""
    try:
        broker.prepare(client)
    except (OSError, ValueError) as error:
        message = "the certificates of the hub cannot be used: {why}; name ca, certificate and key in hub.toml"
        raise CardtableError(text(message, why=str(error))) from error


def try_connection(broker: Broker) -> None:
    """Connect once as the hub, and disconnect.

    Raises `OSError` if the broker cannot be reached, and `CardtableError` if it refuses the hub: then the
    configuration of one of them must be changed.
    """
    prepare(mqtt.Client(CallbackAPIVersion.VERSION2), broker)
    answer = None
    for _ in range(_TRIES):  # a broker that is stopping ends connections too
        try:
            answer = broker.answer("ct-hub")
        except (ssl.SSLError, ssl.CertificateError) as error:
            raise _refused(broker, str(error)) from error
        if answer is not None:
            break
        time.sleep(_BETWEEN_S)
    if answer is None:
        raise _refused(broker, "it ends the connection")
    if answer.is_failure and answer.getName() in _PASSING:
        raise ConnectionRefusedError(answer.getName())
    if answer.is_failure:
        raise _refused(broker, answer.getName())


def _refused(broker: Broker, reason: str) -> CardtableError:
    message = (
        "the broker at {host}:{port} refuses the hub ({why}): check port, user, password, ca, certificate and key "
        "under [broker] in hub.toml"
    )
    return CardtableError(text(message, host=broker.host, port=broker.port, why=reason))


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
        while not waiting.listens():
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
