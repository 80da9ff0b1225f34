"""A table enrols at the hub of its club: it makes a key, proves that it knows the code, and gets a certificate."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Final, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from cardtable.club.codes import Code, fingerprint, read_code
from cardtable.errors import CardtableError, UsageError, why
from engine.texts import text

AUTHORITY, CERTIFICATE, KEY = "club-ca.crt", "club-table.crt", "club-table.key"
"""The files that an enrolment writes beside table.toml."""
_SECONDS: Final = 10.0
_MOST_BYTES: Final = 64_000


class Enrolled(NamedTuple):
    """The lines for `[club]` in table.toml after an enrolment."""

    club: str
    table: str
    host: str
    port: int

    def keys(self) -> dict[str, str | int]:
        """Return the keys of the section with their values."""
        files = {"ca": AUTHORITY, "certificate": CERTIFICATE, "key": KEY}
        return {"name": self.club, "table": self.table, "host": self.host, "port": self.port, **files}

    def lines(self) -> str:
        """Return the section."""
        return "[club]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in self.keys().items())


def enrol(written: str, hub: str, folder: Path) -> Enrolled:
    """Enrol with a code at the pages of a hub, and write key and certificates to `folder`.

    `hub`: the address of the hub's pages, such as `http://192.168.1.20:8020`. Raises `UsageError` for a code that is
    not one, `CardtableError` if the hub refuses it, cannot be reached, or is another one than that of the code.
    """
    code = read_code(written)
    if code is None:
        raise UsageError(text("a code has six groups of four letters, as the hub has printed it"))
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "table")])
    signed = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    request = signed.public_bytes(serialization.Encoding.PEM)
    answer = _asked(hub, {"request": request.decode(), "proof": code.proof(request)})
    enrolled, authority, certificate = checked(answer, code, key, hub)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, content, mode in (
            (KEY, private, 0o600),
            (CERTIFICATE, certificate, 0o644),
            (AUTHORITY, authority, 0o644),
        ):
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            with open(os.open(folder / file, flags, mode), "wb") as target:
                target.write(content)
    except OSError as error:
        raise CardtableError(text("{path} cannot be written: {why}", path=folder, why=why(error))) from error
    return enrolled


def checked(answer: Any, code: Code, key: ec.EllipticCurvePrivateKey, hub: str) -> tuple[Enrolled, bytes, bytes]:
    """Return what a hub has answered, its authority and the certificate. Raises `CardtableError` for another hub's."""
    try:
        authority, certificate = answer["ca"].encode(), answer["certificate"].encode()
        enrolled = Enrolled(str(answer["club"]), str(answer["table"]), str(answer["host"]), int(answer["port"]))
        issued, issuer = x509.load_pem_x509_certificate(certificate), x509.load_pem_x509_certificate(authority)
        issued.verify_directly_issued_by(issuer)
        genuine = fingerprint(authority) == code.fingerprint and issued.public_key() == key.public_key()
    except Exception as error:  # whatever an address answers that is not a hub
        raise CardtableError(text("{hub} does not answer as a hub: check the address", hub=hub)) from error
    if not genuine:
        raise CardtableError(text("{hub} is not the hub of this code: check the address and the code", hub=hub))
    return enrolled, authority, certificate


def _asked(hub: str, message: dict[str, str]) -> Any:
    if not hub.startswith(("http://", "https://")):
        raise UsageError(text("{hub} is not an address such as http://192.168.1.20:8020", hub=hub))
    wanted = urllib.request.Request(
        f"{hub.rstrip('/')}/enrol", json.dumps(message).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(wanted, timeout=_SECONDS) as answer:
            return json.loads(answer.read(_MOST_BYTES))
    except urllib.error.HTTPError as error:
        raise CardtableError(text("the hub refuses the code: it was used, is too old, or mistyped")) from error
    except (OSError, ValueError) as error:
        raise CardtableError(text("{hub} cannot be reached: {why}", hub=hub, why=str(error))) from error
