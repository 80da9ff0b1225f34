"""The club's MQTT broker, as the hub and the tables reach it."""

from __future__ import annotations

import secrets
import socket
import ssl
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import paho.mqtt.client as mqtt
from cryptography import x509
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.reasoncodes import ReasonCode

_CONNECT_S: Final = 3.0
"""Seconds within which a broker must answer."""
_NO_CHECK_TIME: Final = 0x200000
"""OpenSSL's `X509_V_FLAG_NO_CHECK_TIME`, which `ssl` does not name."""


@dataclass(frozen=True, slots=True)
class Broker:
    """The address of the broker, and the credentials with which a client connects."""

    host: str = "127.0.0.1"
    port: int = 1883
    user: str | None = None
    password: str | None = None
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def prepare(self, client: mqtt.Client) -> None:
        """Give a client the credentials. Raises `OSError` if the certificates cannot be used.

        The dates of certificates are not compared with the clock, which may be years off on a machine without a
        battery. The club's own authority withdraws certificates by name.
        """
        if self.user is not None:
            client.username_pw_set(self.user, self.password)
        if self.ca is None:
            return
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(str(self.ca))
        context.verify_flags = ssl.VerifyFlags(context.verify_flags | _NO_CHECK_TIME)
        if self.certificate is not None:
            context.load_cert_chain(str(self.certificate), str(self.key) if self.key else None)
        client.tls_set_context(context)

    def since(self) -> float:
        """Return since when the client's certificate is valid, in seconds since 1970; 0 if it cannot be read."""
        if self.certificate is None:
            return 0.0
        try:
            certificate = x509.load_pem_x509_certificate(self.certificate.read_bytes())
        except (OSError, ValueError):
            return 0.0
        return certificate.not_valid_before_utc.timestamp()

    def shown_since(self, client: mqtt.Client) -> float:
        """Return since when the certificate is valid that the broker has shown to a connected client; 0 without one."""
        connection = client.socket()
        shown = connection.getpeercert(binary_form=True) if isinstance(connection, ssl.SSLSocket) else None
        return x509.load_der_x509_certificate(shown).not_valid_before_utc.timestamp() if shown else 0.0

    def answer(self, name: str) -> ReasonCode | None:
        """Connect once as a client whose name begins with `name`, and return the answer of the broker.

        Returns None if it closes the connection without one. Raises `OSError` if the broker cannot be reached or its
        certificate is not the club's, or if the client's own cannot be used.
        """
        client = mqtt.Client(CallbackAPIVersion.VERSION2, f"{name}-{secrets.token_hex(4)}", reconnect_on_failure=False)
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
        finally:
            client.disconnect()
        return answers[0] if answers else None

    def listens(self) -> bool:
        """Return whether something listens at its address."""
        try:
            socket.create_connection((self.host, self.port), 1.0).close()
        except OSError:
            return False
        return True
