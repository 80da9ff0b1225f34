"""Enrolment at the hub: the table creates a key, proves that it knows the code, and receives a certificate."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Final, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from cardtable.errors import CardtableError, UsageError, why
from engine.texts import text

# A code can be used once. It has 24 letters and digits: 60 bits that only the hub and the table know, and 60 bits of
# the fingerprint of the club's authority. The table proves that it knows the first part without sending it, and
# recognises the authority by the second part, so that no other device in the network can impersonate either of them.

GROUP: Final = 4
_HALF: Final = 12


class Code(NamedTuple):
    """The two parts of a code, each 12 letters and digits of base 32."""

    secret: str
    fingerprint: str

    def __str__(self) -> str:
        written = self.secret + self.fingerprint
        return "-".join(written[at : at + GROUP] for at in range(0, len(written), GROUP))

    def proof(self, request: bytes) -> str:
        """Return the proof that the sender of a certificate request knows the code."""
        return hmac.new(self.secret.encode(), request, hashlib.sha256).hexdigest()


def new_code(authority: bytes) -> Code:
    """Return a new code. `authority`: the certificate of the authority, as PEM."""
    return Code(_letters(secrets.token_bytes(8)), fingerprint(authority))


def fingerprint(authority: bytes) -> str:
    """Return the part of the authority's fingerprint that is in a code."""
    return _letters(hashlib.sha256(authority.strip()).digest())


def read_code(written: str) -> Code | None:
    """Return the code that a person typed; None if it is malformed. Case, spaces and hyphens do not matter.

    >>> read_code("abcd-efgh-ijkl mnop-qrst-uvwx")
    Code(secret='ABCDEFGHIJKL', fingerprint='MNOPQRSTUVWX')
    """
    letters = "".join(written.upper().replace("-", " ").split())
    # Base 32 has no 0, 1 and 8, which are easily typed for the letters that look like them.
    letters = letters.translate(str.maketrans("018", "OIB"))
    if len(letters) != 2 * _HALF or not {*letters} <= {*"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"}:
        return None
    return Code(letters[:_HALF], letters[_HALF:])


def _letters(content: bytes) -> str:
    return base64.b32encode(content).decode()[:_HALF]


AUTHORITY, CERTIFICATE, KEY = "club-ca.crt", "club-table.crt", "club-table.key"
"""The files that an enrolment writes beside table.toml."""
_TIMEOUT_S: Final = 10.0
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
    """Enrol at a hub with a code, and write the key and certificates to `folder`.

    `hub`: the address of the hub's pages, such as `http://192.168.1.20:8020`. Raises `UsageError` for a malformed code,
    and `CardtableError` if the hub refuses it, cannot be reached, or is not the hub that printed it.
    """
    code = read_code(written)
    if code is None:
        raise UsageError(text("a code has six groups of four letters, as the hub has printed it"))
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "table")])
    signed = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    request = signed.public_bytes(serialization.Encoding.PEM)
    answer = _post(hub, {"request": request.decode(), "proof": code.proof(request)})
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
    """Return the content of a hub's answer: settings, the authority and the certificate.

    Raises `CardtableError` if it is not the answer of a hub, or is that of another hub.
    """
    try:
        authority, certificate = answer["ca"].encode(), answer["certificate"].encode()
        enrolled = Enrolled(str(answer["club"]), str(answer["table"]), str(answer["host"]), int(answer["port"]))
        issued, issuer = x509.load_pem_x509_certificate(certificate), x509.load_pem_x509_certificate(authority)
        issued.verify_directly_issued_by(issuer)
        genuine = fingerprint(authority) == code.fingerprint and issued.public_key() == key.public_key()
    except Exception as error:  # anything may answer at an address that is not a hub's
        raise CardtableError(text("{hub} does not answer as a hub: check the address", hub=hub)) from error
    if not genuine:
        raise CardtableError(text("{hub} is not the hub of this code: check the address and the code", hub=hub))
    return enrolled, authority, certificate


def _post(hub: str, message: dict[str, str]) -> Any:
    if not hub.startswith(("http://", "https://")):
        raise UsageError(text("{hub} is not an address such as http://192.168.1.20:8020", hub=hub))
    request = urllib.request.Request(
        f"{hub.rstrip('/')}/enrol", json.dumps(message).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:
            return json.loads(answer.read(_MOST_BYTES))
    except urllib.error.HTTPError as error:
        raise CardtableError(text("the hub refuses the code: it was used, is too old, or mistyped")) from error
    except (OSError, ValueError) as error:
        raise CardtableError(text("{hub} cannot be reached: {why}", hub=hub, why=str(error))) from error
