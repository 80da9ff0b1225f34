"""HTTPS for phones: the table's own certificate authority, which a phone trusts once, and the certificate it issues.

Browsers let a page be installed as an app, keep the display on and keep `Secure` cookies over HTTPS only. No public
authority vouches for a table in a home network, so it has its own. That can vouch for nothing but names and addresses
of such networks: whoever steals the key cannot pretend to be a website.

The port of the board answers HTTPS as well as HTTP (`cardtable.web.connections`).
"""

from __future__ import annotations

import datetime
import ipaddress
import logging
import os
import secrets
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.x509.oid import NameOID

from cardtable.certificates import alternative, authority, issued, key_in, key_pem, new_key, pem
from cardtable.errors import CardtableError, why
from cardtable.web.connections import HOME_DOMAINS, host_name
from engine.texts import text
from vision.atomic_files import store

PROGRAM_DATE: Final = datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)
"""A clock that shows an earlier date is wrong, because the program did not exist then."""
_BEGIN: Final = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
_END: Final = datetime.datetime(2049, 12, 31, tzinfo=datetime.UTC)
"""The authority is valid between these dates, whatever the clock shows when it is made."""
_VALID: Final = datetime.timedelta(days=400)
"""How long a certificate is valid before and after its issue: a clock may be wrong by that much. iOS accepts 825 days
in all from an authority that its owner has added (support.apple.com/103769)."""
_RENEWED: Final = _VALID / 2
_NETWORKS: Final = tuple(
    ipaddress.ip_network(network)
    for network in (
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "127.0.0.0/8",
        "fc00::/7", "fe80::/10", "::1/128",
    )
)  # fmt: skip
_DOMAINS: Final = ("localhost", *HOME_DOMAINS)
_LOG: Final = logging.getLogger(__name__)


def authority_file(journal: Path) -> Path:
    """Return the file with the key and the certificate of the authority of the table with this journal.

    >>> authority_file(Path("journal.sqlite")).name
    'journal-https.key'
    """
    return journal.with_name(f"{journal.stem}-https.key")


def open_https(journal: Path) -> Https | None:
    """Return the certificates of the table with this journal; without a usable file the table goes on without HTTPS."""
    try:
        return Https(authority_file(journal))
    except CardtableError as error:
        _LOG.warning("no HTTPS: %s", error)
        return None


class Https:
    """The authority in the file `path`, which is made if it is missing, and the certificate of this machine.

    `now` returns seconds since 1970. Raises `CardtableError` if the file is damaged, or cannot be read or written.
    """

    def __init__(self, path: Path, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._names: frozenset[str] = frozenset()
        self._issued = _BEGIN
        self._key = new_key()
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            if not path.exists():
                _make(path)
            content = path.read_bytes()
            self._authority = x509.load_pem_x509_certificate(content), key_in(content)
            if self._authority[0].public_key() != self._authority[1].public_key():
                raise ValueError("the key is another one")
        except OSError as error:
            raise CardtableError(text("{place}: {what}", place=path, what=why(error))) from error
        except ValueError as error:
            message = "{path} is damaged: delete it, and trust the table anew on each phone"
            raise CardtableError(text(message, path=path)) from error

    @property
    def name(self) -> str:
        """The name of the authority, as phones list it."""
        return str(self._authority[0].subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value)

    @property
    def certificate(self) -> bytes:
        """The certificate of the authority (DER)."""
        return self._authority[0].public_bytes(serialization.Encoding.DER)

    def context(self, address: str) -> ssl.SSLContext:
        """Return the TLS settings for a connection to `address` of this machine, with a certificate for it."""
        now, wanted = self._time(), self._names | _host_names() | {_plain(address)}
        if wanted != self._names or abs(now - self._issued) > _RENEWED:
            names = [alternative(name) for name in sorted(wanted) if covers(name)]
            dates = now - _VALID, now + _VALID
            certificate = issued("Card table", self._key.public_key(), dates, self._authority, names, server=True)
            with open(os.memfd_create("certificate"), "wb", buffering=0) as file:  # the module ssl reads files only
                file.write(key_pem(self._key) + pem(certificate))
                self._context.load_cert_chain(f"/proc/self/fd/{file.fileno()}")
            self._names, self._issued = wanted, now
        return self._context

    def _time(self) -> datetime.datetime:
        """Return the time, which may be wrong, but is one at which program and authority are valid."""
        seconds = min(max(self._now(), PROGRAM_DATE.timestamp()), (_END - _VALID).timestamp())
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC)


def covers(name: str) -> bool:
    """Return whether the authority of a table can vouch for a host name or an address.

    >>> [covers(name) for name in ("cardtable.local", "192.168.1.9", "cardtable", "example.org", "203.0.113.5")]
    [True, True, False, False, False]
    """
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name.isascii() and any(name == domain or name.endswith(f".{domain}") for domain in _DOMAINS)
    return any(address in network for network in _NETWORKS)


def _host_names() -> frozenset[str]:
    name = host_name()
    return frozenset({"localhost", *(f"{name}.{domain}" for domain in HOME_DOMAINS if name)})


def _plain(address: str) -> str:
    """Return an address without its zone, and one of IPv4 as such."""
    address = address.partition("%")[0]
    return address.removeprefix("::ffff:") if "." in address else address


def _make(path: Path) -> None:
    """Make an authority in `path`. Its name tells it from those of other tables."""
    key = new_key()
    only = [*map(x509.DNSName, _DOMAINS), *map(x509.IPAddress, _NETWORKS)]
    made = authority(f"Card table {secrets.token_hex(3).upper()}", key, (_BEGIN, _END), only)
    store(path, key_pem(key) + pem(made), 0o600)
